/** Pages of lists: what is asked for, what is answered, and how a page is read from one filtered query. */
import type { SelectQueryBuilder } from "kysely";
import { z } from "zod";
import type { Row, Tables } from "./database/tables.ts";
import { wholeNumber } from "./fields.ts";

/** The largest page a list gives and the size it has unasked. */
const PAGE_MAX = 200;
const PAGE_DEFAULT = 50;

/** The query parameters every list takes. */
export const PageInput = {
  limit: wholeNumber(1, PAGE_MAX).optional().meta({ default: PAGE_DEFAULT, description: "Rows on the page." }),
  offset: wholeNumber(0, Number.MAX_SAFE_INTEGER).optional().meta({ default: 0, description: "Rows to skip." }),
} as const;

/** Where a page lies in its list. */
export const Pagination = z
  .strictObject({ limit: z.int(), offset: z.int(), total: z.int().describe("Rows in all; always exact.") })
  .meta({ id: "Pagination" });

/** The shape of every list answer. */
export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.strictObject({ data: z.array(item), pagination: Pagination });
}

interface Page<Item> {
  readonly data: Item[];
  readonly pagination: z.infer<typeof Pagination>;
}

/**
 * Reads a page of `found`, newest first: by `issue_date` where given, then by id, which ascends with time.
 * The order is total, so on a quiet database no row repeats or is skipped between pages.
 */
export async function readPage<Name extends keyof Tables & string>(
  found: SelectQueryBuilder<Tables, Name, object>,
  { limit = PAGE_DEFAULT, offset = 0 }: { readonly limit?: number | undefined; readonly offset?: number | undefined },
  order: readonly string[] = ["id"],
): Promise<Page<Row<Name>>> {
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
