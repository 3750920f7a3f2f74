/** Prices with VAT: the published vectors, and that a basket comes to what the shelf says, to the cent. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { computeTotals, type PricedDocument } from "../../../src/core/fiscal/computed-totals.ts";
import { grossOfNet, netMicrosOfGross, netOfGross } from "../../../src/core/fiscal/gross-prices.ts";
import { fromBps } from "../../../src/core/fiscal/money.ts";
import { type AmountLine, lineNet, totalsOf } from "../../../src/core/fiscal/totals.ts";
import { TAX_REGIONS, vatRatesOn } from "../../../src/core/fiscal/vat-rates.ts";
import { chanceOf } from "../../support/chance.ts";
import { day } from "../../support/days.ts";
import vectors from "../../vectors/gross-prices.json" with { type: "json" };

/** Every rate that has been lawful in a region since 2011, in basis points. */
const RATES = TAX_REGIONS.flatMap((tax_region) => {
  const dates = ["2011-06-01", "2013-01-01", "2014-06-01", "2015-08-01", "2022-01-01", "2026-11-22"];
  const rates = dates.flatMap((date) => {
    const { RED, INT, NOR } = vatRatesOn(tax_region, day(date));
    return [RED, INT, NOR];
  });
  return [...new Set(rates)].map((tax_rate_bps) => ({ tax_region, tax_rate_bps }));
});

type Rate = (typeof RATES)[number];

/** Pieces at a price with VAT, in cents. */
const shelf = (rate: Rate, gross_cents: number, pieces = 1): AmountLine => ({
  ...rate,
  tax_code: "NOR",
  qty_micros: pieces * 1_000_000,
  unit_price_micros: netMicrosOfGross(gross_cents * 10_000, rate.tax_rate_bps),
  unit_price_gross_micros: gross_cents * 10_000,
  discount_bps: 0,
});

/** The same line, priced with the net that is kept. */
const asNet = (line: AmountLine): AmountLine => ({ ...line, unit_price_gross_micros: null });
const grossOf = (lines: readonly AmountLine[]) => totalsOf(lines).total_gross_cents;

/**
 * The totals of one rate, in cents, that no prices without VAT come to: there base and tax both end in exactly half a
 * cent, and both go up. That takes a rate of which (100 + rate)/100 has in lowest terms an even numerator: 26/25 and
 * 28/25, of the lawful ones.
 */
function unreachable(tax_rate_bps: number) {
  let [a, b] = [10_000 + tax_rate_bps, 10_000];
  while (b > 0) [a, b] = [b, a % b];
  const numerator = (10_000 + tax_rate_bps) / a;
  return (cents: number) => numerator % 2 === 0 && cents % numerator === numerator / 2;
}

describe("the published vectors", () => {
  test.each(vectors.prices)("$unit_price_gross at $tax_rate % is stored as $unit_price_net", (price) => {
    expect(netOfGross(price.unit_price_gross, price.tax_rate)).toBe(price.unit_price_net);
    expect(grossOfNet(price.unit_price_net, price.tax_rate)).toBe(price.shown);
  });

  test.each(vectors.vectors)("$name", ({ lines, global_discount_pct, expected }) => {
    const given = global_discount_pct === undefined ? { lines } : { lines, global_discount_pct };
    expect(computeTotals(given as PricedDocument)).toEqual(expected);
  });

  test.each(vectors.refused)("$name is refused, naming $path", ({ path, lines }) => {
    expect(() => computeTotals({ lines } as PricedDocument)).toThrow(RangeError);
    expect(() => computeTotals({ lines } as PricedDocument)).toThrow(`${path}: must `);
  });

  test("null instead of a price with VAT counts as left out", () => {
    const line = { qty: 1, unit_price_net: 1, tax_rate: 23 };
    expect(computeTotals({ lines: [{ ...line, unit_price_gross: null }] })).toEqual(computeTotals({ lines: [line] }));
  });
});

describe("one price", () => {
  test.each([-1, 1e9 + 1, Number.NaN, 0.0000001])("%s is no price", (price) => {
    expect(() => netOfGross(price, 23)).toThrow(RangeError);
    expect(() => grossOfNet(price, 23)).toThrow(RangeError);
  });

  test.each([-1, 101, Number.NaN, 0.001])("%s is no rate", (rate) => {
    expect(() => netOfGross(1, rate)).toThrow(RangeError);
    expect(() => grossOfNet(1, rate)).toThrow(RangeError);
  });

  test("a price of at most five decimals survives the conversion to net and back", () => {
    const price = fc.integer({ min: 0, max: 10 ** 14 }).map((hundred_thousandths) => hundred_thousandths / 10 ** 5);
    fc.assert(
      fc.property(price, fc.integer({ min: 0, max: 10_000 }).map(fromBps), (gross, rate) => {
        expect(grossOfNet(netOfGross(gross, rate), rate)).toBe(gross);
      }),
      { numRuns: 20_000 },
    );
  });

  test("not every price of six decimals does", () => {
    expect(grossOfNet(netOfGross(0.000001, 23), 23)).toBe(0);
  });
});

describe("shelf prices", () => {
  const { seed, below } = chanceOf(Number(process.env.LACRE_SEED ?? Date.now()) % 2 ** 32);
  const anyRate = () => RATES[below(RATES.length)] as Rate;

  test("the rates are those of three regions", () => {
    expect([...new Set(RATES.map((rate) => rate.tax_rate_bps))].toSorted((a, b) => a - b)).toEqual([
      ...[400, 500, 600, 900, 1000, 1200, 1300, 1600, 1800, 2200, 2300],
    ]);
  });

  test(`60,000 prices survive the conversion (seed ${seed})`, () => {
    let off_as_net = 0;
    for (let at = 0; at < 60_000; at++) {
      const rate = anyRate();
      const cents = 1 + below(at % 3 === 0 ? 10 ** 7 : 10_000);
      const line = shelf(rate, cents);
      if (grossOf([line]) !== cents) expect.fail(`${cents} cents at ${rate.tax_rate_bps}: ${grossOf([line])}`);
      const isUnreachable = unreachable(rate.tax_rate_bps)(cents);
      if (grossOf([asNet(line)]) !== cents + Number(isUnreachable)) {
        expect.fail(`As net, ${cents} cents at ${rate.tax_rate_bps}: ${grossOf([asNet(line)])}`);
      }
      off_as_net += Number(isUnreachable);
    }
    // The control: without a rule of their own, prices with VAT would miss a cent here and there.
    expect(off_as_net).toBeGreaterThan(200);
  });

  test(`20,000 baskets add up to their prices (seed ${seed})`, () => {
    let off_as_net = 0;
    for (let at = 0; at < 20_000; at++) {
      const region = TAX_REGIONS[below(3)];
      const rates = RATES.filter(({ tax_region }) => tax_region === region);
      let said = 0;
      const lines = Array.from({ length: 1 + below(12) }, () => {
        const [cents, pieces] = [1 + below(20_000), 1 + below(at % 4 === 0 ? 2_000 : 12)];
        said += cents * pieces;
        return shelf(rates[below(rates.length)] as Rate, cents, pieces);
      });
      if (grossOf(lines) !== said) expect.fail(`${said} cents: ${grossOf(lines)} of ${JSON.stringify(lines)}`);
      off_as_net += Number(grossOf(lines.map(asNet)) !== said);
    }
    expect(off_as_net).toBeGreaterThan(200);
  });

  test("the totals that no price without VAT reaches are every 28th at 12 %, every 26th at 4 %, and no others", () => {
    for (const { tax_rate_bps } of RATES) {
      const isUnreachable = unreachable(tax_rate_bps);
      // Base and tax both grow with the net, so the totals of all nets are those at the steps of either.
      const reached = new Set<number>();
      for (let cents = 0; cents <= 3_000; cents++) {
        const atBase = 10_000 * cents - 5_000;
        const atTax = Math.ceil((10_000 * (10_000 * cents - 5_000)) / tax_rate_bps);
        for (const unit_price_micros of [atBase - 1, atBase, atTax - 1, atTax]) {
          const line = { ...shelf({ tax_region: "PT", tax_rate_bps }, 0), unit_price_micros };
          if (unit_price_micros >= 0) reached.add(grossOf([asNet(line)]));
        }
      }
      for (let cents = 0; cents <= 3_000; cents++) {
        expect(reached.has(cents), `${cents} cents at ${tax_rate_bps}`).toBe(!isUnreachable(cents));
        expect(grossOf([shelf({ tax_region: "PT", tax_rate_bps }, cents)])).toBe(cents);
      }
    }
    expect([13, 39].every(unreachable(400)) && [14, 42].every(unreachable(1200))).toBe(true);
  });
});

describe("for any lines", () => {
  const anyLine = fc.record({
    qty_micros: fc.integer({ min: 1, max: 10 ** 10 }),
    unit_price_micros: fc.constant(0),
    unit_price_gross_micros: fc.integer({ min: 1, max: 10 ** 10 }),
    discount_bps: fc.integer({ min: 0, max: 10_000 }),
    tax_rate_bps: fc.constantFrom(0, ...RATES.map((rate) => rate.tax_rate_bps), 10_000),
  });
  const discount = fc.integer({ min: 0, max: 10_000 });

  test("a rate adds up to its prices, half-up, and neither base nor tax is off by more than three quarters of a cent", () => {
    fc.assert(
      fc.property(fc.array(anyLine, { minLength: 1, maxLength: 8 }), discount, (given, global_discount_bps) => {
        for (const { tax_rate_bps, net_cents, tax_cents } of totalsOf(given, global_discount_bps).groups) {
          const lines = given.filter((line) => line.tax_rate_bps === tax_rate_bps);
          // In 10^-22 EUR.
          const gross = lines.reduce(
            (sum, line) => sum + lineNet({ ...line, tax_rate_bps: 0 }, global_discount_bps),
            0n,
          );
          const cent = 10n ** 18n;
          expect(BigInt(net_cents + tax_cents)).toBe((2n * gross + cent) / (2n * cent));
          const per_whole = BigInt(10_000 + tax_rate_bps);
          const off = BigInt(net_cents) * cent * per_whole - gross * 10_000n;
          const off_tax = BigInt(tax_cents) * cent * per_whole - gross * BigInt(tax_rate_bps);
          const most = (3n * cent * per_whole) / 4n;
          for (const one of [off, off_tax]) expect(one <= most && one >= -most).toBe(true);
          expect(net_cents).toBeGreaterThanOrEqual(0);
          expect(tax_cents).toBeGreaterThanOrEqual(0);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  test("if they add up to whole cents, the base is the gross divided by 1 + rate (CIVA, article 49)", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10 ** 9 }), fc.constantFrom(...RATES), (cents, rate) => {
        const { total_net_cents } = totalsOf([shelf(rate, cents)]);
        const exact = BigInt(cents) * 10_000n;
        const per_whole = BigInt(10_000 + rate.tax_rate_bps);
        expect(BigInt(total_net_cents)).toBe((2n * exact + per_whole) / (2n * per_whole));
      }),
      { numRuns: 2_000 },
    );
  });
});
