/** The installation: the history of this database file. Backups, restores, the lock after a restore, and what waits. */
import * as z from "zod";
import { countCompanies } from "../company/companies.ts";
import type { DatabaseLocation } from "../database/engine.ts";
import { executorOf } from "../database/executor.ts";
import { INSTALLATION } from "../database/row-states.ts";
import { endWaitingEmails } from "../emails/fate.ts";
import { recordEvent } from "../events/events.ts";
import { Instant, text } from "../fields.ts";
import { createHostActor, HOST_PROGRAM } from "../people/host.ts";
import { endAllSessions } from "../people/sessions.ts";
import { refuse } from "../runtime/errors.ts";
import { lowSpace } from "../runtime/free-space.ts";
import { command, query } from "../runtime/operation.ts";
import type { ActorScope, ReadScope, WriteScope } from "../runtime/scope.ts";
import { companiesWithClockBehind } from "../series/clock-guard.ts";
import { allHeads, conflictsWith, Head, HeadConflict, partsGiven } from "../series/heads.ts";
import {
  confirmSeriesHead,
  LockedHead,
  lockedCompanies,
  lockedHeads,
  lockSeriesUntilConfirmed,
  ofUnknownSeries,
  recordLostSeries,
} from "../series/restore-lock.ts";
import { allWaiting, Waiting } from "../series/waiting.ts";
import { SignerState, signerState } from "../signing/signer.ts";
import { companiesWithFinding, Finding, findCheck, storedFinding } from "../verify/finding.ts";
import { VERSION } from "../version.ts";
import { unsentCompanies } from "../webhooks/outbox.ts";
import { Backup, HeadsKept, headsDirectory, lastBackup, NoBackups, noBackups, overdueBackup } from "./backups.ts";
import { t } from "./refusals.ts";

export const Installation = z
  .strictObject({
    created_at: Instant,
    backup_taken_at: Instant.nullable().describe("When this file was taken as a backup; null for an original."),
    last_backup: Backup.nullable().describe("The latest backup of this installation; null if none was taken."),
    heads_directory: HeadsKept.shape.directory,
    no_backups: NoBackups.nullable().describe("Why the program takes none by itself; null where no reason was given."),
    restores: z.int().describe("How often a backup was restored into this installation."),
    locked: z.array(LockedHead).describe("Series whose last number must be confirmed."),
  })
  .describe("The history of the database file.");
export type Installation = z.infer<typeof Installation>;

export const getInstallation = query(
  {
    id: "getInstallation",
    summary: "The history of this database file",
    needs: "operator",
    input: z.strictObject({}),
    output: Installation,
    fails: [],
  },
  historyOf,
);

async function historyOf(scope: ReadScope): Promise<z.infer<typeof Installation>> {
  const row = await scope.db.selectFrom("installation").selectAll().executeTakeFirstOrThrow();
  return {
    created_at: row.created_at,
    backup_taken_at: row.backup_taken_at,
    last_backup: await lastBackup(scope),
    heads_directory: await headsDirectory(scope),
    no_backups: await noBackups(scope),
    restores: row.restores,
    locked: await lockedHeads(scope),
  };
}

const { public_key: _, ...signing } = SignerState.shape;

export const OwnInstallation = z
  .strictObject({
    version: z.string().describe("Of Lacre."),
    database: z
      .enum(["sqlite", "postgres"])
      .describe("What it is kept in; the backups of a PostgreSQL server are its own."),
    ...Installation.shape,
    check: z
      .strictObject({ checked_at: Instant, whole_at: Instant.nullable(), finding: Finding.nullable() })
      .nullable()
      .describe("What the last check of this company found, and when all of it was checked; null before the first."),
    ...signing,
  })
  .describe("The installation as its page shows it to an owner.");
export type OwnInstallation = z.infer<typeof OwnInstallation>;

export const getOwnInstallation = query(
  {
    id: "getOwnInstallation",
    summary: "The installation as seen from one company: version, backups, what is locked, how documents are signed",
    needs: "installation:read",
    input: z.strictObject({}),
    output: OwnInstallation,
    fails: [],
  },
  async (scope) => {
    const { public_key: _, ...signer } = await signerState(scope);
    const stored = await findCheck(scope);
    const check = stored
      ? { checked_at: stored.checked_at, whole_at: stored.whole_at, finding: storedFinding(stored) }
      : null;
    return {
      version: VERSION,
      database: executorOf(scope.db).engine.name,
      ...(await historyOf(scope)),
      check,
      ...signer,
    };
  },
);

/** Marks this file as a backup: when it is opened, issuing is locked. Run on the copy, never on the original. */
export const markBackup = command(
  {
    id: "markBackup",
    summary: "Mark this file as a backup, locked for issuing",
    needs: "operator",
    input: z.strictObject({}),
    output: z.void(),
    fails: [],
  },
  async (scope) => {
    const now = scope.now.toISOString();
    await scope.db.updateTable("installation").set({ backup_taken_at: now, place: null }).execute();
    await recordEvent(scope, "backup.marked", INSTALLATION);
    await endAllSessions(scope); // the copy must not accept the sessions of the original
    await lockSeriesUntilConfirmed(scope);
    await endWaitingEmails(scope);
  },
);

export const getWaiting = query(
  {
    id: "getWaiting",
    summary: "What waits for a person, in every company",
    needs: "operator",
    input: z.strictObject({}),
    output: z.array(Waiting),
    fails: [],
  },
  allWaiting,
);

/** Whether documents can be issued. It counts and names nothing: `GET /readyz` tells it without a key. */
export interface Readiness {
  /** How many companies issue nothing, or not in every series, by reason. */
  readonly blocked: {
    readonly database_changed: number;
    readonly numbers_unconfirmed: number;
    readonly clock_behind: number;
  };
  /** There are companies, and none of them can issue anything. */
  readonly nothing_can_be_issued: boolean;
  /** When the latest backup was taken. */
  readonly last_backup_at: Instant | null;
  /** Documents were issued after the last backup, and it is too old, or there is none. */
  readonly backup_overdue: boolean;
  /** How many companies have messages to webhooks that nobody has sent for minutes. */
  readonly webhooks_unsent: number;
  /** The disk of the database is nearly full. */
  readonly disk_low: boolean;
}

/** Reads a few rows by index, however much the database holds. */
export async function readinessOf(scope: Pick<ReadScope, "db" | "now" | "freeBytes">): Promise<Readiness> {
  const { locked, stopped } = await lockedCompanies(scope.db);
  const behind = await companiesWithClockBehind(scope);
  const changed = await companiesWithFinding(scope);
  const blocked = new Set([...stopped, ...behind, ...changed]).size;
  const last = await lastBackup(scope);
  return {
    blocked: {
      database_changed: changed.length,
      numbers_unconfirmed: locked.length,
      clock_behind: behind.length,
    },
    nothing_can_be_issued: blocked > 0 && blocked === (await countCompanies(scope)),
    last_backup_at: last?.taken_at ?? null,
    backup_overdue: (await overdueBackup(scope, last)) !== undefined,
    webhooks_unsent: (await unsentCompanies(scope)).size,
    disk_low: lowSpace(scope.freeBytes) !== undefined,
  };
}

/** Counts a restore of this file (Despacho 8632/2014, 3.1.2: the number of restores is kept). */
export const countRestore = command(
  {
    id: "countRestore",
    summary: "Count a restore of this file",
    needs: "operator",
    input: z.strictObject({
      earlier: z.int().min(0).optional().describe("Restores counted in the database it replaces."),
    }),
    output: z.void(),
    fails: [],
  },
  async (scope, { earlier = 0 }) => {
    await scope.db.updateTable("installation").set({ place: null }).execute(); // its place is where it is next opened
    await restored(scope, earlier);
  },
);

/** Counts one more restore, of this file or of the one it replaces, and locks every series. */
async function restored(scope: WriteScope, earlier: number): Promise<void> {
  const { restores } = await scope.db.selectFrom("installation").select("restores").executeTakeFirstOrThrow();
  await scope.db
    .updateTable("installation")
    .set({ restores: Math.max(restores, earlier) + 1 })
    .execute();
  await recordEvent(scope, "backup.restored", INSTALLATION);
  await lockSeriesUntilConfirmed(scope);
  await endWaitingEmails(scope);
}

const Noted = z.array(Head).max(100_000).describe("Heads that were noted outside this file.");

export const getHeads = query(
  {
    id: "getHeads",
    summary: "The last number and seal of every series and record of events, to be noted outside this file",
    needs: "operator",
    input: z.strictObject({}),
    output: z.array(Head),
    fails: [],
  },
  ({ db }) => allHeads(db),
);

export const compareHeads = query(
  {
    id: "compareHeads",
    summary: "Which noted heads conflict with this file",
    needs: "operator",
    input: z.strictObject({ noted: Noted }),
    output: z.array(HeadConflict),
    fails: ["invalid_request"],
  },
  ({ db }, { noted }) => conflictsWith(db, noted),
);

/**
 * Treats this file as a restored backup if noted heads prove that it lacks documents: it counts a restore, locks every
 * series, and stores missing series as closed. Changes nothing if that was already done or settled.
 */
export const lockIfBehind = command(
  {
    id: "lockIfBehind",
    summary: "Lock this file like a restored backup if noted heads prove that it lacks documents",
    needs: "operator",
    input: z.strictObject({ noted: Noted }),
    output: z.array(HeadConflict).describe("What is not settled yet."),
    fails: ["invalid_request"],
  },
  async (scope, { noted }) => {
    const unsettled = (await conflictsWith(scope.db, noted)).filter(({ closed }) => !closed);
    for (const { problem, company_id, number } of unsettled) {
      if (problem === "no_series" && company_id !== null) {
        await recordLostSeries({ ...scope, company_id }, partsGiven(number));
      }
    }
    if (unsettled.some(({ problem, locked }) => problem !== "no_company" && !locked)) await restored(scope, 0);
    return unsettled;
  },
);

/** Records where else to keep the note of heads; a program that serves the file keeps it there from then on. */
export const keepHeads = command(
  {
    id: "keepHeads",
    summary: "Record the directory in which the note of heads is kept elsewhere",
    needs: "operator",
    input: HeadsKept,
    output: z.void(),
    fails: [],
  },
  async (scope, kept) => recordEvent(scope, "installation.heads_kept", INSTALLATION, kept),
);

/**
 * Confirms the last numbers that series issued before the restore, all or none. If a number is the last one in this
 * file, its series continues. If not, documents were lost: the series is closed for good, and a new one must be opened.
 */
export const confirmHeads = command(
  {
    id: "confirmHeads",
    summary: "Confirm the last numbers of series after a restore",
    needs: "operator",
    input: z.strictObject({
      numbers: z.array(text(60)).min(1).max(10_000),
      lost: z.boolean().optional().describe("Series that this file lacks were opened after the backup: close them."),
      noted: Noted.optional(),
    }),
    output: z.strictObject({
      confirmed: z.array(
        z.strictObject({
          number: z.string(),
          head: z.string().describe("The last number in this file."),
          outcome: z.enum(["unlocked", "closed"]),
        }),
      ),
      still_locked: z.array(LockedHead),
    }),
    fails: ["invalid_state", "conflict"],
  },
  async (scope, { numbers, lost = false, noted = [] }) => {
    const file = await scope.db.selectFrom("installation").selectAll().executeTakeFirstOrThrow();
    if (file.backup_taken_at === null && file.restores === 0) refuse("invalid_state", t.nothing_to_confirm);
    const unknown = await ofUnknownSeries(scope, numbers);
    if (unknown.length > 0 && !lost) {
      refuse("conflict", t.series_are_unknown({ numbers: unknown }), { to: "confirm_lost", numbers: unknown });
    }
    const confirmed = [];
    for (const number of numbers) confirmed.push({ number, ...(await confirmSeriesHead(scope, number, noted)) });
    return { confirmed, still_locked: await lockedHeads(scope) };
  },
);

const PlaceGiven = z.strictObject({ table: z.string().max(1_000), timeline: z.string().max(1_000) });

/** Whether a database on a server is not where it was last opened, or was never opened. */
export async function isElsewhere(db: ReadScope["db"], { table, timeline }: DatabaseLocation): Promise<boolean> {
  const { place } = await db.selectFrom("installation").select("place").executeTakeFirstOrThrow();
  return place !== `${table} ${timeline}`;
}

export const getPlace = query(
  {
    id: "getPlace",
    summary: "Where the database lay when that was noted last; null before the first time",
    needs: "operator",
    input: z.strictObject({}),
    output: PlaceGiven.nullable(),
    fails: [],
  },
  async ({ db }) => {
    const { place } = await db.selectFrom("installation").select("place").executeTakeFirstOrThrow();
    const [table = "", timeline = ""] = place?.split(" ") ?? [];
    return place === null ? null : { table, timeline };
  },
);

/**
 * Notes where the database lies. If that differs from before, it is a copy, which is treated as a restored backup. It
 * also differs when a standby took over that may lack the latest documents. The place of a file is the mark of the note
 * of heads beside it, if a program keeps one; it has no timeline.
 */
export const lockIfCopied = command(
  {
    id: "lockIfCopied",
    summary: "Lock this database like a restored backup if it is a copy: in another place, or beside another note",
    needs: "operator",
    input: PlaceGiven,
    output: z.strictObject({ locked: z.boolean() }),
    fails: [],
  },
  async (scope, { table, timeline }) => {
    const { place } = await scope.db.selectFrom("installation").select("place").executeTakeFirstOrThrow();
    const here = `${table} ${timeline}`;
    if (place === here) return { locked: false };
    await scope.db.updateTable("installation").set({ place: here }).execute();
    const [noted, from = ""] = place?.split(" ") ?? [table];
    const isCopy = noted !== table || (from !== "" && timeline !== "" && from !== timeline);
    if (isCopy) await restored(scope, 0);
    return { locked: isCopy };
  },
);

/** Writes the one row of a new database, and the first event. */
export async function createInstallation(scope: ActorScope): Promise<void> {
  await scope.db.insertInto("installation").values({ id: 1, created_at: scope.now.toISOString() }).execute();
  const actor_id = await createHostActor(scope, HOST_PROGRAM);
  await recordEvent({ ...scope, actor_id }, "installation.created", INSTALLATION);
}
