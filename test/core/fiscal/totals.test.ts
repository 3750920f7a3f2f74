import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { computeTotals, type PricedDocument } from "../../../src/core/fiscal/computed-totals.ts";
import { type AmountLine, MAX_LINES, MAX_TOTAL_CENTS, totalsOf } from "../../../src/core/fiscal/totals.ts";
import vectors from "../../vectors/totals.json" with { type: "json" };

const amountLine: fc.Arbitrary<AmountLine> = fc.record({
  qty_micros: fc.integer({ min: 1, max: 10 ** 12 }),
  unit_price_micros: fc.integer({ min: 0, max: 10 ** 12 }),
  discount_bps: fc.integer({ min: 0, max: 10_000 }),
  tax_rate_bps: fc.constantFrom(0, 400, 600, 1300, 2300, 10_000),
  tax_region: fc.constantFrom("PT", "PT-AC"),
  tax_code: fc.constantFrom("NOR", "RED", "ISE"),
});
const amountLines = fc.array(amountLine, { maxLength: 20 });
const percentage = fc.integer({ min: 0, max: 10_000 });

/** A line of one unit at a price in micros, 23 %. */
const unit = (unit_price_micros: number, more: Partial<AmountLine> = {}): AmountLine => ({
  qty_micros: 1_000_000,
  unit_price_micros,
  discount_bps: 0,
  tax_rate_bps: 2300,
  ...more,
});

describe("the published vectors", () => {
  test.each(vectors.vectors)("$name", ({ lines, global_discount_pct, expected }) => {
    const given = global_discount_pct === undefined ? { lines } : { lines, global_discount_pct };
    expect(computeTotals(given as PricedDocument)).toEqual(expected);
  });

  test.each(vectors.refused)("$name is refused, naming $path", ({ path, name: _, ...given }) => {
    expect(() => computeTotals(given as PricedDocument)).toThrow(RangeError);
    expect(() => computeTotals(given as PricedDocument)).toThrow(`${path}: must `);
  });
});

describe("beyond the vectors", () => {
  test.each([
    ["text", "1"],
    ["null", null],
    ["NaN", Number.NaN],
    ["infinity", Number.POSITIVE_INFINITY],
    ["nothing", undefined],
  ])("%s in place of a price is refused", (_, unit_price_net) => {
    const given = { lines: [{ qty: 1, unit_price_net, tax_rate: 23 }] } as unknown as PricedDocument;
    expect(() => computeTotals(given)).toThrow("lines[0].unit_price_net: must be a number");
  });

  test("1,000 lines pass and one more is refused", () => {
    const line = { qty: 1, unit_price_net: 0.001, tax_rate: 23 };
    expect(computeTotals({ lines: Array(MAX_LINES).fill(line) })).toMatchObject({ total_net: 1, total_tax: 0.23 });
    expect(() => computeTotals({ lines: Array(MAX_LINES + 1).fill(line) })).toThrow(RangeError);
  });

  test("a gross total far above the limit, though inexact, is still above it", () => {
    const huge = { ...unit(10 ** 15), qty_micros: 10 ** 15 };
    expect(totalsOf(Array(1000).fill(huge)).total_gross_cents).toBeGreaterThan(MAX_TOTAL_CENTS);
  });
});

describe("groups", () => {
  test("lines of the same rate without region and code are one group", () => {
    expect(totalsOf([unit(5_000), unit(5_000)]).groups).toEqual([
      { tax_region: "", tax_code: "", tax_rate_bps: 2300, net_cents: 1, tax_cents: 0 },
    ]);
  });

  test("regions and codes are kept apart, each rounded on its own", () => {
    const lines = [
      unit(5_000, { tax_region: "PT", tax_code: "NOR" }),
      unit(5_000, { tax_region: "PT-AC", tax_code: "OUT" }),
      unit(5_000, { tax_region: "PT", tax_code: "OUT" }),
    ];
    const { groups, total_net_cents } = totalsOf(lines);
    expect(groups.map(({ tax_region, tax_code }) => `${tax_region} ${tax_code}`)).toEqual([
      "PT NOR",
      "PT OUT",
      "PT-AC OUT",
    ]);
    expect(total_net_cents).toBe(3);
  });

  test("different groups are never taken for the same", () => {
    const lines = [unit(1, { tax_region: "A", tax_code: "B,C" }), unit(1, { tax_region: "A,B", tax_code: "C" })];
    expect(totalsOf(lines).groups).toHaveLength(2);
  });

  test("rates are ordered as numbers", () => {
    const rates = [2300, 600, 10_000, 0].map((tax_rate_bps) => unit(1, { tax_rate_bps }));
    expect(totalsOf(rates).groups.map((group) => group.tax_rate_bps)).toEqual([0, 600, 2300, 10_000]);
  });
});

describe("for any lines", () => {
  test("the totals are the sums of the groups, and gross is net plus tax", () => {
    fc.assert(
      fc.property(amountLines, percentage, (lines, discount) => {
        const { total_net_cents, total_tax_cents, total_gross_cents, groups } = totalsOf(lines, discount);
        expect(groups.reduce((sum, group) => sum + group.net_cents, 0)).toBe(total_net_cents);
        expect(groups.reduce((sum, group) => sum + group.tax_cents, 0)).toBe(total_tax_cents);
        expect(total_net_cents + total_tax_cents).toBe(total_gross_cents);
      }),
    );
  });

  test("the order of the lines does not matter", () => {
    fc.assert(
      fc.property(amountLines, percentage, (lines, discount) => {
        expect(totalsOf(lines.toReversed(), discount)).toEqual(totalsOf(lines, discount));
      }),
    );
  });

  test("splitting a line in two by quantity changes nothing", () => {
    fc.assert(
      fc.property(amountLine, fc.integer({ min: 1, max: 10 ** 12 }), percentage, (line, more, discount) => {
        const whole = { ...line, qty_micros: line.qty_micros + more };
        const parts = [line, { ...line, qty_micros: more }];
        expect(totalsOf(parts, discount)).toEqual(totalsOf([whole], discount));
      }),
    );
  });

  test("a global discount equals the same discount on every line", () => {
    fc.assert(
      fc.property(amountLines, percentage, (lines, discount) => {
        const plain = lines.map((line) => ({ ...line, discount_bps: 0 }));
        const discounted = lines.map((line) => ({ ...line, discount_bps: discount }));
        expect(totalsOf(plain, discount)).toEqual(totalsOf(discounted));
      }),
    );
  });

  test("a group's net is within half a cent of the exact one", () => {
    fc.assert(
      fc.property(fc.array(unitLine(), { minLength: 1, maxLength: 20 }), (lines) => {
        // One unit each, no discount: the exact net is the sum of the prices, 10,000 micros to the cent.
        const micros = lines.reduce((sum, line) => sum + line.unit_price_micros, 0);
        expect(Math.abs(totalsOf(lines).total_net_cents * 10_000 - micros)).toBeLessThanOrEqual(5_000);
      }),
    );
  });
});

function unitLine() {
  return fc.integer({ min: 0, max: 10 ** 9 }).map((price) => unit(price));
}
