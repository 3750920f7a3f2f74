/**
 * Brings a database to the current schema: completely or not at all, and once, even when two programs start together.
 */
import { hash } from "node:crypto";
import { sql, type Transaction } from "kysely";
import type { Text } from "../texts/texts.ts";
import { digestOfTables, faultOf } from "./catalogue.ts";
import { type Database, type ExecutorDb, executorOf, inTransaction } from "./executor.ts";
import { MIGRATIONS } from "./migrations/index.ts";
import { type Migration, statementsIn } from "./migrations/migration.ts";
import { type SchemaState, STORAGE, StorageError, unusable } from "./storage-error.ts";
import type { Reader, Row, Tables } from "./tables.ts";

/** The SHA-256 of each migration's statements. A database stores it, so that a schema made by others is recognised. */
function digests(): ReadonlyMap<string, string> {
  known ??= new Map(MIGRATIONS.map((migration) => [migration.id, digestOf(migration)]));
  return known;
}
let known: ReadonlyMap<string, string> | undefined;

/** The same on both engines, as an archive moves between them. */
function digestOf({ sqlite, postgres }: Migration): string {
  const bare = (name: string) => name;
  return hash("sha256", JSON.stringify([sqlite(bare), postgres(bare)]));
}

const UNUSABLE = {
  empty: STORAGE.schema_is_empty,
  older: STORAGE.schema_is_older,
  newer: STORAGE.schema_is_newer,
  other_text: STORAGE.schema_is_other,
} satisfies Record<Exclude<SchemaState, "current" | "foreign">, Text>;

/** Reads the state of a database's schema. `foreign`: its tables are not Lacre's; `other_text`: a migration differs. */
export async function schemaState(db: Reader): Promise<SchemaState> {
  if ((await foreignTables(db)).length > 0) return "foreign";
  if ((await executorOf(db).engine.columnsOf(db, "migrations")).length === 0) return "empty";
  return stateAfter(await appliedMigrations(db));
}

/** A migration that made a schema: its id, and the digest of its text. */
export type Applied = Pick<Row<"migrations">, "id" | "digest">;

/** How a schema made by these migrations compares with the one this program knows. */
export function stateAfter(applied: readonly Applied[]): Exclude<SchemaState, "empty" | "foreign"> {
  if (applied.some(({ id }) => !digests().has(id))) return "newer";
  const isBegun = applied.some(({ id }) => id === MIGRATIONS[0]?.id);
  if (!isBegun || applied.some(({ id, digest }) => digest !== digests().get(id))) return "other_text";
  return applied.length < MIGRATIONS.length ? "older" : "current";
}

/** Throws `StorageError` unless the schema is the one this program knows. Changes nothing. */
export async function mustBeCurrent(db: Reader): Promise<void> {
  const state = await schemaState(db);
  if (state !== "current") throw await unusableAs(db, state);
}

/**
 * Throws `StorageError` if the database belongs to another program. Asked over a read-only connection, before the
 * writer's opens, which switches the file to WAL mode. A file that cannot be read this way is left to the writer.
 */
export async function mustNotBeForeign(reader: Reader): Promise<void> {
  const state = await schemaState(reader).catch((error) => {
    if (error instanceof StorageError && (error.trouble === "unusable" || error.trouble === "busy")) return "empty";
    throw error;
  });
  if (state === "foreign") throw await unusableAs(reader, state);
}

/** The error for an unusable database. It names up to three tables of another program. */
async function unusableAs(db: Reader, state: Exclude<SchemaState, "current">): Promise<StorageError> {
  if (state !== "foreign") return unusable(UNUSABLE[state], state);
  const tables = await foreignTables(db);
  const count = tables.length - 3;
  const others = count > 0 ? STORAGE.and_others({ count }) : "";
  return unusable(STORAGE.schema_is_foreign({ tables: tables.slice(0, 3).join(", "), others }), state);
}

/**
 * Applies the missing migrations inside one transaction, which is also the lock between processes, and returns their
 * ids. `begin` then writes the first rows of an empty database. Throws `StorageError` when the schema is newer than
 * this program, was made from another text, or is not Lacre's.
 */
export async function migrate(
  database: Database,
  now: Date,
  begin: (db: Transaction<Tables>) => Promise<void>,
): Promise<readonly string[]> {
  const { engine } = database;
  return inTransaction(database, "write", async (trx) => {
    await engine.lockSchema(trx);
    const state = await schemaState(trx);
    if (state === "current") return [];
    if (state !== "empty" && state !== "older") throw await unusableAs(trx, state);
    const missing = await applyMissing(trx, now, state === "empty" ? [] : await appliedMigrations(trx));
    if (state === "empty") await begin(trx);
    return missing;
  });
}

/** Applies the migrations that a database lacks, and returns their ids. */
export async function applyMissing(
  trx: ExecutorDb,
  now: Date,
  applied: readonly Pick<Applied, "id">[],
): Promise<readonly string[]> {
  const missing = MIGRATIONS.filter(({ id }) => !applied.some((row) => row.id === id));
  for (const migration of missing) {
    await run(trx, statementsIn(trx.engine.stepsOf(migration)));
    await noteApplied(trx, migration.id, now);
  }
  return missing.map(({ id }) => id);
}

/** Makes the schema in an empty database, and notes nothing. */
export async function applyAll(trx: ExecutorDb): Promise<void> {
  for (const migration of MIGRATIONS) await run(trx, statementsIn(trx.engine.stepsOf(migration)));
}

async function run(trx: ExecutorDb, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(trx);
}

function noteApplied(trx: ExecutorDb, id: string, now: Date): Promise<unknown> {
  const row = { id, digest: digests().get(id) as string, applied_at: now.toISOString() };
  return trx.insertInto("migrations").values(row).execute();
}

/**
 * Makes the schema as these migrations leave it, in an empty database, around rows that were stored elsewhere: tables,
 * then the rows with `store`, then indexes and triggers, as an index is built faster over existing rows and a guard
 * would refuse them. Does not check the ids: call `stateAfter` first.
 */
export async function makeAround(
  trx: ExecutorDb,
  ids: readonly string[],
  now: Date,
  store: () => Promise<void>,
): Promise<void> {
  const { engine } = trx;
  const steps = MIGRATIONS.filter(({ id }) => ids.includes(id)).map(engine.stepsOf);
  for (const { tables } of steps) await run(trx, tables);
  for (const id of ids) await noteApplied(trx, id, now);
  await engine.beginStoring(trx);
  await store();
  for (const { guards } of steps) await run(trx, guards);
  await engine.settleStored(trx);
}

/** Selects all columns, so that a database from before there were digests is recognised rather than a failed query. */
export async function appliedMigrations(db: Reader): Promise<Row<"migrations">[]> {
  return db.selectFrom("migrations").selectAll().orderBy("id").execute();
}

/**
 * The first difference between the schema and the one that the migrations make: a thing that is missing or changed, or
 * that somebody added to one of Lacre's tables. Tables of a host program are not a fault.
 */
export async function faultOfSchema(db: Reader): Promise<string | null> {
  const { engine } = executorOf(db);
  const found = await engine.thingsOf(db);
  if (engine.dueDigest && engine.dueDigest === digestOfTables(found, engine.tables)) return null;
  return faultOf(found, await engine.due());
}

/**
 * The tables and views, by name, that stand among Lacre's own but that no migration makes; those without the prefix are
 * the host's.
 */
export async function otherTables(db: Reader): Promise<string[]> {
  const { engine } = executorOf(db);
  return (await engine.tablesOf(db)).filter((name) => !engine.tables.has(name));
}

/** The tables and views of a database that is not Lacre's, by name; none if it is Lacre's, or empty. */
async function foreignTables(db: Reader): Promise<string[]> {
  const { engine } = executorOf(db);
  // Many programs have a table `migrations` or `documents`; with these columns they are Lacre's, of any build.
  const isOurs = (await engine.columnsOf(db, "migrations")).includes("applied_at");
  if (isOurs && (await engine.columnsOf(db, "documents")).includes("doc_type")) return [];
  return engine.tablesOf(db);
}
