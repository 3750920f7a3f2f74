import { expect, test } from "vitest";
import { pauseAfter } from "../../../src/core/deliveries/schedule.ts";

const HOUR = 3_600_000;

test("the pauses grow from seconds to a day, up to a tenth later each, and then it is given up", () => {
  const pauses = Array.from({ length: 9 }, (_, i) => pauseAfter(i + 1, "a") as number);
  const least = [5_000, 300_000, 1_800_000, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR];
  for (const [i, pause] of pauses.entries()) {
    expect(pause).toBeGreaterThanOrEqual(least[i] as number);
    expect(pause).toBeLessThanOrEqual((least[i] as number) * 1.1);
  }
  expect(pauseAfter(10, "a")).toBeUndefined();
});

test("deliveries that failed together are not tried again together", () => {
  const pauses = Array.from({ length: 100 }, (_, i) => pauseAfter(2, `delivery ${i}`));
  expect(new Set(pauses).size).toBe(100);
});

test("a receiver may ask for a longer pause, of a day at most, and for no shorter one", () => {
  expect(pauseAfter(1, "a", 600)).toBe(600_000);
  expect(pauseAfter(1, "a", 10_000_000)).toBe(24 * HOUR);
  expect(pauseAfter(3, "a", 1)).toBeGreaterThanOrEqual(1_800_000);
  expect(pauseAfter(10, "a", 600)).toBeUndefined();
});
