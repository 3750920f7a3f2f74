/** Webhook: an external address that a company's events are sent to, signed with a secret of its own. */
import * as z from "zod";
import { keepWebhookCount } from "../company/companies.ts";
import { preparedSelect, preparedWrite } from "../database/prepared.ts";
import type { Reader, Row } from "../database/tables.ts";
import { ACTIONS, type EventAction, recordEvent } from "../events/events.ts";
import { definedOnly, formed, Id, Instant, PathId, text } from "../fields.ts";
import { problem, refuse, refuseInput } from "../runtime/errors.ts";
import { command, query } from "../runtime/operation.ts";
import { PageInput, pageAs, pageOf, preparedCount, preparedPage } from "../runtime/page.ts";
import type { ReadScope, WriteScope } from "../runtime/scope.ts";
import { faultOfAddress } from "./address.ts";
import { t } from "./refusals.ts";
import { secretFrom } from "./signature.ts";

/** How many webhooks a company may have: every event is matched against each. */
const MAX_WEBHOOKS = 20;

/** How long the old secret also signs after a rotation. */
const OVERLAP_MS = 24 * 60 * 60 * 1_000;

/** The patterns that a webhook may ask for. */
const PATTERNS: ReadonlySet<string> = new Set([
  "*",
  ...ACTIONS,
  ...ACTIONS.map((action) => `${action.slice(0, action.indexOf("."))}.*`),
]);

const Url = text(2_000)
  .overwrite((given) => URL.parse(given)?.href ?? given)
  .meta({ format: "uri", description: "HTTPS, at a public address.", example: "https://example.com/lacre" });

const Action = formed(50, (given) => PATTERNS.has(given), t.must_be_action).meta({
  pattern: "^(\\*|[a-z]+\\.(\\*|[a-z_]+))$",
  maxLength: 50,
});

const Actions = z
  .array(Action)
  .min(1)
  .max(50)
  .meta({ description: "The events it gets: `*`, `document.*`, `payment.recorded`, …", example: ["document.*"] });

const Description = text(200).nullable();

const webhookFields = {
  id: Id,
  url: z.string(),
  actions: z.array(z.string()).describe("The events it gets: `*`, `document.*`, `payment.recorded`, …"),
  description: z.string().nullable(),
  status: z
    .enum(["enabled", "failing", "disabled"])
    .describe("`failing` since an attempt failed until one succeeds; a `disabled` one gets nothing."),
  failing_since: Instant.nullable(),
  disabled_reason: z
    .enum(["asked", "gone", "failing"])
    .nullable()
    .describe("Somebody asked; it answered 410 Gone; it failed for five days."),
  created_at: Instant,
};

export const Webhook = z
  .strictObject(webhookFields)
  .meta({ id: "Webhook", description: "An address outside that events are sent to." });
export type Webhook = z.infer<typeof Webhook>;

export const WebhookWithSecret = z
  .strictObject({
    ...webhookFields,
    secret: z.string().meta({
      description: "Signs what is sent (Standard Webhooks); shown this once.",
      example: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=",
    }),
  })
  .meta({ id: "WebhookWithSecret", description: "A webhook with its secret, which is shown this once." });
export type WebhookWithSecret = z.infer<typeof WebhookWithSecret>;

export const NewWebhook = z
  .strictObject({
    url: Url,
    actions: Actions.optional().meta({ default: ["*"] }),
    description: Description.optional(),
  })
  .describe("A webhook to create.");
export type NewWebhook = z.input<typeof NewWebhook>;

export const WebhookChanges = z
  .strictObject({
    url: Url.optional(),
    actions: Actions.optional(),
    description: Description.optional(),
    enabled: z.boolean().optional().describe("`false` stops it; `true` starts it again, with what still waits."),
  })
  .describe("The fields of a webhook to change.");
export type WebhookChanges = z.input<typeof WebhookChanges>;

export const listWebhooks = query(
  {
    id: "listWebhooks",
    summary: "List webhooks, newest first",
    needs: "webhooks:read",
    input: z.strictObject(PageInput),
    output: pageOf(Webhook),
    fails: [],
  },
  async ({ db, company_id }, asked) =>
    pageAs(await pageOfWebhooks(db, { company_id }, asked, await countWebhooks(db, { company_id })), toWebhook),
);

const live = (db: Reader, { company_id }: { company_id: string }) =>
  db.selectFrom("webhooks").where("company_id", "=", company_id).where("deleted_at", "is", null);
const pageOfWebhooks = preparedPage(live);
const countWebhooks = preparedCount(live);

export const createWebhook = command(
  {
    id: "createWebhook",
    summary: "Create a webhook; its secret is shown this once",
    needs: "webhooks:write",
    confirmed: true,
    unkeyed: true,
    input: NewWebhook,
    output: WebhookWithSecret,
    fails: ["invalid_state", "conflict", "password_required"],
  },
  async (scope, { url, actions = ["*"], description = null }) => {
    const { db, company_id } = scope;
    mustBeAllowed(scope, url);
    if ((await countWebhooks(db, { company_id })) >= MAX_WEBHOOKS)
      refuse("invalid_state", t.too_many_webhooks({ max: MAX_WEBHOOKS }));
    await mustBeNew(scope, url);
    const secret = secretFrom(scope.newSecret());
    const row: Row<"webhooks"> = {
      id: scope.newId(),
      company_id,
      url,
      actions: joined(actions),
      description,
      secret,
      previous_secret: null,
      previous_until: null,
      disabled_at: null,
      disabled_reason: null,
      failing_since: null,
      taken_at: null,
      created_at: scope.now.toISOString(),
      deleted_at: null,
    };
    await db.insertInto("webhooks").values(row).execute();
    await countEnabled(scope);
    await recordEvent(scope, "webhook.created", row.id, { url: shown(url) });
    return { ...toWebhook(row), secret };
  },
);

export const getWebhook = query(
  {
    id: "getWebhook",
    summary: "Get a webhook",
    needs: "webhooks:read",
    input: z.strictObject({ id: PathId }),
    output: Webhook,
    fails: ["not_found"],
  },
  async (scope, { id }) => toWebhook(await mustFindWebhook(scope, id)),
);

export const changeWebhook = command(
  {
    id: "changeWebhook",
    summary: "Change the fields sent of a webhook, stop it or start it again",
    needs: "webhooks:write",
    confirmed: true,
    input: z.strictObject({ id: PathId, ...WebhookChanges.shape }),
    output: Webhook,
    fails: ["not_found", "conflict", "password_required"],
  },
  async (scope, { id, url, actions, description, enabled }) => {
    if (url !== undefined) mustBeAllowed(scope, url);
    const before = await mustFindWebhook(scope, id);
    if (url !== undefined && url !== before.url) await mustBeNew(scope, url);
    const fields = Object.keys(definedOnly({ url, actions, description, enabled }));
    const given = { url, description, actions: actions && joined(actions), ...switched(scope, before, enabled) };
    const columns = definedOnly(given);
    if (Object.keys(columns).length === 0) return toWebhook(before);
    const saved = await save(scope, id, columns);
    await recordEvent(scope, "webhook.changed", id, { fields });
    return toWebhook(saved);
  },
);

/** The columns that change when a webhook is stopped or started again. */
function switched({ now }: WriteScope, { disabled_at }: Row<"webhooks">, enabled: boolean | undefined) {
  if (enabled === true) {
    return { disabled_at: null, disabled_reason: null, failing_since: null, taken_at: now.toISOString() };
  }
  if (enabled === undefined || disabled_at !== null) return {};
  return { disabled_at: now.toISOString(), disabled_reason: "asked" as const };
}

export const deleteWebhook = command(
  {
    id: "deleteWebhook",
    summary: "Delete a webhook; what still waits for it is not delivered",
    needs: "webhooks:write",
    input: z.strictObject({ id: PathId }),
    output: z.void(),
    fails: ["not_found"],
  },
  async (scope, { id }) => {
    await mustFindWebhook(scope, id);
    const ended_at = scope.now.toISOString();
    await scope.db
      .updateTable("deliveries")
      .set({ outcome: "given_up", due_at: null, ended_at })
      .where("queue_id", "=", id)
      .where("outcome", "is", null)
      .execute();
    await save(scope, id, { deleted_at: ended_at, secret: null, previous_secret: null, previous_until: null });
    await recordEvent(scope, "webhook.deleted", id);
  },
);

export const rotateWebhookSecret = command(
  {
    id: "rotateWebhookSecret",
    summary: "Give a webhook a new secret, shown this once; for a day the one before signs, too",
    needs: "webhooks:write",
    confirmed: true,
    unkeyed: true,
    input: z.strictObject({ id: PathId }),
    output: WebhookWithSecret,
    fails: ["not_found", "password_required"],
  },
  async (scope, { id }) => {
    const { secret: previous_secret } = await mustFindWebhook(scope, id);
    const secret = secretFrom(scope.newSecret());
    const previous_until = new Date(scope.now.getTime() + OVERLAP_MS).toISOString();
    const saved = await save(scope, id, { secret, previous_secret, previous_until });
    await recordEvent(scope, "webhook.secret_rotated", id);
    return { ...toWebhook(saved), secret };
  },
);

// ——— For deliveries ———

/** A webhook of the call's company; refuses with `not_found`. */
export async function mustFindWebhook({ db, company_id }: ReadScope, id: string): Promise<Row<"webhooks">> {
  const [row] = await webhookById(db, { company_id, id });
  return row ?? refuse("not_found", t.no_such_webhook);
}

const webhookById = preparedSelect((db, { id, company_id }: { id: string; company_id: string }) =>
  live(db, { company_id }).selectAll().where("id", "=", id),
);

/**
 * How exact, in milliseconds, the note is of when a webhook's messages were last taken, so that few of them write it.
 */
const TAKEN_WITHIN_MS = 60 * 1_000;

/** Notes that somebody takes messages of a webhook to send them. */
export async function noteTaken({ db, now }: WriteScope, { id, taken_at }: Row<"webhooks">): Promise<void> {
  const ago = taken_at === null ? undefined : Math.abs(now.getTime() - Date.parse(taken_at));
  if (ago === undefined || ago >= TAKEN_WITHIN_MS) await writeTaken(db, { id, taken_at: now.toISOString() });
}

const writeTaken = preparedWrite((db, { id, taken_at }: { id: string; taken_at: Instant }) =>
  db.updateTable("webhooks").set({ taken_at }).where("id", "=", id),
);

/** Disables a webhook for a reason of its own. */
export async function disableWebhook(scope: WriteScope, id: string, disabled_reason: "gone" | "failing") {
  await save(scope, id, { disabled_at: scope.now.toISOString(), disabled_reason });
  await recordEvent(scope, "webhook.disabled" satisfies EventAction, id, { reason: disabled_reason });
}

/** The webhooks of the call's company that need a person: failing for a while, or disabled automatically. */
export async function webhooksInTrouble({ db, company_id }: ReadScope, failing_before: string) {
  const rows = await live(db, { company_id }).selectAll().orderBy("id").execute();
  return rows.flatMap(({ id, url, failing_since, disabled_at, disabled_reason }) => {
    const disabled = disabled_reason !== null;
    const since = failing_since ?? disabled_at;
    const isInTrouble = disabled ? disabled_reason !== "asked" : since !== null && since < failing_before;
    return isInTrouble && since !== null ? [{ webhook_id: id, url: shown(url), since, disabled }] : [];
  });
}

// ——— Parts ———

/** Refuses an address that webhooks may not be sent to. */
function mustBeAllowed({ toPrivateNetworks }: WriteScope, url: string): void {
  const fault = faultOfAddress(url, toPrivateNetworks);
  if (fault) refuseInput([problem("url", fault)]);
}

/** Refuses a second webhook to an address: it would get everything twice, under other ids. */
async function mustBeNew({ db, company_id }: WriteScope, url: string): Promise<void> {
  const same = await live(db, { company_id }).select("id").where("url", "=", url).execute();
  if (same.length > 0) refuse("conflict", t.webhook_exists);
}

async function save(scope: WriteScope, id: string, columns: Partial<Row<"webhooks">>): Promise<Row<"webhooks">> {
  const saved = await scope.db
    .updateTable("webhooks")
    .set(columns)
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();
  await countEnabled(scope);
  return saved;
}

/** Stores how many webhooks events are sent to, before the event about the change. */
async function countEnabled({ db, company_id, heads }: WriteScope): Promise<void> {
  const webhook_count = await countOfEnabled(db, { company_id });
  await keepWebhookCount(db, { company_id, webhook_count });
  heads.delete(company_id); // the next event must read it again
}

const countOfEnabled = preparedCount((db, found: { company_id: string }) =>
  live(db, found).where("disabled_at", "is", null),
);

/** Patterns as they are stored, each once. */
function joined(actions: readonly string[]): string {
  return [...new Set(actions)].join(" ");
}

/** An address without the parts that may hold a secret. */
function shown(url: string): string {
  return new URL(url).origin;
}

function toWebhook(row: Row<"webhooks">): Webhook {
  const { id, url, actions, description, disabled_at, disabled_reason, failing_since, created_at } = row;
  const status = disabled_at !== null ? "disabled" : failing_since === null ? "enabled" : "failing";
  return { id, url, actions: actions.split(" "), description, status, failing_since, disabled_reason, created_at };
}
