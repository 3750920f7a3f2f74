/** Counts documents by filter, from the counts that triggers keep per year, month and day of issue. */
import { preparedSelect } from "../database/prepared.ts";
import type { Reader, Row } from "../database/tables.ts";
import { type Day, monthOf } from "../fiscal/civil-time.ts";
import type { DocType } from "../fiscal/document-types.ts";
import { type PaymentStatus, STATUSES, type Status } from "../fiscal/lifecycle.ts";
import type { ReadScope } from "../runtime/scope.ts";
import { allSeries } from "../series/series.ts";

/** The filters that are counted without reading documents; dates are inclusive. */
export interface Counted {
  readonly doc_type?: DocType | undefined;
  readonly series_id?: string | undefined;
  readonly status?: Status | undefined;
  /** Only issued documents have one: with it `status` adds nothing. */
  readonly payment_status?: PaymentStatus | undefined;
  readonly from?: Day | undefined;
  readonly to?: Day | undefined;
}

/** Counts the documents of the company that pass the filters. */
export async function countDocuments(scope: ReadScope, { from, to, ...kind }: Counted): Promise<number> {
  const upToEnd = await countUpTo(scope, kind, to, "<=");
  return from === undefined ? upToEnd : Math.max(upToEnd - (await countUpTo(scope, kind, from, "<")), 0);
}

/** Counts up to a date (`<=`) or before it (`<`): whole years, then months of its year, then days of its month. */
async function countUpTo(
  { db, company_id }: ReadScope,
  { doc_type, series_id, status, payment_status }: Omit<Counted, "from" | "to">,
  date: Day | undefined,
  isBefore: "<" | "<=",
): Promise<number> {
  const [sums] = await (date === undefined
    ? sumsOfAll(db, { company_id, doc_type, series_id })
    : (isBefore === "<" ? sumsBefore : sumsThrough)(db, {
        company_id,
        doc_type,
        series_id,
        year: date.slice(0, 4),
        month: monthOf(date),
        day: date,
      }));
  const state = payment_status ?? status;
  const states: readonly (Status | PaymentStatus)[] = state ? [state] : STATUSES;
  return states.reduce((total, state) => total + (sums?.[state] ?? 0), 0);
}

interface OfKind {
  readonly company_id: string;
  readonly doc_type: DocType | undefined;
  readonly series_id: string | undefined;
}

/** A date with its month and its year. */
interface UpTo extends OfKind {
  readonly year: string;
  readonly month: string;
  readonly day: Day;
}

const sumsOfAll = preparedSelect((db, kind: OfKind) => sumsOf(db, counts(db, kind, "year")));
const sumsBefore = preparedSelect((db, upTo: UpTo) => sumsOf(db, countsUpTo(db, upTo, "<")));
const sumsThrough = preparedSelect((db, upTo: UpTo) => sumsOf(db, countsUpTo(db, upTo, "<=")));

function countsUpTo(db: Reader, { year, month, day, ...kind }: UpTo, isBefore: "<" | "<=") {
  return counts(db, kind, "year")
    .where("period", "<", year)
    .unionAll(counts(db, kind, "month").where("period", ">", year).where("period", "<", month))
    .unionAll(counts(db, kind, "day").where("period", ">", month).where("period", isBefore, day));
}

function counts(db: Reader, { company_id, doc_type, series_id }: OfKind, grain: Row<"document_counts">["grain"]) {
  return db
    .selectFrom("document_counts")
    .select(["draft", "issued", "cancelled", "unpaid", "partial", "paid"])
    .where("company_id", "=", company_id)
    .where("grain", "=", grain)
    .$if(doc_type !== undefined, (found) => found.where("doc_type", "=", doc_type as DocType))
    .$if(series_id !== undefined, (found) => found.where("series_id", "=", series_id as string));
}

function sumsOf(db: Reader, found: ReturnType<typeof counts>) {
  return db
    .selectFrom(found.as("found"))
    .select(({ fn }) => [
      fn.sum<number | null>("draft").as("draft"),
      fn.sum<number | null>("issued").as("issued"),
      fn.sum<number | null>("cancelled").as("cancelled"),
      fn.sum<number | null>("unpaid").as("unpaid"),
      fn.sum<number | null>("partial").as("partial"),
      fn.sum<number | null>("paid").as("paid"),
    ]);
}

/** The documents issued in a month, cancelled ones included, and how many of them are cancelled; training left out. */
export interface MonthCount {
  /** `2026-03`. */
  readonly month: string;
  readonly documents: number;
  readonly cancelled: number;
}

/** Counts the documents of each month that has any, oldest first; from the first month, or from this one. */
export async function countMonths(scope: ReadScope, from = ""): Promise<MonthCount[]> {
  const { db, company_id } = scope;
  const training = new Set((await allSeries(scope)).flatMap((row) => (row.training === 1 ? row.id : [])));
  const months = new Map<string, { month: string; documents: number; cancelled: number }>();
  for (const { period: month, series_id, issued, cancelled } of await monthsInSeries(db, { company_id, from })) {
    if (training.has(series_id) || issued + cancelled === 0) continue;
    const sum = months.get(month) ?? { month, documents: 0, cancelled: 0 };
    months.set(month, sum);
    sum.documents += issued + cancelled;
    sum.cancelled += cancelled;
  }
  return [...months.values()];
}

const monthsInSeries = preparedSelect((db, { company_id, from }: { company_id: string; from: string }) =>
  db
    .selectFrom("document_counts")
    .select(["period", "series_id", "issued", "cancelled"])
    .where("company_id", "=", company_id)
    .where("grain", "=", "month")
    .where("period", ">=", from)
    .orderBy("period"),
);
