/** PGlite's one connection, which Lacre and the host program take in turn. */
import type { PostgresClient, PostgresServer } from "./postgres-dialect.ts";

/** A database of `@electric-sql/pglite`: `new PGlite()`. */
export interface PgliteDatabase {
  /** Where it is kept; nowhere when left out, and with `memory://`. */
  readonly dataDir?: string | undefined;
  transaction<T>(work: (transaction: PgliteTransaction) => Promise<T>): Promise<T | undefined>;
}

/** Its one connection, while somebody has it. */
export interface PgliteTransaction {
  query<Row>(text: string, values?: unknown[], options?: PgliteParsers): Promise<PgliteAnswer<Row>>;
  exec(text: string): Promise<PgliteAnswer<Record<string, unknown>>[]>;
}

/** How PGlite parses values, by the id of a type. */
export interface PgliteParsers {
  readonly parsers?: Record<number, (text: string) => unknown>;
}

/** What PGlite answers. */
export interface PgliteAnswer<Row> {
  readonly rows: Row[];
  readonly affectedRows?: number;
}

/** PGlite as a server with one connection, which Lacre and the host program take in turn. */
export function pgliteServer(db: PgliteDatabase): PostgresServer {
  return {
    writers: 1,
    isOne: true,
    client: () => taken(db),
    async close() {},
  };
}

/**
 * The connection, for this caller alone until it is released. A transaction of PGlite keeps all others from it: its own
 * is ended at once, as Lacre begins and ends those it needs.
 */
function taken(db: PgliteDatabase): Promise<PostgresClient> {
  return new Promise((resolve, reject) => {
    const held = db.transaction(async (connection) => {
      await connection.exec("commit");
      const isReleased = Promise.withResolvers<void>();
      resolve(clientOver(connection, isReleased.resolve));
      await isReleased.promise;
    });
    held.catch(reject);
  });
}

function clientOver(connection: PgliteTransaction, release: () => void): PostgresClient {
  const parsers = { 20: Number, 1700: Number }; // bigint and numeric
  return {
    async query(text, values) {
      const [first] = text.includes("; set local ") ? await connection.exec(text) : []; // of several it takes no values
      const { rows, affectedRows } = first ?? (await connection.query<object>(text, [...values], { parsers }));
      return { rows, rowCount: affectedRows ?? null };
    },
    // What is left of a transaction would be committed by whoever comes next.
    release: (isBroken) =>
      void (isBroken ? connection.exec("rollback").catch(() => {}) : Promise.resolve()).then(release),
  };
}
