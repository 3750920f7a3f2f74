/** When a failed delivery is tried again, and when it is given up. */
import { hash } from "node:crypto";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The pauses between attempts, those of Standard Webhooks: three days in all. */
const PAUSES_MS = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
] as const;

/** Up to a tenth more, so that deliveries that failed together are not all tried at the same moment. */
const JITTER = 0.1;

/** The longest that a receiver's Retry-After is honoured. */
const MAX_ASKED_MS = 24 * HOUR;

/** How long an attempt of each kind belongs to the process that took it: longer than one may take. */
export const LEASE_MS = { webhook: 30 * SECOND, email: 5 * MINUTE } as const;

/** How long due messages may wait while none is taken, until people learn that nobody sends them. */
export const UNTAKEN_MS = 5 * MINUTE;

/** A message that has been due this long without being taken is given up, so that the outbox cannot grow for ever. */
export const LONGEST_DUE_MS = 7 * 24 * HOUR;

/** A webhook that has failed for this long without a success is disabled. */
export const DISABLED_AFTER_MS = 5 * 24 * HOUR;

/** How long an ended delivery is kept for the log. */
export const KEPT_MS = 30 * 24 * HOUR;

/** Milliseconds until the next attempt after this many failures; undefined when the delivery is given up. */
export function pauseAfter(failures: number, delivery_id: string, retry_after_s = 0): number | undefined {
  const pause = PAUSES_MS[failures - 1];
  if (pause === undefined) return undefined;
  const asked = Math.min(retry_after_s * SECOND, MAX_ASKED_MS);
  const later = JITTER * chanceOf(`${delivery_id} ${failures}`);
  return Math.max(pause * (1 + later), asked);
}

/** A number from 0 to 1 derived from a text: as good as a random one, and the same in each run. */
function chanceOf(text: string): number {
  return Number.parseInt(hash("sha256", text).slice(0, 8), 16) / 2 ** 32;
}
