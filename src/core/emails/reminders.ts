/** Reminders of what is overdue: queued as e-mails, a few at a time, each step of a document once. */
import { mustFindCompany } from "../company/companies.ts";
import { preparedSelect, preparedWrite } from "../database/prepared.ts";
import type { NewRow, Row } from "../database/tables.ts";
import { asIssued } from "../documents/frozen.ts";
import { type DueDocument, dueDocuments, outstandingOn } from "../documents/overdue.ts";
import { languageFor } from "../documents/print.ts";
import { mustFindDocument } from "../documents/rows.ts";
import { civilDate, type Day, daysBetween } from "../fiscal/civil-time.ts";
import { hasTerms } from "../fiscal/document-types.ts";
import { findCustomer } from "../records/customers.ts";
import type { ReadScope, WriteScope } from "../runtime/scope.ts";
import { isLocked } from "../series/restore-lock.ts";
import { mayCarry } from "../signing/producer.ts";
import { findCompanyMail, senderOf } from "./company-mail.ts";
import { EmailAddress } from "./input.ts";
import { queueEmail, roomFrom } from "./queue.ts";
import {
  fromNextMorning,
  isHourOfReminders,
  nextMorning,
  placeIn,
  spansOf,
  stepsIn,
  storedPlace,
} from "./reminder-schedule.ts";
import { reminderOf } from "./texts.ts";

/** How many documents are looked at in one transaction. */
const LOOKED_AT = 100;

/** How many e-mails a company may have queued in an hour before its reminders wait: people have the rest. */
const MAX_AN_HOUR = 1_000;

/**
 * Queues reminders of the company whose time has come, at most so many, and notes how far it is. Returns how many. It
 * refuses nothing: e-mails of people are sent by the same call.
 */
export async function queueReminders(scope: WriteScope, most: number): Promise<number> {
  const { db, company_id, now } = scope;
  const mail = await findCompanyMail(scope);
  if (!mail || mail.remind_at === null || mail.remind_at > now.toISOString()) return 0;
  const company = await mustFindCompany(scope);
  const { time_zone } = company;
  const put_off = await putOff(scope, mail, time_zone);
  const { queued, schedule } = put_off
    ? { queued: 0, schedule: put_off }
    : await queueNext(scope, { mail, company, today: civilDate(now, time_zone) }, most);
  await saveSchedule(db, { company_id, ...schedule });
  return queued;
}

/** When reminders are looked for again, where none may go out now. */
async function putOff(scope: ReadScope, mail: Row<"company_mail">, time_zone: string): Promise<Schedule | undefined> {
  const { now } = scope;
  const sender = senderOf(scope, mail);
  // In a copy: the original may be sending them until somebody confirms that it does not.
  if (await isLocked(scope)) return fromNextMorning(now, time_zone);
  if (sender === null || !isHourOfReminders(now, time_zone)) return { remind_at: nextMorning(now, time_zone).at };
  const room_from = await roomFrom(scope, MAX_AN_HOUR);
  return room_from && { remind_at: room_from.toISOString() };
}

/** Queues the next reminders of today; says how far it is. */
async function queueNext(
  scope: WriteScope,
  reminding: Reminding,
  most: number,
): Promise<{ readonly queued: number; readonly schedule: Schedule }> {
  const { mail, company, today } = reminding;
  const begun = placeIn(mail.remind_after, today);
  let [looked, queued] = [0, 0];
  for (const { step, from, to } of spansOf(stepsIn(mail.reminder_days), mail.reminded_until ?? today, today)) {
    const after = begun && begun.due_date >= from ? begun : { due_date: from, id: "" };
    for (const due of await dueDocuments(scope, { after, to, limit: LOOKED_AT - looked })) {
      if (await remind(scope, due, step, reminding)) queued++;
      looked++;
      if (queued >= most || looked >= LOOKED_AT) return { queued, schedule: { remind_after: storedPlace(due, today) } };
    }
  }
  return { queued, schedule: fromNextMorning(scope.now, company.time_zone) };
}

type Schedule = Partial<Pick<NewRow<"company_mail">, "remind_at" | "reminded_until" | "remind_after">>;

const saveSchedule = preparedWrite((db, { company_id, ...schedule }: Schedule & { readonly company_id: string }) =>
  db.updateTable("company_mail").set(schedule).where("company_id", "=", company_id),
);

interface Reminding {
  readonly mail: Row<"company_mail">;
  readonly company: Row<"companies">;
  readonly today: Day;
}

/** Queues a reminder of a document at a step, where one is to go out; tells whether it did. */
async function remind(
  scope: WriteScope,
  due: DueDocument,
  step: number,
  { mail, company, today }: Reminding,
): Promise<boolean> {
  const { id, customer_id, outstanding_cents } = due;
  if (!hasTerms(due) || outstanding_cents === null || outstanding_cents <= 0) return false;
  const customer = await findCustomer(scope, customer_id);
  const to = EmailAddress.safeParse(customer?.email);
  if (customer?.reminders !== 1 || !to.success) return false;
  if ((await remindersOf(scope.db, { document_id: id, step })).length > 0) return false;
  const row = await mustFindDocument(scope, id);
  const document = asIssued(row);
  const sender = senderOf(scope, mail);
  if (sender === null || !mayCarry(document.certificate_number)) return false;
  const language = languageFor(customer, company);
  const own = { subject: mail[`reminder_subject_${language}`], message: mail[`reminder_message_${language}`] };
  const days = daysBetween(due.due_date, today);
  await queueEmail(scope, row, {
    ...{ to: [to.data], cc: [], language, own, sender },
    ...reminderOf(document, language, own, { outstanding_cents, days, iban: company.iban }),
    sender_name: mail.name ?? company.name,
    reply_to: mail.reply_to,
    reminder: { step, outstanding_cents },
  });
  return true;
}

/** Reminders of a document at a step or a later one, whatever became of them. */
const remindersOf = preparedSelect((db, { document_id, step }: { document_id: string; step: number }) =>
  db.selectFrom("emails").select("id").where("document_id", "=", document_id).where("reminder", ">=", step).limit(1),
);

type Waiting = Pick<Row<"emails">, "document_id" | "reminder"> & Pick<Row<"email_papers">, "outstanding_cents">;

/**
 * Whether an e-mail that waits may still be sent: a reminder if as much is owed as it says, it is still wanted, and
 * none at a later step has followed it, as where the mail server could not be reached for hours.
 */
export async function isStillRight(scope: ReadScope, email: Waiting): Promise<boolean> {
  const { document_id, reminder, outstanding_cents } = email;
  if (reminder === null) return true;
  if ((await outstandingOn(scope, document_id)) !== outstanding_cents) return false;
  if ((await remindersOf(scope.db, { document_id, step: reminder + 1 })).length > 0) return false;
  const { customer_id } = await mustFindDocument(scope, document_id);
  const isWanted = (await findCustomer(scope, customer_id))?.reminders === 1;
  return isWanted && (await findCompanyMail(scope))?.reminder_days != null;
}
