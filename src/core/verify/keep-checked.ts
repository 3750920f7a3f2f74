/**
 * Keeps the database checked: new documents and events at the start, now and then, and at the end; everything once
 * after the start and once a day. It works a few rows at a time and rests longer than it works, so that nobody waits
 * for it.
 */
import type { Bell } from "../runtime/bell.ts";
import type { Closing } from "../runtime/closing.ts";
import { LacreError } from "../runtime/errors.ts";
import { ALL_PERMISSIONS, type Caller } from "../runtime/permissions.ts";
import { type Clock, type Log, type MonotonicClock, yieldToOthers } from "../runtime/ports.ts";
import type { Run } from "../runtime/run.ts";
import { checkCompany, checkInstallation, claimCheck, recordCheck } from "./checks.ts";
import type { Finding } from "./finding.ts";

/** How often new documents and events are checked, in milliseconds. */
const EVERY_MS = 10 * 60_000;
/** How often everything is checked. */
const WHOLE_MS = 24 * 60 * 60_000;
/** How long it works at the start without a rest, in milliseconds: long enough for a small database. */
const AT_ONCE_MS = 100;
/** Afterwards it rests this many times as long as it worked. */
const RESTS = 3;
const LONGEST_REST_MS = 250;
/** The time limit of the check at the end, in milliseconds; the next start checks the rest. */
const END_MS = 1_000;
/** A claim lasts a minute; it is renewed in time. */
const RENEW_MS = 20_000;

/** The options of keeping the database checked. */
export interface CheckOptions {
  /** Ends the checks when it aborts, after one more check of what is new, of at most a second. */
  readonly signal?: AbortSignal;
}

/** The dependencies of keeping a database checked. */
export interface Checking {
  readonly run: Run;
  readonly operator: Caller;
  /** The ids of the companies. */
  readonly companies: () => Promise<readonly string[]>;
  /** When all of a company was last checked. */
  readonly wholeAt: (company_id: string) => Promise<string | null>;
  /** Several servers may have the database open: only one at a time checks a company. */
  readonly isShared: boolean;
  readonly bell: Bell;
  readonly closing: Closing;
  readonly now: Clock;
  readonly monotonic: MonotonicClock;
  readonly log: Log;
}

/** Thrown to abandon a check that is no longer needed. */
class Left extends Error {}

/** Checks until the signal aborts or Lacre closes; without a signal, everything once. */
export async function keepChecked(world: Checking, { signal }: CheckOptions = {}): Promise<void> {
  const { bell, closing, monotonic, now, log } = world;
  const isOver = () => signal?.aborted === true || !closing.isOpen();
  const rest = restsOf(world, isOver, signal);
  if (!signal) return round(world, rest, async () => true);
  const began = now().toISOString();
  const isDue = async (company_id: string) => {
    const whole_at = await world.wholeAt(company_id);
    const day = new Date(now().getTime() - WHOLE_MS).toISOString();
    return whole_at === null || whole_at < began || whole_at < day;
  };
  const attempt = (breathe: () => Promise<void>, due: (company_id: string) => Promise<boolean>) =>
    round(world, breathe, due).catch((error: unknown) => {
      // The storage is in trouble, or there is no time left; anything else is a bug.
      if (error instanceof Left) return;
      if (!(error instanceof LacreError)) throw error;
      log({ level: "warn", event: "check_waits", message: error.message });
    });
  while (!isOver()) {
    await attempt(rest, async () => false);
    if (!isOver()) await attempt(rest, isDue);
    if (!isOver()) await bell.next(Number.POSITIVE_INFINITY, EVERY_MS, signal);
  }
  if (!closing.isOpen()) return;
  const end = monotonic() + END_MS;
  await attempt(
    async () => {
      if (monotonic() > end) throw new Left();
      await yieldToOthers();
    },
    async () => false,
  );
}

/** Rests between the turns of a check; throws `Left` once the check is no longer needed. */
function restsOf({ bell, monotonic }: Checking, isOver: () => boolean, signal?: AbortSignal): () => Promise<void> {
  const began = monotonic();
  let last = began;
  return async () => {
    await yieldToOthers();
    if (isOver()) throw new Left();
    const worked = monotonic() - last;
    if (signal && monotonic() - began > AT_ONCE_MS) {
      await bell.next(Number.POSITIVE_INFINITY, Math.min(worked * RESTS, LONGEST_REST_MS), signal);
    }
    last = monotonic();
  };
}

/** One round: the installation, then each company, wholly if that is due. */
async function round(
  world: Checking,
  breathe: () => Promise<void>,
  isDue: (company_id: string) => Promise<boolean>,
): Promise<void> {
  const { run, operator } = world;
  const { finding } = (await run(operator, checkInstallation, { breathe })).value;
  for (const company_id of await world.companies()) {
    await breathe();
    await checkOne(world, { company_id, whole: await isDue(company_id), above: finding, breathe });
  }
}

interface One {
  readonly company_id: string;
  readonly whole: boolean;
  readonly above: Finding | null;
  readonly breathe: () => Promise<void>;
}

async function checkOne(world: Checking, { company_id, whole, above, breathe }: One): Promise<void> {
  const { run, operator, isShared, monotonic, log } = world;
  const caller: Caller = { ...operator, company_id, scopes: ALL_PERMISSIONS };
  if (!whole && (await world.wholeAt(company_id)) === null) return; // everything is due
  if (isShared && !(await run(caller, claimCheck, { again: false })).value.isClaimed) return;
  let claimed = monotonic();
  const renewing = async () => {
    await breathe();
    if (!isShared || monotonic() - claimed < RENEW_MS) return;
    claimed = monotonic();
    await run(caller, claimCheck, { again: true });
  };
  const checked = (await run(caller, checkCompany, { whole, breathe: renewing })).value;
  const finding = above ?? checked.finding;
  if (!whole && checked.documents === 0 && finding === null && !isShared) return;
  const stored = (await run(caller, recordCheck, { ...checked, finding })).value;
  if (!stored.isNew || !stored.finding) return;
  const { place, reason } = stored.finding;
  const message = `${place}: ${reason} The company issues nothing until somebody answers for it: lacre verify`;
  log({ level: "error", event: "database_changed", company_id, place, reason, message });
}
