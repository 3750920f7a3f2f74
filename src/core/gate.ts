/**
 * The write gate: commands that wait share one transaction and so one flush to the disk, each in a savepoint of its own.
 * Whoever passes is answered after the commit. Only run.ts knows of it.
 */
import type { Kysely, Transaction } from "kysely";
import { inSavepoint } from "./database/savepoint.ts";
import { StorageError } from "./database/storage-error.ts";
import type { Tables } from "./database/tables.ts";
import { nextTurn } from "./ports.ts";

/** The most commands in one transaction: a bound on how long the first of them waits for the last. */
const MOST_TOGETHER = 64;

interface Waiting {
  readonly work: (db: Transaction<Tables>) => Promise<unknown>;
  readonly alone: boolean;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Runs work in a transaction, in the order in which it came. What it throws is undone and reaches its caller alone;
 * trouble with the storage is everybody's who shares the transaction. Work that waits for the world goes `alone`.
 */
export type Gate = <T>(work: (db: Transaction<Tables>) => Promise<T>, alone: boolean) => Promise<T>;

/** `onTrouble` hears of trouble with the storage before the next transaction begins. */
export function createGate(db: Kysely<Tables>, onTrouble: (error: StorageError) => void): Gate {
  const waiting: Waiting[] = [];
  let isOpen = false;

  async function letThrough(): Promise<void> {
    isOpen = true;
    // What came in within this turn of the event loop goes together; nobody is waited for.
    await nextTurn();
    while (waiting.length > 0) await passTogether(db, nextGroup(waiting), onTrouble);
    isOpen = false;
  }

  return <T>(work: (db: Transaction<Tables>) => Promise<T>, alone: boolean) =>
    new Promise<T>((resolve, reject) => {
      waiting.push({ work, alone, resolve: resolve as Waiting["resolve"], reject });
      if (!isOpen) void letThrough();
    });
}

/** The first that waits, and those behind it as far as they may share its transaction. */
function nextGroup(waiting: Waiting[]): Waiting[] {
  const stop = waiting.findIndex(({ alone }) => alone);
  return waiting.splice(0, stop === 0 ? 1 : stop === -1 ? MOST_TOGETHER : Math.min(stop, MOST_TOGETHER));
}

/** One transaction. Every caller hears of its own command once the commit is through, or that it failed for all. */
async function passTogether(
  db: Kysely<Tables>,
  group: readonly Waiting[],
  onTrouble: (error: StorageError) => void,
): Promise<void> {
  try {
    const transaction = await db.startTransaction().execute();
    const outcomes: Outcome[] = [];
    try {
      for (const one of group) outcomes.push(await (group.length === 1 ? pass : passSaved)(transaction, one));
      const nobodyPassed = outcomes.every(({ passed }) => !passed);
      await (nobodyPassed ? transaction.rollback() : transaction.commit()).execute();
    } catch (error) {
      await transaction.rollback().execute();
      throw error;
    }
    for (const { tell } of outcomes) tell();
  } catch (error) {
    if (error instanceof StorageError) onTrouble(error);
    for (const { reject } of group) reject(error);
  }
}

/** How a command fared, and how its caller will hear of it. */
interface Outcome {
  readonly passed: boolean;
  readonly tell: () => void;
}

/** Alone in its transaction, which ends with it. */
async function pass(transaction: Transaction<Tables>, { work, resolve }: Waiting): Promise<Outcome> {
  const value = await work(transaction);
  return { passed: true, tell: () => resolve(value) };
}

/** Beside others: what it throws undoes its own work and no one else's. */
async function passSaved(transaction: Transaction<Tables>, one: Waiting): Promise<Outcome> {
  try {
    return await inSavepoint(transaction, () => pass(transaction, one));
  } catch (error) {
    if (error instanceof StorageError) throw error;
    return { passed: false, tell: () => one.reject(error) };
  }
}
