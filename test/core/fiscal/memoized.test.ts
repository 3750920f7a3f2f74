import { expect, test } from "vitest";
import { memoized } from "../../../src/core/fiscal/memoized.ts";

test("a memoized function computes a text once, and those beyond its capacity each time", () => {
  const computed: string[] = [];
  const lengthOf = memoized((text) => {
    computed.push(text);
    return text.length;
  });
  const texts = Array.from({ length: 2_001 }, (_, i) => "x".repeat(i));
  for (let time = 0; time < 2; time++) {
    for (const text of texts) expect(lengthOf(text)).toBe(text.length);
  }
  expect(computed).toEqual([...texts, texts[2_000]]);
});
