/** How many documents a filter finds, from counts that triggers keep per year, month and day of issue. */
import type { DocType } from "../fiscal/document-types.ts";
import type { Status } from "../fiscal/lifecycle.ts";
import type { ReadScope } from "../scope.ts";

export interface DocumentCountsTable {
  company_id: string;
  grain: "year" | "month" | "day";
  /** `2026`, `2026-03` or `2026-03-14`. */
  period: string;
  doc_type: DocType;
  draft: number;
  issued: number;
  cancelled: number;
}

/** What can be counted without looking at documents; dates are inclusive. */
export interface Counted {
  readonly doc_type?: DocType | undefined;
  readonly status?: Status | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** How many documents of the company there are like this. */
export async function countDocuments(scope: ReadScope, { from, to, ...kind }: Counted): Promise<number> {
  const upToEnd = await countUpTo(scope, kind, to, "<=");
  return from === undefined ? upToEnd : Math.max(upToEnd - (await countUpTo(scope, kind, from, "<")), 0);
}

/** Those up to a date, with or without it: of whole years, of months in its year, and of days in its month. */
async function countUpTo(
  { db, company_id }: ReadScope,
  { doc_type, status }: Pick<Counted, "doc_type" | "status">,
  date: string | undefined,
  isBefore: "<" | "<=",
): Promise<number> {
  let counts = db
    .selectFrom("document_counts")
    .select(({ fn }) => [
      fn.sum<number | null>("draft").as("draft"),
      fn.sum<number | null>("issued").as("issued"),
      fn.sum<number | null>("cancelled").as("cancelled"),
    ])
    .where("company_id", "=", company_id);
  if (doc_type) counts = counts.where("doc_type", "=", doc_type);
  if (date === undefined) counts = counts.where("grain", "=", "year");
  else {
    const [year, month] = [date.slice(0, 4), date.slice(0, 7)];
    counts = counts.where(({ eb, and, or }) =>
      or([
        and([eb("grain", "=", "year"), eb("period", "<", year)]),
        and([eb("grain", "=", "month"), eb("period", ">", year), eb("period", "<", month)]),
        and([eb("grain", "=", "day"), eb("period", ">", month), eb("period", isBefore, date)]),
      ]),
    );
  }
  const sums = await counts.executeTakeFirstOrThrow();
  const states: readonly Status[] = status ? [status] : ["draft", "issued", "cancelled"];
  return states.reduce((total, state) => total + (sums[state] ?? 0), 0);
}
