/** Prints what the durability tests counted, as one table at the end of a run. */
import type { Reporter, TestModule } from "vitest/node";

/** A reporter for vitest. */
export const figures: Reporter = {
  onTestRunEnd(modules: readonly TestModule[]) {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const rows = tests.flatMap((test) => {
      const { figures } = test.meta();
      if (!figures) return [];
      const seconds = Math.round((test.diagnostic()?.duration ?? 0) / 1_000);
      const counted = Object.entries(figures.counted).map(([name, count]) => `${name.replaceAll("_", " ")} ${count}`);
      return `${test.ok() ? "passed" : "FAILED"} | ${figures.name} | ${seconds} s | ${counted.join(", ")}\n`;
    });
    process.stdout.write(`\nLACRE_SEED=${process.env.LACRE_SEED}\n${rows.join("")}`);
  },
};
