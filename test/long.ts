/**
 * `npm run test:long`: durability a hundredfold, the laws, the contract and core over each database that there is, then
 * the examples for shops. For hours; `LACRE_LONG=5` does a twentieth.
 */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { EVERY } from "./support/databases.ts";

const VITEST = fileURLToPath(new URL("../node_modules/vitest/vitest.mjs", import.meta.url));

const { LACRE_LONG = "100" } = process.env;

/** What finds more the longer it runs. */
const LONGER = [
  "test/durability",
  "test/core/database/concurrency",
  "test/core/archive/archive.slow.test.ts",
  ...["test/core/documents/engines", "test/core/documents/preview.slow.test.ts"],
  "test/core/documents/settlement.test.ts",
  "test/core/texts.slow.test.ts",
  "test/http/mail.slow.test.ts",
  ...["test/law/credit.slow.test.ts", "test/law/discounts.slow.test.ts"],
];

/** What is the same on each database; the folders left out have tests of one engine, or of none. */
const ON_EACH = [
  ...["test/core", "test/law", "test/http/contract", "test/conformance"],
  ...["--exclude", "test/core/{archive,database,fiscal,print}/**"],
];

/** Runs tests, and ends the whole with theirs where one fails. */
function run(tests: readonly string[], env: Readonly<Record<string, string>>): void {
  const { status } = spawnSync(process.execPath, [VITEST, "run", ...tests], {
    stdio: "inherit",
    env: { ...process.env, ...env },
  });
  if (status !== 0) process.exit(status ?? 1);
}

run(LONGER, { LACRE_LONG });
for (const { name } of EVERY) run(ON_EACH, { LACRE_DATABASES: name });
await import("./shops.ts");
