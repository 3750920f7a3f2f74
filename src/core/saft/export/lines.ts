/** What the tax file says in the lines of a document, before it is written: sides, amounts, origins. Both walks ask. */
import type { Row } from "../../database/tables.ts";
import { DOCUMENT_TYPES } from "../../fiscal/document-types.ts";
import type { TaxCode, TaxRegion } from "../../fiscal/vat-rates.ts";
import { netMicros } from "./amounts.ts";
import type { NamedDocument, WalkedDocument } from "./reader.ts";

/** The tax of a line, where it bears any or says why not. */
export interface LineTax {
  readonly tax_region: TaxRegion;
  readonly tax_code: TaxCode;
  readonly tax_rate_bps: number;
  /** Set exactly at 0 %. */
  readonly exemption_code: string | null;
}

/** One line of the file. */
export interface FiledLine {
  readonly side: "debit" | "credit";
  /** Net of discounts and tax, in millionths of a euro. */
  readonly amount_micros: bigint;
  readonly tax: LineTax | null;
  /** The documents this line corrects, acknowledges or comes from. */
  readonly origins: readonly NamedDocument[];
}

/** A line of a document that lists what is sold, moved or offered. */
export interface GoodsLine extends FiledLine {
  readonly line: Row<"document_lines">;
}

/** The lines of an invoice, guide or quotation: the document's own. */
export function goodsLines(document: WalkedDocument): GoodsLine[] {
  const { line_side } = DOCUMENT_TYPES[document.row.doc_type];
  return ownLines(document).map((line) => ({ ...line, side: line_side }));
}

/**
 * The lines of a receipt: one per document it acknowledges, of the amount that falls to it; its own lines where they
 * bear tax, or where it does not say how much falls to which document. What acknowledges credit notes is a debit.
 */
export function receiptLines(document: WalkedDocument): FiledLine[] {
  const { references, lines } = document;
  const isSplit = references.length > 0 && references.every(({ amount_cents }) => amount_cents !== null);
  const isTaxed = lines.some(({ tax_code, tax_rate_bps }) => tax_code !== null || tax_rate_bps > 0);
  if (!isSplit || isTaxed) return ownLines(document).map((line) => ({ ...line, side: receiptSide(line.origins) }));
  return references.map((reference) => ({
    side: receiptSide([reference]),
    amount_micros: BigInt(reference.amount_cents ?? 0) * MICROS_PER_CENT,
    tax: null,
    origins: [reference],
  }));
}

const MICROS_PER_CENT = 10_000n;

function ownLines({ row, lines, references }: WalkedDocument): Omit<GoodsLine, "side">[] {
  const named = new Map(references.map((reference) => [reference.referenced_id, [reference]]));
  return lines.map((line) => ({
    line,
    amount_micros: netMicros(line, row.global_discount_bps),
    tax: taxOf(line),
    origins: named.get(line.reference_id ?? "") ?? references,
  }));
}

function taxOf({ tax_region, tax_code, tax_rate_bps, exemption_code }: Row<"document_lines">): LineTax | null {
  return tax_region === null || tax_code === null ? null : { tax_region, tax_code, tax_rate_bps, exemption_code };
}

function receiptSide(origins: readonly NamedDocument[]): FiledLine["side"] {
  const isCredit = origins.some(({ doc_type }) => DOCUMENT_TYPES[doc_type].line_side === "credit");
  return isCredit || origins.length === 0 ? "credit" : "debit";
}
