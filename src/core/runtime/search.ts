/**
 * Search in lists. A row keeps a folded copy of its searched fields: SQLite's own folding covers neither Greek nor
 * terms of one letter. Copy and term are folded by the same function, so a search is a plain substring search in any
 * script.
 *
 * A full-text index finds the rows. Its words are pieces of the copy: from each character on, up to five characters. So
 * every substring is the beginning of a piece, or several pieces. The first character of a piece names its list.
 */
import type { SelectQueryBuilder } from "kysely";
import * as z from "zod";
import type { Reader, Row, Tables } from "../database/tables.ts";
import { beginningOf, contains, hasPieces, isBefore, type SoughtPiece, storedPieces } from "../database/words.ts";
import { decomposed } from "../fiscal/spelling.ts";
import { countRows, findList, type PageOfRows, type PageRequest, pageBounds, preparedPage } from "./page.ts";
import { yieldToOthers } from "./ports.ts";
import type { ReadScope, WriteScope } from "./scope.ts";

/** The tables that can be searched, and their indexes. */
const INDEXES = { customers: "customer_search", products: "product_search" } as const;
type Searched = keyof typeof INDEXES;

/** Characters in a piece. With fewer, thousands of rows would share the pieces of a long number. */
const PIECE = 5;
/** Matches at each character of a line, and captures the piece that begins there. */
const EACH_PIECE = /(?=([^\n]{1,5}))[^\n]/gu;
/** The most pieces of a long term that are looked up; the comparison that follows checks the rest. */
const MAX_PIECES = 8;
/** With fewer candidates than this, rows are compared with a long term one by one. */
const FEW = 200;

const MARKS = /\p{M}/gu;

/** Compatibility-decomposed, marks stripped, lower case. `Ação Σίσυφος` becomes `acao σισυφοσ`. */
export function fold(text: string): string {
  const lower = decomposed(text).toLowerCase();
  // Lower-casing can add marks (İ) and picks a final sigma by position; both would make a substring miss.
  return decomposed(lower).replace(MARKS, "").replaceAll("ς", "σ");
}

/** The folded copy of several fields. Line breaks keep a term from matching across two of them. */
export function foldAll(fields: readonly (string | null)[]): string {
  return fields
    .filter((field) => field !== null)
    .map(fold)
    .join("\n");
}

/** The orders of a list that can be searched, besides newest first. */
export const SortInput = z
  .enum(["name"])
  .optional()
  .describe("By name, whatever case and accents, by its first 60 characters; newest first when left out.");

/** The page a caller wants, of the rows that contain a term. */
export interface SearchRequest extends PageRequest {
  readonly search?: string | undefined;
  readonly sort?: z.infer<typeof SortInput>;
}

/** By name, with which a folded copy begins. */
const BY_NAME = { order: [beginningOf("search"), "id"], ascends: true } as const;

/** Makes readers of pages over the rows of a table that can be searched, in each of its orders. */
export function pagesInOrder<Found extends object, Name extends Searched>(
  build: (db: Reader, found: Found) => SelectQueryBuilder<Tables, Name, object>,
): (sort: SearchRequest["sort"]) => ReturnType<typeof preparedPage<Found, Name>> {
  const [newest, name] = [preparedPage(build), preparedPage(build, BY_NAME)];
  return (sort: SearchRequest["sort"]) => (sort === "name" ? name : newest);
}

/**
 * A page of the rows whose folded copy contains a term, newest first or as `sort` says; of all rows without a term, or
 * if the term folds to nothing.
 */
export async function searchPage<Name extends Searched>(
  scope: ReadScope,
  name: Name,
  { search = "", sort, ...asked }: SearchRequest,
): Promise<PageOfRows<Row<Name>>> {
  const list = await findList(scope, name);
  const term = fold(search);
  // Both tables have these columns; Kysely cannot see that through a generic name.
  const page =
    list && term !== ""
      ? await pageOfMatches(scope, name as "customers", { list, term, sort }, asked)
      : await PAGES[name](sort)(scope.db, { company_id: scope.company_id, term: undefined }, asked, list?.total ?? 0);
  return page as PageOfRows<Row<Name>>;
}

/** The filter of a list: all rows, or those that contain a term. */
interface Shown {
  readonly company_id: string;
  readonly term: string | undefined;
}

function shown(name: Searched) {
  return (db: Reader, { company_id, term }: Shown) => {
    const rows = db
      .selectFrom(name as "customers")
      .where("company_id", "=", company_id)
      .where("archived_at", "is", null);
    return term === undefined ? rows : rows.where(contains("search", term));
  };
}

const PAGES = { customers: pagesInOrder(shown("customers")), products: pagesInOrder(shown("products")) };

interface Sought {
  readonly list: Pick<Row<"lists">, "number" | "total">;
  /** Folded; not empty. */
  readonly term: string;
  readonly sort: SearchRequest["sort"];
}

async function pageOfMatches(
  { db, company_id }: ReadScope,
  name: "customers",
  { list, term, sort }: Sought,
  asked: PageRequest,
): Promise<PageOfRows<Row<"customers">>> {
  const index = INDEXES[name];
  const isShort = characters(term).length <= PIECE;
  const pieces = piecesOfTerm(term, markOf(list));
  const hits = hitsOf(db, index, await rarest(db, index, pieces));
  // SQLite runs a cross join in the order it is written: the index decides which rows are read.
  const matches = hits
    .crossJoin(name)
    .whereRef(`${name}.position`, "=", `${index}.rowid`)
    .where(`${name}.company_id`, "=", company_id)
    .$if(!isShort, (rows) => rows.where(contains("search", term)));
  const total = await countRows(isShort ? hits : matches);
  const { pagination, size, left } = pageBounds(asked, total);
  const { limit, offset } = pagination;
  // If many rows match, reading down the list finds a page of them sooner than sorting all matches.
  const walked = (offset + size) * list.total;
  if (walked < total * total) return PAGES[name](sort)(db, { company_id, term }, asked, total);
  const sorted =
    sort === "name"
      ? matches.orderBy(beginningOf(`${name}.search`)).orderBy(`${name}.id`)
      : matches.orderBy(`${name}.id`, "desc");
  if (!asked.after) {
    const data = await sorted.selectAll(name).limit(size).offset(offset).execute();
    return { data, pagination, has_more: left > 0 };
  }
  const following = sorted.where(isBefore([`${name}.id`], asked.after));
  const rows = await following
    .selectAll(name)
    .limit(limit + 1)
    .execute();
  return { data: rows.slice(0, limit), pagination, has_more: rows.length > limit };
}

type Indexed = Pick<Row<Searched>, "position" | "search">;

/** Adds a row to its index. */
export async function indexRow(scope: WriteScope, name: Searched, { position, search }: Indexed): Promise<void> {
  const list = await findList(scope, name);
  if (!list) throw new Error(`The list of ${name} has a row and no number.`);
  await scope.db
    .insertInto(INDEXES[name])
    .values({ rowid: position, pieces: storedPieces(indexedPieces(search, list)) })
    .execute();
}

/** How many rows are indexed by one statement. */
const INDEXED_AT_ONCE = 100;

/** Fills the indexes of a database whose rows were stored without them. */
export async function indexAll(db: WriteScope["db"]): Promise<void> {
  for (const name of ["customers", "products"] as const) {
    const listOf: ListOf = new Map();
    for (let after = 0; ; ) {
      const rows = await db
        .selectFrom(name as "customers")
        .select(["position", "company_id", "search"])
        .where("archived_at", "is", null)
        .where("position", ">", after)
        .orderBy("position")
        .limit(INDEXED_AT_ONCE)
        .execute();
      const last = rows.at(-1);
      if (!last) break;
      await indexRows(db, name, rows, listOf);
      after = last.position;
      await yieldToOthers();
    }
  }
}

/** The lists of companies that were looked up, by the company's id. */
type ListOf = Map<string, Awaited<ReturnType<typeof findList>>>;

/** Adds rows of any companies to their indexes; those of a company without a list are left out. */
async function indexRows(
  db: WriteScope["db"],
  name: Searched,
  rows: readonly (Indexed & Pick<Row<Searched>, "company_id">)[],
  listOf: ListOf,
): Promise<void> {
  const values = [];
  for (const { position, company_id, search } of rows) {
    const list = listOf.get(company_id) ?? (await findList({ db, company_id }, name));
    listOf.set(company_id, list);
    if (list) values.push({ rowid: position, pieces: storedPieces(indexedPieces(search, list)) });
  }
  if (values.length > 0) await db.insertInto(INDEXES[name]).values(values).execute();
}

/** The pieces of a folded copy that its list's index stores. */
export function indexedPieces(search: string, list: Pick<Row<"lists">, "number">): string[] {
  return piecesOf(search, markOf(list));
}

/** Removes a row that is no longer shown from its index. */
export async function unindexRow({ db }: WriteScope, name: Searched, position: number): Promise<void> {
  await db.deleteFrom(INDEXES[name]).where("rowid", "=", position).execute();
}

/** The first character of every piece of a list: neither ASCII nor a surrogate. */
function markOf({ number }: Pick<Row<"lists">, "number">): string {
  const code = 0x7f + number;
  return String.fromCodePoint(code < 0xd800 ? code : code + 0x800);
}

/** The pieces of a folded copy, each once. */
function piecesOf(copy: string, mark: string): string[] {
  const pieces = Array.from(copy.matchAll(EACH_PIECE), ([, piece]) => mark + piece);
  return [...new Set(pieces)];
}

/** What finds a term: the beginning of a piece, or the pieces of a longer term. */
function piecesOfTerm(term: string, mark: string): SoughtPiece[] {
  const letters = characters(term);
  const pieceAt = (start: number) => mark + letters.slice(start, start + PIECE).join("");
  if (letters.length < PIECE) return [{ piece: pieceAt(0), is_beginning: true }];
  const starts = Array.from({ length: MAX_PIECES }, (_, i) => Math.min(i * PIECE, letters.length - PIECE));
  return [...new Set(starts.map(pieceAt))].map((piece) => ({ piece, is_beginning: false }));
}

function hitsOf(db: Reader, index: "customer_search", pieces: readonly SoughtPiece[]) {
  return db.selectFrom(index).where(hasPieces(index, pieces));
}

/** A piece that few rows have. If names differ only by a number, matching their common pieces takes long. */
async function rarest(
  db: Reader,
  index: "customer_search",
  pieces: readonly SoughtPiece[],
): Promise<readonly SoughtPiece[]> {
  for (const piece of pieces.length > 1 ? pieces.toReversed() : []) {
    const some = hitsOf(db, index, [piece]).select("rowid").limit(FEW).as("some");
    const { rows } = await db
      .selectFrom(some)
      .select((eb) => eb.fn.countAll<number>().as("rows"))
      .executeTakeFirstOrThrow();
    if (rows < FEW) return [piece];
  }
  return pieces;
}

const characters = (text: string): string[] => Array.from(text);
