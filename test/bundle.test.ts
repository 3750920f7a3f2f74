/** Bundles of a program with Lacre in it, made as docs/embedding.md says. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";

const [, section = ""] = readFileSync("docs/embedding.md", "utf8").split("\n## In a bundle\n");
const COMMANDS = section.split("\n").filter((line) => line.startsWith("esbuild "));

/** A program that issues and prints, over each driver. */
const PROGRAM = `
import { nodeSqlite } from ${JSON.stringify(resolve("src/core/database/node-sqlite.ts"))};
import { sqlite } from ${JSON.stringify(resolve("src/core/database/sqlite.ts"))};
import { openInMemory } from ${JSON.stringify(resolve("src/core/testing.ts"))};

async function printed(dialect: ReturnType<typeof sqlite>) {
  const { lacre, company, series } = await openInMemory({ dialect, now: () => new Date("2026-11-21T10:00:00Z") });
  const { id: customer_id } = await company.customers.create({ name: "Ana" });
  const { id } = await company.documents.create({
    doc_type: "FT",
    series_id: series.FT,
    customer_id,
    issue_date: "2026-11-21",
    lines: [{ description: "Pão de Mafra", qty: 1, unit_price_net: 1.15, tax_rate: 6 }],
    issue: true,
  });
  const { pdf } = await company.documents.pdf({ id });
  await lacre.close();
  return Buffer.from(pdf).subarray(0, 5).toString();
}

(async () => {
  console.log(await printed(sqlite(":memory:")), await printed(nodeSqlite(":memory:")));
})();
`;

/** What the program prints once a command has bundled it. */
function ran(command: string): string {
  mkdirSync("build", { recursive: true });
  const directory = mkdtempSync("build/bundle-"); // below node_modules, where the addon is found
  onTestFinished(() => rmSync(directory, { recursive: true }));
  writeFileSync(join(directory, "app.ts"), PROGRAM);
  const env = { ...process.env, PATH: `${resolve("node_modules/.bin")}:${process.env.PATH}` };
  execFileSync("sh", ["-c", command], { cwd: directory, env, stdio: "pipe" });
  const [, outfile = ""] = /--outfile=(\S+)/.exec(command) ?? [];
  return execFileSync(process.execPath, ["--no-warnings", outfile], {
    cwd: directory,
    encoding: "utf8",
    stdio: "pipe",
  });
}

test("the docs show a module and CommonJS", () => {
  expect(COMMANDS.map((command) => /--format=(\w+)/.exec(command)?.[1])).toEqual(["esm", "cjs"]);
});

test.each(COMMANDS)("%s: its output issues and prints, over both drivers", (command) => {
  expect(ran(command)).toBe("%PDF- %PDF-\n");
});

test("the control: without its options CommonJS does not print", () => {
  const [bare = ""] = (COMMANDS[1] ?? "").split(" --define");
  expect(() => ran(bare)).toThrow("Invalid URL");
});
