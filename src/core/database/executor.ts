/**
 * The executor, the one port under every statement. Kysely builds and compiles statements; an executor runs them, at
 * once on SQLite, with a promise over a network.
 */
import {
  CompiledQuery,
  type DatabaseConnection,
  DefaultQueryExecutor,
  type Dialect,
  type Driver,
  type QueryExecutor,
  type QueryResult,
  Transaction,
} from "kysely";
import type { Engine } from "./engine.ts";
import type { Reader, Tables } from "./tables.ts";

/** A value, or a promise of it where the database is asked over a network. `await` takes both. */
export type Soon<T> = T | Promise<T>;

/** Runs compiled statements in the order they are given. */
export interface Executor {
  /** The connection's process on a server; undefined if it is not known for sure. */
  readonly pid?: number | undefined;
  /** Returns the rows of a statement, and how many it changed. `isKept`: the statement will be run again. */
  run<Row>(statement: CompiledQuery<Row>, isKept?: boolean): Soon<QueryResult<Row>>;
  /**
   * Runs a change whose result nobody reads. Over a network nobody waits for it: the next statement that is run, or the
   * commit, throws its error.
   */
  send(statement: CompiledQuery): Soon<unknown>;
  /** Begins a part of the transaction, keeps it, or undoes it without ending it. Parts do not overlap. */
  savepoint(step: SavepointStep): Soon<unknown>;
}

/** A step of a savepoint. */
export type SavepointStep = keyof typeof SAVEPOINT;

/** The SQL of each step, the same on every engine. */
export const SAVEPOINT = {
  begin: "savepoint command",
  undo: "rollback to savepoint command",
  keep: "release savepoint command",
} as const;

/** What a transaction is for. `snapshot`: everything it reads is as of one moment. */
export type Purpose = "write" | "snapshot";

/** A connection that one caller has until it is released. */
export interface Connection extends Executor {
  /**
   * Begins a transaction. If it waits for a lock for longer than `patience_ms`, a whole number, it fails with the
   * trouble `held`: on SQLite here, on a server at the statement that waits.
   */
  begin(purpose: Purpose, patience_ms?: number): Soon<void>;
  commit(): Soon<void>;
  rollback(): Soon<void>;
  /** Gives the connection to whoever waits for it. Nothing may use it afterwards. One that `isBroken` is closed. */
  release(isBroken?: boolean): void;
}

/** The connections to one database. Each opens at its first use. */
export interface Connections {
  /** How many connections are for changes. */
  readonly writers: number;
  /** There is a single connection: reading waits for a change. */
  readonly isOne?: boolean;
  /** A connection for changes; waits until one is free. */
  writer(): Soon<Connection>;
  /** A connection for a transaction of the host program: where there are several, not one of those for changes. */
  hosted(): Soon<Connection>;
  /** A connection for reading; waits until one is free. */
  reader(): Soon<Connection>;
  /** What other programs on the database commit; undefined where it tells nobody. */
  readonly news?: News | undefined;
  /** Closes all connections; none may be used afterwards. */
  close(): Promise<void>;
}

/** Programs on one database tell each other that they have committed. Whoever is not told must look now and then. */
export interface News {
  /**
   * Calls `heard` whenever another than `me` tells, and whenever something may have been missed, until the connections
   * are closed. It never throws: a lost connection is made again, and where nothing can be heard nothing is.
   */
  listen(me: string, heard: () => void): void;
  /** Tells the others. */
  tell(me: string): Promise<void>;
  close(): Promise<void>;
}

/** Kysely over one executor: queries built with it run there. */
export type ExecutorDb = Transaction<Tables> & { readonly engine: Engine; readonly executor: Executor };

/** Kysely's builders over an executor. */
function dbOver(engine: Engine, executor: Executor): ExecutorDb {
  const connection = kyselyConnection(executor);
  const queryExecutor = new DefaultQueryExecutor(engine.compiler, engine.adapter, {
    provideConnection: (use) => use(connection),
  });
  return Object.assign(kyselyOver<Tables>(queryExecutor), { engine, executor });
}

/** Kysely's builders over whatever runs their statements. */
export function kyselyOver<Known>(executor: QueryExecutor): Transaction<Known> {
  return new Transaction<Known>({
    config: { dialect: NO_DIALECT },
    dialect: NO_DIALECT,
    driver: NO_DRIVER,
    executor,
  });
}

/** An executor as Kysely takes it. */
export function kyselyConnection<Own extends Pick<Executor, "run">>(
  executor: Own,
): DatabaseConnection & { readonly executor: Own } {
  return {
    executor,
    executeQuery: async <Row>(statement: CompiledQuery) => executor.run(statement as CompiledQuery<Row>),
    streamQuery() {
      throw new Error("An executor gives all rows of a statement together.");
    },
  };
}

/** Kysely asks its own instances' dialect and driver for things that an executor does itself. */
const NO_DIALECT = {} as Dialect;
const NO_DRIVER = {} as Driver;

/** The executor behind a database. Throws for one that Lacre did not open. */
export function executorOf(db: Reader): ExecutorDb {
  if ("executor" in db) return db as ExecutorDb;
  throw new TypeError("This database has no executor: only one that Lacre opened has.");
}

/** A database as `openLacre` holds it. */
export interface Database {
  readonly engine: Engine;
  readonly connections: Connections;
  /** Reads outside a snapshot: each statement takes a connection for itself. */
  readonly loose: Reader;
}

/** Opens the database of a dialect; its connections open at their first use. */
export function databaseOf({ engine, connect }: ConnectionSource): Database {
  return databaseOver(engine, connect());
}

/** A database over existing connections. */
export function databaseOver(engine: Engine, connections: Connections): Database {
  return { engine, connections, loose: dbOver(engine, looseExecutor(connections)) };
}

/** Awaited before statements inside a transaction: `check` before the first, `each` before each call. */
interface Checks {
  readonly check?: () => Promise<void>;
  readonly each?: () => Promise<void>;
}

/** A server's lock timeout is restored when the part of the transaction that changed it ends. */
const SET_PATIENCE = `with kept as materialized (select current_setting('lock_timeout') as before)
  select before, set_config('lock_timeout', $1, true) from kept`;
const PUT_BACK = "select set_config('lock_timeout', $1, true)";

/**
 * A database inside a transaction: callers take its one executor in turn, and their own transactions are savepoints of
 * it.
 */
export function databaseInside(engine: Engine, executor: Executor, { check, each }: Checks = {}): Database {
  let before: string | undefined;
  const inner = {
    ...executor,
    async begin(_: Purpose, patience_ms?: number) {
      await executor.savepoint("begin");
      before = undefined;
      if (patience_ms === undefined || engine.name === "sqlite") return;
      const set = CompiledQuery.raw(SET_PATIENCE, [String(patience_ms)]) as CompiledQuery<{ before: string }>;
      before = (await executor.run(set)).rows[0]?.before;
    },
    async commit() {
      if (before !== undefined) await executor.run(CompiledQuery.raw(PUT_BACK, [before]));
      await executor.savepoint("keep");
    },
    async rollback() {
      await executor.savepoint("undo");
      await executor.savepoint("keep");
    },
  };
  let checked: Promise<void> | undefined;
  let last: Promise<void> = Promise.resolve();

  async function take(): Promise<Connection> {
    const ahead = last;
    const turn = Promise.withResolvers<void>();
    last = turn.promise;
    await ahead;
    try {
      checked ??= check?.() ?? Promise.resolve();
      await checked;
      await each?.();
    } catch (error) {
      turn.resolve();
      throw error;
    }
    return { ...inner, release: () => turn.resolve() };
  }

  return databaseOver(engine, { writers: 1, writer: take, hosted: take, reader: take, close: async () => {} });
}

/**
 * The database Lacre runs on, as `sqlite()`, `nodeSqlite()` and `postgres()` make it. Another Kysely dialect will not
 * do, not even Kysely's own for the same database: it lacks the settings and the transactions that keep an acknowledged
 * invoice from being lost.
 */
export interface LacreDialect extends Dialect, ConnectionSource {}

/** What Lacre's dialects add to a dialect of Kysely. */
export interface ConnectionSource {
  /** What this kind of database does in its own way. */
  readonly engine: Engine;
  /** The connections to the database. */
  connect(): Connections;
}

function looseExecutor(connections: Connections): Executor {
  function run<Row>(statement: CompiledQuery<Row>): Soon<QueryResult<Row>> {
    const taken = connections.reader();
    return taken instanceof Promise ? taken.then((free) => runOn(free, statement)) : runOn(taken, statement);
  }
  const savepoint = () => {
    throw new Error("There is no transaction to take a savepoint in.");
  };
  return { run, send: run, savepoint };
}

function runOn<Row>(connection: Connection, statement: CompiledQuery<Row>): Soon<QueryResult<Row>> {
  let running: Soon<QueryResult<Row>> | undefined;
  try {
    running = connection.run(statement);
  } finally {
    if (!(running instanceof Promise)) connection.release();
  }
  return running instanceof Promise ? running.finally(() => connection.release()) : running;
}

/** An open transaction. Its `db` refuses to run anything once it ends. */
export interface OpenTransaction {
  readonly db: ExecutorDb;
  commit(): Promise<void>;
  /** Undoes everything. Does nothing if the transaction has ended. */
  rollback(): Promise<void>;
  /** Closes the connection, which also undoes the transaction when a server cannot. */
  abandon(): void;
}

/** Begins a transaction on a connection of its own, which is released when it ends. */
export async function beginTransaction(
  { engine, connections }: Database,
  purpose: Purpose,
  { patience_ms, isHosted = false }: { readonly patience_ms?: number; readonly isHosted?: boolean } = {},
): Promise<OpenTransaction> {
  const taken = isHosted ? connections.hosted() : purpose === "write" ? connections.writer() : connections.reader();
  const connection = await taken;
  try {
    await connection.begin(purpose, patience_ms);
  } catch (error) {
    connection.release();
    throw error;
  }
  let isOpen = true;
  let isReleased = false;
  const release = (isBroken?: boolean) => {
    if (isReleased) return;
    isReleased = true;
    connection.release(isBroken);
  };
  const open = () => {
    // A forgotten `await` must not run in the transaction of another call.
    if (!isOpen) throw new Error("The transaction has ended.");
    return connection;
  };
  return {
    db: dbOver(engine, {
      pid: connection.pid,
      run: (statement, isKept) => open().run(statement, isKept),
      send: (statement) => open().send(statement),
      savepoint: (step) => open().savepoint(step),
    }),
    async commit() {
      open();
      isOpen = false; // over a network, what is sent now would run after the end
      await connection.commit();
      release();
    },
    async rollback() {
      if (isReleased) return;
      isOpen = false;
      try {
        await connection.rollback();
      } finally {
        release();
      }
    },
    abandon: () => release(true),
  };
}

/** Runs work in a transaction of its own; if the work throws, the transaction is undone. */
export async function inTransaction<T>(
  database: Database,
  purpose: Purpose,
  work: (db: ExecutorDb) => Soon<T>,
): Promise<T> {
  const transaction = await beginTransaction(database, purpose);
  try {
    const value = await work(transaction.db);
    await transaction.commit();
    return value;
  } catch (error) {
    await transaction.rollback();
    throw error;
  }
}

/** Kysely's own driver over the same connections, for a program that uses the dialect without Lacre. */
export function connectionDriver(connect: () => Connections): Driver {
  let connections: Connections | undefined;
  const own = (connection: DatabaseConnection) =>
    (connection as ReturnType<typeof kyselyConnection<Connection>>).executor;
  return {
    async init() {
      connections = connect();
    },
    async acquireConnection() {
      return kyselyConnection(await (connections as Connections).writer());
    },
    beginTransaction: async (connection) => own(connection).begin("write"),
    commitTransaction: async (connection) => own(connection).commit(),
    rollbackTransaction: async (connection) => own(connection).rollback(),
    releaseConnection: async (connection) => own(connection).release(),
    destroy: async () => connections?.close(),
  };
}
