/** Takes the next number of a series, whose row is the head of its chain: last number, hash and seal. */
import type { Kysely } from "kysely";
import { mustFindCompany } from "../companies.ts";
import { preparedSelect, preparedWrite } from "../database/prepared.ts";
import type { Reader, Row, Tables } from "../database/tables.ts";
import { civilDate, entryTime } from "../fiscal/civil-time.ts";
import { numberOf } from "../fiscal/numbering.ts";
import { refuse } from "../runtime/errors.ts";
import type { ReadScope, WriteScope } from "../runtime/scope.ts";
import { lockedHeads } from "./restore-lock.ts";
import { findSeries } from "./series.ts";

/** The number of the document being issued, and the hash and seal before it. */
export interface TakenNumber {
  readonly sequence: number;
  readonly number: string;
  readonly validation_code: string | null;
  /** Lisbon wall time to the second: now, or the series' last where that is later. */
  readonly system_entry_date: string;
  readonly issued_at: string;
  readonly previous_hash: string | null;
  readonly previous_seal: string | null;
}

/**
 * Takes the next number of a series for a document of this date. One guarded update checks the series and advances it,
 * so that no two documents share a number. Never `max()`, never a retry into another number. The first document fixes
 * the certificate of its series. Under a certificate, a series needs its validation code, unless it is for training.
 */
export async function takeNumber(
  scope: WriteScope,
  { id }: Row<"series">,
  issue_date: string,
  certificate_number: number,
): Promise<TakenNumber> {
  const entry = entryTime(scope.now);
  const instant = scope.now.toISOString();
  const { company_id } = scope;
  const take = certificate_number > 0 ? takeCertified : takeUncertified;
  const [taken] = await take(scope.db, { id, company_id, issue_date, certificate_number, entry, instant });
  if (!taken) return refuseNumber(scope, id, issue_date, certificate_number);
  const sequence = taken.next_number - 1;
  return {
    sequence,
    number: numberOf(taken.at_type, taken.code, sequence),
    validation_code: taken.validation_code,
    system_entry_date: taken.last_entry_date ?? entry,
    issued_at: taken.last_issued_at ?? instant,
    previous_hash: taken.last_hash,
    previous_seal: taken.last_seal,
  };
}

interface Taking {
  readonly id: string;
  readonly company_id: string;
  readonly issue_date: string;
  readonly certificate_number: number;
  readonly entry: string;
  readonly instant: string;
}

/** Advances the series by one, if it is open, not locked, and takes this date and certificate. */
function advance(db: Kysely<Tables>, { id, company_id, issue_date, certificate_number, entry, instant }: Taking) {
  return (
    db
      .updateTable("series")
      .set((eb) => ({
        next_number: eb("next_number", "+", 1),
        certificate_number,
        last_issue_date: issue_date,
        last_entry_date: eb
          .case()
          .when("last_entry_date", ">", entry)
          .then(eb.ref("last_entry_date"))
          .else(entry)
          .end(),
        last_issued_at: eb
          .case()
          .when("last_issued_at", ">", instant)
          .then(eb.ref("last_issued_at"))
          .else(instant)
          .end(),
      }))
      .where("id", "=", id)
      .where("company_id", "=", company_id)
      .where("closed_at", "is", null)
      .where((eb) => eb.or([eb("certificate_number", "is", null), eb("certificate_number", "=", certificate_number)]))
      .where((eb) => eb.or([eb("last_issue_date", "is", null), eb("last_issue_date", "<=", issue_date)]))
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
      .returningAll()
  );
}

const takeUncertified = preparedWrite(advance);
/** The same under a certificate number: the series must have its validation code, unless it is for training. */
const takeCertified = preparedWrite((db, taking: Taking) =>
  advance(db, taking).where((eb) => eb.or([eb("validation_code", "is not", null), eb("training", "=", 1)])),
);

/** Refuses with the reason why `advance` matched no row; the last is the restore lock. */
async function refuseNumber(
  scope: WriteScope,
  series_id: string,
  issue_date: string,
  certificate_number: number,
): Promise<never> {
  const series = await findSeries(scope, series_id);
  if (!series) throw new Error(`The series ${series_id} of a draft is gone.`);
  const { doc_type, code } = series;
  if (series.closed_at !== null) return refuse("series_closed", "series_is_closed", { code });
  if (series.certificate_number !== null && series.certificate_number !== certificate_number) {
    const began_under = series.certificate_number;
    return refuse("series_closed", "series_of_other_certificate", { code, began_under, certificate_number });
  }
  if (certificate_number > 0 && series.validation_code === null && series.training === 0) {
    return refuse("series_not_registered", "series_lacks_validation_code", { doc_type, code });
  }
  if (series.last_issue_date !== null && series.last_issue_date > issue_date) {
    const { last_issue_date: date } = series;
    const { time_zone } = await mustFindCompany(scope);
    if (date > civilDate(scope.now, time_zone))
      refuse("date_out_of_order", "series_is_ahead", { doc_type, code, date });
    return refuse("date_out_of_order", "series_is_at_date", { date });
  }
  const numbers = (await lockedHeads(scope)).map(({ head }) => head);
  return refuse("unavailable", "restored_numbers_unconfirmed", { numbers });
}

/** Stores the hash and seal of the document that was just issued as the head of its series. */
export async function saveHead(
  scope: WriteScope,
  series_id: string,
  head: { hash: string; seal: string },
): Promise<void> {
  await moveHead(scope.db, { id: series_id, ...head });
}

const moveHead = preparedWrite((db, { id, hash, seal }: { id: string; hash: string; seal: string }) =>
  db.updateTable("series").set({ last_hash: hash, last_seal: seal }).where("id", "=", id),
);

/** The instant of the company's latest document, or null; the clock guard compares it with the clock. */
export async function latestIssuedAt({ db, company_id }: ReadScope): Promise<string | null> {
  return (await latestOf(db, { company_id }))[0]?.latest ?? null;
}

const latestOf = preparedSelect((db, { company_id }: { company_id: string }) =>
  db
    .selectFrom("series")
    .select((eb) => eb.fn.max("last_issued_at").as("latest"))
    .where("company_id", "=", company_id),
);

/** The companies with a document later than this instant, and the instant of their latest. */
export async function companiesIssuedAfter(
  db: Reader,
  after: string,
): Promise<{ readonly company_id: string; readonly latest: string }[]> {
  return latestAfter(db, { after });
}

const latestAfter = preparedSelect((db, { after }: { after: string }) =>
  db
    .selectFrom("series")
    .select((eb) => ["company_id", eb.fn.max("last_issued_at").as("latest")])
    .where("last_issued_at", ">", after)
    .groupBy("company_id")
    .$castTo<{ company_id: string; latest: string }>(),
);
