/** The lock of a restored backup: a company gives no number until the last one of each used series was confirmed. */
import { z } from "zod";
import type { Row } from "../database/tables.ts";
import { recordEvent } from "../events.ts";
import { atType, DOC_TYPES, type DocType } from "../fiscal/document-types.ts";
import { numberOf, SERIES_CODE } from "../fiscal/numbering.ts";
import { refuse } from "../runtime/errors.ts";
import { NO_COMPANY, type ReadScope, type WriteScope } from "../runtime/scope.ts";
import { openSeries, seriesLike } from "./series.ts";

/** A series that waits for its head to be confirmed after a restore. */
export const LockedHead = z.strictObject({
  company_id: z.string(),
  doc_type: z.string(),
  head: z.string().describe("The last number in this file; with sequence 0 when it has none."),
});

/**
 * Locks every open series until its head is confirmed: an old backup must not give a number twice. Series without
 * documents are locked too, as they may have been used after the backup was taken.
 */
export async function lockSeriesUntilConfirmed(scope: WriteScope): Promise<void> {
  await scope.db
    .updateTable("series")
    .set({ restore_locked_at: scope.now.toISOString() })
    .where("closed_at", "is", null)
    .execute();
}

/** The series still locked, in the call's company or, for a call above companies, in all. Those with documents come first. */
export async function lockedHeads({ db, company_id }: ReadScope): Promise<z.infer<typeof LockedHead>[]> {
  let locked = db.selectFrom("series").selectAll().where("restore_locked_at", "is not", null);
  if (company_id !== NO_COMPANY) locked = locked.where("company_id", "=", company_id);
  const rows = await locked.orderBy("next_number", "desc").orderBy("id").execute();
  return rows.map((row) => ({ company_id: row.company_id, doc_type: row.doc_type, head: headOf(row) }));
}

/**
 * Unlocks the series of this number if the number is the series' head in this file, and closes it if not. A series that
 * this file lacks was opened after the backup: it is stored as closed, so that none of its numbers is given again. Refuses
 * with `conflict` a number that differs from the series' own in more than its sequence, as it was mistyped.
 */
export async function confirmSeriesHead(
  scope: WriteScope,
  number: string,
): Promise<{ head: string; outcome: "unlocked" | "closed" }> {
  const { doc_type, at_type, code, sequence } = partsOfNumber(number);
  const series = await seriesLike(scope, doc_type, code);
  if (!series) {
    await recordLostSeries(scope, doc_type, at_type, code);
    return { head: number, outcome: "closed" };
  }
  const head = headOf(series);
  if (series.at_type !== at_type || series.code !== code) refuse("conflict", "series_is_spelled", { number, head });
  if (series.restore_locked_at === null) refuse("invalid_state", "series_is_confirmed", { number });
  const outcome = sequence === series.next_number - 1 ? "unlocked" : "closed";
  await scope.db
    .updateTable("series")
    .set({ restore_locked_at: null, ...(outcome === "closed" && { closed_at: scope.now.toISOString() }) })
    .where("id", "=", series.id)
    .execute();
  await recordEvent(scope, outcome === "closed" ? "series.closed" : "series.head_confirmed", series.id, {
    number,
    head,
  });
  return { head, outcome };
}

/** Stores a series opened after the backup as closed. */
async function recordLostSeries(scope: WriteScope, doc_type: DocType, at_type: string, code: string): Promise<void> {
  const { id } = await openSeries(scope, { doc_type, code }, at_type === "RC");
  await scope.db.updateTable("series").set({ closed_at: scope.now.toISOString() }).where("id", "=", id).execute();
  await recordEvent(scope, "series.closed", id, { number: `${at_type} ${code}` });
}

/** The parts of a printed number, `FT 2026A/17`; refuses any other text. */
function partsOfNumber(number: string) {
  const [, at_type = "", code = "", sequence] = /^([A-Z]{2}) ([^ /]{1,20})\/([0-9]{1,15})$/.exec(number) ?? [];
  const doc_type = DOC_TYPES.find((type) => [false, true].some((cash_vat) => atType(type, cash_vat) === at_type));
  if (!doc_type || !SERIES_CODE.test(code)) return refuse("invalid_request", "is_no_document_number", { number });
  return { doc_type, at_type, code, sequence: Number(sequence) };
}

function headOf(row: Row<"series">): string {
  return numberOf(row.at_type, row.code, row.next_number - 1);
}
