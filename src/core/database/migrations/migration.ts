/** What a migration is. */

/** A name of Lacre's as it is in this database: with a prefix, or in a schema. */
export type TableName = (name: string) => string;

/** The statements of a migration for one engine, each as it is run, without a semicolon at its end. */
export interface Steps {
  /** Make and change tables. */
  readonly tables: readonly string[];
  /** Change existing rows. The rows of an archive that knows the migration are already as these leave them. */
  readonly rows?: readonly string[];
  /** Make indexes and triggers over the existing rows. */
  readonly guards: readonly string[];
}

/**
 * A migration: its steps for each engine, in SQL that a person reads, run unchanged. Where a prefix or a schema may
 * stand, `t` writes the name: of tables on both engines, of indexes and triggers on SQLite, of functions on PostgreSQL.
 * To replace a trigger or an index, the migration drops it and makes it again; columns that it adds are null in
 * existing rows. On PostgreSQL `unlogged` makes a table that a crash may empty; a copy of temporary tables has
 * `temporary` there.
 */
export interface Migration {
  readonly id: string;
  readonly sqlite: (t: TableName) => Steps;
  readonly postgres: (t: TableName, unlogged?: "unlogged" | "temporary") => Steps;
}

/** All statements of a migration, in the order in which they are run. */
export function statementsIn({ tables, rows = [], guards }: Steps): readonly string[] {
  return [...tables, ...rows, ...guards];
}
