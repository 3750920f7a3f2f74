/** Executors inside a transaction of the host program: Lacre's part is committed or undone with it. */
import { statSync } from "node:fs";
import { CompiledQuery, type QueryResult, type Transaction } from "kysely";
import type { Engine, SqliteBinding } from "./engine.ts";
import { type Database, databaseInside, type Executor, SAVEPOINT } from "./executor.ts";
import { inOrder } from "./postgres-client.ts";
import { type PostgresAnswer, type PostgresClient, postgresConnection } from "./postgres-dialect.ts";
import { postgresTrouble } from "./postgres-errors.ts";
import { TYPES } from "./postgres-types.ts";
import { sqliteConnection, sqliteTrouble } from "./sqlite-dialect.ts";
import { StorageError } from "./storage-error.ts";
import type { Reader } from "./tables.ts";

/** A transaction under way, as the host program holds it. */
export type HostTransaction =
  // biome-ignore lint/suspicious/noExplicitAny: whatever tables the host's own database has.
  Transaction<any> | PgClient | BetterSqlite | NodeSqlite | HostPort;

/** A client of `pg`, between its `begin` and its `commit`. */
export interface PgClient {
  query(query: object): Promise<unknown>;
  escapeIdentifier(name: string): string;
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
 * Any other way to run statements, one after the other, in a transaction that is under way, such as an ORM has.
 *
 * `sql` has the placeholders of its database: `?` on SQLite, in order; `$1` on PostgreSQL. `values` are texts, whole
 * numbers, byte arrays, null, and on PostgreSQL arrays of texts or numbers. It returns the rows, if any, as objects;
 * PostgreSQL's `bigint` and `numeric` as numbers, bytes as Uint8Array. An error that it throws has the database's own
 * `code`, or a `cause` that has one.
 */
export interface HostPort {
  query(sql: string, values: readonly unknown[]): Promise<readonly object[]>;
}

/** A handle as Lacre uses it. */
interface Handle {
  readonly executor: Executor;
  /** Whether a transaction is under way; undefined where only the database can tell. */
  isUnderWay(): boolean | undefined;
}

/** A file that SQLite has open. */
export interface FileInUse {
  readonly path: string;
  readonly marks: string | undefined;
}

/** What `hostDatabase` compares with a handle. */
export interface Own {
  readonly engine: Engine;
  /** Throws if a transaction is on another database. */
  mustBeSame(theirs: Database): Promise<void>;
  /** Receives the server's process id of the transaction. */
  notePid(pid: number): void;
}

/** A transaction of the host program as a database, and whether it may still be open. */
export interface HostDatabase {
  readonly database: Database;
  isOpen(): boolean;
}

const NOT_UNDER_WAY = "There is no transaction under way: begin one, and give its handle to within().";

/**
 * The database as seen from inside a transaction of the host program. Before Lacre's first statement it checks that the
 * transaction is on this database, and before each one that it is still open. Throws TypeError, with a sentence for the
 * host's programmer, when the handle is not a transaction, or belongs to another engine.
 */
export function hostDatabase({ engine, mustBeSame, notePid }: Own, handle: HostTransaction): HostDatabase {
  const { executor: bare, isUnderWay } = handleOf(engine, handle);
  const executor = guarded(bare, isUnderWay);
  const check = async () => {
    await mustBeUnderWay(engine, executor, isUnderWay);
    if (engine.name === "sqlite") await mustBeSafe(executor);
    else notePid(await mustGiveNumbers(executor));
    await mustBeSame(databaseInside(engine, executor));
  };
  const each = async () => {
    if (isUnderWay() === undefined) await mustBeUnderWay(engine, executor, isUnderWay);
  };
  return { database: databaseInside(engine, executor, { check, each }), isOpen: () => isUnderWay() !== false };
}

const NO_HANDLE =
  "within() takes a transaction under way on the database of this Lacre: a transaction of Kysely, a client of pg, a " +
  "connection of better-sqlite3 or node:sqlite, or an object whose query(sql, values) gives the rows.";

function handleOf({ name, binding }: Engine, handle: HostTransaction): Handle {
  if (typeof handle !== "object" || handle === null) throw new TypeError(NO_HANDLE);
  if (isKysely(handle)) return kyselyHandle(name, handle);
  if (name === "sqlite" && has(handle, "prepare")) return sqliteHandle(binding, handle as BetterSqlite | NodeSqlite);
  if (!has(handle, "query")) throw new TypeError(NO_HANDLE);
  if (has(handle, "escapeIdentifier")) {
    if (name !== "postgres") throw new TypeError(NO_HANDLE);
    return pgHandle(handle as PgClient);
  }
  const { query } = handle as HostPort;
  const inTurn = inOrder((sql: string, values: readonly unknown[]) => query.call(handle, sql, values));
  return { executor: portExecutor(name, { query: inTurn }), isUnderWay: () => undefined };
}

const has = (handle: object, method: string) => typeof handle[method as keyof typeof handle] === "function";

function sqliteHandle(binding: SqliteBinding | undefined, handle: BetterSqlite | NodeSqlite): Handle {
  const isBetter = "inTransaction" in handle;
  if (!isBetter && !("isTransaction" in handle)) throw new TypeError(NO_HANDLE);
  mustBeOfBinding(binding, isBetter ? "better-sqlite3" : "node:sqlite");
  return {
    executor: sqliteConnection(statementsOf(handle), () => {}),
    isUnderWay: () => (isBetter ? handle.inTransaction : handle.isTransaction),
  };
}

/** A file that both have open at once is damaged: each takes the other's locks for its own. */
function mustBeOfBinding(own: SqliteBinding | undefined, theirs: SqliteBinding): void {
  if (own === undefined || own === theirs) return;
  throw new TypeError(
    `This Lacre has the file open by ${own} and the handle is of ${theirs}: two SQLite libraries in one process do not ` +
      "see each other's locks.",
  );
}

/** `I` if its server last reported that it is idle. */
function pgHandle(handle: PgClient & { getTransactionStatus?(): string | null }): Handle {
  return {
    executor: postgresConnection(clientOver(handle)),
    isUnderWay() {
      const status = handle.getTransactionStatus?.() ?? undefined;
      return status === undefined ? undefined : status !== "I";
    },
  };
}

/** The host's client takes one query after the other. */
function clientOver(handle: PgClient): PostgresClient {
  const query = inOrder((text: string, values: readonly unknown[]) =>
    handle.query({ text, values: [...values], types: TYPES }),
  );
  return { query: query as PostgresClient["query"], release: () => {} };
}

interface Queries {
  query(text: string, values: readonly unknown[]): Promise<unknown>;
}

// biome-ignore lint/suspicious/noExplicitAny: as in HostTransaction.
function isKysely(handle: HostTransaction): handle is Transaction<any> {
  return has(handle, "executeQuery") && "isTransaction" in handle && handle.isTransaction === true;
}

/** Without the host's plugins, which would change the names of columns. */
// biome-ignore lint/suspicious/noExplicitAny: as in HostTransaction.
function kyselyHandle(engine: Engine["name"], transaction: Transaction<any>): Handle {
  const plain = transaction.withoutPlugins();
  const { isCommitted, isRolledBack } = transaction as { isCommitted?: boolean; isRolledBack?: boolean };
  const knows = typeof isCommitted === "boolean" && typeof isRolledBack === "boolean";
  const run: Executor["run"] = (statement) => plain.executeQuery(statement).catch(throwTranslated(engine));
  return {
    executor: { run, send: run, savepoint: (step) => run(CompiledQuery.raw(SAVEPOINT[step])) },
    isUnderWay() {
      const { isCommitted, isRolledBack } = transaction as { isCommitted?: boolean; isRolledBack?: boolean };
      return knows ? !(isCommitted || isRolledBack) : undefined;
    },
  };
}

function portExecutor(engine: Engine["name"], { query }: Queries): Executor {
  async function run<Row>({ sql, parameters }: CompiledQuery<Row>): Promise<QueryResult<Row>> {
    const answer = await query(sql, parameters).catch(throwTranslated(engine));
    // The answer of `pg` holds the rows in a member.
    const rows = Array.isArray(answer) ? answer : (answer as Partial<PostgresAnswer> | null)?.rows;
    return { rows: [...(rows ?? [])] as Row[] };
  }
  return { run, send: run, savepoint: (step) => run(CompiledQuery.raw(SAVEPOINT[step])) };
}

/** ORMs keep the error of the database as the cause of their own. */
const throwTranslated =
  (engine: Engine["name"]) =>
  (error: unknown): never => {
    const trouble = (one: unknown) => (engine === "sqlite" ? sqliteTrouble(one) : postgresTrouble(one, "running"));
    throw trouble(error) ?? trouble((error as Partial<Error> | null)?.cause) ?? error;
  };

/** The same executor, which refuses once the transaction is known to have ended. */
function guarded(executor: Executor, isUnderWay: Handle["isUnderWay"]): Executor {
  const open = () => {
    if (isUnderWay() === false) throw new TypeError(NOT_UNDER_WAY);
    return executor;
  };
  return {
    run: (statement) => open().run(statement),
    send: (statement) => open().send(statement),
    savepoint: (step) => open().savepoint(step),
  };
}

async function mustBeUnderWay(engine: Engine, executor: Executor, isUnderWay: Handle["isUnderWay"]): Promise<void> {
  const known = isUnderWay();
  if (known === true && engine.name === "sqlite") return;
  if (known === false || !(await tells(engine, executor))) throw new TypeError(NOT_UNDER_WAY);
}

/** A server refuses a savepoint outside a transaction; SQLite refuses to begin one inside another. */
async function tells({ name }: Engine, executor: Executor): Promise<boolean> {
  try {
    if (name === "sqlite") await executor.run(CompiledQuery.raw("begin"));
    else {
      await executor.savepoint("begin");
      await executor.savepoint("keep");
    }
  } catch (error) {
    if (error instanceof StorageError) throw error;
    return name === "sqlite" && /within a transaction/.test(String((error as Partial<Error>).cause ?? error));
  }
  if (name === "sqlite") await executor.run(CompiledQuery.raw("rollback"));
  return name !== "sqlite";
}

/** Lacre sets nothing on the host's connection: it reads the settings that its guards and its durability depend on. */
async function mustBeSafe(executor: Executor): Promise<void> {
  for (const [name, least] of [
    ["foreign_keys", 1],
    ["recursive_triggers", 1],
    ["synchronous", 2],
  ] as const) {
    const { rows } = await executor.run<Record<string, unknown>>(CompiledQuery.raw(`pragma ${name}`));
    const value = Number(Object.values(rows[0] ?? {})[0]);
    if (value >= least) continue;
    throw new TypeError(
      `The connection has ${name} at ${value}: run "pragma ${name} = ${least}" before its transaction.`,
    );
  }
}

/** Drivers return 64-bit integers as texts unless told otherwise. Lacre tells a client of pg with each query. */
async function mustGiveNumbers(executor: Executor): Promise<number> {
  const { rows } = await executor.run<{ whole: unknown; sum: unknown; pid: unknown }>(
    CompiledQuery.raw("select 1::bigint as whole, 1::numeric as sum, pg_backend_pid() as pid"),
  );
  if (typeof rows[0]?.whole === "number" && typeof rows[0].sum === "number") return Number(rows[0].pid);
  throw new TypeError(
    "The driver of this transaction gives bigint and numeric as texts: have it parse both as numbers, or give within() the client of pg.",
  );
}

/** The file under a database of SQLite; undefined in memory. */
export async function fileInUse(db: Reader & { readonly executor: Executor }): Promise<FileInUse | undefined> {
  const { rows } = await db.executor.run<{ name: string; file: string | null }>(
    CompiledQuery.raw("pragma database_list"),
  );
  const path = rows.find(({ name }) => name === "main")?.file ?? "";
  return path === "" ? undefined : { path, marks: marksOf(path) };
}

/**
 * Whether both are the same file, and it is still there. A second path to it, by a link or a rename, counts as another
 * file: its log would lie elsewhere.
 */
export function isSameFile(own: FileInUse | undefined, theirs: FileInUse | undefined): boolean {
  return own?.marks !== undefined && own.marks === theirs?.marks && marksOf(own.path) === own.marks;
}

/** What identifies a file: the device and number of itself and of its directory, and its name there. */
function marksOf(path: string): string | undefined {
  const cut = Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\"));
  const [file, directory] = [path, path.slice(0, cut) || "/"].map((one) => statSync(one, { throwIfNoEntry: false }));
  if (!file || !directory) return undefined;
  return [file.dev, file.ino, directory.dev, directory.ino, path.slice(cut + 1)].join("/");
}

/** A statement of better-sqlite3 takes an array, one of node:sqlite takes values. */
function statementsOf(handle: BetterSqlite | NodeSqlite) {
  const translated = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw sqliteTrouble(error) ?? error;
    }
  };
  return {
    prepare(sql: string) {
      const statement = translated(() => handle.prepare(sql) as Prepared);
      const isSpread = statement.reader === undefined;
      const given = (parameters: readonly unknown[]) => (isSpread ? parameters : [parameters]);
      return {
        reader: statement.reader ?? (statement.columns?.().length ?? 0) > 0,
        all: (parameters: readonly unknown[]) => translated(() => statement.all(...given(parameters))),
        run: (parameters: readonly unknown[]) => translated(() => statement.run(...given(parameters))),
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
