/** Opens an installation for the work of one command. */
import { dirname, resolve } from "node:path";
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
import { copyDatabase } from "./copy-database.ts";
import { driver } from "./driver.ts";
import { Failure } from "./exit.ts";
import { inWords } from "./explain.ts";
import { watchFiles } from "./file-watch.ts";
import { freeBytesAt, readGiven, withDraft } from "./files.ts";
import { type Found, findDatabase } from "./find-database.ts";
import { checkNote } from "./heads-note.ts";
import { lockIfLogRemoved, noteRemovedLog } from "./log-removed.ts";
import type { PostgresAddress } from "./postgres-address.ts";
import { mustBeThere, postgresDialect, postgresInWords } from "./postgres-database.ts";

type StorageTrouble = StorageError["trouble"];

/**
 * Opens the installation in a file or on a server, does the work, and always closes it. A file whose log was removed is
 * locked first. The schema must be current unless `options.migrate` is set. A storage error becomes a `Failure` that
 * names the file, or the address.
 */
export async function withLacre<T>(
  found: Found,
  work: (lacre: Lacre) => Promise<T>,
  options: Partial<LacreOptions> = {},
): Promise<T> {
  let trouble: StorageError | undefined;
  const log = ({ event, message, ...entry }: LogEntry) => {
    if (event === "storage_error") trouble = new StorageError(entry.trouble as StorageTrouble, String(message), entry);
  };
  try {
    const ground = typeof found === "string" ? openFile(found) : await openServer(found);
    const lacre = await openLacre({ migrate: false, log, ...ground, ...options });
    const ready = typeof found === "string" ? lockIfLogRemoved(lacre, found) : Promise.resolve();
    return await ready.then(() => work(lacre)).finally(() => lacre.close());
  } catch (error) {
    throw typeof found === "string" ? inWords(trouble ?? error, found) : postgresInWords(trouble ?? error, found);
  }
}

/**
 * `withLacre` for work that only reads. A file with an older schema stays as it is: the work gets an upgraded copy,
 * whose changes are discarded. It also learns which file it has.
 */
export async function lookInto<T>(found: Found, work: (lacre: Lacre, file: Found) => Promise<T>): Promise<T> {
  try {
    return await withLacre(found, (lacre) => work(lacre, found));
  } catch (error) {
    if (typeof found !== "string" || !isOlderSchema(error)) throw error;
    return withDraft(found, async (draft) => {
      await copyDatabase(found, draft);
      return withLacre(draft, (lacre) => work(lacre, draft), { migrate: true });
    });
  }
}

function isOlderSchema(error: unknown): boolean {
  const cause = error instanceof Failure ? error.cause : undefined;
  return cause instanceof StorageError && cause.sentence?.name === "schema_is_older";
}

/**
 * Lets work use a database by its dialect, without opening an installation in it. A storage error becomes a `Failure`
 * that names the file, or the address.
 */
export async function withDialect<T>(found: Found, work: (dialect: LacreDialect) => Promise<T>): Promise<T> {
  try {
    const isFile = typeof found === "string";
    return await work(isFile ? driver(dirname(resolve(found))).dialect(found) : await postgresDialect(found));
  } catch (error) {
    if (typeof found !== "string") throw postgresInWords(error, found);
    throw error instanceof StorageError ? inWords(error, found) : error; // a system error concerns another file
  }
}

type Ground = Pick<LacreOptions, "dialect" | "storageFault" | "freeBytes">;

function openFile(file: string): Ground {
  const dialect = driver(dirname(resolve(file))).dialect(file);
  noteRemovedLog(file);
  return { dialect, storageFault: watchFiles(file).fault, freeBytes: () => freeBytesAt(file) };
}

async function openServer(address: PostgresAddress): Promise<Ground> {
  await mustBeThere(address);
  return { dialect: await postgresDialect(address) };
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
  open: <T>(found: Found, work: (lacre: Lacre) => Promise<T>) => Promise<T> = withLacre,
): Promise<T> {
  const found = findDatabase(db);
  return open(found, async (lacre) => {
    if (typeof found === "string") await checkNote(lacre, found, () => {});
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
