/** Takes the next number of a series, whose row is the head of its chain: last number, hash and seal. */
import { preparedWrite } from "../database/prepared.ts";
import type { Row } from "../database/tables.ts";
import { civilDate, type Day, type EntryTime, entryTime, type Instant } from "../fiscal/civil-time.ts";
import { numberOf } from "../fiscal/numbering.ts";
import { type Check, refuse } from "../runtime/errors.ts";
import type { ReadScope, WriteScope } from "../runtime/scope.ts";
import { t } from "./refusals.ts";
import { lockedCompanies, lockedHeads } from "./restore-lock.ts";

/** The number of the document being issued, and the hash and seal before it. */
export interface NextNumber {
  readonly sequence: number;
  readonly number: string;
  readonly validation_code: string | null;
  /** Lisbon wall time to the second: now, or the last time in the series if that is later. */
  readonly system_entry_date: EntryTime;
  readonly issued_at: Instant;
  readonly previous_hash: string | null;
  readonly previous_seal: string | null;
}

/** Whether a series gives a document of this day a number, check by check. */
export function checksOfSeries(
  scope: ReadScope,
  series: Row<"series">,
  document: { readonly issue_date: Day; readonly certificate_number: number; readonly time_zone: string },
): Check[] {
  return [
    () => mustBeOpen(series, document),
    () => mustBeRegistered(series, document),
    () => mustNotGoBack(scope, series, document),
    () => (series.restore_locked_at === null ? undefined : refuseLocked(scope)),
  ];
}

/** The first document fixes the certificate of its series. */
function mustBeOpen(
  { closed_at, code, certificate_number: began_under }: Row<"series">,
  { certificate_number }: { readonly certificate_number: number },
): void {
  if (closed_at !== null) refuse("series_closed", t.series_is_closed({ code }));
  if (began_under === null || began_under === certificate_number) return;
  refuse("series_closed", t.series_of_other_certificate({ code, began_under, certificate_number }));
}

/** Under a certificate, a series needs its validation code, unless it is for training. */
function mustBeRegistered(
  { doc_type, code, validation_code, training }: Row<"series">,
  { certificate_number }: { readonly certificate_number: number },
): void {
  if (certificate_number === 0 || validation_code !== null || training === 1) return;
  const remedy = { to: "register_series", series: `${doc_type} ${code}` } as const;
  refuse("series_not_registered", t.series_lacks_validation_code({ code }), remedy);
}

function mustNotGoBack(
  { now }: ReadScope,
  { doc_type, code, last_issue_date: date }: Row<"series">,
  { issue_date, time_zone }: { readonly issue_date: Day; readonly time_zone: string },
): void {
  if (date === null || date <= issue_date) return;
  if (date > civilDate(now, time_zone)) {
    refuse("date_out_of_order", t.series_is_ahead({ code, date }), { to: "open_other_series", doc_type });
  }
  refuse("date_out_of_order", t.series_is_at_date({ date }));
}

/**
 * The next number of a series, read from its row, for issuing under the transaction's lock; `moveOn` takes it. Never
 * `max()`, never a retry with another number.
 */
export function nextNumber(scope: ReadScope, series: Row<"series">): NextNumber {
  const { code, last_entry_date, last_issued_at } = series;
  const [entry, instant] = [entryTime(scope.now), scope.now.toISOString()];
  const { next_number: sequence } = series;
  return {
    sequence,
    number: numberOf(series.at_type, code, sequence),
    validation_code: series.validation_code,
    system_entry_date: last_entry_date !== null && last_entry_date > entry ? last_entry_date : entry,
    issued_at: last_issued_at !== null && last_issued_at > instant ? last_issued_at : instant,
    previous_hash: series.last_hash,
    previous_seal: series.last_seal,
  };
}

/** Refuses what `moveOn` would refuse: a number of a company in which a series with documents is locked. */
export async function mustBeUnlocked(scope: ReadScope): Promise<void> {
  const { stopped } = await lockedCompanies(scope.db);
  if (stopped.includes(scope.company_id)) await refuseLocked(scope);
}

async function refuseLocked(scope: ReadScope): Promise<never> {
  const numbers = (await lockedHeads(scope)).map(({ head }) => head);
  return refuse("unavailable", t.restored_numbers_unconfirmed({ numbers }), { to: "confirm_numbers" });
}

/** The head after a document: its number, and what the next one needs. */
export type NewHead = Pick<
  Row<"documents">,
  "sequence" | "issue_date" | "system_entry_date" | "issued_at" | "certificate_number" | "hash" | "seal"
>;

/**
 * Takes the number: one guarded update makes the document the head of its series, so that no two share a number. Call
 * it before the document is stored.
 */
export async function moveOn(scope: WriteScope, series_id: string, head: NewHead): Promise<void> {
  const { company_id } = scope;
  const [moved] = await advance(scope.db, { ...head, sequence: head.sequence as number, series_id, company_id });
  if (moved) return;
  if ((await lockedHeads(scope)).length > 0) return refuseLocked(scope);
  throw new Error(`The series ${series_id} moved on while it gave a number.`);
}

interface Advance extends NewHead {
  readonly series_id: string;
  readonly company_id: string;
  readonly sequence: number;
}

const advance = preparedWrite((db, { series_id, company_id, sequence, ...head }: Advance) =>
  db
    .updateTable("series")
    .set((eb) => ({
      next_number: eb("next_number", "+", 1),
      certificate_number: head.certificate_number,
      last_issue_date: head.issue_date,
      last_entry_date: head.system_entry_date,
      last_issued_at: head.issued_at,
      last_hash: head.hash,
      last_seal: head.seal,
    }))
    .where("id", "=", series_id)
    .where("company_id", "=", company_id)
    .where("next_number", "=", sequence)
    .where("closed_at", "is", null)
    .where("restore_locked_at", "is", null)
    // A locked series with documents stops every series of its company: see restore-lock.ts.
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("series as locked")
            .select("locked.id")
            .where("locked.company_id", "=", company_id)
            .where("locked.restore_locked_at", "is not", null)
            .where("locked.next_number", ">", 1),
        ),
      ),
    )
    .returning("id"),
);
