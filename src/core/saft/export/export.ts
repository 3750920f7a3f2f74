/**
 * Exporting SAF-T (PT) 1.04_01: a period's documents as the tax authority reads them. Two walks: the first finds the
 * master files and the control totals, which stand before the documents; the second writes. Both read a few documents
 * at a time outside any transaction and give way in between, so that memory stays flat and nobody waits for an export.
 */
import { z } from "zod";
import { actorCodes } from "../../actors.ts";
import { mustFindCompany } from "../../companies.ts";
import type { Issuer } from "../../documents/document.ts";
import { CivilDate } from "../../fields.ts";
import { civilDate } from "../../fiscal/civil-time.ts";
import { refuseInput } from "../../runtime/errors.ts";
import { query } from "../../runtime/operation.ts";
import { giveWay } from "../../runtime/ports.ts";
import type { ReadScope } from "../../runtime/scope.ts";
import { certificationOf } from "../../signing/certification.ts";
import { NAMESPACE, TABLE_NAMES } from "../vocabulary.ts";
import { remembered } from "./columns.ts";
import { type FileContext, WRITERS } from "./documents.ts";
import { type Survey, survey } from "./first-pass.ts";
import { CONTROL_TOTALS, headerXml, warnOfCompany } from "./header.ts";
import { bytesOf } from "./markup.ts";
import { walkRun } from "./reader.ts";
import { type Asked, noWarnings, reportOf, SaftReport } from "./report.ts";
import { type Filing, filingOf, type LineSpot, linesAtSpots, runsOf, snapshotsAt } from "./selection.ts";

/** The first day the schema knows. */
const FIRST_DAY = "2000-01-01";

/** Characters joined before they are handed on: a file is made of pieces of about this many bytes. */
const PIECE = 32_768;

const isIterable = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Symbol.asyncIterator in value;

const SaftPeriod = z.strictObject({
  from: CivilDate.optional().describe("First issue_date; the first of January of the year of `to` when left out."),
  to: CivilDate.optional().describe("Last issue_date, in the year of `from`; today when left out."),
  training: z.boolean().optional().describe("The documents of training series, and no others."),
});

/** What an export answers: the report at once, the file as it is read. */
const SaftExport = z.strictObject({
  report: SaftReport,
  file: z
    .custom<AsyncIterable<Uint8Array>>(isIterable)
    .describe("The file, piece by piece: Windows-1252. It is written while it is read; reading again writes it again."),
});

export const exportSaft = query(
  {
    id: "exportSaft",
    summary: "Export a period as SAF-T (PT)",
    needs: "saft:read",
    input: SaftPeriod,
    output: SaftExport,
    fails: [],
  },
  async (scope, input) => {
    const company = await mustFindCompany(scope);
    const today = civilDate(scope.now, company.time_zone);
    const asked = periodOf(input, today);
    const filing = await filingOf(scope, asked);
    const warnings = noWarnings();
    warnOfCompany(company, warnings);
    const surveyed = await survey(scope, filing, warnings);
    const header = headerXml(company, await certificationOf(scope), asked, today);
    const context = contextOf(surveyed, await actorCodes(scope));
    return {
      report: reportOf(surveyed, warnings, asked),
      file: { [Symbol.asyncIterator]: () => fileOf(scope, filing, header, surveyed, context) },
    };
  },
  { isLong: true },
);

/** The period asked for. Refuses one that ends before it begins, or runs over two years: a file has one FiscalYear. */
function periodOf({ training = false, ...given }: z.output<typeof SaftPeriod>, today: string): Asked {
  const to = given.to ?? today;
  const from = given.from ?? `${to.slice(0, 4)}-01-01`;
  if (from < FIRST_DAY) refuseInput([{ path: "from", message: `must be ${FIRST_DAY} or later` }]);
  if (to < from) refuseInput([{ path: "to", message: `must be ${from} or later` }]);
  if (to.slice(0, 4) !== from.slice(0, 4)) {
    refuseInput([{ path: "to", message: `must be in ${from.slice(0, 4)}: a file is of one year` }]);
  }
  return { from, to, training };
}

function contextOf({ masters, standing }: Survey, codes: ReadonlyMap<string, string>): FileContext {
  const isCashVat = remembered((issuer) => (JSON.parse(issuer) as Issuer).cash_vat);
  return {
    standing,
    customerId: masters.customerId,
    productCode: masters.productCode,
    sourceId: (actor_id) => codes.get(actor_id) as string,
    isCashVat: ({ row }) => isCashVat(row.issuer),
  };
}

/** The file from its first byte to its last, in pieces of about the same size. */
async function* fileOf(...walk: Parameters<typeof writtenParts>): AsyncGenerator<Uint8Array> {
  let waiting = "";
  for await (const parts of writtenParts(...walk)) {
    for (const part of parts) {
      for (const piece of part) {
        waiting += piece;
        if (waiting.length < PIECE) continue;
        yield bytesOf(waiting);
        waiting = "";
        await giveWay();
      }
    }
  }
  yield bytesOf(waiting);
}

/** The second walk: the parts of the file in order, some at a time, each written piece by piece as it is read. */
async function* writtenParts(
  scope: ReadScope,
  filing: Filing,
  header: string,
  { masters, totals }: Survey,
  context: FileContext,
): AsyncGenerator<Iterable<Iterable<string>>> {
  yield [[PROLOGUE, header, "\n<MasterFiles>"]];
  const said = {
    snapshots: (places: readonly number[]) => snapshotsAt(scope, filing, places),
    lines: (spots: readonly LineSpot[]) => linesAtSpots(scope, filing, spots),
  };
  for await (const entries of masters.write(said)) {
    yield [entries];
    await giveWay();
  }
  yield [["\n</MasterFiles>\n<SourceDocuments>"]];
  for (const table of TABLE_NAMES) {
    if (totals[table].documents === 0) continue;
    yield [[`\n<${table}>`, CONTROL_TOTALS[table](totals[table])]];
    for (const run of runsOf(filing, table)) {
      for await (const stride of walkRun(scope, run, filing.series)) {
        yield stride.map((document) => WRITERS[table](document, context));
      }
    }
    yield [[`\n</${table}>`]];
  }
  yield [["\n</SourceDocuments>\n</AuditFile>\n"]];
}

const PROLOGUE = `<?xml version="1.0" encoding="Windows-1252"?>
<AuditFile xmlns="${NAMESPACE}">
`;
