/** What the seal of a document is made over: every frozen field, under its own name. Issuing and verifying share it. */
import type { Row } from "../database/tables.ts";
import type { SealedDocument } from "../fiscal/chain.ts";
import type { DocumentParts } from "./rows.ts";

/**
 * Every frozen field of a document and its parts, as stored: cents, micros and basis points, never decimals. The list
 * is part of what the seal's version names: a column added later joins it only under a new version.
 */
export function frozenForm(
  row: Omit<Row<"documents">, MutableField>,
  { lines, references, payments }: DocumentParts,
): SealedDocument {
  return {
    id: row.id,
    company_id: row.company_id,
    doc_type: row.doc_type,
    series_id: row.series_id,
    issue_date: row.issue_date,
    due_date: row.due_date,
    customer_id: row.customer_id,
    global_discount_bps: row.global_discount_bps,
    notes: row.notes,
    training: row.training,
    transport: row.transport,
    total_net_cents: row.total_net_cents,
    total_tax_cents: row.total_tax_cents,
    total_gross_cents: row.total_gross_cents,
    created_at: row.created_at,
    sequence: row.sequence,
    number: row.number,
    atcud: row.atcud,
    system_entry_date: row.system_entry_date,
    issued_at: row.issued_at,
    issued_by: row.issued_by,
    hash: row.hash,
    key_version: row.key_version,
    certificate_number: row.certificate_number,
    qr_code: row.qr_code,
    customer: row.customer,
    issuer: row.issuer,
    lines: lines.map((line) => ({
      line_number: line.line_number,
      description: line.description,
      qty_micros: line.qty_micros,
      unit: line.unit,
      unit_price_micros: line.unit_price_micros,
      tax_rate_bps: line.tax_rate_bps,
      discount_bps: line.discount_bps,
      product_id: line.product_id,
      reference_id: line.reference_id,
      exemption_code: line.exemption_code,
      tax_region: line.tax_region,
      tax_code: line.tax_code,
      product_code: line.product_code,
      product_name: line.product_name,
      product_type: line.product_type,
    })),
    references: references.map((reference) => ({
      position: reference.position,
      referenced_id: reference.referenced_id,
      amount_cents: reference.amount_cents,
      reason: reference.reason,
    })),
    payments: payments.map((payment) => ({
      position: payment.position,
      payment_id: payment.payment_id,
      amount_cents: payment.amount_cents,
      method_code: payment.method_code,
      payment_date: payment.payment_date,
    })),
  };
}

/** What may differ between issue and later, so the seal leaves it out; and the seal itself. */
type MutableField = "status" | "seal" | "at_doc_code" | "cancelled_at" | "cancelled_by" | "cancel_reason";
