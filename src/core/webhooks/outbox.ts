/** The outbox: for each event a delivery to each webhook that wants it, written in the transaction of the event. */

import { hash } from "node:crypto";
import { preparedSelect, preparedWrite } from "../database/prepared.ts";
import type { NewRow, Row } from "../database/tables.ts";
import type { Instant } from "../fiscal/civil-time.ts";
import type { ReadScope, RecordScope } from "../runtime/scope.ts";
import { LONGEST_DUE_MS, UNTAKEN_MS } from "./schedule.ts";

/** An event to be delivered, and what it is about: events of one subject are delivered in order. */
export interface Queued extends Pick<Row<"events">, "position" | "at" | "action" | "resource_id" | "seal"> {
  readonly company_id: string;
  readonly subject_id: string;
}

/** The one event that goes to its own webhook whatever that one asks for. */
export const TEST = "webhook.tested";

/** Queues an event for every enabled webhook of its company that wants it. */
export async function queueEvent(scope: RecordScope, event: Queued): Promise<void> {
  const { db } = scope;
  const { company_id, subject_id, position, action, at } = event;
  for (const queue of await queuesOf(db, { company_id, now: at })) {
    const { id, actions } = queue;
    if (!wants(actions, action) && !(action === TEST && event.resource_id === id)) continue;
    warnOnce(scope, queue);
    await giveUpOldest(scope, queue);
    const earlier = await waitingOf(db, { webhook_id: id, subject_id });
    await insertDelivery(db, {
      id: messageId(id, event.seal),
      company_id,
      webhook_id: id,
      position,
      action,
      subject_id,
      outcome: null,
      due_at: earlier.length > 0 ? null : at,
      queued_at: at,
      ended_at: null,
    });
  }
}

/** Whether one of these patterns, separated by spaces, covers the action: `*`, `document.*` or `document.issued`. */
export function wants(patterns: string, action: string): boolean {
  return patterns
    .split(" ")
    .some((one) => one === "*" || one === action || (one.endsWith(".*") && action.startsWith(one.slice(0, -1))));
}

/**
 * The id of the message about an event for a webhook, as a UUID of version 8 (RFC 9562). It is derived from the event's
 * seal: after a restore another event with the same position has another id, and receivers drop ids that they know.
 */
function messageId(webhook_id: string, seal: string): string {
  const [, a, b, c, d] = /^(.{8})(.{4}).(.{3}).(.{15})/.exec(hash("sha256", `${webhook_id} ${seal}`)) as string[];
  return `${a}-${b}-8${c}-8${d?.slice(0, 3)}-${d?.slice(3)}`;
}

// ——— Unsent messages ———

/** An enabled webhook, and how long its messages wait. */
interface Queue extends Pick<Row<"webhooks">, "id" | "company_id" | "actions" | "taken_at"> {
  /** When the message was due that has been due for longest; null where none is. */
  readonly due_since: Instant | null;
  /** When the latest message was queued. */
  readonly queued_at: Instant | null;
}

/** The enabled webhooks of a company, or of all. */
const queuesOf = preparedSelect((db, { company_id, now }: { company_id: string | undefined; now: Instant }) => {
  const enabled = db.selectFrom("webhooks").where("deleted_at", "is", null).where("disabled_at", "is", null);
  return (company_id === undefined ? enabled : enabled.where("company_id", "=", company_id))
    .select(["id", "company_id", "actions", "taken_at"])
    .select(({ selectFrom }) => [
      selectFrom("webhook_deliveries as due")
        .select(({ fn }) => fn.min("due.due_at").as("first"))
        .whereRef("due.webhook_id", "=", "webhooks.id")
        .where("due.due_at", "<=", now)
        .as("due_since"),
      selectFrom("webhook_deliveries as latest")
        .select("latest.queued_at")
        .whereRef("latest.webhook_id", "=", "webhooks.id")
        .orderBy("latest.position", "desc")
        .limit(1)
        .as("queued_at"),
    ])
    .orderBy("id");
});

/** The companies with messages that have been due for minutes while nobody took any, and since when. */
export async function unsentCompanies(
  { db, now }: Pick<ReadScope, "db" | "now">,
  company_id?: string,
): Promise<ReadonlyMap<string, Instant>> {
  const since = new Map<string, Instant>();
  for (const queue of await queuesOf(db, { company_id, now: now.toISOString() })) {
    const { company_id, due_since } = queue;
    if (due_since === null || !isUntaken(queue, now)) continue;
    const before = since.get(company_id) ?? due_since;
    since.set(company_id, before < due_since ? before : due_since);
  }
  return since;
}

/** Whether messages of a webhook are due, and none was taken in the minutes before a moment. */
function isUntaken({ due_since, taken_at }: Queue, at: Date): boolean {
  const until = new Date(at.getTime() - UNTAKEN_MS).toISOString();
  return due_since !== null && due_since <= until && (taken_at === null || taken_at <= until);
}

/** Warns at the first message that is queued while nobody sends, unless that was already so at the one before. */
function warnOnce({ log, now }: RecordScope, queue: Queue): void {
  const { id: webhook_id, company_id, due_since: since, queued_at } = queue;
  if (!isUntaken(queue, now) || (queued_at !== null && isUntaken(queue, new Date(queued_at)))) return;
  const message = "Messages to this webhook wait, and nobody sends them: run lacre serve, or lacre.webhooks.deliver.";
  log({ level: "warn", event: "webhooks_unsent", company_id, webhook_id, since, message });
}

/** How many messages are given up with each queued one: more than are added, so that the outbox shrinks. */
const GIVEN_UP_AT_ONCE = 4;

/**
 * Gives up the message that has been due longest, if that is too long; the log of deliveries shows it without an
 * attempt.
 */
async function giveUpOldest({ db, now }: RecordScope, { id: webhook_id, due_since }: Queue): Promise<void> {
  const until = new Date(now.getTime() - LONGEST_DUE_MS).toISOString();
  if (due_since === null || due_since > until) return;
  for (let count = 0; count < GIVEN_UP_AT_ONCE; count++) {
    const [due] = await dueOf(db, { webhook_id, now: until, most: 1 });
    if (!due) return;
    const { id: delivery_id, failures } = due;
    await end(db, { delivery_id, outcome: "given_up", ended_at: now.toISOString(), failures });
    const [next] = await waitingOf(db, due);
    // It keeps its age: behind messages that were queued after it, it would outlive them.
    if (next) await putOff(db, { delivery_id: next.id, due_at: next.queued_at });
  }
}

// ——— For deliveries ———

/** The due messages of a webhook, the longest due first. */
export const dueOf = preparedSelect(
  (db, { webhook_id, now, most }: { webhook_id: string; now: Instant; most: number }) =>
    db
      .selectFrom("webhook_deliveries")
      .select(["id", "webhook_id", "subject_id", "attempts", "failures"])
      .where("webhook_id", "=", webhook_id)
      .where("due_at", "<=", now)
      .orderBy("due_at")
      .orderBy("position")
      .limit(most),
);

type Ended = { readonly delivery_id: string } & Pick<Row<"webhook_deliveries">, "outcome" | "ended_at" | "failures">;

/** Ends a delivery; the caller makes the next one of its subject due. */
export const end = preparedWrite((db, { delivery_id, ...ended }: Ended) =>
  db
    .updateTable("webhook_deliveries")
    .set({ ...ended, due_at: null })
    .where("id", "=", delivery_id),
);

/** Makes a delivery due at another time. */
export const putOff = preparedWrite(
  (db, { delivery_id, ...later }: { delivery_id: string; due_at: Instant; failures?: number }) =>
    db.updateTable("webhook_deliveries").set(later).where("id", "=", delivery_id),
);

/** The first delivery of a subject that has not ended. */
export const waitingOf = preparedSelect((db, { webhook_id, subject_id }: { webhook_id: string; subject_id: string }) =>
  db
    .selectFrom("webhook_deliveries")
    .select(["id", "due_at", "queued_at"])
    .where("webhook_id", "=", webhook_id)
    .where("subject_id", "=", subject_id)
    .where("outcome", "is", null)
    .orderBy("position")
    .limit(1),
);

const insertDelivery = preparedWrite((db, delivery: NewRow<"webhook_deliveries">) =>
  db.insertInto("webhook_deliveries").values(delivery),
);
