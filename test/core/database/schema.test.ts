import { openLacre } from "lacre";
import { expect, test } from "vitest";
import { sqliteDialect } from "../../../src/core/database/sqlite-dialect.ts";
import { DRIVERS } from "../../support/drivers.ts";

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
