/** What commands know of a database, whether it is in a file or on a server. */
import type { LacreOptions } from "../../core/index.ts";

/** The database that `--db` names, whether it exists or not. Nothing is checked until it is asked for. */
export interface Named {
  /** The name as given, without a password. */
  readonly name: string;
  /** As commands take it in any working directory, with all it was given but a password. */
  readonly fullName: string;
  /** The path as given; undefined on a server. */
  readonly file: string | undefined;
  /** The database itself. Throws `Failure` for a file that cannot be used; a server is asked when it is opened. */
  find(): Database;
  /** Whether a database could be created there. */
  isFree(): Promise<boolean>;
  /**
   * Creates a database with the content that `fill` puts into it; a file completely or not at all. Throws `Failure` if
   * one exists already, or remains of an earlier one, whose numbers a new one would issue again. With `mayGoOn` one on
   * a server may exist already, and `fill` decides.
   */
  make<T>(fill: (empty: Database) => Promise<T>, mayGoOn?: boolean): Promise<T>;
}

/** An existing database. */
export interface Database {
  /** The real path of its file, or its address without password. */
  readonly name: string;
  /** Its file, beside which notes lie; undefined on a server. */
  readonly file: string | undefined;
  /** Its options for `openLacre`. */
  ground(): Promise<Pick<LacreOptions, "dialect" | "storageFault" | "freeBytes">>;
  /** Provides a copy that may be upgraded and is discarded afterwards. */
  whileCopied<T>(work: (copy: Database) => Promise<T>): Promise<T>;
  /** Its size in bytes, and its versions. */
  facts(): Promise<{ readonly bytes: number; readonly versions: Versions }>;
  /** An error of its storage as a `Failure` that names it; any other unchanged. */
  inWords(error: unknown): unknown;
}

/** The driver, the engine's version, the last migration, and settings. */
export interface Versions {
  readonly driver: string;
  readonly schema: string | null;
  readonly sqlite?: string;
  readonly postgres?: string;
}
