import { openInMemory } from "lacre/testing";
import { expect, test } from "vitest";
import {
  memoryRateLimit,
  type RateLimit,
  rateLimitStore,
  sharedRateLimit,
} from "../../../src/core/runtime/rate-limit.ts";

const inMemory = (limit: RateLimit) => memoryRateLimit(limit, () => 0);

test("a reading never says to wait longer than the window, whatever the fractions of the clock", () => {
  let now = 0;
  const { take } = memoryRateLimit({ limit: 1, window_s: 60 }, () => now);
  for (let i = 1; i <= 1_000; i++) {
    now = i * 61_234.567_89;
    const [first, second] = [take("key"), take("key")];
    expect([first, second], `at ${now} ms`).toMatchObject([
      { allowed: true, reset_s: 60 },
      { allowed: false, reset_s: 60 },
    ]);
  }
});

test.each([
  ["limit", { limit: Number.NaN, window_s: 60 }, "NaN"],
  ["limit", {}, "undefined"],
  ["limit", { limit: -1, window_s: 60 }, "-1"],
  ["limit", { limit: 1.5, window_s: 60 }, "1.5"],
  ["limit", { limit: "120", window_s: 60 }, "120"],
  ["limit", { limit: Number.POSITIVE_INFINITY, window_s: 60 }, "Infinity"],
  ["limit", { take: 7 }, "undefined"],
  ["limit", 120, "undefined"],
  ["window_s", { limit: 120 }, "undefined"],
  ["window_s", { limit: 120, window_s: 0 }, "0"],
  ["window_s", { limit: 120, window_s: 0.5 }, "0.5"],
])("an option whose %s is no whole number is refused in words: %j", async (name, option, value) => {
  const rateLimit = option as never;
  const refusal = new TypeError(
    `rateLimit.${name} must be a whole number from ${name === "limit" ? 0 : 1}, not ${value}.`,
  );
  expect(() => rateLimitStore(rateLimit, inMemory)).toThrow(refusal);
  await expect(openInMemory({ rateLimit })).rejects.toThrow(refusal);
});

test("a limit and a store are used as they are", () => {
  const store = { take: memoryRateLimit({ limit: 1, window_s: 1 }, () => 0).take };
  expect(rateLimitStore(store, inMemory)).toBe(store);
  expect(rateLimitStore({ limit: 3, window_s: 10 }, inMemory).take("key")).toMatchObject({ limit: 3, remaining: 2 });
});

test("a request that the database could not count does not count", async () => {
  const reading = { accepted: true, used: 1, oldest_ms: 0 };
  let answers = false;
  const { take } = sharedRateLimit(
    { limit: 2, window_s: 60 },
    () => 0,
    async () => {
      if (!answers) throw new Error("no answer");
      return reading;
    },
  );
  for (let i = 0; i < 5; i++) await expect(take("key")).rejects.toThrow("no answer");
  answers = true;
  for (const allowed of [true, true, false]) expect(await take("key")).toMatchObject({ allowed });
});
