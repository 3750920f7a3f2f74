/**
 * Lines of one tax group that come to a given gross. What is left of an invoice after partial credits was rounded once
 * by it and once by each credit note, so that the lines that are left may come to a cent more or less than it.
 */
import { type AmountLine, totalsOf } from "./totals.ts";

/** The price of a line, in the way it was given. */
const PRICE = (line: AmountLine): "unit_price_gross_micros" | "unit_price_micros" =>
  line.unit_price_gross_micros == null ? "unit_price_micros" : "unit_price_gross_micros";

/** The most lines whose price is tried. */
const MAX_TRIED = 8;

/**
 * The same lines with the price of one of them changed, by as little as possible, so that together they come to
 * `gross_cents`; undefined if no price of one line gives that, or if `allows` takes none that does.
 */
export function fittedLines<Line extends AmountLine>(
  lines: readonly Line[],
  global_discount_bps: number,
  gross_cents: number,
  allows: (line: Line) => boolean,
): readonly Line[] | undefined {
  // The price of the smallest quantity moves the total by the smallest steps.
  const order = [...lines.keys()].sort((a, b) => quantityAt(lines, a) - quantityAt(lines, b)).slice(0, MAX_TRIED);
  for (const at of order) {
    const line = lines[at] as Line;
    const grossAt = (price: number) =>
      totalsOf(lines.with(at, priced(line, price)), global_discount_bps).total_gross_cents;
    const price = nearestPrice(line[PRICE(line)] ?? 0, gross_cents, grossAt);
    const changed = price === undefined ? undefined : priced(line, price);
    if (changed && allows(changed)) return lines.with(at, changed);
  }
  return undefined;
}

/** A line at the highest price, up to its own, that `allows` takes, which takes any lower one, too. */
export function loweredLine<Line extends AmountLine>(line: Line, allows: (line: Line) => boolean): Line {
  if (allows(line)) return line;
  let [low, high] = [0, line[PRICE(line)] ?? 0];
  while (high - low > 1) {
    const middle = Number((BigInt(low) + BigInt(high)) / 2n);
    if (allows(priced(line, middle))) low = middle;
    else high = middle;
  }
  return priced(line, low);
}

const quantityAt = (lines: readonly AmountLine[], at: number) => lines[at]?.qty_micros ?? 0;

const priced = <Line extends AmountLine>(line: Line, price: number): Line => ({ ...line, [PRICE(line)]: price });

/** The price nearest to one at which a gross, which never falls as a price rises, is `wanted`; undefined for none. */
function nearestPrice(price: number, wanted: number, grossAt: (price: number) => number): number | undefined {
  const rises = grossAt(price) < wanted;
  const isFar = (tried: number) => (rises ? grossAt(tried) >= wanted : grossAt(tried) <= wanted);
  let [near, far] = [price, rises ? price * 2 + 1_000_000 : 0];
  if (!isFar(far)) return undefined;
  while (Math.abs(far - near) > 1) {
    const middle = Number((BigInt(near) + BigInt(far)) / 2n);
    if (isFar(middle)) far = middle;
    else near = middle;
  }
  return grossAt(far) === wanted ? far : undefined;
}
