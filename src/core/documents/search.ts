/**
 * Finds documents by a typed text. It has no index of its own: each possible meaning of the text is looked up by an
 * index that lists use, and the newest documents of each are taken.
 */

import * as z from "zod";
import { preparedSelect } from "../database/prepared.ts";
import { text } from "../fields.ts";
import type { Day } from "../fiscal/civil-time.ts";
import { query } from "../runtime/operation.ts";
import { PAGE_DEFAULT } from "../runtime/page.ts";
import type { ReadScope } from "../runtime/scope.ts";
import { fold, searchPage } from "../runtime/search.ts";
import { allSeries } from "../series/series.ts";
import { DocumentFilter, DocumentSummary } from "./document.ts";
import { type ListRow, newestFirst, passes, rowsByIds, rowsLike, rowsOfNumber, summarise } from "./list.ts";

/** How many customers, and products, with a matching name are searched for documents. */
const MAX_NAMES = 20;
/** How many lines of one product are searched. */
const MAX_LINES = 100;
/** How many documents of one total are searched. */
const MAX_OF_TOTAL = 200;
/** Digits this short are a number or a total; too many tax numbers and phones contain them. */
const SHORT_NUMBER = /^\d{1,3}$/;

export const searchDocuments = query(
  {
    id: "searchDocuments",
    summary: "Find documents by what a person types, newest first, without their lines",
    needs: "documents:read",
    input: DocumentFilter.pick({
      limit: true,
      doc_type: true,
      status: true,
      payment_status: true,
      customer_id: true,
      series_id: true,
      from: true,
      to: true,
    }).extend({
      search: text(200).describe(
        "A number or its beginning (FT 2026A), a total (147,00), an external_id, a part of what customers and products are found by.",
      ),
    }),
    output: z.strictObject({
      data: z.array(DocumentSummary),
      complete: z.boolean().describe("Whether no other document fits; else these are some of the newest."),
    }),
    fails: [],
  },
  async (scope, { search, limit = PAGE_DEFAULT, ...filter }) => {
    const sought: Sought = { term: search, size: limit + 1, filter };
    const found = [];
    for (const look of [ofNumber, ofSeries, ofTotal, ofExternalId, ofCustomers, ofProducts]) {
      found.push(await look(scope, sought));
    }
    const rows = new Map(found.flatMap((part) => part.rows).map((row) => [row.id, row]));
    const data = await newestThatPass(scope, [...rows.values()], sought);
    const complete = data.length <= limit && found.every((part) => part.complete);
    return { data: data.slice(0, limit), complete };
  },
);

type Filter = Omit<
  z.output<typeof DocumentFilter>,
  "limit" | "offset" | "cursor" | "ids" | "expand" | "number" | "reference_id" | "external_id"
>;

interface Sought {
  /** As it was typed. */
  readonly term: string;
  /** How many documents are wanted: one more than are shown. */
  readonly size: number;
  readonly filter: Filter;
}

/** Documents by one meaning of the text; not `complete` if more were left out than the size explains. */
interface Part {
  readonly rows: readonly ListRow[];
  readonly complete: boolean;
}

const NOTHING: Part = { rows: [], complete: true };

async function newestThatPass(
  scope: ReadScope,
  rows: ListRow[],
  { size, filter }: Sought,
): Promise<z.output<typeof DocumentSummary>[]> {
  const passed: z.output<typeof DocumentSummary>[] = [];
  rows.sort(newestFirst);
  for (let at = 0; at < rows.length && passed.length < size; at += size) {
    passed.push(...(await summarise(scope, rows.slice(at, at + size))).filter((one) => passes(one, filter)));
  }
  return passed.slice(0, size);
}

async function ofNumber(scope: ReadScope, { term }: Sought): Promise<Part> {
  return { rows: await rowsOfNumber(scope, term), complete: true };
}

/** The series whose numbers begin like this: at least a type is typed. */
async function ofSeries(scope: ReadScope, { term, size, filter }: Sought): Promise<Part> {
  const beginning = fold(term);
  const rows: ListRow[] = [];
  if (!/^[a-z]{2}( |$)/.test(beginning)) return NOTHING;
  for (const { id, at_type, code_folded } of await allSeries(scope)) {
    if (!`${at_type.toLowerCase()} ${code_folded}/`.startsWith(beginning)) continue;
    if (filter.series_id !== undefined && filter.series_id !== id) continue;
    rows.push(...(await rowsLike(scope, { ...filter, series_id: id }, size)));
  }
  return { rows, complete: true };
}

async function ofTotal({ db, company_id }: ReadScope, { term, filter: { from, to } }: Sought): Promise<Part> {
  const total_gross_cents = typedCents(term);
  if (total_gross_cents === undefined) return NOTHING;
  const found = await idsOfTotal(db, { company_id, total_gross_cents, from, to });
  return { rows: await rowsByIds(db, idsOf(found)), complete: found.length < MAX_OF_TOTAL };
}

interface OfTotal {
  readonly company_id: string;
  readonly total_gross_cents: number;
  readonly from: Day | undefined;
  readonly to: Day | undefined;
}

/** Walks the index by date, which holds the totals, without reading documents. */
const idsOfTotal = preparedSelect((db, { company_id, total_gross_cents, from, to }: OfTotal) =>
  db
    .selectFrom("documents")
    .select("id")
    .where("company_id", "=", company_id)
    .where("total_gross_cents", "=", total_gross_cents)
    .$if(from !== undefined, (found) => found.where("issue_date", ">=", from as Day))
    .$if(to !== undefined, (found) => found.where("issue_date", "<=", to as Day))
    .orderBy("issue_date", "desc")
    .orderBy("id", "desc")
    .limit(MAX_OF_TOTAL),
);

async function ofExternalId(scope: ReadScope, { term, size, filter }: Sought): Promise<Part> {
  return { rows: await rowsLike(scope, { ...filter, external_id: term }, size), complete: true };
}

/** Documents to the customers whom the text finds; if the filter names one, all its documents are candidates anyway. */
async function ofCustomers(scope: ReadScope, { term, size, filter }: Sought): Promise<Part> {
  if (filter.customer_id !== undefined || SHORT_NUMBER.test(term)) return NOTHING;
  const { data, pagination } = await searchPage(scope, "customers", { search: term, limit: MAX_NAMES });
  const rows = [];
  for (const { id } of data) rows.push(...(await rowsLike(scope, { ...filter, customer_id: id }, size)));
  return { rows, complete: pagination.total <= MAX_NAMES };
}

/** Documents with a line of a product that the text finds; the newest such lines of each. */
async function ofProducts(scope: ReadScope, { term }: Sought): Promise<Part> {
  if (SHORT_NUMBER.test(term)) return NOTHING;
  const { data, pagination } = await searchPage(scope, "products", { search: term, limit: MAX_NAMES });
  let complete = pagination.total <= MAX_NAMES;
  const rows = [];
  for (const { id: product_id } of data) {
    const found = await idsWithProduct(scope.db, { product_id });
    complete &&= found.length < MAX_LINES;
    rows.push(...(await rowsByIds(scope.db, idsOf(found))));
  }
  return { rows, complete };
}

const idsWithProduct = preparedSelect((db, { product_id }: { product_id: string }) =>
  db
    .selectFrom("document_lines")
    .select("document_id as id")
    .distinct()
    .where("product_id", "=", product_id)
    .orderBy("document_id", "desc")
    .limit(MAX_LINES),
);

const idsOf = (found: readonly { readonly id: string }[]) => found.map(({ id }) => id);

const AMOUNTS = [
  /^(\d{1,12})(?:[.,](\d{1,2}))?$/,
  /^(\d{1,3}(?:\.\d{3})+)(?:,(\d{1,2}))?$/,
  /^(\d{1,3}(?:,\d{3})+)(?:\.(\d{1,2}))?$/,
];

/** An amount as people type it, in cents: `147`, `147,00 €`, `1.234,5`, `1 234.50`. Undefined for any other text. */
export function typedCents(typed: string): number | undefined {
  const amount = typed.replaceAll(/\s|€|EUR$/gi, "");
  for (const form of AMOUNTS) {
    const [, whole, cents = ""] = form.exec(amount) ?? [];
    if (whole !== undefined) return Number(whole.replaceAll(/\D/g, "") + cents.padEnd(2, "0"));
  }
  return undefined;
}
