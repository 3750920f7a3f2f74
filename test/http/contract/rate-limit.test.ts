/** 120 requests in any 60 seconds per key. The test moves the clock: real time does not matter. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openLacre, type RateLimitStore } from "lacre";
import { createHandler } from "lacre/http";
import { sqlite } from "lacre/sqlite";
import { describe, expect, test } from "vitest";
import { type Api, expectRefusal, withApi } from "../../support/http.ts";
import { EXAMPLES, pathOf, sentBy } from "../../support/requests.ts";

const MINUTE = 60_000;

/** An instance whose clock of the limit moves only when the test moves it. */
const stillTest = (name: string, work: (api: Api) => Promise<void>) => test(name, () => withApi(work, { pace: 0 }));

/** Sends one request at a time in milliseconds, and returns whether it was accepted. */
async function askAt(api: Api, at: number, key = api.api_key): Promise<boolean> {
  api.monotonic = at;
  const { status } = await api.call("GET", "/v1/me", { key });
  expect([200, 429]).toContain(status);
  return status === 200;
}

/** The most requests accepted in any window of a minute. */
function worstMinute(accepted: readonly number[]): number {
  return Math.max(...accepted.map((start) => accepted.filter((at) => at >= start && at < start + MINUTE).length));
}

describe("the rate limit", () => {
  stillTest("of 121 requests in two seconds exactly one is refused, the last", async (api) => {
    const let_through = [];
    for (let i = 0; i < 121; i++) let_through.push(await askAt(api, (i * 2_000) / 120));
    expect(let_through).toEqual([...Array(120).fill(true), false]);
  });

  /** Sends 240 requests in the 20 seconds around the turn of a minute; returns the times of the accepted ones. */
  async function aroundTheEdge(api: Api): Promise<number[]> {
    const accepted: number[] = [];
    for (let i = 0; i < 240; i++) {
      const at = MINUTE - 10_000 + (i * 20_000) / 240;
      if (await askAt(api, at)) accepted.push(at);
    }
    return accepted;
  }

  stillTest("240 spread around the edge of a minute: never more than 120 in any 60 seconds", async (api) => {
    const accepted = await aroundTheEdge(api);
    expect(worstMinute(accepted)).toBe(120);
    expect(accepted).toHaveLength(120);
  });

  test("control: a count that starts anew each minute accepts all 240", async () => {
    let now = () => 0;
    const options = { pace: 0, rateLimit: fixedWindow(() => now()) };
    await withApi(async (api) => {
      now = () => api.monotonic;
      expect(worstMinute(await aroundTheEdge(api))).toBe(240);
    }, options);
  });

  stillTest("a greedy client gets exactly 120 in any minute, for five minutes", async (api) => {
    const accepted: number[] = [];
    for (let at = 0; at < 5 * MINUTE; at += 250) if (await askAt(api, at)) accepted.push(at);
    expect(worstMinute(accepted)).toBe(120);
    expect(accepted).toHaveLength(600);
  });

  stillTest("a request is accepted at the millisecond the oldest leaves, not before", async (api) => {
    for (let i = 0; i < 120; i++) await askAt(api, i);
    expect(await askAt(api, MINUTE - 1)).toBe(false);
    expect(await askAt(api, MINUTE)).toBe(true);
    expect(await askAt(api, MINUTE)).toBe(false);
    expect(await askAt(api, MINUTE + 1)).toBe(true);
  });

  stillTest("429s do not extend the wait, and Retry-After is exact", async (api) => {
    for (let i = 0; i < 120; i++) await askAt(api, 0);
    for (let at = 1_000; at <= 59_000; at += 1_000) {
      api.monotonic = at;
      const answer = await api.call("GET", "/v1/me");
      expect(answer.status).toBe(429);
      expectRefusal(answer, "rate_limited");
      expect(answer.headers.get("retry-after")).toBe(String((MINUTE - at) / 1_000));
    }
    expect(await askAt(api, MINUTE)).toBe(true);
  });

  stillTest("each key has its own, even in one company", async (api) => {
    const other = await api.keyWith("customers:read");
    const { api_key: stranger } = await api.stranger();
    for (let i = 0; i < 121; i++) await askAt(api, 0);
    expect(await askAt(api, 0)).toBe(false);
    expect(await askAt(api, 0, other)).toBe(true);
    expect(await askAt(api, 0, stranger)).toBe(true);
  });

  stillTest("every endpoint counts, whatever it answers, unless it needs no key", async (api) => {
    const remaining = async () => Number((await api.call("GET", "/v1/me")).headers.get("x-ratelimit-remaining"));
    for (const example of EXAMPLES) {
      const [path, sent] = [await pathOf(example, api), await sentBy(example, api)];
      const before = await remaining();
      await api.call(example.method, path, sent);
      expect(await remaining(), example.id).toBe(before - 2);
      api.monotonic += MINUTE;
    }
    const before = await remaining();
    for (const path of ["/healthz", "/readyz", "/openapi.json", "/docs", "/nada"]) await api.call("GET", path);
    expect(await remaining()).toBe(before - 1);
  });

  stillTest("the headers say exactly what is left", async (api) => {
    const headers = async (at: number) => {
      api.monotonic = at;
      const { headers } = await api.call("GET", "/v1/me");
      return ["ratelimit-policy", "ratelimit", "x-ratelimit-limit", "x-ratelimit-remaining", "retry-after"].map(
        (name) => headers.get(name),
      );
    };
    const policy = '"default";q=120;w=60';
    expect(await headers(0)).toEqual([policy, '"default";r=119;t=60', "120", "119", null]);
    expect(await headers(500)).toEqual([policy, '"default";r=118;t=60', "120", "118", null]);
    expect(await headers(1_000)).toEqual([policy, '"default";r=117;t=59', "120", "117", null]);
    expect(await headers(59_999)).toEqual([policy, '"default";r=116;t=1', "120", "116", null]);
    expect(await headers(60_000)).toEqual([policy, '"default";r=116;t=1', "120", "116", null]);
    for (let i = 0; i < 116; i++) await headers(60_000);
    expect(await headers(60_000)).toEqual([policy, '"default";r=0;t=1', "120", "0", "1"]);
  });

  stillTest("X-RateLimit-Reset is the epoch second at which the oldest leaves", async (api) => {
    api.today = new Date("2026-11-21T10:00:00.000Z");
    const { headers } = await api.call("GET", "/v1/me");
    expect(Number(headers.get("x-ratelimit-reset"))).toBe(Date.parse("2026-11-21T10:01:00.000Z") / 1_000);
  });

  stillTest("a step of the wall clock changes nothing", async (api) => {
    for (let i = 0; i < 120; i++) await askAt(api, 0);
    api.today = new Date("2027-11-21T10:00:00.000Z");
    expect(await askAt(api, 1)).toBe(false);
    api.today = new Date("2025-11-21T10:00:00.000Z");
    expect(await askAt(api, MINUTE)).toBe(true);
  });

  stillTest("a refused key is not counted and is not told the limit", async (api) => {
    for (let i = 0; i < 121; i++) await askAt(api, 0);
    const { status, headers } = await api.call("GET", "/v1/me", { key: `${api.api_key}x` });
    expect([status, headers.get("ratelimit")]).toEqual([401, null]);
  });

  test("a restart resets it", async () => {
    const directory = mkdtempSync(join(tmpdir(), "lacre-limit-"));
    const dialect = () => sqlite(join(directory, "lacre.db"));
    try {
      const api_key = await withApi(
        async (api) => {
          for (let i = 0; i < 120; i++) await askAt(api, 0);
          expect(await askAt(api, 0)).toBe(false);
          return api.api_key;
        },
        { pace: 0, dialect: dialect() },
      );
      const lacre = await openLacre({ dialect: dialect(), monotonic: () => 0 });
      const headers = { authorization: `Bearer ${api_key}` };
      const { status } = await createHandler(lacre)(new Request("http://lacre.test/v1/me", { headers }));
      expect(status).toBe(200);
      await lacre.close();
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  test("it can be configured", async () => {
    await withApi(
      async (api) => {
        expect([await askAt(api, 0), await askAt(api, 0), await askAt(api, 0)]).toEqual([true, true, false]);
        const { headers } = await api.call("GET", "/v1/me");
        expect(headers.get("ratelimit-policy")).toBe('"default";q=2;w=10');
        expect(await askAt(api, 10_000)).toBe(true);
      },
      { pace: 0, rateLimit: { limit: 2, window_s: 10 } },
    );
  });
});

/** The usual wrong limit: 120 in each minute of the clock. */
function fixedWindow(now: () => number): RateLimitStore {
  const counts = new Map<number, number>();
  return {
    take() {
      const minute = Math.floor(now() / MINUTE);
      const count = (counts.get(minute) ?? 0) + 1;
      counts.set(minute, count);
      const reset_s = Math.ceil(((minute + 1) * MINUTE - now()) / 1_000);
      return { allowed: count <= 120, limit: 120, remaining: Math.max(0, 120 - count), window_s: 60, reset_s };
    },
  };
}
