// Builds everything that is not plain source. `node tools/build.ts viewer | area | dist | executable | kept`
// viewer      build/viewer/: the API documentation page's script and style, from swagger-ui-dist
// area        the file in build/ that holds the company area, from src/web
// dist        dist/: JavaScript and declarations for npm, and both pages beside them
// executable  build/lacre: Node, the program, its SQLite and both pages in one file
// kept        the same where tests find it; prints its path, and builds nothing while its parts stay the same
// LACRE_PRODUCER=FILE binds dist or the executable to a certified producer: {"certificate_number": 1234, "name": …,
// "tax_id": …, "public_key": "-----BEGIN PUBLIC KEY-----…"} (docs/operating.md, "Certification").

import { execFileSync } from "node:child_process";
import { chmodSync, constants, copyFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { faceDeclarations } from "./declarations.ts";
import { keptExecutable } from "./executable.ts";
import { writeModules } from "./modules.ts";
import { writeArea, writeViewer } from "./pages.ts";
import { producerOfBuild } from "./producer.ts";

process.chdir(resolve(import.meta.dirname, ".."));

function viewer(): void {
  writeViewer("build/viewer");
}

async function area(): Promise<void> {
  for (const [screen, bytes] of await writeArea("build/area.json")) console.log(`${screen}: ${bytes} bytes of script`);
}

/** Modules and declarations, and the licence of the fonts in them. */
async function dist(): Promise<void> {
  viewer();
  await area();
  rmSync("dist", { recursive: true, force: true });
  execFileSync("node_modules/.bin/tsc", ["--project", "tsconfig.build.json"], { stdio: "inherit" });
  await writeModules(producerOfBuild());
  writeFileSync("dist/core/face.d.ts", faceDeclarations());
  copyFileSync("src/core/print/fonts/OFL.txt", "dist/core/print/fonts/OFL.txt");
  chmodSync("dist/bin/main.js", 0o755);
}

async function executable(): Promise<void> {
  const draft = `build/lacre.${process.pid}`;
  copyFileSync(await keptExecutable(), draft, constants.COPYFILE_FICLONE);
  renameSync(draft, "build/lacre"); // A running one keeps its file.
}

async function kept(): Promise<void> {
  console.log(await keptExecutable());
}

const TARGETS = new Map(Object.entries({ viewer, area, dist, executable, kept }));

const target = TARGETS.get(process.argv[2] ?? "");
if (!target) {
  console.error(`usage: node tools/build.ts ${Array.from(TARGETS.keys()).join(" | ")}`);
  process.exit(2);
}
await target();
