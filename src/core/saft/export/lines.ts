/** The lines of a document as the tax file shows them, for totals and for writing: side, amount, tax, references. */
import type { Row } from "../../database/tables.ts";
import { DOCUMENT_TYPES, signOnReceipt } from "../../fiscal/document-types.ts";
import type { TaxCode, TaxRegion } from "../../fiscal/vat-rates.ts";
import { netMicros } from "./amounts.ts";
import type { ExportedDocument, ReferencedDocument } from "./types.ts";

/** The tax of a line, or its exemption. */
export interface LineTax {
  readonly tax_region: TaxRegion;
  readonly tax_code: TaxCode;
  readonly tax_rate_bps: number;
  /** Set exactly at 0 %. */
  readonly exemption_code: string | null;
}

/** One line of the file. */
export interface ExportedLine {
  readonly side: "debit" | "credit";
  /** Net of discounts and tax, in millionths of a euro. */
  readonly amount_micros: bigint;
  readonly tax: LineTax | null;
  /** The documents that this line corrects, acknowledges or follows. */
  readonly references: readonly ReferencedDocument[];
}

/** A line of a document that lists what is sold, moved or offered. */
export interface GoodsLine extends ExportedLine {
  readonly line: Row<"document_lines">;
}

/** The lines of an invoice, guide or quotation: the document's own. */
export function goodsLines(document: ExportedDocument): GoodsLine[] {
  const { line_side } = DOCUMENT_TYPES[document.row.doc_type];
  return ownLines(document).map((line) => ({ ...line, side: line_side }));
}

/**
 * The lines of a receipt: one for each document it acknowledges, with the amount received for it. Receipts with tax, or
 * without an amount for each document, show their own lines instead. Lines that acknowledge credit notes are debits.
 */
export function receiptLines(document: ExportedDocument): ExportedLine[] {
  const { references, lines } = document;
  const isSplit = references.length > 0 && references.every(({ amount_cents }) => amount_cents !== null);
  const isTaxed = lines.some(({ tax_code, tax_rate_bps }) => tax_code !== null || tax_rate_bps > 0);
  if (!isSplit || isTaxed) return ownLines(document).map((line) => ({ ...line, side: receiptSide(line.references) }));
  return references.map((reference) => ({
    side: receiptSide([reference]),
    amount_micros: BigInt(reference.amount_cents ?? 0) * MICROS_PER_CENT,
    tax: null,
    references: [reference],
  }));
}

const MICROS_PER_CENT = 10_000n;

function ownLines({ row, lines, references }: ExportedDocument): Omit<GoodsLine, "side">[] {
  const byId = new Map(references.map((reference) => [reference.referenced_id, [reference]]));
  return lines.map((line) => ({
    line,
    amount_micros: netMicros(line, row.global_discount_bps),
    tax: taxOf(line),
    references: byId.get(line.reference_id ?? "") ?? references,
  }));
}

function taxOf({ tax_region, tax_code, tax_rate_bps, exemption_code }: Row<"document_lines">): LineTax | null {
  return tax_region === null || tax_code === null ? null : { tax_region, tax_code, tax_rate_bps, exemption_code };
}

function receiptSide(references: readonly ReferencedDocument[]): ExportedLine["side"] {
  const isTakenOff = references.length > 0 && references.every(({ doc_type }) => signOnReceipt(doc_type) < 0);
  return isTakenOff ? "debit" : "credit";
}
