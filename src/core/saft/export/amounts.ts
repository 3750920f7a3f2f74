/** The amounts of the tax file, each as exact as its field: lines in millionths of a euro, documents in cents. */
import { decimalText, halfUp } from "../../fiscal/money.ts";
import { isDiscountedByAmount, lineNet, NETS_PER_MICRO, type NetLine, withoutDiscount } from "../../fiscal/totals.ts";

/** A line's net in millionths of a euro, half-up: DebitAmount or CreditAmount. */
export function netMicros(line: NetLine, global_discount_bps: number): bigint {
  return halfUp(lineNet(line, global_discount_bps), NETS_PER_MICRO);
}

/** The discounts of the line and of the document on it, in millionths of a euro, half-up: SettlementAmount. */
export function discountMicros(line: NetLine, global_discount_bps: number): bigint {
  if (line.discount_bps === 0 && global_discount_bps === 0 && !isDiscountedByAmount(line)) return 0n;
  const undiscounted = lineNet(withoutDiscount(line), 0);
  return halfUp(undiscounted - lineNet(line, global_discount_bps), NETS_PER_MICRO);
}

/**
 * The price of one unit less both discounts, with up to 14 decimals: UnitPrice. Exact, but for a price given with VAT,
 * whose net is rounded half-up to that, and for a discount of an amount: then it is the line's net by its quantity,
 * rounded half-up.
 */
export function unitPriceText(line: NetLine, global_discount_bps: number): string {
  // 10^-20 EUR by millionths of a unit are 10^-14 EUR by units.
  if (isDiscountedByAmount(line)) {
    return decimalText(halfUp(lineNet(line, global_discount_bps), BigInt(line.qty_micros)), 14);
  }
  const isExact = line.unit_price_gross_micros == null && line.discount_bps === 0 && global_discount_bps === 0;
  if (isExact) return microsText(line.unit_price_micros);
  // The net of a millionth of a unit in 10^-20 EUR is the same number as the net of a whole unit in 10^-14 EUR.
  return decimalText(lineNet({ ...line, qty_micros: 1 }, global_discount_bps), 14);
}

/** Millionths as a decimal: `9.856`. */
export function microsText(micros: number | bigint): string {
  return decimalText(micros, 6);
}

/** Basis points as a percentage: `6.5`. */
export function percentageText(bps: number): string {
  return decimalText(bps, 2);
}

/** The difference between the tax of a document (given in cents) and the taxes of its lines, in 10^-10 EUR. */
export function taxDifference(
  total_tax_cents: number,
  lines: readonly { readonly amount_micros: bigint; readonly tax: { readonly tax_rate_bps: number } | null }[],
): bigint {
  let taxes = 0n;
  for (const { amount_micros, tax } of lines) if (tax) taxes += amount_micros * BigInt(tax.tax_rate_bps);
  const difference = taxes - BigInt(total_tax_cents) * TAXES_PER_CENT;
  return difference < 0n ? -difference : difference;
}

/** One cent in 10^-10 EUR. */
export const TAXES_PER_CENT = 10n ** 8n;
