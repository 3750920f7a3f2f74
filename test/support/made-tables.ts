/** SQLite in memory with Lacre's tables in it: to make them takes ten milliseconds, to copy them a tenth of one. */
import Sqlite from "better-sqlite3";
import type { SqliteFile } from "lacre/sqlite";
import type { Engine } from "../../src/core/database/engine.ts";
import { databaseOf, inTransaction } from "../../src/core/database/executor.ts";
import { applyAll } from "../../src/core/database/migrate.ts";
import { sqliteDialect } from "../../src/core/database/sqlite-dialect.ts";

/** A connection of better-sqlite3 as Lacre knows it. */
const over = (file: Sqlite.Database): SqliteFile => ({
  prepare: (sql) => file.prepare(sql),
  exec: (sql) => void file.exec(sql),
  backup: async (destination) => void (await file.backup(destination)),
  close: () => void file.close(),
});

/** The bytes of a database with the tables, and without a row. */
const TABLES = await (async () => {
  const file = new Sqlite(":memory:");
  const dialect = sqliteDialect(() => over(file), ":memory:");
  await inTransaction(databaseOf(dialect), "write", applyAll);
  const bytes = file.serialize();
  file.close();
  return bytes;
})();

/** A new database in memory with the tables in it. */
export const openMade = (): SqliteFile => over(new Sqlite(TABLES));

/**
 * An engine to which tables without rows are none: who migrates finds nothing, and has made them. It serves one Lacre.
 */
export function asIfAbsent(engine: Engine): Engine {
  let isAbsent = true;
  return {
    ...engine,
    columnsOf: async (db, table) => (isAbsent ? [] : engine.columnsOf(db, table)),
    tablesOf: async (db) => (isAbsent ? [] : engine.tablesOf(db)),
    stepsOf: (migration) => (isAbsent ? { tables: [], guards: [] } : engine.stepsOf(migration)),
    placeOf(db) {
      isAbsent = false; // asked for once the database is made
      return engine.placeOf(db);
    },
  };
}
