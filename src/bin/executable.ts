/** The first script of the single executable: runs the program inside it, using its compiled code. */
import { writeFileSync } from "node:fs";
import { getAssetKeys, getRawAsset } from "node:sea";
import { Script } from "node:vm";
import { compiled, keep } from "./compiled.ts";

/** Where the build's own run of the program writes V8's compiled code; undefined in the final executable. */
declare const LACRE_COMPILED: string | undefined;

/** Node's `require` for this script, which finds Node's own modules and no others. */
declare const require: Require;

type Require = (name: string) => unknown;

/** A script's text as the build writes it: a function of a module's parameters in Node. */
type Wrapped = (require: Require, module: { exports: unknown }) => void;

const PROGRAM = "program.js";
const COMPILED = "program.compiled";

const assets = new Set(getAssetKeys());
const script = compiled(textOf(PROGRAM), process.execPath, assets.has(COMPILED) ? bytesOf(COMPILED) : undefined);
const to = LACRE_COMPILED;
if (to !== undefined) process.on("exit", () => writeFileSync(to, keep(script)));
run(script);

/** Runs a script, and returns what it exports. */
function run(script: Script): unknown {
  const module = { exports: {} };
  (script.runInThisContext() as Wrapped)(find, module);
  return module.exports;
}

const found = new Map<string, unknown>();

/** One of Node's modules, or one that few starts need: its text is read when it is required. */
function find(name: string): unknown {
  if (!assets.has(name)) return require(name);
  if (!found.has(name)) found.set(name, run(new Script(textOf(name), { filename: name })));
  return found.get(name);
}

function textOf(asset: string): string {
  return Buffer.from(getRawAsset(asset)).toString("latin1");
}

function bytesOf(asset: string): Uint8Array {
  return new Uint8Array(getRawAsset(asset));
}
