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
  const counts = (grain: DocumentCountsTable["grain"]) =>
    db
      .selectFrom("document_counts")
      .select(["draft", "issued", "cancelled"])
      .where("company_id", "=", company_id)
      .where("grain", "=", grain)
      .$if(doc_type !== undefined, (found) => found.where("doc_type", "=", doc_type as DocType));
  const found =
    date === undefined
      ? counts("year")
      : counts("year")
          .where("period", "<", yearOf(date))
          .unionAll(counts("month").where("period", ">", yearOf(date)).where("period", "<", monthOf(date)))
          .unionAll(counts("day").where("period", ">", monthOf(date)).where("period", isBefore, date));
  const sums = await db
    .selectFrom(found.as("found"))
    .select(({ fn }) => [
      fn.sum<number | null>("draft").as("draft"),
      fn.sum<number | null>("issued").as("issued"),
      fn.sum<number | null>("cancelled").as("cancelled"),
    ])
    .executeTakeFirstOrThrow();
  const states: readonly Status[] = status ? [status] : ["draft", "issued", "cancelled"];
  return states.reduce((total, state) => total + (sums[state] ?? 0), 0);
}

const yearOf = (date: string): string => date.slice(0, 4);
const monthOf = (date: string): string => date.slice(0, 7);
