/** Listing documents: which index a page is read by, and how its total is counted. */
import type { InferResult, SelectQueryBuilder } from "kysely";
import type { Soon } from "../database/executor.ts";
import { preparedSelect } from "../database/prepared.ts";
import type { Reader, Row, Tables } from "../database/tables.ts";
import { alsoHas, hasRarely, isNot, type List, listOf, valuesOf } from "../database/words.ts";
import type { Day } from "../fields.ts";
import { docTypeOf, type TypedNumber, typedNumber } from "../fiscal/numbering.ts";
import { problem, refuseInput } from "../runtime/errors.ts";
import { query } from "../runtime/operation.ts";
import {
  cursorPageOf,
  followedAs,
  lastDayFrom,
  type PageOfRows,
  type PageRequest,
  pageBounds,
  pageOfIds,
  preparedCount,
  preparedPage,
  startOf,
} from "../runtime/page.ts";
import { common } from "../runtime/refusals.ts";
import type { ReadScope } from "../runtime/scope.ts";
import { allSeries, seriesLike } from "../series/series.ts";
import { KEPT_BALANCE, keptBalance } from "./balances.ts";
import { type Counted, countDocuments } from "./counts.ts";
import { DocumentFilter, type DocumentSummary, ListedDocument } from "./document.ts";
import { lineCountsOf, linesOf, referencesOf } from "./parts.ts";
import { quoteStatuses } from "./quotations.ts";
import { SUMMARY_COLUMNS, toLine, toSummary } from "./view.ts";

export const listDocuments = query(
  {
    id: "listDocuments",
    summary: "List documents, newest first, without their lines",
    needs: "documents:read",
    input: DocumentFilter,
    output: cursorPageOf(ListedDocument),
    fails: [],
  },
  async (scope, { limit: asked, offset, cursor, expand, ...filter }) => {
    const filters = { list: "documents", expand, ...filter };
    const after = startOf({ cursor, offset }, 2, filters);
    const limit = expand === undefined ? asked : limitWithLines(asked);
    const page = await pageFound(scope, filter, { limit, offset, after });
    const shown = expand === undefined ? page : await withinLines(scope, page);
    const { data, pagination } = followedAs<ListedDocument, ListedDocument>(shown, (document) => document, {
      filters,
      after: ({ issue_date, id }) => [issue_date, id],
    });
    return { data: expand === undefined ? data : await withLines(scope, data), pagination };
  },
);

/** The most documents and lines on a page with lines. */
export const MAX_WITH_LINES = 50;
const MAX_LINES_SHOWN = 20_000;

function limitWithLines(limit: number = MAX_WITH_LINES): number {
  if (limit <= MAX_WITH_LINES) return limit;
  return refuseInput([problem("limit", common.must_be_whole_number({ min: 1, max: MAX_WITH_LINES }))]);
}

/** The page up to the document with which it would have too many lines to show; at least its first. */
async function withinLines(scope: ReadScope, page: Summaries): Promise<Summaries> {
  const counts = await lineCountsOf(
    scope,
    page.data.map(({ id }) => id),
  );
  let lines = 0;
  const end = page.data.findIndex(({ id }, i) => {
    lines += counts.get(id) ?? 0;
    return i > 0 && lines > MAX_LINES_SHOWN;
  });
  return end === -1 ? page : { ...page, data: page.data.slice(0, end), has_more: true };
}

async function withLines(scope: ReadScope, documents: readonly ListedDocument[]): Promise<ListedDocument[]> {
  const lines = await linesOf(
    scope,
    documents.map(({ id }) => id),
  );
  return documents.map((document) => ({ ...document, lines: (lines.get(document.id) ?? []).map(toLine) }));
}

type Summaries = PageOfRows<DocumentSummary>;

async function pageFound(
  scope: ReadScope,
  {
    ids,
    number,
    ...filter
  }: FilterOfFew & { readonly ids?: string[] | undefined; readonly number?: string | undefined },
  page: PageRequest,
): Promise<Summaries> {
  if (ids !== undefined) {
    const found = await pageOfIds({ number, ...filter }, ids, page, (some) => ownRows(scope, some));
    return { ...found, data: await summarise(scope, found.data) };
  }
  if (number !== undefined) return pageOfFew(scope, await rowsOfNumber(scope, number), filter, page);
  if (filter.reference_id !== undefined) {
    return pageOfFew(scope, await rowsReferencing(scope, filter.reference_id), filter, page);
  }
  const found = await pageOfRows(scope, filter, page);
  return { ...found, data: await summarise(scope, found.data) };
}

/** Every filter but the number, which names at most one document of each series. */
interface FilterOfFew extends Filter {
  readonly reference_id?: string | undefined;
}

/** Every filter of a list that may be long. */
interface Filter extends Counted {
  readonly customer_id?: string | undefined;
  readonly external_id?: string | undefined;
}

interface CompanyFilter extends Filter {
  readonly company_id: string;
  /** Set where `status` is `draft` or `cancelled`. */
  readonly is_unissued?: true | undefined;
}

/** The columns of a list entry: the document, its outstanding amount, and whether it names other documents. */
function shown(found: SelectQueryBuilder<Tables, "documents", object>) {
  return found
    .select(SUMMARY_COLUMNS)
    .select(({ exists, selectFrom }) => [
      selectFrom("balances")
        .select(KEPT_BALANCE.as("kept"))
        .whereRef("document_id", "=", "documents.id")
        .as("kept_balance"),
      exists(selectFrom("document_references").select("position").whereRef("document_id", "=", "documents.id")).as(
        "has_references",
      ),
    ]);
}

/** A document as a list reads it. */
export type ListRow = InferResult<ReturnType<typeof shown>>[number];

async function pageOfRows(scope: ReadScope, filter: Filter, page: PageRequest): Promise<PageOfRows<ListRow>> {
  const { db, company_id } = scope;
  const { customer_id, external_id, status, ...rest } = filter;
  const to = lastDayFrom(filter.to, page.after);
  if (customer_id !== undefined || external_id !== undefined) {
    const found = { company_id, ...filter };
    return pageOfDocuments(db, { ...found, to }, page, await countRows(db, found));
  }
  if (rest.payment_status === undefined) {
    const is_unissued: true | undefined = status === undefined || status === "issued" ? undefined : true;
    const found = { company_id, ...filter, is_unissued };
    return pageOfDocuments(db, { ...found, to }, page, await countDocuments(scope, filter));
  }
  // Only issued documents have a payment status.
  const total = status === undefined || status === "issued" ? await countDocuments(scope, rest) : 0;
  const { data, ...bounds } = await pageOfBalances(db, { company_id, ...rest, to }, page, total);
  const ids = data.map(({ document_id }) => document_id);
  const rows = new Map((await rowsByIds(db, ids)).map((row) => [row.id, row]));
  return { data: ids.map((id) => rows.get(id) as ListRow), ...bounds };
}

/**
 * The newest documents that pass the filters, at most this many; at least one filter is of few documents (see below).
 */
export async function rowsLike(scope: ReadScope, filter: Filter, limit: number): Promise<ListRow[]> {
  const { db, company_id } = scope;
  if (filter.customer_id === undefined && filter.external_id === undefined) {
    return (await pageOfRows(scope, filter, { limit })).data;
  }
  return (await pageOfDocuments(db, { company_id, ...filter }, { limit }, limit)).data;
}

/**
 * The documents that pass the filters. One of them chooses the index, which also holds what most others need: an
 * external id, else a customer, else drafts or cancelled documents, else a series, else a type. A payment status is
 * looked up for each document, so it comes here only with one of the first two.
 */
function documentsLike(db: Reader, { company_id, payment_status, from, to, is_unissued, ...equal }: CompanyFilter) {
  const [narrowest, ...others] = (
    is_unissued
      ? (["external_id", "customer_id", "status", "series_id", "doc_type"] as const)
      : (["external_id", "customer_id", "series_id", "doc_type", "status"] as const)
  ).filter((name) => equal[name]);
  let found = db.selectFrom("documents").where("company_id", "=", company_id);
  if (is_unissued) found = found.where(isNot("status", "issued"));
  if (narrowest) found = found.where(hasRarely(narrowest, equal[narrowest]));
  for (const name of others) found = found.where(name, "=", equal[name] as never);
  if (payment_status) {
    found = found.where(({ exists, selectFrom }) =>
      exists(
        selectFrom("balances")
          .select("document_id")
          .whereRef("document_id", "=", "documents.id")
          .where("payment_status", "=", payment_status),
      ),
    );
  }
  if (from) found = found.where("issue_date", ">=", from);
  if (to) found = found.where("issue_date", "<=", to);
  return found;
}

const pageOfDocuments = preparedPage(documentsLike, { order: ["issue_date", "id"], select: shown });
const countRows = preparedCount(documentsLike);

/** The documents of one payment status, by the table of balances. */
function balancesLike(
  db: Reader,
  {
    company_id,
    payment_status,
    series_id,
    doc_type,
    from,
    to,
  }: Omit<CompanyFilter, "status" | "customer_id" | "external_id">,
) {
  let found = db.selectFrom("balances").where("company_id", "=", company_id);
  if (payment_status) found = found.where("payment_status", "=", payment_status);
  if (series_id) found = found.where("series_id", "=", series_id);
  if (doc_type) found = found.where("doc_type", "=", doc_type);
  if (from) found = found.where("issue_date", ">=", from);
  if (to) found = found.where("issue_date", "<=", to);
  return found;
}

const pageOfBalances = preparedPage(balancesLike, {
  order: ["issue_date", "document_id"],
  select: (found) => found.select("document_id"),
});

/** The documents of these ids, in any order. */
export function rowsByIds(db: Reader, ids: readonly string[]): Soon<ListRow[]> {
  return ids.length === 0 ? [] : rowsOfIds(db, { documents: listOf(ids) });
}

const rowsOfIds = preparedSelect((db, { documents }: { documents: List }) =>
  shown(db.selectFrom("documents")).where("id", "in", valuesOf(documents)),
);

/** The company's documents of these ids. */
function ownRows({ db, company_id }: ReadScope, ids: readonly string[]): Soon<ListRow[]> {
  return rowsOfOwnIds(db, { company_id, documents: listOf(ids) });
}

const rowsOfOwnIds = preparedSelect((db, { company_id, documents }: { company_id: string; documents: List }) =>
  shown(db.selectFrom("documents")).where("id", "in", valuesOf(documents)).where(alsoHas("company_id", company_id)),
);

/** Those of a few documents that pass the filters. */
async function pageOfFew(
  scope: ReadScope,
  rows: ListRow[],
  filter: FilterOfFew,
  { after, ...page }: PageRequest,
): Promise<Summaries> {
  const found = (await summarise(scope, rows)).filter((document) => passes(document, filter)).sort(newestFirst);
  const { pagination, size, left } = pageBounds(page, found.length);
  const { limit, offset } = pagination;
  if (!after) return { data: found.slice(offset, offset + size), pagination, has_more: left > 0 };
  const [issue_date, id] = after as [Day, string];
  const rest = found.filter((row) => newestFirst(row, { issue_date, id }) > 0);
  return { data: rest.slice(0, limit), pagination, has_more: rest.length > limit };
}

type InOrder = Pick<ListRow, "issue_date" | "id">;

/** Compares rows in the order of the list. */
export function newestFirst(a: InOrder, b: InOrder): number {
  const [older, newer] = [`${a.issue_date} ${a.id}`, `${b.issue_date} ${b.id}`];
  return older < newer ? 1 : -1;
}

/** Whether a document passes the filters. */
export function passes(document: DocumentSummary, { from, to, reference_id, ...wanted }: FilterOfFew): boolean {
  if (from !== undefined && document.issue_date < from) return false;
  if (to !== undefined && document.issue_date > to) return false;
  if (reference_id !== undefined && !document.references.some(({ document_id }) => document_id === reference_id)) {
    return false;
  }
  const names = Object.keys(wanted) as (keyof typeof wanted)[];
  return names.every((name) => wanted[name] === undefined || wanted[name] === document[name]);
}

/** The documents of this number: at most one of each series. */
export async function rowsOfNumber(scope: ReadScope, number: string): Promise<ListRow[]> {
  const typed = typedNumber(number);
  if (!typed) return [];
  const series = (await seriesTyped(scope, typed)).filter(({ at_type, code_folded }) => {
    return [at_type, null].includes(typed.at_type) && [code_folded, null].includes(typed.code_folded);
  });
  return rowsAt(scope.db, { series: listOf(series.map(({ id }) => id)), sequence: typed.sequence });
}

/** The series that a number may belong to; a complete number leads to one, however many the company has. */
async function seriesTyped(scope: ReadScope, { at_type, code_folded }: TypedNumber): Promise<Row<"series">[]> {
  const doc_type = at_type === null ? undefined : docTypeOf(at_type);
  if (doc_type === undefined || code_folded === null) return allSeries(scope);
  const series = await seriesLike(scope, doc_type, code_folded);
  return series ? [series] : [];
}

const rowsAt = preparedSelect((db, { series, sequence }: { series: List; sequence: number }) =>
  shown(db.selectFrom("documents")).where("series_id", "in", valuesOf(series)).where("sequence", "=", sequence),
);

/** The documents that name this one in their references. */
function rowsReferencing({ db, company_id }: ReadScope, referenced_id: string): Soon<ListRow[]> {
  return rowsNaming(db, { company_id, referenced_id });
}

const rowsNaming = preparedSelect((db, { company_id, referenced_id }: { company_id: string; referenced_id: string }) =>
  shown(db.selectFrom("documents"))
    .where(alsoHas("company_id", company_id))
    .where("id", "in", (eb) =>
      eb.selectFrom("document_references").select("document_id").where("referenced_id", "=", referenced_id),
    ),
);

/**
 * Turns rows into list entries. Names of other documents are read only for rows that have references, invoices only
 * for quotations.
 */
export async function summarise(scope: ReadScope, rows: readonly ListRow[]): Promise<DocumentSummary[]> {
  const naming = rows.filter(({ has_references }) => has_references).map(({ id }) => id);
  const references = naming.length > 0 ? await referencesOf(scope, naming) : undefined;
  const quoted = await quoteStatuses(scope, rows);
  return rows.map((row) => {
    const balance = row.kept_balance === null ? null : keptBalance(row.kept_balance);
    const quote_status = quoted.get(row.id) ?? null;
    return toSummary(row, references?.get(row.id) ?? [], { balance, quote_status });
  });
}
