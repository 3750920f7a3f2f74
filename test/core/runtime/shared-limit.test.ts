import { type Lacre, openLacre } from "lacre";
import { describe, expect, onTestFinished, test } from "vitest";
import { SOME_POSTGRES } from "../../support/databases.ts";

const { name, dialect } = SOME_POSTGRES;

describe(`one limit over several programs on ${name}`, () => {
  async function programs(count: number, rateLimit: { limit: number; window_s: number }): Promise<Lacre[]> {
    const home = dialect(":memory:");
    const first = await openLacre({ dialect: home, rateLimit });
    const others = Array.from({ length: count - 1 }, () => openLacre({ dialect: home, rateLimit }));
    const all = [first, ...(await Promise.all(others))];
    onTestFinished(async () => {
      for (const lacre of all) await lacre.close();
    });
    return all;
  }

  test("three accept together as much as one, and not one request more", async () => {
    const three = await programs(3, { limit: 40, window_s: 60 });
    const readings = await Promise.all(Array.from({ length: 120 }, (_, i) => three[i % 3]?.takeRequest("key")));
    expect(readings.filter((reading) => reading?.allowed)).toHaveLength(40);
    expect(readings.map((reading) => reading?.remaining).sort((a = 0, b = 0) => a - b)[0]).toBe(0);
    const [late, other] = [await three[0]?.takeRequest("key"), await three[0]?.takeRequest("another")];
    expect(late).toMatchObject({ allowed: false, limit: 40, remaining: 0, window_s: 60 });
    expect(late?.reset_s).toBeLessThanOrEqual(60);
    expect(other).toMatchObject({ allowed: true, remaining: 39 });
  });

  test("a request leaves the window for all of them", async () => {
    const window_s = 1;
    const two = await programs(2, { limit: 1, window_s });
    const take = async (i: number) => (await two[i]?.takeRequest("key"))?.allowed;
    /** Whether the second may once the first might, asked so soon after it that the first is in the window still. */
    const inTheWindow = async (first: number, second: number) => {
      for (;;) {
        const began = performance.now();
        const [accepted, allowed] = [await take(first), await take(second)];
        if (accepted && performance.now() - began < window_s * 1_000) return allowed;
      }
    };
    expect(await inTheWindow(0, 1)).toBe(false);
    expect(await inTheWindow(1, 0)).toBe(false);
  });

  test("a limit of 0 accepts nothing", async () => {
    const [one] = await programs(1, { limit: 0, window_s: 1 });
    expect(await one?.takeRequest("key")).toMatchObject({ allowed: false, remaining: 0 });
  });
});
