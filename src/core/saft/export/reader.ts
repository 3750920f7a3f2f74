/**
 * Reads a company's issued documents for the tax file: series by series, in the order of their numbers, in small
 * batches. Each range ends where its series ended when the export began, so documents issued since are never read.
 */

import type { NotNull } from "kysely";
import { preparedSelect } from "../../database/prepared.ts";
import type { Row } from "../../database/tables.ts";
import { type List, listOf, valuesOf } from "../../database/words.ts";
import type { IssuedRow } from "../../documents/frozen.ts";
import { type DocumentParts, partsOf } from "../../documents/parts.ts";
import type { Day } from "../../fiscal/civil-time.ts";
import { DOC_TYPES, DOCUMENT_TYPES } from "../../fiscal/document-types.ts";
import { yieldToOthers } from "../../runtime/ports.ts";
import type { ReadScope } from "../../runtime/scope.ts";
import { withReferencesFromText } from "./receipt-references.ts";
import type { Billing, ExportedDocument, ProductLine, ReferencedDocument, SeriesRange } from "./types.ts";

/**
 * The most documents read at once. Few, so that other calls wait little and memory is freed early; enough that the
 * queries cost little.
 */
const MAX_BATCH = 32;
/** A batch with more lines and references than this is followed by one of half its size. */
const MANY_PARTS = 128;

/** The position of a document of a range among the documents of all ranges, from 0. */
export function positionOf({ before, first }: SeriesRange, { sequence }: { readonly sequence: number }): number {
  return before + sequence - first;
}

/** The documents of a series dated in a period. Dates never go backwards in a series, so they are one range. */
export async function rangeWithin(
  scope: ReadScope,
  series: Row<"series">,
  { from, to }: { readonly from: Day; readonly to: Day },
): Promise<Omit<SeriesRange, "before">> {
  const { last_issue_date, next_number } = series;
  if (last_issue_date === null || last_issue_date < from) return { series, first: next_number, end: next_number };
  const first = await firstDated(scope, series, (date) => date >= from);
  const end = last_issue_date <= to ? next_number : await firstDated(scope, series, (date) => date > to);
  return { series, first, end };
}

/** The first sequence whose date matches, by binary search; the series' next number where none does. */
async function firstDated(
  { db }: ReadScope,
  { id, next_number }: Row<"series">,
  matches: (issue_date: Day) => boolean,
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
    if (matches(issue_date)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * Reads a range from its first document to its last, batch by batch, and gives way between batches. `series` are the
 * company's as they were when the export began: numbers found in a receipt's text are looked up in them.
 */
export async function* readRange(
  scope: ReadScope,
  range: SeriesRange,
  series: readonly Row<"series">[],
): AsyncGenerator<readonly ExportedDocument[]> {
  let size = 1;
  for (let first = range.first; first < range.end; ) {
    const end = Math.min(first + size, range.end);
    const batch = await readBatch(scope, range, first, end);
    await yieldToOthers();
    yield await withReferencesFromText(scope, batch, series);
    await yieldToOthers();
    first = end;
    const parts = batch.reduce((sum, { lines, references }) => sum + lines.length + references.length, 0);
    if (parts > MANY_PARTS) size = Math.max(size >>> 1, 1);
    else if (parts * 2 <= MANY_PARTS) size = Math.min(size * 2, MAX_BATCH);
  }
}

async function readBatch(
  scope: ReadScope,
  range: SeriesRange,
  first: number,
  end: number,
): Promise<ExportedDocument[]> {
  const rows = (await batchRows(scope.db, { series_id: range.series.id, first, end })) as IssuedRow[];
  const ids = rows.map(({ id }) => id);
  const parts = await partsOf(scope, ids);
  const hasReferences = ids.some((id) => parts.get(id)?.references.length !== 0);
  const referenced = hasReferences ? await documentsNamedBy(scope, ids) : new Map<string, Referenced>();
  return rows.map((row) => {
    const { lines, references, payments } = parts.get(row.id) as DocumentParts;
    return {
      position: positionOf(range, row),
      row,
      at_type: range.series.at_type,
      lines,
      references: references.map((one) => ({ ...one, ...(referenced.get(one.referenced_id) as Referenced) })),
      payments,
    };
  });
}

const batchRows = preparedSelect((db, { series_id, first, end }: { series_id: string; first: number; end: number }) =>
  db
    .selectFrom("documents")
    .selectAll()
    .where("series_id", "=", series_id)
    .where("sequence", ">=", first)
    .where("sequence", "<", end)
    .orderBy("sequence"),
);

type Referenced = Pick<ReferencedDocument, "number" | "issue_date" | "supply_date" | "doc_type">;

const referencedRows = preparedSelect((db, { documents }: { documents: List }) =>
  db
    .selectFrom("documents")
    .select(["id", "number", "issue_date", "supply_date", "doc_type"])
    .where("id", "in", (eb) =>
      eb.selectFrom("document_references").select("referenced_id").where("document_id", "in", valuesOf(documents)),
    )
    .$narrowType<{ number: NotNull }>(),
);

/** The documents that these reference, by id. */
async function documentsNamedBy({ db }: ReadScope, ids: readonly string[]): Promise<ReadonlyMap<string, Referenced>> {
  const rows = await referencedRows(db, { documents: listOf(ids) });
  return new Map(rows.map(({ id, ...document }) => [id, document]));
}

/** The customers' snapshots (JSON) of some documents of a series. */
export function customersAt(
  { db }: ReadScope,
  { series }: SeriesRange,
  sequences: readonly number[],
): Promise<{ sequence: number; customer: string }[]> {
  return db
    .selectFrom("documents")
    .select(["sequence", "customer"])
    .where("series_id", "=", series.id)
    .where("sequence", "in", sequences)
    .$narrowType<{ sequence: NotNull; customer: NotNull }>()
    .execute();
}

/** The lines with any of these numbers in some documents of a series. */
export function linesAt(
  { db }: ReadScope,
  { series }: SeriesRange,
  sequences: readonly number[],
  line_numbers: readonly number[],
): Promise<(ProductLine & { sequence: number; line_number: number })[]> {
  return db
    .selectFrom("document_lines as line")
    .innerJoin("documents as document", "document.id", "line.document_id")
    .select(["document.sequence", "line.line_number", "line.description"])
    .select(["line.product_code", "line.product_name", "line.product_type"])
    .where("document.series_id", "=", series.id)
    .where("document.sequence", "in", sequences)
    .where("line.line_number", "in", line_numbers)
    .$narrowType<{ sequence: NotNull }>()
    .execute();
}

/** The types whose documents bill the documents they reference. */
const BILLING_TYPES = DOC_TYPES.filter((type) => {
  const { saft_table, corrects } = DOCUMENT_TYPES[type];
  return saft_table === "SalesInvoices" && !corrects;
});

/** Whether documents of this series can be billed by an invoice that references them. */
export function isBillable({ doc_type }: Row<"series">): boolean {
  return BILLING_TYPES.some((type) => DOCUMENT_TYPES[type].may_reference.includes(doc_type));
}

const billingRows = preparedSelect((db, { documents }: { documents: List }) =>
  db
    .selectFrom("document_references as reference")
    .innerJoin("documents as invoice", "invoice.id", "reference.document_id")
    .select("reference.referenced_id as billed_id")
    .select(["invoice.series_id", "invoice.sequence", "invoice.status"])
    .select(["invoice.system_entry_date", "invoice.issued_by"])
    .where("reference.referenced_id", "in", valuesOf(documents))
    .where("invoice.doc_type", "in", BILLING_TYPES)
    .where("invoice.status", "<>", "draft")
    .orderBy("invoice.issued_at")
    .$narrowType<{ sequence: NotNull; system_entry_date: NotNull; issued_by: NotNull }>(),
);

/** The invoices that reference these documents, cancelled ones included, earliest first. */
export async function billingsOf({ db }: ReadScope, documents: readonly ExportedDocument[]): Promise<Billing[]> {
  const rows = await billingRows(db, { documents: listOf(documents.map(({ row }) => row.id)) });
  return rows.map(({ status, ...row }) => ({ ...row, is_cancelled: status === "cancelled" }));
}

/** Whether the quantities of a series' documents are limited by those of what they credit. */
export function isCredit({ doc_type }: Row<"series">): boolean {
  return DOCUMENT_TYPES[doc_type].cap === "credit";
}

const unlimitedRows = preparedSelect((db, { documents }: { documents: List }) =>
  db
    .selectFrom("document_lines as line")
    .innerJoin("documents as credit", "credit.id", "line.document_id")
    .select("credit.number")
    .distinct()
    .where("line.document_id", "in", valuesOf(documents))
    .where("line.reference_line", "is", null)
    .where(({ exists, selectFrom }) =>
      exists(selectFrom("document_references").select("position").whereRef("document_id", "=", "line.document_id")),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("document_references as reference")
            .innerJoin("document_lines as original", "original.document_id", "reference.referenced_id")
            .select("original.line_number")
            .whereRef("reference.document_id", "=", "line.document_id")
            .whereRef("original.product_id", "=", "line.product_id")
            .where((eb) =>
              eb.or([
                eb("line.reference_id", "is", null),
                eb("line.reference_id", "=", eb.ref("reference.referenced_id")),
              ]),
            ),
        ),
      ),
    )
    .$narrowType<{ number: NotNull }>(),
);

/** The numbers of the credit notes with a line that names neither a line nor a product of the corrected document. */
export async function unlimitedCredits(
  { db }: ReadScope,
  documents: readonly ExportedDocument[],
): Promise<readonly string[]> {
  const rows = await unlimitedRows(db, { documents: listOf(documents.map(({ row }) => row.id)) });
  return rows.map(({ number }) => number);
}
