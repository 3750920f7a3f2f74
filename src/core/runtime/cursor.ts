/**
 * Cursors: where a page of a list ended, so that the next begins there whatever was added meanwhile. A cursor belongs
 * to the filters of its list: with others it would mean other rows.
 */
import { hash } from "node:crypto";
import { measured } from "../fields.ts";
import { problem, refuseInput } from "./errors.ts";
import { common } from "./refusals.ts";

/** The input field of a list whose pages can be followed. */
export const CursorInput = measured(300)
  .optional()
  .describe("`next_cursor` of the page before, with the same filters; not beside `offset` or `sort`.");

/** The values of the last row of a page in the columns that order its list. */
export type After = readonly string[];

/** The filters of a list, with the list's name. */
export type Filters = Readonly<Record<string, unknown>> & { readonly list: string };

/** Days, ids and counts: what a database may be asked to compare with. */
const VALUE = /^[\w-]{1,40}$/;

/** The text of a cursor after this row. */
export function cursorOf(after: After, filters: Filters): string {
  return Buffer.from(JSON.stringify([bindingOf(filters), ...after])).toString("base64url");
}

/** Where a cursor stands, in a list ordered by so many columns; refuses one that was not answered for these filters. */
export function afterOf(cursor: string | undefined, columns: number, filters: Filters): After | undefined {
  if (cursor === undefined) return undefined;
  const [binding, ...after] = partsOf(cursor);
  const isOwn = binding === bindingOf(filters) && after.length === columns && after.every((value) => VALUE.test(value));
  return isOwn ? after : refuseInput([problem("cursor", common.must_be_cursor)]);
}

function partsOf(cursor: string): string[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString());
    return Array.isArray(parts) ? parts.map(String) : [];
  } catch {
    return [];
  }
}

/** A short digest of filters, in whatever order they were sent. */
function bindingOf(filters: Filters): string {
  const sent = Object.entries(filters).filter(([, value]) => value !== undefined);
  return hash("sha256", JSON.stringify(sent.sort(([one], [other]) => (one < other ? -1 : 1))), "base64url").slice(
    0,
    11,
  );
}
