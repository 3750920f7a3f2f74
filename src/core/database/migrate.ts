/** Brings a database to the current schema: all of it or nothing, once, also when two programs start together. */
import { type Kysely, sql } from "kysely";
import { createInstallation } from "../installation.ts";
import { initial } from "./migrations/0001-initial.ts";
import { StorageError } from "./storage-error.ts";
import type { Tables } from "./tables.ts";

export interface MigrationsTable {
  id: string;
  applied_at: string;
}

interface Migration {
  readonly id: string;
  readonly up: string;
}

/** In order. A released migration is never edited; a change is a new file. */
export const MIGRATIONS: readonly Migration[] = [initial];

/** What a database holds, against what this program knows. */
export type SchemaState = "empty" | "older" | "current" | "newer" | "foreign";

/** Tells how a database stands without changing it. `foreign`: there are tables, but not ours. */
export async function schemaState(db: Pick<Kysely<Tables>, "selectFrom">): Promise<SchemaState> {
  const applied = await appliedMigrations(db);
  if (applied === undefined) return (await hasAnyTable(db)) ? "foreign" : "empty";
  const known = MIGRATIONS.map(({ id }) => id);
  if (applied.some((id) => !known.includes(id))) return "newer";
  return applied.length < known.length ? "older" : "current";
}

/**
 * Applies what is missing inside one transaction, which is also the lock between processes. Refuses a schema
 * that is newer than this program, and a file that is not Lacre's. Returns the ids applied now.
 */
export async function migrate(db: Kysely<Tables>, now: Date): Promise<readonly string[]> {
  return db.transaction().execute(async (trx) => {
    const state = await schemaState(trx);
    if (state === "newer") {
      throw new StorageError("unusable", "The database was written by a newer Lacre; this one is too old to open it.");
    }
    if (state === "foreign") throw new StorageError("unusable", "The database holds tables that are not Lacre's.");
    if (state === "current") return [];
    if (state === "empty") {
      await sql`create table migrations (id text primary key, applied_at text not null) strict`.execute(trx);
    }
    const applied = (await appliedMigrations(trx)) ?? [];
    const missing = MIGRATIONS.filter(({ id }) => !applied.includes(id));
    for (const { id, up } of missing) {
      await trx.insertInto("migrations").values({ id, applied_at: now.toISOString() }).execute();
      for (const statement of statementsOf(up)) await sql.raw(statement).execute(trx);
    }
    if (state === "empty") await createInstallation(trx, now);
    return missing.map(({ id }) => id);
  });
}

/**
 * Splits a migration into statements: a statement ends with a semicolon at the end of a line, a trigger with
 * `end;` on its own line. Migrations are our own text, so this convention is enough.
 */
function statementsOf(script: string): string[] {
  return script
    .split(/(?<=^(?:\) strict(?:, without rowid)?;|create (?:unique )?index .*;|end;)$)/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== "");
}

async function appliedMigrations(db: Pick<Kysely<Tables>, "selectFrom">): Promise<string[] | undefined> {
  if (!(await hasTable(db, "migrations"))) return undefined;
  const rows = await db.selectFrom("migrations").select("id").orderBy("id").execute();
  return rows.map(({ id }) => id);
}

async function hasTable(db: Pick<Kysely<Tables>, "selectFrom">, name: string): Promise<boolean> {
  const rows = await schemaNames(db);
  return rows.includes(name);
}

async function hasAnyTable(db: Pick<Kysely<Tables>, "selectFrom">): Promise<boolean> {
  return (await schemaNames(db)).length > 0;
}

async function schemaNames(db: Pick<Kysely<Tables>, "selectFrom">): Promise<string[]> {
  const rows = await db
    .selectFrom(sql<{ name: string }>`sqlite_schema`.as("objects"))
    .select("objects.name")
    .where(sql`type`, "=", "table")
    .where("objects.name", "not like", "sqlite_%")
    .execute();
  return rows.map(({ name }) => name);
}
