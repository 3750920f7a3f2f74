/** Listing customers and products: by their search index, by a value that few of them have, by ids. */
import type * as z from "zod";
import { preparedSelect } from "../database/prepared.ts";
import type { Reader, Row } from "../database/tables.ts";
import { alsoHas, contains, hasRarely, isAlsoFrom, type List, listOf, valuesOf } from "../database/words.ts";
import { IdList, InstantInput, SearchInput } from "../fields.ts";
import {
  type CursorPage,
  CursorPageInput,
  followedAs,
  type PageOfRows,
  type PageRequest,
  pageBounds,
  pageOfIds,
  preparedCount,
  startOf,
  totalOf,
} from "../runtime/page.ts";
import type { ReadScope } from "../runtime/scope.ts";
import { fold, pagesInOrder, SortInput, searchPage } from "../runtime/search.ts";
import { ExternalId } from "./caller-data.ts";

/** What both lists take. */
export const RECORD_FILTER = {
  ...CursorPageInput,
  search: SearchInput,
  sort: SortInput,
  external_id: ExternalId.optional().describe("Only those with this external_id; as sent, in the same case."),
  updated_since: InstantInput.optional().describe("Only those made or changed at this instant or later."),
  ids: IdList.optional().describe(
    "These, in this order; unknown ones are left out. Beside it only `limit`, by default all, and `cursor`.",
  ),
} as const;

/** The columns by which few rows are found, the narrowest first. */
const NARROW = {
  customers: ["external_id", "tax_id"],
  products: ["sku", "external_id", "till_number"],
} as const;
type Listed = keyof typeof NARROW;

type Values = Readonly<Partial<Record<(typeof NARROW)[Listed][number], string | number | undefined>>>;

/** What is asked of a list. */
export interface RecordFilter extends Values, Omit<z.output<z.ZodObject<typeof RECORD_FILTER>>, "external_id"> {}

interface Found extends Values {
  readonly company_id: string;
  readonly term: string | undefined;
  readonly updated_since: string | undefined;
  /** Set if the list is walked in its order although rows are left out. */
  readonly is_walked: true | undefined;
}

/** The rows that pass the filters. The narrowest chooses the index: a value, else the moment of the last change. */
function narrowed(name: Listed) {
  return (db: Reader, { company_id, term, updated_since, is_walked, ...equal }: Found) => {
    const [narrowest, ...others] = NARROW[name].filter((column) => equal[column as keyof Values] !== undefined);
    let rows = db
      .selectFrom(name as "customers")
      .where("company_id", "=", company_id)
      .where("archived_at", "is", null);
    if (narrowest) rows = rows.where(hasRarely(narrowest, equal[narrowest as keyof Values]));
    for (const column of others) rows = rows.where(alsoHas(column, equal[column as keyof Values]));
    if (updated_since !== undefined) {
      const isAlso = narrowest !== undefined || is_walked !== undefined;
      rows = isAlso
        ? rows.where(isAlsoFrom("updated_at", updated_since))
        : rows.where("updated_at", ">=", updated_since as never);
    }
    return term === undefined ? rows : rows.where(contains("search", term));
  };
}

function readersOf(name: Listed) {
  const rows = narrowed(name);
  const ofIds = preparedSelect((db, { company_id, ids }: { company_id: string; ids: List }) =>
    db
      .selectFrom(name as "customers")
      .selectAll()
      .where("id", "in", valuesOf(ids))
      .where(alsoHas("company_id", company_id))
      .where("archived_at", "is", null),
  );
  const someOlder = preparedSelect((db, { company_id, updated_since }: { company_id: string; updated_since: string }) =>
    db
      .selectFrom(
        db
          .selectFrom(name as "customers")
          .select("id")
          .where("company_id", "=", company_id)
          .where("archived_at", "is", null)
          .where("updated_at", "<", updated_since as never)
          .limit(MOST_OLDER + 1)
          .as("older"),
      )
      .select(({ fn }) => fn.countAll<number>().as("rows")),
  );
  return { pages: pagesInOrder<Found, "customers">(rows), count: preparedCount(rows), ofIds, someOlder };
}

/** As few rows that were last changed before a moment are counted in place of those changed since. */
const MOST_OLDER = 100;

const READERS = { customers: readersOf("customers"), products: readersOf("products") };

/** A page of the customers or products that pass the filters. */
export async function listRecords<Name extends Listed, Item>(
  scope: ReadScope,
  name: Name,
  { limit, offset, cursor, ...asked }: RecordFilter,
  toItem: (row: Row<Name>) => Item,
): Promise<CursorPage<Item>> {
  const filters = { list: name, ...asked };
  const after = startOf({ cursor, offset, sort: asked.sort }, 1, filters);
  const { has_more, ...page } = await pageOfRows(scope, name, asked, { limit, offset, after });
  const rows = { ...page, has_more: has_more && asked.sort === undefined } as PageOfRows<Row<Listed>>;
  return followedAs(rows, (row) => toItem(row as Row<Name>), { filters, after: ({ id }) => [id] });
}

/** How many rows pass the filters, of a list of so many; 0 says that the filters leave few of it. */
async function countOf(db: Reader, name: Listed, found: Found, all: number): Promise<number> {
  const { count, someOlder } = READERS[name];
  const { company_id, updated_since, term } = found;
  if (updated_since !== undefined && term === undefined && all > MOST_OLDER) {
    // Whoever reads the whole list page by page, since before all of it, would count all of it for each page.
    const older = Number((await someOlder(db, { company_id, updated_since }))[0]?.rows);
    if (older <= MOST_OLDER) return all - older;
  }
  return count(db, found);
}

async function pageOfRows(
  scope: ReadScope,
  name: Listed,
  { ids, search = "", sort, updated_since, ...equal }: Omit<RecordFilter, "limit" | "offset" | "cursor">,
  asked: PageRequest,
): Promise<PageOfRows<Row<Listed>>> {
  const { db, company_id } = scope;
  const { pages, ofIds } = READERS[name];
  if (ids !== undefined) {
    return pageOfIds({ search: search || undefined, sort, updated_since, ...equal }, ids, asked, (some) =>
      ofIds(db, { company_id, ids: listOf(some) }),
    );
  }
  const isNarrow = Object.values(equal).some((value) => value !== undefined);
  if (!isNarrow && updated_since === undefined) return searchPage(scope, name, { search, sort, ...asked });
  const found = { company_id, ...equal, updated_since, term: fold(search) || undefined, is_walked: undefined };
  const all = isNarrow ? 0 : await totalOf(scope, name);
  const total = await countOf(db, name, found, all);
  const { pagination, size } = pageBounds(asked, total);
  const walked = (pagination.offset + size) * all;
  // If most rows were changed since, reading down the list finds a page of them sooner than sorting them.
  const is_walked = !isNarrow && walked < total * total ? true : undefined;
  return pages(sort)(db, { ...found, is_walked }, asked, total);
}
