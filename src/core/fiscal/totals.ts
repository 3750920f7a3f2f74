/**
 * The one rule for totals (docs/law.md, "Totals"). A line's net is
 * `qty × unit_price × (1 − discount) × (1 − global discount)`, unrounded. Lines are grouped by region, tax code and
 * rate; a group's base is half-up(Σ nets) and its tax half-up(Σ unrounded nets × rate), in cents; the totals are sums
 * over the groups. Rounding once per group keeps a document of a thousand lines within half a cent per rate.
 */
import { halfUp, scaled, unscaled } from "./money.ts";

/** The largest `qty`, in units. */
export const MAX_QUANTITY = 1_000_000_000;

/** The largest `unit_price_net`, in EUR. */
export const MAX_UNIT_PRICE = 1_000_000_000;

/** The largest `tax_rate` and the largest discount, in percent. */
export const MAX_PERCENTAGE = 100;

/** The most lines a document may have. */
export const MAX_LINES = 1_000;

/** The largest gross total of a document: 10^12 EUR, in cents. */
export const MAX_TOTAL_CENTS = 100_000_000_000_000;

/** With more digits than this, a double may not be the decimal its sender wrote. */
export const MAX_SIGNIFICANT_DIGITS = 15;

/** One hundred percent in basis points: 1 − d is (WHOLE − d_bps) / WHOLE. */
const WHOLE = 10_000n;

/** An unrounded net is an integer count of 10^-20 EUR: micros × micros × basis points × basis points. */
const NETS_PER_CENT = 10n ** 18n;

/** The values a line's net is computed from: quantity and price in micros, discount in basis points (5 % = 500). */
export interface NetLine {
  readonly qty_micros: number;
  readonly unit_price_micros: number;
  readonly discount_bps: number;
}

/** The values of a line that the totals are computed from. */
export interface AmountLine extends NetLine {
  /** In basis points: 23 % = 2300. */
  readonly tax_rate_bps: number;
  /** PT, PT-AC, PT-MA; null or left out on a line that is not taxed at all. */
  readonly tax_region?: string | null;
  /** RED, INT, NOR, ISE, NS, OUT; null or left out on a line that is not taxed at all. */
  readonly tax_code?: string | null;
}

/** The base and tax of all lines of one region, tax code and rate, in cents; region and code may be empty. */
export interface TaxGroup {
  readonly tax_region: string;
  readonly tax_code: string;
  readonly tax_rate_bps: number;
  readonly net_cents: number;
  readonly tax_cents: number;
}

/** A document's totals in cents, and the groups they sum up. */
export interface Totals {
  readonly total_net_cents: number;
  readonly total_tax_cents: number;
  readonly total_gross_cents: number;
  /** Ordered by region, tax code and rate. */
  readonly groups: readonly TaxGroup[];
}

/**
 * The totals of lines, each less `global_discount_bps`. The order of the lines does not matter. Values must be within
 * their limits (integers, not negative, discounts up to 10000). Compare the gross total with `MAX_TOTAL_CENTS` before
 * storing it: beyond 2^53 it is inexact, yet still above the limit.
 */
export function totalsOf(lines: readonly AmountLine[], global_discount_bps = 0): Totals {
  let net = 0n;
  let tax = 0n;
  const groups = groupNets(lines, global_discount_bps).map(({ tax_region, tax_code, tax_rate_bps, nets }) => {
    const net_cents = halfUp(nets, NETS_PER_CENT);
    const tax_cents = halfUp(nets * BigInt(tax_rate_bps), NETS_PER_CENT * WHOLE);
    net += net_cents;
    tax += tax_cents;
    return { tax_region, tax_code, tax_rate_bps, net_cents: Number(net_cents), tax_cents: Number(tax_cents) };
  });
  return {
    total_net_cents: Number(net),
    total_tax_cents: Number(tax),
    total_gross_cents: Number(net + tax),
    groups,
  };
}

/** A line's net in 10^-20 EUR, exact. */
export function lineNet(line: NetLine, global_discount_bps: number): bigint {
  return (
    BigInt(line.qty_micros) *
    BigInt(line.unit_price_micros) *
    (WHOLE - BigInt(line.discount_bps)) *
    (WHOLE - BigInt(global_discount_bps))
  );
}

/** A line's net, or a sum of such, in cents. */
export function netInCents(net: bigint): number {
  return Number(halfUp(net, NETS_PER_CENT));
}

interface NetGroup {
  readonly tax_region: string;
  readonly tax_code: string;
  readonly tax_rate_bps: number;
  nets: bigint;
}

function groupNets(lines: readonly AmountLine[], global_discount_bps: number): NetGroup[] {
  const groups = new Map<string, NetGroup>();
  for (const line of lines) {
    const { tax_rate_bps } = line;
    const [tax_region, tax_code] = [line.tax_region ?? "", line.tax_code ?? ""];
    const key = `${tax_region} ${tax_code} ${tax_rate_bps}`;
    const group = groups.get(key) ?? { tax_region, tax_code, tax_rate_bps, nets: 0n };
    group.nets += lineNet(line, global_discount_bps);
    groups.set(key, group);
  }
  return [...groups.values()].sort(
    (a, b) => inOrder(a.tax_region, b.tax_region) || inOrder(a.tax_code, b.tax_code) || a.tax_rate_bps - b.tax_rate_bps,
  );
}

/** By code unit, which does not depend on the machine's language. */
function inOrder(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A line in the units of the API. */
export interface PricedLine {
  /** More than 0, at most 10^9, at most 6 decimals. */
  readonly qty: number;
  /** EUR without tax, 0 to 10^9, at most 6 decimals. */
  readonly unit_price_net: number;
  /** Percent, 0 to 100, at most 2 decimals. */
  readonly tax_rate: number;
  /** Percent, 0 to 100, at most 2 decimals; 0 when left out. */
  readonly discount_pct?: number;
}

/** The input of `computeTotals`: the lines of a document, at most 1,000, in the units of the API. */
export interface PricedDocument {
  readonly lines: readonly PricedLine[];
  /** Percent off every line, 0 to 100, at most 2 decimals; 0 when left out. */
  readonly global_discount_pct?: number;
}

/** The result of `computeTotals`, in EUR, with one group per rate (in percent), lowest first. */
export interface ComputedTotals {
  readonly total_net: number;
  readonly total_tax: number;
  readonly total_gross: number;
  readonly groups: readonly { readonly tax_rate: number; readonly net: number; readonly tax: number }[];
}

/**
 * The totals Lacre will give these lines, to the cent: for a basket, a preview or a check, in the units of the API.
 * Throws RangeError, naming the field as a path (`lines[2].qty: …`), for a value outside the limits of the API.
 *
 * ```ts
 * import { computeTotals } from "lacre";
 *
 * const lines = [
 *   { qty: 1, unit_price_net: 55.55, tax_rate: 23 },
 *   { qty: 1, unit_price_net: 11.11, tax_rate: 23 },
 * ];
 * computeTotals({ lines }).total_gross; // => 81.99
 * ```
 */
export function computeTotals({ lines, global_discount_pct = 0 }: PricedDocument): ComputedTotals {
  if (lines.length > MAX_LINES) throw new RangeError(`lines: must be at most ${MAX_LINES}`);
  const totals = totalsOf(
    lines.map((line, index) => amountLine(line, `lines[${index}]`)),
    percentage(global_discount_pct, "global_discount_pct"),
  );
  if (totals.total_gross_cents > MAX_TOTAL_CENTS) {
    throw new RangeError(`total_gross: must be at most ${unscaled(MAX_TOTAL_CENTS, 2)}`);
  }
  return {
    total_net: unscaled(totals.total_net_cents, 2),
    total_tax: unscaled(totals.total_tax_cents, 2),
    total_gross: unscaled(totals.total_gross_cents, 2),
    groups: totals.groups.map(({ tax_rate_bps, net_cents, tax_cents }) => ({
      tax_rate: unscaled(tax_rate_bps, 2),
      net: unscaled(net_cents, 2),
      tax: unscaled(tax_cents, 2),
    })),
  };
}

function amountLine({ qty, unit_price_net, tax_rate, discount_pct = 0 }: PricedLine, path: string): AmountLine {
  if (qty <= 0) throw new RangeError(`${path}.qty: must be more than 0`);
  return {
    qty_micros: limited(qty, { decimals: 6, max: MAX_QUANTITY, path: `${path}.qty` }),
    unit_price_micros: limited(unit_price_net, { decimals: 6, max: MAX_UNIT_PRICE, path: `${path}.unit_price_net` }),
    discount_bps: percentage(discount_pct, `${path}.discount_pct`),
    tax_rate_bps: percentage(tax_rate, `${path}.tax_rate`),
  };
}

function percentage(value: number, path: string): number {
  return limited(value, { decimals: 2, max: MAX_PERCENTAGE, path });
}

interface Limits {
  readonly decimals: number;
  readonly max: number;
  readonly path: string;
}

/** The value as an exact integer. Below 10^9 and with 6 decimals it has at most 15 digits, so its double is exact. */
function limited(value: number, { decimals, max, path }: Limits): number {
  // Callers in plain JavaScript may send text: `Number.isFinite` is false for everything that is not a number.
  if (!Number.isFinite(value)) throw new RangeError(`${path}: must be a number`);
  if (value < 0) throw new RangeError(`${path}: must be at least 0`);
  if (value > max) throw new RangeError(`${path}: must be at most ${max}`);
  const integer = scaled(value, decimals);
  if (integer === undefined) throw new RangeError(`${path}: must have at most ${decimals} decimals`);
  return integer;
}
