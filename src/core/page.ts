/** One page of a list: the rows asked for and the exact total, from one filtered query. */
import type { SelectQueryBuilder } from "kysely";
import type { Row, Tables } from "./database/tables.ts";
import { pageAsked } from "./fields.ts";

interface Page<Item> {
  readonly data: Item[];
  readonly pagination: { readonly limit: number; readonly offset: number; readonly total: number };
}

/**
 * Reads a page of `found`, newest first: by `issue_date` where given, then by id, which ascends with time.
 * The order is total, so on a quiet database no row repeats or is skipped between pages.
 */
export async function readPage<Name extends keyof Tables & string>(
  found: SelectQueryBuilder<Tables, Name, object>,
  asked: { readonly limit?: number | undefined; readonly offset?: number | undefined },
  order: readonly string[] = ["id"],
): Promise<Page<Row<Name>>> {
  const { limit, offset } = pageAsked(asked);
  const ordered = order.reduce(
    // The columns belong to the one table of `found`, which Kysely cannot follow through a generic name.
    (query, column) => query.orderBy(column as never, "desc"),
    found.selectAll() as SelectQueryBuilder<Tables, Name, Row<Name>>,
  );
  const data = (await ordered.limit(limit).offset(offset).execute()) as Row<Name>[];
  const { total } = await found.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow();
  return { data, pagination: { limit, offset, total: Number(total) } };
}

/** The same page with every row turned into what the list shows. */
export function pageAs<From, Item>(page: Page<From>, toItem: (row: From) => Item): Page<Item> {
  return { data: page.data.map(toItem), pagination: page.pagination };
}
