/** A program that embeds Lacre: it issues, is paid and cancels, and delivers webhooks, until somebody kills it. */
import { openLacre, type WebhookSender } from "lacre";
import { webhookSender } from "lacre/node";
import { chanceOf } from "../support/chance.ts";
import { EVERY } from "../support/databases.ts";
import type { Database } from "../support/drivers.ts";

/** What the program is told. */
export interface Orders {
  /** The name of its database, as in databases.ts. */
  readonly driver: string;
  readonly file: string;
  readonly company_id: string;
  readonly series_id: string;
  readonly customer_id: string;
  readonly seed: number;
  /** When its clock begins. */
  readonly at: string;
  /** Says that a message was delivered before it is sent: the fault that the test must find. */
  readonly saysSoFirst: boolean;
}

/** How long the faulty sender waits before it sends. */
const LATE_MS = 30;

const send = webhookSender();
const saysSoFirst: WebhookSender = async (message) => {
  setTimeout(() => void send(message), LATE_MS);
  return { outcome: "delivered", status: 204, error: null };
};

process.once("message", (orders: Orders) => void work(orders));

async function work({ driver, file, company_id, series_id, customer_id, seed, at, ...orders }: Orders): Promise<void> {
  const database = EVERY.find(({ name }) => name === driver) as Database;
  const began = Date.now();
  const now = () => new Date(new Date(at).getTime() + Date.now() - began);
  const lacre = await openLacre({
    dialect: database.dialect(file),
    now,
    webhookSender: orders.saysSoFirst ? saysSoFirst : send,
    webhooksToPrivateNetworks: true,
  });
  void lacre.webhooks.deliver();
  const { documents, payments, clock } = lacre.as(company_id);
  await clock.confirm();
  const chance = chanceOf(seed);
  const issue_date = at.slice(0, 10);
  const lines = [{ description: "Pão", qty: 1, unit_price_net: 10, tax_rate: 0 }];
  for (;;) {
    const draft = await documents.create({ doc_type: "FT", series_id, customer_id, issue_date, lines });
    process.send?.("committed");
    const { id } = await documents.issue({ id: draft.id });
    process.send?.("committed");
    if (chance.below(2) === 0) {
      await payments.record({ id, amount: 1, method_code: "NU", payment_date: issue_date });
    } else {
      await documents.cancel({ id });
    }
    process.send?.("committed");
    await new Promise((resolve) => setTimeout(resolve, chance.below(10)));
  }
}
