/**
 * `npm run bench`: Lacre beside the hand-written floor, on one machine, under one client; docs/benchmarks.md says how
 * to read it.
 */
import { execFile } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { resolve } from "node:path";
import { parseArgs, promisify } from "node:util";
import { mustAgree } from "./agree.ts";
import { makeFloorDatabase } from "./floor-database.ts";
import { load, writeRequests } from "./load.ts";
import { bareCommitsPerSecond, bareSignatures, machine } from "./machine.ts";
import { type Contestant, type Measured, measure, type Pace } from "./measure.ts";
import { summaryOf } from "./profile.ts";
import { SCENARIOS, type Scenario, type Side } from "./scenarios.ts";
import { type Seeded, seeded } from "./seed.ts";
import { type Server, startFloor, startLacre } from "./servers.ts";
import { keyTiming } from "./timing.ts";
import { exportWalk, openingMs, verifyWalk } from "./walks.ts";

const HELP = `npm run bench -- [flags]
  --sizes N,N      customers and documents in the database; 1000. The long run: 1000,100000,1000000
  --rounds N       turns each server takes in a scenario; 5
  --seconds N      length of a turn; 2
  --warm-up N      seconds under each scenario before its first turn; 10
  --against DIR    instead of the floor, the Lacre of another checkout (with its packages installed) in alternating turns
  --only TEXT      only the scenarios whose name holds this
  --profile TEXT   instead of measuring, a CPU profile of Lacre in the scenario whose name holds this
  --data DIR       where databases are kept between runs; a directory under the system's own for temporary files
  --json           what was measured, as JSON on standard output, after the tables on standard error
`;

const { values: flags } = parseArgs({
  options: {
    sizes: { type: "string", default: "1000" },
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "2" },
    "warm-up": { type: "string", default: "10" },
    against: { type: "string" },
    only: { type: "string", default: "" },
    profile: { type: "string" },
    data: { type: "string", default: `${tmpdir()}/lacre-bench` },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

const HEAD = `| | | per second | p50 ms | p99 ms | CPU µs | commits/s | Lacre is | its CPU is |
|---|---|---:|---:|---:|---:|---:|---:|---:|`;

if (flags.help) process.stdout.write(HELP);
else if (flags.profile !== undefined) await profile(flags.profile);
else if (flags.against !== undefined) await compare(resolve(flags.against));
else await bench();

function say(text: string): void {
  (flags.json ? process.stderr : process.stdout).write(`${text}\n`);
}

async function bench(): Promise<void> {
  mkdirSync(flags.data, { recursive: true });
  say(machine());
  const bare = { ...bareSignatures(), commits_per_second: bareCommitsPerSecond(flags.data) };
  say(
    `Bare: ${whole(bare.commits_per_second)} commits/s, ${whole(bare.signed_per_second)} signatures/s, ${whole(bare.verified_per_second)} verified/s.`,
  );
  const opening_ms = await openingMs();
  say(`An instance in memory opens in ${opening_ms.toFixed(1)} ms.`);
  const keys = await keyTiming();
  const times = decimal(keys.right_prefix_us / keys.random_us, 3);
  say(
    `An unknown key is refused in ${keys.random_us.toFixed(1)} µs; in ${times} times that where it begins as a real one.`,
  );
  const sizes = [];
  for (const size of flags.sizes.split(",").map(Number)) sizes.push(await benchSize(size, bare.verified_per_second));
  sayGrowth(sizes);
  say(`\nAt the end: ${machine()}`);
  if (flags.json) process.stdout.write(`${JSON.stringify({ machine: machine(), bare, opening_ms, keys, sizes })}\n`);
}

async function benchSize(size: number, verified_per_second: number) {
  say(`\n## ${size} customers and documents\n`);
  const began = performance.now();
  const seed = await seeded(flags.data, size);
  say(`Seeded in ${((performance.now() - began) / 1_000).toFixed(0)} s.`);
  say(
    `Database: ${whole(seed.bytes_per_document)} bytes per document, ${whole(seed.bytes_per_customer)} per customer.`,
  );
  const verified = await verifyWalk(seed);
  const share = verified.documents_per_second / verified_per_second;
  say(`verify: ${walked(verified)}, ${share.toFixed(2)} of bare verification.`);
  const exported = await exportWalk(seed);
  say(`saft:   ${walked(exported)}.`);
  const measured = await withServers(seed, (servers) => underLoad(servers, seed));
  const { bytes_per_document, bytes_per_customer } = seed;
  return { size, bytes_per_document, bytes_per_customer, verified, exported, measured };
}

async function underLoad(servers: Record<Side, Server>, seed: Seeded): Promise<Measured[]> {
  for (const { name, cold_start_ms, residentBytes } of Object.values(servers)) {
    say(`${name}: first answer after ${whole(cold_start_ms)} ms, ${megabytes(residentBytes())} resident.`);
  }
  say(`\n${HEAD}`);
  const rows: Measured[] = [];
  await mustAgree(SCENARIOS, [servers.lacre, servers.group], seed);
  for (const scenario of named(flags.only)) {
    const [ours, ...others] = scenario.sides.map((side) => ({ server: servers[side], seeded: seed }));
    const measured = await measure(scenario, [ours as Contestant, ...others], pace());
    for (const row of measured) say(rowOf(row));
    rows.push(...measured);
  }
  const resident = Object.values(servers).map(({ name, residentBytes }) => `${name} ${megabytes(residentBytes())}`);
  say(`\nResident after it: ${resident.join(", ")}.`);
  return rows;
}

function pace(): Pace {
  const { rounds, seconds, "warm-up": warm_up_s } = flags;
  return { rounds: Number(rounds), seconds: Number(seconds), warm_up_s: Number(warm_up_s) };
}

/** Runs every scenario on this Lacre and on another checkout's, each on a database of its own making. */
async function compare(root: string): Promise<void> {
  const size = Number(flags.sizes.split(",")[0]);
  say(`${machine()}\n\nThis Lacre against another, ${size} customers and documents\n\n${HEAD}`);
  const [here, there] = [`${flags.data}/here`, `${flags.data}/there`];
  for (const directory of [here, there]) mkdirSync(directory, { recursive: true });
  const [ours, theirs] = [await seeded(here, size), await seededBy(root, there, size)];
  const copies = [ours, theirs].map((seed) => `${seed.file}.lacre`);
  const contestants: Contestant[] = [];
  try {
    for (const [i, seed] of [ours, theirs].entries()) {
      removeAll(seed, copies);
      copyFileSync(seed.file, copies[i] as string);
      const server = await startLacre(copies[i] as string, i === 0 ? {} : { name: "other", root });
      contestants.push({ server, seeded: seed });
    }
    for (const scenario of named(flags.only)) {
      for (const row of await measure(scenario, contestants as [Contestant, Contestant], pace())) say(rowOf(row));
    }
  } finally {
    await Promise.all(contestants.map(({ server }) => server.stop()));
    for (const seed of [ours, theirs]) removeAll(seed, copies);
  }
}

/** A database seeded by another checkout: its schema may be another. */
async function seededBy(root: string, directory: string, size: number): Promise<Seeded> {
  const program = `const { seeded } = await import("./test/bench/seed.ts");
    process.stdout.write(JSON.stringify(await seeded(${JSON.stringify(directory)}, ${size})));`;
  const hook = "./test/support/from-source.ts"; // earlier checkouts have a condition instead
  const flags = existsSync(resolve(root, hook)) ? ["--import", hook] : ["--conditions=source"];
  const args = [...flags, "--input-type=module", "--eval", program];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root, maxBuffer: 1 << 28 });
  return JSON.parse(stdout);
}

/** Lacre's p50 at each size over its p50 at the first. */
function sayGrowth(sizes: readonly { readonly size: number; readonly measured: readonly Measured[] }[]): void {
  const [first, ...larger] = sizes.map(({ size, measured }) => ({
    size,
    ours: measured.filter(({ server }) => server === "lacre"),
  }));
  if (!first || larger.length === 0) return;
  say(`\n## Growth: Lacre's p50 over that at ${first.size}\n`);
  say(`| | ${larger.map(({ size }) => size).join(" | ")} |\n|---|${"---:|".repeat(larger.length)}`);
  for (const [i, { scenario, p50_ms }] of first.ours.entries()) {
    const times = larger.map(({ ours }) => decimal((ours[i] as Measured).p50_ms / p50_ms, 2));
    say(`| ${scenario} | ${times.join(" | ")} |`);
  }
}

/** Starts every side on a database of its own, and takes all of it away again. */
async function withServers<T>(seed: Seeded, work: (servers: Record<Side, Server>) => Promise<T>): Promise<T> {
  const [ours, each, group] = [`${seed.file}.lacre`, `${seed.file}.each`, `${seed.file}.group`];
  removeAll(seed, [ours, each, group]);
  copyFileSync(seed.file, ours);
  makeFloorDatabase(seed.file, each);
  copyFileSync(each, group);
  const servers = {
    lacre: await startLacre(ours),
    each: await startFloor(each, "each"),
    group: await startFloor(group, "group"),
  };
  try {
    return await work(servers);
  } finally {
    await Promise.all(Object.values(servers).map((server) => server.stop()));
    removeAll(seed, [ours, each, group]);
  }
}

function removeAll({ file }: Seeded, copies: readonly string[]): void {
  const directory = file.slice(0, file.lastIndexOf("/"));
  for (const name of readdirSync(directory).map((name) => `${directory}/${name}`)) {
    if (copies.some((copy) => name.startsWith(copy))) rmSync(name);
  }
}

/** The scenarios whose name holds the text; throws when there is none. */
function named(text: string): Scenario[] {
  const found = SCENARIOS.filter(({ name }) => name.includes(text));
  if (found.length > 0) return found;
  throw new Error(`No scenario is named so; there are: ${SCENARIOS.map(({ name }) => name).join("; ")}.`);
}

/** Runs Lacre alone under one scenario with Node's profiler on, and prints where the time went. */
async function profile(text: string): Promise<void> {
  const [scenario] = named(text) as [Scenario];
  mkdirSync(flags.data, { recursive: true });
  const seed = await seeded(flags.data, Number(flags.sizes.split(",")[0]));
  const [copy, directory] = [`${seed.file}.profiled`, `${seed.file}.profile`];
  removeAll(seed, [copy]);
  rmSync(directory, { recursive: true, force: true });
  copyFileSync(seed.file, copy);
  const server = await startLacre(copy, {
    node: ["--cpu-prof", "--cpu-prof-interval", "500", "--cpu-prof-dir", directory],
  });
  const file = `${seed.file}.requests`;
  writeRequests(file, scenario.requests(seed));
  const { connections } = scenario;
  const round = await load(server.url, seed.api_key, { file, connections, seconds: Number(flags.seconds) * 5 });
  await server.stop();
  removeAll(seed, [copy]);
  say(`${machine()}\n\n${scenario.name}: ${whole(round.requests / round.seconds)} a second while profiled.\n`);
  for (const name of readdirSync(directory)) say(summaryOf(`${directory}/${name}`));
}

function rowOf(row: Measured): string {
  const isOurs = row.server === "lacre";
  const cells = [
    isOurs ? row.scenario : "",
    row.server,
    whole(row.per_second),
    decimal(row.p50_ms, 2),
    decimal(row.p99_ms, 1),
    whole(row.cpu_us),
    whole(row.commits_per_second),
    isOurs ? "" : `**${decimal(row.ratio, 2)}** of it`,
    isOurs ? "" : `${decimal(row.cpu_ratio, 1)} times its`,
  ];
  return `| ${cells.join(" | ")} |`;
}

function walked({ seconds, documents_per_second, peak_bytes }: Awaited<ReturnType<typeof verifyWalk>>): string {
  return `${whole(documents_per_second)} documents/s, ${seconds.toFixed(1)} s with the start of the process, at most ${megabytes(peak_bytes)}`;
}

function whole(value: number): string {
  return decimal(value, 0);
}

/** A dash stands for what not one answer in a turn leaves unknown. */
function decimal(value: number, digits: number): string {
  if (!Number.isFinite(value)) return "–";
  return value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

function megabytes(bytes: number): string {
  return `${whole(bytes / 1e6)} MB`;
}
