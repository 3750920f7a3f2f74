/** A program that embeds Lacre: it issues, is paid and cancels, and delivers webhooks, until somebody kills it. */
import { openLacre, type WebhookSender } from "lacre";
import { webhookSender } from "lacre/node";
import { sqlite } from "lacre/sqlite";
import { chanceOf } from "../support/chance.ts";

/** What the program is told. */
export interface Orders {
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

async function work({ file, company_id, series_id, customer_id, seed, at, ...orders }: Orders): Promise<void> {
  const began = Date.now();
  const now = () => new Date(new Date(at).getTime() + Date.now() - began);
  const lacre = await openLacre({
    dialect: sqlite(file),
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
