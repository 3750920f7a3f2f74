/** What an export remembers in a few numbers must be what a Map would have remembered. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { column, remembered, textNumbers } from "../../../../src/core/saft/export/columns.ts";

describe("numbers for texts", () => {
  test("are given in the order in which texts first come, and stay", () => {
    const numbers = textNumbers();
    expect(["b", "a", "", "b", "é", "a"].map(numbers.numberOf)).toEqual([0, 1, 2, 0, 3, 1]);
    expect(numbers.size()).toBe(4);
  });

  test("are those of a Map, whatever comes", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary", maxLength: 3 })), (texts) => {
        const [numbers, map] = [textNumbers(), new Map<string, number>()];
        for (const text of texts) {
          if (!map.has(text)) map.set(text, map.size);
          expect(numbers.numberOf(text)).toBe(map.get(text));
        }
        expect(numbers.size()).toBe(map.size);
      }),
    );
  });

  test("outlast every doubling of the room they are kept in", () => {
    const numbers = textNumbers();
    const texts = Array.from({ length: 10_000 }, (_, i) => `C${i}`);
    expect(texts.map(numbers.numberOf)).toEqual(texts.map((_, i) => i));
    expect(texts.map(numbers.numberOf)).toEqual(texts.map((_, i) => i));
    expect(numbers.numberOf("C10000")).toBe(10_000);
  });
});

test("a column keeps what was set in any row, and is 0 elsewhere", () => {
  const rows = column();
  rows.set(5_000, 1.5);
  rows.set(3, -2);
  rows.set(100_000, 2 ** 53 - 1);
  expect([3, 4, 5_000, 5_001, 100_000, 100_001, 1e9].map(rows.get)).toEqual([-2, 0, 1.5, 0, 2 ** 53 - 1, 0, 0]);
});

test("a column of whole numbers holds as many, up to the last of 32 bits", () => {
  const rows = column(Uint32Array);
  rows.set(70_000, 2 ** 32 - 1);
  expect([0, 70_000, 70_001].map(rows.get)).toEqual([0, 2 ** 32 - 1, 0]);
});

test("a function that remembers is asked once for a text, and for those beyond its room each time, and says the same", () => {
  const asked: string[] = [];
  const lengthOf = remembered((text) => {
    asked.push(text);
    return text.length;
  });
  const texts = Array.from({ length: 2_001 }, (_, i) => "x".repeat(i));
  for (let time = 0; time < 2; time++) {
    for (const text of texts) expect(lengthOf(text)).toBe(text.length);
  }
  expect(asked).toEqual([...texts, texts[2_000]]);
});
