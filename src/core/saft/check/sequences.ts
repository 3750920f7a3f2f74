/** Which numbers of a series were seen: files may be long, and their numbers nearly always stand in a row. */

/** A set of sequences that takes no more room for a million in a row than for two. */
export interface SequenceSet {
  has(sequence: bigint): boolean;
  add(sequence: bigint): void;
}

/** A new, empty set. */
export function sequenceSet(): SequenceSet {
  /** Those that rose, as runs in order: first and last of each. */
  const runs: { readonly from: bigint; to: bigint }[] = [];
  /** Those that came too late. */
  const late = new Set<bigint>();
  const has = (sequence: bigint) => {
    let [low, high] = [0, runs.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((runs[middle]?.to ?? 0n) < sequence) low = middle + 1;
      else high = middle;
    }
    const run = runs[low];
    return late.has(sequence) || (run !== undefined && run.from <= sequence);
  };
  return {
    has,
    add(sequence) {
      const last = runs.at(-1);
      if (last && sequence === last.to + 1n) last.to = sequence;
      else if (!last || sequence > last.to) runs.push({ from: sequence, to: sequence });
      else if (!has(sequence)) late.add(sequence);
    },
  };
}
