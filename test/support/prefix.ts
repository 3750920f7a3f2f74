/** Puts a prefix before names in statements that tests write by hand; Lacre's own get it as they are built. */
import { TABLE_NAMES } from "../../src/core/database/tables.ts";

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
      TABLE_NAMES.has(name) &&
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
