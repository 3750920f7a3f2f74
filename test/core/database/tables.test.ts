/** The row types of `tables.ts`, column by column, against the tables of `schema.sql`. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";

const read = (path: string) => readFileSync(fileURLToPath(new URL(`../../../${path}`, import.meta.url)), "utf8");
const TYPES = read("src/core/database/tables.ts");
const SCHEMA = read("schema.sql");

/** A column as `text`, `integer | null` or `integer, filled`: its type, and whether an insert may leave it out. */
type Columns = Readonly<Record<string, string>>;

/** The columns of every table by the row types. A named type stands for text: the fiscal words are unions of it. */
function typedTables(text: string): Record<string, Columns> {
  const columnsIn = (body = ""): Columns => {
    const members = Array.from(body.matchAll(/^ +(\w+): (.+);$/gm));
    const own = members.filter(([, , type]) => !type?.startsWith("ColumnType<")); // what only queries may name
    return Object.fromEntries(own.map(([, column, type]) => [column, typedColumn(type as string)]));
  };
  const [, search] = /^interface SearchTable \{\n([\s\S]*?)^\}/m.exec(text) ?? [];
  const [, tables = ""] = /^export interface Tables \{\n([\s\S]*?)^\}/m.exec(text) ?? [];
  return Object.fromEntries(
    Array.from(tables.matchAll(/^ {2}(\w+): (?:\{\n([\s\S]*?)^ {2}\}|SearchTable);$/gm), ([, table, body]) => [
      table,
      columnsIn(body ?? search),
    ]),
  );
}

function typedColumn(type: string): string {
  const [, filled] = /^Generated<(.+)>$/.exec(type) ?? [];
  const bare = (filled ?? type).replace(/ \| null$/, "");
  const kind = bare === "number" ? "integer" : bare === "Uint8Array" ? "blob" : "text";
  return `${kind}${(filled ?? type).endsWith(" | null") ? " | null" : ""}${filled ? ", filled" : ""}`;
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
function storedTables(schema: string): Record<string, Columns> {
  const database = new Database(":memory:");
  database.exec(schema);
  const tables = database
    .prepare("select name, type from pragma_table_list where type in ('table', 'virtual') and name not like 'sqlite_%'")
    .all() as { name: string; type: string }[];
  const columnsOf = ({ name, type }: { name: string; type: string }): Columns => {
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

/** Whether a type and a column are the same. SQLite fills an integer key that is left out; a type may insist on it. */
const agree = (typed = "nowhere", stored = "nowhere") =>
  typed === stored || (stored === "integer, key" && /^integer(, filled)?$/.test(typed));

/** Every difference between the two, as a sentence. */
function differences(types: string, schema: string): string[] {
  const [typed, stored] = [typedTables(types), storedTables(schema)];
  return unionOf(typed, stored).flatMap((table) => {
    const [types = {}, columns = {}] = [typed[table], stored[table]];
    return unionOf(types, columns)
      .filter((column) => !agree(types[column], columns[column]))
      .map((name) => `${table}.${name} is typed ${types[name] ?? "nowhere"}, stored ${columns[name] ?? "nowhere"}`);
  });
}

const unionOf = (a: object, b: object) => [...new Set([...Object.keys(a), ...Object.keys(b)])].sort();

test("the row types are the tables of schema.sql: columns, types, nulls and defaults", () => {
  expect(Object.keys(typedTables(TYPES)).length).toBeGreaterThan(15);
  expect(differences(TYPES, SCHEMA)).toEqual([]);
});

describe("control: a difference is named", () => {
  const typesWith = (before: string, after: string) => {
    expect(TYPES).toContain(before);
    return differences(TYPES.replace(before, after), SCHEMA);
  };

  test.each<[what: string, before: string, after: string, difference: string]>([
    [
      "a column that is not stored",
      "    digest: string;\n    last",
      "    digest: string;\n    extra: string;\n    last",
      "api_keys.extra is typed text, stored nowhere",
    ],
    ["a column that is not typed", "    last_four: string;\n", "", "api_keys.last_four is typed nowhere, stored text"],
    [
      "a null that is not stored",
      "  last_four: string;",
      "  last_four: string | null;",
      "api_keys.last_four is typed text | null, stored text",
    ],
    [
      "a null that is not typed",
      "  revoked_at: string | null;",
      "  revoked_at: string;",
      "api_keys.revoked_at is typed text, stored text | null",
    ],
    [
      "a number for a text",
      "  last_four: string;",
      "  last_four: number;",
      "api_keys.last_four is typed integer, stored text",
    ],
    [
      "a text for bytes",
      "  picture: Uint8Array;",
      "  picture: string;",
      "company_logos.picture is typed text, stored blob",
    ],
    [
      "a default that is not typed",
      "  next_number: Generated<number>;",
      "  next_number: number;",
      "series.next_number is typed integer, stored integer, filled",
    ],
    [
      "a default that is not stored",
      "  at_type: string;",
      "  at_type: Generated<string>;",
      "series.at_type is typed text, filled, stored text",
    ],
    [
      "a column that a search index lacks",
      "  pieces: string;",
      "  words: string;",
      "customer_search.words is typed text, stored nowhere",
    ],
  ])("%s", (_, before, after, difference) => expect(typesWith(before, after)).toContain(difference));

  test("a table that is not typed", () => {
    const found = differences(TYPES, `${SCHEMA}\nCREATE TABLE vans (id text primary key) strict;`);
    expect(found).toContain("vans.id is typed nowhere, stored text");
  });
});
