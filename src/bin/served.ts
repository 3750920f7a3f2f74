/** The differences for `serve` between a database in a file and one on a server. */
import type { HeadConflict, Lacre, LacreOptions, LogEntry, SignerState } from "../core/index.ts";
import type { Words } from "./texts/texts.ts";

/** Reports to the log, and to a person at a terminal. */
export type Say = (entry: LogEntry, words: Words) => void;

/** An upgrade of a schema, by the last migrations before it and of this program. */
export interface Upgrade {
  readonly from: string;
  readonly to: string;
  /** The backup before it; none for a database on a server, which is backed up there. */
  readonly backup?: string;
}

/** A database to serve. */
export interface Served {
  /** Its file, or its address without password. */
  readonly name: string;
  /** The file beside which a server may leave notes; none for a database on a server. */
  readonly file: string | undefined;
  /** The options to open it with. Throws `Failure` if it is damaged. */
  ground(): Pick<LacreOptions, "dialect" | "storageFault" | "freeBytes">;
  /**
   * The upgrade that opening it will make, after taking a backup; undefined if its schema is this program's. Throws
   * `Failure` if no backup can be taken.
   */
  beforeUpgrade(): Promise<Upgrade | undefined>;
  /** Whether this server takes backups by itself. */
  readonly takesBackups: boolean;
  /** Checks it once it is open, before anything is answered. Returns the unsettled noted heads. */
  check(lacre: Lacre, signer: SignerState): Promise<readonly HeadConflict[]>;
  /** The driver, versions and settings, for the log. */
  facts(): object;
  /** Begins the work beside serving. `halt` ends the server, with a reason. */
  attend(lacre: Lacre, created_at: string, halt: (reason: string) => void): Attended;
  /** Whether closing it after a fault saves the last changes, and harms nobody. */
  isSavedByClosing(): boolean;
  /** Frees it for others, at the very end. */
  release(): void;
}

/** The work beside serving, to be ended in this order. */
export interface Attended {
  unwatch(): void;
  stopBackups(): Promise<void>;
  stopNoting(): Promise<void>;
}
