import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { ENTRANCES } from "../../tools/entrances.ts";

/** The browser tests: one file after another, for they share the machine with a browser. `npm run test:web` */
export default defineConfig({
  resolve: {
    // As in the other tests: "lacre" from src, without a build.
    alias: Object.entries(ENTRANCES).map(([door, file]) => ({
      find: new RegExp(`^${door}$`),
      replacement: fileURLToPath(new URL(`../../${file}`, import.meta.url)),
    })),
  },
  test: {
    root: fileURLToPath(new URL("../..", import.meta.url)),
    include: ["test/web/*.browser.ts"],
    globalSetup: "test/support/executable.ts",
    pool: "forks",
    fileParallelism: false,
    isolate: false, // One browser for all.
    testTimeout: process.env.LACRE_ALL ? 7_200_000 : 900_000, // A busy machine must not decide.
    hookTimeout: 180_000,
    expect: { poll: { timeout: 120_000 } },
    reporters: ["verbose"],
  },
});
