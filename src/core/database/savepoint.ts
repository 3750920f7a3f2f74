/** A part of a transaction that can be undone by itself. */
import { CompiledQuery, type Transaction } from "kysely";
import { StorageError } from "./storage-error.ts";
import type { Tables } from "./tables.ts";

const BEGIN = CompiledQuery.raw("savepoint command");
const UNDO = CompiledQuery.raw("rollback to command");
const END = CompiledQuery.raw("release command");

/** Works within a transaction, and undoes what was done there, and no more, when the work throws. */
export async function inSavepoint<T>(db: Transaction<Tables>, work: () => Promise<T>): Promise<T> {
  await db.executeQuery(BEGIN);
  try {
    const value = await work();
    await db.executeQuery(END);
    return value;
  } catch (error) {
    // After trouble with the storage SQLite may have rolled back everything by itself.
    if (!(error instanceof StorageError)) {
      await db.executeQuery(UNDO);
      await db.executeQuery(END);
    }
    throw error;
  }
}
