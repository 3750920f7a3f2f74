/** The period of an export: the input, and the days it means today. */

import * as z from "zod";
import { Day } from "../../fields.ts";
import { dayOf, yearOf } from "../../fiscal/civil-time.ts";
import { problem, refuseInput } from "../../runtime/errors.ts";
import { t } from "../refusals.ts";

/** The first day that the schema accepts. */
const FIRST_DAY = dayOf(2000, 1, 1);

export const PeriodInput = z.strictObject({
  from: Day.optional().describe("First issue_date; the first of January of the year of `to` when left out."),
  to: Day.optional().describe("Last issue_date, in the year of `from`; today when left out."),
  training: z.boolean().optional().describe("The documents of training series, and no others."),
});

/** The documents dated from the first day to the last, both included: real ones, or those of training series. */
export interface ExportPeriod {
  readonly from: Day;
  readonly to: Day;
  readonly training: boolean;
}

/**
 * The period of an export, with defaults filled in. Refuses with `invalid_request` one that begins before 2000, ends
 * before it begins, or spans two years: a file has one FiscalYear.
 */
export function periodOf({ training = false, ...given }: z.output<typeof PeriodInput>, today: Day): ExportPeriod {
  const to = given.to ?? today;
  const from = given.from ?? dayOf(yearOf(to), 1, 1);
  if (from < FIRST_DAY) refuseInput([problem("from", t.must_be_on_or_after({ date: FIRST_DAY }))]);
  if (to < from) refuseInput([problem("to", t.must_be_on_or_after({ date: from }))]);
  const year = from.slice(0, 4);
  if (to.slice(0, 4) !== year) refuseInput([problem("to", t.must_be_in_year({ year }))]);
  return { from, to, training };
}
