/**
 * `npm run test:shops`: the examples for shops, each in a throw-away folder with the shop's own packages from npm and
 * the Lacre of this repository. It runs the day of examples/vendure and type-checks examples/medusa.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import packageJson from "../package.json" with { type: "json" };

const folder = mkdtempSync(join(tmpdir(), "lacre-shops-"));

/** Runs a command to its end; answers what it wrote, unless it failed. */
function run(command: string, args: readonly string[], cwd: string): string | undefined {
  const { status, stdout } = spawnSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
  process.stdout.write(stdout);
  return status === 0 ? stdout : undefined;
}

function must(command: string, args: readonly string[], cwd: string): string {
  const told = run(command, args, cwd);
  assert(told !== undefined, `${command} ${args.join(" ")} failed.`);
  return told;
}

/** Installs an example and compiles it; answers its folder. */
function compiled(example: string): string {
  const cwd = join(folder, example);
  cpSync(join("examples", example), cwd, { recursive: true });
  const manifest = join(cwd, "package.json");
  const { dependencies, ...rest } = JSON.parse(readFileSync(manifest, "utf8"));
  const lacre = `file:../lacre-${packageJson.version}.tgz`;
  writeFileSync(manifest, JSON.stringify({ ...rest, dependencies: { ...dependencies, lacre } }));
  must("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund"], cwd);
  must("npm", ["run", "build"], cwd);
  return cwd;
}

/** Both kinds of types count: what an example makes of an order that is none, and sends in a field that is none. */
function refusesWrongTypes(cwd: string, order: string): void {
  const wrong = join(cwd, "src/wrong.ts");
  writeFileSync(
    wrong,
    `${order}
import type { NewDocument } from "lacre";
export const order: Order = { nome: "Ana" };
export const document: NewDocument = { doc_type: "FR", lines: [], nome: "Ana" };
`,
  );
  const { status, stdout } = spawnSync("node_modules/.bin/tsc", ["--noEmit"], { cwd, encoding: "utf8" });
  assert.notEqual(status, 0);
  assert.equal(stdout.match(/'nome' does not exist/g)?.length, 2, stdout);
  rmSync(wrong);
}

function vendure(): void {
  const cwd = compiled("vendure");
  refusesWrongTypes(cwd, 'import type { Order } from "@vendure/core";');
  must("npm", ["run", "day"], cwd);

  const plugin = join(cwd, "dist/lacre-plugin.js");
  const text = readFileSync(plugin, "utf8");
  const without = text.replace(/idempotency_key: `vendure-order-\$\{code\}`/, "");
  assert.notEqual(without, text);
  writeFileSync(plugin, without);
  console.log("The same without an Idempotency-Key, which the day must notice:");
  assert.equal(run("npm", ["run", "day"], cwd), undefined);
}

function medusa(): void {
  const order = 'import type { OrderDTO as Order } from "@medusajs/framework/types";';
  refusesWrongTypes(compiled("medusa"), order);
}

try {
  must("npm", ["pack", "--silent", "--pack-destination", folder], ".");
  vendure();
  medusa();
} finally {
  rmSync(folder, { recursive: true });
}
