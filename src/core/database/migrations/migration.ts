/** What a migration is. */

/** A name of Lacre's as it stands in this database: behind a prefix, or in a schema. */
export type TableName = (name: string) => string;

/** The statements of a migration for one engine, each as it is run, without the semicolon at its end. */
export interface Steps {
  /** Make tables, and change them. */
  readonly tables: readonly string[];
  /** Change rows that were there before. Rows of an archive that knows the migration are as these left them. */
  readonly rows?: readonly string[];
  /** Make indexes and triggers, over the rows that are there. */
  readonly guards: readonly string[];
}

/**
 * A migration: its steps for each engine, in words that a person reads. They are run as they stand: nothing is
 * translated. Where a prefix or a schema may stand, `t` writes the name: of tables on both engines, of indexes and
 * triggers on SQLite, of functions on PostgreSQL. A trigger or an index that is replaced is dropped by the migration
 * that makes it anew; columns that are added are null in the rows from before.
 */
export interface Migration {
  readonly id: string;
  readonly sqlite: (t: TableName) => Steps;
  readonly postgres: (t: TableName) => Steps;
}

/** All statements of a migration, in the order in which they are run. */
export function statementsIn({ tables, rows = [], guards }: Steps): readonly string[] {
  return [...tables, ...rows, ...guards];
}
