/**
 * The lock of a restored backup: a company issues no number until somebody has confirmed the last one of each used
 * series.
 */
import * as z from "zod";
import { preparedSelect } from "../database/prepared.ts";
import type { Reader } from "../database/tables.ts";
import { recordEvent } from "../events/events.ts";
import { atType } from "../fiscal/document-types.ts";
import type { NumberParts } from "../fiscal/numbering.ts";
import { refuse } from "../runtime/errors.ts";
import { NO_COMPANY, type ReadScope, type WriteScope } from "../runtime/scope.ts";
import { type Head, headOf, notedOf, partsGiven } from "./heads.ts";
import { t } from "./refusals.ts";
import { openSeries, seriesLike } from "./series.ts";

/** A series whose head must be confirmed after a restore. */
export const LockedHead = z.strictObject({
  company_id: z.string(),
  doc_type: z.string(),
  head: z.string().describe("The last number in this file; with sequence 0 when it has none."),
});

/**
 * Locks every open series until its head is confirmed: an old backup must not issue a number twice. Series without
 * documents are locked too, as they may have been used after the backup was taken.
 */
export async function lockSeriesUntilConfirmed(scope: WriteScope): Promise<void> {
  const locked = await scope.db
    .updateTable("series")
    .set({ restore_locked_at: scope.now.toISOString() })
    .where("closed_at", "is", null)
    .returning(["id", "company_id"])
    .execute();
  for (const { id, company_id } of locked) await recordEvent({ ...scope, company_id }, "series.locked", id);
}

/**
 * The series still locked, in the call's company or, for a call above companies, in all. Those with documents come
 * first.
 */
export async function lockedHeads({ db, company_id }: ReadScope): Promise<z.infer<typeof LockedHead>[]> {
  let locked = db.selectFrom("series").selectAll().where("restore_locked_at", "is not", null);
  if (company_id !== NO_COMPANY) locked = locked.where("company_id", "=", company_id);
  const rows = await locked.orderBy("next_number", "desc").orderBy("id").execute();
  return rows.map((row) => ({ company_id: row.company_id, doc_type: row.doc_type, head: headOf(row) }));
}

/**
 * The companies with series that wait for confirmation after a restore. `stopped` lists those that can issue nothing: a
 * locked series has documents, or every active series is locked.
 */
export async function lockedCompanies(db: Reader): Promise<{ readonly locked: string[]; readonly stopped: string[] }> {
  const rows = await locksByCompany(db, {});
  const stopped = rows.filter(({ next_number, unlocked }) => next_number > 1 || unlocked === 0);
  return { locked: rows.map(({ company_id }) => company_id), stopped: stopped.map(({ company_id }) => company_id) };
}

/** Whether the call's company has series that wait for confirmation after a restore. */
export async function isLocked({ db, company_id }: ReadScope): Promise<boolean> {
  return (await firstLock(db, { company_id })).length > 0;
}

const firstLock = preparedSelect((db, { company_id }: { company_id: string }) =>
  db
    .selectFrom("series")
    .select("id")
    .where("company_id", "=", company_id)
    .where("restore_locked_at", "is not", null)
    .limit(1),
);

const locksByCompany = preparedSelect((db, _: object) =>
  db
    .selectFrom("series as locked")
    .select(({ fn, selectFrom }) => [
      "locked.company_id",
      fn.max("locked.next_number").as("next_number"),
      selectFrom("series as open")
        .select((eb) => eb.fn.countAll<number>().as("unlocked"))
        .whereRef("open.company_id", "=", "locked.company_id")
        .where("open.closed_at", "is", null)
        .where("open.restore_locked_at", "is", null)
        .as("unlocked"),
    ])
    .where("locked.restore_locked_at", "is not", null)
    .groupBy("locked.company_id"),
);

/** The numbers whose series the file lacks: opened after the backup, or mistyped. */
export async function ofUnknownSeries(scope: ReadScope, numbers: readonly string[]): Promise<string[]> {
  const unknown: string[] = [];
  for (const number of numbers) {
    const { doc_type, series_code } = partsGiven(number);
    if (!(await seriesLike(scope, doc_type, series_code))) unknown.push(number);
  }
  return unknown;
}

/**
 * Unlocks the series of this number if the number is the series' head in this file; closes the series if it is not, or
 * if a noted head proves the file wrong. A series that this file lacks is stored as closed, so that none of its numbers
 * is issued again. Refuses with `conflict` a number that cannot be the last one: below the head of this file or the
 * noted one, or mistyped, so that more than its sequence differs from the series' own.
 */
export async function confirmSeriesHead(
  scope: WriteScope,
  number: string,
  noted: readonly Head[],
): Promise<{ head: string; outcome: "unlocked" | "closed" }> {
  const parts = partsGiven(number);
  const series = await seriesLike(scope, parts.doc_type, parts.series_code);
  if (!series) {
    await recordLostSeries(scope, parts);
    return { head: number, outcome: "closed" };
  }
  const head = headOf(series);
  const isSpelled = series.code === parts.series_code && [series.at_type, series.doc_type].includes(parts.at_type);
  if (!isSpelled) refuse("conflict", t.series_is_spelled({ number, head }));
  if (series.restore_locked_at === null) refuse("invalid_state", t.series_is_confirmed({ number }));
  if (parts.sequence < series.next_number - 1) refuse("conflict", t.number_is_not_last({ number, last: head }));
  const known = await notedOf(scope.db, series, noted);
  if (known && parts.sequence < known.sequence)
    refuse("conflict", t.number_is_not_last({ number, last: known.number }));
  const continues = parts.sequence === series.next_number - 1 && !known?.conflicts;
  await scope.db
    .updateTable("series")
    .set({ restore_locked_at: null, ...(!continues && { closed_at: scope.now.toISOString() }) })
    .where("id", "=", series.id)
    .execute();
  await recordEvent(scope, continues ? "series.head_confirmed" : "series.closed", series.id, { number, head });
  return { head, outcome: continues ? "unlocked" : "closed" };
}

/** Stores a series opened after the backup as closed. */
export async function recordLostSeries(scope: WriteScope, parts: NumberParts): Promise<void> {
  const { doc_type, at_type, series_code } = parts;
  const cash_vat = at_type !== atType(doc_type, false);
  const { id } = await openSeries(scope, { doc_type, code: series_code, cash_vat });
  await scope.db.updateTable("series").set({ closed_at: scope.now.toISOString() }).where("id", "=", id).execute();
  await recordEvent(scope, "series.closed", id, { number: `${at_type} ${series_code}` });
}
