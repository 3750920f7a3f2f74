/**
 * The rate limit as a sliding log: never more than `limit` accepted requests in any window, counted exactly. A fixed
 * window or a token bucket would accept nearly twice as many in some windows.
 */
import type { CountedRequest, CountOfRequests } from "../database/engine.ts";
import type { MonotonicClock, RateLimitReading, RateLimitStore } from "./ports.ts";

/** How many requests a key may make: never more than `limit` in any `window_s` seconds. */
export interface RateLimit {
  /** Requests accepted per key in any window. */
  readonly limit: number;
  /** Length of the window in seconds. */
  readonly window_s: number;
}

export const DEFAULT_RATE_LIMIT: RateLimit = { limit: 120, window_s: 60 };

/** For a person's session: the page sends requests while its user types. */
export const SESSION_RATE_LIMIT: RateLimit = { limit: 1_200, window_s: 60 };

/** For links to documents, by the network that opens them. */
export const LINK_RATE_LIMIT: RateLimit = { limit: 60, window_s: 60 };

/** The limit in an option that is not a store; the default one if there is none. */
export function rateLimitOf(option: RateLimit | RateLimitStore = DEFAULT_RATE_LIMIT): RateLimit | undefined {
  return isStore(option) ? undefined : option;
}

/**
 * The host's store, or what `counting` makes for its limit. Throws TypeError, in words, for an option that is neither:
 * a limit of `NaN` would refuse every request.
 */
export function rateLimitStore(
  option: RateLimit | RateLimitStore,
  counting: (limit: RateLimit) => RateLimitStore,
): RateLimitStore {
  if (isStore(option)) return option;
  for (const [name, min] of [
    ["limit", 0],
    ["window_s", 1],
  ] as const) {
    const value: unknown = option?.[name];
    if (Number.isSafeInteger(value) && (value as number) >= min) continue;
    throw new TypeError(`rateLimit.${name} must be a whole number from ${min}, not ${String(value)}.`);
  }
  return counting(option);
}

function isStore(option: RateLimit | RateLimitStore): option is RateLimitStore {
  return typeof (option as Partial<RateLimitStore> | null)?.take === "function";
}

/** At this many keys, and then at twice as many as were left, those with an empty log are forgotten. */
const SWEEP_AT = 1_000;

/** The times of a key's accepted requests, oldest first. Those before the index `gone` have left the window. */
interface Counted {
  readonly times: number[];
  gone: number;
}

/** Forgets times that left the window. The array is cut only now and then, as cutting moves the rest. */
function forgetGone(log: Counted, now: number, window_ms: number): void {
  const { times } = log;
  while (log.gone < times.length && now - (times[log.gone] as number) >= window_ms) log.gone++;
  if (log.gone * 2 < times.length) return;
  times.splice(0, log.gone);
  log.gone = 0;
}

/** A rate limit in memory. */
export interface MemoryRateLimit extends RateLimitStore {
  take(key: string): RateLimitReading;
  /** Takes back the latest request of a key, so that it does not count. */
  giveBack(key: string): void;
}

/** Keeps the log in memory; a restart empties it. It uses a clock that never steps: clock changes do not matter. */
export function memoryRateLimit({ limit, window_s }: RateLimit, monotonic: MonotonicClock): MemoryRateLimit {
  const window_ms = window_s * 1000;
  const logs = new Map<string, Counted>();
  let sweepAt = SWEEP_AT;

  function forgetIdle(now: number): void {
    for (const [key, { times }] of logs) {
      const last = times.at(-1);
      if (last === undefined || now - last >= window_ms) logs.delete(key);
    }
    sweepAt = Math.max(SWEEP_AT, 2 * logs.size);
  }

  return {
    take(key): RateLimitReading {
      const now = monotonic();
      let log = logs.get(key);
      if (!log) {
        if (logs.size >= sweepAt) forgetIdle(now);
        log = { times: [], gone: 0 };
        logs.set(key, log);
      }
      forgetGone(log, now, window_ms);
      const { times, gone } = log;
      const used = times.length - gone;
      const allowed = used < limit;
      if (allowed) times.push(now);
      const oldest = times[gone] ?? now;
      return {
        allowed,
        limit,
        window_s,
        remaining: allowed ? limit - used - 1 : limit - used,
        reset_s: Math.max(1, Math.ceil((window_ms - (now - oldest)) / 1000)),
      };
    },
    giveBack(key) {
      const log = logs.get(key);
      if (log && log.times.length > log.gone) log.times.pop();
    },
  };
}

/**
 * The same limit over all processes on one database, which counts. Once this process alone has accepted that many,
 * further requests are refused without asking: nobody can load the database by asking too often.
 */
export function sharedRateLimit(
  { limit, window_s }: RateLimit,
  monotonic: MonotonicClock,
  count: (request: CountedRequest) => Promise<CountOfRequests>,
): RateLimitStore {
  const own = memoryRateLimit({ limit, window_s }, monotonic);
  const window_ms = window_s * 1000;
  return {
    async take(key) {
      const mine = own.take(key);
      if (!mine.allowed) return mine;
      const counted = await count({ key, limit, window_ms }).catch((error) => {
        own.giveBack(key);
        throw error;
      });
      const { accepted, used, oldest_ms } = counted;
      if (!accepted) own.giveBack(key);
      return {
        allowed: accepted,
        limit,
        window_s,
        remaining: limit - used,
        reset_s: Math.max(1, Math.ceil((window_ms - oldest_ms) / 1000)),
      };
    },
  };
}
