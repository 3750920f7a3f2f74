// Builds what is not plain source. `node build.mjs viewer | area | dist | executable`
//   viewer      build/viewer/: the API documentation page's script and style, from swagger-ui-dist
//   area        build/area.json: the company area, from src/web
//   dist        dist/: JavaScript and declarations for npm, and both pages beside them
//   executable  build/lacre: Node, the program, its SQLite and both pages in one file
// LACRE_PRODUCER=FILE binds dist or the executable to a certified producer: {"certificate_number": 1234, "name": …,
// "tax_id": …, "public_key": "-----BEGIN PUBLIC KEY-----…"} (docs/operating.md, "Certification").

import { execFileSync, spawn } from "node:child_process";
import { createPublicKey } from "node:crypto";
import { once } from "node:events";
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, extname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { build as bundle, transform } from "esbuild";
import { inject } from "postject";
import { buildArea } from "./area.mjs";
import { finishDeclarations } from "./declarations.mjs";

process.chdir(import.meta.dirname);
const run = (command, ...args) => execFileSync(command, args, { stdio: "inherit" });

/** What stands for LACRE_PRODUCER in the source: the producer in the file of that name, or none. */
function producerOfBuild() {
  const file = process.env.LACRE_PRODUCER;
  if (!file) return { LACRE_PRODUCER: "undefined" };
  const { certificate_number, name, tax_id, public_key, ...others } = JSON.parse(readFileSync(file, "utf8"));
  const key = createPublicKey(public_key);
  const isRight =
    Number.isInteger(certificate_number) &&
    certificate_number >= 1 &&
    certificate_number <= 9_999 &&
    [name, tax_id].every((text) => typeof text === "string" && text !== "") &&
    key.asymmetricKeyDetails.modulusLength === 1024 &&
    Object.keys(others).length === 0;
  if (!isRight)
    throw new Error(`${file} must give certificate_number (1 to 9999), name, tax_id and public_key (RSA, 1024).`);
  const pem = key.export({ type: "spki", format: "pem" });
  return { LACRE_PRODUCER: JSON.stringify({ certificate_number, name, tax_id, public_key: pem }) };
}

/** One script and one style sheet, so that the page asks nothing of any other host. */
function viewer() {
  const from = "node_modules/swagger-ui-dist";
  mkdirSync("build/viewer", { recursive: true });
  const script = readFileSync(`${from}/swagger-ui-bundle.js`, "utf8").replace(/\n\/\/# sourceMappingURL=.*/, "");
  // The page may run no inline script, so the line that starts the viewer travels with it.
  const start = `SwaggerUIBundle({ url: "openapi.json", dom_id: "#docs", deepLinking: true, validatorUrl: null });\n`;
  writeFileSync("build/viewer/viewer.js", `${script}\n${start}`);
  const style = readFileSync(`${from}/swagger-ui.css`, "utf8").replace(/\n\/\*# sourceMappingURL=.*/, "");
  writeFileSync("build/viewer/viewer.css", style);
  copyFileSync(`${from}/LICENSE`, "build/viewer/LICENSE");
}

/** The company area as one file, small enough to be read at a start. */
async function area() {
  const { shell, assets, script_bytes } = await buildArea();
  mkdirSync("build", { recursive: true });
  writeFileSync("build/area.json", JSON.stringify({ shell, assets }));
  console.log(`The area's script weighs ${script_bytes} bytes, compressed.`);
}

/** TypeScript's own output, file by file, and the licence of the fonts in it. */
async function dist() {
  viewer();
  await area();
  rmSync("dist", { recursive: true, force: true });
  run("node_modules/.bin/tsc", "--project", "tsconfig.build.json");
  const producer = "dist/core/signing/producer.js";
  writeFileSync(producer, (await transform(readFileSync(producer, "utf8"), { define: producerOfBuild() })).code);
  await finishDeclarations("dist");
  copyFileSync("src/core/print/fonts/OFL.txt", "dist/core/print/fonts/OFL.txt");
  chmodSync("dist/bin/main.js", 0o755);
}

/** Options under which the executable's Node runs, and under which its program is compiled when it is made. */
// A larger nursery makes nothing faster here, and an export of a year takes 40 MB more. Of Node's four threads that
// compile and collect garbage, each keeps up to 3 MB; two do as well.
// And no signal opens Node's debugger in the process that holds the signing key.
const NODE_OPTIONS = ["--no-warnings", "--disable-sigusr1", "--max-semi-space-size=8", "--v8-pool-size=2"];

/** What every script of the executable is bundled with. */
const BUNDLED = {
  bundle: true,
  platform: "node",
  mainFields: ["module", "main"], // modules, of which what nothing uses is left out
  format: "cjs",
  target: "node24",
};

/**
 * Node's single-executable feature, used directly. One Node, the one in node_modules, both prepares the program's blob
 * and carries it: a blob from another version crashes. For Linux with glibc; other systems sign or name things differently.
 *
 * It is made twice: what V8 compiled while the first one started is carried by the second.
 */
async function executable() {
  viewer();
  await area();
  const scripts = { "program.js": 'import "./src/bin/program.ts";', ...APART };
  for (const [name, text] of Object.entries(scripts)) await script(text, scriptFile(name));
  const made = "build/program.compiled";
  rmSync(made, { force: true });
  await carrier("build/lacre-recording", { compiled_to: made });
  await firstStart("build/lacre-recording");
  await carrier("build/lacre", { compiled: made });
  rmSync("build/lacre-recording");
}

/** What few starts need, as the program imports it. Apart it costs a start nothing, and it is half of all text. */
const APART = {
  pdfkit: 'import it from "pdfkit"; module.exports = it;',
  pg: 'import it from "pg"; module.exports = it;',
  "./fonts/noto-sans.ts": 'import * as it from "./src/core/print/fonts/noto-sans.ts"; module.exports = it;',
};

/** Where the script of that name is built. */
const scriptFile = (name) => `build/${basename(name, extname(name))}.js`;

/** A script as a function of `require`, in ASCII: V8 takes text of one byte per character as it lies there. */
async function script(contents, to) {
  const { outputFiles } = await bundle({
    ...BUNDLED,
    stdin: { contents, resolveDir: "." },
    external: Object.keys(APART).filter((name) => scriptFile(name) !== to),
    write: false,
    minifyWhitespace: true,
    minifySyntax: true, // Names stay: stacks of bug reports show them, and to give them back takes time at each start.
    // There is no module file in the executable: code that asks where it lies is told where the executable lies.
    define: { "import.meta.url": "executableUrl", ...producerOfBuild() },
    banner: { js: `const executableUrl = require("node:url").pathToFileURL(process.execPath).href;` },
  });
  const [{ text }] = outputFiles;
  // Only regular expressions are left with other characters, and there an escape means the same.
  const ascii = text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  writeFileSync(to, `(function (require, module, __dirname) {${ascii}\n})`);
}

/** An executable that carries the program, and what V8 compiled of it or an order to write that at its end. */
async function carrier(to, { compiled, compiled_to }) {
  const node = "node_modules/node/bin/node";
  await bundle({
    ...BUNDLED,
    entryPoints: ["src/bin/executable.ts"],
    outfile: "build/executable.cjs",
    minify: true,
    define: { LACRE_COMPILED: compiled_to === undefined ? "undefined" : JSON.stringify(resolve(compiled_to)) },
  });
  const settings = {
    main: "build/executable.cjs",
    output: "build/executable.blob",
    disableExperimentalSEAWarning: true,
    useCodeCache: true,
    execArgv: NODE_OPTIONS,
    execArgvExtension: "none", // NODE_OPTIONS of the machine must not change what the executable does.
    assets: {
      ...Object.fromEntries(["program.js", ...Object.keys(APART)].map((name) => [name, scriptFile(name)])),
      ...(compiled && { "program.compiled": compiled }),
      "better_sqlite3.node": `node_modules/better-sqlite3/prebuilds/${process.platform}-${process.arch}.node`,
      "viewer.js": "build/viewer/viewer.js",
      "viewer.css": "build/viewer/viewer.css",
      "area.json": "build/area.json",
    },
  };
  writeFileSync("build/executable.json", JSON.stringify(settings));
  const makeBlob = () => run(node, "--experimental-sea-config", "build/executable.json");
  makeBlob();
  const past = compiled ? pastAligned(readFileSync(settings.output), readFileSync(compiled)) : 0;
  if (past > 0) {
    appendFileSync(settings.main, "\n".repeat(ALIGNMENT - past)); // It comes before the assets.
    makeBlob();
  }
  rmSync(to, { force: true }); // A running one keeps its file.
  copyFileSync(node, to);
  chmodSync(to, 0o755);
  run("strip", to); // Before the blob goes in: strip would throw it away.
  const sentinelFuse = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";
  await inject(to, "NODE_SEA_BLOB", readFileSync("build/executable.blob"), { sentinelFuse });
}

/** V8 copies what it compiled, unless that lies at a multiple of so many bytes: 2 MB, at each start. */
const ALIGNMENT = 8;

/** How far past such a place the blob has V8's data, which follow a checksum of four bytes (src/bin/compiled.ts). */
const pastAligned = (blob, compiled) => (blob.indexOf(compiled) + 4) % ALIGNMENT;

/** Serves a new company until the first answer. */
async function firstStart(lacre) {
  const directory = mkdtempSync(join(tmpdir(), "lacre-build-"));
  const env = { PATH: process.env.PATH, HOME: directory, LACRE_NATIVE_DIR: directory };
  const db = join(directory, "lacre.db");
  try {
    execFileSync(lacre, ["init", "--name", "Lacre", "--tax-id", "501964843", "--db", db], { env, stdio: "ignore" });
    const stdio = ["ignore", "pipe", "inherit"];
    const server = spawn(lacre, ["serve", "--port", "0", "--db", db], { env, stdio });
    const ended = once(server, "exit");
    for await (const line of createInterface({ input: server.stdout })) {
      const { event, url } = JSON.parse(line);
      if (event !== "listening") continue;
      await (await fetch(`${url}/healthz`)).arrayBuffer();
      server.kill("SIGTERM");
    }
    const [code] = await ended;
    if (code !== 0) throw new Error(`The first start ended with ${code}.`);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

const targets = { viewer, area, dist, executable };
const target = targets[process.argv[2]];
if (!target) {
  console.error(`usage: node build.mjs ${Object.keys(targets).join(" | ")}`);
  process.exit(2);
}
await target();
