import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { VERSION } from "../../src/core/version.ts";
import { type Ended, lacre, temporaryDirectory } from "./program.ts";

/** The version as it is printed, whatever became of the cache. */
const PRINTED: Ended = { code: 0, stdout: `${VERSION}\n`, stderr: "" };

/** A user's cache in a directory of its own, in place of the one that all these tests share. */
function cache() {
  const directory = temporaryDirectory();
  const kept = join(directory, "lacre/compiled");
  return {
    directory,
    kept,
    version: (env: Record<string, string> = {}) =>
      lacre(["version"], { node: [], env: { NODE_COMPILE_CACHE: "", XDG_CACHE_HOME: directory, ...env } }),
    files: () =>
      existsSync(kept)
        ? readdirSync(kept, { recursive: true, withFileTypes: true })
            .filter((entry) => entry.isFile())
            .map((entry) => join(entry.parentPath, entry.name))
        : [],
  };
}

/** Lets Node say what it takes from the cache. */
const SPEAKING = { NODE_DEBUG_NATIVE: "COMPILE_CACHE" };
const taken = ({ stderr }: Ended) => stderr.split("success, size=").length - 1;

describe("the compiled code of the program's files", () => {
  test("is stored by the first command, for this user alone, and used by the next", async () => {
    const { version, files, kept } = cache();
    expect(await version()).toEqual(PRINTED);
    expect(files().length).toBeGreaterThan(100);
    for (const path of [kept, ...files()]) expect(statSync(path).mode & 0o077).toBe(0);
    expect(taken(await version(SPEAKING))).toBeGreaterThan(100);
  });

  test("is recompiled if its files are damaged, and the command still works", async () => {
    const { version, files } = cache();
    await version();
    for (const [i, file] of files().entries()) {
      const bytes = readFileSync(file);
      if (i % 3 === 0)
        writeFileSync(
          file,
          bytes.map((byte, at) => (at === bytes.length - 9 ? byte ^ 0xff : byte)),
        );
      else if (i % 3 === 1) writeFileSync(file, bytes.subarray(0, -9));
      else writeFileSync(file, "nothing of the kind");
    }
    const damaged = await version(SPEAKING);
    expect(damaged).toMatchObject({ code: 0, stdout: PRINTED.stdout });
    expect(taken(damaged)).toBe(0);
    expect(await version()).toEqual(PRINTED);
  });

  test("is not stored if nothing can be written", async () => {
    const { directory, version, files } = cache();
    writeFileSync(join(directory, "lacre"), "a file in the place of the directory");
    expect(await version()).toEqual(PRINTED);
    expect(files()).toEqual([]);
    expect(await version({ XDG_CACHE_HOME: "/proc/nowhere" })).toEqual(PRINTED);
  });

  test("is neither stored nor used if others can write to it", async () => {
    const { version, files, kept } = cache();
    mkdirSync(kept, { recursive: true });
    chmodSync(kept, 0o777);
    expect(await version()).toEqual(PRINTED);
    expect(files()).toEqual([]);
  });
});
