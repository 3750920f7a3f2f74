/** Lacre in a file that is a shop's: its names begin with a prefix, and the shop's tables stay as they are. */
import Sqlite from "better-sqlite3";
import { archiveLacre, type Lacre, openLacre, unarchiveLacre } from "lacre";
import { nodeSqlite } from "lacre/node-sqlite";
import { sqlite } from "lacre/sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { databaseOf, executorOf } from "../../../src/core/database/executor.ts";
import { TABLE_NAMES } from "../../../src/core/database/tables.ts";
import { SHOP_TABLES } from "../../support/databases.ts";
import { aCustomer, anInvoice, aPayment, aProduct } from "../../support/factories.ts";
import { aFile, anInstance, type Home, homeOf } from "../../support/instance.ts";
import { aTarget } from "../../support/target.ts";

const PREFIX = "lacre_";
const SHOP_ROWS = "insert into customers values ('Ana'), ('Rui'); insert into documents values ('a contract');";

const DRIVERS = { "better-sqlite3": sqlite, "node:sqlite": nodeSqlite };

/** A file of a shop, whose tables bear the names of Lacre's and have rows. */
function aShopsFile(): { readonly file: string; readonly shop: Sqlite.Database } {
  const file = aFile();
  const shop = new Sqlite(file);
  onTestFinished(() => void shop.close());
  shop.exec(SHOP_TABLES);
  shop.exec(SHOP_ROWS);
  return { file, shop };
}

const opened = async (...[options]: Parameters<typeof openLacre>): Promise<Lacre> => {
  const lacre = await openLacre(options);
  onTestFinished(() => lacre.close());
  return lacre;
};

/** The shop's own objects and rows. */
function shopOf(shop: Sqlite.Database): unknown {
  const objects = shop.prepare("select name, sql from sqlite_schema where name not glob 'lacre_*' order by name").all();
  const rows = [...TABLE_NAMES].map((name) => shop.prepare(`select '${name}' as name, shop from ${name}`).all());
  return { objects: objects.filter((row) => !(row as { name: string }).name.startsWith("sqlite_")), rows };
}

describe.each(Object.entries(DRIVERS))("in a shop's file, by %s", (name, driver) => {
  // One SQLite library at a time has the file: the shop's closes before Lacre opens it by the other.
  async function lived(): Promise<{ file: string; before: unknown; lacre: Lacre; home: Home }> {
    const { file, shop } = aShopsFile();
    const before = shopOf(shop);
    shop.close();
    const instance = await anInstance({ name, dialect: (at) => driver(at, { prefix: PREFIX }) }, { file });
    await aTarget(instance);
    return { file, before, lacre: instance.lacre, home: await homeOf(instance.lacre, instance.company_id) };
  }

  test("a whole history leaves the shop's tables as they were, and all of Lacre's begin with the prefix", async () => {
    const { file, before, lacre } = await lived();
    await lacre.close();
    const shop = new Sqlite(file);
    onTestFinished(() => void shop.close());
    expect(shopOf(shop)).toEqual(before);
    const tables = shop.prepare("select name from sqlite_schema where type = 'table'").pluck().all() as string[];
    expect(tables).toEqual(expect.arrayContaining(["lacre_documents", "lacre_customer_search", "lacre_migrations"]));
    expect(tables.filter((table) => table.startsWith("lacre_")).length).toBeGreaterThan(25);
    expect(shop.prepare("select count(*) from lacre_documents").pluck().get()).toBeGreaterThan(4);
  });

  test("everything verifies, and is found again after a restart", async () => {
    const { file, lacre, home } = await lived();
    expect(await lacre.installation.verify()).toMatchObject({ whole: true, others: [] });
    const found = await home.company.documents.list({});
    await lacre.close();
    const again = await opened({ dialect: driver(file, { prefix: PREFIX }) });
    const company = again.as((await again.companies.list())[0]?.id as string);
    expect(await company.documents.list({})).toEqual(found);
    expect(await company.series.verify()).toMatchObject({ whole: true });
  });

  test("verifying reports a change behind Lacre's back", async () => {
    const { file, lacre } = await lived();
    await lacre.close();
    const shop = new Sqlite(file);
    shop.exec("drop trigger lacre_events_are_never_deleted; create view lacre_sly as select 1 as one");
    shop.close();
    const again = await opened({ dialect: driver(file, { prefix: PREFIX }) });
    const { whole, findings, others } = await again.installation.verify();
    expect([whole, others]).toEqual([false, ["lacre_sly"]]);
    expect(JSON.stringify(findings)).toContain("lacre_events_are_never_deleted is missing.");
  });
});

test("without the prefix the shop's file is refused, and stays as it was", async () => {
  const { file, shop } = aShopsFile();
  const before = shopOf(shop);
  await expect(openLacre({ dialect: sqlite(file) })).rejects.toThrow("The database holds tables that are not Lacre's");
  expect(shopOf(shop)).toEqual(before);
  expect(shop.pragma("journal_mode", { simple: true })).toBe("delete");
});

test("a table of the shop's that begins with the prefix is not taken for Lacre's", async () => {
  const { file, shop } = aShopsFile();
  shop.exec("create table Lacre_notes (text text)");
  await expect(openLacre({ dialect: sqlite(file, { prefix: PREFIX }) })).rejects.toThrow(
    "The database holds tables that are not Lacre's: Lacre_notes. Give Lacre a file of its own.",
  );
});

test("two installations in one file, each by its prefix, know nothing of each other", async () => {
  const { file } = aShopsFile();
  const [one, other] = [
    await opened({ dialect: sqlite(file, { prefix: "one_" }) }),
    await opened({ dialect: sqlite(file, { prefix: "other_" }) }),
  ];
  await one.companies.create({ name: "Loja, Lda.", tax_id: "500000000" });
  expect([(await one.companies.list()).length, (await other.companies.list()).length]).toEqual([1, 0]);
  for (const lacre of [one, other]) expect(await lacre.installation.verify()).toMatchObject({ whole: true });
});

test("an archive has no prefix: an installation beside a shop moves to a file of its own", async () => {
  const { file } = aShopsFile();
  const instance = await anInstance({ name: "", dialect: (at) => sqlite(at, { prefix: PREFIX }) }, { file });
  await aCustomer(instance);
  await aProduct(instance);
  await aPayment(instance, await anInvoice(instance), 1);
  const documents = await instance.company.documents.list({});
  const own = aFile();
  await unarchiveLacre(archiveLacre({ dialect: sqlite(file, { prefix: PREFIX }) }), { dialect: sqlite(own) });
  const moved = await opened({ dialect: sqlite(own) });
  expect(await moved.as(instance.company_id).documents.list({})).toEqual(documents);
});

test.each(["1a", "a-b", "Loja_", "sqlite_", "a".repeat(33), "a b", "é"])("%j is no prefix", (prefix) => {
  expect(() => sqlite(":memory:", { prefix })).toThrow("A prefix is 1 to 32 characters");
});

test("a table of Lacre's is named by the prefix, and neither a column nor an alias of the same name", async () => {
  const database = databaseOf(sqlite(":memory:", { prefix: "p_" }));
  const db = executorOf(database.loose);
  const { sql } = db
    .selectFrom("lists")
    .innerJoin("companies as owners", "owners.id", "lists.company_id")
    .select(["lists.total as documents", "owners.name"])
    .where("lists.name", "=", "customers")
    .compile();
  expect(sql).toBe(
    'select "p_lists"."total" as "documents", "owners"."name" from "p_lists" ' +
      'inner join "p_companies" as "owners" on "owners"."id" = "p_lists"."company_id" where "p_lists"."name" = likely(?)',
  );
  await database.connections.close();
});
