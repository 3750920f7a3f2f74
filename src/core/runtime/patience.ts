/**
 * How long a transaction may wait for the lock of its company. A waiting transaction keeps a connection that others
 * need, so few wait long at once, and the rest try again and again.
 */

/** How long, in milliseconds, a try may wait that has one of the few places, and one that has none. */
export const PATIENT_MS = 500;
const IMPATIENT_MS = 20;

/** One try at the locks of a transaction. */
export interface Try {
  /** How long to wait for each lock. */
  readonly patience_ms: number;
  /** Frees the place, once the locks are held or the try is over. */
  over(): void;
}

/** Gives tries their patience. */
export interface Patience {
  /** The first try of a transaction, which most often waits for nothing. */
  first(): Try;
  /** A further try, once a place is free: a held transaction waits here without a connection. */
  again(): Promise<Try>;
}

/**
 * Makes the patience of a database with this many connections for changes: half of them may wait for locks at once.
 * `isAlone` says whether nobody else wants the only one.
 */
export function createPatience(writers: number, isAlone: () => boolean): Patience {
  const most = Math.max(1, writers >> 1);
  const waiting: (() => void)[] = [];
  let taken = 0;

  function leave(): void {
    const next = waiting.shift();
    if (next) next();
    else taken--;
  }

  function placed(): Try {
    let isOver = false;
    const isCrowded = waiting.length > 0 || (writers === 1 && !isAlone());
    return {
      patience_ms: isCrowded ? IMPATIENT_MS : PATIENT_MS,
      over() {
        if (isOver) return;
        isOver = true;
        leave();
      },
    };
  }

  return {
    first() {
      if (taken >= most) return { patience_ms: IMPATIENT_MS, over() {} };
      taken++;
      return placed();
    },
    async again() {
      if (taken < most) taken++;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      return placed();
    },
  };
}
