/** The lock of a restored backup: a company gives no number until the last one of each used series was confirmed. */
import type { Row } from "../database/tables.ts";
import { recordEvent } from "../events.ts";
import { atType, DOC_TYPES, type DocType } from "../fiscal/document-types.ts";
import { numberOf, SERIES_CODE } from "../fiscal/numbering.ts";
import { NO_COMPANY, type ReadScope, type WriteScope } from "../runtime/scope.ts";
import { allSeries, openSeries } from "./series.ts";

/** A series that waits for its head to be confirmed after a restore. */
export interface LockedHead {
  readonly company_id: string;
  readonly doc_type: DocType;
  /** The last number in this file; with sequence 0 when it has none. */
  readonly head: string;
}

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
export async function lockedHeads({ db, company_id }: ReadScope): Promise<LockedHead[]> {
  let locked = db.selectFrom("series").selectAll().where("restore_locked_at", "is not", null);
  if (company_id !== NO_COMPANY) locked = locked.where("company_id", "=", company_id);
  const rows = await locked.orderBy("next_number", "desc").orderBy("id").execute();
  return rows.map((row) => ({ company_id: row.company_id, doc_type: row.doc_type, head: headOf(row) }));
}

/**
 * Unlocks the series of this number if the number is the series' head in this file, and closes it if not. A series that
 * this file lacks was opened after the backup: it is stored as closed, so that none of its numbers is given again.
 */
export async function confirmSeriesHead(
  scope: WriteScope,
  number: string,
): Promise<{ head: string; outcome: "unlocked" | "closed" } | "unknown" | "not_locked"> {
  const given = partsOfNumber(number);
  if (!given) return "unknown";
  const { at_type, code, sequence } = given;
  const series = (await allSeries(scope)).find((row) => row.at_type === at_type && row.code === code);
  if (!series) return (await recordLostSeries(scope, at_type, code)) ? { head: number, outcome: "closed" } : "unknown";
  if (series.restore_locked_at === null) return "not_locked";
  const head = headOf(series);
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

/** Stores a series opened after the backup as closed; false when the number names no type of document. */
async function recordLostSeries(scope: WriteScope, at_type: string, code: string): Promise<boolean> {
  const doc_type = DOC_TYPES.find((type) => [false, true].some((cash_vat) => atType(type, cash_vat) === at_type));
  if (!doc_type || !SERIES_CODE.test(code)) return false;
  const { id } = await openSeries(scope, { doc_type, code }, at_type === "RC");
  await scope.db.updateTable("series").set({ closed_at: scope.now.toISOString() }).where("id", "=", id).execute();
  await recordEvent(scope, "series.closed", id, { number: `${at_type} ${code}` });
  return true;
}

/** The parts of a printed number, `FT 2026A/17`; undefined for any other text. */
function partsOfNumber(number: string): { at_type: string; code: string; sequence: number } | undefined {
  const [, at_type, code, sequence] = /^([A-Z]{2}) ([^ /]{1,20})\/([0-9]{1,15})$/.exec(number) ?? [];
  return at_type && code && sequence ? { at_type, code, sequence: Number(sequence) } : undefined;
}

function headOf(row: Row<"series">): string {
  return numberOf(row.at_type, row.code, row.next_number - 1);
}
