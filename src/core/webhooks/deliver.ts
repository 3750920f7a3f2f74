/** Delivering webhooks: what `deliveries/deliver.ts` needs to know of them. */

import { toldOf } from "../deliveries/attempts.ts";
import type { DeliverOptions, Due, Kind } from "../deliveries/deliver.ts";
import type { CompanyMethods } from "../face.ts";
import type { Log, MonotonicClock, WebhookAnswer, WebhookSender } from "../runtime/ports.ts";
import { faultOfAddress, isPublicAddress } from "./address.ts";
import { type Message, OUTCOMES } from "./deliveries.ts";

/** Messages under way at once: to all webhooks, to those of one company, and to one. */
const MOST = { inAll: 64, ofCompany: 32, toOne: 4 };

/** Sends the messages of webhooks. */
export interface Deliverer {
  readonly webhooks: {
    /**
     * Delivers the events of all companies to their webhooks, until `signal` aborts or `lacre.close()`. It needs the
     * option `webhookSender`. Several processes may run it on one database. Throws TypeError without that option.
     */
    deliver(options?: DeliverOptions): Promise<void>;
  };
}

/** The dependencies of sending webhooks. */
interface Sending {
  readonly due: () => Promise<readonly Due[]>;
  readonly as: (company_id: string) => CompanyMethods;
  readonly send: WebhookSender;
  readonly toPrivateNetworks: boolean;
  readonly monotonic: MonotonicClock;
  readonly log: Log;
}

/** Webhooks as a kind of delivery. */
export function webhookKind(world: Sending): Kind<Message> {
  const { due, as } = world;
  return {
    waits: "webhooks_wait",
    most: MOST,
    graceMs: 1_000,
    due,
    take: ({ id, company_id }, most) => as(company_id).webhooks.take({ id, most }),
    attempt: ({ id, company_id }, message) => attemptAt(world, as(company_id), id, message),
  };
}

/** One attempt at a message: sends, logs and settles it. It never throws. */
async function attemptAt(world: Sending, company: CompanyMethods, id: string, message: Message): Promise<void> {
  const { log, monotonic } = world;
  const { delivery_id, attempt, action } = message;
  const began = monotonic();
  const answer = await sent(world, message);
  const duration_ms = Math.round(monotonic() - began);
  const { outcome, status, error } = answer;
  const level = outcome === "delivered" ? "info" : "warn";
  log({ level, event: "webhook", webhook_id: id, delivery_id, action, attempt, outcome, status, error, duration_ms });
  try {
    await company.webhooks.settle({ id, delivery_id, attempt, duration_ms, ...answer });
  } catch (failure) {
    // It is sent again when its lease has run out: delivery is at least once.
    const message = failure instanceof Error ? failure.message : String(failure);
    log({ level: "warn", event: "webhook_not_settled", webhook_id: id, delivery_id, message });
  }
}

/** Sends a message, unless its address has become forbidden by a change of the operator's. */
async function sent({ send, toPrivateNetworks }: Sending, { url, headers, body }: Message): Promise<WebhookAnswer> {
  if (faultOfAddress(url, toPrivateNetworks)) return { outcome: "failed", status: null, error: "not_public" };
  const mayConnectTo = (address: string) => toPrivateNetworks || isPublicAddress(address);
  try {
    const { outcome, retry_after_s, ...told } = await send({ url, headers, body, mayConnectTo });
    return {
      outcome: OUTCOMES.includes(outcome) ? outcome : "failed",
      ...toldOf(told),
      ...(Number.isSafeInteger(retry_after_s) && { retry_after_s }),
    };
  } catch (error) {
    const { code } = error as { code?: unknown };
    return { outcome: "failed", status: null, error: typeof code === "string" ? code : "failed" };
  }
}
