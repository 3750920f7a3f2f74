/** The outbox: for each event a delivery to each webhook that wants it, written in the transaction of the event. */
import { hash } from "node:crypto";
import type { Kysely } from "kysely";
import { preparedSelect, preparedWrite } from "../database/prepared.ts";
import type { NewRow, Row, Tables } from "../database/tables.ts";

/** An event to be delivered, and what it is about: events of one subject are delivered in order. */
export interface Queued extends Pick<Row<"events">, "position" | "at" | "action" | "resource_id" | "seal"> {
  readonly company_id: string;
  readonly subject_id: string;
}

/** The one event that goes to its own webhook whatever that asks for. */
export const TEST = "webhook.tested";

/** Queues an event for every enabled webhook of its company that wants it. */
export async function queueEvent(db: Kysely<Tables>, event: Queued): Promise<void> {
  const { company_id, subject_id, position, action, at } = event;
  for (const { id, actions } of await enabledOf(db, { company_id })) {
    if (!wants(actions, action) && !(action === TEST && event.resource_id === id)) continue;
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

/** Whether one of these patterns, separated by spaces, has the action: `*`, `document.*` or `document.issued`. */
export function wants(patterns: string, action: string): boolean {
  return patterns
    .split(" ")
    .some((one) => one === "*" || one === action || (one.endsWith(".*") && action.startsWith(one.slice(0, -1))));
}

/**
 * The id of the message about an event for a webhook, as a UUID of version 8 (RFC 9562). It is made from the event's
 * seal: after a restore another event with the same position has another id, and receivers drop ids that they know.
 */
function messageId(webhook_id: string, seal: string): string {
  const [, a, b, c, d] = /^(.{8})(.{4}).(.{3}).(.{15})/.exec(hash("sha256", `${webhook_id} ${seal}`)) as string[];
  return `${a}-${b}-8${c}-8${d?.slice(0, 3)}-${d?.slice(3)}`;
}

const enabledOf = preparedSelect((db, { company_id }: { company_id: string }) =>
  db
    .selectFrom("webhooks")
    .select(["id", "actions"])
    .where("company_id", "=", company_id)
    .where("deleted_at", "is", null)
    .where("disabled_at", "is", null)
    .orderBy("id"),
);

/** The first delivery of a subject that has not ended. */
export const waitingOf = preparedSelect((db, { webhook_id, subject_id }: { webhook_id: string; subject_id: string }) =>
  db
    .selectFrom("webhook_deliveries")
    .select(["id", "due_at"])
    .where("webhook_id", "=", webhook_id)
    .where("subject_id", "=", subject_id)
    .where("outcome", "is", null)
    .orderBy("position")
    .limit(1),
);

const insertDelivery = preparedWrite((db, delivery: NewRow<"webhook_deliveries">) =>
  db.insertInto("webhook_deliveries").values(delivery),
);
