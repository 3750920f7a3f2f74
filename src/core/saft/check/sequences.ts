/** The numbers seen in a series. Files may be long, and their numbers are nearly always consecutive. */

/** A set of sequences that takes no more memory for a million consecutive ones than for two. */
export interface SequenceSet {
  has(sequence: bigint): boolean;
  add(sequence: bigint): void;
}

/** An empty set. */
export function sequenceSet(): SequenceSet {
  /** Those that came in ascending order, as consecutive ranges. */
  const ranges: { readonly from: bigint; to: bigint }[] = [];
  /** Those that came after a higher one. */
  const late = new Set<bigint>();
  const has = (sequence: bigint) => {
    let [low, high] = [0, ranges.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((ranges[middle]?.to ?? 0n) < sequence) low = middle + 1;
      else high = middle;
    }
    const range = ranges[low];
    return late.has(sequence) || (range !== undefined && range.from <= sequence);
  };
  return {
    has,
    add(sequence) {
      const last = ranges.at(-1);
      if (last && sequence === last.to + 1n) last.to = sequence;
      else if (!last || sequence > last.to) ranges.push({ from: sequence, to: sequence });
      else if (!has(sequence)) late.add(sequence);
    },
  };
}
