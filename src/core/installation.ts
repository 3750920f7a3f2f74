/** The installation: the history of this database file. Backups, restores, and the lock after a restore. */
import { z } from "zod";
import { recordEvent } from "./events.ts";
import { Instant, text } from "./fields.ts";
import { refuse } from "./runtime/errors.ts";
import { command, query } from "./runtime/operation.ts";
import type { WriteScope } from "./runtime/scope.ts";
import { confirmSeriesHead, LockedHead, lockedHeads, lockSeriesUntilConfirmed } from "./series/restore-lock.ts";

export const Installation = z.strictObject({
  created_at: Instant,
  backup_taken_at: Instant.nullable().describe("When this file was taken as a backup; null for an original."),
  restores: z.int().describe("How often a backup was restored into this installation."),
  locked: z.array(LockedHead).describe("Series whose last number must be confirmed."),
});

export const getInstallation = query(
  {
    id: "getInstallation",
    summary: "The history of this database file",
    needs: "operator",
    input: z.strictObject({}),
    output: Installation,
    fails: [],
  },
  async (scope) => {
    const row = await scope.db.selectFrom("installation").selectAll().executeTakeFirstOrThrow();
    return {
      created_at: row.created_at,
      backup_taken_at: row.backup_taken_at,
      restores: row.restores,
      locked: await lockedHeads(scope),
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
    await scope.db.updateTable("installation").set({ backup_taken_at: now }).execute();
    await lockSeriesUntilConfirmed(scope);
  },
);

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
    const { restores } = await scope.db.selectFrom("installation").select("restores").executeTakeFirstOrThrow();
    await scope.db
      .updateTable("installation")
      .set({ restores: Math.max(restores, earlier) + 1 })
      .execute();
    await lockSeriesUntilConfirmed(scope);
    await recordEvent(scope, "backup.restored", null);
  },
);

/**
 * Confirms the last number a series gave before the restore. If it is the last one in this file, the series continues.
 * If not, documents were lost: the series is closed for good, and a new one must be opened.
 */
export const confirmHead = command(
  {
    id: "confirmHead",
    summary: "Confirm the last number of a series after a restore",
    needs: "operator",
    input: z.strictObject({ number: text(60) }),
    output: z.strictObject({
      number: z.string(),
      head: z.string().describe("The last number in this file."),
      outcome: z.enum(["unlocked", "closed"]),
      still_locked: z.array(LockedHead),
    }),
    fails: ["invalid_state", "conflict"],
  },
  async (scope, { number }) => {
    const file = await scope.db.selectFrom("installation").selectAll().executeTakeFirstOrThrow();
    if (file.backup_taken_at === null && file.restores === 0) refuse("invalid_state", "nothing_to_confirm");
    return { number, ...(await confirmSeriesHead(scope, number)), still_locked: await lockedHeads(scope) };
  },
);

/** Writes the one row of a new database. */
export async function createInstallation(db: WriteScope["db"], now: Date): Promise<void> {
  await db.insertInto("installation").values({ id: 1, created_at: now.toISOString() }).execute();
}
