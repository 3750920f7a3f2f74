/** Entries of customers and products: each is written as the latest document shows it. */
import { column } from "./columns.ts";

/** Entries read and written at once. */
const BATCH = 32;

/** A document an entry can be written from: its position in the file, and when it was issued, in milliseconds. */
export interface EntrySource {
  readonly position: number;
  readonly issued_at: number;
}

/** For each entry the position of the document issued last. */
export function latestSources() {
  const [positions, instants] = [column(Uint32Array), column()];
  return {
    positionOf: positions.get,
    /** Returns whether this source is the latest so far; among equals the one added last wins. */
    add(entry: number, { position, issued_at }: EntrySource): boolean {
      if (issued_at < instants.get(entry)) return false;
      positions.set(entry, position);
      instants.set(entry, issued_at);
      return true;
    },
  };
}

/** The entries from 0 to `size`, in batches. */
export function* entryBatches(size: number): Generator<number[]> {
  for (let first = 0; first < size; first += BATCH) {
    yield Array.from({ length: Math.min(BATCH, size - first) }, (_, i) => first + i);
  }
}
