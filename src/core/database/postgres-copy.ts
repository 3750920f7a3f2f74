/** A copy of a PostgreSQL database with an older schema, brought up to date, for work that only looks. */
import { sql } from "kysely";
import { catalogueOf } from "./catalogue.ts";
import type { Engine } from "./engine.ts";
import {
  beginTransaction,
  type ConnectionSource,
  databaseInside,
  databaseOf,
  type ExecutorDb,
  executorOf,
} from "./executor.ts";
import { appliedMigrations, applyMissing, makeAround } from "./migrate.ts";
import { postgresEngine, quoted } from "./postgres-engine.ts";

/**
 * Lends work an up-to-date copy of the older database in a schema. It is made of temporary tables, from one snapshot,
 * in a transaction that is undone at the end; the original is read, and nobody waits for it. Needs the right to make
 * temporary tables. `verify` compares the schema of the original with the one that the older migrations make.
 */
export async function whileCopied<Dialect extends ConnectionSource, T>(
  dialect: Dialect,
  schema: string,
  now: Date,
  work: (copy: Dialect) => Promise<T>,
): Promise<T> {
  const database = databaseOf(dialect);
  try {
    const place = await dialect.engine.placeOf(database.loose); // outside: a server that does not tell it ends a transaction
    const transaction = await beginTransaction(database, "write");
    try {
      const engine = { ...(await copied(transaction.db, schema, now)), placeOf: async () => place };
      const { connections } = databaseInside(engine, transaction.db.executor);
      return await work({ ...dialect, engine, connect: () => connections });
    } finally {
      await transaction.rollback();
    }
  } finally {
    await database.connections.close();
  }
}

/** Makes the copy, and returns the engine that finds it. */
async function copied(original: ExecutorDb, schema: string, now: Date): Promise<Engine> {
  await sql`set transaction isolation level repeatable read`.execute(original);
  const ids = (await appliedMigrations(original)).map(({ id }) => id);
  const things = await original.engine.thingsOf(original);
  const tables = await original.engine.tablesOf(original);
  const temporary = await temporarySchema(original);
  const engine: Engine = {
    ...postgresEngine(temporary),
    stepsOf: ({ postgres }) => postgres((name) => `${quoted(temporary)}.${name}`, "temporary"),
  };
  const copy = executorOf(databaseInside(engine, original.executor).loose);
  await makeAround(copy, ids, now, async () => {
    for (const name of await madeIn(copy)) {
      if (name === "migrations") continue; // they are noted as they are applied
      await sql`insert into ${sql.table(name)} select * from ${sql.id(schema, name)}`.execute(copy);
    }
  });
  const due = catalogueOf(await engine.thingsOf(copy));
  await applyMissing(
    copy,
    now,
    ids.map((id) => ({ id })),
  );
  return { ...engine, thingsOf: () => things, tablesOf: async () => tables, due: async () => due };
}

/** The name of this session's schema for temporary tables, which the first of them makes. */
async function temporarySchema(db: ExecutorDb): Promise<string> {
  await sql`create temporary table lacre_first ()`.execute(db);
  await sql`drop table pg_temp.lacre_first`.execute(db);
  const { rows } = await sql<{ name: string }>`
    select nspname::text as name from pg_namespace where oid = pg_my_temp_schema()`.execute(db);
  return String(rows[0]?.name);
}

/** The tables of the copy in the order in which they were made: each after those that it refers to. */
async function madeIn(db: ExecutorDb): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select relname::text as name from pg_class
    where relnamespace = pg_my_temp_schema() and relkind = 'r' order by oid`.execute(db);
  return rows.map(({ name }) => name);
}
