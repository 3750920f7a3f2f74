/** Closing waits for the calls under way and refuses later ones. */
import { LacreError, refuse } from "./errors.ts";
import { systemTimer } from "./ports.ts";
import { common } from "./refusals.ts";

export interface Closing {
  /** Runs a call, or refuses it with `unavailable` once closing has begun. */
  during<T>(call: () => Promise<T>): Promise<T>;
  /** The same for the pieces of a file: each is a call of its own, as its reader may pause between them. */
  eachDuring(pieces: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
  isOpen(): boolean;
  /**
   * Resolves when no call is under way, or after `ms` milliseconds: calls still running then end with `unavailable`,
   * too.
   */
  begin(ms: number): Promise<void>;
}

export function createClosing(): Closing {
  let underWay = 0;
  let isOpen = true;
  let isOver = false;
  const ended = Promise.withResolvers<void>();

  const closing: Closing = {
    isOpen: () => isOpen,
    async during(call) {
      if (!isOpen) refuse("unavailable", common.is_closed);
      underWay++;
      try {
        return await call();
      } catch (error) {
        // The error of a closed connection does not tell the caller why.
        if (isOver && !(error instanceof LacreError)) refuse("unavailable", common.is_closed);
        throw error;
      } finally {
        underWay--;
        if (!isOpen && underWay === 0) ended.resolve();
      }
    },
    async *eachDuring(pieces) {
      const reading = pieces[Symbol.asyncIterator]();
      try {
        for (;;) {
          const { done, value } = await closing.during(() => reading.next());
          if (done) return;
          yield value;
        }
      } finally {
        await reading.return?.();
      }
    },
    async begin(ms) {
      isOpen = false;
      if (underWay === 0) ended.resolve();
      const stop = systemTimer(ms, ended.resolve);
      await ended.promise;
      stop();
      isOver = true;
    },
  };
  return closing;
}
