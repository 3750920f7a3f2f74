import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { createHandler, openApiDocument } from "lacre/http";
import { serve } from "lacre/node";
import { openInMemory } from "lacre/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const run = promisify(execFile);
const node = (...args: string[]) => [process.execPath, ["--import", "./test/support/from-source.ts", ...args]] as const;

let instance: Awaited<ReturnType<typeof openInMemory>>;
let server: Awaited<ReturnType<typeof serve>>;
let env: NodeJS.ProcessEnv;
const year = new Date().getFullYear();

beforeAll(async () => {
  instance = await openInMemory();
  server = await serve(createHandler(instance.lacre), { port: 0 });
  // Newer than this year's series, which the examples must find all the same.
  const { series } = instance.company;
  await series.create({ doc_type: "FT", code: `${year + 1}A` });
  await series.create({ doc_type: "FT", code: `${year}AULA`, training: true });
  const { id } = await series.create({ doc_type: "FT", code: `${year}B` });
  await series.change({ id, status: "closed" });
  env = { ...process.env, LACRE_URL: server.url, LACRE_KEY: instance.api_key };
});

afterAll(async () => {
  await server.close();
  await instance.lacre.close();
});

test("every example has a test", () => {
  const examples = readdirSync("examples").sort();
  expect(examples).toEqual([
    "embed-fetch.ts",
    "embed-node.ts",
    "first-invoice.sh",
    "medusa", // by medusa.test.ts and shops.ts
    "test-your-shop.ts",
    "typed-client",
    "vendure", // by shops.ts
  ]);
});

describe("in docstrings", () => {
  const examples = readdirSync("src", { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .flatMap((path) => examplesOf(path, readFileSync(join("src", path), "utf8")));

  test("there are some", () => expect(examples.length).toBeGreaterThan(3));

  test.each(examples)("the example in $path runs and gives what it says", async ({ program }) => {
    const cwd = mkdtempSync(join(tmpdir(), "lacre-example-"));
    try {
      const hook = import.meta.resolve("./support/from-source.ts");
      await run(process.execPath, ["--import", hook, "--input-type=module-typescript", "--eval", program], { cwd });
    } finally {
      rmSync(cwd, { recursive: true });
    }
  });

  test("a wrong example is found", async () => {
    const [{ program } = { program: "" }] = examplesOf("", " * ```ts\n * 1 + 1; // => 3\n * ```\n");
    await expect(run(process.execPath, ["--input-type=module", "--eval", program])).rejects.toThrow("2 !== 3");
  });

  /** The examples in a file's doc comments, as programs in which `expression; // => value` is an assertion. */
  function examplesOf(path: string, text: string) {
    return Array.from(text.matchAll(/^ *\* ```ts\n((?: *\*.*\n)*?) *\* ```$/gm), ([, lines = ""]) => {
      const code = lines.replace(/^ *\* ?/gm, "");
      const asserted = code.replace(/^(.+); \/\/ => (.+)$/gm, "assert.deepEqual($1, $2);");
      return { path, program: `import assert from "node:assert/strict";\n${asserted}` };
    });
  }
});

test("the first invoice is issued and paid by one request, and never twice for one order", async () => {
  const sell = () => run("bash", ["examples/first-invoice.sh", "order-1"], { env });
  const { stdout } = await sell();
  expect(stdout).toBe(`Issued FR ${year}A/1 over 71.99 EUR. It is paid.\n`);
  expect((await sell()).stdout).toBe(stdout);
  const refused = run("bash", ["examples/first-invoice.sh"], { env: { ...env, LACRE_KEY: "lacre_live_wrong" } });
  await expect(refused).rejects.toMatchObject({ stderr: expect.stringContaining('"unauthorized"') });
});

test("a node:http server keeps its own pages beside Lacre", async () => {
  const [file, args] = node("examples/embed-node.ts");
  const child = spawn(file, args, { env: { ...process.env, PORT: "0" }, stdio: ["ignore", "pipe", "inherit"] });
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  const { port } = JSON.parse(line) as { port: number };

  expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe("Loja sells bread here.\n");
  expect((await fetch(`http://127.0.0.1:${port}/v1/me`)).status).toBe(401);

  child.kill("SIGTERM");
  expect(await once(child, "exit")).toEqual([0, null]);
});

test("Lacre runs inside a fetch-style server", async () => {
  const { stdout } = await run(...node("examples/embed-fetch.ts"));
  expect(stdout).toContain("Bread, and invoices under /v1.");
  expect(stdout).toContain("scopes: [ 'customers:read' ]");
});

test("a shop tests itself against Lacre in memory", async () => {
  const { stdout } = await run(...node("--test", "--test-reporter=tap", "examples/test-your-shop.ts"), {
    env: { ...process.env, NODE_TEST_CONTEXT: undefined },
  });
  expect(stdout).toContain("# pass 2");
  expect(stdout).toContain("# fail 0");
});

test("a client generated from the description works, and its types refuse a wrong field", async () => {
  const cwd = "examples/typed-client";
  writeFileSync(`${cwd}/openapi.json`, JSON.stringify(openApiDocument()));
  await run("node_modules/.bin/openapi-typescript", ["openapi.json", "--output", "lacre.d.ts"], { cwd });
  await run("node_modules/.bin/tsc", [], { cwd });

  const { stdout } = await run(process.execPath, ["main.ts"], { cwd, env });
  expect(stdout).toMatch(new RegExp(`^FT ${year}A/\\d+: 3\\.66 EUR, unpaid\n$`));

  const wrong = `${cwd}/wrong.ts`;
  writeFileSync(
    wrong,
    `import createClient from "openapi-fetch";
import type { paths } from "./lacre.d.ts";
await createClient<paths>().POST("/v1/customers", { body: { nome: "Ana" } });
`,
  );
  try {
    await expect(run("node_modules/.bin/tsc", [], { cwd })).rejects.toMatchObject({
      stdout: expect.stringContaining("'nome' does not exist"),
    });
  } finally {
    rmSync(wrong);
  }
});
