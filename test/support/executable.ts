/**
 * Before a run of vitest: the executable that its tests start, made where these sources have none yet, and where Node
 * keeps what it compiled.
 */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { promisify } from "node:util";
import type { TestProject } from "vitest/node";

const run = promisify(execFile);

/** How the tests that start the program import it: in a line of theirs, not in a text that they look at. */
const STARTS = /^(?:import .*|\} )from ".*\/(?:program|doors|shop|office)\.ts"/m;

/** Names the executable for all processes of the run, unless none of its tests starts it or one is named already. */
export async function setup(project: TestProject): Promise<void> {
  process.env.NODE_COMPILE_CACHE ??= resolve("node_modules/.cache/compiled"); // Sources start in half the time.
  if (process.env.LACRE_EXECUTABLE !== undefined) return;
  // What the command line names; where vitest stops telling, all files count.
  const named: unknown = Reflect.get(project.vitest, "filenamePattern");
  const { testFiles } = await project.globTestFiles(Array.isArray(named) ? named : []);
  if (!testFiles.some((file) => STARTS.test(readFileSync(file, "utf8")))) return;
  const make = async () => {
    const { stdout } = await run(process.execPath, ["tools/build.ts", "kept"]);
    process.env.LACRE_EXECUTABLE = stdout.trim();
  };
  await make();
  project.onTestsRerun(make);
}
