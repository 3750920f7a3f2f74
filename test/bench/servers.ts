/**
 * The servers under load, each a process on a port of its own, and what Linux and SQLite tell about them from outside.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const NODE = ["--max-semi-space-size=8", "--v8-pool-size=2"] as const;
const TICKS_PER_SECOND = 100; // USER_HZ, the same on every Linux that Node runs on

/** A running server. */
export interface Server {
  readonly name: string;
  readonly url: string;
  /** The files of its database and of its log. */
  readonly database: string;
  readonly log: string;
  /** From the start of the process to its first answer. */
  readonly cold_start_ms: number;
  /** CPU time of the process so far, in seconds. */
  cpuSeconds(): number;
  /** Memory that is resident now. */
  residentBytes(): number;
  /** Commits so far, as SQLite counts them itself. */
  commits(): number;
  /** Asks the process to end, and waits until it has. */
  stop(): Promise<void>;
}

/** The real program on a database that was seeded. Its log goes to a file, as under a service manager. */
export function startLacre(
  database: string,
  { name = "lacre", root = ROOT, node = [] }: { name?: string; root?: string; node?: readonly string[] } = {},
): Promise<Server> {
  const program = ["src/bin/main.ts", "serve", "--db", database, "--rate-limit", "1000000"];
  return start(name, [...node, ...program], database, `${database}.log`, root);
}

/** The hand-written floor on a database that it made of a seeded one. */
export function startFloor(database: string, commit: "each" | "group"): Promise<Server> {
  const program = ["test/bench/floor.ts", "--db", database, "--commit", commit];
  return start(commit === "each" ? "floor" : "floor, group", program, database, `${database}.log`);
}

async function start(
  name: string,
  args: readonly string[],
  database: string,
  log: string,
  root = ROOT,
): Promise<Server> {
  const port = await freePort();
  const began = performance.now();
  const out = openSync(log, "a");
  const child = spawn(process.execPath, [...NODE, ...args, "--port", String(port)], {
    cwd: root,
    stdio: ["ignore", out, "inherit"],
  });
  closeSync(out);
  process.once("exit", () => child.kill("SIGKILL"));
  const url = `http://127.0.0.1:${port}`;
  await firstAnswer(url, child);
  const cold_start_ms = performance.now() - began;
  return {
    name,
    url,
    database,
    log,
    cold_start_ms,
    cpuSeconds: () => cpuSeconds(child.pid as number),
    residentBytes: () => residentBytes(child.pid as number),
    commits: () => commitsOf(database),
    async stop() {
      child.kill("SIGTERM");
      if (child.exitCode === null) await once(child, "exit");
    },
  };
}

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}

async function firstAnswer(url: string, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    try {
      await (await fetch(`${url}/healthz`)).arrayBuffer();
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
  throw new Error(`${url}: the server ended with ${child.exitCode}.`);
}

/** User and system time of a process: the 14th and 15th fields of its `stat`, counted from after the name. */
function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

function residentBytes(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) * 1024;
}

/** `iChange` of the wal-index header: SQLite adds one at every commit (https://sqlite.org/walformat.html, 2.1). */
function commitsOf(database: string): number {
  return readFileSync(`${database}-shm`).readUInt32LE(8);
}
