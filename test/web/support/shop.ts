/** The packaged program as a shop starts it: in an empty directory, with a set-up link beside its database. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { program } from "../../bin/program.ts";

/** A line of the server's log. */
interface Said {
  readonly event: string;
  readonly url?: string;
  /** Of the set-up link. */
  readonly file?: string;
}

/** A running server and its directory. */
export interface Shop {
  /** `http://127.0.0.1:…` */
  readonly url: string;
  /** The link that makes the first owner. */
  readonly setUpLink: string;
  /** Kills the server at once, as a power cut would. */
  kill(): Promise<void>;
  /** Starts the server again, on the same file and port. */
  start(): Promise<void>;
  /** Ends the server and removes its directory. */
  close(): Promise<void>;
}

/** Opens a shop in an empty directory: the program's first start, perhaps with more flags or more variables. */
export async function openShop(flags: readonly string[] = [], env: NodeJS.ProcessEnv = {}): Promise<Shop> {
  const directory = mkdtempSync(join(tmpdir(), "lacre-web-"));
  let server = await serve(directory, ["--new", "--port", "0", ...flags], env);
  const { listening, set_up } = server;
  if (set_up === undefined) throw new Error("The server named no set-up link.");
  return {
    url: listening,
    setUpLink: set_up,
    kill: () => ended(server.process, "SIGKILL"),
    async start() {
      server = await serve(directory, ["--port", new URL(listening).port]);
    },
    async close() {
      await ended(server.process, "SIGTERM");
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Starts the server, and waits until it said where it listens and, at a first start, how to set it up. */
async function serve(directory: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const [file = "", ...first] = program();
  const server = spawn(file, [...first, "serve", "--db", "shop.db", ...args], {
    cwd: directory,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const errors: string[] = [];
  server.stderr.setEncoding("utf8").on("data", (text: string) => errors.push(text));
  let listening: string | undefined;
  let set_up: string | undefined;
  const wanted = args.includes("--new") ? "set_up" : "listening";
  for await (const line of createInterface({ input: server.stdout })) {
    const { event, url, file } = JSON.parse(line) as Said;
    if (event === "listening") listening = url;
    if (event === "set_up" && file !== undefined) set_up = readFileSync(file, "utf8").trim();
    if (event === wanted) break;
  }
  server.stdout.resume(); // The rest of the log must not fill the pipe.
  if (listening === undefined) throw new Error(`The server ended without listening: ${errors.join("")}`);
  return { process: server, listening, set_up };
}

async function ended(server: ChildProcess, signal: "SIGKILL" | "SIGTERM"): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const exited = new Promise((resolve) => server.once("exit", resolve));
  server.kill(signal);
  await exited;
}
