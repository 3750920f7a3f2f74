/**
 * Wrong passwords, counted in the database: a restart forgets none, and servers on one database count together. Nobody
 * who knows a login can lock its user out. A browser that logged in before has its own count. Any other is counted by
 * login and network, and only the login slows down: each network's next try then waits for a while after its first one,
 * whatever others do. A slowed try is refused at once, with the seconds to wait: if it waited here, it would occupy a
 * place among the requests under way, and attackers could fill those.
 */
import { hash } from "node:crypto";
import * as z from "zod";
import type { Reader, Row } from "../database/tables.ts";
import { refuseFor } from "../runtime/errors.ts";
import { type Command, command } from "../runtime/operation.ts";
import type { WriteScope } from "../runtime/scope.ts";
import type { Trial, Tries } from "./passwords.ts";
import { t } from "./refusals.ts";

const TrialInput = z.strictObject({ of: z.string(), network: z.string().nullable(), own: z.string().nullable() });

/** How far back wrong passwords count. */
const WINDOW_MS = 15 * 60_000;
/** The limits of counted tries: of one login from one network, or of a browser's own; and of a network. */
const MAX_OF_PAIR = 10;
const MAX_OF_NETWORK = 30;
/** How many wrong tries of a login, from anywhere, slow nothing; the next wait 1 s, 2 s, 4 s … up to the longest. */
const FREE_OF_LOGIN = 5;
const LONGEST_WAIT_MS = 30_000;
/** How many counts are kept, and how many tries pass between two clean-ups. */
const MAX_KEPT = 50_000;
const LOOKED_EACH = 100;

/** How long the next try at a login waits after this many wrong ones. */
function slowness(wrong: number): number {
  return wrong < FREE_OF_LOGIN ? 0 : Math.min(1_000 * 2 ** (wrong - FREE_OF_LOGIN), LONGEST_WAIT_MS);
}

/** One count of a trial. Without `most` it slows down instead of refusing. */
interface Counter {
  readonly key: string;
  readonly most?: number;
}

/** The counts of a trial; `gate` is the first that makes it wait. */
function countersOf({ of, network, own }: Trial): { readonly all: readonly Counter[]; readonly gate: string | null } {
  const counter = (parts: readonly string[], most?: number): Counter => {
    return { key: hash("sha256", JSON.stringify(parts), "hex"), ...(most !== undefined && { most }) };
  };
  if (own !== null) return { all: [counter(["own", of, own], MAX_OF_PAIR)], gate: null };
  const login = counter(["login", of]);
  if (network === null) return { all: [login], gate: login.key };
  const pair = counter(["login", of, network], MAX_OF_PAIR);
  return { all: [counter(["network", network], MAX_OF_NETWORK), pair, login], gate: pair.key };
}

/** A count at a moment. */
interface Count {
  readonly times: readonly number[];
  /** No other try before then; null if none has asked. */
  readonly ready_ms: number | null;
}

async function countsAt(db: Reader, counters: readonly Counter[], at: number): Promise<(key: string | null) => Count> {
  const keys = counters.map(({ key }) => key);
  const rows = await db.selectFrom("password_tries").selectAll().where("key", "in", keys).execute();
  const found = new Map(rows.map((row) => [row.key, countAt(row, at)]));
  return (key) => found.get(key ?? "") ?? { times: [], ready_ms: null };
}

/** A row as of now. A clock that went back does not lengthen the wait. */
function countAt({ times, ready_ms }: Row<"password_tries">, at: number): Count {
  const all = times === "" ? [] : times.split(" ").map((time) => Math.min(Number(time), at));
  return {
    times: all.filter((time) => at - time < WINDOW_MS),
    ready_ms: ready_ms === null ? null : Math.min(ready_ms, at + LONGEST_WAIT_MS),
  };
}

/** The verdict on a try: it runs, or waits this long, from a place that it takes now or took before. */
type Verdict = { readonly wait_ms: 0 } | { readonly wait_ms: number; readonly begins: boolean };

function verdictOf(trial: Trial, countOf: (key: string | null) => Count, at: number): Verdict {
  const { all, gate } = countersOf(trial);
  for (const { key, most = Number.POSITIVE_INFINITY } of all) {
    const { times } = countOf(key);
    if (times.length >= most) return { wait_ms: WINDOW_MS - (at - (times[0] ?? at)), begins: false };
  }
  const slow = gate === null ? 0 : slowness(countOf(all.at(-1)?.key ?? null).times.length);
  const { ready_ms } = countOf(gate);
  if (slow === 0) return { wait_ms: 0 };
  if (ready_ms === null) return { wait_ms: slow, begins: true };
  return ready_ms > at ? { wait_ms: ready_ms - at, begins: false } : { wait_ms: 0 };
}

async function keep({ db }: WriteScope, key: string, { times, ready_ms }: Count, at: number): Promise<void> {
  const row = { key, times: times.join(" "), ready_ms, expires_ms: at + WINDOW_MS };
  await db
    .insertInto("password_tries")
    .values(row)
    .onConflict((conflict) => conflict.column("key").doUpdateSet({ ...row }))
    .execute();
}

let until_looked = LOOKED_EACH;

/** Forgets counts that no longer matter; and if there are too many, those that would go first. */
async function forgetOld({ db }: WriteScope, at: number): Promise<void> {
  await db.deleteFrom("password_tries").where("expires_ms", "<=", at).execute();
  if (--until_looked > 0) return;
  until_looked = LOOKED_EACH;
  const beyond = await db
    .selectFrom("password_tries")
    .select("expires_ms")
    .orderBy("expires_ms", "desc")
    .limit(1)
    .offset(MAX_KEPT)
    .executeTakeFirst();
  if (beyond) await db.deleteFrom("password_tries").where("expires_ms", "<=", beyond.expires_ms).execute();
}

/** Counts a try before it runs, so that simultaneous ones all count; returns how long it must wait instead. */
export const countTry = command(
  {
    id: "countTry",
    summary: "Count a try at a password",
    needs: "visitor",
    input: TrialInput,
    output: z.strictObject({ wait_ms: z.number() }),
    fails: [],
  },
  async (scope, trial) => {
    const at = scope.now.getTime();
    await forgetOld(scope, at);
    const { all, gate } = countersOf(trial);
    const countOf = await countsAt(scope.db, all, at);
    const verdict = verdictOf(trial, countOf, at);
    const { wait_ms } = verdict;
    if (wait_ms > 0) {
      if (gate !== null && "begins" in verdict && verdict.begins) {
        await keep(scope, gate, { ...countOf(gate), ready_ms: at + wait_ms }, at);
      }
      return { wait_ms };
    }
    const wrong = countOf(all.at(-1)?.key ?? null).times.length + 1;
    const slow = slowness(wrong);
    for (const { key } of all) {
      const times = [...countOf(key).times, at].slice(-MAX_OF_NETWORK);
      await keep(scope, key, { times, ready_ms: key === gate && slow > 0 ? at + slow : null }, at);
    }
    return { wait_ms: 0 };
  },
);

/** Takes back the latest try: the password was right. */
export const takeBackTry = command(
  {
    id: "takeBackTry",
    summary: "Take back a try at a password that was right",
    needs: "visitor",
    input: TrialInput,
    output: z.void(),
    fails: [],
  },
  async (scope, trial) => {
    const at = scope.now.getTime();
    const { all, gate } = countersOf(trial);
    const countOf = await countsAt(scope.db, all, at);
    for (const { key } of all) {
      const { times, ready_ms } = countOf(key);
      await keep(scope, key, { times: times.slice(0, -1), ready_ms: key === gate ? null : ready_ms }, at);
    }
  },
);

/** Makes the counts of a database. A try that must wait is refused by reading alone: asking again writes nothing. */
export function triesIn(
  read: <T>(find: (db: Reader) => Promise<T>) => Promise<T>,
  run: <Output extends z.ZodType>(
    operation: Command<typeof TrialInput, Output>,
    trial: Trial,
  ) => Promise<z.output<Output>>,
  now: () => Date,
): Tries {
  const mustNotWait = (wait_ms: number) =>
    wait_ms > 0 && refuseFor(Math.max(1, Math.ceil(wait_ms / 1_000)), "rate_limited", t.too_many_tries);
  return {
    async take(trial) {
      const at = now().getTime();
      const verdict = await read(async (db) => verdictOf(trial, await countsAt(db, countersOf(trial).all, at), at));
      if ("begins" in verdict && !verdict.begins) mustNotWait(verdict.wait_ms);
      const { wait_ms } = await run(countTry, trial);
      mustNotWait(wait_ms);
    },
    async giveBack(trial) {
      await run(takeBackTry, trial);
    },
  };
}
