/**
 * Heads: the last number of each series, and the last position of each record of events, with their seals. Noted
 * outside the database they reveal what it cannot prove by itself: that it is an older copy, or that its end was cut
 * off or rewritten.
 */
import * as z from "zod";
import { allCompanies } from "../company/companies.ts";
import { preparedSelect } from "../database/prepared.ts";
import type { Reader, Row } from "../database/tables.ts";
import { sealAt } from "../documents/rows.ts";
import { eventsAfter, headOfEvents } from "../events/events.ts";
import { text } from "../fields.ts";
import { atType, DOC_TYPES } from "../fiscal/document-types.ts";
import { type NumberParts, numberOf, partsOfNumber } from "../fiscal/numbering.ts";
import { refuse } from "../runtime/errors.ts";
import { t } from "./refusals.ts";
import { seriesLike } from "./series.ts";

export const Head = z
  .strictObject({
    company_id: text(40).nullable().describe("Null for the installation's own record of events."),
    number: text(60).describe(
      "The last number of a series, or `events/123`: the last position in the record of events.",
    ),
    seal: text(80).describe("The seal of the document or event with that number."),
  })
  .describe("The last number of a series with its seal, to be noted outside the database.");
export type Head = z.infer<typeof Head>;

export const HeadConflict = z
  .strictObject({
    ...Head.shape,
    problem: z
      .enum(["behind", "differs", "no_series", "no_company"])
      .describe("The file ends before the number; has another document under it; lacks the series, or the company."),
    head: z.string().nullable().describe("The last number of the series in this file; null where it lacks the series."),
    closed: z
      .boolean()
      .describe("Whether it gives no number again: a series closed in this file, or a record of events."),
    locked: z.boolean().describe("Whether the series waits for its last number to be confirmed."),
  })
  .describe("A noted head that conflicts with the file.");
export type HeadConflict = z.infer<typeof HeadConflict>;

/** The heads of all series with documents, of every company, and then of the records of events. */
export async function allHeads(db: Reader): Promise<Head[]> {
  const series = (await usedSeries(db, {})).map((row) => ({ ...row, number: headOf(row), seal: row.last_seal }));
  const companies = (await allCompanies({ db })).map((row) => ({ ...row, company_id: row.id }));
  const records = [...companies, { ...(await headOfEvents(db, null)), company_id: null }].map((row) => ({
    company_id: row.company_id,
    number: `${EVENTS}${row.event_position}`,
    seal: row.event_seal,
  }));
  return [...series, ...records].flatMap(({ company_id, number, seal }) =>
    seal === null ? [] : { company_id, number, seal },
  );
}

/** The prefix of an event's number in a head. */
const EVENTS = "events/";

function isOfEvents({ number }: Head): boolean {
  return number.startsWith(EVENTS);
}

const usedSeries = preparedSelect((db, _: object) =>
  db.selectFrom("series").selectAll().where("next_number", ">", 1).orderBy("id"),
);

/** The noted heads that the file lacks or contradicts. */
export async function conflictsWith(db: Reader, noted: readonly Head[]): Promise<HeadConflict[]> {
  const companies = new Set<string | null>((await allCompanies({ db })).map(({ id }) => id)).add(null);
  const conflicts: HeadConflict[] = [];
  for (const head of noted) {
    const find = isOfEvents(head) ? conflictOfEvents : conflictOfSeries;
    const { problem, ...more }: Found = companies.has(head.company_id)
      ? await find(db, head)
      : { problem: "no_company" };
    if (problem) conflicts.push({ ...head, problem, head: null, closed: isOfEvents(head), locked: false, ...more });
  }
  return conflicts;
}

type Found = Partial<Pick<HeadConflict, "head" | "closed" | "locked">> & {
  readonly problem: HeadConflict["problem"] | undefined;
};

async function conflictOfEvents(db: Reader, { company_id, number, seal }: Head): Promise<Found> {
  const position = Number(number.slice(EVENTS.length));
  const [event] = await eventsAfter(db, company_id, position - 1);
  if (event?.position !== position) return { problem: "behind" };
  return { problem: event.seal === seal ? undefined : "differs" };
}

async function conflictOfSeries(db: Reader, head: Head): Promise<Found> {
  const { doc_type, series_code } = partsGiven(head.number);
  const series = await seriesLike({ db, company_id: head.company_id ?? "" }, doc_type, series_code);
  if (!series) return { problem: "no_series" };
  const [closed, locked] = [series.closed_at !== null, series.restore_locked_at !== null];
  return { problem: await problemOf(db, series, head), head: headOf(series), closed, locked };
}

/** How the series contradicts a noted head, if it does. */
async function problemOf(
  db: Reader,
  series: Row<"series">,
  { number, seal }: Head,
): Promise<"behind" | "differs" | undefined> {
  const { sequence } = partsGiven(number);
  const last = series.next_number - 1;
  if (last < sequence) return "behind";
  const found = last === sequence ? series.last_seal : await sealAt(db, { series_id: series.id, sequence });
  return found === seal ? undefined : "differs";
}

/** The parts of a number with its type in either spelling, AT's (`GD`) or ours (`NDV`); refuses any other text. */
export function partsGiven(number: string): NumberParts {
  const [given = ""] = number.split(" ", 1);
  const type = DOC_TYPES.find((one) => one === given);
  const parts = partsOfNumber(number) ?? (type && partsOfNumber(number.replace(type, atType(type, false))));
  return parts ?? refuse("invalid_request", t.is_no_document_number({ number }));
}

/** The last number of a series, with sequence 0 when it has none. */
export function headOf(row: Row<"series">): string {
  return numberOf(row.at_type, row.code, row.next_number - 1);
}

/** The noted head of a series, and whether it conflicts with the file; undefined if none was noted. */
export async function notedOf(
  db: Reader,
  series: Row<"series">,
  noted: readonly Head[],
): Promise<{ readonly number: string; readonly sequence: number; readonly conflicts: boolean } | undefined> {
  for (const head of noted.filter((one) => !isOfEvents(one))) {
    const { doc_type, series_code, sequence } = partsGiven(head.number);
    const isIts = series.doc_type === doc_type && series.code_folded === series_code.toLowerCase();
    if (!isIts || head.company_id !== series.company_id) continue;
    return { number: head.number, sequence, conflicts: (await problemOf(db, series, head)) !== undefined };
  }
  return undefined;
}
