/** A real driver with faults: settings it ignores, statements that fail on demand. */
import type { LacreDialect } from "lacre";
import type { SqliteFile } from "lacre/sqlite";
import { sqliteDialect } from "../../src/core/database/sqlite-dialect.ts";
import type { Driver } from "./drivers.ts";

/** The faults. Everything left out works as it should. */
export interface Faults {
  /** Runs before each statement on the writing connection; the driver throws what it throws. */
  readonly before?: (sql: string, database: SqliteFile) => void;
  /** The same on the reading connection. */
  readonly beforeReading?: (sql: string, database: SqliteFile) => void;
  /** Runs after each writing statement, when it has taken effect. */
  readonly after?: (sql: string) => void;
  /** Replaces the SQL of a setting: `pragma synchronous = full`. */
  readonly setting?: (sql: string) => string;
  /** The row a query returns; undefined lets SQLite answer. */
  readonly answer?: (sql: string) => object | undefined;
}

/** A dialect over a real driver with these faults; `make` makes it, in another program than this one too. */
export function faultyDialect(
  driver: Driver,
  file: string,
  { beforeReading, ...faults }: Faults,
  make = sqliteDialect,
): LacreDialect {
  const reading: Faults = beforeReading ? { before: beforeReading } : {};
  return make(
    (path, { readonly }) => faulty(driver.open(path, { readonly }), readonly ? reading : faults),
    file,
    undefined,
    { prefix: driver.prefix },
  );
}

function faulty(database: SqliteFile, { before, after, setting, answer }: Faults): SqliteFile {
  return {
    backup: (destination) => database.backup(destination),
    close: () => database.close(),
    exec: (sql) => database.exec(setting?.(sql) ?? sql),
    prepare(sql) {
      const statement = database.prepare(sql);
      const first = <T>(run: () => T): T => {
        before?.(sql, database);
        return run();
      };
      return {
        reader: statement.reader,
        all: (parameters) => {
          const answered = answer?.(sql);
          return first(() => (answered ? [answered] : statement.all(parameters)));
        },
        run: (parameters) => {
          const done = first(() => statement.run(parameters));
          after?.(sql);
          return done;
        },
        iterate: (parameters) => first(() => statement.iterate(parameters)),
      };
    },
  };
}

const CODES = {
  SQLITE_BUSY: 5,
  SQLITE_BUSY_SNAPSHOT: 517,
  SQLITE_LOCKED: 6,
  SQLITE_READONLY: 8,
  SQLITE_IOERR: 10,
  SQLITE_IOERR_FSYNC: 1034,
  SQLITE_CORRUPT: 11,
  SQLITE_FULL: 13,
  SQLITE_CANTOPEN: 14,
  SQLITE_NOTADB: 26,
} as const;

/** An error as this driver throws it: better-sqlite3 gives SQLite's code by name, node:sqlite by number. */
export function sqliteError(driver: Driver, name: keyof typeof CODES): Error {
  const errcode = CODES[name];
  const own = driver.name === "node:sqlite" ? { code: "ERR_SQLITE_ERROR", errcode } : { code: name };
  return Object.assign(new Error(`injected ${name}`), own);
}
