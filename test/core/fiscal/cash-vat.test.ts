import fc from "fast-check";
import { expect, test } from "vitest";
import { isOutsideCashVat, splitByRate } from "../../../src/core/fiscal/cash-vat.ts";

const due = (tax_rate_bps: number, due_cents: number, left_cents = due_cents) => ({
  tax_rate_bps,
  due_cents,
  left_cents,
});

const byRate = (dues: ReturnType<typeof due>[], amount_cents: number) =>
  Array.from(splitByRate(dues, amount_cents), ([{ tax_rate_bps }, cents]) => [tax_rate_bps, cents]);

test("an amount is shared in proportion to each rate's gross, with the rest for the largest", () => {
  expect(byRate([due(2300, 12_300), due(600, 10_600)], 10_000)).toEqual([
    [2300, 5_372],
    [600, 4_628],
  ]);
  expect(byRate([due(2300, 12_300), due(600, 10_600)], 22_900)).toEqual([
    [2300, 12_300],
    [600, 10_600],
  ]);
  expect(byRate([due(2300, 12_300, 100), due(600, 10_600, 5_000)], 4_000)).toEqual([
    [2300, 100],
    [600, 3_900],
  ]);
  expect(byRate([], 100)).toEqual([]);
});

const invoice = fc.uniqueArray(fc.record({ rate: fc.nat(5_000), cents: fc.integer({ min: 1, max: 10 ** 9 }) }), {
  minLength: 1,
  maxLength: 6,
  selector: ({ rate }) => rate,
});

test("receipts that pay an invoice in full state the gross of each rate, to the cent, however it was paid", () => {
  fc.assert(
    fc.property(invoice, fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 8 }), (rates, parts) => {
      const dues = rates.map(({ rate, cents }) => due(rate, cents));
      const receive = (amount: number) => {
        const shares = splitByRate(dues, amount);
        expect([...shares.values()].reduce((sum, cents) => sum + cents, 0)).toBe(amount);
        for (const one of dues) one.left_cents -= shares.get(one) ?? 0;
      };
      const left = () => dues.reduce((sum, { left_cents }) => sum + left_cents, 0);
      for (const part of parts) receive(Math.floor(left() * part));
      receive(left());
      expect(dues.map(({ left_cents }) => left_cents)).toEqual(dues.map(() => 0));
    }),
  );
});

test("imports, exports, supplies within the EU and reverse charges are outside the scheme; other exemptions are not", () => {
  const outside = ["M04", "M05", "M06", "M16", "M30", "M33", "M40", "M43"];
  expect(outside.filter(isOutsideCashVat)).toEqual(outside);
  expect(["M01", "M07", "M10", "M19", "M26", "M99"].filter(isOutsideCashVat)).toEqual([]);
});
