/** Queues an e-mail with an issued document: checked before anything is written, then fixed for all its attempts. */
import type * as z from "zod";
import { mustFindCompany } from "../company/companies.ts";
import { preparedSelect, preparedWrite } from "../database/prepared.ts";
import type { NewRow, Row } from "../database/tables.ts";
import { enqueue, type QueuedKind, waitingIn } from "../deliveries/outbox.ts";
import { asIssued } from "../documents/frozen.ts";
import { languageFor, printableOf, takeOriginal } from "../documents/print.ts";
import type { Instant } from "../fiscal/civil-time.ts";
import { findCustomer } from "../records/customers.ts";
import { type Problem, problem, refuse, refuseFor, refuseInput } from "../runtime/errors.ts";
import type { ReadScope, WriteScope } from "../runtime/scope.ts";
import { mustCarry } from "../signing/producer.ts";
import type { Lang } from "../texts/languages.ts";
import { findCompanyMail, makeRow, messageIdOf, senderOf } from "./company-mail.ts";
import { endUntaken, recordEmail } from "./fate.ts";
import { EmailAddress, type EmailAtIssue, type EmailInput } from "./input.ts";
import { t } from "./refusals.ts";
import { type OwnTexts, textsAbout } from "./texts.ts";

/** How many e-mails a company may queue in an hour: a stolen key is of little use to whoever sends spam. */
const MAX_AN_HOUR = 2_000;
const HOUR_MS = 60 * 60 * 1_000;

/** An e-mail that may be queued. */
interface Addressed {
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly subject: string | undefined;
  readonly message: string | undefined;
  readonly language: Lang;
  readonly own: OwnTexts;
  readonly sender: string;
  readonly sender_name: string;
  readonly reply_to: string | null;
  /** Of a reminder its step, in days, and what it says is outstanding. */
  readonly reminder?: { readonly step: number; readonly outstanding_cents: number };
}

/** What is sent about a document to this customer; refuses what cannot be sent before anything is written. */
export async function mustBeSendable(
  scope: ReadScope,
  customer_id: string,
  given: z.output<typeof EmailAtIssue>,
  path = "",
): Promise<Addressed> {
  const asked: z.output<typeof EmailInput> = given === true ? {} : given;
  const customer = await findCustomer(scope, customer_id);
  const to = asked.to ?? addressOf(customer?.email ?? null, path);
  const company = await mustFindCompany(scope);
  const mail = await findCompanyMail(scope);
  const language = asked.language ?? languageFor(customer, company);
  const sender = senderOf(scope, mail) ?? nothingSends(scope);
  await mustKeepRate(scope);
  return {
    to: [...new Set(to)],
    cc: [...new Set(asked.cc ?? [])].filter((address) => !to.includes(address)),
    subject: asked.subject,
    message: asked.message,
    language,
    own: { subject: mail?.[`subject_${language}`] ?? null, message: mail?.[`message_${language}`] ?? null },
    sender,
    sender_name: mail?.name ?? company.name,
    reply_to: mail?.reply_to ?? null,
  };
}

/** Refuses, and names the other way where there is one. */
function nothingSends({ publicUrl }: ReadScope): never {
  if (publicUrl === null) refuse("invalid_state", t.nothing_sends);
  refuse("invalid_state", t.nothing_sends_but_links, { to: "make_link" });
}

/** The customer's address, where it is one. */
function addressOf(email: string | null, path: string): string[] {
  const wrong = (text: Problem["text"]) => refuseInput([problem(`${path}to`, text)]);
  if (email === null) return wrong(t.customer_has_no_email);
  return EmailAddress.safeParse(email).success ? [email] : wrong(t.customer_has_no_valid_email({ email }));
}

async function mustKeepRate(scope: ReadScope): Promise<void> {
  const from = await roomFrom(scope, MAX_AN_HOUR);
  if (!from) return;
  const retry_after_s = Math.ceil((from.getTime() - scope.now.getTime()) / 1_000);
  refuseFor(Math.max(retry_after_s, 1), "rate_limited", t.too_many_emails({ max: MAX_AN_HOUR }));
}

/** From when on the company has queued fewer e-mails than these within an hour; undefined if it has now. */
export async function roomFrom({ db, company_id, now }: ReadScope, max: number): Promise<Date | undefined> {
  const since = new Date(now.getTime() - HOUR_MS).toISOString();
  const [first] = await nthLatest(db, { company_id, since, skipped: max - 1 });
  return first && new Date(Date.parse(first.queued_at) + HOUR_MS);
}

const nthLatest = preparedSelect(
  (db, { company_id, since, skipped }: { company_id: string; since: Instant; skipped: number }) =>
    db
      .selectFrom("emails")
      .select("queued_at")
      .where("company_id", "=", company_id)
      .where("queued_at", ">", since)
      .orderBy("queued_at", "desc")
      .orderBy("id", "desc")
      .limit(1)
      .offset(skipped),
);

/**
 * Queues an e-mail with its event. The document as it is printed now is kept with it, so that every attempt sends the
 * same. The first print, e-mail or link of a document takes the original; those after it, and reminders, are second
 * prints.
 */
export async function queueEmail(
  scope: WriteScope,
  row: Row<"documents">,
  { to, cc, own, language, sender, sender_name, reply_to, reminder, ...given }: Addressed,
): Promise<Row<"emails">> {
  const { db, company_id, actor_id, now } = scope;
  const document = asIssued(row);
  mustCarry(document.certificate_number);
  const second_print = !reminder && (await takeOriginal(scope, document, 1)) ? 0 : 1;
  const { logo, ...facts } = await printableOf(scope, document);
  const texts = textsAbout(document, language, own);
  const id = scope.newId();
  const email: Row<"emails"> = {
    id,
    company_id,
    document_id: row.id,
    status: "queued",
    reminder: reminder?.step ?? null,
    sender,
    sender_name,
    reply_to,
    recipients: to.join(" "),
    copied: cc.length > 0 ? cc.join(" ") : null,
    subject: given.subject ?? texts.subject,
    message: given.message ?? texts.message,
    language,
    message_id: messageIdOf(id, sender),
    second_print,
    doubts: 0,
    refused: null,
    error: null,
    queued_at: now.toISOString(),
    queued_by: actor_id,
    ended_at: null,
  };
  await insertEmail(db, email);
  const outstanding_cents = reminder?.outstanding_cents ?? null;
  await insertPaper(db, { email_id: id, facts: JSON.stringify(facts), outstanding_cents, logo });
  await makeRow(db, { company_id });
  const [queue] = await emailQueue(db, { company_id, now: email.queued_at });
  if (!queue) throw new Error(`The company ${company_id} has no queue of e-mails.`);
  await recordEmail(scope, "email.queued", email);
  const position = scope.heads.get(company_id)?.event_position ?? 0;
  await enqueue(scope, EMAIL, queue, { id, subject_id: id, position, action: "email.queued" });
  return email;
}

const UNSENT = "E-mails of this company wait, and nobody sends them: run lacre serve, or lacre.emails.deliver.";

const EMAIL: QueuedKind = {
  kind: "email",
  unsent: ({ company_id, due_since: since }) => ({
    event: "emails_unsent",
    company_id,
    since,
    message: UNSENT,
  }),
  gaveUp: endUntaken,
};

const insertEmail = preparedWrite((db, email: Row<"emails">) => db.insertInto("emails").values(email));
const insertPaper = preparedWrite((db, paper: NewRow<"email_papers">) => db.insertInto("email_papers").values(paper));

/** The queue of e-mails of a company that ever had one. */
export const emailQueue = preparedSelect((db, { company_id, now }: { company_id: string; now: Instant }) =>
  db
    .selectFrom("company_mail")
    .select(["company_id as id", "company_id", "taken_at", "failing_since"])
    .select((eb) => waitingIn(eb, eb.ref("company_mail.company_id"), now))
    .where("company_id", "=", company_id),
);
