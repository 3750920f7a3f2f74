/** A part of a transaction that can be rolled back alone. */
import type { Executor, ExecutorDb } from "./executor.ts";
import { StorageError } from "./storage-error.ts";

/**
 * Runs parts of a command concurrently and waits for all of them, even when one fails: a statement that a part began
 * later would belong to the next command of the transaction. Of several errors it throws the first in order, but a
 * storage error before any refusal.
 */
export async function sideBySide<Parts extends readonly unknown[] | []>(
  parts: Parts,
): Promise<{ -readonly [I in keyof Parts]: Awaited<Parts[I]> }> {
  const ended = await Promise.allSettled(parts);
  const errors = ended.flatMap((one) => (one.status === "rejected" ? [one.reason as unknown] : []));
  if (errors.length > 0) throw errors.find((error) => error instanceof StorageError) ?? errors[0];
  return ended.map((one) => (one as PromiseFulfilledResult<unknown>).value) as never;
}

/**
 * Runs `work` within a transaction. If it throws, only its changes are rolled back. Throws `StorageError` if that
 * fails: then the whole transaction must be rolled back.
 */
export async function inSavepoint<T>({ executor }: ExecutorDb, work: () => Promise<T>): Promise<T> {
  await executor.savepoint("begin");
  try {
    const value = await work();
    await executor.savepoint("keep");
    return value;
  } catch (error) {
    if (!(error instanceof StorageError)) await undo(executor);
    throw error;
  }
}

/** Fails when SQLite has already rolled back the whole transaction, as it does when memory runs out. */
async function undo(executor: Executor): Promise<void> {
  try {
    await executor.savepoint("undo");
    await executor.savepoint("keep");
  } catch (error) {
    if (error instanceof StorageError) throw error;
    throw new StorageError("unusable", `The failed part could not be undone alone: ${String(error)}`, error);
  }
}
