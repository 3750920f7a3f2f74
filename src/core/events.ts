/** The append-only record of events: what happened, when, by which actor. An event commits with the change it records. */
import { z } from "zod";
import { ActorShown, findActors } from "./actors.ts";
import { preparedWrite } from "./database/prepared.ts";
import type { NewRow } from "./database/tables.ts";
import { Instant } from "./fields.ts";
import { query } from "./runtime/operation.ts";
import { PageInput, pageAs, pageOf, preparedPage, totalOf } from "./runtime/page.ts";
import { NO_COMPANY, type WriteScope } from "./runtime/scope.ts";

export const Event = z
  .strictObject({
    id: z.string(),
    at: Instant,
    action: z.string().describe("noun.verb in the past tense: document.issued"),
    resource_id: z.string().nullable(),
    actor: ActorShown,
    detail: z.record(z.string(), z.unknown()).nullable(),
  })
  .meta({ id: "Event" });

export type Event = z.infer<typeof Event>;

/** An action, as `noun.verb` in the past tense. */
export type EventAction =
  | `company.${"created" | "changed"}`
  | `key.${"created" | "revoked"}`
  | `${"customer" | "product"}.${"created" | "changed" | "archived"}`
  | `series.${"opened" | "registered" | "closed" | "head_confirmed"}`
  | `document.${"drafted" | "changed" | "discarded" | "transport_registered" | "issued" | "cancelled"}`
  | `payment.${"recorded" | "voided"}`
  | "certification.changed"
  | `signer.${"rotated" | "imported"}`
  | "clock.confirmed"
  | "backup.restored";

/** Adds one event to the record of the call's company. */
export async function recordEvent(
  scope: WriteScope,
  action: EventAction,
  resource_id: string | null,
  detail?: Readonly<Record<string, unknown>>,
): Promise<void> {
  const event: NewRow<"events"> = {
    id: scope.newId(),
    company_id: scope.company_id === NO_COMPANY ? null : scope.company_id,
    at: scope.now.toISOString(),
    action,
    resource_id,
    actor_id: scope.actor_id,
    detail: detail ? JSON.stringify(detail) : null,
  };
  await insertEvent(scope.db, event);
}

const insertEvent = preparedWrite((db, event: NewRow<"events">) => db.insertInto("events").values(event));

export const listEvents = query(
  {
    id: "listEvents",
    summary: "List events, newest first",
    needs: "operator",
    input: z.strictObject({ ...PageInput }),
    output: pageOf(Event),
    fails: [],
  },
  async (scope, input) => {
    const { db, company_id } = scope;
    const page = await pageOfEvents(db, { company_id }, input, await totalOf(scope, "events"));
    const actors = await findActors(
      scope,
      page.data.map(({ actor_id }) => actor_id),
    );
    return pageAs(page, ({ actor_id, detail, id, at, action, resource_id }) => ({
      id,
      at,
      action,
      resource_id,
      actor: actors.get(actor_id) as Event["actor"],
      detail: detail === null ? null : JSON.parse(detail),
    }));
  },
);

const pageOfEvents = preparedPage((db, { company_id }: { company_id: string }) =>
  db.selectFrom("events").where("company_id", "=", company_id),
);
