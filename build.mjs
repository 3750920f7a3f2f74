// Builds what is not plain source. `node build.mjs viewer | area | dist | executable | kept`
//   viewer      build/viewer/: the API documentation page's script and style, from swagger-ui-dist
//   area        build/area.json: the company area, from src/web
//   dist        dist/: JavaScript and declarations for npm, and both pages beside them
//   executable  build/lacre: Node, the program, its SQLite and both pages in one file
//   kept        the same where tests find it; prints its path, and builds nothing while all it is made of stays the same
// LACRE_PRODUCER=FILE binds dist or the executable to a certified producer: {"certificate_number": 1234, "name": …,
// "tax_id": …, "public_key": "-----BEGIN PUBLIC KEY-----…"} (docs/operating.md, "Certification").

import { execFileSync, spawn } from "node:child_process";
import { createHash, createPublicKey, hash } from "node:crypto";
import { once } from "node:events";
import {
  appendFileSync,
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { build as bundle, transform } from "esbuild";
import { buildArea } from "./area.mjs";
import { finishDeclarations } from "./declarations.mjs";
import { BUNDLED, mustNotImport, scriptOf, scriptsIn } from "./scripts.ts";

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
function viewer(to = "build/viewer") {
  const from = "node_modules/swagger-ui-dist";
  mkdirSync(to, { recursive: true });
  const script = readFileSync(`${from}/swagger-ui-bundle.js`, "utf8").replace(/\n\/\/# sourceMappingURL=.*/, "");
  // The page may run no inline script, so the line that starts the viewer travels with it.
  const start = `SwaggerUIBundle({ url: "openapi.json", dom_id: "#docs", deepLinking: true, validatorUrl: null });\n`;
  writeFileSync(`${to}/viewer.js`, `${script}\n${start}`);
  const style = readFileSync(`${from}/swagger-ui.css`, "utf8").replace(/\n\/\*# sourceMappingURL=.*/, "");
  writeFileSync(`${to}/viewer.css`, style);
  copyFileSync(`${from}/LICENSE`, `${to}/LICENSE`);
}

/** The company area as one file, small enough to be read at a start. Returns how many bytes its script weighs. */
async function writeArea(to) {
  const { shell, assets, script_bytes } = await buildArea();
  mkdirSync(dirname(to), { recursive: true });
  writeFileSync(to, JSON.stringify({ shell, assets }));
  return script_bytes;
}

async function area() {
  console.log(`The area's script weighs ${await writeArea("build/area.json")} bytes, compressed.`);
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

/** Where executables are kept, each in a directory named by the digest of all that it is made of. */
const KEPT = "build/kept";
/** How many: those of the sources one is going back and forth between. */
const MOST_KEPT = 4;

/** What an executable is made of, beside the producer: Node, the sources, and what says how they are bundled. */
const INPUTS = [
  ...["build.mjs", "scripts.ts", "area.mjs", "tsconfig.json", "package.json", "package-lock.json"],
  ...["node_modules/.package-lock.json", "node_modules/node/bin/node", "src"],
];

function digestOfInputs() {
  const digest = createHash("sha256").update(JSON.stringify([process.platform, process.arch, producerOfBuild()]));
  const files = INPUTS.flatMap((input) =>
    statSync(input).isFile()
      ? [input]
      : readdirSync(input, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => join(entry.parentPath, entry.name)),
  );
  for (const file of files.sort()) digest.update(`\n${file}\n`).update(hash("sha256", readFileSync(file)));
  return digest.digest("hex").slice(0, 32);
}

/** The path of the executable of these sources. It is made aside where it is not there yet, so that several may ask. */
async function keptExecutable() {
  const directory = join(KEPT, digestOfInputs());
  const lacre = resolve(directory, "lacre");
  if (!existsSync(lacre)) {
    mkdirSync(KEPT, { recursive: true });
    const draft = mkdtempSync(join(KEPT, "draft-"));
    const made = join(draft, "made");
    try {
      mkdirSync(made);
      await makeExecutable(join(made, "lacre"), draft);
      rmSync(directory, { recursive: true, force: true }); // a directory that has lost its executable
      renameSync(made, directory);
    } catch (error) {
      if (!existsSync(lacre)) throw error; // else another has made it meanwhile
    } finally {
      rmSync(draft, { recursive: true, force: true });
    }
  }
  const now = new Date();
  utimesSync(directory, now, now);
  const byUse = readdirSync(KEPT)
    .map((name) => ({
      path: join(KEPT, name),
      used: statSync(join(KEPT, name), { throwIfNoEntry: false })?.mtimeMs ?? 0,
    }))
    .sort((a, b) => b.used - a.used);
  for (const { path } of byUse.slice(MOST_KEPT)) rmSync(path, { recursive: true, force: true });
  return lacre;
}

/** Prints where the executable of these sources is; makes it where it is not there yet. */
async function kept() {
  console.log(await keptExecutable());
}

async function executable() {
  const draft = `build/lacre.${process.pid}`;
  copyFileSync(await keptExecutable(), draft, constants.COPYFILE_FICLONE);
  renameSync(draft, "build/lacre"); // A running one keeps its file.
}

/**
 * Node's single-executable feature, used directly. One Node, the one in node_modules, both prepares the program's blob
 * and carries it: a blob from another version crashes. For Linux with glibc; other systems sign or name things differently.
 *
 * It is made twice: what V8 compiled while the first one started is carried by the second. `work` is a directory for
 * the parts.
 */
async function makeExecutable(to, work) {
  viewer(join(work, "viewer"));
  await writeArea(join(work, "area.json"));
  for (const script of scriptsIn(work)) writeFileSync(script.file, await scriptOf(script, producerOfBuild()));
  const compiled = join(work, "program.compiled");
  const recording = join(work, "lacre-recording");
  await carrier(recording, work, { compiled_to: compiled });
  await firstStart(recording);
  await carrier(to, work, { compiled });
}

/** An executable that carries the program, and what V8 compiled of it or an order to write that at its end. */
async function carrier(to, work, { compiled, compiled_to }) {
  const node = "node_modules/node/bin/node";
  const main = join(work, "executable.cjs");
  await bundle({
    ...BUNDLED,
    entryPoints: ["src/bin/executable.ts"],
    outfile: main,
    minify: true,
    define: { LACRE_COMPILED: compiled_to === undefined ? "undefined" : JSON.stringify(resolve(compiled_to)) },
  });
  mustNotImport("executable.cjs", readFileSync(main, "utf8"));
  const settings = {
    main,
    output: join(work, "executable.blob"),
    disableExperimentalSEAWarning: true,
    useCodeCache: true,
    execArgv: NODE_OPTIONS,
    execArgvExtension: "none", // NODE_OPTIONS of the machine must not change what the executable does.
    assets: {
      ...Object.fromEntries(scriptsIn(work).map(({ name, file }) => [name, file])),
      ...(compiled && { "program.compiled": compiled }),
      "better_sqlite3.node": `node_modules/better-sqlite3/prebuilds/${process.platform}-${process.arch}.node`,
      "viewer.js": join(work, "viewer/viewer.js"),
      "viewer.css": join(work, "viewer/viewer.css"),
      "area.json": join(work, "area.json"),
    },
  };
  const config = join(work, "executable.json");
  writeFileSync(config, JSON.stringify(settings));
  const makeBlob = () => quietly(node, "--experimental-sea-config", config);
  makeBlob();
  const past = compiled ? pastAligned(readFileSync(settings.output), readFileSync(compiled)) : 0;
  if (past > 0) {
    appendFileSync(main, "\n".repeat(ALIGNMENT - past)); // It comes before the assets.
    makeBlob();
  }
  copyFileSync(node, to);
  chmodSync(to, 0o755);
  quietly("strip", to); // Before the blob goes in: strip would throw it away.
  const fuse = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";
  // It warns of every note without a name, dozens of times.
  quietly(process.execPath, POSTJECT, to, "NODE_SEA_BLOB", settings.output, "--sentinel-fuse", fuse);
}

const POSTJECT = fileURLToPath(new URL("cli.js", import.meta.resolve("postject")));

/** Runs a program; what it prints is shown where it fails. */
function quietly(command, ...args) {
  try {
    execFileSync(command, args, { stdio: "pipe" });
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
    throw new Error(`There is no program ${command} on the PATH; strip is in the package binutils.`);
  }
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

const targets = { viewer, area, dist, executable, kept };
const target = targets[process.argv[2]];
if (!target) {
  console.error(`usage: node build.mjs ${Object.keys(targets).join(" | ")}`);
  process.exit(2);
}
await target();
