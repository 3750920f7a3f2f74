/** `lacre/node-sqlite`: Node's own SQLite as the driver; needs no native addon. */
import { backup, DatabaseSync, type SQLInputValue } from "node:sqlite";
import type { SqliteStatement } from "kysely";
import type { LacreDialect } from "./executor.ts";
import { type FileOptions, type OpenSqlite, openChecked, type SqliteFile, sqliteDialect } from "./sqlite-dialect.ts";

export type { LacreDialect } from "./executor.ts";
export type { FileOptions, SqliteFile } from "./sqlite-dialect.ts";
export { StorageError } from "./storage-error.ts";

/**
 * A database over Node's own SQLite, in a file that is created at the first use, or in memory with `:memory:`. The file
 * must be on a local disk. Where Node carries an SQLite older than 3.51.3, `openLacre` refuses it with `StorageError`.
 *
 * ```ts
 * import { openLacre } from "lacre";
 * import { nodeSqlite } from "lacre/node-sqlite";
 *
 * const lacre = await openLacre({ dialect: nodeSqlite("lacre.db") });
 * await lacre.companies.list(); // => []
 * await lacre.close();
 * ```
 */
export function nodeSqlite(file: string, options: FileOptions = {}): LacreDialect {
  return sqliteDialect(open, file, "node:sqlite", options);
}

/** One bare connection to a file, with Lacre's settings; for backups. The caller closes it. Throws `StorageError`. */
export function openNodeSqlite(file: string, options: { readonly readonly?: boolean } = {}): SqliteFile {
  return openChecked(open, file, options.readonly ?? false);
}

const open: OpenSqlite = (file, { readonly }) => {
  const database = new DatabaseSync(file, { readOnly: readonly });
  return {
    prepare: (sql) => statementOver(database, sql),
    exec: (sql) => database.exec(sql),
    backup: async (destination) => void (await backup(database, destination)),
    close: () => database.close(),
  };
};

/** Whether SQL holds no statement: spaces, semicolons and comments. */
const IS_EMPTY = /^(?:[\s;]|--[^\n]*(?:\n|$)|\/\*(?:[^*]|\*(?!\/))*(?:\*\/|$))*$/;

/**
 * Gives a node:sqlite statement the shape Kysely knows from better-sqlite3, and throws its error for text after the
 * first statement, which node:sqlite ignores silently.
 */
function statementOver(database: DatabaseSync, sql: string): SqliteStatement {
  const statement = database.prepare(sql);
  if (!IS_EMPTY.test(sql.slice(statement.sourceSQL.length))) {
    throw new RangeError("The supplied SQL string contains more than one statement");
  }
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => statement.all(...(parameters as SQLInputValue[])),
    run: (parameters) => statement.run(...(parameters as SQLInputValue[])),
    iterate: (parameters) => statement.iterate(...(parameters as SQLInputValue[])),
  };
}
