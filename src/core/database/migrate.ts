/** Brings a database to the current schema: all of it or nothing, once, also when two programs start together. */
import { type Kysely, sql } from "kysely";
import { createInstallation } from "../installation.ts";
import { initial } from "./migrations/0001-initial.ts";
import { StorageError } from "./storage-error.ts";
import type { Tables } from "./tables.ts";

type Reader = Pick<Kysely<Tables>, "selectFrom">;

interface Migration {
  readonly id: string;
  readonly up: string;
}

/** In order. A released migration is never edited; a change is a new file. */
export const MIGRATIONS: readonly Migration[] = [initial];

/** What a database holds, against what this program knows. */
export type SchemaState = "empty" | "older" | "current" | "newer" | "foreign";

/** What the states that stop a program mean. */
const SENTENCES: Record<Exclude<SchemaState, "current">, string> = {
  empty: "The database is empty.",
  older: "The database has an older schema.",
  newer: "The database was written by a newer Lacre; this one is too old to open it.",
  foreign: "The database holds tables that are not Lacre's.",
};

/** Tells how a database stands without changing it. `foreign`: there are tables, but not ours. */
export async function schemaState(db: Reader): Promise<SchemaState> {
  const tables = await tableNames(db);
  if (!tables.includes("migrations")) return tables.length > 0 ? "foreign" : "empty";
  const applied = await appliedMigrations(db);
  const known = MIGRATIONS.map(({ id }) => id);
  if (applied.some((id) => !known.includes(id))) return "newer";
  return applied.length < known.length ? "older" : "current";
}

/** Throws `StorageError` unless the schema is the one this program knows. Changes nothing. */
export async function mustBeCurrent(db: Reader): Promise<void> {
  const state = await schemaState(db);
  if (state !== "current") throw new StorageError("unusable", SENTENCES[state]);
}

/**
 * Applies what is missing inside one transaction, which is also the lock between processes. Refuses a schema
 * that is newer than this program, and a file that is not Lacre's. Returns the ids applied now.
 */
export async function migrate(db: Kysely<Tables>, now: Date): Promise<readonly string[]> {
  return db.transaction().execute(async (trx) => {
    const state = await schemaState(trx);
    if (state === "current") return [];
    if (state === "newer" || state === "foreign") throw new StorageError("unusable", SENTENCES[state]);
    if (state === "empty") {
      await sql`create table migrations (id text primary key, applied_at text not null) strict`.execute(trx);
    }
    const applied = await appliedMigrations(trx);
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
    .split(/(?<=^(?:\) strict(?:, without rowid)?;|create (?:(?:unique )?index|virtual table) .*;|end;)$)/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== "");
}

async function appliedMigrations(db: Reader): Promise<string[]> {
  const rows = await db.selectFrom("migrations").select("id").orderBy("id").execute();
  return rows.map(({ id }) => id);
}

async function tableNames(db: Reader): Promise<string[]> {
  const rows = await db
    .selectFrom(sql<{ name: string }>`sqlite_schema`.as("objects"))
    .select("objects.name")
    .where(sql`type`, "=", "table")
    .where("objects.name", "not like", "sqlite_%")
    .execute();
  return rows.map(({ name }) => name);
}
