/** A PostgreSQL server of a test's own, which may be stopped as a power cut would. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { onTestFinished } from "vitest";

const INSTALLED = "/usr/lib/postgresql";

/** Where the programs of the newest PostgreSQL are; undefined where none is installed. */
export const PROGRAMS = (existsSync(INSTALLED) ? readdirSync(INSTALLED) : [])
  .sort((a, b) => Number(b) - Number(a))
  .map((version) => join(INSTALLED, version, "bin"))
  .find((directory) => existsSync(join(directory, "initdb")));

/** The user of the server, which refuses to run as root; undefined where there is none. */
export const OWNER = (() => {
  if (process.getuid?.() !== 0) return {};
  const [uid, gid] = ["-u", "-g"].map((what) => spawnSync("id", [what, "postgres"], { encoding: "utf8" }));
  return uid?.status === 0 && gid?.status === 0 ? { uid: Number(uid.stdout), gid: Number(gid.stdout) } : undefined;
})();

/** Whether servers can be started here. */
export const CAN_START = PROGRAMS !== undefined && OWNER !== undefined;

/** A running server. */
export interface Cluster {
  readonly url: string;
  /** Stops it without a checkpoint, as a crash does, and starts it again, which recovers it. */
  crash(): Promise<void>;
}

/** What a server differs in. */
interface ClusterOptions {
  /** Files in its directory, by name; they replace those of that name. */
  readonly files?: Readonly<Record<string, string>>;
  /** Settings, each as `name=value`. */
  readonly settings?: readonly string[];
}

/** Starts a server in a directory below `parent`; both are gone when the test ends. */
export async function aCluster(parent: string, { files = {}, settings = [] }: ClusterOptions = {}): Promise<Cluster> {
  if (!PROGRAMS || !OWNER) throw new Error("PostgreSQL is not installed here.");
  const directory = mkdtempSync(join(parent, "lacre-postgres-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  if (OWNER.uid !== undefined) chownSync(directory, OWNER.uid, OWNER.gid);
  const data = join(directory, "data");
  const order = async (program: string, ...args: string[]) => {
    const child = spawn(join(PROGRAMS, program), args, { ...OWNER, cwd: directory, stdio: "ignore" });
    const [code] = await once(child, "exit");
    if (code !== 0) throw new Error(`${program} ${args.join(" ")} ended with ${code}.`);
  };
  const port = await aFreePort();
  const given = ["listen_addresses=127.0.0.1", ...settings].map((setting) => `-c ${setting}`).join(" ");
  const options = `-p ${port} -k ${directory} ${given}`;
  const start = () => order("pg_ctl", "-D", data, "-w", "-l", join(directory, "log"), "-o", options, "start");
  const stop = () => order("pg_ctl", "-D", data, "-w", "-m", "immediate", "stop");
  await order("initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync");
  for (const [name, text] of Object.entries(files)) {
    const file = join(data, name);
    writeFileSync(file, text, { mode: 0o600 });
    if (OWNER.uid !== undefined) chownSync(file, OWNER.uid, OWNER.gid);
  }
  await start();
  onTestFinished(stop);
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    async crash() {
      await stop();
      await start();
    },
  };
}

/** A port on which nothing listens. */
export function aFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
