/** Prices with VAT: the net that Lacre stores, and the gross of a net price (docs/law.md, "Totals"). */
import { fromMicros, halfUp, toBps, toMicros } from "./money.ts";
import { MAX_PERCENTAGE, MAX_UNIT_PRICE } from "./totals.ts";

/** One hundred percent in basis points. */
const WHOLE = 10_000n;

/** The decimals of `grossOfNet`: a gross price with this many or fewer survives the conversion to net and back. */
const GROSS_DECIMALS = 5;
const MICROS_PER_STEP = 10n ** BigInt(6 - GROSS_DECIMALS);

/** `netOfGross` in millionths of a euro and basis points. 0 only for a price of 0. */
export function netMicrosOfGross(gross_micros: number, tax_rate_bps: number): number {
  return Number(halfUp(BigInt(gross_micros) * WHOLE, WHOLE + BigInt(tax_rate_bps)));
}

/** `grossOfNet` in millionths of a euro and basis points. */
export function grossMicrosOfNet(net_micros: number, tax_rate_bps: number): number {
  const gross = BigInt(net_micros) * (WHOLE + BigInt(tax_rate_bps));
  return Number(halfUp(gross, WHOLE * MICROS_PER_STEP) * MICROS_PER_STEP);
}

/**
 * The net that Lacre stores of a price with VAT: `gross
 * (1 + tax_rate/100)`, half-up to six decimals. In EUR and percent, within the limits of the API: a price from 0 to
 * 10^9 with at most 6 decimals, a rate from 0 to 100 with at most 2; RangeError otherwise.
 *
 * ```ts
 * import { netOfGross } from "lacre";
 *
 * netOfGross(1.15, 23); // => 0.934959
 * ```
 */
export function netOfGross(unit_price_gross: number, tax_rate: number): number {
  return fromMicros(netMicrosOfGross(priceMicros(unit_price_gross), rateBps(tax_rate)));
}

/**
 * The gross of a net price, for display: `net × (1 + tax_rate/100)`, half-up to five decimals. The gross of a price's
 * stored net is that price, if it has at most five decimals. Limits as for `netOfGross`.
 *
 * ```ts
 * import { grossOfNet } from "lacre";
 *
 * grossOfNet(0.934959, 23); // => 1.15
 * ```
 */
export function grossOfNet(unit_price_net: number, tax_rate: number): number {
  return fromMicros(grossMicrosOfNet(priceMicros(unit_price_net), rateBps(tax_rate)));
}

function priceMicros(price: number): number {
  if (!(price >= 0 && price <= MAX_UNIT_PRICE)) throw new RangeError(`${price} is not a price from 0 to 10^9.`);
  return toMicros(price);
}

function rateBps(rate: number): number {
  if (!(rate >= 0 && rate <= MAX_PERCENTAGE)) throw new RangeError(`${rate} is not a rate from 0 to 100.`);
  return toBps(rate);
}
