import { openLacre } from "lacre";
import { expect, onTestFinished, test } from "vitest";
import { catalogueOf, digestOfTables } from "../../../src/core/database/catalogue.ts";
import { databaseOf } from "../../../src/core/database/executor.ts";
import { sqliteDialect } from "../../../src/core/database/sqlite-dialect.ts";
import { DRIVERS } from "../../support/drivers.ts";
import { aFile } from "../../support/instance.ts";

const HEADER = `-- The database as the migrations build it: a photograph, taken by test/core/database/schema.test.ts (vitest -u retakes it).
-- Tables first, in the order they were made, each with its indexes; then the guards.
`;

/** Every statement of the schema, comments included: tables with their indexes, then triggers. Left out are the tables
 * that SQLite itself makes for a search index. */
async function schemaOf(driver: (typeof DRIVERS)[number]): Promise<string> {
  const raw = driver.open(":memory:");
  const lacre = await openLacre({ dialect: sqliteDialect(() => raw, ":memory:") });
  const made = raw
    .prepare(
      `select type, tbl_name, sql from sqlite_schema where sql is not null
       and name not in (select name from pragma_table_list where type = 'shadow') order by rowid`,
    )
    .all([]) as { type: string; tbl_name: string; sql: string }[];
  await lacre.close();
  const tables = made.filter(({ type }) => type === "table");
  const indexesOf = (name: string) => made.filter(({ type, tbl_name }) => type === "index" && tbl_name === name);
  const triggers = made.filter(({ type }) => type === "trigger");
  const ordered = [...tables.flatMap((table) => [table, ...indexesOf(table.tbl_name)]), ...triggers];
  expect(ordered).toHaveLength(made.length);
  return [HEADER, ...ordered.map(({ sql }) => `${sql};\n`)].join("\n");
}

test.each(DRIVERS)("schema.sql is what the migrations build over $name", async (driver) => {
  await expect(await schemaOf(driver)).toMatchFileSnapshot("../../../schema.sql");
});

const DUE_HEADER = `/**
 * All that the schema consists of on SQLite, without a prefix, as a digest: a photograph, taken by
 * test/core/database/schema.test.ts (vitest -u retakes it). Only a file with another is compared thing by thing.
 */
`;

test.each(DRIVERS)("sqlite-due.ts is the digest of all that the migrations build over $name", async ({ dialect }) => {
  const home = dialect(aFile());
  await (await openLacre({ dialect: home })).close();
  const database = databaseOf(home);
  onTestFinished(() => database.connections.close());
  const { tables, thingsOf, due } = home.engine;
  const things = await thingsOf(database.loose);
  expect(things.filter(({ table }) => !tables.has(table))).toEqual([]);
  expect(catalogueOf(things)).toEqual(await due());
  await expect(`${DUE_HEADER}export const DUE_DIGEST = "${digestOfTables(things, tables)}";\n`).toMatchFileSnapshot(
    "../../../src/core/database/sqlite-due.ts",
  );
});
