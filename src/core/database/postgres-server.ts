/** Connections of Lacre's own to a PostgreSQL server. The one file that imports `pg`. */
import pg from "pg";
import { createClients, listeningOn, unheard } from "./postgres-client.ts";
import type { PostgresServer, Use } from "./postgres-dialect.ts";

/** How long a server may take to accept a connection, in milliseconds. */
const CONNECT_MS = 5_000;
/** An unused connection is closed after this long, in milliseconds. */
const IDLE_MS = 30_000;

/**
 * A server by its address, with at most this many connections: half for changes, half for reading; and half as many
 * again while the host program has transactions. `losesNothing` is as `createClients` takes it.
 */
export function serverAt(connectionString: string, connections: number, losesNothing = false): PostgresServer {
  const clients = createClients(losesNothing);
  const writers = Math.max(1, connections >> 1);
  const pool = () => {
    const made = new pg.Pool({
      connectionString,
      max: writers,
      pipeline: true,
      application_name: "lacre",
      connectionTimeoutMillis: CONNECT_MS,
      idleTimeoutMillis: IDLE_MS,
    } as pg.PoolConfig);
    made.on("error", () => {}); // an idle connection that was lost is replaced at the next use
    return made;
  };
  const pools: Readonly<Record<Use, pg.Pool>> = { write: pool(), snapshot: pool(), hosted: pool() };
  return {
    writers,
    client: async (use) => clients.over(await pools[use].connect()),
    async listener() {
      const client = new pg.Client({
        connectionString,
        application_name: "lacre",
        connectionTimeoutMillis: CONNECT_MS,
        keepAlive: true,
      });
      client.on("error", unheard); // whoever listens hears that it ended
      await client.connect();
      return listeningOn(client, () => client.end());
    },
    async close() {
      await Promise.all(Object.values(pools).map((each) => each.end()));
    },
  };
}
