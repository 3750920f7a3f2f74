/** `lacre/pglite`: PostgreSQL inside this process, as PGlite has it, for tests and trials. The host installs it. */

import type { LacreDialect } from "./executor.ts";
import { type PgliteDatabase, pgliteServer } from "./pglite-server.ts";
import { type PostgresOptions, postgresDialect } from "./postgres-dialect.ts";

export type { PgliteAnswer, PgliteDatabase, PgliteParsers, PgliteTransaction } from "./pglite-server.ts";
export { StorageError } from "./storage-error.ts";

/** Where in the database Lacre's tables are. */
export type PgliteOptions = Pick<PostgresOptions, "schema">;

const NO_PGLITE = "pglite() takes a database of @electric-sql/pglite: new PGlite().";
const KEPT =
  "PGlite writes a directory without fsync, so that a power cut could take acknowledged documents: pglite() is for a " +
  "database in memory, new PGlite(). For one that is kept there are lacre/postgres and lacre/sqlite.";

/**
 * A database of PGlite in memory that the host program made, and ends itself after Lacre: for tests and trials. Throws
 * TypeError for what is none, and for one in a directory, which could lose an acknowledged document.
 */
export function pglite(db: PgliteDatabase, options: PgliteOptions = {}): LacreDialect {
  if (typeof db?.transaction !== "function") throw new TypeError(NO_PGLITE);
  if (db.dataDir !== undefined && !db.dataDir.startsWith("memory://")) throw new TypeError(KEPT);
  return postgresDialect(() => pgliteServer(db), options);
}
