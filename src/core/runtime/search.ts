/**
 * Search works over a folded copy of our own: SQLite's folding covers neither Greek nor one-letter terms.
 * Copy and term are folded by the same function, so finding is plain substring search in any script.
 *
 * An index finds the rows. Its words are pieces of the copy, up to five characters from each character on, so every
 * substring is the beginning of a piece, or several pieces. A character before each piece tells whose list it is of.
 */
import { expressionBuilder } from "kysely";
import type { Row, Tables } from "../database/tables.ts";
import { countRows, findList, type Page, type PageAsked, placeOf, preparedPage } from "./page.ts";
import type { ReadScope, WriteScope } from "./scope.ts";

/** The tables that can be searched, and their indexes. */
const INDEXES = { customers: "customer_search", products: "product_search" } as const;
type Searched = keyof typeof INDEXES;

/** Characters in a piece: with fewer, a long number would be found only among thousands that share its pieces. */
const PIECE = 5;
/** From each character of a line on, so many. */
const EACH_PIECE = /(?=([^\n]{1,5}))[^\n]/gu;
/** Pieces of a long term that are looked up; the rest is left to the comparison that follows. */
const MOST_PIECES = 8;
/** Rows that are compared with a long term one by one rather than found by all of its pieces. */
const FEW = 200;

const MARKS = /\p{M}/gu;

/** Compatibility-decomposed, marks stripped, lower case. `Ação Σίσυφος` becomes `acao σισυφοσ`. */
export function fold(text: string): string {
  const lower = text.normalize("NFKD").toLowerCase();
  // Lower-casing can add marks (İ) and picks a final sigma by position; both would make a substring miss.
  return lower.normalize("NFKD").replace(MARKS, "").replaceAll("ς", "σ");
}

/** The folded copy of several fields. Line breaks keep a term from matching across two of them. */
export function foldAll(fields: readonly (string | null)[]): string {
  return fields
    .filter((field) => field !== null)
    .map(fold)
    .join("\n");
}

/** A page of the rows of a list that a term occurs in, newest first; of all rows where it is left out or folds to nothing. */
export async function searchPage<Name extends Searched>(
  scope: ReadScope,
  name: Name,
  { search = "", ...asked }: PageAsked & { readonly search?: string | undefined },
): Promise<Page<Row<Name>>> {
  const list = await findList(scope, name);
  const term = fold(search);
  // Both have what is asked of here, which Kysely cannot see through a generic name.
  const page =
    list && term !== ""
      ? await pageOfMatches(scope, name as "customers", { list, term }, asked)
      : await PAGES[name](scope.db, { company_id: scope.company_id, term: undefined }, asked, list?.total ?? 0);
  return page as Page<Row<Name>>;
}

/** The rows a list shows: all, or those that a term occurs in. */
interface Shown {
  readonly company_id: string;
  readonly term: string | undefined;
}

function shown(name: Searched) {
  return (db: ReadScope["db"], { company_id, term }: Shown) => {
    const rows = db
      .selectFrom(name as "customers")
      .where("company_id", "=", company_id)
      .where("archived_at", "is", null);
    return term === undefined ? rows : rows.where(includes(term));
  };
}

const PAGES = { customers: preparedPage(shown("customers")), products: preparedPage(shown("products")) };

interface Sought {
  readonly list: Pick<Row<"lists">, "number" | "total">;
  /** Folded; not empty. */
  readonly term: string;
}

async function pageOfMatches(
  { db, company_id }: ReadScope,
  name: "customers",
  { list, term }: Sought,
  asked: PageAsked,
): Promise<Page<Row<"customers">>> {
  const index = INDEXES[name];
  const isShort = characters(term).length <= PIECE;
  const pieces = piecesOfTerm(term, markOf(list));
  const hits = hitsOf(db, index, await rarest(db, index, pieces));
  // A cross join is done in the order it is written: the index says which rows to look at.
  const matches = hits
    .crossJoin(name)
    .whereRef(`${name}.position`, "=", `${index}.rowid`)
    .where(`${name}.company_id`, "=", company_id)
    .$if(!isShort, (rows) => rows.where(includes(term)));
  const total = await countRows(isShort ? hits : matches);
  const { pagination, size } = placeOf(asked, total);
  // Where many rows match, a walk down the list meets enough of them before all matches could be put in order.
  const walked = (pagination.offset + size) * list.total;
  if (walked < total * total) return PAGES[name](db, { company_id, term }, asked, total);
  const newest = matches.selectAll(name).orderBy(`${name}.id`, "desc");
  return { data: await newest.limit(size).offset(pagination.offset).execute(), pagination };
}

/** That the folded copy has the term in it, letter for letter. */
const includes = (term: string) => {
  const { fn, val, eb } = expressionBuilder<Tables, "customers">();
  return eb(fn<number>("instr", ["search", val(term)]), ">", 0);
};

/** What a row gives to the index. */
type Indexed = Pick<Row<Searched>, "position" | "search">;

/** Puts a row into its index. One whose folded copy changed is taken out first. */
export async function indexRow(scope: WriteScope, name: Searched, { position, search }: Indexed): Promise<void> {
  const list = await findList(scope, name);
  if (!list) throw new Error(`The list of ${name} has a row and no number.`);
  await scope.db
    .insertInto(INDEXES[name])
    .values({ rowid: position, pieces: indexedText(search, list) })
    .execute();
}

/** What the index holds of a folded copy in a list. */
export function indexedText(search: string, list: Pick<Row<"lists">, "number">): string {
  return piecesOf(search, markOf(list)).join("\n");
}

/** Takes a row that is no longer shown out of its index. */
export async function unindexRow({ db }: WriteScope, name: Searched, position: number): Promise<void> {
  await db.deleteFrom(INDEXES[name]).where("rowid", "=", position).execute();
}

/** The character that begins every piece of a list. Those of ASCII and the surrogates are left out. */
function markOf({ number }: Pick<Row<"lists">, "number">): string {
  const code = 0x7f + number;
  return String.fromCodePoint(code < 0xd800 ? code : code + 0x800);
}

/** The pieces of a folded copy, each once. */
function piecesOf(copy: string, mark: string): string[] {
  const pieces = Array.from(copy.matchAll(EACH_PIECE), ([, piece]) => mark + piece);
  return [...new Set(pieces)];
}

/** What to match a term by: the beginning of a piece, or for a longer term pieces that it is made of. */
function piecesOfTerm(term: string, mark: string): string[] {
  const letters = characters(term);
  const quoted = (start: number) => `"${(mark + letters.slice(start, start + PIECE).join("")).replaceAll('"', '""')}"`;
  if (letters.length < PIECE) return [`${quoted(0)}*`];
  const starts = Array.from({ length: MOST_PIECES }, (_, i) => Math.min(i * PIECE, letters.length - PIECE));
  return [...new Set(starts)].map(quoted);
}

function hitsOf(db: ReadScope["db"], index: "customer_search", match: string) {
  return db.selectFrom(index).where(`${index}.${index}`, "match", match);
}

/** A piece that few rows have: where names are alike but for a number, walking their common pieces takes long. */
async function rarest(db: ReadScope["db"], index: "customer_search", pieces: readonly string[]): Promise<string> {
  for (const piece of pieces.length > 1 ? pieces.toReversed() : []) {
    const some = hitsOf(db, index, piece).select("rowid").limit(FEW).as("some");
    const { rows } = await db
      .selectFrom(some)
      .select((eb) => eb.fn.countAll<number>().as("rows"))
      .executeTakeFirstOrThrow();
    if (rows < FEW) return piece;
  }
  return pieces.join(" AND ");
}

const characters = (text: string): string[] => Array.from(text);
