/**
 * The record of events: what happened, when, by which actor. An event commits with the change it records. The events of
 * a company are a chain, and so are those of the installation: each is sealed over the one before, and stores the state
 * of its row.
 */
import * as z from "zod";
import { coverage, newestOf } from "../database/columns.ts";
import type { HeadOfChain } from "../database/engine.ts";
import type { Soon } from "../database/executor.ts";
import { preparedSelect, preparedWrite } from "../database/prepared.ts";
import { documentState, type RecordedTable, type StatedDocument, stateById } from "../database/row-states.ts";
import { coveredIn, type Reader, type Row } from "../database/tables.ts";
import { alsoHas, type List, listOf, valuesOf } from "../database/words.ts";
import { Id, Instant, wholeNumber } from "../fields.ts";
import { digestOf, versionOf } from "../fiscal/chain.ts";
import { ActorShown, findActors } from "../people/actors.ts";
import { refuse } from "../runtime/errors.ts";
import { query } from "../runtime/operation.ts";
import { PAGE_DEFAULT, PageInput, PageLimit, pageAs, pageOf, preparedCount, preparedPage } from "../runtime/page.ts";
import { mustHave } from "../runtime/permissions.ts";
import { NO_COMPANY, type ReadScope, type RecordScope } from "../runtime/scope.ts";
import { queueEvent } from "../webhooks/outbox.ts";
import { t } from "./refusals.ts";

export const Event = z
  .strictObject({
    position: z.int().describe("1, 2, 3, … within the company."),
    at: Instant,
    action: z.string().describe("noun.verb in the past tense: document.issued"),
    resource_id: z.string().nullable(),
    actor: ActorShown,
    detail: z.record(z.string(), z.unknown()).nullable(),
  })
  .meta({ id: "Event", description: "One entry of the record of events." });

export type Event = z.infer<typeof Event>;

export const FeedEvent = z
  .strictObject({
    position: Event.shape.position,
    at: Event.shape.at,
    action: Event.shape.action,
    resource_id: Event.shape.resource_id,
    subject_id: z
      .string()
      .nullable()
      .describe("What it is about: of a payment, refund, e-mail or link its document, else resource_id."),
    actor: z.string().meta({ description: "The code of who did it: SourceID of the tax file.", example: "K3" }),
    detail: Event.shape.detail.describe("Null, too, for events of keys, people and host programs."),
  })
  .meta({ id: "FeedEvent", description: "One event of a company, as programs outside read it." });

export type FeedEvent = z.infer<typeof FeedEvent>;

/** The verbs of events, by noun. An action is `noun.verb` in the past tense. */
const VERBS = {
  actor: ["created"],
  backup: ["marked", "taken", "declined", "restored"],
  certification: ["changed"],
  clock: ["confirmed"],
  communication: ["marked"],
  company: ["created", "changed", "findings_answered"],
  customer: ["created", "changed", "archived"],
  document: ["drafted", "changed", "discarded", "transport_registered", "issued", "cancelled", "printed"],
  email: ["queued", "sent", "failed", "unknown", "withdrawn"],
  installation: ["created", "findings_answered", "heads_kept"],
  invitation: ["made", "used", "withdrawn"],
  key: ["created", "revoked"],
  link: ["created", "revoked"],
  payment: ["recorded", "voided"],
  product: ["created", "changed", "archived"],
  refund: ["recorded", "voided"],
  series: ["opened", "registered", "closed", "locked", "head_confirmed"],
  session: ["opened"],
  signer: ["added", "rotated", "imported"],
  user: ["created", "joined", "role_changed", "password_changed", "disabled", "enabled"],
  webhook: ["created", "changed", "secret_rotated", "tested", "disabled", "deleted"],
} as const satisfies Readonly<Record<string, readonly string[]>>;

type Actions = { readonly [Noun in keyof typeof VERBS]: `${Noun}.${(typeof VERBS)[Noun][number]}` };

type DocumentAction = Actions["document"];

/** An action, as `noun.verb` in the past tense. */
export type EventAction = Actions[keyof Actions];

/** Every action. */
export const ACTIONS: readonly string[] = Object.entries(VERBS).flatMap(([noun, verbs]) =>
  verbs.map((verb) => `${noun}.${verb}`),
);

/** The actions on rows whose state covers all their columns: all rows but documents. */
type RowAction = Exclude<EventAction, DocumentAction>;
type Noun = RowAction extends `${infer First}.${string}` ? First : never;

/** The table of the row that events of a noun name. */
const TABLES: Readonly<Record<Noun, RecordedTable>> = {
  actor: "actors",
  backup: "installation",
  certification: "installation",
  clock: "companies",
  communication: "communications",
  company: "companies",
  customer: "customers",
  email: "emails",
  installation: "installation",
  invitation: "invitations",
  key: "actors",
  link: "document_links",
  payment: "payments",
  product: "products",
  refund: "payments",
  series: "series",
  session: "sessions",
  signer: "signing_keys",
  user: "actors",
  webhook: "webhooks",
};

/**
 * Adds one event to the record of the call's company, or of the installation. Call it after the change: the event
 * stores the state of its resource's row.
 */
export async function recordEvent(
  scope: RecordScope,
  action: RowAction,
  resource_id: string,
  detail?: Detail,
): Promise<void> {
  const table = TABLES[action.slice(0, action.indexOf(".")) as Noun];
  await addToChain(scope, { action, resource_id, detail, state: await stateById(scope.db, table, resource_id) });
}

/** The same for a document, with its row after the change, or before it was deleted. */
export async function recordDocumentEvent(
  scope: RecordScope,
  action: DocumentAction,
  document: StatedDocument & { readonly id: string },
  detail?: Detail,
): Promise<void> {
  await addToChain(scope, { action, resource_id: document.id, detail, state: documentState(document) });
}

/**
 * The same for an issued document, with what else the event says. Beside the head of its chain the company keeps its
 * latest instant of issue.
 */
export async function recordIssued(
  scope: RecordScope,
  { last_issued_at }: Pick<Row<"companies">, "last_issued_at">,
  document: Row<"documents">,
  approved?: Detail,
): Promise<void> {
  const { id: resource_id, number, issued_at } = document;
  const isLatest = issued_at !== null && issued_at > (last_issued_at ?? "");
  const event = {
    action: "document.issued",
    resource_id,
    detail: { number, ...approved },
    state: documentState(document),
  } as const;
  await addToChain(scope, event, isLatest ? issued_at : undefined);
}

/** The code of who drafted a document; undefined if it never was a draft. */
export async function drafterOf(scope: ReadScope, document_id: string): Promise<string | undefined> {
  const [drafted] = await draftings(scope.db, { document_id });
  if (!drafted) return undefined;
  return (await findActors(scope, [drafted.actor_id])).get(drafted.actor_id)?.code;
}

const draftings = preparedSelect((db, { document_id }: { document_id: string }) =>
  db
    .selectFrom("events")
    .select("actor_id")
    .where("resource_id", "=", document_id)
    .where("action", "=", "document.drafted"),
);

export type Detail = Readonly<Record<string, unknown>>;

interface NewEvent {
  readonly action: EventAction;
  readonly resource_id: string;
  readonly detail: Detail | undefined;
  readonly state: string | null;
}

async function addToChain(
  scope: RecordScope,
  { action, resource_id, detail, state }: NewEvent,
  last_issued_at?: Instant,
): Promise<void> {
  const { db, actor_id } = scope;
  const company_id = scope.company_id === NO_COMPANY ? null : scope.company_id;
  const { event_position, event_seal, webhook_count } =
    scope.heads.get(scope.company_id) ?? (await headOfEvents(db, company_id));
  const event = {
    company_id,
    position: event_position + 1,
    at: scope.now.toISOString(),
    action,
    resource_id,
    actor_id,
    detail: detail ? JSON.stringify(detail) : null,
    state,
  } satisfies Unsealed;
  const seal = sealOfEvent(event, event_seal);
  await insertEvent(db, { ...event, seal });
  const head = { event_position: event.position, event_seal: seal };
  await (company_id === null ? moveInstallation(db, head) : moveCompany(db, { company_id, ...head, last_issued_at }));
  scope.heads.set(scope.company_id, { ...head, webhook_count });
  if (company_id === null || webhook_count === 0) return;
  // Payments, refunds, e-mails and links follow their document: whoever gets such an event has got the document's.
  await queueEvent(scope, { ...event, company_id, seal, subject_id: subjectOf(event, detail) });
}

/** What an event is about: of a payment, a refund, an e-mail or a link its document. */
function subjectOf<Id extends string | null>(
  { action, resource_id }: { readonly action: string; readonly resource_id: Id },
  detail: Detail | null | undefined,
): Id | string {
  return /^(?:payment|refund|email|link)\./.test(action) ? String(detail?.document_id) : resource_id;
}

const insertEvent = preparedWrite((db, event: Row<"events">) => db.insertInto("events").values(event));

// ——— The chain ———

type Unsealed = Omit<Row<"events">, "seal">;

/** The columns of an event that its seal covers. */
export const SEALED_OF_EVENT = coveredIn("events", ["seal"]);

const EVENT_VERSION = newestOf(SEALED_OF_EVENT);

const covered = coverage(SEALED_OF_EVENT);

/** The seal of an event, over its columns and the seal before it (null for the first), by a version of its form. */
export function sealOfEvent(event: Unsealed, previous_seal: string | null, version: number = EVENT_VERSION): string {
  const values = covered(version, event).map((name) => event[name as keyof Unsealed]);
  return digestOf("event", version, [previous_seal, ...values]);
}

/** Whether an event has the seal that follows from the one before. */
export function isSealed({ seal, ...event }: Row<"events">, previous_seal: string | null): boolean {
  return seal === sealOfEvent(event, previous_seal, versionOf(seal));
}

/** The last event of a chain: its position, 0 before the first, and its seal. */
export type HeadOfEvents = Pick<Row<"companies">, "event_position" | "event_seal">;

/** The head of the chain of a company, or of the installation. */
export async function headOfEvents(db: Reader, company_id: string | null): Promise<HeadOfChain> {
  const [head] = await (company_id === null ? headOfInstallation(db, {}) : headOfCompany(db, { company_id }));
  if (!head) throw new Error("The chain of events has no head.");
  return { webhook_count: 0, ...head };
}

const headOfCompany = preparedSelect((db, { company_id }: { company_id: string }) =>
  db.selectFrom("companies").select(["event_position", "event_seal", "webhook_count"]).where("id", "=", company_id),
);
const headOfInstallation = preparedSelect((db, _: object) =>
  db.selectFrom("installation").select(["event_position", "event_seal"]),
);
interface MovedCompany extends HeadOfEvents {
  readonly company_id: string;
  readonly last_issued_at: Instant | undefined;
}
const moveCompany = preparedWrite((db, { company_id, ...head }: MovedCompany) =>
  db.updateTable("companies").set(head).where("id", "=", company_id),
);
const moveInstallation = preparedWrite((db, head: HeadOfEvents) => db.updateTable("installation").set(head));

/** The position of the last event of each of these companies; without ids of every company. */
export async function lastPositions(db: Reader, company_ids?: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const heads = await (company_ids ? headsOf(db, { list: listOf(company_ids) }) : allHeads(db, {}));
  return new Map(heads.map(({ id, event_position }) => [id, event_position]));
}

const headsOf = preparedSelect((db, { list }: { list: List }) =>
  db.selectFrom("companies").select(["id", "event_position"]).where("id", "in", valuesOf(list)),
);

const allHeads = preparedSelect((db, _: object) =>
  db.selectFrom("companies").select(["id", "event_position"]).orderBy("id"),
);

/** The seal of the installation's first event, which no other database has. */
export async function firstSeal(db: Reader): Promise<string | undefined> {
  return (await sealOfFirst(db, {}))[0]?.seal;
}

const sealOfFirst = preparedSelect((db, _: object) =>
  db.selectFrom("events").select("seal").where("company_id", "is", null).where("position", "=", 1),
);

/** Events read at once while a chain is verified. */
const EVENTS_AT_ONCE = 256;

/** The events of a chain after a position, oldest first; at most 256. */
export function eventsAfter(db: Reader, company_id: string | null, after: number): Soon<Row<"events">[]> {
  return chainPage(db, { company_id: company_id ?? undefined, after });
}

const chainPage = preparedSelect((db, { company_id, after }: { company_id: string | undefined; after: number }) => {
  const chain = db.selectFrom("events").selectAll().where("position", ">", after);
  const mine =
    company_id === undefined ? chain.where("company_id", "is", null) : chain.where("company_id", "=", company_id);
  return mine.orderBy("position").limit(EVENTS_AT_ONCE);
});

// ——— The list ———

/** The latest event of the installation itself with this action. */
export async function latestOfInstallation(
  db: Reader,
  action: EventAction,
): Promise<{ readonly at: Instant; readonly position: number; readonly detail: Record<string, unknown> } | undefined> {
  const [found] = await latestByAction(db, { action });
  return found && { at: found.at, position: found.position, detail: JSON.parse(found.detail ?? "{}") };
}

const latestByAction = preparedSelect((db, { action }: { action: EventAction }) =>
  db
    .selectFrom("events")
    .select(["at", "position", "detail"])
    .where("company_id", "is", null)
    .where("action", "=", action)
    .orderBy("position", "desc")
    .limit(1),
);

/** Whether the original of a document was printed. */
export async function wasPrinted({ db }: Pick<RecordScope, "db">, document_id: string): Promise<boolean> {
  return (await eventsAbout(db, { resource_id: document_id, action: "document.printed" })).length > 0;
}

/** The details of all events with this action about one thing. */
export async function detailsAbout(
  { db }: { readonly db: Reader },
  resource_id: string,
  action: EventAction,
): Promise<(string | null)[]> {
  return (await eventsAbout(db, { resource_id, action })).map(({ detail }) => detail);
}

const eventsAbout = preparedSelect((db, { resource_id, action }: { resource_id: string; action: EventAction }) =>
  db.selectFrom("events").select("detail").where("resource_id", "=", resource_id).where("action", "=", action),
);

export const listEvents = query(
  {
    id: "listEvents",
    summary: "List events, newest first; whoever may not read all reads those of one document",
    needs: "documents:read",
    alsoNeeds: (input) =>
      (input as { resource_id?: unknown } | null)?.resource_id === undefined ? ["events:read"] : [],
    input: z.strictObject({
      ...PageInput,
      resource_id: Id.optional().describe(
        "Only events of this resource; of a document those of its payments, refunds, e-mails and links, too.",
      ),
    }),
    output: pageOf(Event),
    fails: [],
  },
  async (scope, { resource_id, ...asked }) => {
    const { db, company_id } = scope;
    if (resource_id !== undefined) await mustReadEventsOf(scope, resource_id);
    const page =
      resource_id === undefined
        ? await pageOfEvents(db, { company_id }, asked, (await headOfEvents(db, company_id)).event_position)
        : await pageOfResource(
            db,
            { company_id, resource_id },
            asked,
            await countOfResource(db, { company_id, resource_id }),
          );
    const actors = await findActors(
      scope,
      page.data.map(({ actor_id }) => actor_id),
    );
    return pageAs(page, ({ actor_id, detail, position, at, action, resource_id }) => ({
      position,
      at,
      action,
      resource_id,
      actor: actors.get(actor_id) as Event["actor"],
      detail: detail === null ? null : JSON.parse(detail),
    }));
  },
);

/** Refuses with `forbidden` a caller who may not read all events, unless they are a document's. */
async function mustReadEventsOf({ db, company_id, caller }: ReadScope, resource_id: string): Promise<void> {
  if (caller.scopes.includes("events:read")) return;
  const [first] = await firstOfResource(db, { company_id, resource_id });
  if (!first?.action.startsWith("document.")) mustHave(caller, "events:read");
}

const firstOfResource = preparedSelect((db, { company_id, resource_id }: { company_id: string; resource_id: string }) =>
  db
    .selectFrom("events")
    .select("action")
    .where(alsoHas("company_id", company_id))
    .where("resource_id", "=", resource_id)
    .orderBy("position")
    .limit(1),
);

const pageOfEvents = preparedPage(
  (db, { company_id }: { company_id: string }) => db.selectFrom("events").where("company_id", "=", company_id),
  { order: ["position"] },
);

/**
 * The events of one resource. The history of a document has those of its payments, refunds, e-mails and links, too,
 * which have ids of their own; that of a receipt or credit note has those of the payments and refunds that it recorded.
 */
function eventsOfResource(db: Reader, { company_id, resource_id }: { company_id: string; resource_id: string }) {
  return db
    .selectFrom("events")
    .where(alsoHas("company_id", company_id))
    .where(({ eb, or, selectFrom }) =>
      or([
        eb("resource_id", "=", resource_id),
        eb("resource_id", "in", selectFrom("payments").select("payments.id").where("document_id", "=", resource_id)),
        eb("resource_id", "in", selectFrom("payments").select("payments.id").where("recorded_with", "=", resource_id)),
        eb("resource_id", "in", selectFrom("emails").select("emails.id").where("document_id", "=", resource_id)),
        eb("resource_id", "in", selectFrom("document_links").select("id").where("document_id", "=", resource_id)),
      ]),
    );
}

const pageOfResource = preparedPage(eventsOfResource, { order: ["position"] });
const countOfResource = preparedCount(eventsOfResource);

// ——— The feed ———

/** Nouns whose events name people in their detail, which the feed leaves out, as it does actors' names. */
const OF_PEOPLE: readonly string[] = ["actor", "invitation", "key", "user"] satisfies Noun[];

export const readEvents = query(
  {
    id: "readEvents",
    summary: "Read events after a position, oldest first",
    needs: "events:read",
    input: z.strictObject({
      after: wholeNumber(0, Number.MAX_SAFE_INTEGER)
        .optional()
        .meta({ default: 0, description: "The last position that was read." }),
      limit: PageLimit,
    }),
    output: z.strictObject({
      data: z.array(FeedEvent),
      last_position: z.int().describe("Of the last event read so far: `after` of the next call."),
    }),
    fails: ["invalid_state"],
  },
  async (scope, { after = 0, limit = PAGE_DEFAULT }) => {
    const { db, company_id } = scope;
    const { event_position } = await headOfEvents(db, company_id);
    // After a restore other events will get these positions: waiting for them would silently skip events.
    if (after > event_position) refuse("invalid_state", t.no_such_event({ position: after, last: event_position }));
    const data = await asFed(scope, await feedPage(db, { company_id, after, limit }));
    return { data, last_position: data.at(-1)?.position ?? after };
  },
);

const feedPage = preparedSelect(
  (db, { company_id, after, limit }: { company_id: string; after: number; limit: number }) =>
    db
      .selectFrom("events")
      .selectAll()
      .where("company_id", "=", company_id)
      .where("position", ">", after)
      .orderBy("position")
      .limit(limit),
);

async function asFed(scope: ReadScope, rows: readonly Row<"events">[]): Promise<FeedEvent[]> {
  if (rows.length === 0) return [];
  const actors = await findActors(
    scope,
    rows.map(({ actor_id }) => actor_id),
  );
  return rows.map((row) => fedAs(row, actors.get(row.actor_id)?.code as string));
}

/** One event of the company in the form of the feed. */
export async function eventAt(scope: ReadScope, position: number): Promise<FeedEvent> {
  const rows = await feedPage(scope.db, { company_id: scope.company_id, after: position - 1, limit: 1 });
  const [event] = await asFed(scope, rows);
  if (event?.position !== position) throw new Error(`Event ${position} is missing.`);
  return event;
}

/** An event in the form of the feed, with the code of its actor. */
function fedAs(row: Row<"events">, actor: string): FeedEvent {
  const { position, at, action, resource_id } = row;
  const detail = row.detail === null ? null : JSON.parse(row.detail);
  const isOfPeople = OF_PEOPLE.includes(action.slice(0, action.indexOf(".")));
  return {
    position,
    at,
    action,
    resource_id,
    subject_id: subjectOf(row, detail),
    actor,
    detail: isOfPeople ? null : detail,
  };
}
