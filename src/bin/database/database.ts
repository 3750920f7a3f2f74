/** What commands know of a database, whether it is in a file or on a server. */
import type { LacreOptions } from "../../core/index.ts";

/** What `--db` names, be it there or not. Nothing is looked at before it is asked for. */
export interface Named {
  /** As it was given, without a password. */
  readonly name: string;
  /** The same for any working directory. */
  readonly fullName: string;
  /** The path, as it was given; undefined on a server. */
  readonly file: string | undefined;
  /** The database there. Throws `Failure` for a file that cannot be used; a server is asked when it is opened. */
  find(): Database;
  /** Whether one could be made there. */
  isFree(): Promise<boolean>;
  /**
   * Makes a database there, with what `fill` puts into it; a file whole or not at all. Throws `Failure` where there is
   * one already, or where something is left of an earlier one, whose numbers a new one would give again. With `mayGoOn`
   * a server's may be there already, and `fill` decides.
   */
  make<T>(fill: (empty: Database) => Promise<T>, mayGoOn?: boolean): Promise<T>;
}

/** A database that is there. */
export interface Database {
  /** The real path of its file, or its address without password. */
  readonly name: string;
  /** Its file, which notes lie beside; undefined on a server. */
  readonly file: string | undefined;
  /** What `openLacre` takes of it. */
  ground(): Promise<Pick<LacreOptions, "dialect" | "storageFault" | "freeBytes">>;
  /** Lends a copy that may be brought up to date, and is gone afterwards. */
  whileCopied<T>(work: (copy: Database) => Promise<T>): Promise<T>;
  /** The bytes that it takes, and its versions. */
  facts(): Promise<{ readonly bytes: number; readonly versions: Versions }>;
  /** An error of its storage as a `Failure` that names it; any other as it is. */
  inWords(error: unknown): unknown;
}

/** The driver, the engine's version, the last migration, and settings. */
export interface Versions {
  readonly driver: string;
  readonly schema: string | null;
  readonly sqlite?: string;
  readonly postgres?: string;
}
