/** How documents lie in their tables, and the one bridge from rows to what callers see. */
import type { Row } from "../database/tables.ts";
import type { DocType } from "../fiscal/document-types.ts";
import { DOCUMENT_TYPES } from "../fiscal/document-types.ts";
import type { Status } from "../fiscal/lifecycle.ts";
import { unscaled } from "../fiscal/money.ts";
import type { MethodCode } from "../payments.ts";
import type { ReadScope } from "../scope.ts";
import type { Document, DocumentLine, DocumentReference, DocumentSummary } from "./document.ts";

export interface DocumentsTable {
  id: string;
  company_id: string;
  doc_type: DocType;
  series_id: string;
  status: Status;
  issue_date: string;
  due_date: string | null;
  customer_id: string;
  global_discount_bps: number;
  notes: string | null;
  total_net_cents: number;
  total_tax_cents: number;
  total_gross_cents: number;
  created_at: string;
  sequence: number | null;
  number: string | null;
  atcud: string | null;
  system_entry_date: string | null;
  issued_at: string | null;
  issued_by: string | null;
  hash: string | null;
  key_version: number | null;
  certificate_number: number | null;
  customer: string | null;
  issuer: string | null;
  seal: string | null;
  cancelled_at: string | null;
  cancelled_by: string | null;
  cancel_reason: string | null;
}

export interface DocumentLinesTable {
  document_id: string;
  line_number: number;
  description: string;
  qty_micros: number;
  unit: string;
  unit_price_micros: number;
  tax_rate_bps: number;
  discount_bps: number;
  product_id: string | null;
  reference_id: string | null;
  product_code: string | null;
  product_name: string | null;
}

export interface DocumentReferencesTable {
  document_id: string;
  position: number;
  referenced_id: string;
  amount_cents: number | null;
  reason: string | null;
}

export interface DocumentPaymentsTable {
  document_id: string;
  position: number;
  payment_id: string;
  amount_cents: number;
  method_code: MethodCode;
  payment_date: string;
}

/** The tables whose rows hang on a document. */
export const PART_TABLES = ["document_lines", "document_references", "document_payments"] as const;

/** A document's row, or undefined when the company has none with this id. */
export async function findDocument({ db, company_id }: ReadScope, id: string): Promise<Row<"documents"> | undefined> {
  return db
    .selectFrom("documents")
    .selectAll()
    .where("id", "=", id)
    .where("company_id", "=", company_id)
    .executeTakeFirst();
}

/** The lines of a document, in order. */
export async function linesOf({ db }: ReadScope, document_id: string): Promise<Row<"document_lines">[]> {
  return db
    .selectFrom("document_lines")
    .selectAll()
    .where("document_id", "=", document_id)
    .orderBy("line_number")
    .execute();
}

/** The references of several documents, each document's in order. */
export async function referencesOf(
  { db }: ReadScope,
  document_ids: readonly string[],
): Promise<Row<"document_references">[]> {
  if (document_ids.length === 0) return [];
  return db
    .selectFrom("document_references")
    .selectAll()
    .where("document_id", "in", document_ids)
    .orderBy("document_id")
    .orderBy("position")
    .execute();
}

/** What was paid on the spot with a document, in order. */
export async function documentPaymentsOf({ db }: ReadScope, document_id: string): Promise<Row<"document_payments">[]> {
  return db
    .selectFrom("document_payments")
    .selectAll()
    .where("document_id", "=", document_id)
    .orderBy("position")
    .execute();
}

/** What money has done to a document since it was issued. */
export interface Settlement {
  readonly paid_cents: number;
  /** Live credit notes. */
  readonly credited_cents: number;
}

/** A document as lists show it. */
export function toSummary(
  row: Row<"documents">,
  references: readonly Row<"document_references">[],
  settlement: Settlement,
): DocumentSummary {
  return {
    id: row.id,
    doc_type: row.doc_type,
    series_id: row.series_id,
    number: row.number,
    atcud: row.atcud,
    hash: row.hash,
    status: row.status,
    issue_date: row.issue_date,
    due_date: row.due_date,
    customer_id: row.customer_id,
    customer: row.customer === null ? null : JSON.parse(row.customer),
    total_net: unscaled(row.total_net_cents, 2),
    total_tax: unscaled(row.total_tax_cents, 2),
    total_gross: unscaled(row.total_gross_cents, 2),
    global_discount_pct: unscaled(row.global_discount_bps, 2),
    ...balanceOf(row, settlement),
    references: references.map(toReference),
    notes: row.notes,
    created_at: row.created_at,
    issued_at: row.issued_at,
    system_entry_date: row.system_entry_date,
    cancelled_at: row.cancelled_at,
    cancel_reason: row.cancel_reason,
  };
}

/** A document with its lines. */
export function toDocument(summary: DocumentSummary, lines: readonly Row<"document_lines">[]): Document {
  return { ...summary, lines: lines.map(toLine) };
}

export function toReference(row: Row<"document_references">): DocumentReference {
  return {
    document_id: row.referenced_id,
    amount: row.amount_cents === null ? null : unscaled(row.amount_cents, 2),
    reason: row.reason,
  };
}

export function toLine(row: Row<"document_lines">): DocumentLine {
  return {
    description: row.description,
    qty: unscaled(row.qty_micros, 6),
    unit_price_net: unscaled(row.unit_price_micros, 6),
    tax_rate: unscaled(row.tax_rate_bps, 2),
    discount_pct: unscaled(row.discount_bps, 2),
    product_id: row.product_id,
    unit: row.unit,
    reference_id: row.reference_id,
  };
}

/** Balance and payment status, derived: an FR is paid by nature, the rest by what came in and what was credited. */
function balanceOf(
  row: Row<"documents">,
  { paid_cents, credited_cents }: Settlement,
): Pick<DocumentSummary, "outstanding" | "payment_status"> {
  const type = DOCUMENT_TYPES[row.doc_type];
  if (row.status !== "issued" || !type.takes_payments) return { outstanding: null, payment_status: null };
  const outstanding_cents = row.total_gross_cents - paid_cents - credited_cents;
  const isPaid = outstanding_cents <= 0 || type.paid_by_nature;
  const isUntouched = paid_cents === 0 && credited_cents === 0;
  return {
    outstanding: unscaled(outstanding_cents, 2),
    payment_status: isPaid ? "paid" : isUntouched ? "unpaid" : "partial",
  };
}
