/** Random numbers from a seed, so that a random test can be repeated. */

/** A source of whole numbers. */
export interface Chance {
  readonly seed: number;
  /** A number from 0 to `below` - 1. */
  below(below: number): number;
  /** One of the items. */
  oneOf<T>(items: readonly T[]): T;
}

/** The same seed gives the same numbers (mulberry32). */
export function chanceOf(seed: number): Chance {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const below = (limit: number) => next() % limit;
  return { seed, below, oneOf: (items) => items[below(items.length)] as (typeof items)[number] };
}
