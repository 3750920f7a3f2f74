/**
 * Samples of what tests repeat. In a sampled run (`LACRE_SAMPLED=1`, as `npm test` is) a sentence that a file tells of
 * several engines or papers is tried on one of them, and a long list in part, by chance from `LACRE_SEED`.
 */
import { createHash } from "node:crypto";

/** By these words the names of one sentence differ. */
const REPEATED_OVER = /better-sqlite3|node:sqlite|PostgreSQL|PGlite|\bA4\b|\b80mm\b/g;

/** Whether this run is one. */
export const IS_SAMPLED = process.env.LACRE_SAMPLED === "1";

/** A number for a text: the same for the same seed. */
function chanceFor(text: string, seed = process.env.LACRE_SEED ?? "0"): number {
  return createHash("sha256").update(`${seed} ${text}`).digest().readUInt32BE();
}

/** Of tests by their full names, one for each sentence. */
export function oneOfEachSentence(names: readonly string[], seed?: string): Set<string> {
  const sentences = Map.groupBy(names, (name) => name.replaceAll(REPEATED_OVER, "…"));
  return new Set(Array.from(sentences, ([sentence, same]) => same[chanceFor(sentence, seed) % same.length] as string));
}

/**
 * A part of a list: in a sampled run every `nth` of it, from a place that the seed names; else all of it. An odd number
 * leaves of all subsets of a set some with, and some without each member.
 */
export function sampleOf<T>(name: string, nth: number, all: readonly T[]): readonly T[] {
  const first = chanceFor(name) % nth;
  return IS_SAMPLED ? all.filter((_, i) => i % nth === first) : all;
}

/** How often something random is tried: in a sampled run a third as often. */
export const runsOf = (times: number): number => (IS_SAMPLED ? Math.ceil(times / 3) : times);
