/** Pages of lists: their input, their answer, and how a page is read from one filtered query. */
import type { Expression, SelectQueryBuilder } from "kysely";
import * as z from "zod";
import { preparedSelect } from "../database/prepared.ts";
import type { Reader, Row, Tables } from "../database/tables.ts";
import { wholeNumber } from "../fields.ts";
import type { ReadScope } from "./scope.ts";

/** The largest page of a list, and the size of a page when none is given. */
const PAGE_MAX = 200;
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

/** The position of a page in its list. */
export const Pagination = z
  .strictObject({ limit: z.int(), offset: z.int(), total: z.int().describe("Rows in all; always exact.") })
  .meta({ id: "Pagination" });

/** The shape of every list answer. */
export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.strictObject({ data: z.array(item), pagination: Pagination });
}

/** One page of a list. `pagination.total` counts the rows of the whole list, not of the page. */
export interface Page<Item> {
  data: Item[];
  pagination: { limit: number; offset: number; total: number };
}

/** The page a caller wants. */
export interface PageRequest {
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
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
  }
  const rowsOf = preparedSelect((db, { size, skipped, from_end, ...found }: Found & Window) => {
    const direction = (from_end !== undefined) === ascends ? "desc" : "asc";
    let ordered = select(build(db, found as unknown as Found));
    // The columns belong to the one table of `build`, which Kysely cannot follow through a generic name.
    for (const column of order) ordered = ordered.orderBy(column as never, direction);
    return ordered.limit(size).offset(skipped);
  });
  return async (db: Reader, found: Found, asked: PageRequest, total: number): Promise<Page<Item>> => {
    const { pagination, size, left } = pageBounds(asked, total);
    if (size === 0) return { data: [], pagination };
    const isNearEnd = left < pagination.offset;
    const skipped = isNearEnd ? left : pagination.offset;
    const data = await rowsOf(db, { ...found, size, skipped, from_end: isNearEnd || undefined });
    return { data: isNearEnd ? data.reverse() : data, pagination };
  };
}

/** The order in which rows are read; newest first by the id when left out. */
interface Order {
  readonly order?: readonly (string | Expression<unknown>)[];
  readonly ascends?: boolean;
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

/** The same page with every row mapped to its list entry. */
export function pageAs<From, Item>(page: Page<From>, toItem: (row: From) => Item): Page<Item> {
  return { data: page.data.map(toItem), pagination: page.pagination };
}
