/** The client: wrk, a process of its own, the same for every server. */
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const SCRIPT = fileURLToPath(new URL("load.lua", import.meta.url));

/** A request as it is sent again and again. */
export interface Asked {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: unknown;
}

/** What the client saw in one round; without an answer there are no latencies. */
export interface Round {
  readonly requests: number;
  readonly seconds: number;
  readonly p50_ms: number;
  readonly p99_ms: number;
}

/** Writes requests to the file that `load` reads; they are sent in this order, over and over. */
export function writeRequests(file: string, requests: readonly Asked[]): void {
  const lines = requests.map(
    ({ method, path, body }) => `${method} ${path}${body ? ` ${JSON.stringify(body)}` : ""}\n`,
  );
  writeFileSync(file, lines.join(""));
}

/**
 * Loads a server for some seconds. Throws when an answer was an error: a refusal is quick, and would look like speed.
 */
export async function load(
  url: string,
  api_key: string,
  { file, connections, seconds }: { readonly file: string; readonly connections: number; readonly seconds: number },
): Promise<Round> {
  const args = ["-t1", `-c${connections}`, `-d${seconds}s`, "--timeout", "30s", "-s", SCRIPT, url, "--", file, api_key];
  const { stdout } = await run("wrk", args);
  const { refused, broken, ...round } = JSON.parse(stdout.trim().split("\n").at(-1) as string);
  if (refused + broken > 0) throw new Error(`${url}: ${refused} answers were errors, ${broken} never came.`);
  return round.requests > 0 ? round : { ...round, p50_ms: Number.NaN, p99_ms: Number.NaN };
}
