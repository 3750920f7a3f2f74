/** A reporter for vitest: how to repeat a sample, and after a long run the files that took longest. */
import type { Reporter, TestModule } from "vitest/node";
import { IS_SAMPLED } from "./sampled.ts";

/** Shorter runs are read as they are. */
const LONG_RUN_FILES = 20;
const SHOWN = 10;

/** Prints how to repeat a sample, and the ten slowest files of a run of many, in seconds. */
export const slowest: Reporter = {
  onTestRunEnd(modules) {
    if (IS_SAMPLED) process.stdout.write(`\nThis was a sample: LACRE_SAMPLED=1 LACRE_SEED=${process.env.LACRE_SEED}\n`);
    if (modules.length < LONG_RUN_FILES) return;
    const seconds = (module: TestModule) => module.diagnostic().duration / 1_000;
    const lines = modules
      .toSorted((a, b) => seconds(b) - seconds(a))
      .slice(0, SHOWN)
      .map((module) => `${seconds(module).toFixed(1).padStart(8)} s  ${module.relativeModuleId}`);
    process.stdout.write(`${["", "The files that took longest:", ...lines].join("\n")}\n`);
  },
};
