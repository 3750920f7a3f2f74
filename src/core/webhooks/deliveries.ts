/** Deliveries of events to webhooks: their log, sending again, and taking and settling them. */
import * as z from "zod";
import { preparedSelect, preparedWrite } from "../database/prepared.ts";
import type { Reader, Row } from "../database/tables.ts";
import { Attempt, attemptsOf, findDelivery, MAX_ERROR, settle, takeDue } from "../deliveries/attempts.ts";
import { dueFirst, dueIn } from "../deliveries/outbox.ts";
import { DISABLED_AFTER_MS } from "../deliveries/schedule.ts";
import { eventAt, recordEvent } from "../events/events.ts";
import { Id, Instant, PathId } from "../fields.ts";
import { refuse } from "../runtime/errors.ts";
import { command, query } from "../runtime/operation.ts";
import { PageInput, pageAs, pageOf, preparedCount, preparedPage } from "../runtime/page.ts";
import type { WebhookAnswer } from "../runtime/ports.ts";
import type { ReadScope, WriteScope } from "../runtime/scope.ts";
import { TEST } from "./outbox.ts";
import { t } from "./refusals.ts";
import { signedMessage } from "./signature.ts";
import { disableWebhook, mustFindWebhook, noteTaken } from "./webhooks.ts";

const STATUSES = ["waiting", "delivered", "given_up"] as const;

export const WebhookDelivery = z
  .strictObject({
    id: Id.describe("`webhook-id` of the message, the same in every attempt."),
    position: z.int().describe("That of the event."),
    action: z.string(),
    status: z.enum(STATUSES),
    queued_at: Instant,
    next_attempt_at: Instant.nullable().describe("Null once it ended, and while it waits for an earlier event."),
    ended_at: Instant.nullable(),
    attempts: z.array(Attempt).describe("Newest first."),
  })
  .meta({ id: "WebhookDelivery", description: "An event on its way to a webhook." });
export type WebhookDelivery = z.infer<typeof WebhookDelivery>;

export const listDeliveries = query(
  {
    id: "listDeliveries",
    summary: "List the deliveries to a webhook, newest first; ended ones are kept for 30 days",
    needs: "webhooks:read",
    input: z.strictObject({ id: PathId, status: z.enum(STATUSES).optional(), ...PageInput }),
    output: pageOf(WebhookDelivery),
    fails: ["not_found"],
  },
  async (scope, { id, status, ...asked }) => {
    await mustFindWebhook(scope, id);
    const { db } = scope;
    const ended = status === "waiting" ? undefined : status;
    const found = { queue_id: id, outcome: ended, waits: status === "waiting" || undefined };
    const page = await pageOfDeliveries(db, found, asked, await countDeliveries(db, found));
    const attempts = await attemptsOf(db, page.data);
    return pageAs(page, (row) => toDelivery(row, attempts.get(row.id)));
  },
);

interface Found {
  readonly queue_id: string;
  readonly outcome: Row<"deliveries">["outcome"] | undefined;
  readonly waits: true | undefined;
}

function deliveriesOf(db: Reader, { queue_id, outcome, waits }: Found) {
  const all = db.selectFrom("deliveries").where("queue_id", "=", queue_id);
  if (waits) return all.where("outcome", "is", null);
  return outcome === undefined ? all : all.where("outcome", "=", outcome);
}

const pageOfDeliveries = preparedPage(deliveriesOf, { order: ["position"] });
const countDeliveries = preparedCount(deliveriesOf);

export const redeliver = command(
  {
    id: "redeliver",
    summary: "Send an event to a webhook again, or at once where it waits for its next attempt",
    needs: "webhooks:write",
    input: z.strictObject({ id: PathId }),
    output: WebhookDelivery,
    fails: ["not_found", "invalid_state"],
  },
  async (scope, { id }) => {
    const delivery = (await find(scope, id)) ?? refuse("not_found", t.no_such_delivery);
    const webhook = await mustFindWebhook(scope, delivery.queue_id);
    if (webhook.disabled_at !== null) refuse("invalid_state", t.webhook_is_disabled);
    if (delivery.outcome === null && delivery.due_at === null) refuse("invalid_state", t.earlier_delivery_waits);
    const due_at = scope.now.toISOString();
    const again = { outcome: null, due_at, failures: 0, ended_at: null };
    await scope.db.updateTable("deliveries").set(again).where("id", "=", id).execute();
    return shownDelivery(scope, { ...delivery, ...again });
  },
);

export const testWebhook = command(
  {
    id: "testWebhook",
    summary: "Send a webhook a test: the event webhook.tested, whatever it asks for",
    needs: "webhooks:write",
    input: z.strictObject({ id: PathId }),
    output: WebhookDelivery,
    fails: ["not_found", "invalid_state"],
  },
  async (scope, { id }) => {
    const webhook = await mustFindWebhook(scope, id);
    if (webhook.disabled_at !== null) refuse("invalid_state", t.webhook_is_disabled);
    await recordEvent(scope, TEST, id);
    const [delivery] = await latestOf(scope.db, { queue_id: id });
    return shownDelivery(scope, delivery as Row<"deliveries">);
  },
);

const latestOf = preparedSelect((db, { queue_id }: { queue_id: string }) =>
  db.selectFrom("deliveries").selectAll().where("queue_id", "=", queue_id).orderBy("position", "desc").limit(1),
);

// ——— For the sender ———

export const listDueWebhooks = query(
  {
    id: "listDueWebhooks",
    summary: "The enabled webhooks of all companies that have something to be sent now, the longest waiting first",
    needs: "operator",
    input: z.strictObject({}),
    output: z.array(z.strictObject({ id: Id, company_id: Id, failing: z.boolean() })),
    fails: [],
  },
  async ({ db, now }) => {
    return dueFirst(await dueWebhooks(db, { now: now.toISOString() }));
  },
);

const dueWebhooks = preparedSelect((db, { now }: { now: Instant }) =>
  db
    .selectFrom("webhooks")
    .select(["id", "company_id", "failing_since"])
    .select((eb) => dueIn(eb, eb.ref("webhooks.id"), now).as("due_since"))
    .where("deleted_at", "is", null)
    .where("disabled_at", "is", null)
    .where((eb) => eb.exists(dueIn(eb, eb.ref("webhooks.id"), now)))
    .orderBy("id"),
);

/** A message of this attempt. */
const Message = z.strictObject({
  delivery_id: Id,
  attempt: z.int(),
  action: z.string(),
  url: z.string(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
});
export type Message = z.infer<typeof Message>;

export const takeDeliveries = command(
  {
    id: "takeDeliveries",
    summary: "Take messages of a webhook to send them; nobody else gets them for 30 seconds",
    needs: "operator",
    input: z.strictObject({ id: Id, most: z.int() }),
    output: z.array(Message),
    fails: ["not_found"],
  },
  async (scope, { id, most }) => {
    const webhook = await mustFindWebhook(scope, id);
    if (webhook.disabled_at !== null) return [];
    const messages: Message[] = [];
    for (const taken of await takeDue(scope, "webhook", id, most))
      messages.push(await messageOf(scope, webhook, taken));
    if (messages.length > 0) await noteTaken(scope, webhook);
    return messages;
  },
);

async function messageOf(
  scope: ReadScope,
  webhook: Row<"webhooks">,
  { id, position, attempts }: Row<"deliveries">,
): Promise<Message> {
  const event = await eventAt(scope, position);
  const { url, secret, previous_secret, previous_until } = webhook;
  const isRotating = previous_until !== null && previous_until > scope.now.toISOString();
  const secrets = [secret, isRotating ? previous_secret : null].filter((one) => one !== null);
  const message = signedMessage({ id, at: scope.now, event, secrets });
  return { delivery_id: id, attempt: attempts, action: event.action, url, ...message };
}

/** What may become of an attempt. */
export const OUTCOMES = ["delivered", "failed", "gone"] as const satisfies WebhookAnswer["outcome"][];

export const settleDelivery = command(
  {
    id: "settleDelivery",
    summary: "Say what became of a message that was taken",
    needs: "operator",
    input: z.strictObject({
      id: Id,
      delivery_id: Id,
      attempt: z.int(),
      outcome: z.enum(OUTCOMES),
      status: z.int().nullable(),
      error: z.string().max(MAX_ERROR).nullable(),
      duration_ms: z.int(),
      retry_after_s: z.int().optional(),
    }),
    output: z.strictObject({ settled: z.boolean(), next_attempt_at: Instant.nullable() }),
    fails: ["not_found"],
  },
  async (scope, { id, delivery_id, attempt, outcome, status, error, duration_ms, retry_after_s }) => {
    const webhook = await mustFindWebhook(scope, id);
    const delivery = await find(scope, delivery_id);
    // Its lease ran out and another process took it, or it was deleted: that outcome counts.
    if (delivery?.attempts !== attempt || delivery.outcome !== null) return { settled: false, next_attempt_at: null };
    const result = outcome === "delivered" ? "delivered" : "failed";
    const due_at = await settle(scope, delivery, { attempt, result, status, error, duration_ms, retry_after_s });
    await judge(scope, webhook, outcome, due_at === null);
    return { settled: true, next_attempt_at: due_at };
  },
);

/** Notes the result of an attempt on the webhook, and disables one that is gone or has failed for days. */
async function judge(
  scope: WriteScope,
  { id, failing_since, disabled_at }: Row<"webhooks">,
  outcome: WebhookAnswer["outcome"],
  isGivenUp: boolean,
): Promise<void> {
  const { db, now } = scope;
  if (outcome === "delivered") {
    if (failing_since !== null) await noteFailing(db, { id, failing_since: null });
    return;
  }
  if (failing_since === null) await noteFailing(db, { id, failing_since: now.toISOString() });
  if (disabled_at !== null) return;
  if (outcome === "gone") return disableWebhook(scope, id, "gone");
  const failed_for = now.getTime() - new Date(failing_since ?? now).getTime();
  if (isGivenUp && failed_for > DISABLED_AFTER_MS) await disableWebhook(scope, id, "failing");
}

const noteFailing = preparedWrite((db, { id, failing_since }: { id: string; failing_since: Instant | null }) =>
  db.updateTable("webhooks").set({ failing_since }).where("id", "=", id),
);

// ——— Parts ———

/** A delivery to a webhook of the call's company. */
async function find(scope: ReadScope, delivery_id: string) {
  const found = await findDelivery(scope, delivery_id);
  return found?.kind === "webhook" ? found : undefined;
}

async function shownDelivery({ db }: ReadScope, row: Row<"deliveries">): Promise<WebhookDelivery> {
  return toDelivery(row, (await attemptsOf(db, [row])).get(row.id));
}

function toDelivery(row: Row<"deliveries">, attempts: Attempt[] = []): WebhookDelivery {
  const { id, position, action, outcome, queued_at, due_at, ended_at } = row;
  return {
    id,
    position,
    action,
    status: outcome ?? "waiting",
    queued_at,
    next_attempt_at: due_at,
    ended_at,
    attempts,
  };
}
