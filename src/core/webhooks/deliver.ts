/**
 * Delivering: takes what is due, sends it, and settles it. Several processes may do so on one database: an attempt
 * belongs to the one that took it. What it had in hand when it ended is taken again half a minute later.
 */
import type { CompanyFace, DeliverOptions } from "../face.ts";
import type { Bell } from "../runtime/bell.ts";
import type { Closing } from "../runtime/closing.ts";
import { LacreError } from "../runtime/errors.ts";
import type { Log, MonotonicClock, WebhookAnswer, WebhookSender } from "../runtime/ports.ts";
import { faultOfAddress, isPublicAddress } from "./address.ts";
import type { Message } from "./deliveries.ts";

/** How often, in milliseconds, it looks for what is due by time, or was queued by another process. */
const POLL_MS = 1_000;
/** The least time between two looks: a busy installation commits a thousand times a second. */
const PAUSE_MS = 50;
/** Messages under way at once: to all webhooks, to one, and to one that fails. */
const MOST_UNDER_WAY = 64;
const MOST_TO_ONE = 4;
const MOST_TO_FAILING = 1;
/** How long, in milliseconds, what is under way is waited for at the end. */
const GRACE_MS = 1_000;

/** What delivering needs. */
export interface Delivering {
  readonly due: () => Promise<readonly { id: string; company_id: string; failing: boolean }[]>;
  readonly as: (company_id: string) => CompanyFace;
  readonly send: WebhookSender;
  readonly toPrivateNetworks: boolean;
  readonly bell: Bell;
  readonly closing: Closing;
  readonly monotonic: MonotonicClock;
  readonly log: Log;
}

/** Delivers until the signal aborts or Lacre closes. */
export async function deliver(world: Delivering, { signal }: DeliverOptions = {}): Promise<void> {
  const { due, as, bell, closing, log } = world;
  /** How many messages are under way to each webhook. */
  const toEach = new Map<string, number>();
  const underWay = new Set<Promise<void>>();
  const isOver = () => signal?.aborted === true || !closing.isOpen();

  const begin = (company: CompanyFace, id: string, message: Message) => {
    toEach.set(id, (toEach.get(id) ?? 0) + 1);
    const attempt = attemptAt(world, company, id, message).finally(() => {
      underWay.delete(attempt);
      const left = (toEach.get(id) ?? 1) - 1;
      if (left > 0) toEach.set(id, left);
      else toEach.delete(id);
    });
    underWay.add(attempt);
  };

  const look = async () => {
    for (const { id, company_id, failing } of await due()) {
      const room = (failing ? MOST_TO_FAILING : MOST_TO_ONE) - (toEach.get(id) ?? 0);
      const most = Math.min(room, MOST_UNDER_WAY - underWay.size);
      if (isOver() || most <= 0) continue;
      const company = as(company_id);
      for (const message of await company.webhooks.take({ id, most })) begin(company, id, message);
    }
  };

  while (!isOver()) {
    const rings = bell.rings();
    await look().catch((error: unknown) => {
      // The storage is in trouble, or Lacre closes; anything else is a bug.
      if (!(error instanceof LacreError)) throw error;
      log({ level: "warn", event: "webhooks_wait", message: error.message });
    });
    if (isOver()) break;
    await bell.next(rings, POLL_MS, signal);
    if (!isOver()) await bell.next(Number.POSITIVE_INFINITY, PAUSE_MS, signal);
  }
  if (underWay.size === 0) return;
  const ended = new AbortController();
  await Promise.race([Promise.all(underWay), bell.next(Number.POSITIVE_INFINITY, GRACE_MS, ended.signal)]);
  ended.abort();
}

/** One attempt at a message: sent, logged and settled. It never throws. */
async function attemptAt(world: Delivering, company: CompanyFace, id: string, message: Message): Promise<void> {
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
    // It is sent again when its time has run out: at least once is what is promised.
    const message = failure instanceof Error ? failure.message : String(failure);
    log({ level: "warn", event: "webhook_not_settled", webhook_id: id, delivery_id, message });
  }
}

/** What became of a message. What may not be sent to by now, after a change of the operator's, is not. */
async function sent({ send, toPrivateNetworks }: Delivering, { url, headers, body }: Message): Promise<WebhookAnswer> {
  if (faultOfAddress(url, toPrivateNetworks)) return { outcome: "failed", status: null, error: "not_public" };
  const mayConnectTo = (address: string) => toPrivateNetworks || isPublicAddress(address);
  try {
    return await send({ url, headers, body, mayConnectTo });
  } catch (error) {
    const { code } = error as { code?: unknown };
    return { outcome: "failed", status: null, error: typeof code === "string" ? code : "failed" };
  }
}
