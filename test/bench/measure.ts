/** Rounds in turn: every server gets the same seconds under the same client, and noise falls on all alike. */
import { load, type Round, writeRequests } from "./load.ts";
import type { Scenario } from "./scenarios.ts";
import type { Seeded } from "./seed.ts";
import type { Server } from "./servers.ts";

/** A server under load, and what its database holds. */
export interface Contestant {
  readonly server: Server;
  readonly seeded: Seeded;
}

/** What one side did in a scenario: the medians of its rounds. */
export interface Measured {
  readonly scenario: string;
  readonly server: string;
  readonly per_second: number;
  readonly p50_ms: number;
  readonly p99_ms: number;
  /** CPU time of the server process per request: hardly moved by what else the machine does. */
  readonly cpu_us: number;
  readonly commits_per_second: number;
  /** Lacre's rate over this one's, and Lacre's CPU time over this one's: medians of the rounds' ratios. */
  readonly ratio: number;
  readonly cpu_ratio: number;
}

export interface Pace {
  readonly rounds: number;
  readonly seconds: number;
  /** Seconds for V8 to compile what runs often: the more code, the longer it takes. */
  readonly warm_up_s: number;
}

/** A server that spent no more than this share of so many milliseconds is idle. */
const IDLE_SHARE = 0.1;
const IDLE_MS = 200;

interface Turn extends Round {
  readonly cpu_us: number;
  readonly commits: number;
}

/** Runs a scenario on servers in turn. The first is ours: the ratios are of its figures over each one's. */
export async function measure(
  { name, connections, requests }: Scenario,
  contestants: readonly [Contestant, ...Contestant[]],
  { rounds, seconds, warm_up_s }: Pace,
): Promise<Measured[]> {
  const turns = new Map<Contestant, Turn[]>(contestants.map((contestant) => [contestant, []]));
  async function turn({ server, seeded }: Contestant, seconds: number): Promise<Turn> {
    const file = `${seeded.file}.requests`;
    writeRequests(file, requests(seeded));
    const [cpu, commits] = [server.cpuSeconds(), server.commits()];
    const round = await load(server.url, seeded.api_key, { file, connections, seconds });
    const spent = { cpu_us: ((server.cpuSeconds() - cpu) * 1e6) / round.requests, commits: server.commits() - commits };
    await idle(server);
    return { ...round, ...spent };
  }

  for (const contestant of contestants) await turn(contestant, warm_up_s);
  for (let round = 0; round < rounds; round++) {
    // Every other round runs backwards: on one machine the first of two equal servers came out up to a tenth slower.
    for (const contestant of round % 2 === 0 ? contestants : contestants.toReversed()) {
      turns.get(contestant)?.push(await turn(contestant, seconds));
    }
  }
  const ours = turns.get(contestants[0]) as Turn[];
  return contestants.map((contestant) => summed(name, contestant.server.name, turns.get(contestant) as Turn[], ours));
}

/** Waits until a server has worked off what its client left unanswered: that would fall into the next one's turn. */
async function idle(server: Server): Promise<void> {
  for (let before = Number.NEGATIVE_INFINITY; server.cpuSeconds() - before > IDLE_SHARE * (IDLE_MS / 1_000); ) {
    before = server.cpuSeconds();
    await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
  }
}

function summed(scenario: string, server: string, turns: readonly Turn[], ours: readonly Turn[]): Measured {
  const rate = ({ requests, seconds }: Round) => requests / seconds;
  const ratios = (value: (ours: Turn, theirs: Turn) => number) =>
    median(turns.map((theirs, i) => value(ours[i] as Turn, theirs)));
  return {
    scenario,
    server,
    per_second: median(turns.map(rate)),
    p50_ms: median(turns.map(({ p50_ms }) => p50_ms)),
    p99_ms: median(turns.map(({ p99_ms }) => p99_ms)),
    cpu_us: median(turns.map(({ cpu_us }) => cpu_us)),
    commits_per_second: median(turns.map(({ commits, seconds }) => commits / seconds)),
    ratio: ratios((a, b) => rate(a) / rate(b)),
    cpu_ratio: ratios((a, b) => a.cpu_us / b.cpu_us),
  };
}

/** The middle one; of an even number the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length / 2;
  return ((sorted[Math.ceil(half) - 1] as number) + (sorted[Math.floor(half)] as number)) / 2;
}
