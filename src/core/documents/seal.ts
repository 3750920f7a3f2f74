/** The sealed form of a document: every frozen field under its own name. Issuing and verifying share it. */
import type { Row } from "../database/tables.ts";
import type { SealedDocument } from "../fiscal/chain.ts";
import type { DocumentParts } from "./parts.ts";

/**
 * Every frozen field of a document and its parts, as stored: cents, micros and basis points, never decimals. The seal's
 * version fixes the list: a column added later joins it only under a new version. The names are sorted, as sealing
 * needs them, so that no seal sorts them again.
 */
export function frozenForm(
  row: Omit<Row<"documents">, MutableField>,
  { lines, references, payments }: DocumentParts,
): SealedDocument {
  return {
    atcud: row.atcud,
    certificate_number: row.certificate_number,
    company_id: row.company_id,
    created_at: row.created_at,
    customer: row.customer,
    customer_id: row.customer_id,
    doc_type: row.doc_type,
    due_date: row.due_date,
    external_id: row.external_id,
    global_discount_bps: row.global_discount_bps,
    hash: row.hash,
    id: row.id,
    issue_date: row.issue_date,
    issued_at: row.issued_at,
    issued_by: row.issued_by,
    issuer: row.issuer,
    key_version: row.key_version,
    lines: lines.map((line) => ({
      description: line.description,
      discount_bps: line.discount_bps,
      exemption_code: line.exemption_code,
      line_number: line.line_number,
      product_code: line.product_code,
      product_id: line.product_id,
      product_name: line.product_name,
      product_type: line.product_type,
      qty_micros: line.qty_micros,
      reference_id: line.reference_id,
      reference_line: line.reference_line,
      supply_date: line.supply_date,
      tax_code: line.tax_code,
      tax_rate_bps: line.tax_rate_bps,
      tax_region: line.tax_region,
      unit: line.unit,
      unit_price_gross_micros: line.unit_price_gross_micros,
      unit_price_micros: line.unit_price_micros,
    })),
    metadata: row.metadata,
    notes: row.notes,
    number: row.number,
    payments: payments.map((payment) => ({
      amount_cents: payment.amount_cents,
      method_code: payment.method_code,
      payment_date: payment.payment_date,
      payment_id: payment.payment_id,
      position: payment.position,
    })),
    qr_code: row.qr_code,
    references: references.map((reference) => ({
      amount_cents: reference.amount_cents,
      position: reference.position,
      reason: reference.reason,
      referenced_id: reference.referenced_id,
    })),
    sequence: row.sequence,
    series_id: row.series_id,
    supply_date: row.supply_date,
    system_entry_date: row.system_entry_date,
    total_gross_cents: row.total_gross_cents,
    total_net_cents: row.total_net_cents,
    total_tax_cents: row.total_tax_cents,
    training: row.training,
    transport: row.transport,
  };
}

/** The columns that may change after issue, and the seal itself: no seal covers them. */
type MutableField = "status" | "seal" | "at_doc_code" | "cancelled_at" | "cancelled_by" | "cancel_reason";
