/**
 * Delivering: takes due messages, sends them, and settles them. Several processes may do so on one database: an attempt
 * belongs to the process that took it. If that process ended meanwhile, another takes its messages half a minute later.
 */
import type { CompanyMethods } from "../face.ts";
import type { Bell } from "../runtime/bell.ts";
import type { Closing } from "../runtime/closing.ts";
import { LacreError } from "../runtime/errors.ts";
import type { Log, MonotonicClock, WebhookAnswer, WebhookSender } from "../runtime/ports.ts";
import { faultOfAddress, isPublicAddress } from "./address.ts";
import type { Message } from "./deliveries.ts";

/** How often, in milliseconds, it looks for messages that became due, or that another process queued. */
const POLL_MS = 1_000;
/** The least time between two looks: a busy installation commits a thousand times a second. */
const PAUSE_MS = 50;
/** Messages under way at once: to all webhooks, to those of one company, to one, and to one that fails or is slow. */
const MAX_UNDER_WAY = 64;
const MAX_OF_COMPANY = MAX_UNDER_WAY / 2;
const MAX_TO_ONE = 4;
const MAX_TO_TROUBLED = 1;
/** A webhook is slow if its last answer, or one that it still owes, took this many milliseconds. */
const SLOW_MS = 2_000;
/** How long, in milliseconds, messages under way may take at the end. */
const GRACE_MS = 1_000;

/** A webhook with messages to send. */
interface Due {
  readonly id: string;
  readonly company_id: string;
  readonly failing: boolean;
}

/** A message that is being sent, to this webhook. */
interface UnderWay {
  readonly id: string;
  readonly company_id: string;
  /** Milliseconds of the monotonic clock. */
  readonly began: number;
  readonly ended: Promise<void>;
}

/** The options of delivering webhooks. */
export interface DeliverOptions {
  /** Ends it when it aborts; messages under way get at most a second. */
  readonly signal?: AbortSignal;
}

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

/** The dependencies of delivering. */
export interface Delivering {
  /** The ones that have waited longest come first. */
  readonly due: () => Promise<readonly Due[]>;
  readonly as: (company_id: string) => CompanyMethods;
  readonly send: WebhookSender;
  readonly toPrivateNetworks: boolean;
  readonly bell: Bell;
  readonly closing: Closing;
  readonly monotonic: MonotonicClock;
  readonly log: Log;
}

/** Delivers until the signal aborts or Lacre closes. */
export async function deliver(world: Delivering, { signal }: DeliverOptions = {}): Promise<void> {
  const { due, as, bell, closing, monotonic, log } = world;
  const underWay = new Set<UnderWay>();
  /** The webhooks whose last answer was slow. */
  const slow = new Set<string>();
  const isOver = () => signal?.aborted === true || !closing.isOpen();

  const begin = (company: CompanyMethods, { id, company_id }: Due, message: Message) => {
    const began = monotonic();
    const ended = attemptAt(world, company, id, message).finally(() => {
      underWay.delete(attempt);
      if (monotonic() - began >= SLOW_MS) slow.add(id);
      else slow.delete(id);
    });
    const attempt: UnderWay = { id, company_id, began, ended };
    underWay.add(attempt);
  };

  /** How many more messages may be under way to a webhook. */
  const roomFor = ({ id, company_id, failing }: Due): number => {
    const ofCompany = [...underWay].filter((attempt) => attempt.company_id === company_id);
    const toIt = ofCompany.filter((attempt) => attempt.id === id);
    const isSlow = slow.has(id) || toIt.some(({ began }) => monotonic() - began >= SLOW_MS);
    const max = failing || isSlow ? MAX_TO_TROUBLED : MAX_TO_ONE;
    return Math.min(max - toIt.length, MAX_OF_COMPANY - ofCompany.length, MAX_UNDER_WAY - underWay.size);
  };

  /** One webhook of each company in turn, in each company the one that has waited longest. */
  const look = async () => {
    const queues = [...Map.groupBy(await due(), ({ company_id }) => company_id).values()];
    for (let turn = 0; queues.some(({ length }) => turn < length); turn++) {
      for (const webhook of queues.flatMap((queue) => queue[turn] ?? [])) {
        const max = roomFor(webhook);
        if (isOver() || max <= 0) continue;
        const company = as(webhook.company_id);
        for (const message of await company.webhooks.take({ id: webhook.id, most: max }))
          begin(company, webhook, message);
      }
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
  await Promise.race([
    Promise.all(Array.from(underWay, ({ ended }) => ended)),
    bell.next(Number.POSITIVE_INFINITY, GRACE_MS, ended.signal),
  ]);
  ended.abort();
}

/** One attempt at a message: sends, logs and settles it. It never throws. */
async function attemptAt(world: Delivering, company: CompanyMethods, id: string, message: Message): Promise<void> {
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
