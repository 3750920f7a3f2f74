/** Listing documents: which index a page is read by, and how its total is counted. */
import type { InferResult, SelectQueryBuilder } from "kysely";
import type { Soon } from "../database/executor.ts";
import { preparedSelect } from "../database/prepared.ts";
import type { Reader, Row, Tables } from "../database/tables.ts";
import { alsoHas, hasRarely, isNot, type List, listOf, valuesOf } from "../database/words.ts";
import { docTypeOf, type TypedNumber, typedNumber } from "../fiscal/numbering.ts";
import { query } from "../runtime/operation.ts";
import { type Page, type PageRequest, pageBounds, pageOf, preparedCount, preparedPage } from "../runtime/page.ts";
import type { ReadScope } from "../runtime/scope.ts";
import { allSeries, seriesLike } from "../series/series.ts";
import { KEPT_BALANCE, keptBalance } from "./balances.ts";
import { type Counted, countDocuments } from "./counts.ts";
import { DocumentFilter, DocumentSummary } from "./document.ts";
import { referencesOf } from "./parts.ts";
import { SUMMARY_COLUMNS, toSummary } from "./view.ts";

export const listDocuments = query(
  {
    id: "listDocuments",
    summary: "List documents, newest first, without their lines",
    needs: "documents:read",
    input: DocumentFilter,
    output: pageOf(DocumentSummary),
    fails: [],
  },
  async (scope, { number, limit, offset, ...filter }) => {
    const page = { limit, offset };
    if (number !== undefined) return pageOfFew(scope, await rowsOfNumber(scope, number), filter, page);
    if (filter.reference_id !== undefined) {
      return pageOfFew(scope, await rowsReferencing(scope, filter.reference_id), filter, page);
    }
    const { data, pagination } = await pageOfRows(scope, filter, page);
    return { data: await summarise(scope, data), pagination };
  },
);

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

async function pageOfRows(scope: ReadScope, filter: Filter, page: PageRequest): Promise<Page<ListRow>> {
  const { db, company_id } = scope;
  const { customer_id, external_id, status, ...rest } = filter;
  if (customer_id !== undefined || external_id !== undefined) {
    const found = { company_id, ...filter };
    return pageOfDocuments(db, found, page, await countRows(db, found));
  }
  if (rest.payment_status === undefined) {
    const is_unissued: true | undefined = status === undefined || status === "issued" ? undefined : true;
    const found = { company_id, ...filter, is_unissued };
    return pageOfDocuments(db, found, page, await countDocuments(scope, filter));
  }
  // Only issued documents have a payment status.
  const total = status === undefined || status === "issued" ? await countDocuments(scope, rest) : 0;
  const { data, pagination } = await pageOfBalances(db, { company_id, ...rest }, page, total);
  const ids = data.map(({ document_id }) => document_id);
  const rows = new Map((await rowsByIds(db, ids)).map((row) => [row.id, row]));
  return { data: ids.map((id) => rows.get(id) as ListRow), pagination };
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

/** Those of a few documents that pass the filters. */
async function pageOfFew(
  scope: ReadScope,
  rows: ListRow[],
  filter: FilterOfFew,
  page: PageRequest,
): Promise<Page<DocumentSummary>> {
  const found = (await summarise(scope, rows.sort(newestFirst))).filter((document) => passes(document, filter));
  const { pagination, size } = pageBounds(page, found.length);
  return { data: found.slice(pagination.offset, pagination.offset + size), pagination };
}

/** Compares rows in the order of the list. */
export function newestFirst(a: ListRow, b: ListRow): number {
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

/** Turns rows into list entries. Names of other documents are read only for rows that have references. */
export async function summarise(scope: ReadScope, rows: readonly ListRow[]): Promise<DocumentSummary[]> {
  const naming = rows.filter(({ has_references }) => has_references).map(({ id }) => id);
  const references = naming.length > 0 ? await referencesOf(scope, naming) : undefined;
  return rows.map((row) => {
    const balance = row.kept_balance === null ? null : keptBalance(row.kept_balance);
    return toSummary(row, references?.get(row.id) ?? [], balance);
  });
}
