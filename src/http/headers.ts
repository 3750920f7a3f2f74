/** The headers around a call: which request it is, whose key it carries, how much of the limit is left. */
import { refuse } from "../core/runtime/errors.ts";
import type { RateLimitReading } from "../core/runtime/ports.ts";
import type { IncomingRequest } from "./incoming-request.ts";

/** On every answer. There is nothing to cache, to sniff, to frame or to refer to. */
export const SECURITY_HEADERS = {
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
} as const;

const REQUEST_ID = /^[A-Za-z0-9._-]{8,128}$/;

/** The caller's own X-Request-Id when it is one that can stand in a log; undefined otherwise. */
export function givenRequestId(request: IncomingRequest): string | undefined {
  const given = request.header("x-request-id");
  return given !== null && REQUEST_ID.test(given) ? given : undefined;
}

const BEARER = /^bearer +([\x21-\x7e]+)$/i;

/**
 * The API key of `Authorization: Bearer <key>`, or refuses with `unauthorized`. Two such headers reach us joined by a
 * comma, which no key contains.
 */
export function bearerOf(request: IncomingRequest): string {
  const [, api_key] = BEARER.exec(request.header("authorization") ?? "") ?? [];
  return api_key ?? refuse("unauthorized");
}

/** The Idempotency-Key without the quotes of a structured field. Whether it is a good one is the core's to say. */
export function idempotencyKeyOf(request: IncomingRequest): string | undefined {
  const given = request.header("idempotency-key");
  return given?.replace(/^"(.*)"$/, "$1");
}

/** What a key has left, in the terms of the IETF draft and in those that clients of today read. */
export function rateLimitHeaders(
  { limit, window_s, remaining, reset_s }: RateLimitReading,
  now: Date,
): Record<string, string> {
  return {
    "ratelimit-policy": `"default";q=${limit};w=${window_s}`,
    ratelimit: `"default";r=${remaining};t=${reset_s}`,
    "x-ratelimit-limit": String(limit),
    "x-ratelimit-remaining": String(remaining),
    "x-ratelimit-reset": String(Math.ceil(now.getTime() / 1000) + reset_s),
  };
}
