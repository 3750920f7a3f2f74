/** The bell: rings after each commit of this process and when Lacre closes, and wakes those who wait for events. */
import type { Timer } from "./ports.ts";

export interface Bell {
  /** How often it has rung. Read it before looking for events, so that no ring in between is missed. */
  rings(): number;
  ring(): void;
  /** Resolves once it has rung more often than `rings`, after `ms` milliseconds, or when the signal aborts. */
  next(rings: number, ms: number, signal?: AbortSignal): Promise<void>;
}

export function createBell(timer: Timer): Bell {
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
