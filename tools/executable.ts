// The executable: Node, the program, its SQLite and both pages in one file. For Linux with glibc; other systems sign or
// name things differently.

import { execFileSync, spawn } from "node:child_process";
import { createHash, hash } from "node:crypto";
import { once } from "node:events";
import {
  chmodSync,
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
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { build as bundle } from "esbuild";
import { writeArea, writeManual, writeViewer } from "./pages.ts";
import { producerOfBuild } from "./producer.ts";
import { BUNDLED, mustNotImport, scriptOf, scriptsIn } from "./scripts.ts";

/** The executables that are kept, each in a directory named by the digest of all its inputs. */
const KEPT = "build/kept";
/** How many are kept: enough for going back and forth between a few states of the sources. */
const MAX_KEPT = 4;

/** The inputs of an executable, beside the producer: Node, the sources, and the files that configure bundling. */
const INPUTS = [
  ...["tools", "src", "docs", "tsconfig.json", "package.json", "package-lock.json"],
  ...["node_modules/.package-lock.json", "node_modules/node/bin/node"],
];

function digestOfInputs(): string {
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

/**
 * The path of the executable of these sources. It is built under another name if it is missing, so that several callers
 * may ask at once.
 */
export async function keptExecutable(): Promise<string> {
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
  for (const { path } of byUse.slice(MAX_KEPT)) rmSync(path, { recursive: true, force: true });
  return lacre;
}

/**
 * Builds the executable at `to`, by Node's single-executable feature; `work` is a directory for its parts. It is built
 * twice: the second one carries the code that V8 compiled while the first one started (docs/benchmarks.md, "A start").
 */
async function makeExecutable(to: string, work: string): Promise<void> {
  writeViewer(join(work, "viewer"));
  await writeArea(join(work, "area.json"));
  writeManual(join(work, "manual.json"));
  for (const script of scriptsIn(work)) writeFileSync(script.file, await scriptOf(script, producerOfBuild()));
  const compiled = join(work, "program.compiled");
  const recording = join(work, "lacre-recording");
  await carrier(recording, work, { compiled_to: compiled });
  await firstStart(recording);
  await carrier(to, work, { compiled });
}

/**
 * Options of the executable's Node. A larger nursery makes nothing faster here, and an export of a year takes 40 MB
 * more. Of Node's four threads that compile and collect garbage, each keeps up to 3 MB; two do as well. No signal opens
 * Node's debugger in the process that holds the signing key.
 */
const NODE_OPTIONS = ["--no-warnings", "--disable-sigusr1", "--max-semi-space-size=8", "--v8-pool-size=2"];

/** An executable's data from V8: its compiled code, or an order to write that to a file at its end. */
type Compiled = { readonly compiled: string } | { readonly compiled_to: string };

/**
 * A file that is Node and the program. One Node, the one in node_modules, both prepares the program's blob and carries
 * it: a blob from another version crashes.
 */
async function carrier(to: string, work: string, compiled: Compiled): Promise<void> {
  const node = "node_modules/node/bin/node";
  const main = join(work, "executable.cjs");
  await bundle({
    ...BUNDLED,
    entryPoints: ["src/bin/executable.ts"],
    outfile: main,
    minify: true,
    define: {
      LACRE_COMPILED: "compiled_to" in compiled ? JSON.stringify(resolve(compiled.compiled_to)) : "undefined",
    },
  });
  mustNotImport("executable.cjs", readFileSync(main, "utf8"));
  const output = join(work, "executable.blob");
  const settings = {
    main,
    output,
    disableExperimentalSEAWarning: true,
    useCodeCache: true,
    execArgv: NODE_OPTIONS,
    execArgvExtension: "none", // NODE_OPTIONS of the machine must not change what the executable does.
    assets: {
      ...Object.fromEntries(scriptsIn(work).map(({ name, file }) => [name, file])),
      ...("compiled" in compiled && { "program.compiled": compiled.compiled }),
      "better_sqlite3.node": `node_modules/better-sqlite3/prebuilds/${process.platform}-${process.arch}.node`,
      "viewer.js": join(work, "viewer/viewer.js"),
      "viewer.css": join(work, "viewer/viewer.css"),
      "area.json": join(work, "area.json"),
      "manual.json": join(work, "manual.json"),
    },
  };
  const config = join(work, "executable.json");
  writeFileSync(config, JSON.stringify(settings));
  quietly(node, "--experimental-sea-config", config);
  copyFileSync(node, to);
  chmodSync(to, 0o755);
  quietly("strip", to); // Before the blob is added: strip would throw it away.
  const fuse = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";
  // It warns of every note without a name, dozens of times.
  quietly(process.execPath, POSTJECT, to, "NODE_SEA_BLOB", output, "--sentinel-fuse", fuse);
}

const POSTJECT = fileURLToPath(new URL("cli.js", import.meta.resolve("postject")));

/** Runs a program; its output is shown if it fails. */
function quietly(command: string, ...args: string[]): void {
  try {
    execFileSync(command, args, { stdio: "pipe" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    throw new Error(`There is no program ${command} on the PATH; strip is in the package binutils.`);
  }
}

/** Serves a new company until the first answer. */
async function firstStart(lacre: string): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "lacre-build-"));
  const env = { PATH: process.env.PATH, HOME: directory, LACRE_NATIVE_DIR: directory };
  const db = join(directory, "lacre.db");
  try {
    execFileSync(lacre, ["init", "--name", "Lacre", "--tax-id", "501964843", "--db", db], { env, stdio: "ignore" });
    const server = spawn(lacre, ["serve", "--port", "0", "--db", db], { env, stdio: ["ignore", "pipe", "inherit"] });
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
