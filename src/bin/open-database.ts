/** Opens an installation's file: finds the driver, and checks the file before SQLite may touch it. */
import {
  accessSync,
  closeSync,
  constants,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, resolve } from "node:path";
import { nodeSqlite, openNodeSqlite } from "../core/database/node-sqlite.ts";
import { openSqlite, type SqliteFile, sqlite } from "../core/database/sqlite.ts";
import {
  type Company,
  type Lacre,
  type LacreDialect,
  type LacreOptions,
  type LogEntry,
  openLacre,
  pemSigner,
  StorageError,
} from "../core/index.ts";
import { Failure } from "./exit.ts";
import { inWords } from "./explain.ts";
import { watchFiles } from "./file-watch.ts";
import { exists, readGiven, realPath } from "./files.ts";
import { checkNote, headsOf } from "./heads-note.ts";
import { type NativeSqlite, nativeSqlite } from "./native.ts";
import { halfReplaced, keptBeside, undoReplacement } from "./replace-database.ts";
import { isLocked, takeServerLock } from "./server-lock.ts";

/** The SQLite driver of this program. */
export interface Driver {
  /** `better-sqlite3`, or `node:sqlite` if no directory can hold the executable's library. */
  readonly name: string;
  dialect(file: string): LacreDialect;
  /** A bare connection; the caller closes it. */
  connect(file: string, options?: { readonly readonly?: boolean }): SqliteFile;
}

type StorageTrouble = StorageError["trouble"];

/** The driver, SQLite's version, the schema and the settings of connections, read from one of them. */
export function connectionFacts(sqlite: Driver, file: string) {
  const connection = sqlite.connect(file);
  const read = (sql: string) => Object.values(connection.prepare(sql).all([])[0] as Record<string, string | number>)[0];
  try {
    return {
      driver: sqlite.name,
      sqlite: read("select sqlite_version()"),
      schema: read("select max(id) from migrations"),
      journal_mode: read("pragma journal_mode"),
      synchronous: read("pragma synchronous"),
    };
  } finally {
    connection.close();
  }
}

let native: NativeSqlite | undefined;

/** The driver, found once. `dataDirectory` is one more place for the executable's library. */
export function driver(dataDirectory?: string): Driver {
  native ??= nativeSqlite(dataDirectory);
  if (native.kind === "refused") return { name: "node:sqlite", dialect: nodeSqlite, connect: openNodeSqlite };
  const options = native.kind === "carried" ? { nativeBinding: native.binding } : {};
  return {
    name: "better-sqlite3",
    dialect: (file) => sqlite(file, options),
    connect: (file, { readonly = false } = {}) => openSqlite(file, { ...options, readonly }),
  };
}

/**
 * The real path of the database at `db`. Throws `Failure` unless it is a writable file made by Lacre; nothing in it or
 * beside it has been changed then.
 */
export function findDatabase(db: string): string {
  const file = mustBeSqlite(db, absent);
  undoHalfRestore(file);
  mustHaveOneName(file);
  for (const path of [file, dirname(file)]) {
    if (!isAccessible(path, constants.W_OK)) throw new Failure("unusable", `${path} is read-only; make it writable.`);
  }
  mustSeeServersLog(file);
  mustBeOurs(file);
  return file;
}

/** What to do where there is no database: make one, unless there was one before. */
function absent(db: string): string {
  const left = leftOf(db);
  if (left === undefined) {
    return `There is no database at ${resolve(db)}; if it is elsewhere, name it (--db PATH); to make one: lacre init`;
  }
  return `There is no database at ${db}, but ${left} is left of one: put it back, or restore a backup: lacre restore FILE`;
}

/**
 * What is left of a database that had this name: its log, a note beside it, or the database that a restore kept. A new
 * one would give the same numbers again.
 */
export function leftOf(path: string): string | undefined {
  if (!exists(dirname(resolve(path)))) return undefined;
  return [`${path}-wal`, headsOf(path), logRemovedNote(path), ...keptBeside(path)].find(exists);
}

/**
 * Undoes a restore that was cut short, and tells whether there was one. Throws `Failure` (in_use) while one is at work.
 */
export function undoHalfRestore(file: string): boolean {
  if (halfReplaced(file) === undefined) return false;
  const release = takeServerLock(file);
  try {
    const aside = halfReplaced(file);
    if (aside !== undefined) undoReplacement(file, aside);
    return aside !== undefined;
  } finally {
    release();
  }
}

/** Each name has a log and a lock of its own: under two of them, two servers would give the same numbers. */
export function mustHaveOneName(file: string): void {
  const { nlink } = statSync(file);
  if (nlink > 1) {
    throw new Failure(
      "unusable",
      `${file} has ${nlink} names (hard links), and each would have a log of its own, so that numbers are given twice; ` +
        `remove the others: find DIRECTORY -samefile ${file}`,
    );
  }
  if (mountPoints().includes(file)) {
    throw new Failure(
      "unusable",
      `${file} is mounted by itself, so that its log would lie elsewhere and numbers could be given twice; ` +
        "mount its directory instead.",
    );
  }
}

/** The mount points that this process sees (proc_pid_mountinfo(5)); none where there is no such list. */
function mountPoints(): string[] {
  if (!exists(MOUNTS)) return [];
  const lines = readFileSync(MOUNTS, "utf8").split("\n");
  const unescaped = (path: string) =>
    path.replaceAll(/\\([0-7]{3})/g, (_, octal) => String.fromCharCode(Number.parseInt(octal, 8)));
  return lines.map((line) => unescaped(line.split(" ")[4] ?? ""));
}

const MOUNTS = "/proc/self/mountinfo";

/** Beside a server lies its log. Where it does not, this command would see an old database, and write to it in vain. */
function mustSeeServersLog(file: string): void {
  for (let waited = 0; !exists(`${file}-wal`) && isLocked(file); waited += PAUSE_MS) {
    if (waited >= LONGEST_MS) {
      throw new Failure(
        "in_use",
        `${file} is in use by init or restore, or by a server whose log ${file}-wal is missing; wait until it has ended.`,
      );
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
  }
}

/** A server that starts has its lock before its log: how long, and how often, a command looks. */
const LONGEST_MS = 5_000;
const PAUSE_MS = 20;

/** The real path of a file with the header of a SQLite database. Only reads, so read-only media will do. */
export function mustBeSqlite(path: string, absent: (path: string) => string): string {
  if (!exists(path)) throw new Failure("unusable", absent(path));
  const file = realPath(path);
  if (!statSync(file).isFile()) throw new Failure("unusable", `${path} is not a file; name a database file.`);
  if (!isAccessible(file, constants.R_OK)) throw new Failure("unusable", `${path} cannot be read; make it readable.`);
  if (!header(file).startsWith(MAGIC)) throw new Failure("unusable", `${path} is not a database; name another file.`);
  return file;
}

/** Throws `Failure` unless the tables are Lacre's. Another program's database stays unchanged to the byte. */
export function mustBeOurs(file: string): void {
  noteMissingLog(file);
  try {
    if (!hasOurTables(file)) throw new Failure("unusable", `${file} is not a Lacre database; name another file.`);
  } catch (error) {
    throw inWords(error, file);
  }
}

function hasOurTables(file: string): boolean {
  // A writing connection would turn the file to WAL mode; a read-only one would leave companions beside a WAL file.
  const connection = driver(dirname(file)).connect(file, { readonly: !isInWalMode(file) });
  try {
    const sql = "select 1 from sqlite_schema where name in ('migrations', 'installation')";
    return connection.prepare(sql).all([]).length === 2;
  } finally {
    connection.close();
  }
}

/** The first bytes of every SQLite database (https://sqlite.org/fileformat.html). */
const MAGIC = "SQLite format 3\0";
/** The offset of the header's write version, and its value in WAL mode. */
const WRITE_VERSION = 18;
const WAL = 2;

/** Whether a file is a SQLite database that keeps a write-ahead log. */
export function isInWalMode(file: string): boolean {
  return header(file).startsWith(MAGIC) && header(file).charCodeAt(WRITE_VERSION) === WAL;
}

function header(file: string): string {
  const bytes = Buffer.alloc(WRITE_VERSION + 1);
  const descriptor = openSync(file, "r");
  try {
    readSync(descriptor, bytes, 0, bytes.length, 0);
  } finally {
    closeSync(descriptor);
  }
  return bytes.toString("latin1");
}

function isAccessible(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}

/** What tells of a log that was taken away until the database is locked for it, though commands fail or are killed. */
function logRemovedNote(file: string): string {
  return `${file}.log-removed`;
}

/**
 * Notes that the log of a database is gone whose program was killed: SQLite keeps shared memory only beside a log. For
 * before the first connection, which removes that sign.
 */
function noteMissingLog(file: string): void {
  const isGone = () => !exists(`${file}-wal`);
  // Looked at twice: whoever closes a database removes the shared memory before the log, whoever opens it makes it
  // after.
  if (isGone() && exists(`${file}-shm`) && isGone()) writeFileSync(logRemovedNote(file), "");
}

/**
 * Locks a database whose log was taken away like a restored backup, and tells whether it did: what was in that log is
 * lost, and may be on paper.
 */
export async function lockIfLogGone(lacre: Lacre, file: string): Promise<boolean> {
  if (!exists(logRemovedNote(file))) return false;
  await lacre.installation.countRestore({});
  rmSync(logRemovedNote(file), { force: true });
  return true;
}

/**
 * Opens the installation in `file`, does the work, and always closes it. A file whose log was taken away is locked
 * first. The schema must be current unless `options.migrate` is set. A storage error becomes a `Failure` that names the
 * file.
 */
export async function withLacre<T>(
  file: string,
  work: (lacre: Lacre) => Promise<T>,
  options: Partial<LacreOptions> = {},
): Promise<T> {
  let trouble: StorageError | undefined;
  const log = ({ event, message, ...entry }: LogEntry) => {
    if (event === "storage_error") trouble = new StorageError(entry.trouble as StorageTrouble, String(message), entry);
  };
  try {
    const dialect = driver(dirname(resolve(file))).dialect(file);
    noteMissingLog(file);
    const storageFault = watchFiles(file).fault;
    const lacre = await openLacre({ dialect, migrate: false, log, storageFault, ...options });
    return await lockIfLogGone(lacre, file)
      .then(() => work(lacre))
      .finally(() => lacre.close());
  } catch (error) {
    throw inWords(trouble ?? error, file);
  }
}

/** A signing key outside the database: its file and its version. */
export interface KeyFile {
  readonly signing_key?: string | undefined;
  readonly signing_key_version?: number | undefined;
}

/** The option of `openLacre` for a signing key in a file; empty if the database holds the key. */
export function signerOf({ signing_key, signing_key_version }: KeyFile): Pick<LacreOptions, "signer"> {
  if (signing_key === undefined && signing_key_version === undefined) return {};
  if (signing_key === undefined || signing_key_version === undefined) {
    throw new Failure("usage", "--signing-key and --signing-key-version must be given together");
  }
  const pem = readGiven(signing_key).toString("latin1");
  try {
    return { signer: pemSigner(pem, signing_key_version) };
  } catch (error) {
    throw new Failure("refused", `${signing_key}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/**
 * `withLacre` for commands that act inside one company. A file that the note of heads proves an older copy is locked.
 */
export async function withCompany<T>(
  { db, company }: { readonly db: string; readonly company?: string | undefined },
  work: (lacre: Lacre, company: Company) => Promise<T>,
): Promise<T> {
  const file = findDatabase(db);
  return withLacre(file, async (lacre) => {
    await checkNote(lacre, file, () => {});
    return work(lacre, await chooseCompany(lacre, company));
  });
}

/** The company with this id; without an id, the only company. */
async function chooseCompany(lacre: Lacre, id: string | undefined): Promise<Company> {
  if (id !== undefined) return lacre.companies.get({ id });
  const companies = await lacre.companies.list();
  const [only, ...others] = companies;
  if (!only) throw new Failure("refused", "The database holds no company; make one: lacre company create");
  if (others.length === 0) return only;
  const choices = companies.map(({ id, name }) => `${id} (${name})`).join(", ");
  throw new Failure("usage", `--company is required, because the database holds several: ${choices}`);
}
