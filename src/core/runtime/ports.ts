/**
 * What Lacre asks of the world, and plain defaults; `openLacre()` takes any of these as an option. The only file in
 * core that reads a clock, rolls dice or sets a timer, but for the pause in sqlite-dialect.ts until a file is free.
 */
import { randomBytes, randomFillSync } from "node:crypto";

/** The wall clock. Read once per call; the reading becomes the call's `now`. */
export type Clock = () => Date;

/** A clock in milliseconds that never steps back: for limits and deadlines, never for documents. */
export type MonotonicClock = () => number;

/** Calls `ring` once after some milliseconds, unless it is stopped before; returns what stops it. For deadlines. */
export type Timer = (ms: number, ring: () => void) => () => void;

/** Makes ids that sort in the order they were made. */
export type IdSource = (now: Date) => string;

/** Makes the 32 secret bytes of an API key. */
export type SecretSource = () => Buffer;

/**
 * Signs documents. `sign` returns the Base64 RSA-SHA1 (PKCS#1 v1.5, 1024 bits) signature over the UTF-8 text,
 * 172 characters (Despacho 8632/2014, 4.1 and 7.1). A promise is awaited inside the transaction that holds the
 * series: one that takes longer than two seconds counts as failed, and its late answer is ignored. Whoever fails costs
 * no number: issuing is refused with `unavailable` and can be tried again.
 */
export interface Signer {
  /** The version AT knows the key by (HashControl), from 1. Like `public_key` read once, when Lacre is opened. */
  readonly key_version: number;
  /** The public half as PEM, kept in the database so that old documents verify after a rotation. */
  readonly public_key: string;
  /** Answers at once, from within this process: its documents may share a commit with others. `pemSigner`'s does. */
  readonly is_local?: boolean;
  sign(text: string): string | Promise<string>;
}

/** One reading of a key's allowance. */
export interface RateLimitReading {
  readonly allowed: boolean;
  /** Requests allowed in any window. */
  readonly limit: number;
  readonly remaining: number;
  /** Length of the window in seconds. */
  readonly window_s: number;
  /** Whole seconds until the oldest counted request leaves the window. */
  readonly reset_s: number;
}

/** Counts requests per key. A store shared by several processes can stand in for the one in memory. */
export interface RateLimitStore {
  take(key: string): RateLimitReading | Promise<RateLimitReading>;
}

/** One structured line. Values are strings, numbers, booleans or null so that a line is always one line of JSON. */
export interface LogEntry {
  readonly level: "info" | "warn" | "error";
  readonly event: string;
  readonly [field: string]: string | number | boolean | null | undefined;
}

/** Where log entries go. The library is silent by default; the executable writes them to standard output. */
export type Log = (entry: LogEntry) => void;

export const systemClock: Clock = () => new Date();

export const systemMonotonicClock: MonotonicClock = () => performance.now();

export const systemTimer: Timer = (ms, ring) => {
  const timer = setTimeout(ring, ms);
  return () => clearTimeout(timer);
};

/** What `work` gives, or an Error once `ms` have passed without it. What comes too late, a failure included, is ignored. */
export async function inTime<T>(work: () => T | Promise<T>, ms: number, timer: Timer): Promise<T> {
  const late = Promise.withResolvers<never>();
  const stop = timer(ms, () => late.reject(new Error(`There was no answer within ${ms} ms.`)));
  try {
    return await Promise.race([work(), late.promise]);
  } finally {
    stop();
  }
}

export const randomSecret: SecretSource = () => randomBytes(32);

export const silentLog: Log = () => {};

/** A log that fails must not turn a committed invoice into an error, nor keep anyone from hearing of a storage failure. */
export function neverThrowing(log: Log): Log {
  return (entry) => {
    try {
      log(entry);
    } catch {}
  };
}

/**
 * UUIDv7 (RFC 9562, method 1 of 6.2): 48 bits of milliseconds, a 12-bit counter, 62 random bits. Ids from one
 * source always ascend, also within a millisecond and when the clock steps back, because lists are ordered by them.
 */
export function uuidv7Source(): IdSource {
  // Chance is cheaper by the handful.
  const pool = Buffer.alloc(16 * 256);
  let used = pool.length;
  let lastMs = 0;
  let counter = 0;
  return (now) => {
    const ms = now.getTime();
    if (used === pool.length) {
      randomFillSync(pool);
      used = 0;
    }
    const bytes = pool.subarray(used, used + 16);
    used += 16;
    if (ms > lastMs) {
      lastMs = ms;
      counter = bytes.readUInt16BE(6) & 0x7ff; // starts in the lower half: room to count within the millisecond
    } else if (++counter > 0xfff) {
      lastMs++;
      counter = 0;
    }
    bytes.writeUIntBE(lastMs, 0, 6);
    bytes.writeUInt16BE(0x7000 | counter, 6);
    bytes[8] = 0x80 | (bytes.readUInt8(8) & 0x3f);
    const hex = bytes.toString("hex");
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  };
}

/** Work that took longer than this between two turns was somebody else's, in milliseconds. */
const QUIET_MS = 0.1;
/** Turns left to others in a row before long work goes on all the same. */
const MOST_TURNS = 20;

/** Comes back in the next turn of the event loop, when what had arrived in this one has been seen to. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/**
 * Between two slices of long work: lets everything else that waits have its turn, and comes back when a turn passed in
 * which nothing else ran, so that a request that takes several turns is not held up at each of them; or when the others
 * had `most_ms`, where the work is as urgent as theirs.
 */
export async function giveWay(most_ms = Number.POSITIVE_INFINITY): Promise<void> {
  const began = performance.now();
  let left = began;
  for (let turn = 0; turn < MOST_TURNS && left - began < most_ms; turn++) {
    await nextTurn();
    const back = performance.now();
    if (back - left < QUIET_MS) return;
    left = back;
  }
}
