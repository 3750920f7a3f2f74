/**
 * The parts both SQLite drivers share: settings that are set and read back, `begin immediate`, a statement cache, and a
 * second, read-only connection so that reads never wait for a write.
 */
import {
  type CompiledQuery,
  type QueryResult,
  type SqliteDatabase,
  SqliteIntrospector,
  type SqliteStatement,
} from "kysely";
import { type Catalogue, catalogueOf } from "./catalogue.ts";
import type { Engine, SqliteBinding } from "./engine.ts";
import {
  type Connection,
  type Connections,
  connectionDriver,
  databaseOver,
  inTransaction,
  type LacreDialect,
  type Purpose,
  SAVEPOINT,
} from "./executor.ts";
import { applyAll } from "./migrate.ts";
import { sqliteEngine } from "./sqlite-engine.ts";
import { type Turns, withSharedSnapshots } from "./sqlite-snapshots.ts";
import { STORAGE, StorageError, type StorageTrouble, unusable } from "./storage-error.ts";

/** The part of a SQLite binding that Lacre needs. `sqlite.ts` and `node-sqlite.ts` each provide it. */
export interface SqliteFile extends SqliteDatabase {
  /** Prepares one statement; its parameters are positional. */
  prepare(sql: string): SqliteStatement;
  /** Runs statements that give no rows. */
  exec(sql: string): void;
  /** Copies the whole database to a new file in small steps while others continue to write. */
  backup(destination: string): Promise<void>;
  /** Closes the connection; nothing may use it afterwards. */
  close(): void;
}

/** Opens a connection; `:memory:` or a path. */
export type OpenSqlite = (file: string, options: { readonly: boolean }) => SqliteFile;

/** In older versions (since 3.7.0) the WAL-reset race can lose committed pages. */
const OLDEST_SAFE_SQLITE = [3, 51, 3] as const;

/** Taken when this module loads, as in runtime/ports.ts: a test's fake timers must not stop it. */
const { setTimeout } = globalThis;

/** How long SQLite waits for another process that opens, recovers or writes the same file. */
const BUSY_TIMEOUT_MS = 5_000;
/** The pause between two tries to begin a transaction while another connection writes. */
const BEGIN_PAUSE_MS = 20;
/**
 * How long to keep trying, in milliseconds, with those pauses: a single try waits as long as `withShortTimeout` says.
 */
const BEGIN_PATIENCE_MS = 4_000;

const STATEMENTS_KEPT = 500;
const WAL_ATTEMPTS = 10;

/** How an SQLite file is used. */
export interface FileOptions {
  /**
   * Reads within one turn of the event loop share a snapshot. For a server that has the file to itself: commits of
   * another connection of this process are seen from the next turn on. Default: false.
   */
  readonly snapshotPerTurn?: boolean | undefined;
  /**
   * The beginning of the name of each of Lacre's tables, indexes and triggers (`lacre_documents`), so that they stand
   * in a file of yours beside your own: 1 to 32 characters of a–z, 0–9 and _. Default: none, for a file that is Lacre's
   * alone.
   */
  readonly prefix?: string | undefined;
}

/** Builds the dialect for a file, or for `:memory:`. Connections open at their first use. */
export function sqliteDialect(
  open: OpenSqlite,
  file: string,
  binding?: SqliteBinding,
  options: FileOptions = {},
): LacreDialect {
  const engine = sqliteEngine(binding, options.prefix ?? "", (own) => catalogueMade(own, open));
  const connect = () => sqliteConnections(open, file, options);
  return {
    engine,
    connect,
    createDriver: () => connectionDriver(connect),
    createAdapter: () => engine.adapter,
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => engine.compiler,
  };
}

/** SQLite's name for a private database that disappears when it is closed. */
const SCRATCH = "";

/** What a schema made by the migrations consists of, with the names of an engine. */
async function catalogueMade(engine: Engine, open: OpenSqlite): Promise<Catalogue> {
  const scratch = databaseOver(engine, sqliteConnections(open, SCRATCH, {}));
  try {
    return await inTransaction(scratch, "write", async (db) => {
      await applyAll(db);
      return catalogueOf(await engine.thingsOf(db));
    });
  } finally {
    await scratch.connections.close();
  }
}

/** A connection for changes, and one for reading beside it; in memory there is only one, which both take in turn. */
function sqliteConnections(open: OpenSqlite, file: string, { snapshotPerTurn = false }: FileOptions): Connections {
  const only = turnsAt(() => withShortTimeout(openChecked(open, file, false)));
  const isFile = file !== ":memory:" && file !== SCRATCH;
  const two = { writer: only, reader: isFile ? turnsAt(() => openChecked(open, file, true)) : only };
  const { writer, reader } = isFile && snapshotPerTurn ? withSharedSnapshots(two) : two;
  return {
    writers: 1,
    isOne: !isFile,
    writer: writer.take,
    hosted: writer.take,
    reader: reader.take,
    async close() {
      reader.close();
      writer.close();
    },
  };
}

/** One connection, which callers take in turn. It opens at its first use, and again after a failure. */
function turnsAt(open: () => SqliteFile): Turns {
  const waiting: { readonly begin: (connection: Connection) => void; readonly fail: (error: unknown) => void }[] = [];
  let file: SqliteFile | undefined;
  let connection: Connection | undefined;
  let isTaken = false;
  let isClosed = false;

  function opened(): Connection {
    if (isClosed) throw new StorageError("unusable", "The database is closed.");
    file ??= open();
    connection ??= sqliteConnection(file, release);
    return connection;
  }

  function release(): void {
    const next = waiting.shift();
    if (!next) {
      isTaken = false;
      return;
    }
    try {
      next.begin(opened());
    } catch (error) {
      next.fail(error);
      release();
    }
  }

  return {
    take() {
      if (isTaken) return new Promise((begin, fail) => waiting.push({ begin, fail }));
      const free = opened();
      isTaken = true;
      return free;
    },
    close() {
      isClosed = true;
      file?.close();
      file = undefined;
    },
  };
}

/** One connection to SQLite: it answers at once, and only `begin` may wait, for another process. */
export function sqliteConnection(
  file: { prepare(sql: string): Pick<SqliteStatement, "reader" | "all" | "run"> },
  release: () => void,
): Connection {
  const order = (sql: string) => void file.prepare(sql).run([]);

  function run<Row>({ sql, parameters }: CompiledQuery<Row>): QueryResult<Row> {
    const statement = file.prepare(sql);
    if (statement.reader) return { rows: statement.all(parameters) as Row[] };
    const { changes, lastInsertRowid } = statement.run(parameters);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }

  return {
    run,
    send: run,
    savepoint: (step) => order(SAVEPOINT[step]),
    begin(purpose, patience_ms) {
      const begin = BEGIN[purpose];
      try {
        order(begin);
      } catch (error) {
        if (!isBusy(error)) throw error;
        return beginLater(() => order(begin), patience_ms);
      }
    },
    commit: () => order("commit"),
    rollback() {
      try {
        order("rollback");
      } catch (error) {
        // After a full disk or an I/O error SQLite has already rolled back. Its error that there is nothing to roll
        // back must not hide the one that tells what happened.
        if (!(error instanceof Error && error.message.includes("no transaction is active"))) throw error;
      }
    },
    release,
  };
}

/**
 * With a plain `begin`, a transaction that reads before it writes fails at once when another process wrote in between;
 * with `begin immediate` a writer waits its turn instead.
 */
const BEGIN: Readonly<Record<Purpose, string>> = { write: "begin immediate", snapshot: "begin" };

/** Waits for another process without blocking, so that reads and other requests go on meanwhile. */
async function beginLater(begin: () => void, patience_ms: number | undefined): Promise<void> {
  for (let waited_ms = BEGIN_PAUSE_MS; ; waited_ms += BEGIN_PAUSE_MS) {
    await new Promise((resolve) => setTimeout(resolve, BEGIN_PAUSE_MS));
    try {
      return begin();
    } catch (error) {
      if (!isBusy(error)) throw error;
      if (waited_ms < (patience_ms ?? BEGIN_PATIENCE_MS)) continue;
      throw patience_ms === undefined ? error : new StorageError("held", (error as Error).message, error);
    }
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof StorageError && error.trouble === "busy";
}

/** Opens one connection with every setting Lacre relies on; throws `StorageError` when one was ignored. */
export function openChecked(open: OpenSqlite, file: string, readonly: boolean): SqliteFile {
  return translated(() => {
    const database = open(file, { readonly });
    try {
      database.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
      if (!readonly) {
        useWriteAheadLog(database);
        // A binding may default to NORMAL, which loses acknowledged commits in a power cut.
        database.exec("pragma synchronous = full");
        // Keeps the journals of savepoints in memory; past 64 KB SQLite would write them to a file, page by page.
        database.exec("pragma temp_store = memory");
      }
      database.exec("pragma foreign_keys = on");
      database.exec("pragma recursive_triggers = on");
      database.exec("pragma trusted_schema = off");
      database.exec("pragma cell_size_check = on");
      database.exec("pragma mmap_size = 0");
      mustBeSafe(database, file, readonly);
    } catch (error) {
      database.close();
      throw error;
    }
    return withStatementCache(database);
  });
}

/** Changing a new file's mode fails at once while another program does the same: wait for it and try again. */
function useWriteAheadLog(database: SqliteFile): void {
  for (let attempt = 1; ; attempt++) {
    try {
      database.exec("pragma journal_mode = wal");
      return;
    } catch (error) {
      if (attempt === WAL_ATTEMPTS || troubleOf(error) !== "busy") throw error;
      database.exec("begin immediate"); // unlike the pragma, this waits
      database.exec("commit");
    }
  }
}

/** Reads the settings back: an ignored one must prevent the start instead of losing a document later. */
function mustBeSafe(database: SqliteFile, file: string, readonly: boolean): void {
  const read = (expression: string) =>
    Object.values(database.prepare(expression).all([])[0] as Record<string, unknown>)[0];

  const version = String(read("select sqlite_version()"));
  if (!isAtLeast(version, OLDEST_SAFE_SQLITE)) {
    throw unusable(STORAGE.sqlite_is_old({ version, needed: OLDEST_SAFE_SQLITE.join(".") }));
  }
  const wanted: Record<string, (value: unknown) => boolean> = {
    foreign_keys: (value) => value === 1,
    recursive_triggers: (value) => value === 1,
    ...(!readonly && { synchronous: (value: unknown) => Number(value) >= 2 }),
    ...(!readonly && file !== ":memory:" && file !== SCRATCH && { journal_mode: (value: unknown) => value === "wal" }),
  };
  for (const [name, isRight] of Object.entries(wanted)) {
    const value = read(`pragma ${name}`);
    if (!isRight(value)) throw unusable(STORAGE.setting_is_refused({ name, value: String(value) }));
  }
}

function isAtLeast(version: string, [major, minor, patch]: readonly [number, number, number]): boolean {
  const [a = 0, b = 0, c = 0] = version.split(".").map(Number);
  return a !== major ? a > major : b !== minor ? b > minor : c >= patch;
}

/** SQLite's own wait would block the whole process, so the writer's connection leaves waiting to `begin`. */
function withShortTimeout(database: SqliteFile): SqliteFile {
  database.exec("pragma busy_timeout = 5");
  return database;
}

/** Drivers prepare a statement at every use; preparing it once makes small look-ups about three times faster. */
function withStatementCache(database: SqliteFile): SqliteFile {
  const statements = new Map<string, SqliteStatement>();
  return {
    exec: (sql) => translated(() => database.exec(sql)),
    backup: (destination) => database.backup(destination).catch(throwTranslated),
    close: () => database.close(),
    prepare(sql) {
      let statement = statements.get(sql);
      if (!statement) {
        if (statements.size >= STATEMENTS_KEPT) statements.clear();
        statement = translatedStatement(translated(() => database.prepare(sql)));
        statements.set(sql, statement);
      }
      return statement;
    },
  };
}

function translatedStatement(statement: SqliteStatement): SqliteStatement {
  return {
    reader: statement.reader,
    all: (parameters) => translated(() => statement.all(parameters)),
    run: (parameters) => translated(() => statement.run(parameters)),
    *iterate(parameters) {
      try {
        yield* statement.iterate(parameters);
      } catch (error) {
        throwTranslated(error);
      }
    },
  };
}

/** Primary result codes (https://sqlite.org/rescode.html) that mean storage trouble. */
const TROUBLE: Record<string, { code: number; trouble: StorageTrouble }> = {
  SQLITE_BUSY: { code: 5, trouble: "busy" },
  SQLITE_LOCKED: { code: 6, trouble: "busy" },
  SQLITE_NOMEM: { code: 7, trouble: "unusable" },
  SQLITE_READONLY: { code: 8, trouble: "unusable" },
  SQLITE_IOERR: { code: 10, trouble: "broken" },
  SQLITE_CORRUPT: { code: 11, trouble: "broken" },
  SQLITE_FULL: { code: 13, trouble: "full" },
  SQLITE_CANTOPEN: { code: 14, trouble: "unusable" },
  SQLITE_NOTADB: { code: 26, trouble: "unusable" },
};

/** Runs `work` and throws a binding's storage error as `StorageError`; other errors pass through. */
function translated<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    return throwTranslated(error);
  }
}

function throwTranslated(error: unknown): never {
  throw sqliteTrouble(error) ?? error;
}

/** The error of a binding as storage trouble; undefined if it is not storage trouble. */
export function sqliteTrouble(error: unknown): StorageError | undefined {
  const trouble = troubleOf(error);
  return trouble && new StorageError(trouble, (error as Error).message, error);
}

/** better-sqlite3 gives the extended code by name (`SQLITE_IOERR_FSYNC`), node:sqlite by number (`errcode`). */
function troubleOf(error: unknown): StorageTrouble | undefined {
  if (!(error instanceof Error) || error instanceof StorageError) return undefined;
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  const found = Object.entries(TROUBLE).find(([name, known]) =>
    typeof errcode === "number" ? (errcode & 0xff) === known.code : typeof code === "string" && code.startsWith(name),
  );
  return found?.[1].trouble;
}
