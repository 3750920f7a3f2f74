/** Several servers on one database: the limit of a key holds for all of them together. */
import { expect, test } from "vitest";
import { aSchema, describeOnPostgres } from "../support/schemas.ts";
import { lacreJson, startServer } from "./program.ts";

/** The limit when none is given, and its window. */
const [LIMIT, WINDOW_MS] = [120, 60_000];
/** What each of three servers is sent at once: less than the limit. */
const EACH = 100;

/** The address and the key of a new database. */
async function aDatabase() {
  const { db } = aSchema();
  const { api_key } = await lacreJson<{ api_key: string }>("init", "--name", "L", "--tax-id", "500000000", "--db", db);
  return { db, api_key };
}

/** Sends requests to a server for each database, and returns how many were accepted, and in the first minute. */
async function acceptedBy(databases: readonly { readonly db: string; readonly api_key: string }[]) {
  const servers = [];
  for (const { db, api_key } of databases) servers.push({ ...(await startServer(["serve", "--db", db])), api_key });
  const began = performance.now();
  const answers = servers.flatMap(({ url, api_key }) =>
    Array.from({ length: EACH }, async () => {
      const { status } = await fetch(`${url}/v1/me`, { headers: { authorization: `Bearer ${api_key}` } });
      return { status, isEarly: performance.now() - began < WINDOW_MS };
    }),
  );
  const all = await Promise.all(answers);
  expect(all.filter(({ status }) => status !== 200 && status !== 429)).toEqual([]);
  const accepted = all.filter(({ status }) => status === 200);
  return { accepted: accepted.length, inOneMinute: accepted.filter(({ isEarly }) => isEarly).length };
}

describeOnPostgres("three servers", () => {
  test("on one database accept together as much as one in a minute, and not one request more", async () => {
    const shop = await aDatabase();
    const { accepted, inOneMinute } = await acceptedBy([shop, shop, shop]);
    expect(inOneMinute).toBeLessThanOrEqual(LIMIT);
    expect(accepted).toBeGreaterThanOrEqual(LIMIT);
  });

  test("the control: on separate databases they accept more", async () => {
    const shops = [await aDatabase(), await aDatabase(), await aDatabase()];
    expect((await acceptedBy(shops)).accepted).toBe(3 * EACH);
  });
});
