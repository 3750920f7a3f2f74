/** Pages of lists: their input, their answer, and how a page is read from one filtered query. */
import type { Expression, SelectQueryBuilder } from "kysely";
import * as z from "zod";
import type { Soon } from "../database/executor.ts";
import { preparedSelect } from "../database/prepared.ts";
import type { Reader, Row, Tables } from "../database/tables.ts";
import { isBefore } from "../database/words.ts";
import { wholeNumber } from "../fields.ts";
import { type After, afterOf, CursorInput, cursorOf, type Filters } from "./cursor.ts";
import { problem, refuseInput } from "./errors.ts";
import { common } from "./refusals.ts";
import type { ReadScope } from "./scope.ts";

/** The largest page of a list, and the size of a page when none is given. */
export const PAGE_MAX = 200;
export const PAGE_DEFAULT = 50;

/** How many rows a page has at most. */
export const PageLimit = wholeNumber(1, PAGE_MAX)
  .optional()
  .meta({ default: PAGE_DEFAULT, description: "Rows on the page." });

/** The query parameters every list takes. */
export const PageInput = {
  limit: PageLimit,
  offset: wholeNumber(0, Number.MAX_SAFE_INTEGER).optional().meta({ default: 0, description: "Rows to skip." }),
} as const;

/** The query parameters of lists whose pages can be followed by cursor. */
export const CursorPageInput = { ...PageInput, cursor: CursorInput } as const;

/** The position of a page in its list. */
export const Pagination = z
  .strictObject({ limit: z.int(), offset: z.int(), total: z.int().describe("Rows in all; always exact.") })
  .meta({ id: "Pagination" });

/** The same, where the next page can be asked for by cursor. */
export const CursorPagination = z
  .strictObject({
    ...Pagination.shape,
    next_cursor: z.string().nullable().describe("For the page after this one; null at the end, and with `sort`."),
  })
  .meta({ id: "CursorPagination" });

/** The shape of every list answer. */
export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.strictObject({ data: z.array(item), pagination: Pagination });
}

/** The shape of the answer of a list whose pages can be followed by cursor. */
export function cursorPageOf<Item extends z.ZodType>(item: Item) {
  return z.strictObject({ data: z.array(item), pagination: CursorPagination });
}

/** One page of a list. `pagination.total` counts the rows of the whole list, not of the page. */
export interface Page<Item> {
  data: Item[];
  pagination: { limit: number; offset: number; total: number };
}

/** Such a page of a list that can be followed by cursor. */
export interface CursorPage<Item> {
  data: Item[];
  pagination: Page<Item>["pagination"] & { next_cursor: string | null };
}

/** A page of rows, and whether others follow it. */
export interface PageOfRows<Item> extends Page<Item> {
  readonly has_more: boolean;
}

/** The page a caller wants. */
export interface PageRequest {
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  /** The values of the order's columns in the row before the page, in place of an offset. */
  readonly after?: After | undefined;
}

/** Refuses a cursor beside an offset or an order of its own; otherwise tells where it stands. */
export function startOf(
  {
    cursor,
    offset,
    sort,
  }: { readonly cursor?: string | undefined; readonly offset?: unknown; readonly sort?: unknown },
  columns: number,
  filters: Filters,
): After | undefined {
  const others = Object.entries({ offset, sort }).filter(([, value]) => value !== undefined);
  if (cursor !== undefined && others.length > 0) {
    refuseInput(others.map(([field]) => problem("cursor", common.excludes_field({ field }))));
  }
  return afterOf(cursor, columns, filters);
}

/** The lists whose totals the database keeps. */
type CountedList = Row<"lists">["name"];

/** The number of a list and its total; undefined for no company. */
export async function findList(
  { db, company_id }: Pick<ReadScope, "db" | "company_id">,
  name: CountedList,
): Promise<Pick<Row<"lists">, "number" | "total"> | undefined> {
  return (await listByName(db, { company_id, name }))[0];
}

const listByName = preparedSelect((db, { company_id, name }: { company_id: string; name: CountedList }) =>
  db.selectFrom("lists").select(["number", "total"]).where("company_id", "=", company_id).where("name", "=", name),
);

/** How many rows a list shows. */
export async function totalOf(scope: ReadScope, name: CountedList): Promise<number> {
  return (await findList(scope, name))?.total ?? 0;
}

/** Counts rows one by one: for short lists, and for rows that one index holds together. */
export async function countRows<Name extends keyof Tables & string>(
  found: SelectQueryBuilder<Tables, Name, object>,
): Promise<number> {
  const { rows } = await found.select((eb) => eb.fn.countAll<number>().as("rows")).executeTakeFirstOrThrow();
  return Number(rows);
}

/**
 * The last day of a list by days, from a cursor on: SQLite would otherwise walk to the cursor from the end of the
 * period.
 */
export function lastDayFrom<Day extends string>(to: Day | undefined, after: After | undefined): Day | undefined {
  const [day] = after ?? [];
  return to !== undefined && day !== undefined && day < to ? (day as Day) : to;
}

/** Makes a function that counts the rows that `build` finds (see `preparedSelect`), one by one. */
export function preparedCount<Found extends object, Name extends keyof Tables & string>(
  build: (db: Reader, found: Found) => SelectQueryBuilder<Tables, Name, object>,
) {
  const counted = preparedSelect((db, found: Found) =>
    build(db, found).select((eb) => eb.fn.countAll<number>().as("rows")),
  );
  return async (db: Reader, found: Found): Promise<number> => Number((await counted(db, found))[0]?.rows);
}

/**
 * Makes a reader of pages over the rows that `build` finds (see `preparedSelect`), newest first by the columns of
 * `order`, or oldest first where it `ascends`. The last column is the id, which ascends with time. The order is total,
 * so no row repeats or is skipped between pages while nothing changes. As the total is known, a page is reached from
 * the nearer end. `select` chooses what is read of each row, by default every column.
 */
export function preparedPage<Found extends object, Name extends keyof Tables & string, Item = Row<Name>>(
  build: (db: Reader, found: Found) => SelectQueryBuilder<Tables, Name, object>,
  { order = ["id"], ascends = false, select = everyColumn }: Order & { readonly select?: Select<Name, Item> } = {},
) {
  interface Window {
    readonly size: number;
    readonly skipped: number;
    /** Set if the page is reached from the last row. */
    readonly from_end: true | undefined;
    /** The values of the order's columns in the row before the page. */
    readonly after_first?: string | undefined;
    readonly after_second?: string | undefined;
  }
  const rowsOf = preparedSelect((db, given: Found & Window) => {
    const { size, skipped, from_end, after_first, after_second, ...found } = given;
    const direction = (from_end !== undefined) === ascends ? "desc" : "asc";
    let ordered = select(build(db, found as unknown as Found));
    const after = [after_first, after_second].filter((value) => value !== undefined);
    if (after.length > 0) ordered = ordered.where(isBefore(order as readonly string[], after));
    // The columns belong to the one table of `build`, which Kysely cannot follow through a generic name.
    for (const column of order) ordered = ordered.orderBy(column as never, direction);
    return ordered.limit(size).offset(skipped);
  });
  return async (db: Reader, found: Found, asked: PageRequest, total: number): Promise<PageOfRows<Item>> => {
    const { pagination, size, left } = pageBounds(asked, total);
    const { limit, offset } = pagination;
    if (asked.after) {
      const [after_first, after_second] = asked.after;
      const window = { size: limit + 1, skipped: 0, from_end: undefined, after_first, after_second };
      const rows = await rowsOf(db, { ...found, ...window });
      return { data: rows.slice(0, limit), pagination, has_more: rows.length > limit };
    }
    const has_more = left > 0;
    if (size === 0) return { data: [], pagination, has_more };
    const isNearEnd = left < offset;
    const skipped = isNearEnd ? left : offset;
    const data = await rowsOf(db, { ...found, size, skipped, from_end: isNearEnd || undefined });
    return { data: isNearEnd ? data.reverse() : data, pagination, has_more };
  };
}

/** The order in which rows are read; newest first by the id when left out. */
interface Order {
  readonly order?: readonly (string | Expression<unknown>)[];
  readonly ascends?: boolean;
}

/**
 * A page of the rows with these ids, in their order; a cursor stands on one of the ids. No filter counts beside them.
 */
export async function pageOfIds<Item extends { readonly id: string }>(
  filters: object,
  ids: readonly string[],
  { limit, offset, after }: PageRequest,
  rowsOf: (ids: readonly string[]) => Promise<Item[]> | Soon<Item[]>,
): Promise<PageOfRows<Item>> {
  const others = Object.entries({ ...filters, offset }).filter(([, value]) => value !== undefined);
  if (others.length > 0) refuseInput(others.map(([field]) => problem("ids", common.excludes_field({ field }))));
  const rows = new Map((await rowsOf(ids)).map((row) => [row.id, row]));
  const start = after ? ids.indexOf(String(after.at(-1))) + 1 : 0;
  const rest = ids.slice(start).flatMap((id) => rows.get(id) ?? []);
  const size = limit ?? ids.length;
  return {
    data: rest.slice(0, size),
    pagination: { limit: size, offset: 0, total: rows.size },
    has_more: rest.length > size,
  };
}

/** Chooses what is read of the rows of a table. */
type Select<Name extends keyof Tables, Item> = (
  found: SelectQueryBuilder<Tables, Name, object>,
) => SelectQueryBuilder<Tables, Name, Item>;

function everyColumn<Name extends keyof Tables, Item>(found: SelectQueryBuilder<Tables, Name, object>) {
  return found.selectAll() as unknown as SelectQueryBuilder<Tables, Name, Item>;
}

/** The position of a page among `total` rows: how many rows it has, and how many follow. */
export function pageBounds(
  { limit = PAGE_DEFAULT, offset = 0 }: PageRequest,
  total: number,
): { readonly pagination: Page<never>["pagination"]; readonly size: number; readonly left: number } {
  const rest = Math.max(total - offset, 0);
  const size = Math.min(limit, rest);
  return { pagination: { limit, offset, total }, size, left: rest - size };
}

/** The same page with every row mapped to its list entry, and the cursor of the page after its last row. */
export function followedAs<From, Item>(
  { data, pagination, has_more }: PageOfRows<From>,
  toItem: (row: From) => Item,
  { filters, after }: { readonly filters: Filters; readonly after: (last: From) => After },
): CursorPage<Item> {
  const last = data.at(-1);
  const next_cursor = has_more && last !== undefined ? cursorOf(after(last), filters) : null;
  return { data: data.map(toItem), pagination: { ...pagination, next_cursor } };
}

/** The same page with every row mapped to its list entry. */
export function pageAs<From, Item>(page: Page<From>, toItem: (row: From) => Item): Page<Item> {
  return { data: page.data.map(toItem), pagination: page.pagination };
}
