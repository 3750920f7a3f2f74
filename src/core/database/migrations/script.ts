/** How a migration's script is written, and split into statements. */

/** Stands before a statement that is SQLite's alone: a guard against REPLACE, or an index that would cost elsewhere. */
export const SQLITE_ONLY = "-- on SQLite alone\n";

/** Stands before a statement that is PostgreSQL's alone, where several processes share what one keeps in memory. */
export const POSTGRES_ONLY = "-- on PostgreSQL alone\n";

/**
 * Splits a script into statements: a table ends with `) strict;`, an index at the end of its line, a trigger with
 * `end;` on its own line. Migrations are our own text, so this convention is enough.
 */
export function statementsOf(script: string): string[] {
  return script
    .split(/(?<=^(?:\) strict(?:, without rowid)?;|create (?:(?:unique )?index|virtual table) .*;|end;)$)/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== "");
}
