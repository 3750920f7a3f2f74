/** Databases in files: checked before SQLite may touch them, opened, and created. */
import { accessSync, closeSync, constants, openSync, readFileSync, readSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { Failure } from "../exit.ts";
import { inWords } from "../explain.ts";
import { watchFiles } from "../file-watch.ts";
import { exists, freeBytesAt, makeAtomically, mustBeFree, realPath, withDraft } from "../files.ts";
import { headsOf } from "../heads-note.ts";
import { noteRemovedLog, removedLogNote } from "../log-removed.ts";
import type { Words } from "../texts/texts.ts";
import type { Database, Named } from "./database.ts";
import { connectionFacts, copyDatabase, driver } from "./driver.ts";
import { isLocked, takeServerLock } from "./lock.ts";
import { halfReplaced, keptBeside, undoReplacement } from "./replace.ts";

/** The file that a path names. */
export function atPath(path: string): Named {
  return {
    name: path,
    fullName: resolve(path),
    file: path,
    find: () => inFile(findFile(path)),
    isFree: async () => !exists(path) && exists(dirname(resolve(path))) && leftOf(path) === undefined,
    make: (fill) => makeFile(path, (draft) => fill(inFile(draft))),
  };
}

/** The database in a file that was found. */
export function inFile(file: string): Database {
  const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  return {
    name: file,
    file,
    async ground() {
      const { dialect } = driver(dirname(resolve(file)));
      noteRemovedLog(file);
      return { dialect: dialect(file), storageFault: watchFiles(file).fault, freeBytes: () => freeBytesAt(file) };
    },
    whileCopied: (work) =>
      withDraft(file, async (draft) => {
        await copyDatabase(file, draft);
        return work(inFile(draft));
      }),
    facts: async () => ({ bytes: sizeOf(file) + sizeOf(`${file}-wal`), versions: connectionFacts(file) }),
    inWords: (error) => inWords(error, file),
  };
}

/**
 * Creates a file completely or not at all; `make` gets a temporary name. Throws `Failure` if one exists, or remains of
 * one.
 */
async function makeFile<T>(path: string, make: (draft: string) => Promise<T>): Promise<T> {
  const file = realPath(path);
  mustBeFree(file);
  const left = leftOf(file);
  if (left !== undefined) throw new Failure("refused", (t) => t.database.left_of_earlier({ left }));
  driver(dirname(file)); // Puts the SQLite library here, not into the temporary directory.
  const release = takeServerLock(file); // Another program must not replace this one's database at the same moment.
  return makeAtomically(file, make).finally(release);
}

/**
 * The real path of the database at `db`. Throws `Failure`, having changed nothing, unless it is a writable file made by
 * Lacre.
 */
export function findFile(db: string): string {
  const file = mustBeSqlite(db, absent);
  undoHalfRestore(file);
  mustHaveOneName(file);
  for (const path of [file, dirname(file)]) {
    if (!isAccessible(path, constants.W_OK)) throw new Failure("unusable", (t) => t.database.read_only({ path }));
  }
  mustSeeServersLog(file);
  mustBeOurs(file);
  return file;
}

/** What to do if there is no database: create one, unless there was one before. */
function absent(db: string): Words {
  const left = leftOf(db);
  return (t) =>
    left === undefined ? t.database.absent({ path: resolve(db) }) : t.database.absent_but_left({ path: db, left });
}

/**
 * The remains of an earlier database of this name: its log, a note beside it, or the database that a restore kept. A
 * new database would issue the same numbers again.
 */
function leftOf(path: string): string | undefined {
  if (!exists(dirname(resolve(path)))) return undefined;
  return [`${path}-wal`, headsOf(path), removedLogNote(path), ...keptBeside(path)].find(exists);
}

/** Undoes an interrupted restore, and returns whether there was one. Throws `Failure` (in_use) while one is running. */
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

/** Each name has a log and a lock of its own: under two names, two servers would issue the same numbers. */
export function mustHaveOneName(file: string): void {
  const { nlink } = statSync(file);
  if (nlink > 1) {
    throw new Failure("unusable", (t) => t.database.several_names({ path: file, names: nlink }));
  }
  if (mountPoints().includes(file)) throw new Failure("unusable", (t) => t.database.mounted_alone({ path: file }));
}

/** The mount points that this process sees (proc_pid_mountinfo(5)); none without such a list. */
function mountPoints(): string[] {
  if (!exists(MOUNTS)) return [];
  const lines = readFileSync(MOUNTS, "utf8").split("\n");
  const unescaped = (path: string) =>
    path.replaceAll(/\\([0-7]{3})/g, (_, octal) => String.fromCharCode(Number.parseInt(octal, 8)));
  return lines.map((line) => unescaped(line.split(" ")[4] ?? ""));
}

const MOUNTS = "/proc/self/mountinfo";

/**
 * A running server's log lies beside its database. If it does not, this command would see an old database, and write to
 * it in vain.
 */
function mustSeeServersLog(file: string): void {
  for (let waited = 0; !exists(`${file}-wal`) && isLocked(file); waited += PAUSE_MS) {
    if (waited >= LONGEST_MS) {
      throw new Failure("in_use", (t) => t.database.log_missing({ path: file }));
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
  }
}

/** A starting server has its lock before its log: how long, and how often, a command looks. */
const LONGEST_MS = 5_000;
const PAUSE_MS = 20;

/** The real path of a file with the header of a SQLite database. It only reads, so read-only media will do. */
export function mustBeSqlite(path: string, absent: (path: string) => Words): string {
  if (!exists(path)) throw new Failure("unusable", absent(path));
  const file = realPath(path);
  if (!statSync(file).isFile()) throw new Failure("unusable", (t) => t.database.not_a_file({ path }));
  if (!isAccessible(file, constants.R_OK)) throw new Failure("unusable", (t) => t.database.unreadable({ path }));
  if (!header(file).startsWith(MAGIC)) throw new Failure("unusable", (t) => t.database.not_a_database({ path }));
  return file;
}

/** Throws `Failure` unless the tables are Lacre's. Another program's database stays unchanged to the byte. */
export function mustBeOurs(file: string): void {
  noteRemovedLog(file);
  try {
    if (!hasOurTables(file)) throw new Failure("unusable", (t) => t.database.not_ours({ path: file }));
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
