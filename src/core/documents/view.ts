/** Converts rows of documents to what callers see. */

import type { Row } from "../database/tables.ts";
import type { QuoteStatus } from "../fiscal/lifecycle.ts";
import { fromBps, fromCents, fromMicros } from "../fiscal/money.ts";
import { parseMetadata } from "../records/caller-data.ts";
import { mayCarry } from "../signing/producer.ts";
import type { Balance } from "./balances.ts";
import type { DocumentLine, DocumentReference, DocumentSummary } from "./document.ts";
import { parseCustomer, parseTransport } from "./frozen.ts";

/** The columns of a list entry. */
export const SUMMARY_COLUMNS = [
  "id",
  "doc_type",
  "series_id",
  "number",
  "atcud",
  "hash",
  "status",
  "issue_date",
  "due_date",
  "valid_until",
  "supply_date",
  "customer_id",
  "customer",
  "total_net_cents",
  "total_tax_cents",
  "total_gross_cents",
  "global_discount_bps",
  "global_discount_cents",
  "notes",
  "external_id",
  "metadata",
  "training",
  "record_payments",
  "qr_code",
  "certificate_number",
  "transport",
  "at_doc_code",
  "created_at",
  "issued_at",
  "system_entry_date",
  "cancelled_at",
  "cancel_reason",
] as const satisfies readonly (keyof Row<"documents">)[];

export type SummaryRow = Pick<Row<"documents">, (typeof SUMMARY_COLUMNS)[number]>;

/** What others made of a document since it was issued: what is owed on it, what became of a quotation. */
interface Standing {
  readonly balance: Balance | null;
  readonly quote_status: QuoteStatus | null;
}

/** A document as lists show it. */
export function toSummary(
  row: SummaryRow,
  references: readonly Row<"document_references">[],
  { balance, quote_status }: Standing,
): DocumentSummary {
  return {
    id: row.id,
    doc_type: row.doc_type,
    series_id: row.series_id,
    number: row.number,
    atcud: row.atcud,
    hash: row.hash,
    status: row.status,
    training: row.training === 1,
    issue_date: row.issue_date,
    due_date: row.due_date,
    valid_until: row.valid_until,
    supply_date: row.supply_date,
    customer_id: row.customer_id,
    customer: row.customer === null ? null : parseCustomer(row.customer),
    total_net: fromCents(row.total_net_cents),
    total_tax: fromCents(row.total_tax_cents),
    total_gross: fromCents(row.total_gross_cents),
    global_discount_pct: fromBps(row.global_discount_bps),
    global_discount_amount: row.global_discount_cents === null ? null : fromCents(row.global_discount_cents),
    outstanding: balance && fromCents(balance.outstanding_cents),
    payment_status: balance?.payment_status ?? null,
    quote_status,
    references: references.map(toReference),
    notes: row.notes,
    external_id: row.external_id,
    metadata: parseMetadata(row.metadata),
    qr_code: mayCarry(row.certificate_number) ? row.qr_code : null,
    record_payments: row.record_payments === 1,
    transport: row.transport === null ? null : parseTransport(row.transport),
    at_doc_code: row.at_doc_code,
    created_at: row.created_at,
    issued_at: row.issued_at,
    system_entry_date: row.system_entry_date,
    cancelled_at: row.cancelled_at,
    cancel_reason: row.cancel_reason,
  };
}

/** A reference as callers see it. */
export function toReference(row: Row<"document_references">): DocumentReference {
  return {
    document_id: row.referenced_id,
    amount: row.amount_cents === null ? null : fromCents(row.amount_cents),
    reason: row.reason,
  };
}

/** A line as callers see it. */
export function toLine(row: Row<"document_lines">): DocumentLine {
  return {
    description: row.description,
    qty: fromMicros(row.qty_micros),
    unit_price_net: fromMicros(row.unit_price_micros),
    unit_price_gross: row.unit_price_gross_micros === null ? null : fromMicros(row.unit_price_gross_micros),
    tax_rate: fromBps(row.tax_rate_bps),
    discount_pct: fromBps(row.discount_bps),
    discount_amount: row.discount_cents === null ? null : fromCents(row.discount_cents),
    product_id: row.product_id,
    unit: row.unit,
    reference_id: row.reference_id,
    reference_line: row.reference_line,
    exemption_code: row.exemption_code,
    type: row.product_type,
    supply_date: row.supply_date,
  };
}
