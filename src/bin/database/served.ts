/**
 * The work of `serve` with its database: for a file it keeps a second server off it, watches it, notes its heads, and
 * takes its backups; on a server, which any number of programs may serve, it owns nothing.
 */
import { readdirSync, rmSync } from "node:fs";
import { dirname, join, parse, resolve } from "node:path";
import { LATEST, schemaAt } from "../../core/database/schema-facts.ts";
import type { HeadConflict, Lacre, LacreOptions, Log, LogEntry, SignerState } from "../../core/index.ts";
import { lowSpace } from "../../core/runtime/free-space.ts";
import { systemClock } from "../../core/runtime/ports.ts";
import { VERSION } from "../../core/version.ts";
import { takeBackup } from "../backup.ts";
import { Failure } from "../exit.ts";
import { watchFiles } from "../file-watch.ts";
import { freeBytesAt, sweepDrafts } from "../files.ts";
import { keepNoting, type Settled, settleNote } from "../heads-note.ts";
import { lockIfLogRemoved } from "../log-removed.ts";
import { sizeText } from "../output.ts";
import { mustBeUndamaged } from "../page-check.ts";
import { type BackupFlags, backupPlan, mustHavePolicy, scheduleBackups } from "../scheduled-backups.ts";
import { removeServerNotes } from "../server-notes.ts";
import type { Terminal } from "../terminal.ts";
import type { Words } from "../texts/texts.ts";
import { exposureOf } from "../waiting.ts";
import { addressIn, type PostgresAddress } from "./address.ts";
import { connectionFacts, driver } from "./driver.ts";
import { findFile } from "./file.ts";
import { lockOf, takeServerLock } from "./lock.ts";
import { dialectOf, factsAt, noneThere, postgresInWords } from "./server.ts";

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
   * `Failure` if no backup can be taken, or if a copy of a file that is upgraded already would not be served.
   */
  beforeUpgrade(mustHaveKey: (copy: Lacre) => Promise<SignerState>): Promise<Upgrade | undefined>;
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
  /** An error as a `Failure` that names a server; any other unchanged. */
  inWords(error: unknown): unknown;
  /** Frees it for others, at the very end. */
  release(): void;
}

/** The work beside serving, to be ended in this order. */
export interface Attended {
  unwatch(): void;
  stopBackups(): Promise<void>;
  stopNoting(): Promise<void>;
}

/** How often a server with nothing to write checks whether its files are still those it opened. */
const WATCH_MS = 1_000;

const PAGES_NOT_CHECKED =
  "The file is too large to be checked for damaged pages at each start; every backup checks them (--backup-to).";

/** Takes the database at `db` for this server. Throws `Failure` if it cannot be served. */
export async function servedAt(
  db: string,
  flags: BackupFlags,
  log: Log,
  say: Say,
  terminal: Terminal,
): Promise<Served> {
  const address = addressIn(db);
  return address ? servedOnServer(address, flags) : servedFile(db, flags, log, say, terminal);
}

async function servedOnServer(address: PostgresAddress, flags: BackupFlags): Promise<Served> {
  const { shown, schema: schema_name } = address;
  const isAsked = Object.values(flags).some((value) => value !== undefined);
  if (isAsked) throw new Failure("usage", (t) => t.postgres.no_scheduled_backups({ address: shown }));
  const { postgres, schema, state, synchronous_commit } = await factsAt(address);
  if (state === "empty" || state === "foreign") throw noneThere(state, address);
  const dialect = await dialectOf(address);
  return {
    name: shown,
    file: undefined,
    ground: () => ({ dialect }),
    beforeUpgrade: async () => (state === "older" ? { from: String(schema), to: LATEST } : undefined),
    takesBackups: false,
    check: async () => [],
    facts: () => ({ driver: "pg", postgres, schema: LATEST, schema_name, synchronous_commit }),
    attend: () => ({ unwatch: () => {}, stopBackups: async () => {}, stopNoting: async () => {} }),
    isSavedByClosing: () => false,
    inWords: (error) => postgresInWords(error, address),
    release: () => {},
  };
}

function servedFile(db: string, flags: BackupFlags, log: Log, say: Say, terminal: Terminal): Served {
  const file = findFile(db);
  const backups = backupPlan(flags);
  const release = takeServerLock(file);
  sweepDrafts(dirname(file));
  removeServerNotes(file);
  const watch = watchFiles(file, [lockOf(file), resolve(db)]);
  let settled: Settled | undefined;
  return {
    name: file,
    file,
    ground() {
      if (!mustBeUndamaged(file)) log({ level: "info", event: "pages_not_checked", message: PAGES_NOT_CHECKED });
      const dialect = driver(dirname(file)).dialect(file, { snapshotPerTurn: true });
      return { dialect, storageFault: watch.fault, freeBytes: () => freeBytesAt(file) };
    },
    async beforeUpgrade(mustHaveKey) {
      const { dialect } = driver(dirname(file));
      if ((await schemaAt(dialect(file))) !== "older") return undefined;
      const from = connectionFacts(file).schema;
      const backup = join(dirname(file), beforeName(file));
      await takeBackup(file, backup, async (copy) => {
        const signer = await mustHaveKey(copy);
        mustBePrivate(file, signer, () => {});
        await mustHavePolicy(copy, signer, flags);
      });
      removeEqual(file, backup);
      return { from, to: LATEST, backup };
    },
    takesBackups: backups !== undefined,
    async check(lacre, signer) {
      mustBePrivate(file, signer, say);
      await mustHavePolicy(lacre, signer, flags);
      if (await lockIfLogRemoved(lacre, file)) {
        say({ level: "error", event: "log_removed" }, (t) => t.serve.log_removed({ path: file }));
      }
      const warn = (words: Words) => say({ level: "warn", event: "heads_unreadable" }, words);
      settled = await settleNote(lacre, file, warn);
      if (settled.isCopy) say({ level: "error", event: "database_copied" }, (t) => t.serve.copied({ path: file }));
      watch.fault(); // Notes the files, which are all open now.
      return settled.unsettled;
    },
    facts: () => connectionFacts(file),
    attend(lacre, created_at, halt) {
      let wasLow = lowSpace(() => freeBytesAt(file)) !== undefined; // reported later, with everything else that waits
      const watching = setInterval(() => {
        const fault = watch.fault();
        if (fault !== undefined) return halt(fault);
        const free_bytes = lowSpace(() => freeBytesAt(file));
        if (free_bytes !== undefined && !wasLow) {
          const words: Words = (t) => t.waiting.disk_low({ free: sizeText(free_bytes, t) });
          say({ level: "warn", event: "disk_low", database: file, free_bytes }, words);
        }
        wasLow = free_bytes !== undefined;
      }, WATCH_MS);
      const stopNoting = settled ? keepNoting(lacre, file, settled, log) : async () => {};
      const scheduled = backups && scheduleBackups({ file, created_at }, backups, terminal, log);
      return {
        unwatch: () => clearInterval(watching),
        stopBackups: async () => scheduled?.stop(),
        stopNoting,
      };
    },
    isSavedByClosing: watch.isSavedByClosing,
    inWords: (error) => error,
    release() {
      removeServerNotes(file);
      release();
    },
  };
}

/** The name of the backup before an upgrade: `before-0.2.0-lacre-20261125T223000Z.db`. */
function beforeName(file: string): string {
  const { ext } = parse(file);
  const taken = systemClock()
    .toISOString()
    .replaceAll(/[-:]|\.\d+/g, "");
  return `${beforePrefix(file)}${taken}${ext}`;
}

const beforePrefix = (file: string) => `before-${VERSION}-${parse(file).name}-`;

/** Removes backups before upgrades that failed, once a new one holds the same. Otherwise each start would leave one. */
function removeEqual(file: string, backup: string): void {
  const held = recordsIn(backup);
  const directory = dirname(backup);
  for (const name of readdirSync(directory).filter((name) => name.startsWith(beforePrefix(file)))) {
    const earlier = join(directory, name);
    if (!name.endsWith(parse(file).ext) || earlier === backup || recordsIn(earlier) !== held) continue;
    rmSync(earlier);
  }
}

/** The end of each record of events, whose seals cover all before it; undefined where it cannot be read. */
function recordsIn(file: string): string | undefined {
  try {
    const connection = driver().connect(file);
    try {
      return JSON.stringify(connection.prepare(RECORDS).all([]));
    } finally {
      connection.close();
    }
  } catch {
    return undefined;
  }
}

const RECORDS =
  "select company_id, max(position) as position, seal from events group by company_id order by company_id";

/**
 * Warns if other users of the machine may read the database, which holds the signing key, or write to it. Throws
 * `Failure` under a certificate number.
 */
function mustBePrivate(file: string, { certificate_number }: SignerState, say: Say): void {
  const words = exposureOf(file, "keys");
  if (words === undefined) return;
  if (certificate_number > 0) throw new Failure("refused", words);
  say({ level: "warn", event: "not_private" }, words);
}
