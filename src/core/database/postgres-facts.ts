/** What a program reports about a database on a PostgreSQL server, and the lock under which it makes one. */
import { sql } from "kysely";
import { beginTransaction, databaseOf, type ExecutorDb, inTransaction, type LacreDialect } from "./executor.ts";
import { schemaState } from "./migrate.ts";
import type { SchemaState } from "./storage-error.ts";

/** The state of a database on a server. */
export interface PostgresFacts {
  readonly state: SchemaState;
  /** The version of the server, `15.20`. */
  readonly postgres: string;
  /** The latest migration; null if there is none. */
  readonly schema: string | null;
  /** The size of Lacre's tables and their indexes. */
  readonly bytes: number;
  readonly synchronous_commit: string;
}

/** Reads the state of a schema. Throws `StorageError` if the server cannot be reached or refuses the login. */
export async function postgresFacts(dialect: LacreDialect, schema: string): Promise<PostgresFacts> {
  const database = databaseOf(dialect);
  try {
    return await inTransaction(database, "snapshot", (db) => factsIn(db, schema));
  } finally {
    await database.connections.close();
  }
}

async function factsIn(db: ExecutorDb, schema: string): Promise<PostgresFacts> {
  const state = await schemaState(db);
  const { rows } = await sql<{ postgres: string; synchronous_commit: string; bytes: number }>`
    select current_setting('server_version') as postgres, current_setting('synchronous_commit') as synchronous_commit,
      coalesce(sum(pg_total_relation_size(oid)), 0)::bigint as bytes
    from pg_class where relnamespace = to_regnamespace(${schema}) and relkind = 'r'`.execute(db);
  const [{ postgres, synchronous_commit, bytes }] = rows as [(typeof rows)[0]];
  const isOurs = state !== "empty" && state !== "foreign";
  const last = isOurs ? await db.selectFrom("migrations").select("id").orderBy("id", "desc").executeTakeFirst() : null;
  const [version = postgres] = postgres.split(" "); // a distribution adds its own name
  return { state, postgres: version, schema: last?.id ?? null, bytes: Number(bytes), synchronous_commit };
}

/**
 * Held, together with a number for the schema's name, by whoever makes a database. Any number that no other program
 * uses will do.
 */
const MAKING_LOCK = 5_172_234;

/**
 * Runs work while no other program makes a database in this schema; returns undefined if one does. The lock belongs to
 * a transaction, so it ends with its connection, also behind a pooler.
 */
export async function whileMakingAlone<T>(
  dialect: LacreDialect,
  schema: string,
  work: () => Promise<T>,
): Promise<{ readonly made: T } | undefined> {
  const database = databaseOf(dialect);
  try {
    const transaction = await beginTransaction(database, "snapshot");
    try {
      const { rows } = await sql<{ held: boolean }>`
        select pg_try_advisory_xact_lock(${sql.lit(MAKING_LOCK)}, hashtext(${schema})) as held`.execute(transaction.db);
      return rows[0]?.held ? { made: await work() } : undefined;
    } finally {
      await transaction.rollback();
    }
  } finally {
    await database.connections.close();
  }
}
