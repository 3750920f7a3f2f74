/**
 * The guard against a wrong clock. One that went back would issue into the past (Despacho 8632/2014, 3.4.3); one that
 * jumped ahead would fix dates that no series can go back from.
 */
import * as z from "zod";
import { companiesIssuedAfter, mustFindCompany, saveClockConfirmed } from "../company/companies.ts";
import type { Row } from "../database/tables.ts";
import { recordEvent } from "../events/events.ts";
import { Instant } from "../fields.ts";
import { refuse } from "../runtime/errors.ts";
import { command } from "../runtime/operation.ts";
import type { ReadScope, WriteScope } from "../runtime/scope.ts";
import { t } from "./refusals.ts";

/** Smaller steps back are ordinary clock adjustments: the series then reuses its last entry time. */
const TOLERANCE_MS = 2_000;

/** After this long without a document somebody must confirm the clock: it may have jumped, or the shop was closed. */
const QUIET_MS = 60 * 24 * 60 * 60 * 1_000;

/** A fault that stops issuing until the clock is set or confirmed. */
export type ClockFault =
  /** The clock is more than two seconds behind the company's latest document. */
  | { readonly kind: "clock_behind"; readonly latest_issued_at: Instant }
  /** By the clock, the company issued nothing for more than 60 days; nor was the clock confirmed. */
  | { readonly kind: "clock_unconfirmed"; readonly now: Instant; readonly since: Instant };

/**
 * What is wrong with the clock for a company; null if nothing is, and if the company has issued no document to compare
 * with. Compares UTC instants: the hour that repeats in October is not a step back.
 */
export function clockFault({ now }: Pick<ReadScope, "now">, company: Row<"companies">): ClockFault | null {
  const { last_issued_at: latest } = company;
  if (latest === null) return null;
  if (isAfter(latest, now)) {
    return isConfirmed(now, company) ? faultSince(now, company, null) : behind(latest);
  }
  return faultSince(now, company, latest);
}

const behind = (latest_issued_at: Instant): ClockFault => ({ kind: "clock_behind", latest_issued_at });

/**
 * If a confirmed clock is behind the latest documents, they prove nothing: time then counts from the confirmation
 * alone.
 */
function faultSince(now: Date, { clock_confirmed_at }: Row<"companies">, latest: Instant | null): ClockFault | null {
  const signs = [latest, clock_confirmed_at].filter((at) => at !== null && !isAfter(at, now));
  const since = signs.sort().at(-1);
  if (since == null || now.getTime() - Date.parse(since) <= QUIET_MS) return null;
  return { kind: "clock_unconfirmed", now: now.toISOString(), since };
}

function isAfter(instant: Instant, now: Date): boolean {
  return Date.parse(instant) - now.getTime() > TOLERANCE_MS;
}

/** A confirmation covers the documents issued before it, and the time after it; a further step back needs another. */
function isConfirmed(
  now: Date,
  { last_issued_at, clock_confirmed_for, clock_confirmed_at }: Row<"companies">,
): boolean {
  if (last_issued_at === null || clock_confirmed_for === null || clock_confirmed_at === null) return false;
  return last_issued_at <= clock_confirmed_for && !isAfter(clock_confirmed_at, now);
}

/** Refuses with `unavailable` to issue by a wrong clock, unless somebody confirmed that it is right. */
export function mustHaveSaneClock(scope: ReadScope, company: Row<"companies">): void {
  const fault = clockFault(scope, company);
  if (fault?.kind === "clock_behind") {
    refuse("unavailable", t.clock_is_behind({ latest: fault.latest_issued_at }), { to: "confirm_clock" });
  }
  if (fault) refuse("unavailable", t.clock_is_unconfirmed(fault), { to: "confirm_long_pause" });
}

/**
 * Refuses with `unavailable` to fix a date in an issued document by a clock that may have jumped ahead. One that is
 * behind does no harm there.
 */
export async function mustNotHaveJumped(scope: WriteScope): Promise<void> {
  const fault = clockFault(scope, await mustFindCompany(scope));
  if (fault?.kind !== "clock_unconfirmed") return;
  refuse("unavailable", t.clock_is_unconfirmed(fault), { to: "confirm_long_pause" });
}

/** The companies that issue nothing because the clock is behind. */
export async function companiesWithClockBehind({ db, now }: Pick<ReadScope, "db" | "now">): Promise<string[]> {
  const after = new Date(now.getTime() + TOLERANCE_MS).toISOString();
  const ahead = await companiesIssuedAfter(db, after);
  return ahead.flatMap((company) => (isConfirmed(now, company) ? [] : company.id));
}

export const confirmClock = command(
  {
    id: "confirmClock",
    summary: "Confirm that the clock is right, although it is behind a document or nothing was issued for long",
    needs: "company:write",
    input: z.strictObject({}),
    output: z.strictObject({ now: Instant, latest_issued_at: Instant.nullable() }),
    fails: ["not_found"],
  },
  async (scope) => {
    const { last_issued_at: latest } = await mustFindCompany(scope);
    const now = scope.now.toISOString();
    if (latest !== null) await saveClockConfirmed(scope, latest);
    await recordEvent(scope, "clock.confirmed", scope.company_id, { now, latest_issued_at: latest });
    return { now, latest_issued_at: latest };
  },
);
