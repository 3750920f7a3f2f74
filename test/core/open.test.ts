/** What stands in the way of opening an installation is said in words. */
import { openLacre } from "lacre";
import { sqlite } from "lacre/sqlite";
import { openInMemory } from "lacre/testing";
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

test("a test instance is not made twice in one database, and says so", async () => {
  const file = aFile();
  const first = await openInMemory({ dialect: sqlite(file) });
  await first.lacre.close();
  await expect(openInMemory({ dialect: sqlite(file) })).rejects.toThrow("has a company already");
  const again = await openLacre({ dialect: sqlite(file) }); // the refused one holds nothing
  expect(await again.companies.list()).toHaveLength(1);
  await again.close();
});
