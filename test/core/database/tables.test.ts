/** The tables of `tables.ts`, column by column, against those of `schema.sql`. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import type { Columns } from "../../../src/core/database/columns.ts";
import { blob, integer, text } from "../../../src/core/database/columns.ts";
import { TABLES } from "../../../src/core/database/tables.ts";

const SCHEMA = readFileSync(fileURLToPath(new URL("../../../schema.sql", import.meta.url)), "utf8");

/** A column as `text`, `integer | null` or `integer, filled`: its type, and whether an insert may leave it out. */
type Told = Readonly<Record<string, string>>;

type Described = Readonly<Record<string, Columns>>;

function describedTables(tables: Described): Record<string, Told> {
  const told = (columns: Columns): Told =>
    Object.fromEntries(
      Object.entries(columns).map(([name, { type, isNullable, isFilled }]) => [
        name,
        `${type}${isNullable ? " | null" : ""}${isFilled ? ", filled" : ""}`,
      ]),
    );
  return Object.fromEntries(Object.entries(tables).map(([table, columns]) => [table, told(columns)]));
}

/** One row of SQLite's table_info. */
interface Info {
  readonly name: string;
  readonly type: string;
  readonly notnull: number;
  readonly dflt_value: string | null;
  readonly pk: number;
}

/** The same by the schema, as SQLite understands it. */
function storedTables(schema: string): Record<string, Told> {
  const database = new Database(":memory:");
  database.exec(schema);
  const tables = database
    .prepare("select name, type from pragma_table_list where type in ('table', 'virtual') and name not like 'sqlite_%'")
    .all() as { name: string; type: string }[];
  const columnsOf = ({ name, type }: { name: string; type: string }): Told => {
    const infos = database.prepare("select * from pragma_table_info(?)").all(name) as Info[];
    // A search index has no types, and its rows are reached by their rowid.
    if (type === "virtual")
      return Object.fromEntries([["rowid", "integer"], ...infos.map((info) => [info.name, "text"])]);
    return Object.fromEntries(infos.map((info) => [info.name, storedColumn(info)]));
  };
  const stored = Object.fromEntries(tables.map((table) => [table.name, columnsOf(table)]));
  database.close();
  return stored;
}

function storedColumn({ type, notnull, dflt_value, pk }: Info): string {
  if (type === "INTEGER" && pk === 1) return "integer, key";
  const isNullable = notnull === 0 && pk === 0; // the primary key of a strict table is never null
  return `${type.toLowerCase()}${isNullable ? " | null" : ""}${dflt_value === null ? "" : ", filled"}`;
}

/** Whether the two are the same. SQLite fills an integer key that is left out; a description may insist on it. */
const agree = (described = "nowhere", stored = "nowhere") =>
  described === stored || (stored === "integer, key" && /^integer(, filled)?$/.test(described));

/** Every difference between the two, as a sentence. */
function differences(tables: Described, schema: string): string[] {
  const [described, stored] = [describedTables(tables), storedTables(schema)];
  return unionOf(described, stored).flatMap((table) => {
    const [told = {}, columns = {}] = [described[table], stored[table]];
    return unionOf(told, columns)
      .filter((column) => !agree(told[column], columns[column]))
      .map((name) => `${table}.${name} is described ${told[name] ?? "nowhere"}, stored ${columns[name] ?? "nowhere"}`);
  });
}

const unionOf = (a: object, b: object) => [...new Set([...Object.keys(a), ...Object.keys(b)])].sort();

test("the tables are described as schema.sql makes them: columns, types, nulls and defaults", () => {
  expect(Object.keys(TABLES).length).toBeGreaterThan(15);
  expect(differences(TABLES, SCHEMA)).toEqual([]);
});

describe("control: a difference is named", () => {
  const { digest: _, ...withoutDigest } = TABLES.api_keys;

  test.each<[what: string, tables: Described, difference: string]>([
    [
      "a column that is not stored",
      { ...TABLES, api_keys: { ...TABLES.api_keys, extra: text } },
      "api_keys.extra is described text, stored nowhere",
    ],
    [
      "a column that is not described",
      { ...TABLES, api_keys: withoutDigest },
      "api_keys.digest is described nowhere, stored text",
    ],
    [
      "a null that is not stored",
      { ...TABLES, api_keys: { ...TABLES.api_keys, last_four: text.orNull } },
      "api_keys.last_four is described text | null, stored text",
    ],
    [
      "a null that is not described",
      { ...TABLES, api_keys: { ...TABLES.api_keys, revoked_at: text } },
      "api_keys.revoked_at is described text, stored text | null",
    ],
    [
      "a number for a text",
      { ...TABLES, api_keys: { ...TABLES.api_keys, last_four: integer } },
      "api_keys.last_four is described integer, stored text",
    ],
    [
      "bytes for a text",
      { ...TABLES, api_keys: { ...TABLES.api_keys, last_four: blob } },
      "api_keys.last_four is described blob, stored text",
    ],
    [
      "a default that is not described",
      { ...TABLES, series: { ...TABLES.series, next_number: integer } },
      "series.next_number is described integer, stored integer, filled",
    ],
    [
      "a default that is not stored",
      { ...TABLES, series: { ...TABLES.series, at_type: text.filled } },
      "series.at_type is described text, filled, stored text",
    ],
    [
      "a column that a search index lacks",
      { ...TABLES, customer_search: { ...TABLES.customer_search, words: text } },
      "customer_search.words is described text, stored nowhere",
    ],
  ])("%s", (_, tables, difference) => expect(differences(tables, SCHEMA)).toContain(difference));

  test("a table that is not described", () => {
    const found = differences(TABLES, `${SCHEMA}\nCREATE TABLE vans (id text primary key) strict;`);
    expect(found).toContain("vans.id is described nowhere, stored text");
  });
});
