import { expect, test } from "vitest";
import { memoryRateLimit } from "../../../src/core/runtime/rate-limit.ts";

test("a reading never tells to wait longer than the window, whatever the fractions of the clock", () => {
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
