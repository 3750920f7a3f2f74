import { execFileSync } from "node:child_process";
import { Script } from "node:vm";
import { crc32 } from "node:zlib";
import { describe, expect, test } from "vitest";

const FILE = new URL("../../src/bin/compiled.ts", import.meta.url).href;

/** A program with a function that V8 compiles when it is called, as V8 compiles it anew in each process. */
const SOURCE = "(function () { return Array.from({ length: 3 }, (_, n) => n * 2).join(); })";

/** Runs the program in a process of its own, under these flags, and tells whether V8 took what was kept. */
function startWith(kept: Uint8Array, ...flags: string[]): { answer: string; refused?: boolean } {
  return JSON.parse(
    printed(
      `const script = compiled(source, "program.js", Buffer.from("${Buffer.from(kept).toString("base64")}", "base64"));
      console.log(JSON.stringify({ refused: script.cachedDataRejected, answer: script.runInThisContext()() }));`,
      flags,
    ),
  );
}

/** What one process, under these flags, kept of the program. */
function keptBy(...flags: string[]): Buffer {
  const text = printed(
    `const script = compiled(source, "program.js");
    script.runInThisContext()();
    console.log(keep(script).toString("base64"));`,
    flags,
  );
  return Buffer.from(text, "base64");
}

function printed(program: string, flags: readonly string[]): string {
  const known = `import { compiled, keep } from ${JSON.stringify(FILE)};
    import { Script } from "node:vm";
    const source = ${JSON.stringify(SOURCE)};`;
  const args = [...flags, "--no-warnings", "--input-type=module", "--eval", `${known}\n${program}`];
  return execFileSync(process.execPath, args, { encoding: "utf8" });
}

/** The same with a byte near the end changed. */
function flipped(kept: Buffer): Buffer {
  const changed = Buffer.from(kept);
  changed[kept.length - 50] = (changed[kept.length - 50] as number) ^ 0xff;
  return changed;
}

/** The same bytes with a right checksum. */
function resealed(kept: Buffer): Buffer {
  kept.writeUInt32LE(crc32(kept.subarray(4)));
  return kept;
}

describe("V8's compiled code of the executable's program", () => {
  const kept = keptBy();

  test("is used by the same Node, with the functions that ran", () => {
    const { answer, refused } = startWith(kept);
    expect(refused).toBe(false);
    expect(answer).toBe("0,2,4");
    const unrun = new Script(SOURCE, { filename: "program.js" }).createCachedData();
    expect(kept.length, "what ran is in it").toBeGreaterThan(unrun.length);
  });

  test("is refused under other flags and by another version, and the program still runs", () => {
    const other = Buffer.from(kept);
    other.writeUInt32LE(other.readUInt32LE(8) + 1, 8); // The version of V8, after the checksum and a magic number.
    for (const { answer, refused } of [startWith(keptBy("--no-opt")), startWith(resealed(other))]) {
      expect(refused).toBe(true);
      expect(answer).toBe("0,2,4");
    }
  });

  test("never reaches V8 with a changed byte, cut short, or replaced", () => {
    for (const wrong of [
      flipped(kept),
      kept.subarray(0, -1),
      kept.subarray(0, 4),
      Buffer.alloc(0),
      Buffer.alloc(999, 7),
    ]) {
      const { answer, refused } = startWith(wrong);
      expect(refused).toBe(undefined);
      expect(answer).toBe("0,2,4");
    }
  });

  test("the control: V8 itself accepts data with a changed byte", () => {
    const text = printed(
      `const cachedData = Buffer.from("${flipped(kept).subarray(4).toString("base64")}", "base64");
      console.log(new Script(source, { filename: "program.js", cachedData }).cachedDataRejected);`,
      [],
    );
    expect(text.trim()).toBe("false");
  });
});
