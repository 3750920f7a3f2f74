/**
 * The short form runs with all other tests; the long one, with more of everything, by `npm run test:long`. It reports
 * its progress every minute, and its counts at the end.
 * `LACRE_LONG=5 npm run test:long` does a twentieth of it; `LACRE_SEED=…` repeats a run by its seed.
 */
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { onTestFinished } from "vitest";
import { inWords } from "./figures.ts";

/** How much of the long form to do, in percent; 0 does the short one. */
const LONG = Number(process.env.LACRE_LONG ?? 0);

/** How often to do something: the short form's number, or the long form's share. */
export function atScale(short: number, long: number): number {
  return LONG === 0 ? short : Math.max(short, Math.ceil((long * LONG) / 100));
}

/** The seed of random tests: new in each run (vitest.config.ts), or from the environment. */
export const SEED = Number(process.env.LACRE_SEED);

/** A directory in memory where there is one, for tests that open many files and need no disk. */
export const MEMORY = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

declare module "vitest" {
  interface TaskMeta {
    /** The counts of a durability test, by its name. */
    figures?: { readonly name: string; readonly counted: Readonly<Record<string, number>> };
  }
}

const PROGRESS_MS = 60_000;

/** Keeps the counts of a test for the table at the end, even when it fails; the long form prints them as they grow. */
export function figuresOf(name: string, counted: Record<string, number>): void {
  if (LONG > 0) {
    const telling = setInterval(() => console.log(`${name}: ${inWords(counted)}`), PROGRESS_MS);
    onTestFinished(() => clearInterval(telling));
  }
  onTestFinished(({ task }) => {
    task.meta.figures = { name, counted: { ...counted } };
    if (task.result?.state === "fail") console.error(`${name}: LACRE_SEED=${SEED}`, counted);
  });
}
