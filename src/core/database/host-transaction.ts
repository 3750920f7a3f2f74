/** Sessions inside a transaction that the host program has open: what it commits or undoes, Lacre's part goes with. */
import { CompiledQuery, type Transaction } from "kysely";
import type { Engine, SqliteBinding } from "./engine.ts";
import { type PostgresAnswer, type PostgresClient, postgresConnection } from "./postgres-dialect.ts";
import { TYPES } from "./postgres-types.ts";
import { type Database, databaseInside, SAVEPOINT, type Session } from "./session.ts";
import { sqliteConnection } from "./sqlite-dialect.ts";

/** A transaction under way, as the host program has it in hand. */
export type HostTransaction =
  // biome-ignore lint/suspicious/noExplicitAny: whatever tables the host's own database has.
  Transaction<any> | PgClient | BetterSqlite | NodeSqlite;

/** A client of `pg`, between its `begin` and its `commit`. */
export interface PgClient {
  query(query: object): Promise<unknown>;
}

/** A connection of better-sqlite3, between its `begin` and its `commit`. */
export interface BetterSqlite {
  readonly inTransaction: boolean;
  prepare(sql: string): object;
}

/** A connection of node:sqlite, between its `begin` and its `commit`. */
export interface NodeSqlite {
  readonly isTransaction: boolean;
  prepare(sql: string): object;
}

/**
 * The database as a transaction of the host's sees it. `check` runs once, before the first statement of Lacre's. Throws
 * TypeError, in words, for a handle that is none, or none of this engine's.
 */
export function hostDatabase(
  engine: Engine,
  handle: HostTransaction,
  check: (database: Database) => Promise<void>,
): Database {
  const session = sessionOver(engine, handle);
  return databaseInside(engine, session, async () => {
    await mustBeUsable(engine, handle, session);
    await check(databaseInside(engine, session));
  });
}

const NO_HANDLE =
  "within() takes a transaction under way on the database of this Lacre: a transaction of Kysely, a client of pg, or a " +
  "connection of better-sqlite3 or node:sqlite.";

function sessionOver({ name, binding }: Engine, handle: HostTransaction): Session {
  if (isKysely(handle)) return kyselySession(handle);
  if (name === "sqlite" && "prepare" in handle) {
    mustBeOfBinding(binding, "inTransaction" in handle ? "better-sqlite3" : "node:sqlite");
    return sqliteConnection(statementsOf(handle), () => {});
  }
  if (name === "postgres" && "query" in handle) return postgresConnection(clientOver(handle));
  throw new TypeError(NO_HANDLE);
}

/** A file that two of them have open at once is damaged: each takes the other's locks for its own. */
function mustBeOfBinding(own: SqliteBinding | undefined, theirs: SqliteBinding): void {
  if (own === undefined || own === theirs) return;
  throw new TypeError(
    `This Lacre has the file open by ${own} and the handle is of ${theirs}: two SQLite libraries in one process do not ` +
      "see each other's locks.",
  );
}

/** The host's client takes one query after the other. */
function clientOver(handle: PgClient): PostgresClient {
  let last: Promise<unknown> = Promise.resolve();
  return {
    query(text, values) {
      const query = () => handle.query({ text, values: [...values], types: TYPES }) as Promise<PostgresAnswer>;
      const answer = last.then(query, query);
      last = answer;
      return answer;
    },
    release: () => {},
  };
}

// biome-ignore lint/suspicious/noExplicitAny: as in HostTransaction.
function isKysely(handle: HostTransaction): handle is Transaction<any> {
  return "executeQuery" in handle && "isTransaction" in handle && handle.isTransaction;
}

// biome-ignore lint/suspicious/noExplicitAny: as in HostTransaction.
function kyselySession(transaction: Transaction<any>): Session {
  const run: Session["run"] = (statement) => transaction.executeQuery(statement);
  return { run, send: run, savepoint: (step) => run(CompiledQuery.raw(SAVEPOINT[step])) };
}

async function mustBeUsable(engine: Engine, handle: HostTransaction, session: Session): Promise<void> {
  if (!(await isUnderWay(handle, session))) {
    throw new TypeError("There is no transaction under way: begin one, and give its handle to within().");
  }
  if (engine.name === "sqlite") await mustBeSafe(session);
  else await mustGiveNumbers(session);
}

async function isUnderWay(handle: HostTransaction, session: Session): Promise<boolean> {
  if (isKysely(handle)) return true;
  if ("inTransaction" in handle) return handle.inTransaction;
  if ("prepare" in handle) return (handle as NodeSqlite).isTransaction;
  try {
    await session.savepoint("begin");
    await session.savepoint("keep"); // a server refuses a savepoint outside a transaction
    return true;
  } catch {
    return false;
  }
}

/** Lacre sets nothing on a connection of the host's: it reads what its guards and its promise depend on. */
async function mustBeSafe(session: Session): Promise<void> {
  for (const [name, least] of [
    ["foreign_keys", 1],
    ["recursive_triggers", 1],
    ["synchronous", 2],
  ] as const) {
    const { rows } = await session.run<Record<string, unknown>>(CompiledQuery.raw(`pragma ${name}`));
    const value = Number(Object.values(rows[0] ?? {})[0]);
    if (value >= least) continue;
    throw new TypeError(
      `The connection has ${name} at ${value}: run "pragma ${name} = ${least}" before its transaction.`,
    );
  }
}

/** Drivers give whole numbers of 64 bits as texts unless they are told otherwise. A client of pg is, by each query. */
async function mustGiveNumbers(session: Session): Promise<void> {
  const { rows } = await session.run<{ whole: unknown; sum: unknown }>(
    CompiledQuery.raw("select 1::bigint as whole, 1::numeric as sum"),
  );
  if (typeof rows[0]?.whole === "number" && typeof rows[0].sum === "number") return;
  throw new TypeError(
    "The driver of this transaction gives bigint and numeric as texts: have it parse both as numbers, or give within() the client of pg.",
  );
}

/** A statement of better-sqlite3 takes an array, one of node:sqlite takes values. */
function statementsOf(handle: BetterSqlite | NodeSqlite) {
  return {
    prepare(sql: string) {
      const statement = handle.prepare(sql) as Prepared;
      const isSpread = statement.reader === undefined;
      const given = (parameters: readonly unknown[]) => (isSpread ? parameters : [parameters]);
      return {
        reader: statement.reader ?? (statement.columns?.().length ?? 0) > 0,
        all: (parameters: readonly unknown[]) => statement.all(...given(parameters)),
        run: (parameters: readonly unknown[]) => statement.run(...given(parameters)),
      };
    },
  };
}

interface Prepared {
  readonly reader?: boolean;
  columns?(): readonly unknown[];
  all(...parameters: readonly unknown[]): unknown[];
  run(...parameters: readonly unknown[]): { changes: number | bigint; lastInsertRowid: number | bigint };
}
