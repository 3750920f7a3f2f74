/** `lacre/pglite`: what is PGlite's alone; everything else runs over it as over the other databases. */
import { PGlite } from "@electric-sql/pglite";
import { pglite } from "lacre/pglite";
import { openInMemory } from "lacre/testing";
import { expect, test } from "vitest";

test("statements of the host program wait for Lacre's, and are not undone with them", async () => {
  const db = new PGlite();
  await db.exec("create table orders (id text primary key)");
  const { lacre, company_id } = await openInMemory({ dialect: pglite(db) });
  let beside: Promise<unknown> = Promise.resolve();
  const undone = lacre.transaction(company_id, async ({ shop, connection }) => {
    await connection.query("insert into orders values ($1)", ["inside"]);
    beside = db.query("insert into orders values ('beside')");
    await shop.customers.create({ name: "Ana" });
    throw new Error("No.");
  });
  await expect(undone).rejects.toThrow("No.");
  await beside;
  expect((await db.query("select id from orders")).rows).toEqual([{ id: "beside" }]);
  expect((await lacre.as(company_id).customers.list()).pagination.total).toBe(0);
  await lacre.close();
  expect((await db.query("select count(*)::int as rows from lacre.companies")).rows).toEqual([{ rows: 1 }]);
  await db.close();
});

test.each([
  ["nothing", undefined, "takes a database of @electric-sql/pglite"],
  ["an address", "postgres://127.0.0.1/shop", "takes a database of @electric-sql/pglite"],
  ["one in a directory", { dataDir: "./shop", transaction: async () => undefined }, "without fsync"],
  ["one in a browser", { dataDir: "idb://shop", transaction: async () => undefined }, "without fsync"],
])("%s is refused in words", (_, given, words) => {
  expect(() => pglite(given as unknown as PGlite)).toThrow(TypeError);
  expect(() => pglite(given as unknown as PGlite)).toThrow(words);
});
