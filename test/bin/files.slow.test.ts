import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { makeAtomically, sweepDrafts } from "../../src/bin/files.ts";
import { temporaryDirectory } from "./program.ts";

/** What a killed program left behind this many minutes ago: a directory with a file that holds keys. */
function leftBehind(directory: string, name: string, minutes: number): string {
  const path = join(directory, name);
  mkdirSync(path);
  writeFileSync(join(path, "lacre.db"), "keys");
  const then = new Date(Date.now() - minutes * 60_000);
  utimesSync(path, then, then);
  return name;
}

describe("unfinished files that killed programs left behind", () => {
  test("are swept after an hour, and nothing else is", () => {
    const directory = temporaryDirectory();
    leftBehind(directory, "lacre.db.lacre-draft-Ab12Cd", 61);
    leftBehind(directory, "monday.db.lacre-draft-000000", 600);
    const kept = [
      leftBehind(directory, "lacre.db.lacre-draft-Ef34Gh", 59), // another program may be at work on it
      leftBehind(directory, "lacre.db.backup", 600), // somebody's own
      leftBehind(directory, "lacre.db.lacre-draft-mine.old", 600),
    ];
    sweepDrafts(directory);
    expect(readdirSync(directory)).toEqual(kept.toSorted());
  });

  test("are swept after two minutes if they are empty", () => {
    const directory = temporaryDirectory();
    const empty = (name: string, seconds: number) => {
      mkdirSync(join(directory, name));
      const then = new Date(Date.now() - seconds * 1_000);
      utimesSync(join(directory, name), then, then);
      return name;
    };
    empty("lacre.db.lacre-draft-Ab12Cd", 180);
    const kept = [empty("lacre.db.lacre-draft-Ef34Gh", 60), leftBehind(directory, "lacre.db.lacre-draft-Ij56Kl", 3)];
    sweepDrafts(directory);
    expect(readdirSync(directory)).toEqual(kept);
  });

  test("are swept by the next command that makes a file beside them", async () => {
    const directory = temporaryDirectory();
    leftBehind(directory, "other.db.lacre-draft-Ab12Cd", 61);
    await makeAtomically(join(directory, "a"), async (draft) => writeFileSync(draft, "a"));
    expect(readdirSync(directory)).toEqual(["a"]);
  });

  test("control: work that fails leaves nothing behind by itself", async () => {
    const directory = temporaryDirectory();
    const making = makeAtomically(join(directory, "a"), async (draft) => {
      writeFileSync(draft, "a");
      expect(existsSync(draft)).toBe(true);
      throw new Error("no");
    });
    await expect(making).rejects.toThrow("no");
    expect(readdirSync(directory)).toEqual([]);
  });
});
