/** What stands in the way of opening an installation is said in words. */
import { openLacre } from "lacre";
import { type PostgresConnectionOptions, postgres } from "lacre/postgres";
import { sqlite } from "lacre/sqlite";
import { openInMemory } from "lacre/testing";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { aFile } from "../support/instance.ts";

test("a Node without a required feature is said to be too old", async () => {
  const { withResolvers } = Promise;
  onTestFinished(() => {
    Promise.withResolvers = withResolvers;
  });
  (Promise as { withResolvers?: unknown }).withResolvers = undefined;
  const opening = openLacre({ dialect: sqlite(":memory:") });
  await expect(opening).rejects.toThrow("This Node is too old: Lacre needs Node 22.16 or newer.");
});

test("a pool instead of a server's address is refused in words", async () => {
  const pool = new pg.Pool();
  onTestFinished(() => pool.end());
  const made = (address: unknown, options?: PostgresConnectionOptions) => () => postgres(address as string, options);
  for (const none of [pool, undefined, { host: "db.local" }])
    expect(made(none)).toThrow("takes the address of a server");
  expect(made("postgres://127.0.0.1/none")).not.toThrow(); // the control: nothing is connected yet
});

test("a test instance is not made twice in one database, and says so", async () => {
  const file = aFile();
  const first = await openInMemory({ dialect: sqlite(file) });
  await first.lacre.close();
  await expect(openInMemory({ dialect: sqlite(file) })).rejects.toThrow("has a company already");
  const again = await openLacre({ dialect: sqlite(file) }); // the refused one holds nothing
  expect(await again.companies.list()).toHaveLength(1);
  await again.close();
});
