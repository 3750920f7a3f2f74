/**
 * When a company's reminders go out, and which steps have passed. A step is a number of days after the day on which a
 * document is due. Every morning those go out that were reached since the last one.
 */
import { mustFindCompany } from "../company/companies.ts";
import type { NewRow, Row } from "../database/tables.ts";
import type { DuePlace } from "../documents/overdue.ts";
import { civilDate, type Day, type Instant, instantAt } from "../fiscal/civil-time.ts";
import { daysAfter } from "../fiscal/deadlines.ts";
import type { WriteScope } from "../runtime/scope.ts";

/** The hours of the company's day between which reminders are queued. */
const FROM_HOUR = 9;
const TO_HOUR = 20;

/** The steps that a company has set, ascending. */
export const stepsIn = (reminder_days: string | null): number[] => reminder_days?.split(" ").map(Number) ?? [];

/** Steps as they are stored; null for none. */
export const storedSteps = (steps: readonly number[]): string | null => steps.join(" ") || null;

type Schedule = Pick<Row<"company_mail">, "remind_at" | "reminded_until" | "remind_after">;

/** Steps that were reached before the next morning have passed; those of that day and later ones are yet to come. */
export function fromNextMorning(now: Date, time_zone: string): Schedule {
  const { day, at } = nextMorning(now, time_zone);
  return { remind_at: at, reminded_until: daysAfter(day, -1), remind_after: null };
}

/** The next morning on which reminders go out. */
export function nextMorning(now: Date, time_zone: string): { readonly day: Day; readonly at: Instant } {
  const today = civilDate(now, time_zone);
  const at = instantAt(today, FROM_HOUR, time_zone);
  if (at > now.toISOString()) return { day: today, at };
  const day = daysAfter(today, 1);
  return { day, at: instantAt(day, FROM_HOUR, time_zone) };
}

/** Whether it is a time of day at which reminders may go out. */
export function isHourOfReminders(now: Date, time_zone: string): boolean {
  const today = civilDate(now, time_zone);
  const at = now.toISOString();
  return at >= instantAt(today, FROM_HOUR, time_zone) && at < instantAt(today, TO_HOUR, time_zone);
}

/** A step, and the days on which documents are due that reached it since a day, and no later step. */
export interface Span {
  readonly step: number;
  readonly from: Day;
  readonly to: Day;
}

/** The documents to remind of today, by the days on which they are due, ascending; the steps are ascending, too. */
export function spansOf(steps: readonly number[], reminded_until: Day, today: Day): Span[] {
  const spans = steps.map((step, i) => {
    const reached = daysAfter(reminded_until, 1 - step);
    const next = steps[i + 1];
    const short = next === undefined ? reached : daysAfter(today, 1 - next);
    return { step, from: reached > short ? reached : short, to: daysAfter(today, -step) };
  });
  return spans.filter(({ from, to }) => from <= to).reverse();
}

/** How far the reminders of a day are, as it is stored. */
export const storedPlace = ({ due_date, id }: DuePlace, today: Day): string => `${today} ${due_date} ${id}`;

/** How far today's reminders are; undefined at the beginning. */
export function placeIn(remind_after: string | null, today: Day): DuePlace | undefined {
  const [day, due_date, id] = remind_after?.split(" ") ?? [];
  return day === today && id !== undefined ? { due_date: due_date as Day, id } : undefined;
}

/** What becomes of the schedule where the steps are set. Nobody is reminded of what had been overdue before that. */
export function scheduleAfter(
  before: string | null,
  steps: string | null | undefined,
  now: Date,
  time_zone: string,
): Partial<NewRow<"company_mail">> {
  if (steps === undefined) return {};
  if (steps === null) return { remind_at: null, reminded_until: null, remind_after: null };
  return before === null ? fromNextMorning(now, time_zone) : { remind_after: null };
}

/** Lets the steps of all companies pass, in a copy of the database: the original may have sent those reminders. */
export async function passReminders({ db, now }: WriteScope): Promise<void> {
  const reminding = await db
    .selectFrom("company_mail")
    .select("company_id")
    .where("remind_at", "is not", null)
    .execute();
  for (const { company_id } of reminding) {
    const passed = fromNextMorning(now, (await mustFindCompany({ db, company_id })).time_zone);
    await db.updateTable("company_mail").set(passed).where("company_id", "=", company_id).execute();
  }
}
