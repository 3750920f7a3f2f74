/** The outbox of webhooks: for each event a delivery to each webhook that wants it. */
import { preparedSelect } from "../database/prepared.ts";
import type { Row } from "../database/tables.ts";
import { enqueue, type QueuedKind, unsentIn, waitingIn } from "../deliveries/outbox.ts";
import type { Instant } from "../fiscal/civil-time.ts";
import type { ReadScope, RecordScope } from "../runtime/scope.ts";
import { messageId } from "./signature.ts";

/** An event to be delivered, and what it is about: events of one subject are delivered in order. */
export interface Queued extends Pick<Row<"events">, "position" | "at" | "action" | "resource_id" | "seal"> {
  readonly company_id: string;
  readonly subject_id: string;
}

/** The one event that goes to its own webhook whatever that one asks for. */
export const TEST = "webhook.tested";

const UNSENT = "Messages to this webhook wait, and nobody sends them: run lacre serve, or lacre.webhooks.deliver.";

const WEBHOOK: QueuedKind = {
  kind: "webhook",
  unsent: ({ id: webhook_id, company_id, due_since: since }) => ({
    event: "webhooks_unsent",
    company_id,
    webhook_id,
    since,
    message: UNSENT,
  }),
};

/** Queues an event for every enabled webhook of its company that wants it. */
export async function queueEvent(scope: RecordScope, event: Queued): Promise<void> {
  const { company_id, subject_id, position, action, at, resource_id, seal } = event;
  for (const { actions, ...queue } of await queuesOf(scope.db, { company_id, now: at })) {
    const { id } = queue;
    if (!wants(actions, action) && !(action === TEST && resource_id === id)) continue;
    await enqueue(scope, WEBHOOK, queue, { id: messageId(id, seal), subject_id, position, action });
  }
}

/** Whether one of these patterns, separated by spaces, covers the action: `*`, `document.*` or `document.issued`. */
export function wants(patterns: string, action: string): boolean {
  return patterns
    .split(" ")
    .some((one) => one === "*" || one === action || (one.endsWith(".*") && action.startsWith(one.slice(0, -1))));
}

/** The enabled webhooks of a company, or of all. */
const queuesOf = preparedSelect((db, { company_id, now }: { company_id: string | undefined; now: Instant }) => {
  const enabled = db.selectFrom("webhooks").where("deleted_at", "is", null).where("disabled_at", "is", null);
  return (company_id === undefined ? enabled : enabled.where("company_id", "=", company_id))
    .select(["id", "company_id", "actions", "taken_at"])
    .select((eb) => waitingIn(eb, eb.ref("webhooks.id"), now))
    .orderBy("id");
});

/** The companies with messages that have been due for minutes while nobody took any, and since when. */
export async function unsentCompanies(
  { db, now }: Pick<ReadScope, "db" | "now">,
  company_id?: string,
): Promise<ReadonlyMap<string, Instant>> {
  return unsentIn(await queuesOf(db, { company_id, now: now.toISOString() }), now);
}
