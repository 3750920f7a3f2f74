/** `lacre trigger`: makes a real event of a kind in a test installation. */
import * as z from "zod";
import type { Client } from "../client/client.ts";
import type { Document } from "../core/index.ts";
import { command } from "./command.ts";
import { Failure } from "./exit.ts";
import { show } from "./output.ts";
import { answered, clientOf, keyOf, REMOTE } from "./remote.ts";

/** What an event happened to. */
interface Made {
  readonly id: string;
  /** Of an issued document, or of the one that a payment is of. */
  readonly number?: string | null;
}

const CUSTOMER = { name: "Cliente de ensaio", external_id: "lacre-trigger" } as const;
const BREAD = "Pão de Mafra";
const PRICED = { unit_price_net: 1.15, tax_rate: 6 } as const;

/** The customer's invoice, as a draft or issued at once. */
function invoice(shop: Client, issue: boolean): Promise<Document> {
  return shop.documents.create({
    doc_type: "FT",
    series: "current",
    customer: CUSTOMER,
    lines: [{ description: BREAD, qty: 2, ...PRICED }],
    issue,
  });
}

async function payment(shop: Client): Promise<Made> {
  const { id, number, issue_date, total_gross } = await invoice(shop, true);
  const recorded = await shop.payments.record({ id, amount: total_gross, payment_date: issue_date, method_code: "NU" });
  return { id: recorded.id, number };
}

/** The refund of a paid invoice that was credited. */
async function refund(shop: Client): Promise<Made> {
  const { id, issue_date, total_gross: amount } = await invoice(shop, true);
  const paid = { amount, payment_date: issue_date, method_code: "NU" } as const;
  await shop.payments.record({ id, ...paid });
  const { number, id: credit_id } = await shop.documents.credit({ id, issue: true });
  const recorded = await shop.payments.record({ id: credit_id, kind: "refund", ...paid });
  return { id: recorded.id, number };
}

const customer = (shop: Client): Promise<Made> => shop.customers.create({ name: CUSTOMER.name });
const product = (shop: Client): Promise<Made> => shop.products.create({ name: BREAD, ...PRICED });

/** Does something with what was made, and answers the latter. */
async function andThen(made: Promise<Made>, work: (made: Made) => Promise<unknown>): Promise<Made> {
  const one = await made;
  await work(one);
  return one;
}

/** How each kind of event is made. */
export const MAKERS = {
  "customer.created": customer,
  "customer.changed": (shop) => andThen(customer(shop), ({ id }) => shop.customers.change({ id, city: "Lisboa" })),
  "customer.archived": (shop) => andThen(customer(shop), ({ id }) => shop.customers.archive({ id })),
  "product.created": product,
  "product.changed": (shop) => andThen(product(shop), ({ id }) => shop.products.change({ id, unit_price_net: 1.2 })),
  "product.archived": (shop) => andThen(product(shop), ({ id }) => shop.products.archive({ id })),
  "document.drafted": (shop) => invoice(shop, false),
  "document.changed": (shop) =>
    andThen(invoice(shop, false), ({ id }) => shop.documents.change({ id, notes: "2.ª fornada" })),
  "document.discarded": (shop) => andThen(invoice(shop, false), ({ id }) => shop.documents.discard({ id })),
  "document.issued": (shop) => invoice(shop, true),
  "document.printed": (shop) => andThen(invoice(shop, true), ({ id }) => shop.documents.print({ id })),
  "document.cancelled": (shop) => andThen(invoice(shop, true), ({ id }) => shop.documents.cancel({ id })),
  "payment.recorded": payment,
  "payment.voided": (shop) => andThen(payment(shop), ({ id }) => shop.payments.void({ id })),
  "refund.recorded": refund,
  "refund.voided": (shop) => andThen(refund(shop), ({ id }) => shop.payments.void({ id })),
} as const satisfies Readonly<Record<string, (shop: Client) => Promise<Made>>>;

type Kind = keyof typeof MAKERS;

/** The kinds of events that it makes. */
const KINDS = Object.keys(MAKERS) as [Kind, ...Kind[]];

export const triggerCommand = command({
  name: "trigger",
  input: z.strictObject({ event: z.enum(KINDS).meta({ operand: "EVENT" }), ...REMOTE }),
  async run({ event, ...remote }, terminal) {
    const key = keyOf(remote);
    if (!key.startsWith("lacre_test_")) throw new Failure("refused", (t) => t.trigger.not_a_test);
    const { id, number = null } = await answered(remote.url, MAKERS[event](clientOf(remote, key, terminal)));
    show(terminal, remote.json, { event, id, number }, [`${event} ${number ?? id}`]);
  },
});
