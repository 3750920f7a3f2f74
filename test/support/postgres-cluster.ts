/** PostgreSQL servers of a test's own: a primary, a standby, and one address for both. */
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { aFreePort, PROGRAMS } from "./cluster.ts";
import { onServer } from "./schemas.ts";

/** The server does not run as root. */
const AS_POSTGRES = process.getuid?.() === 0 ? ["runuser", "-u", "postgres", "--"] : [];

function run(...command: string[]): void {
  const [program = "", ...args] = [...AS_POSTGRES, ...command];
  const { status, stderr } = spawnSync(program, args, {
    stdio: ["ignore", "ignore", "pipe"],
    encoding: "utf8",
    cwd: "/",
  });
  if (status !== 0) throw new Error(`${command.join(" ")}: ${stderr}`);
}

/** A server with its own directory and port. */
interface Cluster {
  readonly port: number;
  readonly url: string;
  start(): void;
  /** Ends it as a power cut does. */
  kill(): void;
  /** Makes a standby a server of its own. */
  promote(): void;
}

/** A primary and its standby, which follows without being waited for. */
export async function aPrimaryWithStandby(): Promise<{ readonly primary: Cluster; readonly standby: Cluster }> {
  const directory = mkdtempSync(join(tmpdir(), "lacre-cluster-"));
  const clusters: Cluster[] = [];
  onTestFinished(() => {
    for (const cluster of clusters) {
      try {
        cluster.kill();
      } catch {} // It has ended.
    }
    rmSync(directory, { recursive: true, force: true });
  });
  if (AS_POSTGRES.length > 0) spawnSync("chown", ["postgres", directory]);
  const program = (name: string) => join(PROGRAMS as string, name);
  const clusterAt = async (name: string): Promise<Cluster & { readonly data: string }> => {
    const data = join(directory, name);
    const port = await aFreePort();
    const control = (...args: string[]) => run(program("pg_ctl"), "--pgdata", data, "--wait", ...args);
    const options = `-p ${port} -k ${directory} -c listen_addresses=127.0.0.1 -c shared_buffers=16MB`;
    const cluster = {
      data,
      port,
      url: `postgres://postgres@127.0.0.1:${port}/postgres`,
      start: () => control("--log", join(directory, `${name}.log`), "--options", options, "start"),
      kill: () => control("--mode", "immediate", "stop"),
      promote: () => control("promote"),
    };
    clusters.push(cluster);
    return cluster;
  };
  const primary = await clusterAt("primary");
  run(program("initdb"), "--pgdata", primary.data, "--auth", "trust", "--username", "postgres", "--encoding", "UTF8");
  primary.start();
  const standby = await clusterAt("standby");
  run(
    ...[program("pg_basebackup"), "--pgdata", standby.data, "--write-recovery-conf", "--checkpoint", "fast"],
    ...["--dbname", primary.url],
  );
  standby.start();
  return { primary, standby };
}

/** Waits until a standby has all that its primary has, then lets it receive nothing more. */
export async function partFrom(primary: Cluster, standby: Cluster): Promise<void> {
  const [{ at } = {}] = await onServer("select pg_current_wal_flush_lsn()::text as at", primary.url);
  for (;;) {
    const [{ done } = {}] = await onServer(`select pg_last_wal_replay_lsn() >= '${at}'::pg_lsn as done`, standby.url);
    if (done) break;
  }
  await onServer("alter system set primary_conninfo = ''", standby.url);
  await onServer("select pg_reload_conf()", standby.url);
  for (;;) {
    const rows = await onServer("select 1 from pg_stat_wal_receiver", standby.url);
    if (rows.length === 0) return;
  }
}

/** An address that leads to one server, and later to another. */
export async function aSwitch(first: Cluster): Promise<{ readonly url: string; turnTo(other: Cluster): void }> {
  let { port } = first;
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const behind = connect(port, "127.0.0.1");
    for (const [one, other] of [
      [client, behind],
      [behind, client],
    ] as const) {
      open.add(one);
      one.on("error", () => {});
      one.on("close", () => other.destroy());
      one.pipe(other);
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port: own } = server.address() as AddressInfo;
  return {
    url: `postgres://postgres@127.0.0.1:${own}/postgres`,
    turnTo(other) {
      port = other.port;
      for (const socket of open) socket.destroy();
    },
  };
}
