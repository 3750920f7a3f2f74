import { describe, expect, test } from "vitest";
import { TAX_REGIONS, type TaxRegion, taxCodeOf, vatRatesOn } from "../../../src/core/fiscal/vat-rates.ts";
import { day } from "../../support/days.ts";

/** A region, a day and its lawful rates: the first and the last day of every rate. */
const DAYS: readonly (readonly [TaxRegion, string, number, number, number])[] = [
  ["PT", "1999-12-31", 600, 1300, 2300],
  ["PT", "2011-01-01", 600, 1300, 2300],
  ["PT", "2026-11-21", 600, 1300, 2300],
  ["PT-AC", "2010-12-31", 400, 900, 1600],
  ["PT-AC", "2013-12-31", 400, 900, 1600],
  ["PT-AC", "2014-01-01", 500, 1000, 1800],
  ["PT-AC", "2015-06-30", 500, 1000, 1800],
  ["PT-AC", "2015-07-01", 400, 900, 1800],
  ["PT-AC", "2021-06-30", 400, 900, 1800],
  ["PT-AC", "2021-07-01", 400, 900, 1600],
  ["PT-AC", "2026-11-21", 400, 900, 1600],
  ["PT-MA", "2010-12-31", 400, 900, 1600],
  ["PT-MA", "2012-03-31", 400, 900, 1600],
  ["PT-MA", "2012-04-01", 500, 1200, 2200],
  ["PT-MA", "2024-09-30", 500, 1200, 2200],
  ["PT-MA", "2024-10-01", 400, 1200, 2200],
  ["PT-MA", "2026-11-21", 400, 1200, 2200],
];

describe.each(DAYS)("in %s on %s", (region, date, RED, INT, NOR) => {
  test(`the rates are ${RED}, ${INT} and ${NOR} basis points, each with its code`, () => {
    expect(vatRatesOn(region, day(date))).toMatchObject({ RED, INT, NOR });
    expect([RED, INT, NOR].map((rate) => taxCodeOf(rate, region, day(date)))).toEqual(["RED", "INT", "NOR"]);
  });

  test("any other rate has the code for other rates", () => {
    for (const rate of [1, RED - 1, RED + 1, INT - 1, INT + 1, NOR - 1, NOR + 1, 10_000]) {
      expect(taxCodeOf(rate, region, day(date)), `${rate}`).toBe("OUT");
    }
  });
});

test("the regions are in the order of the QR code", () => {
  expect(TAX_REGIONS).toEqual(["PT", "PT-AC", "PT-MA"]);
});
