/** Reminders for tests: what a company is owed, and the mornings on which it reminds. */
import type { MailMessage } from "lacre";
import { expect } from "vitest";
import { daysAfter } from "../../src/core/fiscal/deadlines.ts";
import { day } from "./days.ts";
import { TODAY } from "./drivers.ts";
import { aCustomer, anInvoice } from "./factories.ts";
import type { Home, Instance } from "./instance.ts";

export const ANA = "ana@example.com";

/** A day some days after `TODAY`. */
export const inDays = (days: number): string => daysAfter(day(TODAY), days);

/** An invoice of 123.00 EUR to a customer with an address, due some days after `TODAY`. */
export async function anInvoiceDue(home: Home, days: number, fields: Record<string, unknown> = {}) {
  const customer_id = (fields.customer_id as string) ?? (await aCustomer(home, { email: ANA })).id;
  return anInvoice(home, { due_date: inDays(days), ...fields, customer_id });
}

type Sending = Pick<Instance, "lacre" | "company" | "company_id">;

/** Takes what is due of a company, reminders too, until nothing is; returns the ids. */
export async function takeAll({ lacre, company, company_id }: Sending) {
  const all: { delivery_id: string; attempt: number }[] = [];
  while ((await lacre.emails.due()).some((queue) => queue.company_id === company_id)) {
    all.push(...(await company.emails.take({ most: 2 })));
  }
  return all;
}

/** Sends what is due of a company, reminders too; returns the messages. */
export async function sendAll(sending: Sending): Promise<MailMessage[]> {
  const { emails } = sending.company;
  const messages: MailMessage[] = [];
  for (const taken of await takeAll(sending)) {
    const begun = await emails.begin(taken);
    if (!begun) continue;
    messages.push(begun.message);
    await emails.settle({ ...taken, outcome: "delivered", status: 250, error: null, duration_ms: 1 });
  }
  return messages;
}

/** Sends what is due at nine o'clock in Lisbon, some winter days after `TODAY`. */
export function morning(instance: Instance, days: number): Promise<MailMessage[]> {
  instance.travel(`${inDays(days)}T09:00:00.000Z`);
  return sendAll(instance);
}

/** The steps of a document that were reminded of, oldest first, each with what became of it. */
export async function remindersOf({ company }: Pick<Home, "company">, { id }: { readonly id: string }) {
  const { data } = await company.emails.list({ document_id: id, limit: 200 });
  for (const { reminder } of data) expect(reminder).not.toBeNull();
  return data.map(({ reminder, status }) => [reminder, status]).reverse();
}
