/** The rows of a list one after the other: pages by cursor, read as they are asked for. */
import { MAX_WITH_LINES } from "./documents/list.ts";
import type { CompanyMethods } from "./face.ts";
import { PAGE_MAX } from "./runtime/page.ts";

/** The lists that have cursors. */
const FOLLOWED = ["customers", "products", "documents", "payments"] as const;
type Followed = (typeof FOLLOWED)[number];

/** What a list takes but for its pages and orders. */
type FilterOf<Group extends Followed> = Omit<
  NonNullable<Parameters<CompanyMethods[Group]["list"]>[0]>,
  "limit" | "offset" | "cursor" | "sort"
>;

type RowOf<Group extends Followed> = Awaited<ReturnType<CompanyMethods[Group]["list"]>>["data"][number];

/** The rows of the lists that have cursors. */
export type EachRow = {
  readonly [Group in Followed]: {
    /**
     * Every row that passes the filter, in the order of the list, read in pages as they are asked for. What is added
     * meanwhile is left out, and nothing is skipped or repeated. Throws what `list` throws.
     */
    each(filter?: FilterOf<Group>): AsyncGenerator<RowOf<Group>, void, void>;
  };
};

/** Adds `each` to the groups of a company's operations. */
export function withEach(methods: CompanyMethods): CompanyMethods & EachRow {
  const groups = FOLLOWED.map((group) => {
    const list = methods[group].list as List;
    return [group, { ...methods[group], each: (filter?: object) => rowsOf(list, filter) }] as const;
  });
  return { ...methods, ...(Object.fromEntries(groups) as unknown as EachRow) } as CompanyMethods & EachRow;
}

type List = (input: object) => Promise<{
  readonly data: readonly unknown[];
  readonly pagination: { readonly next_cursor: string | null };
}>;

async function* rowsOf(list: List, filter: { readonly expand?: unknown } = {}): AsyncGenerator<unknown, void, void> {
  const limit = filter.expand === undefined ? PAGE_MAX : MAX_WITH_LINES;
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const { data, pagination } = await list({ ...filter, limit, ...(cursor !== undefined && { cursor }) });
    yield* data;
    cursor = pagination.next_cursor;
  }
}
