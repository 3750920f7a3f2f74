/** Lists of the API, a page at a time; the address holds the search and the page. */
import type { ComponentChildren } from "preact";
import type { Page } from "../../core/runtime/page.ts";
import { search, setSearch } from "../router.ts";
import { Empty, Loaded, type Resource, useResource } from "./resource.tsx";
import { Pager, Table, type TableProps } from "./table.tsx";

/** The requested page of a list. */
export interface Asked {
  readonly limit: number;
  readonly offset: number;
}

const LIMIT = 50;

/** Reads the page of a list that the address names. */
export function useList<Shown extends Page<unknown>>(
  read: (asked: Asked, signal: AbortSignal) => Promise<Shown>,
): Resource<Shown> {
  return useResource((signal) => read({ limit: LIMIT, offset: Number(search.value.get("offset") ?? 0) }, signal));
}

/** The search text of the list. */
export const searched = (): string | undefined => search.value.get("search") ?? undefined;

interface SearchFieldProps {
  readonly label: string;
  /** Fields of the address that a search removes. */
  readonly instead?: readonly string[];
  /** Takes the result. */
  readonly onEnter?: () => unknown;
}

/** The search field. */
export function SearchField({ label, instead = [], onEnter }: SearchFieldProps) {
  return (
    <input
      type="search"
      aria-label={label}
      placeholder={label}
      value={searched() ?? ""}
      onInput={(event) =>
        setSearch({
          ...Object.fromEntries(instead.map((name) => [name, undefined])),
          search: event.currentTarget.value,
          offset: undefined,
        })
      }
      onKeyDown={(event) => event.key === "Enter" && !event.isComposing && onEnter?.()}
    />
  );
}

interface ListProps<Row> extends Omit<TableProps<Row>, "rows"> {
  readonly from: Resource<Page<Row>>;
  /** The text of an empty list. */
  readonly none: string;
  /** The text if nothing matches the search. */
  readonly nothing?: string | false | undefined;
  /** What to do about an empty list. */
  readonly children?: ComponentChildren;
}

/** A list: its page as a table, and the links to the others. */
export function List<Row>({ from, none, nothing, children, ...table }: ListProps<Row>) {
  return (
    <Loaded from={from}>
      {({ data, pagination }) =>
        pagination.total === 0 ? (
          <Empty title={nothing || none}>{!nothing && children}</Empty>
        ) : (
          <div class="sheet">
            <Table {...table} rows={data} />
            <Pager pagination={pagination} onMove={(offset) => setSearch({ offset: String(offset || "") })} />
          </div>
        )
      }
    </Loaded>
  );
}
