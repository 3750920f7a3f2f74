/**
 * The sliding log: never more than `limit` accepted requests in any window, counted exactly. A fixed window or a
 * token bucket lets nearly twice as many through around an edge.
 */
import type { MonotonicClock, RateLimitReading, RateLimitStore } from "./ports.ts";

export interface RateLimit {
  /** Requests accepted per key in any window. */
  readonly limit: number;
  /** Length of the window in seconds. */
  readonly window_s: number;
}

export const DEFAULT_RATE_LIMIT: RateLimit = { limit: 120, window_s: 60 };

/** Keys whose log is empty are forgotten when this many are known. */
const SWEEP_AT = 1_000;

/** Keeps the log in memory; a restart empties it. Runs on a clock that never steps, so a clock change frees nobody. */
export function memoryRateLimit({ limit, window_s }: RateLimit, clock: MonotonicClock): RateLimitStore {
  const window_ms = window_s * 1000;
  const logs = new Map<string, number[]>();

  function forgetIdle(now: number): void {
    for (const [key, log] of logs) {
      const last = log.at(-1);
      if (last === undefined || now - last >= window_ms) logs.delete(key);
    }
  }

  return {
    take(key): RateLimitReading {
      const now = clock();
      let log = logs.get(key);
      if (!log) {
        if (logs.size >= SWEEP_AT) forgetIdle(now);
        log = [];
        logs.set(key, log);
      }
      const firstLive = log.findIndex((at) => now - at < window_ms);
      log.splice(0, firstLive === -1 ? log.length : firstLive);
      const allowed = log.length < limit;
      if (allowed) log.push(now);
      const oldest = log[0] ?? now;
      return {
        allowed,
        limit,
        window_s,
        remaining: limit - log.length,
        reset_s: Math.max(1, Math.ceil((oldest + window_ms - now) / 1000)),
      };
    },
  };
}
