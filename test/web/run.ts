/** `npm run test:web`: the company area in a real browser. With --all: the full matrix; other words name test files. */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const path = (of: string) => fileURLToPath(import.meta.resolve(of));
const given = process.argv.slice(2);
const files = given.filter((word) => word !== "--all");
const all = files.length < given.length;

const vitest = path("../../node_modules/vitest/vitest.mjs");
const tests = spawn(process.execPath, [vitest, "run", "--config", path("./vitest.config.ts"), ...files], {
  stdio: "inherit",
  env: { ...process.env, ...(all && { LACRE_ALL: "1" }) },
});
tests.once("exit", (code) => {
  process.exitCode = code ?? 1;
});
