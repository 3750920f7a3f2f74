/** Credits what came back, once all of a return is received. */
import type { SubscriberArgs, SubscriberConfig } from "@medusajs/framework";
import { OrderWorkflowEvents } from "@medusajs/framework/utils";
import { creditReturnWorkflow } from "../workflows/invoicing.js";

export default async function credit({ event, container }: SubscriberArgs<{ order_id: string; return_id: string }>) {
  await creditReturnWorkflow(container).run({ input: event.data });
}

export const config: SubscriberConfig = { event: OrderWorkflowEvents.RETURN_RECEIVED };
