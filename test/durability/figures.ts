/** Prints the counts of the durability tests, as one table at the end of a run. */
import type { Reporter, TestModule } from "vitest/node";

/** A reporter for vitest. */
export const figures: Reporter = {
  onTestRunEnd(modules: readonly TestModule[]) {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const rows = tests.flatMap((test) => {
      const { figures } = test.meta();
      if (!figures) return [];
      const seconds = Math.round((test.diagnostic()?.duration ?? 0) / 1_000);
      return `${test.ok() ? "passed" : "FAILED"} | ${figures.name} | ${seconds} s | ${inWords(figures.counted)}\n`;
    });
    process.stdout.write(`\nLACRE_SEED=${process.env.LACRE_SEED}\n${rows.join("")}`);
  },
};

/** The counts in one line: `kills 200, answers 15012`. */
export function inWords(counted: Readonly<Record<string, number>>): string {
  const words = Object.entries(counted).map(([name, count]) => `${name.replaceAll("_", " ")} ${count}`);
  return words.join(", ");
}
