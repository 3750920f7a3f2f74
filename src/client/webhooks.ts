/** Checks messages of webhooks, by Standard Webhooks 1.0.0. */
import type { FeedEvent } from "../core/face.ts";
import { LacreError } from "./error.ts";
import { systemNow } from "./platform.ts";

/** A message of a webhook. */
export interface WebhookEvent {
  /** What happened: `document.issued`. */
  readonly type: string;
  /** When, as an instant. */
  readonly timestamp: string;
  readonly data: FeedEvent;
}

/** A request that a webhook brought. */
export interface WebhookRequest {
  /** The secret of the webhook, `whsec_…`. */
  readonly secret: string;
  /** Its headers: of a Fetch `Request`, of `node:http`, or of a framework. */
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The body as it came, before anything parsed it. */
  readonly body: string | Uint8Array<ArrayBuffer>;
  /** How old a message may be, and how far ahead of this clock, in seconds; 300 when left out. */
  readonly tolerance_s?: number | undefined;
  /** Milliseconds since 1970; the clock of this machine when left out. */
  readonly now?: (() => number) | undefined;
}

/**
 * The event of a webhook's message. Throws `LacreError` with `unauthorized` where Lacre did not sign it, or where it is
 * not new: answer with its status. A message may come twice: drop a `webhook-id` that you know.
 *
 * ```ts
 * import { createHmac } from "node:crypto";
 * import { verifyWebhook } from "lacre/client";
 *
 * const body = '{"type":"document.issued","timestamp":"2026-11-21T10:00:00.000Z","data":{"position":1}}';
 * const signature = createHmac("sha256", "key").update(`msg_1.1795255200.${body}`).digest("base64");
 * const headers = { "webhook-id": "msg_1", "webhook-timestamp": "1795255200", "webhook-signature": `v1,${signature}` };
 * const now = () => 1795255200_000;
 * (await verifyWebhook({ secret: "whsec_a2V5", headers, body, now })).type; // => "document.issued"
 * const forged = verifyWebhook({ secret: "whsec_a2V5", headers, body: `${body} `, now });
 * await forged.catch(({ status }) => status); // => 401
 * ```
 */
export async function verifyWebhook(request: WebhookRequest): Promise<WebhookEvent> {
  const { secret, body, tolerance_s = 300, now = systemNow } = request;
  const id = headerOf(request, "webhook-id");
  const timestamp = headerOf(request, "webhook-timestamp");
  const age_s = Math.abs(now() / 1_000 - Number(timestamp));
  const text = typeof body === "string" ? body : new TextDecoder().decode(body);
  if (!(await isSigned(secret, `${id}.${timestamp}.${text}`, headerOf(request, "webhook-signature")))) {
    throw refused("It is not signed with the secret of this webhook.");
  }
  if (!(age_s <= tolerance_s)) throw refused("It is too old, or the clocks of sender and receiver differ.");
  return JSON.parse(text);
}

function headerOf({ headers }: WebhookRequest, name: string): string {
  const value = typeof headers.get === "function" ? headers.get(name) : (headers as Record<string, unknown>)[name];
  return String(value ?? "");
}

/** Whether one of these signatures is the text's: during a change of the secret there are two. */
async function isSigned(secret: string, text: string, signatures: string): Promise<boolean> {
  const hmac = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", keyOf(secret), hmac, false, ["verify"]);
  const message = new TextEncoder().encode(text);
  for (const signature of signatures.split(" ").slice(0, MAX_SIGNATURES)) {
    const [, base64 = ""] = /^v1,([A-Za-z\d+/]{43}=)$/.exec(signature) ?? [];
    // It compares in constant time.
    if (base64 && (await crypto.subtle.verify(hmac.name, key, bytesOf(base64), message))) return true;
  }
  return false;
}

/** The most signatures that are tried: Lacre sends two. */
const MAX_SIGNATURES = 10;

/** The key of a secret. Throws TypeError for what is none: with an empty key anybody could sign. */
function keyOf(secret: string): Uint8Array<ArrayBuffer> {
  const [, base64] = /^whsec_([A-Za-z\d+/]+=*)$/.exec(secret) ?? [];
  if (!base64) throw new TypeError("secret must be the secret of a webhook, whsec_…");
  return bytesOf(base64);
}

const bytesOf = (base64: string) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

const refused = (message: string) => new LacreError({ code: "unauthorized", message, status: 401 });
