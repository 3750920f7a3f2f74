/** Headers read from a request (its id, API key and Idempotency-Key) and headers added to its answer. */
import { refuse } from "../core/runtime/errors.ts";
import type { RateLimitReading } from "../core/runtime/ports.ts";
import type { IncomingRequest } from "./incoming-request.ts";

/** The headers of every answer: it may not be cached, sniffed or framed, and no referrer is sent. */
export const SECURITY_HEADERS = {
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
} as const;

const REQUEST_ID = /^[A-Za-z0-9._-]{8,128}$/;

/** The `X-Request-Id` of the client; undefined when it is absent or not fit for a log. */
export function givenRequestId(request: IncomingRequest): string | undefined {
  const given = request.header("x-request-id");
  return given !== null && REQUEST_ID.test(given) ? given : undefined;
}

const AUTHORIZATION = /^bearer +([\x21-\x7e]+)$/i;

/**
 * The API key of `Authorization: Bearer <key>`. Refuses with `unauthorized` when there is none, or more than one: two
 * headers arrive joined by a comma and a space, and no key contains a space.
 */
export function bearerOf(request: IncomingRequest): string {
  const [, api_key] = AUTHORIZATION.exec(request.header("authorization") ?? "") ?? [];
  return api_key ?? refuse("unauthorized");
}

/** The `Idempotency-Key`, without the quotes of a structured field (RFC 9651). The core validates it. */
export function idempotencyKeyOf(request: IncomingRequest): string | undefined {
  return request.header("idempotency-key")?.replace(/^"(.*)"$/, "$1");
}

/** A key's remaining requests: as in the IETF draft "RateLimit header fields", and as `X-RateLimit-*`. */
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
