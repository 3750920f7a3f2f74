import { rmSync, statSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { EXITS, Failure } from "../../src/bin/exit.ts";
import { explained, inWords } from "../../src/bin/explain.ts";
import { TEXTS } from "../../src/bin/texts/texts.ts";
import { LacreError, StorageError } from "../../src/core/index.ts";
import { ENGLISH_WORDS } from "../support/english.ts";

/** The error that `work` throws. */
function thrown(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error("It did not fail.");
}

/** A failed system call as Node reports it. */
function systemError(code: string, members: object = {}): Error {
  return Object.assign(new Error(`${code}: oh, open '/x'`), { code, syscall: "open", ...members });
}

describe("a failed system call becomes a sentence that names the path", () => {
  test.each([
    ["a missing file", () => statSync("/nope.png"), "There is no file /nope.png; check its name."],
    ["a directory", () => writeFileSync("/", ""), "/ is a directory; name a file."],
    ["a directory to be removed as a file", () => rmSync("test"), "test is a directory; name a file."],
    ["a path through a file", () => statSync("package.json/x"), "A part of package.json/x is a file, not a directory;"],
    ["a name that is too long", () => statSync("x".repeat(300)), `The name ${"x".repeat(60)}… is too long; choose`],
    ["a device without room", () => writeFileSync("/dev/full", "x"), "The disk has no room for the file; free some"],
  ])("%s", (_, work, sentence) => {
    const { message, words, stack } = explained(thrown(work));
    expect(message).toContain(sentence);
    expect(words(TEXTS.pt)).not.toMatch(ENGLISH_WORDS);
    expect(stack).toBeUndefined();
  });

  test("for each known code, and for others with the system's own words", () => {
    for (const code of ["EACCES", "EPERM", "EROFS", "EBUSY", "ETXTBSY", "ENXIO", "ENOSPC", "EDQUOT", "EIO", "EMFILE"]) {
      const { message, exit } = explained(systemError(code, { path: "/x" }));
      expect(message).toMatch(/\/x\b.*[;.]/);
      expect(message).not.toContain(code);
      expect(EXITS[exit].code).toBeGreaterThan(0);
    }
    const other = explained(systemError("EDOM", { path: "/x", errno: -33 }));
    expect(other).toMatchObject({ exit: "failed", message: expect.stringMatching(/^\/x: .* \(EDOM\)\.$/) });
    expect(explained(systemError("ERR_FS_X", { path: "/x", errno: 33 })).message).toBe(
      other.message.replace("EDOM", "ERR_FS_X"),
    );
  });

  test("a working directory that disappeared is named as such", () => {
    const { message, exit } = explained(systemError("ENOENT", { syscall: "uv_cwd" }));
    expect(message).toContain("The directory this was started in is gone; change to another");
    expect(exit).toBe("refused");
  });

  test("a copy that lacks room names its destination", () => {
    const error = systemError("ENOSPC", { path: "/from", dest: "/to" });
    expect(explained(error).message).toContain("no room for /to;");
  });
});

describe("a storage error becomes a sentence that names the file", () => {
  test.each([
    ["busy", "in_use", "Another program is writing to /m.db; try again."],
    ["full", "failed", "The disk has no room for /m.db: nothing was written; free some, and try again."],
    ["broken", "unusable", "There is damage in /m.db, or its disk fails (oh); check the disk, and restore a backup:"],
    ["unusable", "unusable", "Lacre cannot use /m.db (oh); check its permissions and its disk."],
  ] as const)("%s", (trouble, exit, sentence) => {
    const known = inWords(new StorageError(trouble, "oh", new Error("oh")), "/m.db");
    expect(known).toMatchObject({ exit, message: expect.stringContaining(sentence) });
  });

  test("and keeps a sentence of Lacre's own", () => {
    const own = "The database was written by a newer Lacre; this one is too old to open it.";
    expect(explained(new StorageError("unusable", own))).toMatchObject({
      exit: "unusable",
      code: "unusable",
      message: own,
    });
  });
});

test("a refusal keeps the core's code, a failure has its exit's", () => {
  expect(explained(new LacreError("series_closed"))).toMatchObject({ exit: "refused", code: "series_closed" });
  const failure = new Failure("in_use", (t) => t.answers.nothing_changed);
  const { words, ...told } = explained(failure);
  expect(told).toEqual({ exit: "in_use", code: "in_use", message: "Nothing was changed." });
  expect(words(TEXTS.pt)).toBe("Nada foi alterado.");
});

test("a bug keeps its stack", () => {
  expect(explained(new TypeError("oops"))).toMatchObject({
    exit: "failed",
    stack: expect.stringMatching(/^TypeError: oops\n/),
  });
  expect(explained("oops")).toMatchObject({ exit: "failed", message: "oops" });
});
