/** What a schema consists of, as read from a database, and how the schema found differs from the one expected. */
import { hash } from "node:crypto";

/** One thing of a schema: a table, a column, a constraint, an index, a trigger or a function. */
export interface Thing {
  /** Its kind and name: `column customers.phone`, `trigger events_never_change`. */
  readonly name: string;
  /** Its table; empty for a function. */
  readonly table: string;
  /** The text that is compared. */
  readonly text: string;
}

/** The expected things: by name, the text that is compared of each. */
export type Catalogue = Readonly<Record<string, string>>;

/** Things as a catalogue. */
export function catalogueOf(things: readonly Thing[]): Catalogue {
  return Object.fromEntries(things.map(({ name, text }) => [name, text]));
}

/** The SHA-256 of everything compared in these tables. */
export function digestOfTables(things: readonly Thing[], tables: ReadonlySet<string>): string {
  const own = things.filter(({ table }) => tables.has(table)).map(({ name, text }) => JSON.stringify([name, text]));
  return hash("sha256", own.sort().join("\n"));
}

/** The first missing or changed thing, or one that was added to Lacre's tables; null if there is none. */
export function faultOf(found: readonly Thing[], due: Catalogue): string | null {
  const texts = catalogueOf(found);
  for (const [name, text] of Object.entries(due)) {
    if (texts[name] === undefined) return `${name} is missing.`;
    if (texts[name] !== text) return `${name} is not as this program makes it.`;
  }
  const added = found.find(({ name, table }) => !(name in due) && `table ${table}` in due);
  return added ? `${added.name} is not Lacre's.` : null;
}
