/** What `serve` does in its own way for a database in a file, and for one on a server. */
import type { HeadConflict, Lacre, LacreOptions, LogEntry, SignerState } from "../core/index.ts";
import type { Words } from "./texts/texts.ts";

/** Says something to the log, and to a person at a terminal. */
export type Say = (entry: LogEntry, words: Words) => void;

/** An upgrade of a schema, by the last migrations of before and of this program. */
export interface Upgrade {
  readonly from: string;
  readonly to: string;
  /** The backup of before; none of a database on a server, which is backed up there. */
  readonly backup?: string;
}

/** A database that is to be served. */
export interface Served {
  /** Its file, or its address without password. */
  readonly name: string;
  /** The file that a server may leave notes beside; none on a server of databases. */
  readonly file: string | undefined;
  /** What it is opened with. Throws `Failure` where it is damaged. */
  ground(): Pick<LacreOptions, "dialect" | "storageFault" | "freeBytes">;
  /**
   * What opening it will upgrade, once a backup of it is taken; undefined where its schema is that of this program.
   * Throws `Failure` where none can be taken.
   */
  beforeUpgrade(): Promise<Upgrade | undefined>;
  /** Whether this server takes backups by itself. */
  readonly takesBackups: boolean;
  /** Looks at it once it is open, before anything is answered. Returns noted heads that are not settled. */
  check(lacre: Lacre, signer: SignerState): Promise<readonly HeadConflict[]>;
  /** What the log says of driver, versions and settings. */
  facts(): object;
  /** Begins what is done beside serving. `halt` ends the server, with a reason. */
  attend(lacre: Lacre, created_at: string, halt: (reason: string) => void): Attended;
  /** Whether closing it after a fault saves what was written last, and harms nobody. */
  isSavedByClosing(): boolean;
  /** Lets others have it, at the very end. */
  release(): void;
}

/** What is done beside serving, until it is ended in this order. */
export interface Attended {
  unwatch(): void;
  stopBackups(): Promise<void>;
  stopNoting(): Promise<void>;
}
