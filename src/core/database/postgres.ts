/** `lacre/postgres`: PostgreSQL by `pg`, which the host installs. */

import type { LacreDialect } from "./executor.ts";
import { type PostgresOptions, postgresDialect } from "./postgres-dialect.ts";
import { serverAt } from "./postgres-server.ts";

export type { PostgresOptions } from "./postgres-dialect.ts";
export { StorageError } from "./storage-error.ts";

/** How to reach the server, and where in it Lacre's tables are. */
export interface PostgresConnectionOptions extends PostgresOptions {
  /**
   * The most connections of this process: half for changes, half for reading; 10 when left out. `lacre.transaction` has
   * half as many beside them.
   */
  readonly connections?: number;
}

const DEFAULT_CONNECTIONS = 10;

const NO_ADDRESS =
  "postgres() takes the address of a server as text, such as postgres://lacre@db.local/shop. It opens connections of its " +
  "own: a pool cannot be shared. For a transaction on a client of yours there is lacre.within(client).";

/**
 * A database on a PostgreSQL server, at an address such as `postgres://lacre:secret@db.local/shop`. Any number of
 * processes may use one. If it cannot be used, `openLacre` throws `StorageError`; an address that is not a text is a
 * TypeError.
 */
export function postgres(url: string, options: PostgresConnectionOptions = {}): LacreDialect {
  if (typeof url !== "string") throw new TypeError(NO_ADDRESS);
  const { connections = DEFAULT_CONNECTIONS, failover } = options;
  return postgresDialect(() => serverAt(url, connections, failover === "synchronous"), options);
}
