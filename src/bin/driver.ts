/** The SQLite driver of this program. */
import { nodeSqlite, openNodeSqlite } from "../core/database/node-sqlite.ts";
import { type FileOptions, openSqlite, type SqliteFile, sqlite } from "../core/database/sqlite.ts";
import type { LacreDialect } from "../core/index.ts";
import { type NativeSqlite, nativeSqlite } from "./native.ts";

/** The functions that open databases. */
export interface Driver {
  /** `better-sqlite3`, or `node:sqlite` if no directory can hold the executable's library. */
  readonly name: string;
  dialect(file: string, options?: FileOptions): LacreDialect;
  /** A bare connection; the caller closes it. */
  connect(file: string, options?: { readonly readonly?: boolean }): SqliteFile;
}

/** The driver, SQLite's version, the schema and the connection settings, read from one connection. */
export function connectionFacts(sqlite: Driver, file: string) {
  const connection = sqlite.connect(file);
  const read = (sql: string) => Object.values(connection.prepare(sql).all([])[0] as Record<string, string | number>)[0];
  try {
    return {
      driver: sqlite.name,
      sqlite: read("select sqlite_version()"),
      schema: read("select max(id) from migrations"),
      journal_mode: read("pragma journal_mode"),
      synchronous: read("pragma synchronous"),
    };
  } finally {
    connection.close();
  }
}

let native: NativeSqlite | undefined;

/** The driver, found once. `dataDirectory` is a further place for the executable's library. */
export function driver(dataDirectory?: string): Driver {
  native ??= nativeSqlite(dataDirectory);
  if (native.kind === "refused") return { name: "node:sqlite", dialect: nodeSqlite, connect: openNodeSqlite };
  const loaded = native.kind === "carried" ? { nativeBinding: native.binding } : {};
  return {
    name: "better-sqlite3",
    dialect: (file, options) => sqlite(file, { ...options, ...loaded }),
    connect: (file, { readonly = false } = {}) => openSqlite(file, { ...loaded, readonly }),
  };
}
