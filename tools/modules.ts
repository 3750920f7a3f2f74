// The JavaScript of the npm package: one module for each entrance, and chunks that they share. Few files start in half
// the time of many, and what two entrances share, such as `LacreError`, is there once.

import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { build as bundle } from "esbuild";
import packageJson from "../package.json" with { type: "json" };
import { ENTRANCES } from "./entrances.ts";

/**
 * Dependencies whose used parts are carried: they are half of the files that a start would load. They stay
 * dependencies, because the declarations name their types.
 */
const CARRIED: readonly string[] = ["kysely", "zod"];

/** Beside the entrances. */
const PROGRAM = "src/bin/main.ts";

/** Chunks lie as deep as the files that look for the pages beside the package: `../../build/` is the same from both. */
const CHUNKS = "dist/chunks";

/** Writes them to dist. `define` replaces names. */
export async function writeModules(define: Record<string, string>): Promise<void> {
  const { dependencies, optionalDependencies, peerDependencies } = packageJson;
  const known = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies });
  const { metafile } = await bundle({
    entryPoints: [...Object.values(ENTRANCES), PROGRAM],
    outbase: "src",
    outdir: "dist",
    chunkNames: `${CHUNKS.slice("dist/".length)}/[name]-[hash]`,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node22",
    mainFields: ["module", "main"], // modules, whose unused parts are left out
    external: known.filter((name) => !CARRIED.includes(name)),
    define,
    metafile: true,
  });
  for (const file of Object.keys(metafile.outputs)) mustFindPages(file);
}

/** Throws if a module looks for the pages from another depth than its source. */
function mustFindPages(file: string): void {
  const isDeep = dirname(dirname(file)) !== "dist";
  if (isDeep && /\.\.\/\.\.\/(?:build|docs)\//.test(readFileSync(file, "utf8")))
    throw new Error(`${file} would not find the pages.`);
}
