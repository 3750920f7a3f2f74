/**
 * Which months' tax files were communicated to the tax authority: a mark that a person sets once the file is delivered.
 * Each mark keeps how many documents the month had then, so that a document issued or cancelled later shows.
 */
import * as z from "zod";
import { mustFindCompany } from "../company/companies.ts";
import type { Row } from "../database/tables.ts";
import { countMonths, type MonthCount } from "../documents/counts.ts";
import { recordEvent } from "../events/events.ts";
import { Day, formed, Instant } from "../fields.ts";
import { civilDate, dayOf, monthOf } from "../fiscal/civil-time.ts";
import { ActorShown, findActors } from "../people/actors.ts";
import { problem, refuseInput } from "../runtime/errors.ts";
import { command, query } from "../runtime/operation.ts";
import { PageInput, pageBounds, pageOf } from "../runtime/page.ts";
import { common } from "../runtime/refusals.ts";
import type { ReadScope } from "../runtime/scope.ts";
import { t } from "./refusals.ts";

const Month = formed(7, (given) => /^[0-9]{4}-(?:0[1-9]|1[0-2])$/.test(given), t.must_be_month).meta({
  example: "2026-10",
});

export const Communication = z
  .strictObject({
    month: z.string().meta({ example: "2026-10" }),
    due: Day.describe("The last day to communicate it: the 5th of the next month."),
    documents: z.int().describe("Documents issued in the month, cancelled ones included, training left out."),
    communicated: z
      .union([z.strictObject({ at: Instant, by: ActorShown }), z.null()])
      .describe("The latest mark; null if there is none."),
    changed: z
      .strictObject({ issued: z.int(), cancelled: z.int() })
      .describe("How many of the month's documents were issued and cancelled since that mark; zeros without one."),
  })
  .describe("A month, and whether its tax file was communicated to the tax authority.");
export type Communication = z.infer<typeof Communication>;

export const listCommunications = query(
  {
    id: "listCommunications",
    summary: "List the months with documents, newest first, and whether their tax files were communicated",
    needs: "saft:read",
    input: z.strictObject({ ...PageInput }),
    output: pageOf(Communication),
    fails: [],
  },
  async (scope, asked) => {
    const months = (await monthsOf(scope)).reverse();
    const { pagination, size } = pageBounds(asked, months.length);
    const shown = months.slice(pagination.offset, pagination.offset + size);
    return { data: await shownAs(scope, shown), pagination };
  },
);

/**
 * Marks a month's tax file as communicated. A marked month is marked again if documents were issued or cancelled in it
 * since; otherwise the existing mark stays, so that a repeat changes nothing.
 */
export const markCommunicated = command(
  {
    id: "markCommunicated",
    summary: "Mark the tax file of a month as communicated to the tax authority",
    needs: "saft:read",
    input: z.strictObject({ month: Month }),
    output: Communication,
    fails: [],
  },
  async (scope, { month }) => {
    const { time_zone } = await mustFindCompany(scope);
    const today = civilDate(scope.now, time_zone);
    if (month > monthOf(today)) refuseInput([problem("month", common.is_after_today({ today }))]);
    const before = (await monthsOf(scope)).find((one) => one.month === month) ?? { ...EMPTY, month, mark: undefined };
    const mark = before.mark && !isChanged(changeOf(before)) ? before.mark : await insertMark(scope, before);
    const [shown] = await shownAs(scope, [{ ...before, mark }]);
    return shown as Communication;
  },
);

async function insertMark(
  scope: Parameters<typeof markCommunicated.run>[0],
  { month, documents, cancelled }: MonthState,
): Promise<Mark> {
  const mark: Mark = {
    id: scope.newId(),
    company_id: scope.company_id,
    month,
    documents,
    cancelled,
    marked_at: scope.now.toISOString(),
    marked_by: scope.actor_id,
  };
  await scope.db.insertInto("communications").values(mark).execute();
  await recordEvent(scope, "communication.marked", mark.id, { month, documents, cancelled });
  return mark;
}

type Mark = Row<"communications">;
const EMPTY = { documents: 0, cancelled: 0 } as const;

/** A month as it is now, with its latest mark. */
interface MonthState extends MonthCount {
  readonly mark: Mark | undefined;
}

/** The months that have documents or a mark, oldest first. */
async function monthsOf(scope: ReadScope): Promise<MonthState[]> {
  const marks = new Map((await marksOf(scope)).map((mark) => [mark.month, mark])); // the last of a month stays
  const counts = new Map((await countMonths(scope)).map((count) => [count.month, count]));
  return [...new Set([...counts.keys(), ...marks.keys()])]
    .sort()
    .map((month) => ({ ...(counts.get(month) ?? { ...EMPTY, month }), mark: marks.get(month) }));
}

/** Every mark of the company, oldest first. */
function marksOf({ db, company_id }: ReadScope): Promise<Mark[]> {
  return db.selectFrom("communications").selectAll().where("company_id", "=", company_id).orderBy("id").execute();
}

/** The changes to a month's documents since its mark. Neither count ever falls: issued documents are never deleted. */
function changeOf({ documents, cancelled, mark }: MonthState): Communication["changed"] {
  if (!mark) return { issued: 0, cancelled: 0 };
  return { issued: documents - mark.documents, cancelled: cancelled - mark.cancelled };
}

const isChanged = ({ issued, cancelled }: Communication["changed"]) => issued > 0 || cancelled > 0;

async function shownAs(scope: ReadScope, months: readonly MonthState[]): Promise<Communication[]> {
  const actors = await findActors(
    scope,
    months.flatMap(({ mark }) => mark?.marked_by ?? []),
  );
  return months.map((state) => ({
    month: state.month,
    due: dueOf(state.month),
    documents: state.documents,
    communicated: state.mark
      ? { at: state.mark.marked_at, by: actors.get(state.mark.marked_by) as z.infer<typeof ActorShown> }
      : null,
    changed: changeOf(state),
  }));
}

/** By the 5th of the next month (Decreto-Lei 198/2012, article 3). */
const dueOf = (month: string): Day => dayAfter(month, 1, 5);

/** The month so many after this one, or before it when negative. */
const monthAfter = (month: string, by: number): string => monthOf(dayAfter(month, by, 1));

/** A day of the month so many after this one. */
function dayAfter(month: string, by: number, day: number): Day {
  const [year = 0, ofYear = 0] = month.split("-").map(Number);
  return dayOf(year, ofYear + by, day);
}

/** A month whose tax file must be communicated. */
export interface DueMonth {
  readonly month: string;
  readonly due: Day;
  /** It was communicated, and documents were issued or cancelled in it since. */
  readonly changed: boolean;
}

/** How far back a communicated month is watched for changes. */
const WATCHED_MONTHS = 12;

/**
 * The months whose tax files wait. Lacre cannot know who delivers files in another way, so:
 *
 * - last month waits if it has documents and no mark, once the company has marked any month. A company that never did
 *   is reminded where `reminds` is set, from the 1st to the 5th, and not after;
 * - a marked month of the last twelve waits again if documents were issued or cancelled in it since.
 */
export async function dueMonths(scope: ReadScope, today: Day, reminds: boolean): Promise<DueMonth[]> {
  const last = monthAfter(monthOf(today), -1);
  const first = monthAfter(last, 1 - WATCHED_MONTHS);
  const states = await monthsOf(scope);
  const isUsed = states.some(({ mark }) => mark !== undefined);
  const waits = (state: MonthState) => {
    const { month, mark, documents } = state;
    if (mark) return month >= first && month <= last && isChanged(changeOf(state));
    return month === last && documents > 0 && (isUsed || (reminds && today <= dueOf(month)));
  };
  return states.filter(waits).map(({ month, mark }) => ({ month, due: dueOf(month), changed: mark !== undefined }));
}
