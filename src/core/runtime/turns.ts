/**
 * Turns at heavy work, such as printing and the tax file: a few pieces run at once, and the rest wait. The next turn
 * goes to a company that has none running, so nobody waits for more than one piece of each other company.
 */

import type { Text } from "../texts/texts.ts";
import { refuseFor } from "./errors.ts";
import { common } from "./refusals.ts";

/** How many pieces run at once: more would only take more memory, as they share one processor. */
const AT_ONCE = 2;
/** How many pieces of one company may wait. */
const MAX_WAITING = 100;
/** Seconds after which a refused caller may try again. */
const RETRY_AFTER_S = 10;

interface Waiting {
  readonly company_id: string;
  readonly begin: () => void;
}

/** One caller's turns. */
export interface Turns {
  /** Refuses with `unavailable` when the company's queue is full. */
  mustHaveRoom(): void;
  /**
   * Does the work when it is its turn. Refuses as `mustHaveRoom` does. If the caller gives a signal, the work gets it;
   * work that still waits when it aborts is not done, and the call rejects with the signal's reason.
   */
  take<T>(work: (signal: AbortSignal | undefined) => Promise<T>): Promise<T>;
}

/**
 * Makes the turns of an installation at one kind of work; each call takes its own. `crowded` is the sentence of a
 * refusal.
 */
export function createTurns(crowded: Text): (company_id: string, signal: AbortSignal | undefined) => Turns {
  const running: string[] = [];
  const waiting: Waiting[] = [];

  function beginNext(): void {
    if (running.length >= AT_ONCE) return;
    const other = waiting.findIndex(({ company_id }) => !running.includes(company_id));
    const [next] = waiting.splice(Math.max(other, 0), 1);
    if (!next) return;
    running.push(next.company_id);
    next.begin();
  }

  return (company_id, signal) => {
    const mustHaveRoom = () => {
      const own = waiting.filter((one) => one.company_id === company_id);
      if (own.length >= MAX_WAITING) refuseFor(RETRY_AFTER_S, "unavailable", crowded);
    };

    function turn(): Promise<void> {
      return new Promise((resolve, reject) => {
        const leave = () => {
          waiting.splice(waiting.indexOf(place), 1);
          reject(signal?.reason);
        };
        const begin = () => {
          signal?.removeEventListener("abort", leave);
          resolve();
        };
        const place: Waiting = { company_id, begin };
        waiting.push(place);
        signal?.addEventListener("abort", leave, { once: true });
        beginNext();
      });
    }

    return {
      mustHaveRoom,
      async take(work) {
        mustHaveRoom();
        signal?.throwIfAborted();
        await turn();
        try {
          return await work(signal);
        } finally {
          running.splice(running.indexOf(company_id), 1);
          beginNext();
        }
      },
    };
  };
}

/** A caller's turns at each kind of heavy work. */
export type TurnsByKind = Readonly<Record<"printing" | "exporting" | "importing", Turns>>;

/** Makes the turns of an installation. */
export function createAllTurns(): (company_id: string, signal: AbortSignal | undefined) => TurnsByKind {
  const printing = createTurns(common.too_many_prints);
  const exporting = createTurns(common.too_many_exports);
  const importing = createTurns(common.too_many_imports);
  return (...caller) => ({
    printing: printing(...caller),
    exporting: exporting(...caller),
    importing: importing(...caller),
  });
}
