/** SQLite's engine: how statements are written for it, and what its schema says. */

import type { CompiledQuery, QueryId, RawNode, RootOperationNode } from "kysely";
import { SqliteAdapter, SqliteQueryCompiler, sql } from "kysely";
import type { Engine, SqliteBinding } from "./engine.ts";
import { POSTGRES_ONLY, statementsOf } from "./migrations/script.ts";
import { mustBePrefix, withPrefix } from "./sqlite-prefix.ts";
import type { Reader } from "./tables.ts";
import { textFor } from "./words.ts";

/** The most commands in one transaction. */
const MOST_TOGETHER = 64;

/**
 * Makes SQLite's engine. One process writes at a time, which `begin immediate` sees to: there is nothing to lock.
 * Throws TypeError for what cannot be a prefix.
 */
export function sqliteEngine(binding?: SqliteBinding, prefix = ""): Engine {
  if (prefix !== "") mustBePrefix(prefix);
  return {
    name: "sqlite",
    binding,
    compiler: new LikelyQueryCompiler(prefix),
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
      const columns = sql<{ name: string }>`pragma_table_info(${prefix + table})`.as("columns");
      const rows = await db.selectFrom(columns).select("columns.name").execute();
      return rows.map(({ name }) => name);
    },
    placeOf: async () => null,
    tablesOf,
    async othersOf(db, due) {
      const own = new Set(named(due).flatMap((each) => [objectOf(each)[0], ...shadowsOf(each)]));
      return (await tablesOf(db)).filter((name) => !own.has(name));
    },
    faultOfSchema: (db, due) => faultOfSchema(db, named(due)),
  };

  /** The statements with the names that things have in this file. */
  function named(due: readonly string[]): readonly string[] {
    return prefix === "" ? due : due.map((each) => withPrefix(prefix, each));
  }

  async function tablesOf(db: Reader): Promise<string[]> {
    const rows = await schemaOf(db)
      .select("objects.name")
      .where("objects.type", "in", ["table", "view"])
      .where("objects.name", "not like", "sqlite_%")
      .execute();
    // Names differ in more than capital letters, and those without the prefix are the host's.
    return rows.map(({ name }) => name).filter((name) => name.toLowerCase().startsWith(prefix));
  }
}

/**
 * Where a parameter's value could change the plan, SQLite compiles the statement again whenever one is bound or cleared
 * (https://sqlite.org/c3ref/prepare.html, R-57496-20354), and drivers clear them after every use: looking up three
 * lines took six times as long. Inside `likely` a value does not change the plan, and no plan of ours should depend on
 * one.
 */
class LikelyQueryCompiler extends SqliteQueryCompiler {
  readonly #prefix: string;

  constructor(prefix: string) {
    super();
    this.#prefix = prefix;
  }

  override compileQuery(node: RootOperationNode, queryId: QueryId): CompiledQuery {
    const compiled = super.compileQuery(node, queryId);
    return this.#prefix === "" ? compiled : { ...compiled, sql: withPrefix(this.#prefix, compiled.sql) };
  }

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

/** The tables in which SQLite keeps a table of its full-text search (https://sqlite.org/fts5.html, section 9). */
function shadowsOf(statement: string): string[] {
  if (!/^create virtual table/im.test(statement)) return [];
  return ["config", "content", "data", "docsize", "idx"].map((part) => `${objectOf(statement)[0]}_${part}`);
}

/** An object's name, and its text as SQLite stores it, but with the words before the name in small letters. */
function objectOf(commented: string): [name: string, text: string] {
  const statement = commented.replace(/^(?:--.*\n)+/, "");
  const [head = "", name = ""] = /^create (?:unique |virtual )?(?:table|index|trigger) (\w+)/i.exec(statement) ?? [];
  const text = statement.slice(head.length).replace(/;$/, "");
  return [name, head.toLowerCase() + text];
}
