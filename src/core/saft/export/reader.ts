/**
 * Walking a company's issued documents for the tax file: series by series, in the order of their numbers, a few at a
 * time. What is issued during a walk lies beyond the heads that were read before it, so no walk ever meets it.
 */
import { amongst, type List, listOf, preparedSelect } from "../../database/prepared.ts";
import type { Row } from "../../database/tables.ts";
import type { IssuedRow } from "../../documents/frozen.ts";
import { type DocumentParts, partsOf } from "../../documents/parts.ts";
import { DOC_TYPES, DOCUMENT_TYPES } from "../../fiscal/document-types.ts";
import { giveWay } from "../../runtime/ports.ts";
import type { ReadScope } from "../../runtime/scope.ts";
import { withGuessedOrigins } from "./receipt-references.ts";

/** The documents of one series whose sequence is at least `first` and less than `end`. */
export interface Run {
  readonly series: Row<"series">;
  readonly first: number;
  readonly end: number;
  /** How many documents stand in the runs before it. */
  readonly before: number;
}

/** The place of a document of a run among those of all runs, from 0. */
export function placeOf({ before, first }: Run, { sequence }: { readonly sequence: number }): number {
  return before + sequence - first;
}

const COLUMNS = [
  "id",
  "doc_type",
  "sequence",
  "number",
  "atcud",
  "status",
  "issue_date",
  "due_date",
  "customer_id",
  "global_discount_bps",
  "transport",
  "total_net_cents",
  "total_tax_cents",
  "total_gross_cents",
  "system_entry_date",
  "issued_at",
  "issued_by",
  "hash",
  "key_version",
  "certificate_number",
  "customer",
  "issuer",
  "at_doc_code",
  "cancelled_at",
  "cancelled_by",
  "cancel_reason",
] as const;

/** A document's own row, as a walk reads it. */
export type WalkedRow = Pick<IssuedRow, (typeof COLUMNS)[number]>;

/** What the tax file says of a document that another names. */
interface Named extends Pick<Row<"documents">, "doc_type" | "issue_date"> {
  readonly number: string;
}

/** A reference together with the document it names. */
export interface NamedDocument extends Named {
  readonly referenced_id: string;
  /** Null where nothing but a line's description names the document. */
  readonly amount_cents: number | null;
  readonly reason: string | null;
}

/** An issued document with its parts, as a walk hands it over. */
export interface WalkedDocument {
  /** Among the documents of all runs, from 0. */
  readonly place: number;
  readonly row: WalkedRow;
  /** The tax authority's code of its series: `FT`, `RG`. */
  readonly at_type: string;
  readonly lines: DocumentParts["lines"];
  readonly references: readonly NamedDocument[];
  readonly payments: DocumentParts["payments"];
}

/**
 * Documents read at once, at most: few enough that a slice is short and what was read is forgotten young, enough that
 * queries cost little.
 */
export const LARGEST_STRIDE = 32;
/** A stride with more lines and references than this is followed by one of half its size. */
const MANY_PARTS = 128;

/** The part of a series that is dated in a period. Dates never go backwards in a series, so it is one run. */
export async function runIn(
  scope: ReadScope,
  series: Row<"series">,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<Omit<Run, "before">> {
  const { last_issue_date, next_number } = series;
  if (last_issue_date === null || last_issue_date < from) return { series, first: next_number, end: next_number };
  const first = await firstDated(scope, series, (date) => date >= from);
  const end = last_issue_date <= to ? next_number : await firstDated(scope, series, (date) => date > to);
  return { series, first, end };
}

/** The first sequence with such a date, by halving; the head where none has. */
async function firstDated(
  { db }: ReadScope,
  { id, next_number }: Row<"series">,
  isSuch: (issue_date: string) => boolean,
): Promise<number> {
  let [low, high] = [1, next_number];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const { issue_date } = await db
      .selectFrom("documents")
      .select("issue_date")
      .where("series_id", "=", id)
      .where("sequence", "=", middle)
      .executeTakeFirstOrThrow();
    if (isSuch(issue_date)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * Walks a run from its first document to its last, a stride at a time, and gives way between strides. `series` are the
 * company's as read before the first walk: a receipt's description is held against their numbers.
 */
export async function* walkRun(
  scope: ReadScope,
  run: Run,
  series: readonly Row<"series">[],
): AsyncGenerator<readonly WalkedDocument[]> {
  let size = 1;
  for (let first = run.first; first < run.end; ) {
    const end = Math.min(first + size, run.end);
    const stride = await readStride(scope, run, { series_id: run.series.id, first, end });
    await giveWay();
    yield await withGuessedOrigins(scope, stride, series);
    await giveWay();
    first = end;
    const parts = stride.reduce((sum, { lines, references }) => sum + lines.length + references.length, 0);
    if (parts > MANY_PARTS) size = Math.max(size >>> 1, 1);
    else if (parts * 2 <= MANY_PARTS) size = Math.min(size * 2, LARGEST_STRIDE);
  }
}

async function readStride(scope: ReadScope, run: Run, stretch: Stretch): Promise<WalkedDocument[]> {
  const rows = (await rowsWithin(scope.db, stretch)) as WalkedRow[];
  const ids = rows.map(({ id }) => id);
  const parts = await partsOf(scope, ids);
  const hasReferences = ids.some((id) => parts.get(id)?.references.length !== 0);
  const named = hasReferences ? await namedBy(scope, ids) : new Map<string, Named>();
  return rows.map((row) => {
    const { lines, references, payments } = parts.get(row.id) as DocumentParts;
    return {
      place: placeOf(run, row),
      row,
      at_type: run.series.at_type,
      lines,
      references: references.map((reference) => ({ ...reference, ...(named.get(reference.referenced_id) as Named) })),
      payments,
    };
  });
}

/** A stretch of a series: the documents whose sequence is at least `first` and less than `end`. */
interface Stretch {
  readonly series_id: string;
  readonly first: number;
  readonly end: number;
}

const rowsWithin = preparedSelect((db, { series_id, first, end }: Stretch) =>
  db
    .selectFrom("documents")
    .select(COLUMNS)
    .where("series_id", "=", series_id)
    .where("sequence", ">=", first)
    .where("sequence", "<", end)
    .orderBy("sequence"),
);

const namedByAll = preparedSelect((db, { documents }: { documents: List }) =>
  db
    .selectFrom("documents")
    .select(["id", "number", "issue_date", "doc_type"])
    .where("id", "in", (eb) =>
      eb.selectFrom("document_references").select("referenced_id").where("document_id", "in", amongst(documents)),
    ),
);

/** What is said of the documents that these name, by id. */
async function namedBy({ db }: ReadScope, ids: readonly string[]): Promise<ReadonlyMap<string, Named>> {
  const rows = await namedByAll(db, { documents: listOf(ids) });
  return new Map(rows.map(({ id, number, ...rest }) => [id, { number: number ?? "", ...rest }]));
}

/** The customers as these documents of a series froze them, as stored. */
export async function customersAt(
  { db }: ReadScope,
  { series }: Run,
  sequences: readonly number[],
): Promise<{ sequence: number; customer: string }[]> {
  const rows = await db
    .selectFrom("documents")
    .select(["sequence", "customer"])
    .where("series_id", "=", series.id)
    .where("sequence", "in", sequences)
    .execute();
  return rows.map(({ sequence, customer }) => ({ sequence: sequence ?? 0, customer: customer ?? "" }));
}

/** What the lines with these numbers, of these documents of a series, say of their products. */
export async function linesAt(
  { db }: ReadScope,
  { series }: Run,
  sequences: readonly number[],
  line_numbers: readonly number[],
) {
  const rows = await db
    .selectFrom("document_lines as line")
    .innerJoin("documents as document", "document.id", "line.document_id")
    .select(["document.sequence", "line.line_number", "line.description"])
    .select(["line.product_code", "line.product_name", "line.product_type"])
    .where("document.series_id", "=", series.id)
    .where("document.sequence", "in", sequences)
    .where("line.line_number", "in", line_numbers)
    .execute();
  return rows.map(({ sequence, ...line }) => ({ ...line, sequence: sequence ?? 0 }));
}

/** An invoice that names a document, and so bills it. */
export interface Billing {
  readonly billed_id: string;
  readonly id: string;
  readonly series_id: string;
  readonly sequence: number;
  readonly isLive: boolean;
  readonly system_entry_date: string;
  readonly issued_by: string;
}

/** The types whose documents bill what they name. */
const BILLING_TYPES = DOC_TYPES.filter((type) => DOCUMENT_TYPES[type].takes_payments_at_issue);

/** Whether documents of this series can be billed by an invoice that names them. */
export function isBillable({ doc_type }: Row<"series">): boolean {
  return BILLING_TYPES.some((type) => DOCUMENT_TYPES[type].may_reference.includes(doc_type));
}

const billingRows = preparedSelect((db, { documents }: { documents: List }) =>
  db
    .selectFrom("document_references as reference")
    .innerJoin("documents as invoice", "invoice.id", "reference.document_id")
    .select("reference.referenced_id")
    .select(["invoice.id", "invoice.series_id", "invoice.sequence", "invoice.status"])
    .select(["invoice.system_entry_date", "invoice.issued_by"])
    .where("reference.referenced_id", "in", amongst(documents))
    .where("invoice.doc_type", "in", BILLING_TYPES)
    .where("invoice.status", "<>", "draft")
    .orderBy("invoice.issued_at"),
);

/** The invoices that name these documents, cancelled ones included, earliest first. */
export async function billingsOf({ db }: ReadScope, documents: readonly WalkedDocument[]): Promise<Billing[]> {
  const rows = await billingRows(db, { documents: listOf(documents.map(({ row }) => row.id)) });
  return rows.map(({ referenced_id, status, sequence, system_entry_date, issued_by, ...row }) => ({
    ...row,
    billed_id: referenced_id,
    isLive: status === "issued",
    sequence: sequence ?? 0,
    system_entry_date: system_entry_date ?? "",
    issued_by: issued_by ?? "",
  }));
}
