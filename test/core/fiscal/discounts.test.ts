/** Discounts of an amount: the published vectors, and that no cent is lost of what is taken off. */
import { describe, expect, test } from "vitest";
import {
  type ComputedTotals,
  computeLines,
  computeTotals,
  type PricedDocument,
} from "../../../src/core/fiscal/computed-totals.ts";
import { type AmountLine, mostOff, sharedDiscount, totalsOf } from "../../../src/core/fiscal/totals.ts";
import { aBasket, cents } from "../../support/baskets.ts";
import { chanceOf } from "../../support/chance.ts";
import { IS_SAMPLED } from "../../support/sampled.ts";
import vectors from "../../vectors/discounts.json" with { type: "json" };

/** One unit at a price in cents. */
const unit = (price_cents: number, tax_rate_bps: number, more: Partial<AmountLine> = {}): AmountLine => ({
  qty_micros: 1_000_000,
  unit_price_micros: price_cents * 10_000,
  discount_bps: 0,
  tax_rate_bps,
  ...more,
});

describe("the published vectors", () => {
  test.each(vectors.vectors)("$name", ({ name: _, expected, expected_lines, ...given }) => {
    expect(computeTotals(given as PricedDocument)).toEqual(expected);
    expect(computeLines(given as PricedDocument)).toEqual(expected_lines);
  });

  test.each(vectors.refused)("$name is refused, naming $path", ({ path, name: _, ...given }) => {
    for (const compute of [computeTotals, computeLines]) {
      expect(() => compute(given as PricedDocument)).toThrow(RangeError);
      expect(() => compute(given as PricedDocument)).toThrow(`${path}: must `);
    }
  });

  test("null in place of an amount counts as left out", () => {
    const line = { qty: 1, unit_price_net: 10, tax_rate: 23 };
    expect(computeTotals({ lines: [{ ...line, discount_amount: null }], global_discount_amount: null })).toEqual(
      computeTotals({ lines: [line] }),
    );
  });

  test("a percentage of 0 beside an amount is none", () => {
    const line = { qty: 1, unit_price_net: 10, tax_rate: 23, discount_pct: 0, discount_amount: 1 };
    expect(computeTotals({ lines: [line], global_discount_pct: 0, global_discount_amount: 1 }).total_net).toBe(8);
  });
});

describe("the split over groups", () => {
  test("takes groups of one rate in the order of the totals", () => {
    const lines = [unit(100, 0, { tax_code: "NS" }), unit(100, 0, { tax_code: "ISE" })];
    expect(sharedDiscount(lines, 1).map((line) => line.global_discount_micros)).toEqual([0, 10_000]);
  });

  test("does not see shares that lines already have", () => {
    const once = sharedDiscount([unit(1000, 2300), unit(500, 600)], 300);
    expect(sharedDiscount(once, 300)).toEqual(once);
    expect(mostOff(once)).toBe(1500);
  });

  test("leaves lines without an amount as they are", () => {
    const lines = [unit(1000, 2300)];
    expect(sharedDiscount(lines, null)).toBe(lines);
  });

  test("never takes more than there is", () => {
    const lines = sharedDiscount([unit(1000, 2300), unit(500, 600)], 2_000);
    expect(totalsOf(lines)).toMatchObject({ total_net_cents: 0, total_tax_cents: 0, total_gross_cents: 0 });
    expect(lines.every((line) => (line.global_discount_micros ?? 0) <= line.unit_price_micros)).toBe(true);
  });
});

const BASKETS = IS_SAMPLED ? 2_000 : 20_000;

describe("random baskets", () => {
  const chance = chanceOf(Number(process.env.LACRE_SEED ?? Date.now()) % 2 ** 32);
  const total = (isGross: boolean, { total_net, total_gross }: ComputedTotals) =>
    cents(isGross ? total_gross : total_net);

  test(`no cent is off what was taken off ${BASKETS} of them (seed ${chance.seed})`, () => {
    let lost_by_lines = 0;
    for (let at = 0; at < BASKETS; at++) {
      const { basket, before, off_cents, isGross } = aBasket(chance, [23, 23, 13, 6, 0]);
      const [after, full] = [computeTotals(basket), computeTotals(before)];
      const off = total(isGross, full) - total(isGross, after);
      const lines = computeLines(basket);
      const shares = lines.reduce((sum, line) => sum + Math.round(line.global_share * 1e6), 0);
      // A rate that is taken whole may come to up to half a cent more than its lines.
      const unshared = off_cents * 10_000 - shares;
      const isSharedOut = unshared >= 0 && unshared <= 5_000 * full.groups.length;
      if (off !== off_cents || !isSharedOut || lines.some((line) => line.net < 0 || line.amount < 0)) {
        expect.fail(`basket ${at} of seed ${chance.seed}: ${off} off, not ${off_cents}: ${JSON.stringify(basket)}`);
      }
      // The control: the same as a percentage, as shops do without the rule, misses cents.
      const pct = Math.round((off_cents / Math.max(total(isGross, full), 1)) * 10_000) / 100;
      const asPercentage = computeTotals({ ...before, global_discount_pct: Math.min(pct, 100) });
      lost_by_lines += Number(total(isGross, full) - total(isGross, asPercentage) !== off_cents);
    }
    expect(lost_by_lines).toBeGreaterThan(BASKETS / 4);
  });
});
