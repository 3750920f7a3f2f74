/** The guard against a clock that went back: documents must not be issued into the past (Despacho 8632/2014, 3.4.3). */
import * as z from "zod";
import { mustFindCompany, saveClockConfirmed } from "../companies.ts";
import type { Row } from "../database/tables.ts";
import { recordEvent } from "../events.ts";
import { Instant } from "../fields.ts";
import { refuse } from "../runtime/errors.ts";
import { command } from "../runtime/operation.ts";
import type { ReadScope, WriteScope } from "../runtime/scope.ts";
import { companiesIssuedAfter, latestIssuedAt } from "./numbers.ts";

/** Smaller steps back are ordinary time keeping: the series then reuses its last entry time. */
const TOLERANCE_MS = 2_000;

/**
 * Refuses with `unavailable` while the clock is more than two seconds behind the company's latest document, unless the
 * operator confirmed that the clock is right. It compares UTC instants: the hour that repeats in October is no step
 * back.
 */
export function mustHaveSaneClock(scope: WriteScope, company: Row<"companies">, latest: string | null): void {
  if (latest !== null && isBehind(scope.now, company, latest)) refuse("unavailable", "clock_is_behind", { latest });
}

/** The instant of the company's latest document where the clock is behind it, not confirmed; else null. */
export async function latestIfBehind(scope: ReadScope, company: Row<"companies">): Promise<string | null> {
  const latest = await latestIssuedAt(scope);
  return latest !== null && isBehind(scope.now, company, latest) ? latest : null;
}

function isBehind(now: Date, company: Row<"companies">, latest: string): boolean {
  return Date.parse(latest) - now.getTime() > TOLERANCE_MS && !isConfirmed(now, latest, company);
}

/** The companies that issue nothing because the clock is behind. */
export async function companiesWithClockBehind({ db, now }: Pick<ReadScope, "db" | "now">): Promise<string[]> {
  const after = new Date(now.getTime() + TOLERANCE_MS).toISOString();
  const behind: string[] = [];
  for (const { company_id, latest } of await companiesIssuedAfter(db, after)) {
    const company = await mustFindCompany({ db, company_id });
    if (!isConfirmed(now, latest, company)) behind.push(company_id);
  }
  return behind;
}

/** A confirmation covers the documents issued before it, and the time after it; a further step back needs another. */
function isConfirmed(
  now: Date,
  latest: string,
  { clock_confirmed_for, clock_confirmed_at }: Row<"companies">,
): boolean {
  if (clock_confirmed_for === null || clock_confirmed_at === null) return false;
  return latest <= clock_confirmed_for && Date.parse(clock_confirmed_at) - now.getTime() <= TOLERANCE_MS;
}

export const confirmClock = command(
  {
    id: "confirmClock",
    summary: "Confirm that the clock is right although documents carry later times",
    needs: "operator",
    input: z.strictObject({}),
    output: z.strictObject({ now: Instant, latest_issued_at: Instant.nullable() }),
    fails: ["not_found"],
  },
  async (scope) => {
    await mustFindCompany(scope);
    const latest = await latestIssuedAt(scope);
    const now = scope.now.toISOString();
    if (latest !== null) await saveClockConfirmed(scope, latest);
    await recordEvent(scope, "clock.confirmed", scope.company_id, { now, latest_issued_at: latest });
    return { now, latest_issued_at: latest };
  },
);
