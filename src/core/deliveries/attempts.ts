/** Attempts at deliveries: taken, settled, and their log. */
import * as z from "zod";
import { preparedSelect, preparedWrite } from "../database/prepared.ts";
import type { Reader, Row } from "../database/tables.ts";
import { type List, listOf, valuesOf } from "../database/words.ts";
import { Instant } from "../fields.ts";
import type { ReadScope, WriteScope } from "../runtime/scope.ts";
import { dueOf, end, putOff, waitingOf } from "./outbox.ts";
import { KEPT_MS, LEASE_MS, pauseAfter } from "./schedule.ts";

export const Attempt = z.strictObject({
  at: Instant,
  status: z.int().nullable().describe("Of the answer; null where there was none."),
  error: z.string().nullable().describe("Why it failed, where that is not the status."),
  duration_ms: z.int(),
});
export type Attempt = z.infer<typeof Attempt>;

/** The most characters that are kept of why an attempt failed. */
export const MAX_ERROR = 1_000;

/** What a sender tells of an attempt, as its log keeps it: a host program's own may tell anything. */
export function toldOf({ status, error }: { status: unknown; error: unknown }): Pick<Attempt, "status" | "error"> {
  return {
    status: Number.isSafeInteger(status) ? (status as number) : null,
    error: typeof error === "string" ? error.slice(0, MAX_ERROR) : null,
  };
}

type Delivery = Row<"deliveries">;

/** Takes due deliveries of a queue to attempt them: until the lease of their kind ends, nobody else gets them. */
export async function takeDue({ db, now }: WriteScope, kind: Delivery["kind"], queue_id: string, most: number) {
  const until = new Date(now.getTime() + LEASE_MS[kind]).toISOString();
  const taken: Delivery[] = [];
  for (const { id: delivery_id, attempts } of await dueOf(db, { queue_id, now: now.toISOString(), most })) {
    taken.push(...(await take(db, { delivery_id, attempts, attempt: attempts + 1, until })));
  }
  return taken;
}

interface Take {
  readonly delivery_id: string;
  /** The attempts so far: another process that took it meanwhile has changed them. */
  readonly attempts: number;
  readonly attempt: number;
  readonly until: Instant;
}

const take = preparedWrite((db, { delivery_id, attempts, attempt, until }: Take) =>
  db
    .updateTable("deliveries")
    .set({ due_at: until, attempts: attempt })
    .where("id", "=", delivery_id)
    .where("attempts", "=", attempts)
    .where("outcome", "is", null)
    .returningAll(),
);

/** What became of an attempt. */
export interface Settled extends Omit<Attempt, "at"> {
  readonly attempt: number;
  /** Done; to be tried again on the schedule; or not to be tried again. */
  readonly result: "delivered" | "failed" | "over";
  readonly retry_after_s?: number | undefined;
}

/** Logs an attempt that was taken. Returns when the next one is due; null when the delivery has ended. */
export async function settle(
  scope: WriteScope,
  delivery: Delivery,
  { result, retry_after_s, ...attempt }: Settled,
): Promise<Instant | null> {
  const { db, now } = scope;
  const { id: delivery_id } = delivery;
  const at = now.toISOString();
  await logAttempt(db, { delivery_id, at, ...attempt });
  const failures = delivery.failures + (result === "delivered" ? 0 : 1);
  const pause = result === "failed" ? pauseAfter(failures, delivery_id, retry_after_s) : undefined;
  const due_at = pause === undefined ? null : new Date(now.getTime() + pause).toISOString();
  if (due_at !== null) await putOff(db, { delivery_id, due_at, failures });
  else {
    const outcome = result === "delivered" ? "delivered" : "given_up";
    await end(db, { delivery_id, outcome, ended_at: at, failures });
    await wakeNext(scope, delivery);
  }
  await sweep(scope);
  return due_at;
}

/** Adds an attempt to the log. */
export const logAttempt = preparedWrite((db, attempt: Row<"delivery_attempts">) =>
  db.insertInto("delivery_attempts").values(attempt),
);

/** Makes the next delivery of a subject due, once the one before it has ended. */
async function wakeNext({ db, now }: WriteScope, ended: Delivery): Promise<void> {
  const [next] = await waitingOf(db, ended);
  if (next && next.due_at === null) await putOff(db, { delivery_id: next.id, due_at: now.toISOString() });
}

/** How many ended deliveries are deleted with each attempt: more than are added, so that the log shrinks. */
const SWEPT_AT_ONCE = 4;

async function sweep({ db, company_id, now }: WriteScope): Promise<void> {
  const before = new Date(now.getTime() - KEPT_MS).toISOString();
  const old = await endedBefore(db, { company_id, before });
  if (old.length === 0) return;
  const ids = listOf(old.map(({ id }) => id));
  await db.deleteFrom("delivery_attempts").where("delivery_id", "in", valuesOf(ids)).execute();
  await db.deleteFrom("deliveries").where("id", "in", valuesOf(ids)).execute();
}

const endedBefore = preparedSelect((db, { company_id, before }: { company_id: string; before: Instant }) =>
  db
    .selectFrom("deliveries")
    .select("id")
    .where("company_id", "=", company_id)
    .where("ended_at", "<=", before)
    .orderBy("ended_at")
    .limit(SWEPT_AT_ONCE),
);

/** A delivery of the call's company. */
export async function findDelivery({ db, company_id }: ReadScope, delivery_id: string): Promise<Delivery | undefined> {
  return (await deliveryById(db, { company_id, delivery_id }))[0];
}

const deliveryById = preparedSelect((db, { company_id, delivery_id }: { company_id: string; delivery_id: string }) =>
  db.selectFrom("deliveries").selectAll().where("id", "=", delivery_id).where("company_id", "=", company_id),
);

/** The attempts at each of some deliveries, newest first. */
export async function attemptsOf(
  db: Reader,
  deliveries: readonly { readonly id: string }[],
): Promise<Map<string, Attempt[]>> {
  const all = await attemptsAt(db, { ids: listOf(deliveries.map(({ id }) => id)) });
  const attempts = new Map<string, Attempt[]>();
  for (const { delivery_id, at, status, error, duration_ms } of all) {
    attempts.set(delivery_id, [{ at, status, error, duration_ms }, ...(attempts.get(delivery_id) ?? [])]);
  }
  return attempts;
}

const attemptsAt = preparedSelect((db, { ids }: { ids: List }) =>
  db
    .selectFrom("delivery_attempts")
    .selectAll()
    .where("delivery_id", "in", valuesOf(ids))
    .orderBy("delivery_id")
    .orderBy("attempt"),
);

/** When each of some deliveries is due next; those that ended are absent. */
export async function waitingOnes(
  db: Reader,
  deliveries: readonly { readonly id: string }[],
): Promise<ReadonlyMap<string, Instant | null>> {
  const waiting = await dueAmong(db, { ids: listOf(deliveries.map(({ id }) => id)) });
  return new Map(waiting.map(({ id, due_at }) => [id, due_at]));
}

const dueAmong = preparedSelect((db, { ids }: { ids: List }) =>
  db.selectFrom("deliveries").select(["id", "due_at"]).where("id", "in", valuesOf(ids)).where("outcome", "is", null),
);
