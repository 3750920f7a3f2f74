/**
 * `lacre/sqlite`: the default driver. The only file that loads better-sqlite3, at its first use, as it may not be
 * installed.
 */
import { createRequire } from "node:module";
import type BetterSqlite3 from "better-sqlite3";
import type { LacreDialect } from "./executor.ts";
import { type FileOptions, type OpenSqlite, openChecked, type SqliteFile, sqliteDialect } from "./sqlite-dialect.ts";
import { StorageError } from "./storage-error.ts";

export type { LacreDialect } from "./executor.ts";
export type { FileOptions, SqliteFile } from "./sqlite-dialect.ts";
export { StorageError } from "./storage-error.ts";

/** How to load better-sqlite3 and use its file. */
export interface SqliteOptions extends FileOptions {
  /** The loaded native addon, for a host that carries it itself (the executable does). */
  readonly nativeBinding?: object | undefined;
}

/**
 * A database over better-sqlite3, in a file that is created at the first use, or in memory with `:memory:`. The file
 * must be on a local disk: write-ahead logging needs shared memory. Where it cannot be used, `openLacre` throws
 * `StorageError`.
 *
 * ```ts
 * import { openLacre } from "lacre";
 * import { sqlite } from "lacre/sqlite";
 *
 * const lacre = await openLacre({ dialect: sqlite("lacre.db") });
 * await lacre.companies.list(); // => []
 * await lacre.close();
 * ```
 */
export function sqlite(file: string, options: SqliteOptions = {}): LacreDialect {
  return sqliteDialect(opener(options), file, "better-sqlite3", options);
}

/** One bare connection to a file, with Lacre's settings; for backups. The caller closes it. Throws `StorageError`. */
export function openSqlite(file: string, options: SqliteOptions & { readonly readonly?: boolean } = {}): SqliteFile {
  return openChecked(opener(options), file, options.readonly ?? false);
}

/** Defined if a build carries better-sqlite3 inside. */
declare const LACRE_CARRIES_SQLITE: true | undefined;

let loaded: typeof BetterSqlite3 | undefined;

/**
 * The library. Throws `StorageError`, in words, if it is not installed. A bundle in CommonJS knows no URL of itself.
 */
function betterSqlite3(): typeof BetterSqlite3 {
  try {
    loaded ??=
      typeof LACRE_CARRIES_SQLITE === "undefined"
        ? (createRequire(import.meta.url ?? __filename)("better-sqlite3") as typeof BetterSqlite3)
        : (require("better-sqlite3") as typeof BetterSqlite3);
    return loaded;
  } catch (error) {
    if ((error as { readonly code?: unknown }).code !== "MODULE_NOT_FOUND") throw error;
    throw new StorageError("unusable", NOT_INSTALLED, error);
  }
}

const NOT_INSTALLED =
  "lacre/sqlite needs better-sqlite3, which is not installed: npm install better-sqlite3. Or open the file with " +
  "nodeSqlite(file) of lacre/node-sqlite, which needs nothing.";

function opener({ nativeBinding }: SqliteOptions): OpenSqlite {
  return (file, { readonly }) => {
    // better-sqlite3 13 crashes the process on a runtime with an older Node-API; this says so instead.
    if (Number(process.versions.napi) < 10) {
      throw new StorageError("unusable", `Node ${process.versions.node} is too old: Lacre needs Node 22.16 or newer.`);
    }
    // The type wants a path, but a loaded addon is what better-sqlite3 takes from a host that carries it itself.
    const binding = nativeBinding as unknown as string | undefined;
    const Database = betterSqlite3();
    const database = new Database(file, {
      readonly,
      fileMustExist: readonly,
      ...(binding && { nativeBinding: binding }),
    });
    return {
      prepare: (sql) => database.prepare(sql),
      exec: (sql) => void database.exec(sql),
      backup: async (destination) => void (await database.backup(destination)),
      close: () => void database.close(),
    };
  };
}
