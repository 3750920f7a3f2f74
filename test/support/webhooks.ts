/** A receiver of webhooks for tests: it stands behind the port that sends, so nothing leaves the process. */
import type { FeedEvent, Lacre, Timer, WebhookAnswer, WebhookMessage, WebhookSender } from "lacre";
import { onTestFinished } from "vitest";
import { systemTimer } from "../../src/core/runtime/ports.ts";

export const DELIVERED: WebhookAnswer = { outcome: "delivered", status: 204, error: null };
export const FAILED: WebhookAnswer = { outcome: "failed", status: 500, error: null };
export const GONE: WebhookAnswer = { outcome: "gone", status: 410, error: null };

/** What a receiver reads in the body of a message. */
export interface Told {
  readonly type: string;
  readonly timestamp: string;
  readonly data: FeedEvent;
}

/** A receiver whose answers the test decides. */
export interface Receiver {
  readonly send: WebhookSender;
  /** Every message that came, in order; those that were refused too. */
  readonly messages: WebhookMessage[];
  /** What it answers; `DELIVERED` until a test sets another. */
  answer: (message: WebhookMessage) => WebhookAnswer | Promise<WebhookAnswer>;
  /** The events in the bodies. */
  told(): Told[];
}

export function aReceiver(): Receiver {
  const receiver: Receiver = {
    messages: [],
    answer: () => DELIVERED,
    async send(message) {
      receiver.messages.push(message);
      return receiver.answer(message);
    },
    told: () => receiver.messages.map(({ body }) => JSON.parse(body)),
  };
  return receiver;
}

/** A timer that waits a few milliseconds where it is asked for more, so that what is looked for is found soon. */
export const hasty: Timer = (ms, callback) => systemTimer(Math.min(ms, 5), callback);

/** Delivers until the test ends. */
export function delivering(lacre: Lacre): void {
  const stop = new AbortController();
  const delivered = lacre.webhooks.deliver({ signal: stop.signal });
  onTestFinished(async () => {
    stop.abort();
    await delivered;
  });
}
