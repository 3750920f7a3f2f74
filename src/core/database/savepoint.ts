/** A part of a transaction that can be undone by itself. */
import { CompiledQuery, type Transaction } from "kysely";
import { StorageError } from "./storage-error.ts";
import type { Tables } from "./tables.ts";

const BEGIN = CompiledQuery.raw("savepoint command");
const UNDO = CompiledQuery.raw("rollback to command");
const END = CompiledQuery.raw("release command");

/**
 * Works within a transaction, and undoes what was done there, and no more, when the work throws. Throws `StorageError`
 * when that cannot be done: then nothing of the transaction may stay.
 */
export async function inSavepoint<T>(db: Transaction<Tables>, work: () => Promise<T>): Promise<T> {
  await db.executeQuery(BEGIN);
  try {
    const value = await work();
    await db.executeQuery(END);
    return value;
  } catch (error) {
    if (!(error instanceof StorageError)) await undo(db);
    throw error;
  }
}

/** Where SQLite has rolled back everything by itself, as when memory runs out, what others did here is gone, too. */
async function undo(db: Transaction<Tables>): Promise<void> {
  try {
    await db.executeQuery(UNDO);
    await db.executeQuery(END);
  } catch (error) {
    throw new StorageError("unusable", `What failed could not be undone by itself: ${String(error)}`, error);
  }
}
