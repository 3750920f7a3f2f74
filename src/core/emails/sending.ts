/** E-mails for whoever sends them: taken, drawn, begun and settled. */
import * as z from "zod";
import { preparedSelect, preparedWrite } from "../database/prepared.ts";
import type { Row } from "../database/tables.ts";
import { findDelivery, MAX_ERROR, settle, takeDue } from "../deliveries/attempts.ts";
import { dueFirst, dueIn, end } from "../deliveries/outbox.ts";
import { fileName, printFacts } from "../documents/print.ts";
import { Id } from "../fields.ts";
import type { Instant } from "../fiscal/civil-time.ts";
import type { PrintableDocument } from "../print/printable.ts";
import { refuse } from "../runtime/errors.ts";
import { command, commandAfter, query } from "../runtime/operation.ts";
import type { MailAnswer, MailMessage, MailServer } from "../runtime/ports.ts";
import type { WriteScope } from "../runtime/scope.ts";
import { MAX_RECIPIENTS, OUTCOMES } from "./answer.ts";
import { findCompanyMail, noteFailing, noteTaken, openServer } from "./company-mail.ts";
import { addDoubt, endSent, endUnsent, MAX_DOUBTS, noteBegun, noteInterrupted } from "./fate.ts";
import { MAX_ADDRESS } from "./input.ts";
import { t } from "./refusals.ts";
import { isStillRight, queueReminders } from "./reminders.ts";

export const listDueEmails = query(
  {
    id: "listDueEmails",
    summary: "The companies that have e-mails to be sent now, the longest waiting first; those that only remind last",
    needs: "operator",
    input: z.strictObject({}),
    output: z.array(z.strictObject({ id: Id, company_id: Id, failing: z.boolean() })),
    fails: [],
  },
  async ({ db, now }) => {
    const due = await dueEmails(db, { now: now.toISOString() });
    const waiting = due.filter(({ due_since }) => due_since !== null);
    // All reminders begin at nine: e-mails of others go before them, and companies that only remind take turns.
    const reminding = due.filter(({ due_since }) => due_since === null);
    return [...dueFirst(waiting), ...dueFirst(reminding.map((queue) => ({ ...queue, due_since: queue.taken_at })))];
  },
);

const dueEmails = preparedSelect((db, { now }: { now: Instant }) =>
  db
    .selectFrom("company_mail")
    .select(["company_id as id", "company_id", "failing_since", "taken_at"])
    .select((eb) => dueIn(eb, eb.ref("company_mail.company_id"), now).as("due_since"))
    .where((eb) => eb.or([eb.exists(dueIn(eb, eb.ref("company_mail.company_id"), now)), eb("remind_at", "<=", now)]))
    .orderBy("company_id"),
);

/** An attempt at an e-mail. */
const Taken = z.strictObject({ delivery_id: Id, attempt: z.int() });
export type Taken = z.infer<typeof Taken>;

export const takeEmails = command(
  {
    id: "takeEmails",
    summary: "Take e-mails to send them, and queue reminders; nobody else gets them for five minutes",
    needs: "operator",
    input: z.strictObject({ most: z.int() }),
    output: z.array(Taken),
    fails: [],
  },
  async (scope, { most }) => {
    const { db, company_id, now } = scope;
    const taken = await takeQueued(scope, most);
    // Reminders are queued as far as they go out at once: what a person sends never waits behind them.
    if (taken.length < most && (await queueReminders(scope, most - taken.length)) > 0) {
      taken.push(...(await takeQueued(scope, most - taken.length)));
    }
    if (taken.length > 0) await noteTaken(db, { company_id, taken_at: now.toISOString() });
    return taken;
  },
);

async function takeQueued(scope: WriteScope, most: number): Promise<Taken[]> {
  const taken: Taken[] = [];
  for (const delivery of await takeDue(scope, "email", scope.company_id, most)) {
    const { id: delivery_id, attempts: attempt } = delivery;
    if (delivery.begun === 0 || !(await isOverAfterDoubt(scope, delivery))) taken.push({ delivery_id, attempt });
  }
  return taken;
}

/** Counts an attempt that was begun and never settled as a doubt. Tells whether that ends the e-mail. */
async function isOverAfterDoubt(scope: WriteScope, delivery: Row<"deliveries">): Promise<boolean> {
  const { db, now } = scope;
  const { id, failures } = delivery;
  if ((await noteInterrupted(scope, delivery)) < MAX_DOUBTS) return false;
  await end(db, { delivery_id: id, outcome: "given_up", ended_at: now.toISOString(), failures: failures + 1 });
  await endUnsent(scope, id, "interrupted");
  return true;
}

const Begun = z
  .custom<{ readonly message: MailMessage; readonly server: MailServer | null }>((given) => typeof given === "object")
  .meta({ signature: "{ readonly message: MailMessage; readonly server: MailServer | null }" })
  .nullable()
  .describe(
    "The message and the company's own server; null where another process has the attempt, or a reminder is withdrawn.",
  );

export const beginEmail = commandAfter(
  {
    id: "beginEmail",
    summary: "Begin an attempt at an e-mail that was taken: from here on it may arrive",
    needs: "operator",
    input: Taken,
    output: Begun,
    fails: ["invalid_state", "not_found"],
  },
  async (scope, { delivery_id }) => {
    const paper = (await paperOf(scope.db, { email_id: delivery_id }))[0] ?? refuse("not_found", t.no_such_email);
    if (paper.pdf) return paper.pdf;
    const { second_print: copy, language: lang } = paper;
    const document: PrintableDocument = { ...JSON.parse(paper.facts), logo: paper.logo };
    return printFacts(scope, async () => ({ document, lang }), { copy: copy === 1 });
  },
  async (scope, { delivery_id, attempt }, pdf) => {
    const { db } = scope;
    const delivery = await findDelivery(scope, delivery_id);
    if (delivery?.attempts !== attempt || delivery.outcome !== null) return null;
    const [paper] = await paperOf(db, { email_id: delivery_id });
    if (!paper) return null;
    if (!(await isStillRight(scope, paper))) {
      await withdraw(scope, delivery);
      return null;
    }
    const server = openServer(scope, await findCompanyMail(scope));
    if (server === undefined) refuse("invalid_state", t.no_mail_key);
    if (!paper.pdf) await keepPdf(db, { email_id: delivery_id, pdf });
    await noteBegun(db, { delivery_id, begun: attempt });
    return { message: messageOf(paper, pdf), server };
  },
);

/** Ends a reminder that is not right any more. */
async function withdraw(scope: WriteScope, { id: delivery_id, failures }: Row<"deliveries">): Promise<void> {
  await end(scope.db, { delivery_id, outcome: "given_up", ended_at: scope.now.toISOString(), failures });
  await endUnsent(scope, delivery_id, null, "withdrawn");
}

const paperOf = preparedSelect((db, { email_id }: { email_id: string }) =>
  db
    .selectFrom("email_papers")
    .innerJoin("emails", "emails.id", "email_papers.email_id")
    .selectAll("emails")
    .select(["email_papers.facts", "email_papers.outstanding_cents", "email_papers.logo", "email_papers.pdf"])
    .where("email_papers.email_id", "=", email_id),
);

type Paper = Row<"emails"> & Omit<Row<"email_papers">, "email_id">;

const keepPdf = preparedWrite((db, { email_id, pdf }: { email_id: string; pdf: Uint8Array }) =>
  db.updateTable("email_papers").set({ pdf, logo: null }).where("email_id", "=", email_id),
);

function messageOf(paper: Paper, content: Uint8Array): MailMessage {
  return {
    message_id: paper.message_id,
    at: new Date(paper.queued_at),
    from: { name: paper.sender_name, address: paper.sender },
    reply_to: paper.reply_to,
    to: paper.recipients.split(" "),
    cc: paper.copied?.split(" ") ?? [],
    subject: paper.subject,
    text: paper.message,
    attachments: [{ name: fileName(JSON.parse(paper.facts)), type: "application/pdf", content }],
  };
}

export const settleEmail = command(
  {
    id: "settleEmail",
    summary: "Say what became of an attempt at an e-mail",
    needs: "operator",
    input: z.strictObject({
      ...Taken.shape,
      outcome: z.enum(OUTCOMES),
      status: z.int().nullable(),
      error: z.string().max(MAX_ERROR).nullable(),
      refused: z.array(z.string().max(MAX_ADDRESS)).max(MAX_RECIPIENTS).optional(),
      duration_ms: z.int(),
    }),
    output: z.strictObject({ settled: z.boolean() }),
    fails: [],
  },
  async (scope, { delivery_id, attempt, outcome, refused = [], ...answer }) => {
    const { db } = scope;
    const delivery = await findDelivery(scope, delivery_id);
    // Its lease ran out and another process took it: that outcome counts.
    if (delivery?.attempts !== attempt || delivery.outcome !== null) return { settled: false };
    await noteBegun(db, { delivery_id, begun: 0 });
    const isOver =
      outcome === "refused" || (outcome === "unknown" && (await addDoubt(scope, delivery_id)) >= MAX_DOUBTS);
    const result = outcome === "delivered" ? outcome : isOver ? "over" : "failed";
    const due_at = await settle(scope, delivery, { attempt, result, ...answer });
    await judge(scope, outcome);
    if (due_at !== null) return { settled: true };
    if (outcome === "delivered") await endSent(scope, delivery_id, refused);
    else await endUnsent(scope, delivery_id, answer.error);
    return { settled: true };
  },
);

/** Notes whether the company's e-mails get through; a server that refuses one for good works. */
async function judge(scope: WriteScope, outcome: MailAnswer["outcome"]): Promise<void> {
  const { db, company_id, now } = scope;
  const failing_since = (await findCompanyMail(scope))?.failing_since ?? null;
  const fails = outcome === "failed" || outcome === "unknown";
  if (fails === (failing_since !== null)) return;
  await noteFailing(db, { company_id, failing_since: fails ? now.toISOString() : null });
}
