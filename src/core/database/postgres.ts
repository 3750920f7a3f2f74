/** `lacre/postgres`: PostgreSQL by `pg`, which the host installs. */

import type { LacreDialect } from "./executor.ts";
import { type PostgresOptions, postgresDialect } from "./postgres-dialect.ts";
import { connectionsOf, type PgPool, serverOf } from "./postgres-pool.ts";
import { serverAt } from "./postgres-server.ts";

export type { PgPoolClient } from "./postgres-client.ts";
export type { PostgresOptions } from "./postgres-dialect.ts";
export type { PgPool } from "./postgres-pool.ts";
export { StorageError } from "./storage-error.ts";

/** How to reach the server, and where in it Lacre's tables are. */
export interface PostgresConnectionOptions extends PostgresOptions {
  /**
   * The most connections of this process. By an address: half for changes, half for reading, 10 when left out, and
   * `lacre.transaction` has half as many beside them. Of a pool of yours: for everything, fewer than it has, half of
   * them when left out; with 1 or 2 a single one serves all, in turn.
   */
  readonly connections?: number;
}

const DEFAULT_CONNECTIONS = 10;

/**
 * A database on a PostgreSQL server: at an address such as `postgres://lacre:secret@db.local/shop`, or by a pool of
 * yours, `new pg.Pool(…)` or one like it, which Lacre never ends and always leaves a connection to. Any number of
 * processes may use one database. If it cannot be used, `openLacre` throws `StorageError`; TypeError is thrown for what
 * is neither address nor pool, and for a pool that is too small.
 */
export function postgres(server: string | PgPool, options: PostgresConnectionOptions = {}): LacreDialect {
  const { connections, failover } = options;
  const losesNothing = failover === "synchronous";
  if (typeof server === "string") {
    return postgresDialect(() => serverAt(server, connections ?? DEFAULT_CONNECTIONS, losesNothing), options);
  }
  const most = connectionsOf(server, connections);
  return postgresDialect(() => serverOf(server, most, losesNothing), options);
}
