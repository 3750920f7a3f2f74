/** Verifies every series from its first document to its head. */
import * as z from "zod";
import { preparedSelect } from "../database/prepared.ts";
import { documentState, lastEventOf } from "../database/row-states.ts";
import type { Row } from "../database/tables.ts";
import { faultOfBalance, withKeptBalance } from "../documents/balances.ts";
import type { IssuedRow } from "../documents/frozen.ts";
import { type DocumentParts, partsOf } from "../documents/parts.ts";
import { frozenForm } from "../documents/seal.ts";
import { type ChainedDocument, type Finding, seriesWalk, versionOf } from "../fiscal/chain.ts";
import { nameOfSeries } from "../fiscal/numbering.ts";
import type { ReadScope } from "../runtime/scope.ts";
import { allSeries } from "../series/series.ts";
import { mayCarry } from "../signing/producer.ts";
import { publicKeys } from "../signing/signing-keys.ts";
import type { Judge } from "./finding.ts";
import { faultOfState } from "./rows.ts";

export const SeriesReport = z.strictObject({
  id: z.string(),
  doc_type: z.string(),
  code: z.string(),
  documents: z.int().describe("Documents walked."),
  finding: z
    .strictObject({ number: z.string().nullable(), sequence: z.int(), reason: z.string() })
    .nullable()
    .describe("The first fault; null when the series has none."),
});
export type SeriesReport = z.infer<typeof SeriesReport>;

/** How a walk judges its findings, and gives way. */
export interface Walking {
  readonly counts: Judge;
  readonly breathe: () => Promise<void>;
}

/**
 * Checks the numbers, dates, signatures, seals, totals and states of every document, series by series. Yields each
 * stretch of documents without a fault.
 */
export async function* verifyEverySeries(
  scope: ReadScope,
  walking: Walking,
): AsyncGenerator<readonly RecordedDocument[], SeriesReport[], void> {
  const public_keys = await publicKeys(scope.db);
  // Read before the heads: a document issued meanwhile moves a head forward, so the head is never behind these.
  const last = await lastSequences(scope);
  const reports: SeriesReport[] = [];
  for (const row of await allSeries(scope)) {
    const report = yield* walk(scope, row, public_keys, walking);
    const atHead = findingAtHead(row, last.get(row.id) ?? 0);
    const counted = atHead && walking.counts(nameOfSeries(row), atHead.reason) ? atHead : null;
    reports.push({ ...report, finding: report.finding ?? counted });
  }
  for (const [id, sequence] of last) {
    if (reports.some((report) => report.id === id)) continue;
    const report = withoutSeries(id, sequence);
    if (walking.counts(id, report.finding?.reason ?? "")) reports.push(report);
  }
  return reports;
}

/** A stretch of a series that is checked on its own: sequences from `from` to below `end`. */
export interface Part {
  readonly series: Row<"series">;
  readonly from: number;
  readonly end: number;
}

/**
 * The first finding that counts in a part of a series, checked against the document before it; null if there is none. A
 * part that ends at the head is compared with it.
 */
export async function findingIn(scope: ReadScope, part: Part, walking: Walking): Promise<Finding | null> {
  const walk = walkOf(scope, part, await publicKeys(scope.db), walking);
  for (;;) {
    const step = await walk.next();
    if (step.done) return step.value.finding ?? null;
  }
}

/** The highest sequence stored per series; series without documents are absent. */
async function lastSequences({ db, company_id }: ReadScope): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom("documents")
    .select(["series_id", (eb) => eb.fn.max("sequence").as("last")])
    .where("company_id", "=", company_id)
    .where("sequence", "is not", null)
    .groupBy("series_id")
    .execute();
  return new Map(rows.map(({ series_id, last }) => [series_id, last ?? 0]));
}

/** Finds a head that was set back, which would hide the documents after it and issue their numbers again. */
function findingAtHead({ next_number }: Row<"series">, lastSequence: number): Finding | null {
  if (lastSequence < next_number) return null;
  const reason = `The series has documents up to sequence ${lastSequence}, past its head.`;
  return { number: null, sequence: next_number, reason };
}

/** The report on documents whose series is gone. */
function withoutSeries(id: string, sequence: number): SeriesReport {
  const reason = `There are documents up to sequence ${sequence}, but their series is missing.`;
  return { id, doc_type: "", code: "", documents: 0, finding: { number: null, sequence, reason } };
}

/** Checks one series up to the head that was read with its row; documents issued later are left out. */
async function* walk(
  scope: ReadScope,
  series: Row<"series">,
  public_keys: ReadonlyMap<number, string>,
  walking: Walking,
): AsyncGenerator<readonly RecordedDocument[], SeriesReport, void> {
  const part = { series, from: 1, end: series.next_number };
  const { documents, finding } = yield* walkOf(scope, part, public_keys, walking);
  const { id, doc_type, code } = series;
  return { id, doc_type, code, documents, finding: finding ?? null };
}

/** Checks the documents of a part, and the head of its series if the part ends there. */
async function* walkOf(
  scope: ReadScope,
  { series, from, end }: Part,
  public_keys: ReadonlyMap<number, string>,
  { counts, breathe }: Walking,
): AsyncGenerator<readonly RecordedDocument[], { documents: number; finding: Finding | undefined }, void> {
  const walked = seriesWalk(series, public_keys);
  let documents = 0;
  let finding: Finding | undefined;
  const begins = from > 1;
  for (let after = begins ? from - 2 : Number.MIN_SAFE_INTEGER; ; ) {
    const batch = await readBatch(scope, { series_id: series.id, after, end });
    for (const document of batch) {
      if (begins && document.sequence === from - 1) {
        walked.begin(document);
        continue;
      }
      documents++;
      const found = walked.step(document) ?? findingBesideChain(document, series);
      if (found && counts(document.number, found.reason, contentOf(document))) finding ??= found;
    }
    const last = batch.at(-1);
    if (!last || finding) break;
    yield batch;
    after = last.sequence;
    await breathe();
  }
  if (finding || end < series.next_number) return { documents, finding };
  const isEmpty = documents === 0 && !begins;
  const atEnd = walked.end() ?? (isEmpty ? findingWithoutDocuments(series) : undefined);
  if (atEnd && counts(atEnd.number ?? nameOfSeries(series), atEnd.reason, series)) finding = atEnd;
  return { documents, finding };
}

/** A series takes the certificate of its first document. */
function findingWithoutDocuments({ certificate_number }: Row<"series">): Finding | undefined {
  if (certificate_number === null) return undefined;
  return { number: null, sequence: 0, reason: `It is under certificate ${certificate_number} without a document.` };
}

/** Documents read at once: few enough to give way often, enough that queries cost little. */
const AT_ONCE = 64;

/** The documents of a series with a sequence above `after` and below `end`. */
interface Stretch {
  readonly series_id: string;
  readonly after: number;
  readonly end: number;
}

const batchRows = preparedSelect((db, { series_id, after, end }: Stretch) =>
  withKeptBalance(db.selectFrom("documents"))
    .selectAll("documents")
    .select(lastEventOf("documents.id").as("last_event"))
    .where("documents.series_id", "=", series_id)
    .where("sequence", ">", after)
    .where("sequence", "<", end)
    .orderBy("sequence")
    .limit(AT_ONCE),
);

/** Everything in a document, with what may change once it is issued: an answer covers exactly this. */
function contentOf({ frozen, row }: RecordedDocument): unknown {
  const { at_doc_code, cancel_reason, cancelled_at, cancelled_by, hash, seal, status } = row;
  return [frozen, at_doc_code, cancel_reason, cancelled_at, cancelled_by, hash, seal, status];
}

/** A document of the walk, with the columns outside its chain. */
interface RecordedDocument extends ChainedDocument {
  readonly certificate_number: number;
  /** The row, to be compared with its last event and with its balance. */
  readonly row: Awaited<ReturnType<typeof batchRows>>[number];
}

/**
 * Checks what neither signature nor seal covers: whether it is cancelled, its transport code, certificate and balance.
 */
function findingBesideChain(
  { number, sequence, certificate_number, row }: RecordedDocument,
  series: Row<"series">,
): Finding | undefined {
  const isOther = certificate_number !== series.certificate_number;
  const reason = isOther
    ? `It was issued under certificate ${certificate_number}, and its series is under ${series.certificate_number}.`
    : (faultOfCertificate(certificate_number) ??
      faultOfState(row.last_event, (version) => documentState(row, version)) ??
      faultOfBalance(row));
  return reason === null ? undefined : { number, sequence, reason };
}

/** Why a certificate number is not this build's, in words; null if it is. */
export function faultOfCertificate(certificate_number: number | null): string | null {
  if (mayCarry(certificate_number)) return null;
  return `Certificate ${certificate_number} belongs to a producer's build, and this is not it.`;
}

async function readBatch(scope: ReadScope, stretch: Stretch): Promise<RecordedDocument[]> {
  const rows = await batchRows(scope.db, stretch);
  const parts = await partsOf(
    scope,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => {
    const own = parts.get(row.id) as DocumentParts;
    // A damaged row can lack any column, and the walk finds that; only a hash must be a text to be checked at all.
    return {
      ...(row as IssuedRow),
      hash: row.hash ?? "",
      lines: own.lines,
      frozen: frozenForm(row, own, versionOf(row.seal)),
      row,
    };
  });
}
