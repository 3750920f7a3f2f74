/** The first script of the single executable: runs the program that it carries, as far as it is compiled already. */
import { writeFileSync } from "node:fs";
import { getAssetKeys, getRawAsset } from "node:sea";
import { compiled, keep } from "./compiled.ts";

/** Where the build's own run of the program writes what V8 compiled; undefined in the executable that is kept. */
declare const LACRE_COMPILED: string | undefined;

/** What Node gives this script: it finds Node's own modules and no others. */
declare const require: unknown;

const PROGRAM = "program.js";
const COMPILED = "program.compiled";

const source = Buffer.from(getRawAsset(PROGRAM)).toString("latin1");
const kept = getAssetKeys().includes(COMPILED) ? new Uint8Array(getRawAsset(COMPILED)) : undefined;
const script = compiled(source, process.execPath, kept);
const to = LACRE_COMPILED;
if (to !== undefined) process.on("exit", () => writeFileSync(to, keep(script)));
script.runInThisContext()(require);
