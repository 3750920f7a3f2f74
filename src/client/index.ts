/** `lacre/client`: the public names of the client. It runs wherever `fetch` and Web Crypto are. */

export type { CallOptions, ClientOptions, KeyedOptions } from "./call.ts";
export { type Client, createClient } from "./client.ts";
export { LacreError } from "./error.ts";
export { etagOf } from "./etag.ts";
export { verifyWebhook, type WebhookEvent, type WebhookRequest } from "./webhooks.ts";
