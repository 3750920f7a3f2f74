/** A part of a transaction that can be rolled back alone. */
import { CompiledQuery, type Transaction } from "kysely";
import { StorageError } from "./storage-error.ts";
import type { Tables } from "./tables.ts";

const BEGIN = CompiledQuery.raw("savepoint command");
const UNDO = CompiledQuery.raw("rollback to command");
const END = CompiledQuery.raw("release command");

/**
 * Runs `work` within a transaction. When it throws, its changes alone are rolled back. Throws `StorageError` when that
 * fails: then the whole transaction must be rolled back.
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

/** Fails when SQLite has already rolled back the whole transaction, as it does when memory runs out. */
async function undo(db: Transaction<Tables>): Promise<void> {
  try {
    await db.executeQuery(UNDO);
    await db.executeQuery(END);
  } catch (error) {
    throw new StorageError("unusable", `The failed part could not be undone alone: ${String(error)}`, error);
  }
}
