/** One connection of `pg`, whoever's pool it is from: what it must be, and how statements run on it. */
import type { PostgresAnswer, PostgresClient } from "./postgres-dialect.ts";
import type { Listening, ListeningClient } from "./postgres-news.ts";
import { TYPES } from "./postgres-types.ts";
import { STORAGE, StorageError, unusable } from "./storage-error.ts";

/** A client of a pool of `pg`, while somebody has it. */
export interface PgPoolClient {
  query(query: object): Promise<unknown>;
  /** Gives it back to its pool; a broken one is closed. */
  release(isBroken?: boolean): void;
  on(event: "error", listener: (error: Error) => void): unknown;
  removeListener(event: "error", listener: (error: Error) => void): unknown;
}

/** What clients of `pg` have beside it, and those of others may lack. */
interface Details {
  /** The server's process, as it said when the connection was made. */
  readonly processID?: number | null;
  /** `I` where no transaction is under way. */
  getTransactionStatus?(): string | null;
}

/** The clients of one server. */
export interface Clients {
  /**
   * Checks a connection at its first use, and gives it as the dialect takes it. `isShared`: it is the host program's at
   * other times. Closes it if the check fails, and throws `StorageError` if the server could lose an acknowledged
   * document.
   */
  over(client: PgPoolClient, isShared?: boolean): Promise<PostgresClient>;
}

/**
 * Makes the clients of a server. If a server on another timeline answers later, it may lack documents: unless the
 * options say that it `losesNothing`, that counts as broken storage.
 */
export function createClients(losesNothing: boolean): Clients {
  let first: string | null = null;
  const mustBeTheSame = (timeline: string | null) => {
    first ??= timeline;
    if (losesNothing || timeline === null || timeline === first) return;
    throw new StorageError("broken", "another server has taken over, which may lack the latest documents");
  };
  return {
    async over(client, isShared = false) {
      const release = heldOf(client);
      try {
        if (!SAFE.has(client)) {
          await mustBeSafe(client, isShared);
          mustBeTheSame(await timelineOf(client));
        }
      } catch (error) {
        release(true); // a connection that is not returned occupies the pool for ever
        throw error;
      }
      SAFE.add(client);
      return clientOver(client, isShared, release);
    },
  };
}

/** The same function, but each call waits for the one before. */
export function inOrder<Given extends readonly unknown[]>(
  query: (...given: Given) => Promise<unknown>,
): (...given: Given) => Promise<unknown> {
  let last: Promise<unknown> = Promise.resolve();
  return (...given) => {
    const next = () => query(...given);
    last = last.then(next, next);
    return last;
  };
}

/** What runs gets the error of a lost connection itself; without a listener it would also end the program. */
export const unheard = (): void => {};

/** Holds a connection of a pool, whose errors end nothing meanwhile. Returns how it is given back. */
function heldOf(client: PgPoolClient): (isBroken?: boolean) => void {
  client.on("error", unheard);
  return (isBroken) => {
    client.release(isBroken); // from here on the pool listens
    client.removeListener("error", unheard);
  };
}

function clientOver(client: PgPoolClient, isShared: boolean, release: (isBroken?: boolean) => void): PostgresClient {
  const ask = (query: object) => client.query(query);
  const run = isShared ? inOrder(ask) : ask; // the host program's own may refuse a second one meanwhile
  return {
    pid: pidOf(client),
    isShared,
    query: (text, values, name) =>
      run({
        text,
        values: [...values],
        ...(name === "" ? { queryMode: "extended" } : name !== undefined && { name }),
        types: TYPES,
      }) as Promise<PostgresAnswer>,
    release,
  };
}

/**
 * A connection that only listens, which `end` ends or gives back. Undefined behind a pooler: it may give each
 * transaction another process, so that what one listens to is lost. Throws, and ends it, if it is lost meanwhile. It
 * keeps no program running.
 */
export async function listeningOn(
  client: ListeningClient & Details & { unref?(): void },
  end: () => void | Promise<void>,
): Promise<Listening | undefined> {
  client.on("error", unheard);
  const ended = async () => {
    try {
      await end();
    } catch {} // it was lost before
    client.removeListener("error", unheard);
  };
  client.unref?.();
  try {
    const [row] = await rowsOf<{ pid: string }>(client, "select pg_backend_pid()::text as pid");
    if (Number(row?.pid) === client.processID) return { client, end: ended };
  } catch (error) {
    await ended();
    throw error;
  }
  await ended();
  return undefined;
}

/** Whether a transaction is under way on it, as far as it tells. */
export function isInTransaction(client: PgPoolClient & Details): boolean {
  return (client.getTransactionStatus?.() ?? "I") !== "I";
}

/** Connections whose settings were checked. */
const SAFE = new WeakSet<object>();
/** The processes that serve connections, where known and no pooler stands between. */
const PIDS = new WeakMap<object, number>();
const OLDEST_SERVER = 130_000;

/** The process that serves a checked connection; undefined behind a pooler. */
export const pidOf = (client: object): number | undefined => PIDS.get(client);

async function rowsOf<Row>(client: Pick<PgPoolClient, "query">, text: string): Promise<Row[]> {
  return ((await client.query({ text, types: TYPES })) as { readonly rows: Row[] }).rows;
}

/** The timeline of a server; null on a standby, and on a service that hides it. */
async function timelineOf(client: PgPoolClient): Promise<string | null> {
  const sql = "select substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) as timeline";
  return rowsOf<{ timeline: string }>(client, sql).then(
    ([row]) => row?.timeline ?? null,
    () => null,
  );
}

/** Checks the settings that an acknowledged invoice depends on: an ignored one must prevent the start. */
async function mustBeSafe(client: PgPoolClient & Details, isShared: boolean): Promise<void> {
  const rows = await rowsOf<Record<string, string>>(
    client,
    `select current_setting('server_version_num') as version, current_setting('synchronous_commit') as synchronous_commit,
      current_setting('fsync') as fsync, current_setting('full_page_writes') as full_page_writes,
      current_setting('server_encoding') as encoding, pg_backend_pid()::text as pid`,
  );
  const [{ version, synchronous_commit, fsync, full_page_writes, encoding, pid }] = rows as [Record<string, string>];
  // A pooler reports a number of its own, and gives each transaction another process.
  if (Number(pid) === client.processID) PIDS.set(client, Number(pid));
  if (Number(version) < OLDEST_SERVER) throw unusable(STORAGE.server_is_old);
  // What the host program has on its own connections, each transaction of Lacre sets for itself.
  if (synchronous_commit === "off" && !isShared) throw unusable(STORAGE.server_loses_commits);
  if (fsync === "off" || full_page_writes === "off") throw unusable(STORAGE.server_loses_pages);
  if (encoding !== "UTF8") throw unusable(STORAGE.server_encodes({ encoding: String(encoding) }));
}
