/** Invoices an order when it is placed and paid, in whichever order Medusa tells of these. */
import type { SubscriberArgs, SubscriberConfig } from "@medusajs/framework";
import { OrderWorkflowEvents, PaymentEvents } from "@medusajs/framework/utils";
import { invoiceOrderWorkflow, orderOfPayment } from "../workflows/invoicing.js";

export default async function invoice({ event, container }: SubscriberArgs<{ id: string }>) {
  const isOfOrder = event.name === OrderWorkflowEvents.PLACED;
  const id = isOfOrder ? event.data.id : await orderOfPayment(container, event.data.id);
  if (id) await invoiceOrderWorkflow(container).run({ input: { id } });
}

export const config: SubscriberConfig = { event: [OrderWorkflowEvents.PLACED, PaymentEvents.CAPTURED] };
