/** The entry to databases: finds the one that `--db` names, and opens it in the ways that commands need. */
import {
  type Company,
  type Lacre,
  type LacreDialect,
  type LacreOptions,
  type LogEntry,
  openLacre,
  pemSigner,
  StorageError,
} from "../../core/index.ts";
import { Failure } from "../exit.ts";
import { readGiven } from "../files.ts";
import { checkNote } from "../heads-note.ts";
import { lockIfLogRemoved } from "../log-removed.ts";
import type { Texts } from "../texts/texts.ts";
import { addressIn } from "./address.ts";
import type { Database, Named } from "./database.ts";
import { atPath } from "./file.ts";
import { onServer } from "./server.ts";

export type { Database } from "./database.ts";

/** What `--db` names. */
export function named(db: string): Named {
  const address = addressIn(db);
  return address ? onServer(address) : atPath(db);
}

/** The database that `--db` names. */
export function findDatabase(db: string): Database {
  return named(db).find();
}

/** The path that `--db` names, for a command of files alone. Throws `Failure` in these words for an address. */
export function mustBePath(db: string, refusal: (t: Texts) => (values: { address: string }) => string): string {
  const { name, file } = named(db);
  if (file === undefined) throw new Failure("refused", (t) => refusal(t)({ address: name }));
  return file;
}

type StorageTrouble = StorageError["trouble"];

/**
 * Opens the installation in a database, does the work, and always closes it. A file whose log was removed is locked
 * first. The schema must be current unless `options.migrate` is set. A storage error becomes a `Failure` that names the
 * database.
 */
export async function withLacre<T>(
  database: Database,
  work: (lacre: Lacre) => Promise<T>,
  options: Partial<LacreOptions> = {},
): Promise<T> {
  let trouble: StorageError | undefined;
  const log = ({ event, message, ...entry }: LogEntry) => {
    if (event === "storage_error") trouble = new StorageError(entry.trouble as StorageTrouble, String(message), entry);
  };
  try {
    const lacre = await openLacre({ migrate: false, log, ...(await database.ground()), ...options });
    try {
      if (database.file !== undefined) await lockIfLogRemoved(lacre, database.file);
      return await work(lacre);
    } finally {
      await lacre.close();
    }
  } catch (error) {
    throw database.inWords(trouble ?? error);
  }
}

/**
 * `withLacre` for work that only reads. A database with an older schema stays as it is: the work gets an upgraded copy,
 * whose changes are discarded. It also learns which database it has.
 */
export async function lookInto<T>(
  database: Database,
  work: (lacre: Lacre, looked: Database) => Promise<T>,
): Promise<T> {
  try {
    return await withLacre(database, (lacre) => work(lacre, database));
  } catch (error) {
    if (!isOlderSchema(error)) throw error;
  }
  try {
    return await database.whileCopied((copy) => withLacre(copy, (lacre) => work(lacre, copy), { migrate: true }));
  } catch (error) {
    throw database.inWords(error);
  }
}

function isOlderSchema(error: unknown): boolean {
  const cause = error instanceof Failure ? error.cause : undefined;
  return cause instanceof StorageError && cause.schema === "older";
}

/**
 * Lets work use a database by its dialect, without opening an installation in it. A storage error becomes a `Failure`
 * that names the database.
 */
export async function withDialect<T>(database: Database, work: (dialect: LacreDialect) => Promise<T>): Promise<T> {
  try {
    return await work((await database.ground()).dialect);
  } catch (error) {
    throw error instanceof StorageError ? database.inWords(error) : error; // a system error concerns another file
  }
}

/**
 * Creates a database at `db`, with the content that `begin` puts into it. With `mayGoOn` an empty one on a server may
 * exist.
 */
export function makeDatabase<T>(
  db: string,
  begin: (lacre: Lacre) => Promise<T>,
  options: Pick<LacreOptions, "signer">,
  mayGoOn: boolean,
): Promise<T> {
  const place = named(db);
  const beginOnce = async (lacre: Lacre) => {
    const isBegun = (await lacre.companies.list()).length > 0;
    if (isBegun) throw new Failure("refused", (t) => t.postgres.exists({ address: place.name }));
    return begin(lacre);
  };
  return place.make((empty) => withLacre(empty, beginOnce, { migrate: true, ...options }), mayGoOn);
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
    throw new Failure("usage", (t) => t.database.key_and_version);
  }
  const pem = readGiven(signing_key).toString("latin1");
  try {
    return { signer: pemSigner(pem, signing_key_version) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Failure("refused", (t) => t.database.unusable_key({ path: signing_key, reason }));
  }
}

/**
 * `withLacre` for commands that act inside one company, or `lookInto` for those that only read. A file that the note of
 * heads proves to be an older copy is locked.
 */
export async function withCompany<T>(
  { db, company }: { readonly db: string; readonly company?: string | undefined },
  work: (lacre: Lacre, company: Company) => Promise<T>,
  open: <T>(database: Database, work: (lacre: Lacre) => Promise<T>) => Promise<T> = withLacre,
): Promise<T> {
  const database = findDatabase(db);
  return open(database, async (lacre) => {
    if (database.file !== undefined) await checkNote(lacre, database.file, () => {});
    return work(lacre, await chooseCompany(lacre, company));
  });
}

/** The company with this id; without an id, the only company. */
async function chooseCompany(lacre: Lacre, id: string | undefined): Promise<Company> {
  if (id !== undefined) return lacre.companies.get({ id });
  const companies = await lacre.companies.list();
  const [only, ...others] = companies;
  if (!only) throw new Failure("refused", (t) => t.database.no_company);
  if (others.length === 0) return only;
  const choices = companies.map(({ id, name }) => `${id} (${name})`).join(", ");
  throw new Failure("usage", (t) => t.database.several_companies({ choices }));
}
