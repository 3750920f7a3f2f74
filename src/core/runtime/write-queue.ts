/**
 * The write queue: waiting commands, each in a savepoint of its own, share one transaction and one flush to the disk.
 * A command is answered after the commit. While the queue does not move, new commands are refused at once. Only run.ts
 * uses it.
 */
import { inSavepoint } from "../database/savepoint.ts";
import { beginTransaction, type Database, type SessionDb } from "../database/session.ts";
import { StorageError } from "../database/storage-error.ts";
import { LacreError, problem } from "./errors.ts";
import { type MonotonicClock, nextTurn, yieldToOthers } from "./ports.ts";
import type { StorageGuard } from "./storage-guard.ts";

/** Commands in a row before reads and new connections get a turn; the transaction stays open meanwhile. */
const IN_A_ROW = 4;
/** The longest such turn in milliseconds: about as long as the commands took. */
const OTHERS_MS = 4;

/** While the first in the queue has waited this long, in milliseconds, new commands are refused at once. */
const REFUSE_AFTER_MS = 10_000;
/** Anything that has waited this long, in milliseconds, is refused: its caller has probably given up. */
const EXPIRE_AFTER_MS = 30_000;
/** Seconds after which a refused command may be retried. */
const RETRY_AFTER_S = 10;

interface Waiting {
  /** When it joined the queue, by the monotonic clock. */
  readonly since_ms: number;
  readonly work: (db: SessionDb) => Promise<unknown>;
  readonly alone: boolean;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Runs work in a transaction, first come first served. Work that throws is undone, and only its caller gets the error;
 * trouble with the storage fails all work in the transaction. Work that may wait for a remote signer runs `alone`.
 * Work that would wait or has waited too long is refused (`unavailable`) and was not done.
 */
export type WriteQueue = <T>(work: (db: SessionDb) => Promise<T>, place: Place) => Promise<T>;

/** Where in the queue a command stands. */
export interface Place {
  readonly company_id: string;
  readonly alone: boolean;
}

export interface WriteQueueOptions {
  readonly database: Database;
  readonly monotonic: MonotonicClock;
  readonly storage: Pick<StorageGuard, "mustBeWritable" | "mustBeThere" | "noteTrouble">;
}

/** Makes the write queue of a database: one lane, or one for each company where companies write side by side. */
export function createWriteQueue(options: WriteQueueOptions): WriteQueue {
  const { laneOf } = options.database.engine;
  const lanes = new Map<string, Lane>();

  return (work, { company_id, alone }) => {
    const name = laneOf(company_id);
    let lane = lanes.get(name);
    if (!lane) {
      lane = createLane(options, () => lanes.delete(name));
      lanes.set(name, lane);
    }
    return lane(work, alone);
  };
}

type Lane = <T>(work: (db: SessionDb) => Promise<T>, alone: boolean) => Promise<T>;

/** Makes a lane. It calls `onEmpty` when nothing waits in it any more. */
function createLane(options: WriteQueueOptions, onEmpty: () => void): Lane {
  const { database, monotonic } = options;
  const waiting: Waiting[] = [];
  let isRunning = false;

  /** Whether the first in the queue has waited longer than this. */
  function isQueueLate(ms: number): boolean {
    const [first] = waiting;
    return first !== undefined && monotonic() - first.since_ms > ms;
  }

  async function runAll(): Promise<void> {
    isRunning = true;
    // Whatever arrived in this turn of the event loop shares a transaction; nothing else is waited for.
    await nextTurn();
    while (waiting.length > 0) {
      await runGroup(nextGroup(waiting, database.engine.mostTogether), options);
      while (isQueueLate(EXPIRE_AFTER_MS)) waiting.shift()?.reject(tooManyWaiting());
      if (waiting.length > 0) await yieldToOthers(OTHERS_MS);
    }
    isRunning = false;
    onEmpty();
  }

  return <T>(work: (db: SessionDb) => Promise<T>, alone: boolean) =>
    new Promise<T>((resolve, reject) => {
      if (isQueueLate(REFUSE_AFTER_MS)) throw tooManyWaiting();
      waiting.push({ work, alone, since_ms: monotonic(), resolve: resolve as Waiting["resolve"], reject });
      if (!isRunning) void runAll();
    });
}

function tooManyWaiting(): LacreError {
  return new LacreError("unavailable", [problem("", "too_many_waiting")], RETRY_AFTER_S);
}

/** The first in the queue, and those behind it that may share its transaction. */
function nextGroup(waiting: Waiting[], most: number): Waiting[] {
  const stop = waiting.findIndex(({ alone }) => alone);
  return waiting.splice(0, stop === 0 ? 1 : stop === -1 ? most : Math.min(stop, most));
}

/** How often a transaction is tried that a server ended because it and another waited for each other. */
const ATTEMPTS = 5;

/** Runs one transaction. After the commit each caller gets its own outcome; if the transaction fails, all fail. */
async function runGroup(group: readonly Waiting[], options: WriteQueueOptions, attempt = 1): Promise<void> {
  const { database, storage } = options;
  try {
    storage.mustBeWritable();
    const transaction = await beginTransaction(database, "write");
    const outcomes: Outcome[] = [];
    try {
      for (const one of group) {
        outcomes.push(await (group.length === 1 ? runAlone : runSaved)(transaction.db, one));
        const isLast = outcomes.length === group.length; // only the commit is left
        if (outcomes.length % IN_A_ROW === 0 && !isLast) await yieldToOthers(OTHERS_MS);
      }
      const allFailed = outcomes.every(({ succeeded }) => !succeeded);
      await (allFailed ? transaction.rollback() : transaction.commit());
    } catch (error) {
      await transaction.rollback();
      throw error;
    }
    storage.mustBeThere(); // after the commit, before any caller is told of it
    for (const { tell } of outcomes) tell();
  } catch (error) {
    if (error instanceof StorageError) {
      if (error.trouble === "deadlock" && attempt < ATTEMPTS) return runGroup(group, options, attempt + 1);
      storage.noteTrouble(error);
    }
    for (const { reject } of group) reject(error);
  }
}

/** Whether a command succeeded, and the call that tells its caller. */
interface Outcome {
  readonly succeeded: boolean;
  readonly tell: () => void;
}

/** Runs a command that has its transaction to itself. */
async function runAlone(db: SessionDb, { work, resolve }: Waiting): Promise<Outcome> {
  const value = await work(db);
  return { succeeded: true, tell: () => resolve(value) };
}

/** Runs a command in a savepoint: if it throws, only its own work is undone. */
async function runSaved(db: SessionDb, one: Waiting): Promise<Outcome> {
  try {
    return await inSavepoint(db, () => runAlone(db, one));
  } catch (error) {
    if (error instanceof StorageError) throw error;
    return { succeeded: false, tell: () => one.reject(error) };
  }
}
