/** Every kind of answer has exactly these headers, and none that reveals the software behind it. */
import { createHandler } from "lacre/http";
import { serve } from "lacre/node";
import { openInMemory } from "lacre/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Answered, type Asked, ask, bodyFor, openStreet, type Street, wireTo } from "../../support/attack.ts";

let street: Street;

beforeEach(async () => {
  street = await openStreet();
});

afterEach(() => street.lacre.close());

/** The headers of every answer; `null` for a value that differs. */
const ALWAYS: Readonly<Record<string, string | null>> = {
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  "x-request-id": null,
};
const JSON_BODY = { "content-type": "application/json; charset=utf-8" };
/** The headers of every refusal, here in English. */
const REFUSED = { "content-language": "en", vary: "Accept-Language" };
/** The headers of every answer to a valid key. */
const LIMIT = {
  "ratelimit-policy": '"default";q=120;w=60',
  ratelimit: null,
  "x-ratelimit-limit": "120",
  "x-ratelimit-remaining": null,
  "x-ratelimit-reset": null,
};

/** The headers that node:http adds. */
const WIRE = ["date", "connection", "keep-alive", "content-length"];

/** The headers of an answer, where these are those of its kind. */
function wantedOf(status: number, headers: Readonly<Record<string, string | null>>): Record<string, string | null> {
  return { ...ALWAYS, ...(status >= 400 && REFUSED), ...headers };
}

/** Sends a request and expects exactly these headers, with these values where they are not null. */
async function expectHeaders(
  what: string,
  asked: Asked,
  status: number,
  headers: Readonly<Record<string, string | null>>,
  handler = street.handler,
) {
  const answer = await ask(handler, asked);
  expect([what, answer.status]).toEqual([what, status]);
  const wanted = wantedOf(status, headers);
  const length = answer.headers.get("content-length");
  if (asked.method !== "HEAD") expect([what, length]).toEqual([what, lengthOf(answer)]);
  const given = Object.fromEntries(
    [...answer.headers]
      .filter(([name]) => name !== "content-length")
      .map(([name, value]) => [name, wanted[name] === null ? null : value]),
  );
  expect([what, given]).toEqual([what, wanted]);
  return answer;
}

/** The expected Content-Length; null without a body. */
function lengthOf({ status, text }: Answered): string | null {
  return status === 204 ? null : String(Buffer.byteLength(text));
}

test("each kind of answer has exactly its headers", async () => {
  const { own, lacre } = street;
  const { api_key } = own;
  const none = (await lacre.keys.create({ company_id: own.company_id, name: "x", scopes: ["saft:read"] })).api_key;
  const customer = own.owned.customer;
  const tag = { etag: null };
  const location = { ...tag, location: null };
  const create: Asked = { method: "POST", path: "/v1/customers", api_key, body: { name: "Ana" } };
  const retry: Asked = { ...create, headers: { "idempotency-key": "order-1" } };

  await expectHeaders("a read", { method: "GET", path: "/v1/me", api_key }, 200, { ...JSON_BODY, ...LIMIT });
  await expectHeaders("a list", { method: "GET", path: "/v1/customers", api_key }, 200, { ...JSON_BODY, ...LIMIT });
  await expectHeaders("a HEAD", { method: "HEAD", path: "/v1/me", api_key }, 200, {
    ...JSON_BODY,
    ...LIMIT,
  });
  const made = await expectHeaders("a creation", create, 201, { ...JSON_BODY, ...LIMIT, ...location });
  expect(made.headers.get("location")).toBe(`/v1/customers/${JSON.parse(made.text).id}`);
  await expectHeaders("the first with an Idempotency-Key", retry, 201, { ...JSON_BODY, ...LIMIT, ...location });
  await expectHeaders("its replay", retry, 201, { ...JSON_BODY, ...LIMIT, ...location, "idempotent-replayed": "true" });
  await expectHeaders(
    "a change",
    { method: "PATCH", path: `/v1/customers/${customer}`, api_key, body: { city: "Faro" } },
    200,
    {
      ...JSON_BODY,
      ...LIMIT,
      ...tag,
    },
  );
  await expectHeaders(
    "a deletion",
    { method: "DELETE", path: `/v1/products/${own.owned.product}`, api_key },
    204,
    LIMIT,
  );

  await expectHeaders("a bad request", { ...create, body: {} }, 400, { ...JSON_BODY, ...LIMIT });
  await expectHeaders("no key", { method: "GET", path: "/v1/me" }, 401, { ...JSON_BODY, "www-authenticate": "Bearer" });
  await expectHeaders("a bad key", { method: "GET", path: "/v1/me", api_key: "x" }, 401, {
    ...JSON_BODY,
    "www-authenticate": "Bearer",
  });
  await expectHeaders("a lacking scope", { method: "GET", path: "/v1/customers", api_key: none }, 403, {
    ...JSON_BODY,
    ...LIMIT,
    "www-authenticate": 'Bearer error="insufficient_scope"',
  });
  await expectHeaders("no such path", { method: "GET", path: "/v1/nothing", api_key }, 404, JSON_BODY);
  await expectHeaders("no such resource", { method: "GET", path: "/v1/customers/x", api_key }, 404, {
    ...JSON_BODY,
    ...LIMIT,
  });
  await expectHeaders("another method", { method: "PUT", path: "/v1/me", api_key }, 405, {
    ...JSON_BODY,
    allow: "GET, HEAD, OPTIONS",
  });
  await expectHeaders("a conflict", { method: "POST", path: `/v1/documents/${own.owned.issued}/issue`, api_key }, 409, {
    ...JSON_BODY,
    ...LIMIT,
  });
  await expectHeaders("too large", { ...create, body: " ".repeat(1024 * 1024 + 1) }, 413, {
    ...JSON_BODY,
    ...LIMIT,
    connection: "close",
  });
  await expectHeaders("another type", { ...create, headers: { "content-type": "text/plain" } }, 415, {
    ...JSON_BODY,
    ...LIMIT,
  });
  await expectHeaders("a reused key", { ...retry, body: { name: "Rui" } }, 422, { ...JSON_BODY, ...LIMIT });
  await expectHeaders("OPTIONS", { method: "OPTIONS", path: "/v1/customers" }, 204, {
    allow: "GET, HEAD, POST, OPTIONS",
  });

  street.tap.intercept = () => {
    throw new Error("a bug");
  };
  await expectHeaders("a bug", { method: "GET", path: "/v1/me", api_key }, 500, JSON_BODY);
  await expectHeaders("not ready", { method: "GET", path: "/readyz" }, 503, JSON_BODY);
  street.tap.intercept = undefined;
  await expectHeaders("ready", { method: "GET", path: "/readyz" }, 200, JSON_BODY);
  await expectHeaders("alive", { method: "GET", path: "/healthz" }, 200, JSON_BODY);
  await expectHeaders("the description", { method: "GET", path: "/openapi.json" }, 200, JSON_BODY);
  const page = {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy":
      "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  };
  await expectHeaders("the page", { method: "GET", path: "/docs" }, 200, page);
  const file = { "cache-control": "no-cache", etag: null, vary: "accept-encoding" };
  await expectHeaders("its script", { method: "GET", path: "/docs/viewer.js" }, 200, {
    ...file,
    "content-type": "text/javascript; charset=utf-8",
  });
  await expectHeaders("its style", { method: "GET", path: "/docs/viewer.css" }, 200, {
    ...file,
    "content-type": "text/css; charset=utf-8",
  });

  const limited = await openInMemory({ rateLimit: { limit: 0, window_s: 60 } });
  await expectHeaders(
    "too many",
    { method: "GET", path: "/v1/me", api_key: limited.api_key },
    429,
    { ...JSON_BODY, ...LIMIT, "ratelimit-policy": '"default";q=0;w=60', "x-ratelimit-limit": "0", "retry-after": null },
    createHandler(limited.lacre),
  );
  await limited.lacre.close();
  const full = createHandler(lacre, { maxInFlight: 0 });
  await expectHeaders(
    "too many at once",
    { method: "GET", path: "/v1/me", api_key },
    503,
    { ...JSON_BODY, "retry-after": null },
    full,
  );
});

test("on the wire an answer gains only what HTTP needs, also when the request could not be read", async () => {
  const { own } = street;
  const server = await serve(street.handler, { port: 0 });
  const key = `Authorization: Bearer ${own.api_key}`;
  const requests: Record<string, [string, Record<string, string | null>]> = {
    "a read": [`GET /v1/me HTTP/1.1\r\nHost: x\r\n${key}\r\n\r\n`, { ...JSON_BODY, ...LIMIT }],
    "no key": ["GET /v1/me HTTP/1.1\r\nHost: x\r\n\r\n", { ...JSON_BODY, "www-authenticate": "Bearer" }],
    "no path": ["GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n", JSON_BODY],
    "no host": ["GET /v1/me HTTP/1.1\r\n\r\n", JSON_BODY],
    "no HTTP": ["nonsense\r\n\r\n", JSON_BODY],
    "too long a header": [`GET /v1/me HTTP/1.1\r\nHost: x\r\nX-A: ${"a".repeat(20_000)}\r\n\r\n`, JSON_BODY],
    "a tunnel": ["CONNECT a:1 HTTP/1.1\r\nHost: x\r\n\r\n", JSON_BODY],
    "an expectation": ["GET /v1/me HTTP/1.1\r\nHost: x\r\nExpect: x\r\n\r\n", JSON_BODY],
  };
  for (const [what, [bytes, headers]] of Object.entries(requests)) {
    const wire = wireTo(server.port);
    wire.send(bytes);
    const answer = await wire.answer();
    const wanted = wantedOf(answer?.status ?? 0, headers);
    const given = [...(answer?.headers ?? [])].filter(([name]) => !WIRE.includes(name));
    expect([
      what,
      Object.fromEntries(given.map(([name, value]) => [name, wanted[name] === null ? null : value])),
    ]).toEqual([what, wanted]);
    wire.socket.destroy();
  }
  await server.close();
});

test("no header and no error reveals the software or its version, and no other origin is allowed", async () => {
  const { own } = street;
  const origin = {
    origin: "https://evil.test",
    "access-control-request-method": "GET",
    "access-control-request-headers": "authorization",
  };
  const calls: Asked[] = [
    { method: "GET", path: "/v1/me", api_key: own.api_key, headers: origin },
    { method: "OPTIONS", path: "/v1/me", headers: origin },
    { method: "GET", path: "/v1/nothing", headers: origin },
    {
      method: "POST",
      path: "/v1/documents",
      api_key: own.api_key,
      body: bodyFor("createDocument", own),
      headers: origin,
    },
    { method: "POST", path: "/v1/documents", api_key: own.api_key, body: "{", headers: origin },
    { method: "GET", path: "/healthz", headers: origin },
    { method: "GET", path: "/openapi.json", headers: origin },
  ];
  for (const call of calls) {
    const { headers, text } = await ask(street.handler, call);
    for (const [name, value] of headers) {
      expect(name).not.toMatch(
        /^(?:server|x-powered-by|via|x-aspnet-version|access-control-.*|set-cookie|last-modified)$/,
      );
      expect([name, value]).toEqual([
        name,
        expect.not.stringMatching(/node|hono|itty|sqlite|kysely|express|v?\d+\.\d+\.\d+/i),
      ]);
    }
    if (call.path !== "/openapi.json")
      expect(text).not.toMatch(/node_modules|\.ts:\d|\.js:\d|sqlite|kysely|\bat \w+ \(/i);
  }
});

test("only the API is served: no metrics, no debug pages, no files", async () => {
  for (const path of [
    "/metrics",
    "/debug",
    "/.env",
    "/.git/config",
    "/admin",
    "/status",
    "/v1",
    "/v1/event",
    "/v1/keys",
    "/package.json",
    "/docs/../package.json",
    "/docs/%2e%2e/package.json",
    "/docs/viewer.js.map",
    "/lacre.db",
  ]) {
    expect([path, (await ask(street.handler, { method: "GET", path, api_key: street.own.api_key })).status]).toEqual([
      path,
      404,
    ]);
  }
});

test("a valid request id is kept, any other is replaced, and no two are the same", async () => {
  const { own } = street;
  const id = async (given?: string) =>
    (
      await ask(street.handler, {
        method: "GET",
        path: "/v1/me",
        api_key: own.api_key,
        ...(given && { headers: { "x-request-id": given } }),
      })
    ).headers.get("x-request-id");
  expect(await id("checkout.2026-11_7")).toBe("checkout.2026-11_7");
  for (const given of [
    "short",
    "a".repeat(129),
    "with space here",
    "<script>alert(1)</script>",
    "ação-ação-ação",
    "{}{}{}{}{}",
  ]) {
    expect(await id(given)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
  }
  const ids = await Promise.all(Array.from({ length: 200 }, () => id()));
  expect(new Set(ids).size).toBe(200);
});
