/**
 * The disk calls and answers of a running server, in order, as recorded by strace. The server calls SQLite and writes
 * its answers on one thread, so the order of the lines is the order of events.
 */
import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

/** One event. Paths are absolute. */
export type Event =
  | { readonly event: "write"; readonly path: string; readonly offset: number; readonly bytes: Buffer }
  | { readonly event: "truncate"; readonly path: string; readonly size: number }
  | { readonly event: "flush"; readonly path: string }
  | { readonly event: "create"; readonly path: string }
  | { readonly event: "remove"; readonly path: string }
  /** An answer was sent to the client with this X-Request-Id. */
  | { readonly event: "answer"; readonly key: string };

const CALLS = "openat,pwrite64,write,writev,fsync,fdatasync,ftruncate,unlink,unlinkat,rename,renameat,renameat2";
/** More than is ever written at once; strace would cut off the rest. */
const LONGEST_BYTES = 20_000_000;
const RETRY_MS = 20;

/** Whether strace is installed and allowed here. */
export const canTrace = spawnSync("strace", ["-qq", "-e", "trace=none", "true"]).status === 0;

/** The command in front of a program that records its calls in `trace`. */
export function tracedInto(trace: string): string[] {
  const shown = ["-y", "-xx", "-s", String(LONGEST_BYTES)];
  return ["strace", "-D", "-f", "-q", ...shown, "--seccomp-bpf", "-e", `trace=${CALLS}`, "-o", trace];
}

/** Reads the recording of a process that has ended, of these files and their directory alone. */
export async function readRecording(
  trace: string,
  pid: number,
  { directory, names }: { readonly directory: string; readonly names: readonly string[] },
): Promise<Event[]> {
  const ours = new Set([directory, ...names.map((name) => join(directory, name))]);
  return wholeCalls(await wholeTrace(trace, pid)).flatMap((line) => eventIn(line, ours) ?? []);
}

/** Joins calls that another thread interrupted; they count when they end. */
function wholeCalls(lines: readonly string[]): string[] {
  const begun = new Map<string, string>();
  return lines.flatMap((line) => {
    const thread = line.slice(0, line.indexOf(" "));
    if (line.endsWith(" <unfinished ...>")) {
      begun.set(thread, line.slice(0, -" <unfinished ...>".length));
      return [];
    }
    const [, rest] = /^\d+ +<\.\.\. \w+ resumed>(.*)$/.exec(line) ?? [];
    return rest === undefined ? [line] : [`${begun.get(thread)}${rest}`];
  });
}

/** strace writes for a moment after the program has ended. */
async function wholeTrace(trace: string, pid: number): Promise<string[]> {
  for (;;) {
    const lines = (await readFile(trace, "latin1")).split("\n");
    const last = lines.pop() === "" ? lines.at(-1) : undefined;
    if (last?.startsWith(`${pid} `) && last.includes(" +++ ")) return lines;
    await pause(RETRY_MS);
  }
}

/** A call's result at the end of its line: a descriptor with its path, each byte of which takes four characters. */
const LONGEST_RESULT = 4 * 4_096 + 100;

const HEX_STRING = /"((?:\\x[0-9a-f]{2})*)"/g;

function eventIn(line: string, ours: ReadonlySet<string>): Event | undefined {
  const [, call = "", rest = ""] = /^\d+ +(\w+)\((.*)$/s.exec(line) ?? [];
  const result = Number(/ = (-?\d+)[^=]*$/.exec(rest.slice(-LONGEST_RESULT))?.[1]);
  const path = pathIn(rest, ours);
  if (path === undefined) return call.startsWith("write") ? answerIn(rest) : undefined;
  if (!(result >= 0)) return undefined;
  if (call === "openat") return rest.includes("O_CREAT") ? { event: "create", path } : undefined;
  if (call === "pwrite64") return writeIn(rest, path, result);
  if (call === "ftruncate") return { event: "truncate", path, size: Number(/, (\d+)\) +=/.exec(rest)?.[1]) };
  if (call === "fsync" || call === "fdatasync") return { event: "flush", path };
  if (call === "unlink" || call === "unlinkat") return { event: "remove", path };
  throw new Error(`The database does what this disk does not know: ${line.slice(0, 200)}`);
}

/** The file that a call is about: by its descriptor, or by the name in its arguments. */
function pathIn(rest: string, ours: ReadonlySet<string>): string | undefined {
  const [, ofDescriptor] = /^\d+<((?:\\x[0-9a-f]{2})*)>/.exec(rest) ?? [];
  const [, named] = ofDescriptor === undefined ? (/"((?:\\x[0-9a-f]{2})*)"/.exec(rest.slice(0, 4_096)) ?? []) : [];
  const path = bytesOf(ofDescriptor ?? named ?? "").toString();
  return ours.has(path) ? path : undefined;
}

function writeIn(rest: string, path: string, written: number): Event {
  const [, hex = "", length, offset] = /"((?:\\x[0-9a-f]{2})*)", (\d+), (\d+)\) +=/.exec(rest) ?? [];
  const bytes = bytesOf(hex);
  if (bytes.length !== written || Number(length) !== written) throw new Error("A write was not recorded whole.");
  return { event: "write", path, offset: Number(offset), bytes };
}

/** Each HTTP answer is sent whole, in one call. */
function answerIn(rest: string): Event | undefined {
  const text = Array.from(rest.matchAll(HEX_STRING), ([, hex = ""]) => bytesOf(hex).toString("latin1")).join("");
  if (!text.startsWith("HTTP/1.1 ")) return undefined;
  const [, key] = /^x-request-id: (\S+)\r$/im.exec(text) ?? [];
  return key === undefined ? undefined : { event: "answer", key };
}

function bytesOf(hex: string): Buffer {
  return Buffer.from(hex.replaceAll("\\x", ""), "hex");
}
