import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatCents, halfUp, scaled, significantDigits, unscaled } from "../../../src/core/fiscal/money.ts";

/** Safe integers of at most 15 digits, as Lacre stores them. */
const stored = fc.integer({ min: -999_999_999_999_999, max: 999_999_999_999_999 });
const decimals = fc.integer({ min: 0, max: 6 });

describe("from a number to micros or cents", () => {
  test.each([
    [0, 2, 0],
    [-0, 2, 0],
    [0.1, 2, 10],
    [12.3, 2, 1230],
    [1.005, 3, 1005],
    [4.35, 2, 435], // 4.35 * 100 is 434.99999999999994
    [1e-7, 7, 1],
    [1.5e-7, 8, 15],
    [1e-6, 6, 1],
    [1e21, 0, undefined],
    [1e9, 6, 1e15],
    [-2.5, 1, -25],
    [1e15, 0, 1e15],
  ])("%d at %i decimals is %s", (value, places, expected) => {
    expect(scaled(value, places)).toBe(expected);
  });

  test.each([
    [0.001, 2],
    [1e-7, 6],
    [5e-324, 6],
    [0.1 + 0.2, 6],
  ])("%d needs more than %i decimals and is refused, not rounded", (value, places) => {
    expect(scaled(value, places)).toBeUndefined();
  });

  test.each([NaN, Infinity, -Infinity, 2 ** 53, 1e16, 1e300, -1e300, Number.MAX_VALUE])("%d is refused", (value) => {
    expect(scaled(value, 0)).toBeUndefined();
    expect(scaled(value, 6)).toBeUndefined();
  });

  test("the largest safe integer passes, and the next is refused", () => {
    expect(scaled(Number.MAX_SAFE_INTEGER, 0)).toBe(Number.MAX_SAFE_INTEGER);
    expect(scaled(Number.MAX_SAFE_INTEGER + 1, 0)).toBeUndefined();
  });

  test("any double keeps its exact shortest decimal or is refused", () => {
    fc.assert(
      fc.property(fc.double(), decimals, (value, places) => {
        const integer = scaled(value, places);
        if (integer === undefined) return;
        expect(Number.isSafeInteger(integer)).toBe(true);
        expect(Number(`${integer}e-${places}`)).toBe(value === 0 ? 0 : value);
      }),
      { numRuns: 2000 },
    );
  });

  test("multiplying in binary would lose cents", () => {
    expect(Math.trunc(1.15 * 100)).toBe(114);
    expect(scaled(1.15, 2)).toBe(115);
  });
});

describe("from micros or cents to a number", () => {
  test("the number is the exact decimal, as JSON writes it", () => {
    fc.assert(
      fc.property(stored, decimals, (integer, places) => {
        expect(unscaled(integer, places)).toBe(Number(`${integer}e-${places}`));
      }),
      { numRuns: 2000 },
    );
  });

  test("converting there and back changes nothing", () => {
    fc.assert(
      fc.property(stored, decimals, (integer, places) => {
        expect(scaled(JSON.parse(JSON.stringify(unscaled(integer, places))), places)).toBe(integer);
      }),
      { numRuns: 2000 },
    );
  });

  test("divides by exact powers of ten", () => {
    for (let places = 0; places <= 15; places++) expect(10 ** places).toBe(Number(`1${"0".repeat(places)}`));
  });
});

describe("significant digits", () => {
  test.each([
    [0, 0],
    [1, 1],
    [1000, 1],
    [0.001, 1],
    [-12.5, 3],
    [100.01, 5],
    [1e21, 1],
    [1.25e-9, 3],
    [123456789.123456, 15],
    [0.1 + 0.2, 17],
    [999999999999999, 15],
    [1234567890123456, 16],
  ])("%d has %i", (value, expected) => {
    expect(significantDigits(value)).toBe(expected);
  });

  test("a decimal of at most 15 digits has as many as were written", () => {
    fc.assert(
      fc.property(stored, decimals, (integer, places) => {
        const written = String(Math.abs(integer)).replace(/0+$/, "");
        expect(significantDigits(Number(`${integer}e-${places}`))).toBe(written.length);
      }),
    );
  });
});

describe("rounding", () => {
  test.each([
    [0n, 1n, 0n],
    [1n, 2n, 1n],
    [3n, 2n, 2n],
    [5n, 2n, 3n],
    [49n, 100n, 0n],
    [50n, 100n, 1n],
    [1n, 3n, 0n],
    [2n, 3n, 1n],
  ])("%d / %d is %d", (numerator, denominator, expected) => {
    expect(halfUp(numerator, denominator)).toBe(expected);
  });

  test("the result is within half a unit, and a half goes up", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 40n }), fc.bigInt({ min: 1n, max: 10n ** 22n }), (n, d) => {
        const twiceTheError = 2n * (halfUp(n, d) * d - n);
        expect(twiceTheError > -d && twiceTheError <= d).toBe(true);
      }),
    );
  });
});

describe("cents as text", () => {
  test.each([
    [0, "0.00"],
    [5, "0.05"],
    [30, "0.30"],
    [1230, "12.30"],
    [-5, "-0.05"],
    [-1230, "-12.30"],
    [100_000_000_000_000, "1000000000000.00"],
    [Number.MAX_SAFE_INTEGER, "90071992547409.91"],
  ])("%d is %s", (cents, expected) => {
    expect(formatCents(cents)).toBe(expected);
  });

  test.each([0.5, NaN, Infinity, 2 ** 53])("%d is refused", (cents) => {
    expect(() => formatCents(cents)).toThrow(RangeError);
  });

  test("it always has exactly two decimals and reads back", () => {
    fc.assert(
      fc.property(stored, (cents) => {
        expect(formatCents(cents)).toMatch(/^-?(?:0|[1-9]\d*)\.\d\d$/);
        expect(Number(formatCents(cents).replace(".", ""))).toBe(cents === 0 ? 0 : cents);
      }),
    );
  });
});
