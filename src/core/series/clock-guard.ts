/** The guard against a clock that went back: documents must not be issued into the past (Despacho 8632/2014, 3.4.3). */
import { z } from "zod";
import { mustFindCompany, saveClockConfirmed } from "../companies.ts";
import type { Row } from "../database/tables.ts";
import { recordEvent } from "../events.ts";
import { Instant } from "../fields.ts";
import { refuse } from "../runtime/errors.ts";
import { command } from "../runtime/operation.ts";
import type { WriteScope } from "../runtime/scope.ts";
import { latestIssuedAt } from "./numbers.ts";

/** Smaller steps back are ordinary time keeping: the series then reuses its last entry time. */
const TOLERANCE_MS = 2_000;

/**
 * Refuses with `unavailable` while the clock is more than two seconds behind the company's latest document, unless the
 * operator confirmed that the clock is right. It compares UTC instants: the hour that repeats in October is no step back.
 */
export async function mustHaveSaneClock(scope: WriteScope, company: Row<"companies">): Promise<void> {
  const latest = await latestIssuedAt(scope);
  if (latest === null || Date.parse(latest) - scope.now.getTime() <= TOLERANCE_MS) return;
  if (isConfirmed(scope.now, latest, company)) return;
  refuse("unavailable", "clock_is_behind", { latest });
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
    await recordEvent(scope, "clock.confirmed", null, { now, latest_issued_at: latest });
    return { now, latest_issued_at: latest };
  },
);
