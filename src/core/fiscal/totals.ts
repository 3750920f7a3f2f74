/**
 * The one rule for totals (docs/law.md, "Totals"). A line's net is `qty × unit_price × (1 − discount) × (1 − global
 * discount)`, unrounded; a discount of an amount is subtracted in the place of its percentage. Lines are grouped by
 * region, tax code and rate; a group's base is half-up(Σ nets) and its tax half-up(Σ unrounded nets × rate), in cents;
 * the totals are sums over the groups. Rounding once per group keeps a document of a thousand lines within half a cent
 * per rate.
 *
 * A line priced with VAT has the net `gross ÷ (1 + rate)`, unrounded. A group with such a line adds up to its prices:
 * gross half-up(Σ grosses), base half-up(Σ nets + half of what that rounding added), tax gross − base.
 */
import { halfUp } from "./money.ts";

/** The largest `qty`, in units. */
export const MAX_QUANTITY = 1_000_000_000;

/** The largest `unit_price_net`, in EUR. */
export const MAX_UNIT_PRICE = 1_000_000_000;

/** The largest `tax_rate` and the largest discount, in percent. */
export const MAX_PERCENTAGE = 100;

/** The largest discount of an amount, in EUR. */
export const MAX_DISCOUNT_AMOUNT = 1_000_000_000;

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

/** A millionth of a euro in that unit. */
export const NETS_PER_MICRO = NETS_PER_CENT / 10_000n;

/** The values a line's net is computed from: quantity and price in micros, percentages in basis points (5 % = 500). */
export interface NetLine {
  readonly qty_micros: number;
  readonly unit_price_micros: number;
  /** The price with VAT, if the line was sent with one; it then replaces `unit_price_micros`. */
  readonly unit_price_gross_micros?: number | null;
  readonly discount_bps: number;
  /** An amount in place of `discount_bps`, with VAT where the price has it; never more than quantity × price. */
  readonly discount_cents?: number | null;
  /** Its share of an amount off all lines, as `sharedDiscount` fills it; with VAT where the price has it. */
  readonly global_discount_micros?: number | null;
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

/** The names of a group of the totals; region and code are empty where lines are not taxed at all. */
interface GroupNames {
  readonly tax_region: string;
  readonly tax_code: string;
  readonly tax_rate_bps: number;
}

/** The base and tax of all lines of one region, tax code and rate, in cents. */
export interface TaxGroup extends GroupNames {
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

/**
 * A line's amount at a price, in 10^-20 EUR, exact. Never below 0: a discount of more than there is, is refused, and
 * must not break the totals of what is being refused.
 */
function lineAmount(line: NetLine, price_micros: number, global_discount_bps: number): bigint {
  const { qty_micros, discount_bps, discount_cents, global_discount_micros } = line;
  let own = BigInt(qty_micros) * BigInt(price_micros) * (WHOLE - BigInt(discount_bps));
  if (discount_cents != null) own -= (BigInt(discount_cents) * NETS_PER_CENT) / WHOLE;
  let amount = own * (WHOLE - BigInt(global_discount_bps));
  if (global_discount_micros != null) amount -= BigInt(global_discount_micros) * NETS_PER_MICRO;
  return amount < 0n ? 0n : amount;
}

/** A line's amount as it is priced, without VAT or with it, in 10^-20 EUR. */
export function amountAsPriced(line: NetLine, global_discount_bps: number): bigint {
  return lineAmount(line, line.unit_price_gross_micros ?? line.unit_price_micros, global_discount_bps);
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

// ——— A discount of an amount on all lines ———

/** A line before its share of a discount of an amount on all lines. */
export const withoutShare = <Line extends NetLine>(line: Line): Line =>
  line.global_discount_micros == null ? line : { ...line, global_discount_micros: null };

/** Whether a discount of an amount is taken off a line, its own or its share of the document's. */
export const isDiscountedByAmount = ({ discount_cents, global_discount_micros }: NetLine): boolean =>
  discount_cents != null || Boolean(global_discount_micros);

/** A line without its own discount, and without its share of the document's. */
export const withoutDiscount = <Line extends NetLine>(line: Line): Line =>
  withoutShare({ ...line, discount_bps: 0, discount_cents: null });

/** Whether lines are all priced without VAT, or all with it, as a discount of an amount on all of them needs. */
export const arePricedAlike = (lines: readonly NetLine[]): boolean =>
  new Set(lines.map(({ unit_price_gross_micros }) => unit_price_gross_micros != null)).size <= 1;

/** The most that its own discount can take off a line, in cents, as it is priced: quantity × price. */
export function mostOffLine(line: NetLine): number {
  return Number(amountAsPriced(withoutDiscount(line), 0) / NETS_PER_CENT);
}

/** The most that can be taken off all lines at once: their total in cents, with VAT if that is how they are priced. */
export function mostOff(lines: readonly AmountLine[]): number {
  return Number(groupLines(lines.map(withoutShare), 0).reduce((sum, group) => sum + centsAsPriced(group), 0n));
}

/**
 * The lines, each with its share of an amount off all of them; as they are if that is null. They must be priced alike.
 * The amount is split in whole cents over the groups of the totals, in proportion to what each comes to in cents, by
 * largest remainder, the lower rate first. A group's part is split over its lines in proportion to their exact amounts,
 * in millionths rounded down; the rest goes to the earliest lines that have room. So net, or gross, falls by exactly
 * the amount. More than `mostOff` counts as that.
 */
export function sharedDiscount<Line extends AmountLine>(
  given: readonly Line[],
  discount_cents: number | null,
): readonly Line[] {
  if (discount_cents === null) return given;
  const lines = given.map(withoutShare);
  const groups = groupLines(lines, 0).sort((a, b) => a.tax_rate_bps - b.tax_rate_bps);
  const parts = apportioned(BigInt(discount_cents), groups.map(centsAsPriced));
  const keys = lines.map(groupKey);
  const shared = [...lines];
  for (const [i, group] of groups.entries()) {
    const own = [...keys.keys()].filter((at) => keys[at] === groupKey(group));
    const amounts = own.map((at) => amountAsPriced(lines[at] as Line, 0));
    const shares = sharesOf((parts[i] as bigint) * MICROS_PER_CENT, amounts);
    for (const [j, at] of own.entries()) {
      shared[at] = { ...(lines[at] as Line), global_discount_micros: Number(shares[j]) };
    }
  }
  return shared;
}

const MICROS_PER_CENT = 10_000n;

/** What a group of lines priced alike comes to, in cents, as it is priced. */
const centsAsPriced = ({ nets, grosses }: Sums): bigint => halfUp(nets + grosses, NETS_PER_CENT);

/** A whole split in proportion to weights, by largest remainder, the earlier first; at most their sum. */
function apportioned(whole: bigint, weights: readonly bigint[]): bigint[] {
  const sum = weights.reduce((all, weight) => all + weight, 0n);
  if (sum === 0n) return weights.map(() => 0n);
  const all = whole < sum ? whole : sum;
  const parts = weights.map((weight) => (all * weight) / sum);
  const remainderOf = (at: number) => Number((all * (weights[at] as bigint)) % sum);
  const byRemainder = [...parts.keys()].sort((a, b) => remainderOf(b) - remainderOf(a));
  let rest = Number(parts.reduce((left, part) => left - part, all));
  for (const at of byRemainder) if (rest-- > 0) parts[at] = (parts[at] as bigint) + 1n;
  return parts;
}

/** Millionths split over amounts in 10^-20 EUR, none beyond its own. */
function sharesOf(micros: bigint, amounts: readonly bigint[]): bigint[] {
  const sum = amounts.reduce((all, amount) => all + amount, 0n);
  const rooms = amounts.map((amount) => amount / NETS_PER_MICRO);
  const shares = amounts.map((amount, at) => least(sum && (micros * amount) / sum, rooms[at] as bigint));
  let rest = shares.reduce((left, share) => left - share, micros);
  for (const [at, share] of shares.entries()) {
    const more = least(rest, (rooms[at] as bigint) - share);
    shares[at] = share + more;
    rest -= more;
  }
  return shares;
}

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);

function groupLines(lines: readonly AmountLine[], global_discount_bps: number): (GroupNames & Sums)[] {
  const groups = new Map<string, GroupNames & Sums>();
  for (const line of lines) {
    const { tax_rate_bps, unit_price_gross_micros: gross_micros } = line;
    const [tax_region, tax_code] = [line.tax_region ?? "", line.tax_code ?? ""];
    const key = groupKey(line);
    const group = groups.get(key) ?? { tax_region, tax_code, tax_rate_bps, nets: 0n, grosses: 0n };
    if (gross_micros == null) group.nets += lineAmount(line, line.unit_price_micros, global_discount_bps);
    else group.grosses += lineAmount(line, gross_micros, global_discount_bps);
    groups.set(key, group);
  }
  return [...groups.values()].sort(inGroupOrder);
}

type Grouped = Pick<AmountLine, keyof GroupNames>;

/** The key of the group of a line in the totals: lines with the same key are one group. */
export function groupKey({ tax_region, tax_code, tax_rate_bps }: Grouped): string {
  return `${tax_region ?? ""} ${tax_code ?? ""} ${tax_rate_bps}`;
}

/** Compares groups by region, tax code and rate. */
export function inGroupOrder(a: GroupNames, b: GroupNames): number {
  return inOrder(a.tax_region, b.tax_region) || inOrder(a.tax_code, b.tax_code) || a.tax_rate_bps - b.tax_rate_bps;
}

/** The sums of groups with tax, in cents, by a key of their own, or by theirs. */
export function grossByGroup(
  lines: readonly AmountLine[],
  global_discount_bps: number,
  keyOf: (group: GroupNames) => string = groupKey,
): Map<string, number> {
  const sums = new Map<string, number>();
  for (const group of totalsOf(lines, global_discount_bps).groups) {
    const key = keyOf(group);
    sums.set(key, (sums.get(key) ?? 0) + group.net_cents + group.tax_cents);
  }
  return sums;
}

/** By code unit, which does not depend on the machine's language. */
function inOrder(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
