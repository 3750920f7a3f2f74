/** Serves a database in a file: keeps a second server off it, watches it, notes its heads, and takes its backups. */
import { dirname, join, parse, resolve } from "node:path";
import { LATEST, schemaAt } from "../core/database/schema-facts.ts";
import type { Log, SignerState } from "../core/index.ts";
import { lowSpace } from "../core/runtime/free-space.ts";
import { systemClock } from "../core/runtime/ports.ts";
import { VERSION } from "../core/version.ts";
import { takeBackup } from "./backup.ts";
import { connectionFacts, driver } from "./driver.ts";
import { Failure } from "./exit.ts";
import { watchFiles } from "./file-watch.ts";
import { freeBytesAt, sweepDrafts } from "./files.ts";
import { findFile } from "./find-database.ts";
import { keepNoting, type Settled, settleNote } from "./heads-note.ts";
import { lockIfLogRemoved } from "./log-removed.ts";
import { sizeText } from "./output.ts";
import { mustBeUndamaged } from "./page-check.ts";
import { type BackupFlags, backupPlan, mustHavePolicy, scheduleBackups } from "./scheduled-backups.ts";
import type { Say, Served } from "./served.ts";
import { lockOf, takeServerLock } from "./server-lock.ts";
import { removeServerNotes } from "./server-notes.ts";
import type { Terminal } from "./terminal.ts";
import type { Words } from "./texts/texts.ts";
import { exposureOf } from "./waiting.ts";

/** How often a server with nothing to write checks whether its files are still those it opened. */
const WATCH_MS = 1_000;

const PAGES_NOT_CHECKED =
  "The file is too large to be checked for damaged pages at each start; every backup checks them (--backup-to).";

/** Takes the database at `db` for this server. Throws `Failure` if it cannot be served. */
export function servedFile(db: string, flags: BackupFlags, log: Log, say: Say, terminal: Terminal): Served {
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
    async beforeUpgrade() {
      const { dialect } = driver(dirname(file));
      if ((await schemaAt(dialect(file))) !== "older") return undefined;
      const from = String(connectionFacts(driver(), file).schema);
      const backup = join(dirname(file), beforeName(file));
      await takeBackup(file, backup);
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
    facts: () => connectionFacts(driver(), file),
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
    release() {
      removeServerNotes(file);
      release();
    },
  };
}

/** The name of the backup before an upgrade: `before-0.2.0-lacre-20261125T223000Z.db`. */
function beforeName(file: string): string {
  const { name, ext } = parse(file);
  const taken = systemClock()
    .toISOString()
    .replaceAll(/[-:]|\.\d+/g, "");
  return `before-${VERSION}-${name}-${taken}${ext}`;
}

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
