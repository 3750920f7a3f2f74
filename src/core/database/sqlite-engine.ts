/** SQLite's engine: how statements are written for it, and what its schema says. */

import type { RawNode } from "kysely";
import { SqliteAdapter, SqliteQueryCompiler, sql } from "kysely";
import type { Engine, SqliteBinding } from "./engine.ts";
import { POSTGRES_ONLY, statementsOf } from "./migrations/script.ts";
import type { Reader } from "./tables.ts";
import { textFor } from "./words.ts";

/** The most commands in one transaction. */
const MOST_TOGETHER = 64;

/** Makes SQLite's engine. One process writes at a time, which `begin immediate` sees to: there is nothing to lock. */
export function sqliteEngine(binding?: SqliteBinding): Engine {
  return {
    name: "sqlite",
    binding,
    compiler: new LikelyQueryCompiler(),
    adapter: new SqliteAdapter(),
    mostTogether: MOST_TOGETHER,
    isBackedUpByServer: false,
    laneOf: () => "",
    lock: () => undefined,
    lockCompanies: () => undefined,
    lockSchema: () => undefined,
    statementsOf: (script) => statementsOf(script).filter((statement) => !statement.includes(POSTGRES_ONLY)),
    beginStoring: (db) => sql`pragma temp_store = file`.execute(db), // sorting for an index would fill the memory
    settleStored: () => undefined,
    async columnsOf(db, table) {
      const columns = sql<{ name: string }>`pragma_table_info(${table})`.as("columns");
      const rows = await db.selectFrom(columns).select("columns.name").execute();
      return rows.map(({ name }) => name);
    },
    placeOf: async () => null,
    async tablesOf(db) {
      const rows = await schemaOf(db)
        .select("objects.name")
        .where("objects.type", "in", ["table", "view"])
        .where("objects.name", "not like", "sqlite_%")
        .execute();
      return rows.map(({ name }) => name);
    },
    faultOfSchema,
  };
}

/**
 * Where a parameter's value could change the plan, SQLite compiles the statement again whenever one is bound or cleared
 * (https://sqlite.org/c3ref/prepare.html, R-57496-20354), and drivers clear them after every use: looking up three
 * lines took six times as long. Inside `likely` a value does not change the plan, and no plan of ours should depend on
 * one.
 */
class LikelyQueryCompiler extends SqliteQueryCompiler {
  protected override getCurrentParameterPlaceholder(): string {
    return `likely(${super.getCurrentParameterPlaceholder()})`;
  }

  protected override visitRaw(node: RawNode): void {
    super.visitRaw(textFor("sqlite", node));
  }
}

interface StoredObject {
  type: string;
  name: string;
  tbl_name: string;
  sql: string;
}

/** The objects of the schema, by name. */
function schemaOf(db: Reader) {
  return db.selectFrom(sql<StoredObject>`sqlite_schema`.as("objects")).orderBy("objects.name");
}

async function faultOfSchema(db: Reader, due: readonly string[]): Promise<string | null> {
  const made = new Map(due.map(objectOf));
  const stored = await schemaOf(db)
    .select(["objects.type", "objects.name", "objects.tbl_name", "objects.sql"])
    .where("objects.sql", "is not", null)
    .execute();
  const found = new Map(stored.map(({ name, sql: text }) => [name, objectOf(text)[1]]));
  for (const [name, text] of made) {
    if (found.get(name) === undefined) return `${name} is missing.`;
    if (found.get(name) !== text) return `${name} is not as this program makes it.`;
  }
  const attached = stored.find(({ name, tbl_name }) => name !== tbl_name && made.has(tbl_name) && !made.has(name));
  return attached ? `The ${attached.type} ${attached.name} on ${attached.tbl_name} is not Lacre's.` : null;
}

/** An object's name, and its text as SQLite stores it, but with the words before the name in small letters. */
function objectOf(commented: string): [name: string, text: string] {
  const statement = commented.replace(/^(?:--.*\n)+/, "");
  const [head = "", name = ""] = /^create (?:unique |virtual )?(?:table|index|trigger) (\w+)/i.exec(statement) ?? [];
  const text = statement.slice(head.length).replace(/;$/, "");
  return [name, head.toLowerCase() + text];
}
