/** Connections to a PostgreSQL server. The one file that imports `pg`. */
import pg from "pg";
import type { PostgresAnswer, PostgresClient, PostgresServer, Use } from "./postgres-dialect.ts";
import { TYPES } from "./postgres-types.ts";
import { STORAGE, StorageError, unusable } from "./storage-error.ts";

/** How long a server may take to accept a connection, in milliseconds. */
const CONNECT_MS = 5_000;
/** An unused connection is closed after this long, in milliseconds. */
const IDLE_MS = 30_000;

/**
 * A server by its address, with at most this many connections: half for changes, half for reading; and half as many
 * again while the host program has transactions. If a server on another timeline answers later, it may lack documents:
 * unless the options say that it `losesNothing`, that counts as broken storage.
 */
export function serverAt(connectionString: string, connections: number, losesNothing = false): PostgresServer {
  let first: string | null = null;
  const mustBeTheSame = (timeline: string | null) => {
    first ??= timeline;
    if (losesNothing || timeline === null || timeline === first) return;
    throw new StorageError("broken", "another server has taken over, which may lack the latest documents");
  };
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
    made.on("connect", (client) => void client.on("error", () => {})); // the statement running on it gets the error itself
    return made;
  };
  const pools: Readonly<Record<Use, pg.Pool>> = { write: pool(), snapshot: pool(), hosted: pool() };
  return {
    writers,
    async client(use) {
      const client = await pools[use].connect();
      try {
        if (!SAFE.has(client)) {
          await mustBeSafe(client);
          mustBeTheSame(await timelineOf(client));
        }
      } catch (error) {
        client.release(true); // a connection that is not returned occupies the pool for ever
        throw error;
      }
      SAFE.add(client);
      return clientOver(client);
    },
    async close() {
      await Promise.all(Object.values(pools).map((each) => each.end()));
    },
  };
}

function clientOver(client: pg.PoolClient): PostgresClient {
  return {
    pid: PIDS.get(client),
    query: (text, values, name) =>
      client.query({
        text,
        values: [...values],
        ...(name === "" ? { queryMode: "extended" } : name !== undefined && { name }),
        types: TYPES as pg.CustomTypesConfig,
      }) as Promise<PostgresAnswer>,
    release: (broken) => client.release(broken),
  };
}

/** Connections whose settings were checked. */
const SAFE = new WeakSet<object>();
/** The processes that serve connections, where known and no pooler stands between. */
const PIDS = new WeakMap<object, number>();
const OLDEST_SERVER = 130_000;

/** The timeline of a server; null on a standby, and on a service that hides it. */
async function timelineOf(client: pg.PoolClient): Promise<string | null> {
  const sql = "select substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) as timeline";
  return client.query<{ timeline: string }>(sql).then(
    ({ rows }) => rows[0]?.timeline ?? null,
    () => null,
  );
}

/** Checks the settings that an acknowledged invoice depends on: an ignored one must prevent the start. */
async function mustBeSafe(client: pg.PoolClient): Promise<void> {
  const { rows } = await client.query<Record<string, string>>(
    `select current_setting('server_version_num') as version, current_setting('synchronous_commit') as synchronous_commit,
      current_setting('fsync') as fsync, current_setting('full_page_writes') as full_page_writes,
      current_setting('server_encoding') as encoding, pg_backend_pid()::text as pid`,
  );
  const [{ version, synchronous_commit, fsync, full_page_writes, encoding, pid }] = rows as [Record<string, string>];
  // A pooler reports a number of its own, and gives each transaction another process.
  if (Number(pid) === (client as { readonly processID?: number }).processID) PIDS.set(client, Number(pid));
  if (Number(version) < OLDEST_SERVER) throw unusable(STORAGE.server_is_old);
  if (synchronous_commit === "off") throw unusable(STORAGE.server_loses_commits);
  if (fsync === "off" || full_page_writes === "off") throw unusable(STORAGE.server_loses_pages);
  if (encoding !== "UTF8") throw unusable(STORAGE.server_encodes({ encoding: String(encoding) }));
}
