/** What protects a database from outside: backups, and whether the next one is overdue; and the note of heads. */
import * as z from "zod";
import { companiesIssuedAfter } from "../company/companies.ts";
import { executorOf } from "../database/executor.ts";
import { INSTALLATION } from "../database/row-states.ts";
import { latestOfInstallation, recordEvent } from "../events/events.ts";
import { Instant, text } from "../fields.ts";
import { command } from "../runtime/operation.ts";
import type { ReadScope } from "../runtime/scope.ts";
import { isStrict } from "../signing/certification.ts";

const BackupTaken = z.strictObject({
  file: text(4_096).describe("Where the backup is."),
  documents: z.int().min(0),
  bytes: z.int().min(0),
  every_s: z.int().min(1).optional().describe("How often such backups are taken; left out for one taken by hand."),
});

export const Backup = BackupTaken.extend({ taken_at: Instant });

/** Records that a backup was taken and verified. Run on the original, once the backup has its name. */
export const recordBackup = command(
  {
    id: "recordBackup",
    summary: "Record that a verified backup was taken",
    needs: "operator",
    input: BackupTaken,
    output: z.void(),
    fails: [],
  },
  async (scope, taken) => recordEvent(scope, "backup.taken", INSTALLATION, taken),
);

/** The latest backup of the installation; null if none was taken. */
export async function lastBackup({ db }: Pick<ReadScope, "db">): Promise<z.infer<typeof Backup> | null> {
  const event = await latestOfInstallation(db, "backup.taken");
  return event ? { taken_at: event.at, ...BackupTaken.parse(event.detail) } : null;
}

export const DeclinedBackups = z.strictObject({
  because: text(500).describe("Why this program takes no backups by itself, as its operator gave it."),
});

/**
 * Records why the program takes no backups, for whoever asks how often they are (Despacho 8632/2014, 3.1.2). A repeated
 * reason is not recorded again.
 */
export const declineBackups = command(
  {
    id: "declineBackups",
    summary: "Record why the program takes no backups by itself",
    needs: "operator",
    input: DeclinedBackups,
    output: z.void(),
    fails: [],
  },
  async (scope, declined) => {
    if ((await noBackups(scope))?.because === declined.because) return;
    await recordEvent(scope, "backup.declined", INSTALLATION, declined);
  },
);

export const NoBackups = DeclinedBackups.extend({ since: Instant });

/** Why the program takes no backups by itself; null if nobody gave a reason, or a backup was taken since. */
export async function noBackups({ db }: Pick<ReadScope, "db">): Promise<z.infer<typeof NoBackups> | null> {
  const declined = await latestOfInstallation(db, "backup.declined");
  const taken = await latestOfInstallation(db, "backup.taken");
  if (!declined || (taken && taken.position > declined.position)) return null;
  return { since: declined.at, ...DeclinedBackups.parse(declined.detail) };
}

/** A backup taken by hand is due after a week: what a week's papers hold can be typed in again. */
const BY_HAND_S = 7 * 24 * 60 * 60;

/** Under a certificate number backups are due at intervals, a day where none is set (Despacho 8632/2014, 3.1.2). */
const CERTIFIED_EVERY_S = 24 * 60 * 60;

/** One backup at intervals may fail and be tried again; the second is missed. */
const INTERVALS = 2;

/**
 * When the latest backup was taken (null for none), if it is too old and documents were issued since; undefined if all
 * is well, and on a server, whose operator takes the backups. `last` is the answer of `lastBackup`.
 */
export async function overdueBackup(
  { db, now }: Pick<ReadScope, "db" | "now">,
  last: z.infer<typeof Backup> | null,
): Promise<{ readonly taken_at: Instant | null } | undefined> {
  if (executorOf(db).engine.isBackedUpByServer) return undefined;
  // A restored file has everything in its backup.
  const { backup_taken_at } = await db.selectFrom("installation").select("backup_taken_at").executeTakeFirstOrThrow();
  const isRestored = backup_taken_at !== null && backup_taken_at > (last?.taken_at ?? "");
  const taken_at = isRestored ? backup_taken_at : (last?.taken_at ?? null);
  const by_hand_s = (await isStrict({ db })) ? INTERVALS * CERTIFIED_EVERY_S : BY_HAND_S;
  const due_s = isRestored || last?.every_s === undefined ? by_hand_s : INTERVALS * last.every_s;
  if (taken_at !== null && now.getTime() - Date.parse(taken_at) <= due_s * 1000) return undefined;
  return (await companiesIssuedAfter(db, taken_at ?? new Date(0).toISOString())).length > 0 ? { taken_at } : undefined;
}

/** Where else the note of heads is kept. */
export const HeadsKept = z.strictObject({
  directory: text(4_096)
    .nullable()
    .describe("The directory in which the note of heads is kept elsewhere; null for none."),
});

/** The directory in which the note of heads is kept elsewhere; null for none. */
export async function headsDirectory({ db }: Pick<ReadScope, "db">): Promise<string | null> {
  const event = await latestOfInstallation(db, "installation.heads_kept");
  return event ? HeadsKept.parse(event.detail).directory : null;
}

/**
 * Whether the note of heads should also be kept elsewhere: beside the file alone it is lost or copied with it. A file
 * without a mark is served by its host program, which keeps no note.
 */
export async function wantsHeadsElsewhere({ db }: Pick<ReadScope, "db">): Promise<boolean> {
  if (executorOf(db).engine.name !== "sqlite") return false;
  const { place } = await db.selectFrom("installation").select("place").executeTakeFirstOrThrow();
  return place !== null && (await headsDirectory({ db })) === null;
}
