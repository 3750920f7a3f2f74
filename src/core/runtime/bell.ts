/**
 * The bell: rings after each commit of this program, of others on the database where they tell, and when Lacre closes.
 * It wakes those who wait for events.
 */
import { systemTimer, type Timer } from "./ports.ts";

export interface Bell {
  /** How often it has rung. Read it before looking for events, so that no ring in between is missed. */
  rings(): number;
  ring(): void;
  /** Resolves once it has rung more often than `rings`, after `ms` milliseconds, or when the signal aborts. */
  next(rings: number, ms: number, signal?: AbortSignal): Promise<void>;
}

/** The least time between two tellings of other programs, in milliseconds. */
const TELL_EVERY_MS = 50;

/** Makes what tells other programs of commits: at once, and of those soon after together. */
export function createTelling(tell: () => Promise<void>): () => void {
  let isResting = false;
  let isDue = false;
  function told(): void {
    isDue = isResting;
    if (isResting) return;
    isResting = true;
    void tell()
      .catch(() => {}) // the others look for themselves a second later
      .then(() =>
        systemTimer(TELL_EVERY_MS, () => {
          isResting = false;
          if (isDue) told();
        }),
      );
  }
  return told;
}

/** Makes a bell. It calls `onFirst` once, when somebody first waits for a ring. */
export function createBell(timer: Timer, onFirst: () => void): Bell {
  let isWaitedFor = false;
  let rings = 0;
  /** The waiting callers, each with the number of rings it knows of. */
  const waiting = new Map<() => void, number>();
  return {
    rings: () => rings,
    ring() {
      rings++;
      for (const [wake, before] of waiting) if (rings > before) wake();
    },
    async next(before, ms, signal) {
      if (!isWaitedFor && before !== Number.POSITIVE_INFINITY) {
        isWaitedFor = true;
        onFirst();
      }
      if (rings > before || signal?.aborted) return;
      const woken = Promise.withResolvers<void>();
      const wake = () => woken.resolve();
      const stop = timer(ms, wake);
      waiting.set(wake, before);
      signal?.addEventListener("abort", wake);
      await woken.promise;
      signal?.removeEventListener("abort", wake);
      waiting.delete(wake);
      stop();
    },
  };
}
