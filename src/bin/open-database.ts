/** Opens an installation for the work of one command. */
import { dirname, resolve } from "node:path";
import {
  type Company,
  type Lacre,
  type LacreOptions,
  type LogEntry,
  openLacre,
  pemSigner,
  StorageError,
} from "../core/index.ts";
import { driver } from "./driver.ts";
import { Failure } from "./exit.ts";
import { inWords } from "./explain.ts";
import { watchFiles } from "./file-watch.ts";
import { readGiven } from "./files.ts";
import { findDatabase } from "./find-database.ts";
import { checkNote } from "./heads-note.ts";
import { lockIfLogRemoved, noteRemovedLog } from "./log-removed.ts";

type StorageTrouble = StorageError["trouble"];

/**
 * Opens the installation in `file`, does the work, and always closes it. A file whose log was removed is locked
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
    noteRemovedLog(file);
    const storageFault = watchFiles(file).fault;
    const lacre = await openLacre({ dialect, migrate: false, log, storageFault, ...options });
    return await lockIfLogRemoved(lacre, file)
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
    throw new Failure("usage", (t) => t.database.key_and_version);
  }
  const pem = readGiven(signing_key).toString("latin1");
  try {
    return { signer: pemSigner(pem, signing_key_version) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Failure("refused", (t) => t.database.unusable_key(signing_key, reason));
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
  if (!only) throw new Failure("refused", (t) => t.database.no_company);
  if (others.length === 0) return only;
  const choices = companies.map(({ id, name }) => `${id} (${name})`).join(", ");
  throw new Failure("usage", (t) => t.database.several_companies(choices));
}
