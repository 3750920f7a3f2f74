/**
 * Ports: clock, timer, ids, secrets, signer, rate limit, webhooks, e-mail and log, with plain defaults; `openLacre()`
 * takes each as an option. No other file in core reads a clock, draws random bytes or sets a timer, but for a pause in
 * sqlite-dialect.ts.
 */
import { randomBytes, randomFillSync } from "node:crypto";

/** The wall clock. Read once per call; the reading becomes the call's `now`. */
export type Clock = () => Date;

/** A clock in milliseconds that never steps back: for limits and deadlines, never for documents. */
export type MonotonicClock = () => number;

/** Calls `callback` once after some milliseconds; the returned function stops it. For deadlines. */
export type Timer = (ms: number, callback: () => void) => () => void;

/** Makes ids that sort in the order they were made. */
export type IdSource = (now: Date) => string;

/** Makes the 32 secret bytes of an API key, a session or a link. */
export type SecretSource = () => Buffer;

/**
 * Signs documents. `sign` returns the Base64 RSA-SHA1 (PKCS#1 v1.5, 1024 bits) signature over the UTF-8 text, 172
 * characters (Despacho 8632/2014, 4.1 and 7.1). A promise is awaited inside the transaction that locks the series:
 * after two seconds it counts as failed, and a late answer is ignored. A failure uses no number: issuing is refused
 * with `unavailable` and can be retried.
 */
export interface Signer {
  /**
   * The version by which AT knows the key (HashControl), from 1. Read once, when Lacre is opened, as is `public_key`.
   */
  readonly key_version: number;
  /** The public key as PEM. The database keeps it, so that old documents verify after a rotation. */
  readonly public_key: string;
  /**
   * Signs within this process, without waiting: its documents may share a commit with others. True of `pemSigner`'s.
   */
  readonly is_local?: boolean;
  sign(text: string): string | Promise<string>;
}

/** The rate limit of a key after one request. */
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

/** One message to a webhook, to be sent as a POST. */
export interface WebhookMessage {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Whether it may be sent to this IP address: ask for every address before connecting to one of them. */
  mayConnectTo(address: string): boolean;
}

/** The result of sending a message. */
export interface WebhookAnswer {
  /** Accepted by the receiver; failed, so it is sent again; or never wanted again. */
  readonly outcome: "delivered" | "failed" | "gone";
  /** The status of the answer; null where there was none. */
  readonly status: number | null;
  /** Why there was no answer, as a word. */
  readonly error: string | null;
  /** Whole seconds after which the receiver wants another try. */
  readonly retry_after_s?: number;
}

/** Sends a message once, without following redirects, in less than 30 seconds. */
export type WebhookSender = (message: WebhookMessage) => Promise<WebhookAnswer>;

/** One e-mail. Sent again, it is the same to the byte: nothing may be added that differs between attempts. */
export interface MailMessage {
  /** With its angle brackets: `<…@example.com>`, the same in every attempt. */
  readonly message_id: string;
  /** When it was queued, for the header Date. */
  readonly at: Date;
  readonly from: { readonly name: string; readonly address: string };
  readonly reply_to: string | null;
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly subject: string;
  /** Plain text; lines end in `\n`. */
  readonly text: string;
  readonly attachments: readonly { readonly name: string; readonly type: string; readonly content: Uint8Array }[];
}

/** The result of sending an e-mail. */
export interface MailAnswer {
  /**
   * Accepted by the server; failed, so it is sent again; refused for good; or the connection was lost after the whole
   * message had gone out, so that nobody knows whether it was accepted.
   */
  readonly outcome: "delivered" | "failed" | "refused" | "unknown";
  /** The code of the server's reply; null where there was none. */
  readonly status: number | null;
  /** Why it failed, in a few words without secrets. */
  readonly error: string | null;
  /** The recipients that the server refused, where it accepted the message for others. */
  readonly refused?: readonly string[];
}

/** An SMTP server, and how to log in there. */
export interface MailServer {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte, TLS after STARTTLS and never without, or no TLS. */
  readonly security: "tls" | "starttls" | "none";
  /** Null where it takes mail without a login. */
  readonly user: string | null;
  readonly password: string | null;
  /** The address that e-mails are sent from. */
  readonly from: string;
}

/** Sends e-mails. */
export interface MailSender {
  /** The address that they are sent from; null where each company's own server is taken, as the database has it. */
  readonly from: string | null;
  /**
   * Sends a message once, in less than four minutes, or in `timeoutMs` where somebody waits for the answer; by this
   * server if `from` is null.
   */
  send(message: MailMessage, server: MailServer | null, options?: { readonly timeoutMs?: number }): Promise<MailAnswer>;
}

/** What a call may know of sending e-mails, and how it sends one itself. */
export interface MailAccess extends MailSender {
  /** The 32 bytes that seal the passwords of companies' own servers; null where none can be kept. */
  readonly key: Uint8Array | null;
}

/** Whether a key opens a real installation or a throw-away one (demo, tests); its prefix shows which. */
export type KeyKind = "live" | "test";

/** One log entry. Values are strings, numbers, booleans or null, so that an entry is always one line of JSON. */
export interface LogEntry {
  readonly level: "info" | "warn" | "error";
  readonly event: string;
  readonly [field: string]: string | number | boolean | null | undefined;
}

/** Where log entries go. The library is silent by default; the executable writes them to standard output. */
export type Log = (entry: LogEntry) => void;

// Taken when this module loads: a test that fakes the global timers (`vi.useFakeTimers()`, `mock.timers`) must not stop
// Lacre. `Date` is read at each call: a test that sets the date sets Lacre's, too.
const { setTimeout, clearTimeout, setImmediate } = globalThis;
const monotonicNow = performance.now.bind(performance);

export const systemClock: Clock = () => new Date();

export const systemMonotonicClock: MonotonicClock = () => monotonicNow();

export const systemTimer: Timer = (ms, callback) => {
  const timer = setTimeout(callback, ms);
  return () => clearTimeout(timer);
};

/** The result of `work`, or an Error after `ms` milliseconds. A late result or failure is ignored. */
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

/** Wraps a log so that its failures are ignored: they must not turn a committed invoice into an error. */
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
  // Random bytes are drawn in batches, which is cheaper.
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
      counter = bytes.readUInt16BE(6) & 0x7ff; // the lower half: the rest is for counting within the millisecond
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

/** A turn longer than this, in milliseconds, ran other work. */
const QUIET_MS = 0.1;
/** The most turns in a row that long work yields. */
const MAX_TURNS = 20;

/** Callers that wait for the next turn: one timer wakes them all. */
let waiting: (() => void)[] = [];

/** Resolves in the next turn of the event loop, after the work that arrived in this one. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(wakeAll);
  });
}

function wakeAll(): void {
  const all = waiting;
  waiting = [];
  for (const wake of all) wake();
}

/**
 * Lets other work run between two slices of long work. Resolves after a turn in which nothing else ran, so that a
 * request of several turns is not delayed at each of them; or after `most_ms` milliseconds, if the long work is as
 * urgent.
 */
export async function yieldToOthers(most_ms = Number.POSITIVE_INFINITY): Promise<void> {
  const began = monotonicNow();
  let left = began;
  for (let turn = 0; turn < MAX_TURNS && left - began < most_ms; turn++) {
    await nextTurn();
    const back = monotonicNow();
    if (back - left < QUIET_MS) return;
    left = back;
  }
}
