/**
 * The one rule for totals (docs/law.md, "Totals"). A line's net is `qty × unit_price × (1 − discount) × (1 − global
 * discount)`, unrounded. Lines are grouped by region, tax code and rate; a group's base is half-up(Σ nets) and its tax
 * half-up(Σ unrounded nets × rate), in cents; the totals are sums over the groups. Rounding once per group keeps a
 * document of a thousand lines within half a cent per rate.
 *
 * A line priced with VAT has the net `gross
 * (1 + rate)`, unrounded. A group with such a line adds up to its prices: gross half-up(Σ grosses), base half-up(Σ nets
 * + half of what that rounding added), tax gross − base.
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

/** The values a line's net is computed from: quantity and price in micros, percentages in basis points (5 % = 500). */
export interface NetLine {
  readonly qty_micros: number;
  readonly unit_price_micros: number;
  /** The price with VAT, if the line was sent with one; it then replaces `unit_price_micros`. */
  readonly unit_price_gross_micros?: number | null;
  readonly discount_bps: number;
  /** 23 % = 2300. */
  readonly tax_rate_bps: number;
}

/** The values of a line that the totals are computed from. */
export interface AmountLine extends NetLine {
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
  const groups = groupLines(lines, global_discount_bps).map(({ tax_region, tax_code, tax_rate_bps, ...sums }) => {
    const rounded = sums.grosses === 0n ? fromNets(sums, tax_rate_bps) : fromGrosses(sums, tax_rate_bps);
    net += rounded.net;
    tax += rounded.tax;
    const [net_cents, tax_cents] = [Number(rounded.net), Number(rounded.tax)];
    return { tax_region, tax_code, tax_rate_bps, net_cents, tax_cents };
  });
  return {
    total_net_cents: Number(net),
    total_tax_cents: Number(tax),
    total_gross_cents: Number(net + tax),
    groups,
  };
}

/** Base and tax of prices without VAT, in cents. */
function fromNets({ nets }: Sums, tax_rate_bps: number): Rounded {
  return {
    net: halfUp(nets, NETS_PER_CENT),
    tax: halfUp(nets * BigInt(tax_rate_bps), NETS_PER_CENT * WHOLE),
  };
}

/**
 * Base and tax of prices of which some include VAT, in cents. If these add up to whole cents, the base is their gross
 * divided by 1 + rate, and rounded (CIVA, article 49). Otherwise base and tax share what rounding the gross added, so
 * that neither is off by more than three quarters of a cent.
 */
function fromGrosses({ nets, grosses }: Sums, tax_rate_bps: number): Rounded {
  const per_whole = WHOLE + BigInt(tax_rate_bps);
  const exact = nets * per_whole + grosses * WHOLE;
  const gross = halfUp(exact, NETS_PER_CENT * WHOLE);
  const added = gross * NETS_PER_CENT * WHOLE - exact;
  const net = halfUp(2n * exact * WHOLE + added * per_whole, 2n * NETS_PER_CENT * WHOLE * per_whole);
  return { net, tax: gross - net };
}

interface Rounded {
  readonly net: bigint;
  readonly tax: bigint;
}

/** A line's net in 10^-20 EUR: exact, except for a price with VAT, whose net is rounded half-up to that. */
export function lineNet(line: NetLine, global_discount_bps: number): bigint {
  const { unit_price_gross_micros: gross_micros, tax_rate_bps } = line;
  if (gross_micros == null) return lineAmount(line, line.unit_price_micros, global_discount_bps);
  return halfUp(lineAmount(line, gross_micros, global_discount_bps) * WHOLE, WHOLE + BigInt(tax_rate_bps));
}

/** The gross of a line priced with VAT, in cents. */
export function lineGrossInCents(line: NetLine, global_discount_bps: number): number {
  return netInCents(lineAmount(line, line.unit_price_gross_micros ?? 0, global_discount_bps));
}

/** A line's amount at a price, in 10^-20 EUR, exact. */
function lineAmount({ qty_micros, discount_bps }: NetLine, price_micros: number, global_discount_bps: number): bigint {
  return (
    BigInt(qty_micros) * BigInt(price_micros) * (WHOLE - BigInt(discount_bps)) * (WHOLE - BigInt(global_discount_bps))
  );
}

/** A line's net, or a sum of nets, in cents. */
export function netInCents(net: bigint): number {
  return Number(halfUp(net, NETS_PER_CENT));
}

/** The sums of a group's lines, in 10^-20 EUR: those priced without VAT, and those priced with it. */
interface Sums {
  nets: bigint;
  grosses: bigint;
}

interface LineGroup extends Sums {
  readonly tax_region: string;
  readonly tax_code: string;
  readonly tax_rate_bps: number;
}

function groupLines(lines: readonly AmountLine[], global_discount_bps: number): LineGroup[] {
  const groups = new Map<string, LineGroup>();
  for (const line of lines) {
    const { tax_rate_bps, unit_price_gross_micros: gross_micros } = line;
    const [tax_region, tax_code] = [line.tax_region ?? "", line.tax_code ?? ""];
    const key = `${tax_region} ${tax_code} ${tax_rate_bps}`;
    const group = groups.get(key) ?? { tax_region, tax_code, tax_rate_bps, nets: 0n, grosses: 0n };
    if (gross_micros == null) group.nets += lineAmount(line, line.unit_price_micros, global_discount_bps);
    else group.grosses += lineAmount(line, gross_micros, global_discount_bps);
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
  /** EUR without VAT, 0 to 10^9, at most 6 decimals; this or `unit_price_gross`. */
  readonly unit_price_net?: number;
  /** EUR with VAT, within the same limits; null counts as left out. */
  readonly unit_price_gross?: number | null;
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
 * The totals that Lacre will compute for these lines, to the cent: for a basket, a preview or a check, in the units of
 * the API. Throws RangeError, naming the field as a path (`lines[2].qty: …`), for a value outside the limits of the
 * API.
 *
 * ```ts
 * import { computeTotals } from "lacre";
 *
 * const lines = [
 * { qty: 1, unit_price_net: 55.55, tax_rate: 23 },
 * { qty: 1, unit_price_net: 11.11, tax_rate: 23 },
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

function amountLine({ qty, tax_rate, discount_pct = 0, ...prices }: PricedLine, path: string): AmountLine {
  if (qty <= 0) throw new RangeError(`${path}.qty: must be more than 0`);
  const { unit_price_net, unit_price_gross } = prices;
  const isGross = unit_price_gross !== undefined && unit_price_gross !== null;
  if (isGross && unit_price_net !== undefined) {
    throw new RangeError(`${path}.unit_price_gross: must not be sent with unit_price_net`);
  }
  const price = (value: number | undefined, name: string) =>
    limited(value as number, { decimals: 6, max: MAX_UNIT_PRICE, path: `${path}.${name}` });
  return {
    qty_micros: limited(qty, { decimals: 6, max: MAX_QUANTITY, path: `${path}.qty` }),
    ...(isGross
      ? { unit_price_micros: 0, unit_price_gross_micros: price(unit_price_gross, "unit_price_gross") }
      : { unit_price_micros: price(unit_price_net, "unit_price_net") }),
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
