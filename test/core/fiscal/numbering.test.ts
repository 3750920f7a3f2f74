import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  atcudOf,
  codeInYear,
  codeOfNumber,
  numberOf,
  SERIES_CODE,
  VALIDATION_CODE,
  yearOfCode,
} from "../../../src/core/fiscal/numbering.ts";

test("a number is the type, the series and the sequence", () => {
  expect(numberOf("FT", "2026A", 17)).toBe("FT 2026A/17");
});

test("an ATCUD is the validation code and the sequence, and null without a code", () => {
  expect(atcudOf("CSDF7T5H", 35)).toBe("CSDF7T5H-35");
  expect(atcudOf(null, 35)).toBeNull();
});

describe("series codes", () => {
  const longest = "A2345678901234567890";

  test.each(["A", "1", "2026", "2026A", "a.b_c-d", "LOJA-1", "A.T", "AaT", "1AT", "TA", longest])(
    "%s is a valid series code",
    (code) => {
      expect(SERIES_CODE.test(code)).toBe(true);
    },
  );

  test.each([
    "",
    "AT",
    "at",
    "aT2026",
    "AT.1",
    "-A",
    "A-",
    "A..B",
    "A.-B",
    "A B",
    "A/B",
    "Á",
    "A\n",
    "\nA",
    "\u212a", // the Kelvin sign, which folds to K
    `${longest}1`,
  ])("%j is not a valid series code", (code) => {
    expect(SERIES_CODE.test(code)).toBe(false);
  });

  test("every number made from one is valid in the official schema, and has at most 60 characters", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-z0-9]([._-]?[A-Za-z0-9]){0,9}$/), fc.nat(), (code, sequence) => {
        fc.pre(SERIES_CODE.test(code));
        const number = numberOf("FT", code, sequence);
        expect(number).toMatch(/^[^ ]+ [^/^ ]+\/[0-9]+$/);
        expect(number.length).toBeLessThanOrEqual(60);
      }),
    );
  });

  test("different series or sequences never make the same number", () => {
    const code = fc.stringMatching(/^[A-Za-z0-9]([._-]?[A-Za-z0-9]){0,9}$/);
    const place = fc.tuple(code, fc.integer({ min: 1, max: 99 }));
    fc.assert(
      fc.property(place, place, (a, b) => {
        fc.pre(String(a) !== String(b));
        expect(numberOf("FT", ...a)).not.toBe(numberOf("FT", ...b));
      }),
    );
  });
});

describe("validation codes", () => {
  test.each(["J6M3CZ6D", "AAJFF5JWJN", "00000000", "A".repeat(53)])("%s is a valid validation code", (code) => {
    expect(VALIDATION_CODE.test(code)).toBe(true);
  });

  test.each(["", "J6M3CZ6", "j6m3cz6d", "J6M3 CZ6D", "J6M3CZ6D-", "J6M3CZ6D\n", "A".repeat(54)])(
    "%j is not a valid validation code",
    (code) => {
      expect(VALIDATION_CODE.test(code)).toBe(false);
    },
  );

  test("the longest, with the largest sequence, fits the 70 characters of the QR code", () => {
    expect(atcudOf("A".repeat(53), Number.MAX_SAFE_INTEGER)).toHaveLength(70);
  });
});

test("neither pattern slows down on hostile text", () => {
  const hostile = `${"A".repeat(100_000)}!`;
  const before = process.cpuUsage().user;
  expect(SERIES_CODE.test(hostile) || VALIDATION_CODE.test(hostile)).toBe(false);
  expect((process.cpuUsage().user - before) / 1_000).toBeLessThan(100);
});

describe("the year of a series", () => {
  test.each([
    ["2026A", 2026],
    ["A2026", 2026],
    ["2026", 2026],
    ["LOJA2-2026", 2026],
    ["2026-A-2026", 2026],
    ["1.2099", 2099],
  ])("of the code %s is %i", (code, year) => {
    expect(yearOfCode(code)).toBe(year);
  });

  test.each(["A", "26", "20261", "12026", "2021A", "LOJA1999", "3026", "2026-2027", "LOJA2"])(
    "is none with the code %s, which goes on",
    (code) => {
      expect(yearOfCode(code)).toBeNull();
      expect(codeInYear(code, 2027)).toBe(code);
    },
  );

  test("changes and nothing else does, wherever the code names it", () => {
    expect(codeInYear("LOJA2-2026", 2027)).toBe("LOJA2-2027");
    expect(codeInYear("2026.1-2026", 2027)).toBe("2027.1-2027");
  });
});

test("a number gives back its series code, even one that reads like a number", () => {
  for (const code of ["2026A", "a.b-c_d", "1"]) expect(codeOfNumber(numberOf("FT", code, 2026))).toBe(code);
});
