/** The rule for totals in the units of the API: plain numbers in EUR and percent, each checked as the API checks it. */
import { decimalText, halfUp, scaled, unscaled } from "./money.ts";
import {
  type AmountLine,
  amountAsPriced,
  arePricedAlike,
  lineNet,
  MAX_DISCOUNT_AMOUNT,
  MAX_LINES,
  MAX_PERCENTAGE,
  MAX_QUANTITY,
  MAX_TOTAL_CENTS,
  MAX_UNIT_PRICE,
  mostOff,
  mostOffLine,
  NETS_PER_MICRO,
  sharedDiscount,
  totalsOf,
  withoutDiscount,
} from "./totals.ts";

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
  /** EUR off the line in place of `discount_pct`, with VAT where its price has it: whole cents, at most qty × price. */
  readonly discount_amount?: number | null;
}

/** The input of `computeTotals` and `computeLines`: the lines of a document, at most 1,000, in the units of the API. */
export interface PricedDocument {
  readonly lines: readonly PricedLine[];
  /** Percent off every line, 0 to 100, at most 2 decimals; 0 when left out. */
  readonly global_discount_pct?: number;
  /**
   * EUR off all lines in place of `global_discount_pct`: whole cents, at most their total. The lines are then all
   * priced without VAT, or all with it, and so is the amount.
   */
  readonly global_discount_amount?: number | null;
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
export function computeTotals(document: PricedDocument): ComputedTotals {
  const { lines, global_discount_bps } = amountLines(document);
  const totals = totalsOf(lines, global_discount_bps);
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

/** A line of the result of `computeLines`, in EUR, each half-up to six decimals. */
export interface ComputedLine {
  /** What it comes to after all discounts, as it is priced: without VAT or with it. */
  readonly amount: number;
  /** The same without VAT. */
  readonly net: number;
  /** All that came off it, as it is priced. */
  readonly discount: number;
  /** Its share of `global_discount_amount`, which is part of `discount`; 0 without one. */
  readonly global_share: number;
}

/**
 * What each line of a document comes to, and what comes off it, as Lacre will print and export it. Amounts of 10^9 EUR
 * and more are those of the nearest double. Refuses what `computeTotals` refuses of lines and discounts.
 *
 * ```ts
 * import { computeLines } from "lacre";
 *
 * const lines = [
 * { qty: 2, unit_price_net: 10, tax_rate: 23 },
 * { qty: 3, unit_price_net: 3.33, tax_rate: 6 },
 * { qty: 1, unit_price_net: 4.99, tax_rate: 13 },
 * ];
 * computeLines({ lines, global_discount_amount: 5 }).map((line) => line.amount); // => [17.14, 8.56, 4.28]
 * ```
 */
export function computeLines(document: PricedDocument): ComputedLine[] {
  const { lines, global_discount_bps } = amountLines(document);
  return lines.map((line) => {
    const amount = amountAsPriced(line, global_discount_bps);
    return {
      amount: eur(amount),
      net: eur(lineNet(line, global_discount_bps)),
      discount: eur(amountAsPriced(withoutDiscount(line), 0) - amount),
      global_share: unscaled(line.global_discount_micros ?? 0, 6),
    };
  });
}

/** 10^-20 EUR to EUR, half-up to six decimals. */
const eur = (nets: bigint): number => Number(decimalText(halfUp(nets, NETS_PER_MICRO), 6));

/** A document as the rule takes it, its amounts checked. */
function amountLines(document: PricedDocument) {
  const { lines: given, global_discount_pct = 0, global_discount_amount } = document;
  if (given.length > MAX_LINES) throw new RangeError(`lines: must be at most ${MAX_LINES}`);
  const lines = given.map((line, index) => amountLine(line, `lines[${index}]`));
  const global_discount_bps = percentage(global_discount_pct, "global_discount_pct");
  if (global_discount_amount == null) return { lines, global_discount_bps };
  const path = "global_discount_amount";
  const cents = amountOff(global_discount_amount, path);
  if (global_discount_bps > 0) throw new RangeError(`${path}: must not be sent with global_discount_pct`);
  if (!arePricedAlike(lines)) {
    throw new RangeError(`${path}: must have lines that are all priced net, or all with VAT`);
  }
  atMost(cents, mostOff(lines), path);
  return { lines: sharedDiscount(lines, cents), global_discount_bps };
}

function amountLine(given: PricedLine, path: string): AmountLine {
  const line = percentOffLine(given, path);
  if (given.discount_amount == null) return line;
  const own = `${path}.discount_amount`;
  const discount_cents = amountOff(given.discount_amount, own);
  if (line.discount_bps > 0) throw new RangeError(`${own}: must not be sent with discount_pct`);
  atMost(discount_cents, mostOffLine(line), own);
  return { ...line, discount_cents };
}

/** An amount off, in cents. */
function amountOff(value: number, path: string): number {
  if (value <= 0) throw new RangeError(`${path}: must be more than 0`);
  return limited(value, { decimals: 2, max: MAX_DISCOUNT_AMOUNT, path });
}

function atMost(cents: number, max_cents: number, path: string): void {
  if (cents > max_cents) throw new RangeError(`${path}: must be at most ${unscaled(max_cents, 2)}`);
}

/** A line without its discount of an amount. */
function percentOffLine({ qty, tax_rate, discount_pct = 0, ...prices }: PricedLine, path: string): AmountLine {
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
