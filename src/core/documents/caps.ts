/** Caps: payments at issue, live credit notes and receipts on a document never exceed its total. */
import type { Row } from "../database/tables.ts";
import { sumOfCents } from "../fiscal/money.ts";
import { type TaxGroup, totalsOf } from "../fiscal/totals.ts";
import { refuse } from "../runtime/errors.ts";
import type { ReadScope } from "../runtime/scope.ts";
import type { CorrectedDocument } from "./context.ts";
import type { DocumentParts } from "./parts.ts";
import { acknowledgedCentsByDocument, creditedCentsByDocument, liveCreditNotesOn } from "./references.ts";

type Line = Row<"document_lines">;
type AmountReference = Pick<Row<"document_references">, "referenced_id" | "amount_cents">;

/** The part of a credit note that the caps need, whether it is being issued or live. */
interface Credit {
  readonly global_discount_bps: number;
  readonly lines: readonly Line[];
  readonly references: readonly AmountReference[];
}

/**
 * Refuses with `credit_exceeds_original` when the credit notes on a document, this one included, exceed it:
 * in total, per region, tax code and rate, or per product where both name it (Despacho 8632/2014, 3.2.7, 3.3.7).
 */
export async function mustNotOvercredit(
  scope: ReadScope,
  credit: Credit,
  corrected: readonly CorrectedDocument[],
): Promise<void> {
  const ids = corrected.map(({ row }) => row.id);
  const credited = await creditedCentsByDocument(scope, ids);
  const live = await liveCreditNotesOn(scope, ids);
  for (const original of corrected) {
    const { id, number, total_gross_cents } = original.row;
    const amount_cents = amountFor(id, credit.references);
    const room_cents = total_gross_cents - (credited.get(id) ?? 0);
    if (amount_cents > room_cents || (room_cents === 0 && total_gross_cents > 0)) {
      refuse("credit_exceeds_original", "room_for_credit", { room_cents, number });
    }
    const credits = [...(live.get(id) ?? []), credit];
    mustFitPerRate(original, credits);
    mustFitPerProduct(original, credits);
  }
}

/** Refuses with `receipt_exceeds_documents` when the live receipts exceed gross less credits. */
export async function mustNotOveracknowledge(
  scope: ReadScope,
  references: readonly AmountReference[],
  acknowledged: ReadonlyMap<string, Row<"documents">>,
): Promise<void> {
  const ids = [...acknowledged.keys()];
  const receipts = await acknowledgedCentsByDocument(scope, ids);
  const credited = await creditedCentsByDocument(scope, ids);
  for (const [id, { number, total_gross_cents }] of acknowledged) {
    const room_cents = total_gross_cents - (credited.get(id) ?? 0) - (receipts.get(id) ?? 0);
    if (amountFor(id, references) <= room_cents) continue;
    refuse("receipt_exceeds_documents", "room_for_receipt", { room_cents: Math.max(room_cents, 0), number });
  }
}

/** Refuses with `payment_exceeds_balance` when more was paid at issue than the document's gross. */
export function mustNotOverpay(payments: DocumentParts["payments"], { total_gross_cents }: Row<"documents">): void {
  const paid_cents = sumOfCents(payments);
  if (paid_cents <= total_gross_cents) return;
  refuse("payment_exceeds_balance", "payments_exceed_total", { paid_cents, gross_cents: total_gross_cents });
}

function mustFitPerRate({ row, lines }: CorrectedDocument, credits: readonly Credit[]): void {
  const room = new Map<string, number>();
  for (const group of totalsOf(lines, row.global_discount_bps).groups) room.set(rateKey(group), grossOf(group));
  for (const credit of credits) {
    for (const group of totalsOf(linesOn(row.id, credit), credit.global_discount_bps).groups) {
      const { tax_region: region, tax_code, tax_rate_bps: rate_bps } = group;
      const left = (room.get(rateKey(group)) ?? 0) - grossOf(group);
      if (left < 0) {
        refuse("credit_exceeds_original", "credits_exceed_rate", { number: row.number, region, tax_code, rate_bps });
      }
      room.set(rateKey(group), left);
    }
  }
}

function mustFitPerProduct({ row, lines }: CorrectedDocument, credits: readonly Credit[]): void {
  const sold = quantities(lines);
  const returned = quantities(credits.flatMap((credit) => linesOn(row.id, credit)));
  for (const [product_id, { qty_micros, name }] of returned) {
    const most = sold.get(product_id)?.qty_micros;
    if (most === undefined || qty_micros <= most) continue;
    const [credited_micros, invoiced_micros] = [Number(qty_micros), Number(most)];
    const values = { number: row.number, credited_micros, invoiced_micros, name };
    refuse("credit_exceeds_original", "credits_exceed_quantity", values);
  }
}

const rateKey = ({ tax_region, tax_code, tax_rate_bps }: TaxGroup) => `${tax_region} ${tax_code} ${tax_rate_bps}`;
const grossOf = ({ net_cents, tax_cents }: TaxGroup) => net_cents + tax_cents;

interface ProductQuantity {
  readonly qty_micros: bigint;
  readonly name: string;
}

/** Quantities by product; lines without a product are left out. */
function quantities(lines: readonly Line[]): Map<string, ProductQuantity> {
  const sums = new Map<string, ProductQuantity>();
  for (const { product_id, product_name, description, qty_micros } of lines) {
    if (product_id === null) continue;
    const sum = sums.get(product_id)?.qty_micros ?? 0n;
    sums.set(product_id, { qty_micros: sum + BigInt(qty_micros), name: product_name ?? description });
  }
  return sums;
}

/** The lines of a credit note that correct this document. */
function linesOn(id: string, { lines, references }: Credit): readonly Line[] {
  return references.length === 1 ? lines : lines.filter(({ reference_id }) => reference_id === id);
}

function amountFor(id: string, references: readonly AmountReference[]): number {
  return references.find(({ referenced_id }) => referenced_id === id)?.amount_cents ?? 0;
}
