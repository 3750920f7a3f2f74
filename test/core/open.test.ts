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

test("a public address that is none is said to be none, and a slash at its end does not count", async () => {
  for (const publicUrl of ["loja.pt", "ftp://loja.pt", "https://loja.pt/?a=b", "https://ana:x@loja.pt"]) {
    const opening = openLacre({ dialect: sqlite(":memory:"), publicUrl });
    await expect(opening).rejects.toThrow(`${publicUrl} is no address such as https://loja.pt/faturas.`);
  }
  const lacre = await openLacre({ dialect: sqlite(":memory:"), publicUrl: "https://loja.pt/faturas/" });
  expect(lacre.publicUrl).toBe("https://loja.pt/faturas");
  await lacre.close();
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
