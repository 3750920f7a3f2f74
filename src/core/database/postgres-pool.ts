/** Connections of a pool that the host program made, and goes on using and ends itself. */
import { type Clients, createClients, isInTransaction, listeningOn, type PgPoolClient } from "./postgres-client.ts";
import type { PostgresClient, PostgresServer, Use } from "./postgres-dialect.ts";
import type { ListeningClient } from "./postgres-news.ts";
import { StorageError } from "./storage-error.ts";

/** A pool of the host program's: one of `pg`, or one like it. */
export interface PgPool {
  connect(): Promise<PgPoolClient>;
  /** Its settings; `max` is the most connections it makes. */
  readonly options?: { readonly max?: number };
}

/** Taken when this module loads, as in runtime/ports.ts: a test's fake timers must not stop it. */
const { setTimeout, clearTimeout } = globalThis;

/** How long, in milliseconds, a caller waits for a connection of the pool. */
const WAIT_MS = 5_000;
/** With fewer connections than this, one serves every use. */
const MIN_APART = 3;
/** With as many as this, one listens to other programs. */
const MIN_LISTENING = 4;
/** So many dirty connections in a row are closed before it is an error. */
const MAX_DIRTY = 3;

const NO_POOL =
  "postgres() takes the address of a server as text, such as postgres://lacre@db.local/shop, or a pool of pg: " +
  "new pg.Pool(…). For a transaction on a client of yours there is lacre.within(client).";

const NO_SIZE =
  "This pool does not tell how many connections it makes (options.max): say by `connections` how many Lacre may use.";

const TOO_SMALL =
  "This pool makes a single connection, and Lacre never takes the last one of a pool: give it a max of 2 or more.";

const DIRTY = "The pool gives connections with a transaction under way: end each transaction before release().";

const ENDED = "The pool was ended: close Lacre before its pool.";

const tooMany = (most: number) =>
  `connections is a whole number from 1 to ${most}: of a pool of yours Lacre leaves at least one connection to you.`;

/**
 * How many connections of a pool Lacre may use: as many as were asked for, else half of them, but three where the pool
 * has four. Throws TypeError, in words, for what is no pool, and where none would be left for the host program.
 */
export function connectionsOf(pool: PgPool, asked: number | undefined): number {
  if (typeof pool !== "object" || pool === null) throw new TypeError(NO_POOL);
  if (typeof pool.connect !== "function" || "escapeIdentifier" in pool) throw new TypeError(NO_POOL); // a client has both
  const max = pool.options?.max;
  if (max === undefined && asked === undefined) throw new TypeError(NO_SIZE);
  if (max !== undefined && max < 2) throw new TypeError(TOO_SMALL);
  const most = max === undefined ? Number.MAX_SAFE_INTEGER : max - 1;
  const connections = asked ?? Math.min(most, Math.max(MIN_APART, (most + 1) >> 1));
  if (!Number.isInteger(connections) || connections < 1 || connections > most) throw new TypeError(tooMany(most));
  return connections;
}

/** The places of each use. A caller waits for those of its own use alone, unless one place serves all. */
function placesOf(connections: number): Readonly<Record<Use, Places>> {
  if (connections < MIN_APART) {
    const one = createPlaces(1);
    return { write: one, snapshot: one, hosted: one };
  }
  const hosted = Math.max(1, connections >> 2);
  const write = (connections - hosted + 1) >> 1;
  return {
    hosted: createPlaces(hosted),
    write: createPlaces(write),
    snapshot: createPlaces(connections - hosted - write),
  };
}

/**
 * A server by a pool of the host program's, of which Lacre holds at most so many connections at once. What a connection
 * needs is set with each statement or transaction, so that it comes back as it was. `losesNothing` is as
 * `createClients` takes it.
 */
export function serverOf(pool: PgPool, connections: number, losesNothing = false): PostgresServer {
  const clients = createClients(losesNothing);
  const listens = connections >= MIN_LISTENING;
  const places = placesOf(listens ? connections - 1 : connections);
  return {
    writers: places.write.count,
    isOne: connections < MIN_APART,
    async client(use) {
      const { take, leave } = places[use];
      await take();
      try {
        const client = await clientOf(pool, clients);
        const release = (isBroken: boolean) => {
          client.release(isBroken);
          leave();
        };
        // A single connection can cancel nothing: it would wait for the transaction that runs on it.
        return { ...client, release, pid: connections < MIN_APART ? undefined : client.pid };
      } catch (error) {
        leave();
        throw error;
      }
    },
    async listener() {
      if (!listens) return undefined;
      const client = (await connected(pool)) as PgPoolClient & ListeningClient;
      return listeningOn(client, () => client.release(true)); // what listened must leave nothing on the connection
    },
    async close() {}, // each connection went back when its transaction ended
  };
}

async function clientOf(pool: PgPool, clients: Clients): Promise<PostgresClient> {
  for (let dirty = 0; dirty < MAX_DIRTY; dirty++) {
    const client = await connected(pool);
    if (!isInTransaction(client)) return clients.over(client, true);
    client.release(true); // Lacre's commit would commit what the host program left behind
  }
  throw new StorageError("unusable", DIRTY);
}

/** A connection of the pool. Whoever waits too long gives up; what comes then goes back. */
function connected(pool: PgPool): Promise<PgPoolClient> {
  return new Promise((resolve, reject) => {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      reject(noneFree());
    }, WAIT_MS);
    pool.connect().then(
      (client) => {
        clearTimeout(timer);
        if (isLate) client.release();
        else resolve(client);
      },
      (error: Error) => {
        clearTimeout(timer);
        reject(error.message.startsWith("Cannot use a pool") ? new StorageError("unusable", ENDED, error) : error);
      },
    );
  });
}

const noneFree = () => new StorageError("busy", `no connection of the pool was free for ${WAIT_MS / 1_000} seconds`);

/** Places that callers take, and leave to those who wait, in order. */
interface Places {
  readonly count: number;
  /** Resolves once a place is free; rejects with `StorageError` after five seconds. */
  take(): Promise<void>;
  leave(): void;
}

function createPlaces(count: number): Places {
  const waiting = new Set<() => void>();
  let free = count;
  return {
    count,
    take: () =>
      new Promise((resolve, reject) => {
        if (free > 0) {
          free--;
          return resolve();
        }
        const go = () => {
          clearTimeout(timer);
          waiting.delete(go);
          resolve();
        };
        const timer = setTimeout(() => {
          waiting.delete(go);
          reject(noneFree());
        }, WAIT_MS);
        waiting.add(go);
      }),
    leave() {
      const [next] = waiting;
      if (next) next();
      else free++;
    },
  };
}
