/**
 * The outbox: what is to be delivered, written in the transaction of its event. Deliveries wait in queues: one for each
 * webhook, and one for the e-mails of each company.
 */
import type { Expression, ExpressionBuilder } from "kysely";
import { preparedSelect, preparedWrite } from "../database/prepared.ts";
import type { Row, Tables } from "../database/tables.ts";
import type { Instant } from "../fiscal/civil-time.ts";
import type { LogEntry } from "../runtime/ports.ts";
import type { RecordScope } from "../runtime/scope.ts";
import { LONGEST_DUE_MS, UNTAKEN_MS } from "./schedule.ts";

/** A queue of deliveries, and how long they wait. */
export interface Queue {
  readonly id: string;
  readonly company_id: string;
  /** When some of it were last taken to be sent, to the minute; null if none was yet. */
  readonly taken_at: Instant | null;
  /** When the delivery was due that has been due for longest; null where none is. */
  readonly due_since: Instant | null;
  /** When the latest delivery was queued. */
  readonly queued_at: Instant | null;
}

/** A delivery to queue: those of one subject go in the order of their events. */
export type NewDelivery = Pick<Row<"deliveries">, "id" | "subject_id" | "position" | "action">;

/** A kind of delivery, to those who queue it. */
export interface QueuedKind {
  readonly kind: Row<"deliveries">["kind"];
  /** What is logged at the first delivery that is queued while nobody sends. */
  readonly unsent: (queue: Queue) => Omit<LogEntry, "level">;
  /** Called after a delivery was given up that nobody took for days. */
  readonly gaveUp?: (scope: RecordScope, delivery: Pick<Row<"deliveries">, "id" | "begun">) => Promise<void>;
}

/** Queues a delivery, due at once unless one of its subject waits. */
export async function enqueue(
  scope: RecordScope,
  { kind, unsent, gaveUp }: QueuedKind,
  queue: Queue,
  delivery: NewDelivery,
): Promise<void> {
  const { db, now } = scope;
  const { id: queue_id, company_id } = queue;
  const queued_at = now.toISOString();
  warnOnce(scope, queue, unsent);
  await giveUpOldest(scope, queue, gaveUp);
  const [earlier] = await waitingOf(db, { queue_id, subject_id: delivery.subject_id });
  const due_at = earlier ? null : queued_at;
  await insertDelivery(db, { ...delivery, company_id, kind, queue_id, due_at, queued_at });
}

/** When the delivery of a queue was due that has been due for longest, beside a row whose column names the queue. */
export function dueIn(
  { selectFrom }: Pick<ExpressionBuilder<Tables, never>, "selectFrom">,
  id: Expression<string>,
  now: Instant,
) {
  return selectFrom("deliveries as due")
    .select("due.due_at")
    .where("due.queue_id", "=", id)
    .where("due.due_at", "<=", now)
    .orderBy("due.due_at")
    .limit(1);
}

type DueQueue = Pick<Queue, "id" | "company_id" | "due_since"> & { readonly failing_since: Instant | null };

/** Queues in which something is due, as those who deliver see them: the longest waiting first. */
export function dueFirst(queues: readonly DueQueue[]) {
  return queues
    .toSorted((a, b) => ((a.due_since ?? "") < (b.due_since ?? "") ? -1 : 1))
    .map(({ id, company_id, failing_since }) => ({ id, company_id, failing: failing_since !== null }));
}

/** Columns of a `Queue` to select beside a row whose column `id` names the queue. */
export function waitingIn(
  { selectFrom }: Pick<ExpressionBuilder<Tables, never>, "selectFrom">,
  id: Expression<string>,
  now: Instant,
) {
  return [
    dueIn({ selectFrom }, id, now).as("due_since"),
    selectFrom("deliveries as latest")
      .select("latest.queued_at")
      .where("latest.queue_id", "=", id)
      .orderBy("latest.position", "desc")
      .limit(1)
      .as("queued_at"),
  ] as const;
}

/** The companies with deliveries that have been due for minutes while nobody took any, and since when. */
export function unsentIn(queues: readonly Queue[], now: Date): ReadonlyMap<string, Instant> {
  const since = new Map<string, Instant>();
  for (const queue of queues) {
    const { company_id, due_since } = queue;
    if (due_since === null || !isUntaken(queue, now)) continue;
    const before = since.get(company_id) ?? due_since;
    since.set(company_id, before < due_since ? before : due_since);
  }
  return since;
}

/** Whether deliveries of a queue are due, and none was taken in the minutes before a moment. */
function isUntaken({ due_since, taken_at }: Queue, at: Date): boolean {
  const until = new Date(at.getTime() - UNTAKEN_MS).toISOString();
  return due_since !== null && due_since <= until && (taken_at === null || taken_at <= until);
}

/** Warns at the first delivery that is queued while nobody sends, unless that was already so at the one before. */
function warnOnce({ log, now }: RecordScope, queue: Queue, unsent: QueuedKind["unsent"]): void {
  const { queued_at } = queue;
  if (!isUntaken(queue, now) || (queued_at !== null && isUntaken(queue, new Date(queued_at)))) return;
  log({ ...unsent(queue), level: "warn" } as LogEntry);
}

/** How many deliveries are given up with each queued one: more than are added, so that the outbox shrinks. */
const GIVEN_UP_AT_ONCE = 4;

/**
 * Gives up the delivery that has been due longest, if that is too long; the log of deliveries shows it without an
 * attempt.
 */
async function giveUpOldest(
  scope: RecordScope,
  { id: queue_id, due_since }: Queue,
  gaveUp: QueuedKind["gaveUp"],
): Promise<void> {
  const { db, now } = scope;
  const until = new Date(now.getTime() - LONGEST_DUE_MS).toISOString();
  if (due_since === null || due_since > until) return;
  for (let count = 0; count < GIVEN_UP_AT_ONCE; count++) {
    const [due] = await dueOf(db, { queue_id, now: until, most: 1 });
    if (!due) return;
    const { id: delivery_id, failures } = due;
    await end(db, { delivery_id, outcome: "given_up", ended_at: now.toISOString(), failures });
    await gaveUp?.(scope, due);
    const [next] = await waitingOf(db, due);
    // It keeps its age: behind messages that were queued after it, it would outlive them.
    if (next) await putOff(db, { delivery_id: next.id, due_at: next.queued_at });
  }
}

// ——— For deliveries ———

/** The due deliveries of a queue, the longest due first. */
export const dueOf = preparedSelect((db, { queue_id, now, most }: { queue_id: string; now: Instant; most: number }) =>
  db
    .selectFrom("deliveries")
    .select(["id", "queue_id", "subject_id", "attempts", "failures", "begun"])
    .where("queue_id", "=", queue_id)
    .where("due_at", "<=", now)
    .orderBy("due_at")
    .orderBy("position")
    .limit(most),
);

type Ended = { readonly delivery_id: string } & Pick<Row<"deliveries">, "outcome" | "ended_at" | "failures">;

/** Ends a delivery; the caller makes the next one of its subject due. */
export const end = preparedWrite((db, { delivery_id, ...ended }: Ended) =>
  db
    .updateTable("deliveries")
    .set({ ...ended, due_at: null })
    .where("id", "=", delivery_id),
);

/** Makes a delivery due at another time. */
export const putOff = preparedWrite(
  (db, { delivery_id, ...later }: { delivery_id: string; due_at: Instant; failures?: number }) =>
    db.updateTable("deliveries").set(later).where("id", "=", delivery_id),
);

/** The first delivery of a subject that has not ended. */
export const waitingOf = preparedSelect((db, { queue_id, subject_id }: { queue_id: string; subject_id: string }) =>
  db
    .selectFrom("deliveries")
    .select(["id", "due_at", "queued_at"])
    .where("queue_id", "=", queue_id)
    .where("subject_id", "=", subject_id)
    .where("outcome", "is", null)
    .orderBy("position")
    .limit(1),
);

const insertDelivery = preparedWrite(
  (db, delivery: NewDelivery & Pick<Row<"deliveries">, "company_id" | "kind" | "queue_id" | "due_at" | "queued_at">) =>
    db.insertInto("deliveries").values(delivery),
);
