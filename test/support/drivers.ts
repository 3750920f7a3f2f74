/** The two drivers, and the day every test begins on. `describe.each(DRIVERS)` runs tests over both. */
import type { LacreDialect } from "lacre";
import { nodeSqlite, openNodeSqlite } from "lacre/node-sqlite";
import { openSqlite, type SqliteFile, sqlite } from "lacre/sqlite";
import { type OpenSqlite, sqliteDialect } from "../../src/core/database/sqlite-dialect.ts";
import { asIfAbsent, openMade } from "./made-tables.ts";

/** A database that tests run over. */
export interface Database {
  readonly name: string;
  /** A dialect for a file, or for `:memory:`. */
  readonly dialect: (file: string) => LacreDialect;
}

/** A SQLite driver. */
export interface Driver extends Database {
  /** One bare connection with Lacre's settings. */
  readonly open: (file: string, options?: { readonly readonly?: boolean }) => SqliteFile;
  /** One in memory that has Lacre's tables: a dialect over it takes its engine by `asIfAbsent`. */
  readonly openMade?: () => SqliteFile;
  /** What the names of Lacre's tables begin with, in a file that is a shop's. */
  readonly prefix?: string;
}

/** The default driver. */
export const BETTER: Driver = {
  name: "better-sqlite3",
  dialect: (file) => (file === ":memory:" ? inMemory() : sqlite(file)),
  open: openSqlite,
  openMade,
};

const NODE: Driver = { name: "node:sqlite", dialect: nodeSqlite, open: openNodeSqlite };

/** Both drivers: all that touches the database is tested over each. Lacre refuses the SQLite inside Node 22.16. */
export const DRIVERS: readonly Driver[] = process.version.startsWith("v22.") ? [BETTER] : [BETTER, NODE];

function inMemory(): LacreDialect {
  const open: OpenSqlite = (file, options) => (file === ":memory:" ? openMade() : openSqlite(file, options));
  const dialect = sqliteDialect(open, ":memory:", "better-sqlite3");
  return { ...dialect, engine: asIfAbsent(dialect.engine) };
}

/** The instant every test begins at. */
export const NOW = "2026-11-21T10:31:07.482Z";
/** The date of `NOW` in Lisbon. */
export const TODAY = "2026-11-21";
/** A UUID that is the id of nothing. */
export const UNKNOWN_ID = "0199d3a0-5b7e-7cc1-9c3b-2f6a4d1e8b70";
