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

/** Thrown by `openLacre` and the drivers when the storage does not do its part; `cause` is the database's own error. */
export class StorageError extends Error {
  /** What the caller should do about it. */
  readonly trouble: StorageTrouble;

  constructor(trouble: StorageTrouble, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "StorageError";
    this.trouble = trouble;
  }
}
