/**
 * Delivering: takes due deliveries of one kind, attempts them, and settles them. Several processes may do so on one
 * database: an attempt belongs to the process that took it. If that process ended meanwhile, another takes its
 * deliveries once their lease has run out.
 */
import type { Bell } from "../runtime/bell.ts";
import type { Closing } from "../runtime/closing.ts";
import { LacreError } from "../runtime/errors.ts";
import type { Log, MonotonicClock } from "../runtime/ports.ts";

/** How often, in milliseconds, it looks for deliveries that became due, or that another process queued. */
const POLL_MS = 1_000;
/** The least time between two looks: a busy installation commits a thousand times a second. */
const PAUSE_MS = 50;
/** Attempts under way at once to a queue that fails or is slow. */
const MAX_TO_TROUBLED = 1;
/** A queue is slow if its last attempt, or one that is still under way, took this many milliseconds. */
const SLOW_MS = 2_000;

/** A queue with due deliveries. */
export interface Due {
  readonly id: string;
  readonly company_id: string;
  readonly failing: boolean;
}

/** A kind of delivery, to those who deliver it. */
export interface Kind<Taken> {
  /** The event of the log when the storage is in trouble. */
  readonly waits: string;
  /** Attempts under way at once: in all, of one company, and to one queue. */
  readonly most: { readonly inAll: number; readonly ofCompany: number; readonly toOne: number };
  /** How long, in milliseconds, attempts under way may take at the end. */
  readonly graceMs: number;
  /** The queues with due deliveries; the ones that have waited longest come first. */
  due(): Promise<readonly Due[]>;
  /** Takes at most so many due deliveries of a queue. */
  take(queue: Due, most: number): Promise<readonly Taken[]>;
  /** Attempts a delivery and settles it. It never throws. */
  attempt(queue: Due, taken: Taken): Promise<void>;
}

/** An attempt under way at a delivery of this queue. */
interface UnderWay {
  readonly id: string;
  readonly company_id: string;
  /** Milliseconds of the monotonic clock. */
  readonly began: number;
  readonly ended: Promise<void>;
}

/** The options of delivering. */
export interface DeliverOptions {
  /** Ends it when it aborts; attempts under way get a few seconds at most. */
  readonly signal?: AbortSignal;
}

/** The dependencies of delivering. */
export interface Delivering {
  readonly bell: Bell;
  readonly closing: Closing;
  readonly monotonic: MonotonicClock;
  readonly log: Log;
}

/** Delivers until the signal aborts or Lacre closes. */
export async function deliver<Taken>(
  { bell, closing, monotonic, log }: Delivering,
  kind: Kind<Taken>,
  { signal }: DeliverOptions = {},
): Promise<void> {
  const { inAll, ofCompany, toOne } = kind.most;
  const underWay = new Set<UnderWay>();
  /** The queues whose last attempt was slow. */
  const slow = new Set<string>();
  const isOver = () => signal?.aborted === true || !closing.isOpen();

  const begin = (queue: Due, taken: Taken) => {
    const { id, company_id } = queue;
    const began = monotonic();
    const ended = kind.attempt(queue, taken).finally(() => {
      underWay.delete(attempt);
      if (monotonic() - began >= SLOW_MS) slow.add(id);
      else slow.delete(id);
    });
    const attempt: UnderWay = { id, company_id, began, ended };
    underWay.add(attempt);
  };

  /** How many more attempts may be under way to a queue. */
  const roomFor = ({ id, company_id, failing }: Due): number => {
    const own = [...underWay].filter((attempt) => attempt.company_id === company_id);
    const toIt = own.filter((attempt) => attempt.id === id);
    const isSlow = slow.has(id) || toIt.some(({ began }) => monotonic() - began >= SLOW_MS);
    const max = failing || isSlow ? MAX_TO_TROUBLED : toOne;
    return Math.min(max - toIt.length, ofCompany - own.length, inAll - underWay.size);
  };

  /** One queue of each company in turn, in each company the one that has waited longest. */
  const look = async () => {
    const queues = [...Map.groupBy(await kind.due(), ({ company_id }) => company_id).values()];
    for (let turn = 0; queues.some(({ length }) => turn < length); turn++) {
      for (const queue of queues.flatMap((own) => own[turn] ?? [])) {
        const max = roomFor(queue);
        if (isOver() || max <= 0) continue;
        for (const taken of await kind.take(queue, max)) begin(queue, taken);
      }
    }
  };

  while (!isOver()) {
    const rings = bell.rings();
    await look().catch((error: unknown) => {
      // The storage is in trouble, or Lacre closes; anything else is a bug.
      if (!(error instanceof LacreError)) throw error;
      log({ level: "warn", event: kind.waits, message: error.message });
    });
    if (isOver()) break;
    await bell.next(rings, POLL_MS, signal);
    if (!isOver()) await bell.next(Number.POSITIVE_INFINITY, PAUSE_MS, signal);
  }
  if (underWay.size === 0) return;
  const ended = new AbortController();
  await Promise.race([
    Promise.all(Array.from(underWay, ({ ended }) => ended)),
    bell.next(Number.POSITIVE_INFINITY, kind.graceMs, ended.signal),
  ]);
  ended.abort();
}
