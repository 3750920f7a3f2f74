/** The SQLite driver of this program. */
import { nodeSqlite, openNodeSqlite } from "../../core/database/node-sqlite.ts";
import { type FileOptions, openSqlite, type SqliteFile, sqlite } from "../../core/database/sqlite.ts";
import type { LacreDialect } from "../../core/index.ts";
import { type NativeSqlite, nativeSqlite } from "../native.ts";

/** The functions that open databases. */
export interface Driver {
  /** `better-sqlite3`, or `node:sqlite` if no directory can hold the executable's library. */
  readonly name: string;
  dialect(file: string, options?: FileOptions): LacreDialect;
  /** A bare connection; the caller closes it. */
  connect(file: string, options?: { readonly readonly?: boolean }): SqliteFile;
}

/** The driver, SQLite's version, the schema and the connection settings, read from one connection. */
export function connectionFacts(file: string) {
  const { name, connect } = driver();
  const connection = connect(file);
  try {
    const [facts] = connection.prepare(FACTS).all([]) as [{ readonly sqlite: string; readonly schema: string }];
    return { driver: name, ...facts };
  } finally {
    connection.close();
  }
}

const FACTS = `select sqlite_version() as sqlite, (select max(id) from migrations) as schema, journal_mode, synchronous
  from pragma_journal_mode, pragma_synchronous`;

/** Copies the database at this path, as it is at this moment, to a new file, even while others write to it. */
export async function copyDatabase(source: string, draft: string): Promise<void> {
  const connection = driver().connect(source);
  try {
    // Inside a read transaction; otherwise each commit of the server would restart the copy.
    connection.exec("begin");
    connection.prepare("select count(*) from sqlite_schema").all([]);
    await connection.backup(draft);
    connection.exec("commit");
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
