/**
 * `serve --backup-to DIR`: a verified backup at every interval, the first at the start if the last is older. Each is
 * `lacre backup` in a process of its own, as copying and verifying would delay requests.
 */
import { hash } from "node:crypto";
import { readdirSync, rmSync, statSync } from "node:fs";
import { join, parse } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import * as z from "zod";
import type { Lacre, Log, SignerState } from "../core/index.ts";
import { systemClock } from "../core/runtime/ports.ts";
import { about, integerText, intervalText } from "./config.ts";
import { Failure } from "./exit.ts";
import { explained } from "./explain.ts";
import { removeDrafts, writableDirectory } from "./files.ts";
import type { Terminal } from "./terminal.ts";

/** How backups are taken. */
export interface BackupPlan {
  /** The real path of the directory. */
  readonly directory: string;
  readonly every_ms: number;
  /** How many backups of this database stay in the directory; 1 or more. */
  readonly keep: number;
}

/** The delay before the first new try after a failure; it doubles with each, up to an hour or the interval. */
const FIRST_RETRY_MS = 10_000;
const LAST_RETRY_MS = 60 * 60_000;

/** The longest pause between looks at the clock, which may be set, or may have stood still while the machine slept. */
const LOOK_EVERY_MS = 60_000;

// The help names both defaults.
const EVERY_MS = 24 * 60 * 60_000;
const KEPT = 30;

export const BACKUP_FLAGS = {
  backup_to: z
    .string()
    .optional()
    .meta(about("backup_to", { takes: "DIR", env: "LACRE_BACKUP_TO" })),
  backup_every: intervalText()
    .optional()
    .meta(about("backup_every", { takes: "TIME" })),
  keep: integerText(1, 100_000)
    .optional()
    .meta(about("keep", { takes: "N" })),
  no_backup_because: z
    .string()
    .optional()
    .meta(about("no_backup_because", { takes: "TEXT", env: "LACRE_NO_BACKUP_BECAUSE", feeds: "because" })),
} as const;

/** The given flags of them. */
export type BackupFlags = z.output<z.ZodObject<typeof BACKUP_FLAGS>>;

/** The plan from the flags, or undefined without `--backup-to`. Throws `Failure`. */
export function backupPlan({ backup_to, backup_every, keep, no_backup_because }: BackupFlags): BackupPlan | undefined {
  if (backup_to !== undefined) {
    if (no_backup_because !== undefined) throw new Failure("usage", (t) => t.backups.not_both);
    return {
      directory: writableDirectory(backup_to, (t) => t.backups),
      every_ms: backup_every ?? EVERY_MS,
      keep: keep ?? KEPT,
    };
  }
  if ((backup_every ?? keep) === undefined) return undefined;
  throw new Failure("usage", (t) => t.backups.need_directory);
}

/**
 * Records why none are taken. Throws `Failure` under a certificate number if no reason is given: backups must then be a
 * policy, with a period (Despacho 8632/2014, 3.1.2).
 */
export async function mustHavePolicy(
  lacre: Lacre,
  { certificate_number }: SignerState,
  { backup_to, no_backup_because }: BackupFlags,
): Promise<void> {
  if (no_backup_because !== undefined) await lacre.installation.declineBackups({ because: no_backup_because });
  else if (certificate_number > 0 && backup_to === undefined) {
    throw new Failure("refused", (t) => t.backups.need_policy);
  }
}

/** Takes backups of the database at this real path until it is stopped. `created_at` is the installation's. */
export function scheduleBackups(
  database: { readonly file: string; readonly created_at: string },
  { directory, every_ms, keep }: BackupPlan,
  terminal: Pick<Terminal, "runSelf">,
  log: Log,
): { stop(): Promise<void> } {
  const prefix = prefixOf(database);
  const stopping = new AbortController();
  let last = backupsIn(directory, prefix).at(-1);
  let failures = 0;

  async function takeInTurn(): Promise<void> {
    let due = last === undefined ? now() : namedTime(last, prefix) + every_ms;
    const place = { directory, every_s: every_ms / 1000, keep, next_at: new Date(Math.max(due, now())).toISOString() };
    log({ level: "info", event: "backups_scheduled", ...place });
    if (statSync(directory).dev === statSync(database.file).dev) log({ level: "warn", ...ON_ONE_DISK });
    for (;;) {
      // A due time more than an interval away was computed before the clock was set back.
      for (let left = due - now(); left > 0 && left <= every_ms; left = due - now()) {
        await pause(Math.min(left, LOOK_EVERY_MS), undefined, { signal: stopping.signal });
      }
      due = now() + ((await takeOne()) ? every_ms : retryAfter());
    }
  }

  async function takeOne(): Promise<boolean> {
    const began = now();
    const name = `${prefix}${stampOf(new Date(began))}.db`;
    const out = join(directory, name);
    const { code, stdout, stderr } = await terminal.runSelf(
      ["backup", out, "--every", `${every_ms / 60_000}m`, "--db", database.file, "--json"],
      stopping.signal,
    );
    if (stopping.signal.aborted) removeDrafts(out);
    stopping.signal.throwIfAborted();
    if (code !== 0) {
      failed(stderr);
      return false;
    }
    failures = 0;
    last = name;
    const { documents } = JSON.parse(stdout) as { documents: number };
    log({ level: "info", event: "backup_taken", file: out, documents, ms: now() - began });
    prune(name);
    return true;
  }

  function failed(stderr: string): void {
    failures++;
    const message = `NO BACKUP was taken to ${directory}: ${reasonIn(stderr)} The last one is ${last ?? "none"}. Tried again in ${retryAfter() / 1000} s; make room or mend what it names, or take one elsewhere: lacre backup FILE`;
    log({ level: "error", event: "backup_failed", failures, last: last ?? null, message });
  }

  /** The milliseconds until the next try. */
  function retryAfter(): number {
    return Math.min(FIRST_RETRY_MS * 2 ** (failures - 1), LAST_RETRY_MS, every_ms);
  }

  /**
   * Deletes the oldest backups beyond `keep`, never the one just taken, even if a clock set back gave it an earlier
   * date.
   */
  function prune(taken: string): void {
    try {
      const others = backupsIn(directory, prefix).filter((name) => name !== taken);
      for (const name of others.slice(0, Math.max(0, others.length - (keep - 1)))) {
        rmSync(join(directory, name));
        log({ level: "info", event: "backup_deleted", file: join(directory, name) });
      }
    } catch (error) {
      log({ level: "warn", event: "backups_not_deleted", message: explained(error).message });
    }
  }

  const ended = takeInTurn().catch((error) => {
    if (!stopping.signal.aborted) throw error;
  });
  return {
    stop() {
      stopping.abort();
      return ended;
    },
  };
}

const ON_ONE_DISK = {
  event: "backups_on_one_disk",
  message: "The backups are on the database's own disk: if it fails, both are lost. Copy them elsewhere.",
} as const;

/** The reason that a command with `--json` gave for its failure; a process ended from outside gives none. */
function reasonIn(stderr: string): string {
  try {
    const { error } = JSON.parse(stderr.trim().split("\n").at(-1) ?? "") as { error: { message: string } };
    return error.message.replace(/\.?$/, ".");
  } catch {
    return stderr.trim() || "its process was ended.";
  }
}

const now = () => systemClock().getTime();

/**
 * The beginning of the names of a database's backups: its own name, and a mark of its path and installation, so that
 * another `lacre.db` may use the same directory. A time follows, and so the names sort by time.
 */
function prefixOf({ file, created_at }: { readonly file: string; readonly created_at: string }): string {
  return `${parse(file).name}-${hash("sha256", `${file}\n${created_at}`).slice(0, 8)}-`;
}

const STAMP = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.db$/;

/** `20261122T081500Z` */
function stampOf(at: Date): string {
  return `${at.toISOString().slice(0, 19).replaceAll(/[-:]/g, "")}Z`;
}

/** The instant in the name of a backup. */
function namedTime(name: string, prefix: string): number {
  return Date.parse(name.slice(prefix.length).replace(STAMP, "$1-$2-$3T$4:$5:$6Z"));
}

/** The names of the backups with this prefix, oldest first. Any other file is somebody else's. */
function backupsIn(directory: string, prefix: string): string[] {
  return readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.startsWith(prefix) && STAMP.test(entry.name.slice(prefix.length)))
    .map(({ name }) => name)
    .sort();
}
