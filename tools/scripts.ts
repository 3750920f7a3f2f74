// The scripts that the executable carries, as functions of `require`.

import { basename, extname, join } from "node:path";
import { type BuildOptions, build as bundle } from "esbuild";

/** A script of the executable: its name there, and the program that is bundled into it. */
interface Script {
  readonly name: string;
  readonly contents: string;
}

/** The options with which every script of the executable is bundled. */
export const BUNDLED = {
  bundle: true,
  platform: "node",
  mainFields: ["module", "main"], // modules, whose unused parts are left out
  format: "cjs",
  target: "node24",
  // The executable runs scripts by `vm`, where import() fails: each becomes a call of require.
  supported: { "dynamic-import": false },
} satisfies BuildOptions;

/**
 * Parts that few starts need, by the program's imports of them. Kept apart they cost a start nothing, and they are half
 * of all text.
 */
const APART = {
  pdfkit: 'import it from "pdfkit"; module.exports = it;',
  pg: 'import it from "pg"; module.exports = it;',
  "./fonts/noto-sans.ts": 'import * as it from "./src/core/print/fonts/noto-sans.ts"; module.exports = it;',
};

/** Each script: its name in the executable, what is bundled into it, the file it is built as. */
export const scriptsIn = (directory: string): (Script & { readonly file: string })[] =>
  Object.entries({ "program.js": 'import "./src/bin/program.ts";', ...APART }).map(([name, contents]) => {
    const file = join(directory, `${basename(name, extname(name))}.js`);
    return { name, contents, file };
  });

/**
 * The text of a script, in ASCII: V8 uses text of one byte per character in place. `define` replaces names. Throws if a
 * call of import() is left in it.
 */
export async function scriptOf({ name, contents }: Script, define: Record<string, string> = {}): Promise<string> {
  const { outputFiles } = await bundle({
    ...BUNDLED,
    stdin: { contents, resolveDir: "." },
    external: Object.keys(APART).filter((other) => other !== name),
    write: false,
    minifyWhitespace: true,
    minifySyntax: true, // Names stay: stacks of bug reports show them, and restoring them would take time at each start.
    // The executable has no module file: code that asks for its location gets the executable's.
    define: { "import.meta.url": "executableUrl", LACRE_CARRIES_SQLITE: "true", ...define },
    banner: { js: `const executableUrl = require("node:url").pathToFileURL(process.execPath).href;` },
  });
  const [{ text } = { text: "" }] = outputFiles;
  mustNotImport(name, text);
  // Only regular expressions still have other characters, and there an escape means the same.
  const ascii = text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return `(function (require, module, __dirname) {${ascii}\n})`;
}

/**
 * Throws if a script calls import(), which would fail in the executable. A text that only looks like it is refused,
 * too.
 */
export function mustNotImport(name: string, text: string): void {
  const [left] = /(?<![\w$]|\.\s*)import\s*\(.{0,40}/.exec(text) ?? [];
  if (left !== undefined) throw new Error(`import() fails in the executable, and ${name} calls it: ${left}`);
}
