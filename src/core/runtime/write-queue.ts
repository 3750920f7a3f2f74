/**
 * The write queue: waiting commands, each in a savepoint of its own, share one transaction and one flush to the disk. A
 * command is answered after the commit. While the queue does not move, new commands are refused at once. The host
 * program's transactions wait in the same queue. Only run.ts and open.ts use it.
 */
import type { Holder } from "../database/engine.ts";
import { beginTransaction, type Database, type ExecutorDb, type OpenTransaction } from "../database/executor.ts";
import { inSavepoint } from "../database/savepoint.ts";
import { StorageError } from "../database/storage-error.ts";
import type { Reader } from "../database/tables.ts";
import type { Text } from "../texts/texts.ts";
import { LacreError, problem } from "./errors.ts";
import { type Hosted, hostTransactionsOn, WAITS_FOR_ITSELF } from "./host-transactions.ts";
import { createPatience, PATIENT_MS, type Patience, type Try } from "./patience.ts";
import { type MonotonicClock, nextTurn, systemTimer, yieldToOthers } from "./ports.ts";
import { common } from "./refusals.ts";
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
/**
 * Work that has waited this long behind another's lock, in milliseconds, is refused: one more try could end too late.
 */
const HELD_FOR_MS = REFUSE_AFTER_MS - PATIENT_MS;
/** After this part of its patience the queue asks who holds the lock that a transaction waits for. */
const ASK_AFTER = 1 / 4;
/** How long, in milliseconds, a command that locks every company waits for each, and how long it then rests. */
const EACH_MS = 50;
const REST_MS = 200;
/** How often, in milliseconds, the queue looks at the waiting calls while the host program has its transaction. */
const LOOK_MS = 250;
/** How long undoing a transaction that ran out of time may take, in milliseconds. */
const UNDO_MS = 1_000;

interface Waiting {
  /** When it joined the queue, by the monotonic clock. */
  readonly since_ms: number;
  readonly locks: LockScope;
  /** The host program's transactions in which it was called. */
  readonly inside: readonly Hosted[];
  readonly work: (db: ExecutorDb) => Promise<unknown>;
  /** How long the work of a host program may take, in milliseconds; undefined for a command. */
  readonly most_ms?: number;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Runs work in a transaction, first come first served. Work that throws is undone, and only its caller gets the error;
 * trouble with the storage fails all work in the transaction. Work that may wait for a remote signer runs `alone`. Work
 * that would wait or has waited too long is refused (`unavailable`) and was not done; work that waits for the
 * transaction in which it was called is refused with TypeError.
 */
export type InTurn = <T>(work: (db: ExecutorDb) => Promise<T>, locks: LockScope) => Promise<T>;

export interface WriteQueue {
  readonly inTurn: InTurn;
  /**
   * Runs work of the host program, once, in a transaction that holds its company. If it takes longer than `most_ms`
   * milliseconds, it is undone and refused (`unavailable`).
   */
  hosted<T>(work: (db: ExecutorDb) => Promise<T>, company_id: string, most_ms: number): Promise<T>;
}

/** What a command locks: its company, or every one; and whether it has its transaction to itself. */
export interface LockScope {
  readonly company_id: string;
  readonly alone: boolean;
  /** It locks every company. */
  readonly isBroad: boolean;
}

export interface WriteQueueOptions {
  readonly database: Database;
  /** The connection on which the queue asks who holds a lock; never one that waits itself. */
  readonly reader: Reader;
  readonly monotonic: MonotonicClock;
  readonly storage: Pick<StorageGuard, "mustBeWritable" | "mustBeThere" | "noteTrouble" | "noteCommit">;
  /** How often to try a transaction that a server ended because it and another waited for each other. */
  readonly attempts?: number;
}

/** Makes the write queue of a database: one lane, or one for each company where companies write side by side. */
export function createWriteQueue(options: WriteQueueOptions): WriteQueue {
  const { database, monotonic } = options;
  const { laneOf } = database.engine;
  const lanes = new Map<string, Lane>();
  const patience = createPatience(database.connections.writers, () => lanes.size <= 1);

  function join<T>(work: (db: ExecutorDb) => Promise<T>, locks: LockScope, most_ms?: number): Promise<T> {
    const name = laneOf(locks.company_id);
    const inside = hostTransactionsOn(database);
    const own = inside.flatMap(({ company_id }) => company_id ?? []);
    if (own.some((company_id) => laneOf(company_id) === name || locks.isBroad || most_ms !== undefined)) {
      return Promise.reject(new TypeError(WAITS_FOR_ITSELF));
    }
    let lane = lanes.get(name);
    if (!lane) {
      lane = createLane(options, patience, () => lanes.delete(name));
      lanes.set(name, lane);
    }
    const join = lane;
    return new Promise<T>((resolve, reject) => {
      const since_ms = monotonic();
      const limit = most_ms !== undefined && { most_ms };
      join({ work, locks, inside, since_ms, resolve: resolve as Waiting["resolve"], reject, ...limit });
    });
  }

  return {
    inTurn: join,
    hosted: (work, company_id, most_ms) => join(work, { company_id, alone: true, isBroad: false }, most_ms),
  };
}

type Lane = (one: Waiting) => void;

/** Called with the holder of the lock that a transaction waits for. */
type Note = (holder: Holder | undefined) => void;

/** Makes a lane. It calls `onEmpty` when nothing waits in it any more. */
function createLane(options: WriteQueueOptions, patience: Patience, onEmpty: () => void): Lane {
  const { database, monotonic } = options;
  const waiting: Waiting[] = [];
  let isRunning = false;

  const waitedBy = (one: Waiting) => monotonic() - one.since_ms;

  /** Whether the first in the queue has waited longer than this. */
  function isQueueLate(ms: number): boolean {
    const [first] = waiting;
    return first !== undefined && waitedBy(first) > ms;
  }

  /**
   * Refuses work that has waited too long for another's transaction, and at once work that waits for its own caller's.
   */
  function refuseHeld(holder: Holder | undefined, most_ms: number): void {
    for (const one of [...waiting]) {
      const isItself = waitsForItself(one, holder, database);
      if (!isItself && waitedBy(one) <= most_ms) continue;
      waiting.splice(waiting.indexOf(one), 1);
      one.reject(isItself ? new TypeError(WAITS_FOR_ITSELF) : held(holder));
    }
  }

  /** While the host program has its transaction, refuses in time the calls that wait behind it. */
  async function whileHosted(run: () => Promise<boolean>): Promise<boolean> {
    const began = monotonic();
    let stop = systemTimer(LOOK_MS, function look() {
      refuseHeld({ pid: null, program: "", seconds: wholeSeconds(monotonic() - began) }, HELD_FOR_MS);
      stop = systemTimer(LOOK_MS, look);
    });
    try {
      return await run();
    } finally {
      stop();
    }
  }

  /** The next try of commands that another's transaction held off. */
  async function tryAgain(): Promise<Try> {
    if (waiting.some(({ locks }) => locks.isBroad)) await new Promise<void>((go) => systemTimer(REST_MS, go));
    return patience.again();
  }

  /** Runs a group, as `runGroup` does. */
  function run(group: readonly Waiting[], attempt: Try, note: Note): Promise<boolean> {
    if (group[0]?.most_ms === undefined) return runGroup(group, attempt, options, note);
    return whileHosted(() => runGroup(group, attempt, options, note));
  }

  async function runAll(): Promise<void> {
    isRunning = true;
    // Whatever arrived in this turn of the event loop shares a transaction; nothing else is waited for.
    await nextTurn();
    let isHeld = false;
    let holder: Holder | undefined;
    const note: Note = (found) => {
      holder = found ?? holder;
    };
    while (waiting.length > 0) {
      const attempt: Try = isHeld ? await tryAgain() : patience.first();
      const group = nextGroup(waiting, database.engine.maxTogether);
      isHeld = !(await run(group, attempt, note));
      attempt.over();
      if (isHeld) {
        waiting.unshift(...group);
        refuseHeld(holder, HELD_FOR_MS);
      } else holder = undefined;
      while (isQueueLate(EXPIRE_AFTER_MS)) waiting.shift()?.reject(tooManyWaiting());
      if (waiting.length > 0) await yieldToOthers(OTHERS_MS);
    }
    isRunning = false;
    onEmpty();
  }

  return (one) => {
    if (isQueueLate(REFUSE_AFTER_MS)) return one.reject(tooManyWaiting());
    waiting.push(one);
    if (!isRunning) void runAll();
  };
}

function tooManyWaiting(): LacreError {
  return new LacreError("unavailable", [problem("", common.too_many_waiting)], RETRY_AFTER_S);
}

function held(holder: Holder | undefined): LacreError {
  const cause = holder ? heldBy(holder) : common.held_by_another({ seconds: wholeSeconds(REFUSE_AFTER_MS) });
  return new LacreError("unavailable", [problem("", cause)], RETRY_AFTER_S);
}

function heldBy({ pid, program, seconds }: Holder): Text {
  const process = pid === null ? "" : `, pid ${pid}${program && ` (${program})`}`;
  return common.held_by_host({ who: program === "lacre" ? common.other_lacre : common.the_host, seconds, process });
}

/** A server reports the process; a file has only one writing transaction. */
function waitsForItself({ inside }: Waiting, holder: Holder | undefined, { engine }: Database): boolean {
  if (engine.name === "sqlite") return inside.some((one) => one.company_id === undefined && one.isOpen());
  return inside.some(({ pid }) => pid !== undefined && pid === holder?.pid);
}

const wholeSeconds = (ms: number) => (ms - (ms % 1_000)) / 1_000;

/** The first in the queue, and those behind it that may share its transaction. */
function nextGroup(waiting: Waiting[], most: number): Waiting[] {
  const stop = waiting.findIndex(({ locks }) => locks.alone);
  return waiting.splice(0, stop === 0 ? 1 : stop === -1 ? most : Math.min(stop, most));
}

const ATTEMPTS = 5;

/**
 * Runs one transaction. After the commit each caller gets its own outcome; if the transaction fails, all fail. Returns
 * false if another transaction held a lock it needs: then nothing was done, and no caller was answered.
 */
async function runGroup(
  group: readonly Waiting[],
  attempt: Try,
  options: WriteQueueOptions,
  note: Note,
  count = 1,
): Promise<boolean> {
  const { database, storage, attempts = ATTEMPTS } = options;
  const [first] = group;
  const isBroad = group.some(({ locks }) => locks.isBroad);
  const patience_ms = isBroad ? EACH_MS : attempt.patience_ms;
  try {
    storage.mustBeWritable();
    const isHosted = first?.most_ms !== undefined;
    const transaction = await beginTransaction(database, "write", { patience_ms, isHosted });
    const ask = asking(transaction, patience_ms * ASK_AFTER, options, note);
    /** Once the first command is done, or the host's work begins, nothing more is waited for. */
    const locked = () => {
      ask.stop();
      attempt.over();
    };
    try {
      if (first && isHosted) await runHosted(first, transaction, options, locked);
      else await runCommands(group, transaction, options, locked);
    } catch (error) {
      await transaction.rollback();
      throw error;
    } finally {
      ask.stop();
    }
  } catch (error) {
    const trouble = error instanceof StorageError ? error.trouble : undefined;
    if (trouble === "held") return false;
    if (trouble === "deadlock" && count < attempts) return runGroup(group, attempt, options, note, count + 1);
    failAll(group, error, storage);
  }
  return true;
}

function failAll(group: readonly Waiting[], error: unknown, storage: WriteQueueOptions["storage"]): void {
  if (error instanceof StorageError) storage.noteTrouble(error);
  for (const { reject } of group) reject(error);
}

/** If a transaction does not get ahead, asks who holds the lock that it waits for. */
function asking({ db }: OpenTransaction, after_ms: number, options: WriteQueueOptions, note: Note) {
  const { database, reader } = options;
  const { holderOf } = database.engine;
  const { pid } = db.executor;
  const ask = (asked: NonNullable<typeof holderOf>, of: number) => void asked(reader, of).then(note, () => {});
  return { stop: holderOf && pid !== undefined ? systemTimer(after_ms, () => ask(holderOf, pid)) : () => {} };
}

async function runCommands(
  group: readonly Waiting[],
  transaction: OpenTransaction,
  { storage }: WriteQueueOptions,
  locked: () => void,
): Promise<void> {
  const outcomes: Outcome[] = [];
  for (const one of group) {
    outcomes.push(await (group.length === 1 ? runAlone : runSaved)(transaction.db, one));
    locked();
    const isLast = outcomes.length === group.length; // only the commit is left
    if (outcomes.length % IN_A_ROW === 0 && !isLast) await yieldToOthers(OTHERS_MS);
  }
  const allFailed = outcomes.every(({ succeeded }) => !succeeded);
  await (allFailed ? transaction.rollback() : transaction.commit());
  storage.mustBeThere(); // after the commit, before any caller is told of it
  for (const { tell } of outcomes) tell();
}

/** Whether a command succeeded, and the call that tells its caller. */
interface Outcome {
  readonly succeeded: boolean;
  readonly tell: () => void;
}

/** Runs a command that has its transaction to itself. */
async function runAlone(db: ExecutorDb, { work, resolve }: Waiting): Promise<Outcome> {
  const value = await work(db);
  return { succeeded: true, tell: () => resolve(value) };
}

/** Runs a command in a savepoint: if it throws, only its own work is undone. */
async function runSaved(db: ExecutorDb, one: Waiting): Promise<Outcome> {
  try {
    return await inSavepoint(db, () => runAlone(db, one));
  } catch (error) {
    if (error instanceof StorageError) throw error;
    return { succeeded: false, tell: () => one.reject(error) };
  }
}

/** Runs the host's work once its company is locked. From then on only the host gets errors. */
async function runHosted(
  { work, locks, most_ms = 0, resolve, reject }: Waiting,
  transaction: OpenTransaction,
  { database, reader, storage }: WriteQueueOptions,
  locked: () => void,
): Promise<void> {
  const { engine } = database;
  const { db } = transaction;
  await engine.lock(db, locks.company_id);
  await engine.bound?.(db, most_ms);
  locked();
  const late = Promise.withResolvers<never>();
  const stop = systemTimer(most_ms, () =>
    late.reject(
      new LacreError("unavailable", [problem("", common.host_took_too_long({ seconds: wholeSeconds(most_ms) }))]),
    ),
  );
  try {
    const value = await Promise.race([work(db), late.promise]);
    stop();
    await transaction.commit();
    storage.mustBeThere();
    storage.noteCommit();
    resolve(value);
  } catch (error) {
    stop();
    const { pid } = db.executor;
    // A statement of the host program may still run: it would hold the company without limit.
    const giveUp = systemTimer(UNDO_MS, () => transaction.abandon());
    if (pid !== undefined) await engine.cancel?.(reader, pid).catch(() => {});
    await transaction.rollback().catch(() => {});
    giveUp();
    if (error instanceof StorageError) storage.noteTrouble(error);
    reject(error);
  }
}
