/** Records money that was given back, and credits an order of which all of it was. */
import type { SubscriberArgs, SubscriberConfig } from "@medusajs/framework";
import { PaymentEvents } from "@medusajs/framework/utils";
import { orderOfPayment, refundOrderWorkflow } from "../workflows/invoicing.js";

export default async function refund({ event, container }: SubscriberArgs<{ id: string }>) {
  const order_id = await orderOfPayment(container, event.data.id);
  if (order_id) await refundOrderWorkflow(container).run({ input: { order_id } });
}

export const config: SubscriberConfig = { event: PaymentEvents.REFUNDED };
