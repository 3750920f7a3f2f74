/** The compact memory of an export holds exactly what a Map would hold. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { column, textIndex } from "../../../../src/core/saft/export/columns.ts";

describe("an index of texts", () => {
  test("counts texts in the order in which they first appear", () => {
    const index = textIndex();
    expect(["b", "a", "", "b", "é", "a"].map(index.indexOf)).toEqual([0, 1, 2, 0, 3, 1]);
    expect(index.size()).toBe(4);
  });

  test("agrees with a Map for any texts", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary", maxLength: 3 })), (texts) => {
        const [index, map] = [textIndex(), new Map<string, number>()];
        for (const text of texts) {
          if (!map.has(text)) map.set(text, map.size);
          expect(index.indexOf(text)).toBe(map.get(text));
        }
        expect(index.size()).toBe(map.size);
      }),
    );
  });

  test("keeps its indices each time it grows", () => {
    const index = textIndex();
    const texts = Array.from({ length: 10_000 }, (_, i) => `C${i}`);
    expect(texts.map(index.indexOf)).toEqual(texts.map((_, i) => i));
    expect(texts.map(index.indexOf)).toEqual(texts.map((_, i) => i));
    expect(index.indexOf("C10000")).toBe(10_000);
  });
});

test("a column keeps the value set in any row, and is 0 elsewhere", () => {
  const rows = column();
  rows.set(5_000, 1.5);
  rows.set(3, -2);
  rows.set(100_000, 2 ** 53 - 1);
  expect([3, 4, 5_000, 5_001, 100_000, 100_001, 1e9].map(rows.get)).toEqual([-2, 0, 1.5, 0, 2 ** 53 - 1, 0, 0]);
});

test("a column of whole numbers holds values up to 2^32 - 1", () => {
  const rows = column(Uint32Array);
  rows.set(70_000, 2 ** 32 - 1);
  expect([0, 70_000, 70_001].map(rows.get)).toEqual([0, 2 ** 32 - 1, 0]);
});
