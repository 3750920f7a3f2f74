/**
 * The short form runs with everything else; the long one, the same with more of everything, by `npm run test:long`. It
 * says every minute how far it is, and what was counted at the end.
 * `LACRE_LONG=5 npm run test:long` does a twentieth of it; `LACRE_SEED=…` repeats what a seed did.
 */
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { onTestFinished } from "vitest";
import { inWords } from "./figures.ts";

/** How much of the long form to do, in percent; 0 does the short one. */
const LONG = Number(process.env.LACRE_LONG ?? 0);

/** A number of things to do: as many as the short form takes, or the long one's share. */
export function atScale(short: number, long: number): number {
  return LONG === 0 ? short : Math.max(short, Math.ceil((long * LONG) / 100));
}

/** Where random tests begin: elsewhere in each run (vitest.config.ts), or where the environment says. */
export const SEED = Number(process.env.LACRE_SEED);

/** Milliseconds a durability test may take. */
export const PATIENCE_MS = LONG === 0 ? 120_000 : 6 * 60 * 60 * 1_000;

/** A directory in memory where there is one: for tests that are not about what a disk keeps, and open many files. */
export const MEMORY = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

declare module "vitest" {
  interface TaskMeta {
    /** What a durability test counted, under its name. */
    figures?: { readonly name: string; readonly counted: Readonly<Record<string, number>> };
  }
}

const PROGRESS_MS = 60_000;

/** Keeps what a test counted for the table at the end, also when it fails; in the long form it is told as it grows. */
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
