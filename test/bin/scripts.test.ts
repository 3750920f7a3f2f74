import { createRequire } from "node:module";
import { runInThisContext } from "node:vm";
import { expect, test } from "vitest";
import { mustNotImport, scriptOf } from "../../tools/scripts.ts";

const require = createRequire(import.meta.url);

/** Runs a script as the executable does, and returns what it exports. */
async function exportsOf(contents: string): Promise<Record<string, () => Promise<unknown>>> {
  const module = { exports: {} };
  runInThisContext(await scriptOf({ name: "a script", contents }))(require, module);
  return module.exports;
}

test("a script finds what it imports while it runs, under a fixed name or any other", async () => {
  const made = await exportsOf(`
    export const fixed = async () => (await import("node:https")).request;
    export const any = async (name = "node:read" + "line") => (await import(name)).createInterface;`);
  expect(await made.fixed?.()).toBe(require("node:https").request);
  expect(await made.any?.()).toBe(require("node:readline").createInterface);
});

test("the control: a script that calls import() itself finds nothing", async () => {
  await expect(runInThisContext('import("node:https")')).rejects.toThrow("dynamic import callback");
});

test("a script that still calls import() is refused", async () => {
  for (const left of ['let a=await import("node:a")', "import(name)", "x=>import (x)", ";import('a')"]) {
    expect(() => mustNotImport("program.js", left)).toThrow(
      "import() fails in the executable, and program.js calls it",
    );
  }
  for (const other of ["signer.import(key)", "reimport(key)", "$import(key)", "signer. import(key)"])
    mustNotImport("", other);
  await expect(scriptOf({ name: "a script", contents: 'eval("import(name)")' })).rejects.toThrow("import() fails");
});
