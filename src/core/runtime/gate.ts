/**
 * The write gate: commands that wait share one transaction and so one flush to the disk, each in a savepoint of its own.
 * Whoever passes is answered after the commit. Where the line no longer moves, newcomers are refused at once. Only
 * run.ts knows of it.
 */
import type { Kysely, Transaction } from "kysely";
import { inSavepoint } from "../database/savepoint.ts";
import { StorageError } from "../database/storage-error.ts";
import type { Tables } from "../database/tables.ts";
import { LacreError } from "./errors.ts";
import { giveWay, type MonotonicClock, nextTurn } from "./ports.ts";
import type { StorageGuard } from "./storage-guard.ts";

/** The most commands in one transaction: a bound on how long the first of them waits for the last. */
const MOST_TOGETHER = 64;
/** Commands in a row before reads and newcomers have their turn; a transaction stays open meanwhile. */
const IN_A_ROW = 4;
/** Milliseconds the others may then have: about as long as the commands took. */
const OTHERS_MS = 4;

/** Once the first in line has waited for so long, in milliseconds, newcomers are refused at once. */
const LONG_WAIT_MS = 10_000;
/** Who has waited for so long is refused in turn: whoever asked has given up by then, or is about to ask again. */
const LONGEST_WAIT_MS = 30_000;
/** When a refused one may try again. */
const RETRY_AFTER_S = 10;

interface Waiting {
  /** When it came, by the monotonic clock. */
  readonly since_ms: number;
  readonly work: (db: Transaction<Tables>) => Promise<unknown>;
  readonly alone: boolean;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Runs work in a transaction, in the order in which it came. What it throws is undone and reaches its caller alone;
 * trouble with the storage is everybody's who shares the transaction. Work that waits for the world goes `alone`.
 * Refuses with `unavailable` what would wait, or has waited, for too long: nothing of it was done.
 */
export type Gate = <T>(work: (db: Transaction<Tables>) => Promise<T>, alone: boolean) => Promise<T>;

export interface GateOptions {
  readonly db: Kysely<Tables>;
  readonly clock: MonotonicClock;
  readonly storage: Pick<StorageGuard, "mustBeWritable" | "mustBeThere" | "noteTrouble">;
}

/** Makes the gate of a database. */
export function createGate(options: GateOptions): Gate {
  const { clock } = options;
  const waiting: Waiting[] = [];
  let isOpen = false;

  /** Whether the first in line has waited for longer than this. */
  function isLineLate(ms: number): boolean {
    const [first] = waiting;
    return first !== undefined && clock() - first.since_ms > ms;
  }

  async function letThrough(): Promise<void> {
    isOpen = true;
    // What came in within this turn of the event loop goes together; nobody is waited for.
    await nextTurn();
    while (waiting.length > 0) {
      await passTogether(nextGroup(waiting), options);
      while (isLineLate(LONGEST_WAIT_MS)) waiting.shift()?.reject(tooManyWaiting());
      if (waiting.length > 0) await giveWay(OTHERS_MS);
    }
    isOpen = false;
  }

  return <T>(work: (db: Transaction<Tables>) => Promise<T>, alone: boolean) =>
    new Promise<T>((resolve, reject) => {
      if (isLineLate(LONG_WAIT_MS)) throw tooManyWaiting();
      waiting.push({ work, alone, since_ms: clock(), resolve: resolve as Waiting["resolve"], reject });
      if (!isOpen) void letThrough();
    });
}

function tooManyWaiting(): LacreError {
  const message = "Too many changes are waiting; this one was not made. Retry with the same Idempotency-Key.";
  return new LacreError("unavailable", message, RETRY_AFTER_S);
}

/** The first that waits, and those behind it as far as they may share its transaction. */
function nextGroup(waiting: Waiting[]): Waiting[] {
  const stop = waiting.findIndex(({ alone }) => alone);
  return waiting.splice(0, stop === 0 ? 1 : stop === -1 ? MOST_TOGETHER : Math.min(stop, MOST_TOGETHER));
}

/** One transaction. Every caller hears of its own command once the commit is through, or that it failed for all. */
async function passTogether(group: readonly Waiting[], { db, storage }: GateOptions): Promise<void> {
  try {
    storage.mustBeWritable();
    const transaction = await db.startTransaction().execute();
    const outcomes: Outcome[] = [];
    try {
      for (const one of group) {
        outcomes.push(await (group.length === 1 ? pass : passSaved)(transaction, one));
        const isLast = outcomes.length === group.length; // the commit is all that is left to do
        if (outcomes.length % IN_A_ROW === 0 && !isLast) await giveWay(OTHERS_MS);
      }
      const nobodyPassed = outcomes.every(({ passed }) => !passed);
      await (nobodyPassed ? transaction.rollback() : transaction.commit()).execute();
    } catch (error) {
      await transaction.rollback().execute();
      throw error;
    }
    storage.mustBeThere(); // after the commit, before any caller is told of it
    for (const { tell } of outcomes) tell();
  } catch (error) {
    if (error instanceof StorageError) storage.noteTrouble(error);
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
