/** Opening an installation's file: the driver at hand, the checks before SQLite may touch it, one clear line if not. */
import { accessSync, closeSync, constants, openSync, readSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Company } from "../core/companies.ts";
import { nodeSqlite, openNodeSqlite } from "../core/database/node-sqlite.ts";
import { openSqlite, type SqliteFile, sqlite } from "../core/database/sqlite.ts";
import {
  type Lacre,
  type LacreDialect,
  type LacreOptions,
  type LogEntry,
  openLacre,
  pemSigner,
} from "../core/index.ts";
import { Failure } from "./exit.ts";
import { exists, readGiven, trueName } from "./files.ts";
import { type NativeSqlite, nativeSqlite } from "./native.ts";

/** The SQLite this program uses. */
export interface Driver {
  /** `better-sqlite3`, or `node:sqlite` where no directory can hold the executable's library. */
  readonly name: string;
  dialect(file: string): LacreDialect;
  /** A bare connection; the caller closes it. */
  connect(file: string, options?: { readonly readonly?: boolean }): SqliteFile;
}

let native: NativeSqlite | undefined;

/** The driver, found once. `data_directory` is one more place where the executable may put its library. */
export function driver(data_directory?: string): Driver {
  native ??= nativeSqlite(data_directory);
  if (native.kind === "refused") return { name: "node:sqlite", dialect: nodeSqlite, connect: openNodeSqlite };
  const options = native.kind === "carried" ? { nativeBinding: native.binding } : {};
  return {
    name: "better-sqlite3",
    dialect: (file) => sqlite(file, options),
    connect: (file, { readonly = false } = {}) => openSqlite(file, { ...options, readonly }),
  };
}

/**
 * The true path of the database at `db`, through links. Throws `Failure` unless it is a file that Lacre made and that
 * can be written; nothing in it or beside it was changed then.
 */
export function findDatabase(db: string): string {
  const file = mustBeSqlite(db, `There is no database at ${db}. Make one: lacre init`);
  for (const path of [file, dirname(file)]) {
    if (!allows(path, constants.W_OK)) throw new Failure("unusable", `${path} is read-only.`);
  }
  mustBeOurs(file);
  return file;
}

/** The true path of a file that begins like a SQLite database. Only reads, so any medium will do. */
export function mustBeSqlite(path: string, absent: string): string {
  if (!exists(path)) throw new Failure("unusable", absent);
  const file = trueName(path);
  if (!statSync(file).isFile()) throw new Failure("unusable", `${path} is not a file.`);
  if (!allows(file, constants.R_OK)) throw new Failure("unusable", `${path} cannot be read: permission denied.`);
  if (!header(file).startsWith(MAGIC)) throw new Failure("unusable", `${path} is not a database.`);
  return file;
}

/** Throws `Failure` unless the tables are Lacre's. Somebody else's database is left as it is, to the byte. */
export function mustBeOurs(file: string): void {
  // A connection that writes would turn a file into WAL mode. One that only reads would leave a WAL file's
  // companions lying about.
  const inWalMode = header(file).charCodeAt(WRITE_VERSION) === WAL;
  const connection = driver(dirname(file)).connect(file, { readonly: !inWalMode });
  try {
    const found = connection
      .prepare("select 1 from sqlite_schema where name in ('migrations', 'installation')")
      .all([]);
    if (found.length < 2) throw new Failure("unusable", `${file} is not a Lacre database.`);
  } finally {
    connection.close();
  }
}

/** The first bytes of every SQLite database (https://sqlite.org/fileformat.html). */
const MAGIC = "SQLite format 3\0";
/** Where the header says how the file is written, and how it says that this is by a write-ahead log. */
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

function allows(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}

/**
 * Opens the installation in `file`, does the work, and closes it whatever happens. The schema must be current unless
 * `options.migrate` says otherwise. Trouble with the storage comes out as what SQLite said about it.
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

/** Where the signing key is, when it is not in the database. */
export interface KeyFile {
  readonly signing_key?: string | undefined;
  readonly signing_key_version?: number | undefined;
}

/** The option of `openLacre` for a signing key in a file of its own; none where the database holds the key. */
export function signerOf({ signing_key, signing_key_version }: KeyFile): Pick<LacreOptions, "signer"> {
  if (signing_key === undefined && signing_key_version === undefined) return {};
  if (signing_key === undefined || signing_key_version === undefined) {
    throw new Failure("usage", "--signing-key and --signing-key-version are given together, or neither");
  }
  const pem = readGiven(signing_key).toString("latin1");
  try {
    return { signer: pemSigner(pem, signing_key_version) };
  } catch (error) {
    throw new Failure("refused", `${signing_key}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** `withLacre` for the commands that act inside one company. */
export async function withCompany<T>(
  { db, company }: { readonly db: string; readonly company?: string | undefined },
  work: (lacre: Lacre, company: Company) => Promise<T>,
): Promise<T> {
  return withLacre(findDatabase(db), async (lacre) => work(lacre, await chooseCompany(lacre, company)));
}

/** The company with this id, or the only one there is. */
async function chooseCompany(lacre: Lacre, id: string | undefined): Promise<Company> {
  if (id !== undefined) return lacre.companies.get({ id });
  const companies = await lacre.companies.list();
  const [only, ...others] = companies;
  if (!only) throw new Failure("refused", "The database holds no company. Make one: lacre company create");
  if (others.length === 0) return only;
  const choices = companies.map(({ id, name }) => `${id} (${name})`).join(", ");
  throw new Failure("usage", `--company is required, as the database holds several: ${choices}`);
}
