/** Brings a database to the current schema: wholly or not at all, and once, even when two programs start together. */
import { hash } from "node:crypto";
import { type Kysely, sql, type Transaction } from "kysely";
import { initial } from "./migrations/0001-initial.ts";
import { StorageError } from "./storage-error.ts";
import type { Reader, Row, Tables } from "./tables.ts";

const CREATE_MIGRATIONS = `create table migrations (
  id text primary key,
  -- SHA-256 of the migration's text
  digest text not null,
  applied_at text not null
) strict`;

interface Migration {
  readonly id: string;
  readonly up: string;
}

/** In order. A released migration is never edited; a change is a new file. */
export const MIGRATIONS: readonly Migration[] = [initial];

/** The SHA-256 of each migration's text. A database stores it, so that one made by another text is recognised. */
const DIGESTS: ReadonlyMap<string, string> = new Map(MIGRATIONS.map(({ id, up }) => [id, hash("sha256", up)]));

/** How the schema of a database compares with the one this program knows. */
export type SchemaState = "empty" | "older" | "current" | "newer" | "other_text" | "foreign";

const SENTENCES: Record<Exclude<SchemaState, "current">, string> = {
  empty: "The database is empty.",
  older: "The database has an older schema.",
  newer: "The database was written by a newer Lacre; this one is too old to open it.",
  other_text: "The database was made by another build of Lacre, with another schema; open it with that build.",
  foreign: "The database holds tables that are not Lacre's.",
};

/** Reads the state of a database's schema. `foreign`: its tables are not Lacre's; `other_text`: a migration differs. */
export async function schemaState(db: Reader): Promise<SchemaState> {
  const tables = await tableNames(db);
  if (!tables.includes("migrations")) return tables.length > 0 ? "foreign" : "empty";
  const applied = await appliedMigrations(db);
  if (applied.some(({ id }) => !DIGESTS.has(id))) return "newer";
  if (applied.some(({ id, digest }) => digest !== DIGESTS.get(id))) return "other_text";
  return applied.length < MIGRATIONS.length ? "older" : "current";
}

/** Throws `StorageError` unless the schema is the one this program knows. Changes nothing. */
export async function mustBeCurrent(db: Reader): Promise<void> {
  const state = await schemaState(db);
  if (state !== "current") throw new StorageError("unusable", SENTENCES[state]);
}

/**
 * Applies the missing migrations inside one transaction, which is also the lock between processes, and returns their
 * ids. `begin` then writes the first rows of a database that was empty. Throws `StorageError` when the schema is newer
 * than this program, was made by another text, or is not Lacre's.
 */
export async function migrate(
  db: Kysely<Tables>,
  now: Date,
  begin: (db: Transaction<Tables>, now: Date) => Promise<void>,
): Promise<readonly string[]> {
  return db.transaction().execute(async (trx) => {
    const state = await schemaState(trx);
    if (state === "current") return [];
    if (state !== "empty" && state !== "older") throw new StorageError("unusable", SENTENCES[state]);
    if (state === "empty") {
      await sql.raw(CREATE_MIGRATIONS).execute(trx);
    }
    const applied = await appliedMigrations(trx);
    const missing = MIGRATIONS.filter(({ id }) => !applied.some((row) => row.id === id));
    for (const { id, up } of missing) {
      await trx
        .insertInto("migrations")
        .values({ id, digest: DIGESTS.get(id) as string, applied_at: now.toISOString() })
        .execute();
      for (const statement of statementsOf(up)) await sql.raw(statement).execute(trx);
    }
    if (state === "empty") await begin(trx, now);
    return missing.map(({ id }) => id);
  });
}

/**
 * Splits a migration into statements: a table ends with `) strict;`, an index at the end of its line, a trigger with
 * `end;` on its own line. Migrations are our own text, so this convention is enough.
 */
function statementsOf(script: string): string[] {
  return script
    .split(/(?<=^(?:\) strict(?:, without rowid)?;|create (?:(?:unique )?index|virtual table) .*;|end;)$)/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== "");
}

/** Selects all columns, so that a database from before there were digests is recognised rather than a failed query. */
async function appliedMigrations(db: Reader): Promise<Row<"migrations">[]> {
  return db.selectFrom("migrations").selectAll().orderBy("id").execute();
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
