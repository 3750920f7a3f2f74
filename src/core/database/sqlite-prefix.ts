/** A prefix on every name of Lacre's, so that its tables stand in a file beside those of the program that owns it. */
import { TABLES } from "./migrations/index.ts";

/** Short and plain, so that it needs no quotes. SQLite keeps `sqlite_` for itself, and knows no capital letters. */
const PREFIX = /^(?!sqlite_)[a-z][a-z0-9_]{0,31}$/;

/** Throws TypeError for what cannot begin a name. */
export function mustBePrefix(prefix: string): void {
  if (PREFIX.test(prefix)) return;
  throw new TypeError(
    `A prefix is 1 to 32 characters of a–z, 0–9 and _, begins with a letter and not with sqlite_: ${JSON.stringify(prefix)} is none.`,
  );
}

/** A text, a quoted name, a comment, a word, or any other character. */
const TOKEN = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--.*|[a-z_]\w*|\S/gi;

/** After these words stands a table. */
const BEFORE_TABLE: ReadonlySet<string> = new Set(["from", "into", "join", "on", "references", "table", "update"]);
/** After these, the name of what is made or dropped. */
const BEFORE_OWN_NAME: ReadonlySet<string> = new Set(["index", "trigger"]);

/**
 * A statement with the prefix before each table, index and trigger that it names. A column or an alias may be called
 * like a table: a word is a table where a table has to stand, or before the dot of a column. `search.search`, the whole
 * row of a search index, is its table twice.
 */
export function withPrefix(prefix: string, statement: string): string {
  let before = "";
  let twoBefore = "";
  return statement.replace(TOKEN, (token, offset: number) => {
    if (token.startsWith("--")) return token;
    const isQuoted = token.startsWith('"');
    const name = isQuoted ? token.slice(1, -1) : token;
    const isTable =
      TABLES.has(name) &&
      (BEFORE_TABLE.has(before) ||
        statement[offset + token.length] === "." ||
        (before === "." && twoBefore === token.toLowerCase()));
    const isOwnName = BEFORE_OWN_NAME.has(before);
    twoBefore = before;
    before = token.toLowerCase();
    if (!isTable && !isOwnName) return token;
    return isQuoted ? `"${prefix}${name}"` : `${prefix}${name}`;
  });
}
