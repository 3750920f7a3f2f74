import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { figures } from "./test/durability/figures.ts";
import { slowest } from "./test/support/slowest.ts";
import { ENTRANCES } from "./tools/entrances.ts";

// Where random tests begin. All processes of a run share it.
process.env.LACRE_SEED ??= String(Date.now() % 1_000_000_000);

const HANGS_MS = (process.env.LACRE_LONG ? 6 * 60 : 60) * 60_000;

export default defineConfig({
  resolve: {
    // Tests import "lacre", "lacre/http" … from src, without a build.
    // What the build computes for the page is empty here: no test of the page's own functions calls the server by it.
    alias: Object.entries({ ...ENTRANCES, "lacre:contracts": "test/web/support/contracts.ts" }).map(([door, file]) => ({
      find: new RegExp(`^${door}$`),
      replacement: fileURLToPath(new URL(file, import.meta.url)),
    })),
  },
  test: {
    include: ["test/**/*.test.ts"], // `npm test` leaves out *.slow.test.ts
    globalSetup: ["test/support/leftovers.ts", "test/support/executable.ts"],
    setupFiles: ["test/support/sampling.ts"],
    pool: "forks", // A native addon lives best in a process of its own.
    maxWorkers: "100%", // Vitest leaves one core idle by default, which is half of two.
    isolate: false, // Files of one worker share what they import; state at the top of a module is reset by its user.
    // No test has a limit of its own: this ends one that hangs, and decides nothing on a busy machine.
    testTimeout: HANGS_MS,
    hookTimeout: HANGS_MS,
    expect: { poll: { timeout: HANGS_MS } },
    reporters: process.env.LACRE_LONG ? ["verbose", figures] : ["default", slowest],
  },
});
