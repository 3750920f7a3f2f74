/**
 * Sends webhooks by node:http and node:https. For each attempt a name is looked up once, every address judged, and the
 * connection made to those addresses: a changing DNS answer leads nowhere. Redirects are not followed.
 */
import { lookup } from "node:dns/promises";
import { type ClientRequest, request } from "node:http";
import type { RequestOptions } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import type { WebhookAnswer, WebhookMessage, WebhookSender } from "../core/runtime/ports.ts";

/** How webhooks are sent. */
export interface WebhookSenderOptions {
  /** Milliseconds for one attempt, from looking the name up to the head of the answer. Default: 15,000. */
  readonly timeoutMs?: number;
  /** Finds the IP addresses of a name. Default: as the system does. */
  readonly resolve?: (name: string) => Promise<readonly string[]>;
}

const TIMEOUT_MS = 15_000;

/**
 * How much of an answer's body is read, and for how long, once its head has ended the attempt; nothing of it is kept.
 */
const MAX_READ_BYTES = 64 * 1024;
const MAX_READ_MS = 1_000;

/** A sender for `openLacre({ webhookSender })`. */
export function webhookSender(options: WebhookSenderOptions = {}): WebhookSender {
  const { timeoutMs = TIMEOUT_MS, resolve = addressesOfSystem } = options;
  return async (message) => {
    const url = new URL(message.url);
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const addresses = await within(signal, addressesOf(url.hostname, resolve));
      if (addresses.length === 0) return failed("no_address");
      if (!addresses.every((address) => message.mayConnectTo(address))) return failed("not_public");
      return await post(await requestBy(url), url, addresses, message, signal);
    } catch (error) {
      if (signal.aborted) return failed("timed_out");
      const { code } = error as NodeJS.ErrnoException;
      return failed(code ?? "failed");
    }
  };
}

function failed(error: string): WebhookAnswer {
  return { outcome: "failed", status: null, error };
}

async function addressesOfSystem(name: string): Promise<string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address);
}

/** The addresses of a host: of an IP address that address alone. */
function addressesOf(hostname: string, resolve: NonNullable<WebhookSenderOptions["resolve"]>) {
  const address = hostname.replace(/^\[(.*)\]$/, "$1");
  return isIP(address) ? Promise.resolve([address]) : resolve(hostname);
}

/** The result of a promise, unless the signal aborts first. */
async function within<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener("abort", abort);
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/**
 * The function that sends requests by an address's protocol. The first HTTPS request loads TLS, which a server's start
 * does not need.
 */
async function requestBy({ protocol }: URL): Promise<Request> {
  return protocol === "https:" ? (await import("node:https")).request : request;
}

type Request = (url: URL, options: RequestOptions) => ClientRequest;

/** Connects to one of these addresses, sends the message and resolves as soon as the head of the answer is there. */
function post(
  send: Request,
  url: URL,
  addresses: readonly string[],
  { headers, body }: WebhookMessage,
  signal: AbortSignal,
): Promise<WebhookAnswer> {
  return new Promise((resolve, reject) => {
    const outgoing = send(url, {
      method: "POST",
      headers: {
        "content-type": "application/json; charset=utf-8",
        "content-length": Buffer.byteLength(body),
        "user-agent": "Lacre",
        ...headers,
      },
      lookup: answering(addresses),
      agent: false, // a connection of its own: a kept one may lead to another address
      rejectUnauthorized: true,
      signal,
    });
    outgoing.on("error", reject);
    outgoing.on("response", (incoming) => {
      // The status alone is the answer: waiting for a body that never ends would hold up other deliveries.
      resolve(answerOf(incoming.statusCode ?? 0, incoming.headers["retry-after"]));
      const end = () => {
        clearTimeout(patience);
        outgoing.destroy();
      };
      const patience = setTimeout(end, MAX_READ_MS).unref();
      outgoing.off("error", reject).on("error", end);
      let read = 0;
      incoming.on("data", (piece: Buffer) => {
        read += piece.length;
        if (read > MAX_READ_BYTES) end();
      });
      incoming.on("end", end).on("error", end).on("close", end);
    });
    outgoing.end(body);
  });
}

/** Stands for DNS: returns the judged addresses. */
function answering(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_, { all }, callback) => {
    if (all) callback(null, found);
    else callback(null, found[0]?.address ?? "", found[0]?.family);
  };
}

/** Only 2xx is a success; a redirect is not. 410 says that the receiver is gone for good. */
function answerOf(status: number, retryAfter: string | undefined): WebhookAnswer {
  const outcome = status >= 200 && status <= 299 ? "delivered" : status === 410 ? "gone" : "failed";
  const asked = outcome === "failed" && /^\d{1,6}$/.test(retryAfter ?? "") ? Number(retryAfter) : undefined;
  return { outcome, status, error: null, ...(asked !== undefined && { retry_after_s: asked }) };
}
