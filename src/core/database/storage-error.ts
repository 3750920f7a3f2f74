/** Storage errors, by what the caller should do about them. */

/**
 * - `busy`: the database takes no more at the moment; trying again helps.
 * - `held`: another transaction holds what this one needs, and went on holding it; nothing was written.
 * - `full`: no room; nothing was written and reads go on.
 * - `broken`: an I/O error or a damaged file. Whether a commit reached the disk is unknown, so nothing may be
 *   written until a restart has recovered the file.
 * - `lost`: the connection to a server ended. Whether a commit was made is unknown; the next call connects anew.
 * - `deadlock`: a server ended one of two transactions that waited for each other; it was undone and is tried again.
 * - `aborted`: a statement of the transaction failed before, so the server takes no more of it.
 * - `unusable`: the file cannot be opened or is not a Lacre database, or memory ran out; nothing was written.
 */
export type StorageTrouble = "busy" | "held" | "aborted" | "full" | "broken" | "lost" | "deadlock" | "unusable";

/** Faults that Lacre itself finds in a database, in English; the program translates them. */
export const STORAGE_SENTENCES = {
  schema_is_empty: () => "The database is empty.",
  schema_is_older: () =>
    "The database has an older schema; lacre serve brings it up to date, and backs a file up before.",
  schema_is_newer: () => "The database was written by a newer Lacre; this one is too old to open it.",
  schema_is_other: () =>
    "The database was made by another build of Lacre, with another schema; open it with that build.",
  schema_is_foreign: (tables: string, more: number) =>
    `The database holds tables that are not Lacre's: ${tables}${more > 0 ? ` and ${more} more` : ""}. Give Lacre a file of its own.`,
  sqlite_is_old: (version: string, needed: string) => `SQLite ${version} can lose commits; ${needed} is needed.`,
  setting_is_refused: (name: string, value: string) => `The database refuses ${name}: it is at ${value}.`,
  server_is_old: () => "The server cannot be used: PostgreSQL 13 or newer is needed.",
  server_loses_commits: () =>
    "The server cannot be used: synchronous_commit is off: a crash would lose acknowledged documents.",
  server_loses_pages: () =>
    "The server cannot be used: fsync or full_page_writes is off: a power cut would damage the database.",
  server_encodes: (encoding: string) =>
    `The server cannot be used: the database is encoded in ${encoding}, not in UTF8.`,
} as const satisfies Record<string, (...values: never[]) => string>;

type Sentences = typeof STORAGE_SENTENCES;

/** One of these sentences, with its values. */
export type StorageSentence = {
  [Name in keyof Sentences]: { readonly name: Name; readonly values: Parameters<Sentences[Name]> };
}[keyof Sentences];

/** The error (`unusable`) with one of these sentences. */
export function unusable<Name extends keyof Sentences>(
  name: Name,
  ...values: Parameters<Sentences[Name]>
): StorageError {
  const say: (...values: never[]) => string = STORAGE_SENTENCES[name];
  const sentence = { name, values } as unknown as StorageSentence;
  return new StorageError("unusable", say(...(values as never[])), undefined, sentence);
}

/** Thrown by `openLacre` and the drivers when the storage fails; `cause` is the database's own error. */
export class StorageError extends Error {
  /** What the caller should do about it. */
  readonly trouble: StorageTrouble;
  /** The sentence in `message`, for translation. */
  readonly sentence: StorageSentence | undefined;

  constructor(trouble: StorageTrouble, message: string, cause?: unknown, sentence?: StorageSentence) {
    super(message, { cause });
    this.name = "StorageError";
    this.trouble = trouble;
    this.sentence = sentence;
  }
}
