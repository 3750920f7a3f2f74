/** What became of an e-mail: its end, and the attempts of which nobody knows whether it arrived. */
import { preparedSelect, preparedWrite } from "../database/prepared.ts";
import type { Row } from "../database/tables.ts";
import { logAttempt } from "../deliveries/attempts.ts";
import { recordEvent } from "../events/events.ts";
import type { RecordScope, WriteScope } from "../runtime/scope.ts";
import { passReminders } from "./reminder-schedule.ts";

/** After so many attempts whose fate is unknown it is not sent again: at most two copies may arrive. */
export const MAX_DOUBTS = 2;

/** Counts an attempt whose fate is unknown; returns how many there are. */
export async function addDoubt({ db }: Pick<RecordScope, "db">, id: string): Promise<number> {
  const [email] = await doubtOnce(db, { id });
  return email?.doubts ?? MAX_DOUBTS;
}

const doubtOnce = preparedWrite((db, { id }: { id: string }) =>
  db
    .updateTable("emails")
    .set((eb) => ({ doubts: eb("doubts", "+", 1) }))
    .where("id", "=", id)
    .returning("doubts"),
);

/** Notes the attempt that may reach the server from now on; 0 once it is known what became of it. */
export const noteBegun = preparedWrite((db, { delivery_id, begun }: { delivery_id: string; begun: number }) =>
  db.updateTable("deliveries").set({ begun }).where("id", "=", delivery_id),
);

/** An e-mail that waits, and the attempt at it that was begun and never settled; 0 if none was. */
type Begun = Pick<Row<"deliveries">, "id" | "begun">;

/**
 * Notes that an attempt was begun and never settled: its process ended, and nobody knows whether the server had all of
 * it. Returns how many such attempts there are.
 */
export async function noteInterrupted({ db, now }: RecordScope, { id, begun }: Begun): Promise<number> {
  const at = now.toISOString();
  await logAttempt(db, { delivery_id: id, attempt: begun, at, status: null, error: "interrupted", duration_ms: 0 });
  await noteBegun(db, { delivery_id: id, begun: 0 });
  return addDoubt({ db }, id);
}

/** Ends an e-mail that the mail server took; `refused`: for whom it did not. */
export function endSent(scope: RecordScope, id: string, refused: readonly string[]): Promise<void> {
  return end(scope, id, { status: "sent", error: null, refused: refused.length > 0 ? refused.join(" ") : null });
}

/** Ends an e-mail that is not sent again: it has failed, or is withdrawn, unless an attempt may have arrived. */
export async function endUnsent(
  scope: RecordScope,
  id: string,
  error: string | null,
  unsent: "failed" | "withdrawn" = "failed",
): Promise<void> {
  const [email] = await doubtsById(scope.db, { id });
  await end(scope, id, { status: email?.doubts === 0 ? unsent : "unknown", error, refused: null });
}

/** Ends an e-mail that nobody took for days. */
export async function endUntaken(scope: RecordScope, email: Begun): Promise<void> {
  if (email.begun !== 0) await noteInterrupted(scope, email);
  await endUnsent(scope, email.id, "not_taken");
}

const doubtsById = preparedSelect((db, { id }: { id: string }) =>
  db.selectFrom("emails").select("doubts").where("id", "=", id),
);

/**
 * Ends every e-mail that waits as `unknown`, and lets the steps of reminders pass, in a copy of the database: the
 * original may have sent them, or sends them still.
 */
export async function endWaitingEmails(scope: WriteScope): Promise<void> {
  const ended_at = scope.now.toISOString();
  const waiting = await scope.db
    .updateTable("deliveries")
    .set({ outcome: "given_up", due_at: null, ended_at })
    .where("kind", "=", "email")
    .where("outcome", "is", null)
    .returning(["id", "company_id"])
    .execute();
  for (const { id, company_id } of waiting) {
    await end({ ...scope, company_id }, id, { status: "unknown", error: "restored", refused: null });
  }
  await passReminders(scope);
}

type End = Pick<Row<"emails">, "error" | "refused"> & { readonly status: Exclude<Row<"emails">["status"], "queued"> };

/** Ends an e-mail with its event: what it is made of is not needed any more. */
async function end(scope: RecordScope, id: string, ended: End): Promise<void> {
  const { db, now } = scope;
  await db.deleteFrom("email_papers").where("email_id", "=", id).execute();
  const [email] = await saveEnd(db, { id, ...ended, ended_at: now.toISOString() });
  if (email) await recordEmail(scope, `email.${ended.status}`, email);
}

const saveEnd = preparedWrite((db, { id, ...ended }: End & Pick<Row<"emails">, "id" | "ended_at">) =>
  db
    .updateTable("emails")
    .set(ended)
    .where("id", "=", id)
    .returning(["id", "document_id", "reminder", "doubts", "refused"]),
);

type Told = Pick<Row<"emails">, "id" | "document_id" | "reminder" | "doubts" | "refused">;

/** Records what became of an e-mail; its document's number tells people which it is. */
export async function recordEmail(
  scope: RecordScope,
  action: `email.${Row<"emails">["status"]}`,
  { id, document_id, reminder, doubts, refused }: Told,
): Promise<void> {
  const step = reminder !== null && { reminder };
  const copies = doubts > 0 && { doubts };
  const left_out = refused !== null && { refused: refused.split(" ").length };
  await recordEvent(scope, action, id, { document_id, ...step, ...copies, ...left_out });
}
