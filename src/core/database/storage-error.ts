/** Storage errors, by what the caller should do about them. */

/**
 * - `busy`: another process holds the file; trying again helps.
 * - `full`: no room; nothing was written and reads go on.
 * - `broken`: an I/O error or a damaged file. Whether a commit reached the disk is unknown, so nothing may be
 *   written until a restart has recovered the file.
 * - `unusable`: the file cannot be opened or is not a Lacre database, or memory ran out; nothing was written.
 */
export type StorageTrouble = "busy" | "full" | "broken" | "unusable";

/** Thrown by `openLacre` and by the drivers when the storage does not do its part; `cause` is SQLite's own error. */
export class StorageError extends Error {
  /** `busy`, `full`, `broken` or `unusable`. */
  readonly trouble: StorageTrouble;

  constructor(trouble: StorageTrouble, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "StorageError";
    this.trouble = trouble;
  }
}
