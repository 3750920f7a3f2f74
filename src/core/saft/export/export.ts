/**
 * Exports SAF-T (PT) 1.04_01: the documents of a period as the tax authority reads them. Documents are read twice: the
 * first pass finds the master files and control totals, which come before the documents; the second writes. Both read
 * a few documents at a time, outside any transaction, and give way in between: memory stays constant and nobody waits.
 */
import * as z from "zod";
import { mustFindCompany } from "../../company/companies.ts";
import { parseIssuer } from "../../documents/frozen.ts";
import { civilDate } from "../../fiscal/civil-time.ts";
import { memoized } from "../../fiscal/memoized.ts";
import { nameOfSeries } from "../../fiscal/numbering.ts";
import { actorCodes } from "../../people/actors.ts";
import { refuse } from "../../runtime/errors.ts";
import { query } from "../../runtime/operation.ts";
import { yieldToOthers } from "../../runtime/ports.ts";
import type { ReadScope } from "../../runtime/scope.ts";
import { certificationOf } from "../../signing/certification.ts";
import { mustCarry } from "../../signing/producer.ts";
import { answeredIn, findCheck, judgeBy, mustBeAsLeft } from "../../verify/finding.ts";
import { findingIn } from "../../verify/series.ts";
import { t } from "../refusals.ts";
import { NAMESPACE, TABLE_NAMES } from "../vocabulary.ts";
import { totalsXml } from "./control-totals.ts";
import { type FileContext, WRITERS } from "./documents.ts";
import { type FirstPass, firstPass } from "./first-pass.ts";
import { headerXml } from "./header.ts";
import { bytesOf } from "./markup.ts";
import { PeriodInput, periodOf } from "./period.ts";
import { readRange } from "./reader.ts";
import { reportOf, SaftExportReport } from "./report.ts";
import { entryReader, rangesOf, type Selection, selectDocuments } from "./selection.ts";
import { newWarnings, warnAboutCompany } from "./warnings.ts";

/** Characters collected before they are handed on as one piece of the file: about as many bytes. */
const PIECE = 32_768;

const isIterable = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Symbol.asyncIterator in value;

/** The report, which is ready at once, and the file, which is written while it is read. */
const SaftExport = z.strictObject({
  report: SaftExportReport,
  file: z
    .custom<AsyncIterable<Uint8Array>>(isIterable)
    .meta({ signature: "AsyncIterable<Uint8Array>" })
    .describe(
      "The file, piece by piece: Windows-1252. It is written while it is read; reading again writes it again. After the last piece it rejects with `unavailable` where a document of the period is not as it was issued.",
    ),
});

export const exportSaft = query(
  {
    id: "exportSaft",
    summary: "Export a period as SAF-T (PT)",
    needs: "saft:read",
    input: PeriodInput,
    output: SaftExport,
    fails: [],
  },
  async (scope, input) => {
    // The host program gets the file all the same; a caller over a network would not learn what is wrong with it.
    if (scope.caller.actor.kind !== "host") mustBeAsLeft(await findCheck(scope));
    const { company, today, period, selection, found, report } = await survey(scope, input);
    const certification = await certificationOf(scope);
    mustCarry(certification.certificate_number);
    for (const { series } of TABLE_NAMES.flatMap((table) => rangesOf(selection, table))) {
      mustCarry(series.certificate_number ?? 0);
    }
    const header = headerXml(company, certification, period, today);
    const context = contextOf(found, await actorCodes(scope));
    return {
      report,
      file: {
        [Symbol.asyncIterator]: () =>
          periodChecked(scope, selection, inPieces(markup(scope, selection, header, found, context))),
      },
    };
  },
  { isLong: true },
);

export const reportSaft = query(
  {
    id: "reportSaft",
    summary: "What the SAF-T (PT) file of a period holds, and what to look at before it is sent",
    needs: "saft:read",
    input: PeriodInput,
    output: SaftExportReport,
    fails: [],
  },
  async (scope, input) => (await survey(scope, input)).report,
  { isLong: true },
);

/** Reads a period once: everything its file begins with, and the report. */
async function survey(scope: ReadScope, input: z.output<typeof PeriodInput>) {
  const company = await mustFindCompany(scope);
  const today = civilDate(scope.now, company.time_zone);
  const period = periodOf(input, today);
  const selection = await selectDocuments(scope, period);
  const warnings = newWarnings();
  warnAboutCompany(company, warnings);
  const found = await scope.turns.exporting.take((signal) => firstPass(scope, selection, company, warnings, signal));
  return { company, today, period, selection, found, report: reportOf(period, found, warnings) };
}

function contextOf({ masters, statuses }: FirstPass, codes: ReadonlyMap<string, string>): FileContext {
  const wasCashVat = memoized((issuer) => parseIssuer(issuer).cash_vat);
  return {
    statusOf: statuses.of,
    customerId: masters.customerId,
    productCode: masters.productCode,
    sourceId: (actor_id) => codes.get(actor_id) as string,
    wasCashVat: ({ row }) => wasCashVat(row.issuer),
  };
}

/** Joins markup to the bytes of the file, in pieces of about the same size. */
async function* inPieces(parts: AsyncIterable<Iterable<Iterable<string>>>): AsyncGenerator<Uint8Array> {
  let piece = "";
  for await (const part of parts) {
    for (const strings of part) {
      for (const string of strings) {
        piece += string;
        if (piece.length < PIECE) continue;
        yield bytesOf(piece);
        piece = "";
        await yieldToOthers();
      }
    }
  }
  yield bytesOf(piece);
}

/** The second pass: the markup of the file in order, batch by batch; each document is written as it is iterated. */
async function* markup(
  scope: ReadScope,
  selection: Selection,
  header: string,
  { masters, totals }: FirstPass,
  context: FileContext,
): AsyncGenerator<Iterable<Iterable<string>>> {
  yield [[PROLOGUE, header, "\n<MasterFiles>"]];
  for await (const entries of masters.write(entryReader(scope, selection))) {
    yield [entries];
    await yieldToOthers();
  }
  yield [["\n</MasterFiles>\n<SourceDocuments>"]];
  for (const table of TABLE_NAMES) {
    if (totals[table].documents === 0) continue;
    yield [[`\n<${table}>`, totalsXml(table, totals[table])]];
    for (const range of rangesOf(selection, table)) {
      for await (const documents of readRange(scope, range, selection.series)) {
        yield documents.map((document) => WRITERS[table](document, context));
      }
    }
    yield [[`\n</${table}>`]];
  }
  yield [["\n</SourceDocuments>\n</AuditFile>\n"]];
}

/** Checks the period as the last part of its file: refuses if a document is not as it was issued. */
async function* periodChecked(
  scope: ReadScope,
  { ranges }: Selection,
  parts: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield* parts;
  const counts = judgeBy(new Set(await answeredIn(scope)));
  for (const { series, first, end } of ranges) {
    if (first === end) continue;
    const found = await findingIn(scope, { series, from: first, end }, { counts, breathe: yieldToOthers });
    if (found) {
      const place = found.number ?? nameOfSeries(series);
      refuse("unavailable", t.period_was_changed({ place }), { to: "answer_for_changes" });
    }
  }
}

const PROLOGUE = `<?xml version="1.0" encoding="Windows-1252"?>
<AuditFile xmlns="${NAMESPACE}">
`;
