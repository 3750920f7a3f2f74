/** An order and its documents: the invoice once it is paid, the credit note of a return, and money given back. */
import type { MedusaContainer, OrderDTO, PaymentCollectionDTO, PaymentDTO, ReturnDTO } from "@medusajs/framework/types";
import { ContainerRegistrationKeys, Modules } from "@medusajs/framework/utils";
import { createStep, createWorkflow, StepResponse, WorkflowResponse } from "@medusajs/framework/workflows-sdk";
import { LacreError } from "lacre/client";
import { capturedCents, creditOf, type Invoice, invoiceOf, nifIn } from "../lacre/documents.js";
import { dayOf, lacre, TERMS } from "../lacre/shop.js";

/** Tried for a week, every ten minutes. With the workflow engine on Redis a restart of the shop loses nothing. */
const PATIENT = { maxRetries: 1_000, retryInterval: 600 };

/** What of an order's documents its metadata keeps. */
interface Invoiced {
  readonly lacre_invoice: string;
  readonly lacre_invoice_id: string;
  readonly lacre_lines: string[];
  /** The ids of the refunds that Lacre has. */
  readonly lacre_refunds?: string[];
}

const FIELDS = [
  ...["id", "currency_code", "customer_id", "email", "metadata", "total"],
  ...["billing_address.*", "shipping_address.*"],
  ...["items.*", "items.tax_lines.*", "shipping_methods.*", "shipping_methods.tax_lines.*"],
  ...[
    "payment_collections.payments.*",
    "payment_collections.payments.captures.*",
    "payment_collections.payments.refunds.*",
  ],
];

interface PaidOrder {
  readonly order: OrderDTO;
  readonly payments: PaymentDTO[];
  /** Undefined before the invoice is issued. */
  readonly invoiced: Invoiced | undefined;
}

async function readOrder(container: MedusaContainer, id: string): Promise<PaidOrder> {
  const query = container.resolve(ContainerRegistrationKeys.QUERY);
  const { data } = await query.graph({ entity: "order", fields: FIELDS, filters: { id } });
  const order = data[0] as (OrderDTO & { payment_collections?: PaymentCollectionDTO[] }) | undefined;
  if (!order) throw new Error(`There is no order ${id}.`);
  const payments = (order.payment_collections ?? []).flatMap((collection) => collection.payments ?? []);
  const invoiced = order.metadata?.lacre_invoice_id ? (order.metadata as unknown as Invoiced) : undefined;
  return { order, payments, invoiced };
}

async function mustBeInvoiced(container: MedusaContainer, id: string) {
  const { invoiced, ...rest } = await readOrder(container, id);
  if (!invoiced) throw new Error(`The invoice of order ${id} is not issued yet.`);
  return { invoiced, ...rest };
}

/** Writes down what is to be issued, so that every try asks for the same; nothing before all of the order is paid. */
const writeInvoiceStep = createStep("lacre-write-invoice", async (id: string, { container }) => {
  const { order, payments, invoiced } = await readOrder(container, id);
  const isPaid = capturedCents(payments) > 0 && capturedCents(payments) >= Math.round(Number(order.total) * 100);
  if (invoiced || !isPaid) return new StepResponse<Invoice | null>(null);
  if (order.metadata?.nif && !nifIn(order)) {
    const logger = container.resolve(ContainerRegistrationKeys.LOGGER);
    logger.warn(`The invoice of order ${id} has no NIF: ${order.metadata.nif} is none.`);
  }
  return new StepResponse<Invoice | null>(invoiceOf(order, payments, dayOf(), TERMS));
});

const issueStep = createStep(
  { name: "lacre-issue", ...PATIENT },
  async ({ id, invoice }: { id: string; invoice: Invoice | null }, { container }) => {
    if (!invoice) return new StepResponse(null);
    const issued = await lacre.documents.create(invoice.document, { idempotency_key: `medusa-order-${id}` });
    const { order } = await readOrder(container, id);
    const kept: Invoiced = {
      lacre_invoice: issued.number ?? "",
      lacre_invoice_id: issued.id,
      lacre_lines: invoice.lines,
    };
    await container.resolve(Modules.ORDER).updateOrders(id, { metadata: { ...order.metadata, ...kept } });
    return new StepResponse(issued.number);
  },
);

export const invoiceOrderWorkflow = createWorkflow("lacre-invoice-order", (input: { id: string }) => {
  const invoice = writeInvoiceStep(input.id);
  return new WorkflowResponse(issueStep({ id: input.id, invoice }));
});

const creditReturnStep = createStep(
  { name: "lacre-credit-return", ...PATIENT },
  async ({ order_id, return_id }: { order_id: string; return_id: string }, { container }) => {
    const query = container.resolve(ContainerRegistrationKeys.QUERY);
    const fields = ["id", "status", "items.*"];
    const { data } = await query.graph({ entity: "return", fields, filters: { id: return_id } });
    const returned = data[0] as ReturnDTO | undefined;
    if (returned?.status !== "received") return new StepResponse(null);
    const { order, invoiced } = await mustBeInvoiced(container, order_id);
    const { number } = await lacre.documents.credit(
      { id: invoiced.lacre_invoice_id, ...creditOf(order, invoiced.lacre_lines, returned.items) },
      { idempotency_key: `medusa-return-${return_id}` },
    );
    return new StepResponse(number);
  },
);

export const creditReturnWorkflow = createWorkflow(
  "lacre-credit-return",
  (input: { order_id: string; return_id: string }) => new WorkflowResponse(creditReturnStep(input)),
);

/** Credits what is left of an order of which everything was given back; nothing may be left, once all was returned. */
async function creditRest({ order, invoiced }: { order: OrderDTO; invoiced: Invoiced }) {
  try {
    await lacre.documents.credit(
      { id: invoiced.lacre_invoice_id, external_id: order.id, issue: true },
      { idempotency_key: `medusa-rest-${order.id}` },
    );
  } catch (error) {
    if (!(error instanceof LacreError && error.code === "credit_exceeds_original")) throw error;
  }
}

/**
 * Money given back. Medusa does not say for what: a return says that, and its credit note allows for the money; so does
 * the credit of the rest, once all was given back. Any other waits until a person has written its credit note.
 */
const refundStep = createStep(
  { name: "lacre-refund", ...PATIENT },
  async ({ order_id }: { order_id: string }, { container }) => {
    const { order, payments, invoiced } = await mustBeInvoiced(container, order_id);
    const refunds = payments.flatMap(({ provider_id, refunds = [] }) =>
      refunds.map((each) => ({ ...each, provider_id })),
    );
    const given = refunds.reduce((cents, { amount }) => cents + Math.round(Number(amount) * 100), 0);
    if (given === capturedCents(payments)) await creditRest({ order, invoiced });
    const recorded = [...(invoiced.lacre_refunds ?? [])];
    for (const { id, amount, provider_id, created_at } of refunds.filter((refund) => !recorded.includes(refund.id))) {
      await lacre.payments.record(
        {
          id: invoiced.lacre_invoice_id,
          kind: "refund",
          method_code: TERMS.methods?.[provider_id] ?? "OU",
          amount: Math.round(Number(amount) * 100) / 100,
          payment_date: dayOf(created_at),
        },
        { idempotency_key: `medusa-refund-${id}` },
      );
      recorded.push(id);
      // The key of a payment is remembered for a day; the order remembers for longer.
      await container
        .resolve(Modules.ORDER)
        .updateOrders(order_id, { metadata: { ...order.metadata, lacre_refunds: recorded } });
    }
    return new StepResponse(recorded);
  },
);

export const refundOrderWorkflow = createWorkflow(
  "lacre-refund-order",
  (input: { order_id: string }) => new WorkflowResponse(refundStep(input)),
);

/** The order that a payment is for; undefined where it is none's, as before a cart is completed. */
export async function orderOfPayment(container: MedusaContainer, id: string): Promise<string | undefined> {
  const query = container.resolve(ContainerRegistrationKeys.QUERY);
  const { data: payments } = await query.graph({
    entity: "payment",
    fields: ["payment_collection_id"],
    filters: { id },
  });
  const payment_collection_id = (payments[0] as PaymentDTO | undefined)?.payment_collection_id;
  if (!payment_collection_id) return undefined;
  const filters = { payment_collection_id };
  const { data: links } = await query.graph({ entity: "order_payment_collection", fields: ["order_id"], filters });
  return (links[0] as { order_id?: string } | undefined)?.order_id;
}
