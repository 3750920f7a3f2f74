/** SQLite's engine: how statements are written for it, and what its schema says. */
import { type RawNode, SchemableIdentifierNode, SqliteAdapter, SqliteQueryCompiler, sql } from "kysely";
import type { Catalogue } from "./catalogue.ts";
import type { Engine, SqliteBinding } from "./engine.ts";
import { mustKnow } from "./migrations/known.ts";
import type { TableName } from "./migrations/migration.ts";
import { preparedSelect } from "./prepared.ts";
import { thingsOf } from "./sqlite-catalogue.ts";
import { DUE_DIGEST } from "./sqlite-due.ts";
import { TABLE_NAMES, TABLES } from "./tables.ts";
import { textFor } from "./words.ts";

/** The most commands in one transaction. */
const MAX_TOGETHER = 64;

/** Short and plain, so that it needs no quotes. SQLite keeps `sqlite_` for itself, and knows no capital letters. */
const PREFIX = /^(?!sqlite_)[a-z][a-z0-9_]{0,31}$/;

/** Throws TypeError for a text that cannot begin a name. */
function mustBePrefix(prefix: string): void {
  if (PREFIX.test(prefix)) return;
  throw new TypeError(
    `A prefix is 1 to 32 characters of a–z, 0–9 and _, begins with a letter and not with sqlite_: ${JSON.stringify(prefix)} is none.`,
  );
}

/**
 * Makes SQLite's engine. One process writes at a time, which `begin immediate` ensures: there is nothing to lock.
 * `made` makes the schema in an empty database with that engine, and returns its catalogue. Throws TypeError for an
 * invalid prefix.
 */
export function sqliteEngine(
  binding: SqliteBinding | undefined,
  prefix: string,
  made: (engine: Engine) => Promise<Catalogue>,
): Engine {
  if (prefix !== "") mustBePrefix(prefix);
  const own: TableName = (name) => prefix + name;
  let due: Promise<Catalogue> | undefined;
  const engine: Engine = {
    name: "sqlite",
    binding,
    compiler: new LikelyQueryCompiler(own),
    adapter: new SqliteAdapter(),
    maxTogether: MAX_TOGETHER,
    isBackedUpByServer: false,
    laneOf: () => "",
    lock(db) {
      const found = appliedOf(db, {});
      return found instanceof Promise ? found.then(mustKnowAll) : mustKnowAll(found);
    },
    lockCompanies: () => undefined,
    lockSchema: () => undefined,
    stepsOf: ({ sqlite }) => sqlite(own),
    tables: new Set(Object.keys(TABLES).map(own)),
    beginStoring: (db) => sql`pragma temp_store = file`.execute(db), // sorting for an index would fill the memory
    settleStored: () => undefined,
    async columnsOf(db, table) {
      const columns = sql<{ name: string }>`pragma_table_info(${own(table)})`.as("columns");
      const rows = await db.selectFrom(columns).select("columns.name").execute();
      return rows.map(({ name }) => name);
    },
    placeOf: async () => null,
    async tablesOf(db) {
      const rows = await db
        .selectFrom(sql<{ name: string; type: string }>`pragma_table_list`.as("tables"))
        .select("tables.name")
        .where("tables.type", "<>", "shadow")
        .where("tables.name", "not like", "sqlite_%")
        .orderBy("tables.name")
        .execute();
      // Names differ in more than capital letters, and those without the prefix are the host's.
      return rows.map(({ name }) => name).filter((name) => name.toLowerCase().startsWith(prefix));
    },
    thingsOf: (db) => thingsOf(db, {}),
    due() {
      due ??= made(engine).catch((error) => {
        due = undefined;
        throw error;
      });
      return due;
    },
    dueDigest: prefix === "" ? DUE_DIGEST : undefined,
  };
  return engine;
}

const appliedOf = preparedSelect((db, _: object) =>
  db.selectFrom("migrations").select((eb) => eb.fn.countAll<number>().as("applied")),
);

function mustKnowAll([found]: readonly { readonly applied: number }[]): undefined {
  mustKnow(found?.applied ?? 0);
}

/**
 * Where a parameter's value could change the plan, SQLite compiles the statement again whenever one is bound or cleared
 * (https://sqlite.org/c3ref/prepare.html, R-57496-20354), and drivers clear them after every use: looking up three
 * lines took six times as long. Inside `likely` a value does not change the plan, and no plan of ours should depend on
 * one. Tables have the names that they have in this file.
 */
class LikelyQueryCompiler extends SqliteQueryCompiler {
  readonly #own: TableName;

  constructor(own: TableName) {
    super();
    this.#own = own;
  }

  protected override visitSchemableIdentifier(node: SchemableIdentifierNode): void {
    const { name } = node.identifier;
    const isOurs = !node.schema && TABLE_NAMES.has(name);
    super.visitSchemableIdentifier(isOurs ? SchemableIdentifierNode.create(this.#own(name)) : node);
  }

  protected override getCurrentParameterPlaceholder(): string {
    return `likely(${super.getCurrentParameterPlaceholder()})`;
  }

  protected override visitRaw(node: RawNode): void {
    super.visitRaw(textFor("sqlite", node));
  }
}
