/** Opens an installation's file: finds the driver, and checks the file before SQLite may touch it. */
import { accessSync, closeSync, constants, openSync, readSync, statSync } from "node:fs";
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
} from "../core/index.ts";
import { Failure } from "./exit.ts";
import { exists, readGiven, realPath } from "./files.ts";
import { type NativeSqlite, nativeSqlite } from "./native.ts";

/** The SQLite driver of this program. */
export interface Driver {
  /** `better-sqlite3`, or `node:sqlite` if no directory can hold the executable's library. */
  readonly name: string;
  dialect(file: string): LacreDialect;
  /** A bare connection; the caller closes it. */
  connect(file: string, options?: { readonly readonly?: boolean }): SqliteFile;
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
  const file = mustBeSqlite(db, `There is no database at ${db}; make one: lacre init`);
  for (const path of [file, dirname(file)]) {
    if (!isAccessible(path, constants.W_OK)) throw new Failure("unusable", `${path} is read-only; make it writable.`);
  }
  mustBeOurs(file);
  return file;
}

/** The real path of a file with the header of a SQLite database. Only reads, so read-only media will do. */
export function mustBeSqlite(path: string, absent: string): string {
  if (!exists(path)) throw new Failure("unusable", absent);
  const file = realPath(path);
  if (!statSync(file).isFile()) throw new Failure("unusable", `${path} is not a file; name a database file.`);
  if (!isAccessible(file, constants.R_OK)) throw new Failure("unusable", `${path} cannot be read; make it readable.`);
  if (!header(file).startsWith(MAGIC)) throw new Failure("unusable", `${path} is not a database; name another file.`);
  return file;
}

/** Throws `Failure` unless the tables are Lacre's. Another program's database stays unchanged to the byte. */
export function mustBeOurs(file: string): void {
  // A writing connection would turn the file to WAL mode; a read-only one would leave companions beside a WAL file.
  const inWalMode = header(file).charCodeAt(WRITE_VERSION) === WAL;
  const connection = driver(dirname(file)).connect(file, { readonly: !inWalMode });
  try {
    const found = connection
      .prepare("select 1 from sqlite_schema where name in ('migrations', 'installation')")
      .all([]);
    if (found.length < 2) throw new Failure("unusable", `${file} is not a Lacre database; name another file.`);
  } finally {
    connection.close();
  }
}

/** The first bytes of every SQLite database (https://sqlite.org/fileformat.html). */
const MAGIC = "SQLite format 3\0";
/** The offset of the header's write version, and its value in WAL mode. */
const WRITE_VERSION = 18;
const WAL = 2;

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

/**
 * Opens the installation in `file`, does the work, and always closes it. The schema must be current unless
 * `options.migrate` is set. A storage error becomes a `Failure` with SQLite's own message.
 */
export async function withLacre<T>(
  file: string,
  work: (lacre: Lacre) => Promise<T>,
  options: Partial<LacreOptions> = {},
): Promise<T> {
  let trouble: LogEntry | undefined;
  const log = (entry: LogEntry) => {
    if (entry.event === "storage_error") trouble = entry;
  };
  const dialect = driver(dirname(resolve(file))).dialect(file);
  const lacre = await openLacre({ dialect, migrate: false, log, ...options });
  try {
    return await work(lacre);
  } catch (error) {
    if (!trouble) throw error;
    throw new Failure(trouble.trouble === "busy" ? "in_use" : "unusable", `${file}: ${trouble.message}`, error);
  } finally {
    await lacre.close();
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

/** `withLacre` for commands that act inside one company. */
export async function withCompany<T>(
  { db, company }: { readonly db: string; readonly company?: string | undefined },
  work: (lacre: Lacre, company: Company) => Promise<T>,
): Promise<T> {
  return withLacre(findDatabase(db), async (lacre) => work(lacre, await chooseCompany(lacre, company)));
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
