/**
 * What an export remembers of things it may meet a million of: a few numbers each. Strings and objects would take
 * hundreds of bytes.
 */
import { hash } from "node:crypto";

/** Room at first; doubled whenever it is used up. */
const ROOM = 1_024;

/** Numbers for texts. */
export interface TextNumbers {
  readonly size: () => number;
  /** The number of a text, in the order in which they first come, from 0: a text that is new takes `size()`. */
  numberOf(text: string): number;
}

/** What is kept of a text: the first 96 bits of its SHA-256, by which it is told from every other. */
const WORDS = 3;

/** Numbers for texts, in some 24 bytes each however long they are. */
export function textNumbers(): TextNumbers {
  let size = 0;
  let digests = new Uint32Array(WORDS * ROOM);
  // Open addressing, at most half full: a text's number plus 1 (0: none) stands in the first free slot from that of its digest.
  let slots = new Uint32Array(2 * ROOM);

  function slotOf(digest: readonly number[] | Uint32Array): number {
    const last = slots.length - 1;
    for (let slot = (digest[0] as number) & last; ; slot = (slot + 1) & last) {
      const at = ((slots[slot] as number) - 1) * WORDS;
      if (at < 0) return slot;
      if (digests[at] === digest[0] && digests[at + 1] === digest[1] && digests[at + 2] === digest[2]) return slot;
    }
  }

  function makeRoom(): void {
    digests = new Uint32Array(digests.buffer.transfer(2 * digests.byteLength));
    slots = new Uint32Array(2 * slots.length);
    for (let number = 0; number < size; number++) {
      slots[slotOf(digests.subarray(number * WORDS, (number + 1) * WORDS))] = number + 1;
    }
  }

  return {
    size: () => size,
    numberOf(text) {
      const hexadecimal = hash("sha256", text);
      const digest = [0, 8, 16].map((from) => Number.parseInt(hexadecimal.slice(from, from + 8), 16));
      const known = slots[slotOf(digest)] as number;
      if (known > 0) return known - 1;
      if (2 * size === slots.length) makeRoom();
      slots[slotOf(digest)] = size + 1;
      digests.set(digest, size * WORDS);
      return size++;
    },
  };
}

/** A column of numbers, 0 where none was set. */
export interface Column {
  get(row: number): number;
  set(row: number, value: number): void;
}

/** A column that grows as rows are set: of any numbers, or of whole ones from 0 to 2^32 in half the room. */
export function column(Kind: typeof Float64Array | typeof Uint32Array = Float64Array): Column {
  let values = new Kind(ROOM);
  return {
    get: (row) => values[row] ?? 0,
    set(row, value) {
      while (row >= values.length) values = new Kind(values.buffer.transfer(2 * values.byteLength));
      values[row] = value;
    },
  };
}

/** Texts remembered: where few fill most documents they come early, and where there are many none comes back soon. */
const REMEMBERED = 2_000;

/** A function that says the same of a text each time, and remembers what it said of the first few thousand. */
export function remembered<Value>(make: (text: string) => Value): (text: string) => Value {
  const known = new Map<string, Value>();
  return (text) => {
    const value = known.get(text);
    if (value !== undefined) return value;
    const made = make(text);
    if (known.size < REMEMBERED) known.set(text, made);
    return made;
  };
}
