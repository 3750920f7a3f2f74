import { connect } from "node:net";
import type { LogEntry } from "lacre";
import { createHandler, type HandlerOptions, statusOf } from "lacre/http";
import { nodeListener, serve } from "lacre/node";
import { openInMemory } from "lacre/testing";
import { expect, onTestFinished, test } from "vitest";

interface Sent {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An instance with its handler, its log, and a function that sends requests with its key. */
async function open(options: HandlerOptions = {}) {
  const log: LogEntry[] = [];
  const instance = await openInMemory({ log: (entry) => log.push(entry) });
  onTestFinished(() => instance.lacre.close());
  const handler = createHandler(instance.lacre, options);
  const send = (method: string, path: string, { body, headers }: Sent = {}) => {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    return handler(
      new Request(`http://lacre.test${path}`, {
        method,
        headers: {
          authorization: `Bearer ${instance.api_key}`,
          ...(text !== undefined && { "content-type": "application/json" }),
          ...headers,
        },
        ...(text !== undefined && { body: text }),
      }),
      { remote_address: "192.0.2.7" },
    );
  };
  return { ...instance, handler, log, send };
}

/** Status and code of a refusal. */
async function refusal(answer: Response | Promise<Response>): Promise<string> {
  const response = await answer;
  expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
  const { error, ...rest } = (await response.json()) as { error: { code: string; message: string } };
  expect([Object.keys(error), rest]).toEqual([["code", "message"], {}]);
  return `${response.status} ${error.code}`;
}

async function messageOf(answer: Response | Promise<Response>): Promise<string> {
  const { error } = (await (await answer).json()) as { error: { message: string } };
  return error.message;
}

const ana = { name: "Ana" };

test("a route of the host program answers a refusal as the API does", async () => {
  const { company, send } = await open();
  const missing = "0199d3a0-5b7e-7cc1-9c3b-2f6a4d1e8b70";
  const error = await company.customers.get({ id: missing }).catch((refused) => refused);
  const own = Response.json({ error }, { status: statusOf(error.code) });
  const answer = await send("GET", `/v1/customers/${missing}`);
  expect([own.status, await own.text()]).toEqual([answer.status, await answer.text()]);
  expect(statusOf("precondition_failed")).toBe(412);
});

test("the description as it is served names its own address alone", async () => {
  const { send } = await open();
  const { servers } = (await (await send("GET", "/openapi.json")).json()) as { servers: { url: string }[] };
  expect(servers.map(({ url }) => url)).toEqual(["/"]);
});

test("a customer is created, found at its Location, changed and deleted", async () => {
  const { send } = await open();
  const created = await send("POST", "/v1/customers", { body: ana });
  expect(created.status).toBe(201);
  const path = created.headers.get("location") ?? "";
  expect({ ...((await (await send("GET", path)).json()) as object), notices: [] }).toEqual(await created.json());
  expect(await (await send("PATCH", path, { body: { city: "Faro" } })).json()).toMatchObject({
    name: "Ana",
    city: "Faro",
  });
  const deleted = await send("DELETE", path);
  expect([deleted.status, deleted.body]).toEqual([204, null]);
  expect(await refusal(send("GET", path))).toBe("404 not_found");
});

test("refusals come in the fixed order", async () => {
  const { lacre, company_id, handler } = await open();
  const { api_key } = await lacre.keys.create({ company_id, name: "reader", scopes: ["products:read"] });
  const wrong = { method: "POST", body: "{", headers: { "content-type": "text/plain" } };
  const ask = (path: string, headers = {}) =>
    handler(new Request(`http://lacre.test${path}?x=1`, { ...wrong, headers: { ...wrong.headers, ...headers } }));

  expect(await refusal(ask("/v1/nothing"))).toBe("404 not_found");
  expect(await refusal(ask("/v1/me"))).toBe("405 method_not_allowed");
  expect(await refusal(ask("/v1/customers"))).toBe("401 unauthorized");
  expect(await refusal(ask("/v1/customers", { authorization: `Bearer ${api_key}` }))).toBe("403 forbidden");
});

test("a key over its limit learns when to try again, before anything else is checked", async () => {
  const log: LogEntry[] = [];
  const { lacre, api_key } = await openInMemory({
    rateLimit: { limit: 2, window_s: 60 },
    log: (entry) => log.push(entry),
  });
  onTestFinished(() => lacre.close());
  const handler = createHandler(lacre);
  const ask = () =>
    handler(new Request("http://lacre.test/v1/me?x=1", { headers: { authorization: `Bearer ${api_key}` } }));
  const [first, , third] = [await ask(), await ask(), await ask()];
  expect(Object.fromEntries(first.headers)).toMatchObject({
    "ratelimit-policy": '"default";q=2;w=60',
    ratelimit: '"default";r=1;t=60',
    "x-ratelimit-limit": "2",
    "x-ratelimit-remaining": "1",
    "x-ratelimit-reset": expect.stringMatching(/^\d{10}$/),
  });
  expect(third.headers.get("retry-after")).toBe("60");
  expect([await refusal(first), await refusal(third)]).toEqual(["400 invalid_request", "429 rate_limited"]);
});

test("every answer carries its request id, the client's own if valid, and is not cached", async () => {
  const { send, handler } = await open();
  const bare = await handler(new Request("http://lacre.test/healthz"));
  expect(bare.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
  expect(bare.headers.get("cache-control")).toBe("no-store");
  const named = (id: string) => send("GET", "/v1/me", { headers: { "x-request-id": id } });
  expect((await named("order-17.a_b")).headers.get("x-request-id")).toBe("order-17.a_b");
  expect((await named("no spaces")).headers.get("x-request-id")).not.toBe("no spaces");
});

test("HEAD is GET without the body, and OPTIONS lists the methods of a path", async () => {
  const { send, handler } = await open();
  const got = await send("GET", "/v1/customers");
  const head = await send("HEAD", "/v1/customers");
  expect([head.status, head.body]).toEqual([200, null]);
  expect(head.headers.get("content-length")).toBe(String((await got.text()).length));
  expect(head.headers.get("content-type")).toBe(got.headers.get("content-type"));
  const options = await handler(new Request("http://lacre.test/v1/customers", { method: "OPTIONS" }));
  expect([options.status, options.headers.get("allow")]).toEqual([204, "GET, HEAD, POST, OPTIONS"]);
  expect((await send("PUT", "/v1/customers")).headers.get("allow")).toBe("GET, HEAD, POST, OPTIONS");
});

test.each([
  ["unknown", "/v1/customers?nmae=Ana", "nmae: is not a known field"],
  ["repeated", "/v1/customers?limit=1&limit=2", "limit: is repeated"],
  ["malformed", "/v1/customers?search=%ff", "The query string is not percent-encoded UTF-8."],
  ["not a plain number", "/v1/customers?limit=1e2", "limit: must be a number"],
  ["a path field", "/v1/customers/x?id=y", "id: is not a known field"],
  ["__proto__", "/v1/customers?__proto__=1", "__proto__: is not a known field"],
  ["on a page", "/healthz?x", "x: is not a known field"],
])("a query parameter that is %s is refused", async (_, path, message) => {
  const { send } = await open();
  expect(await messageOf(send("GET", path))).toContain(message);
});

test.each<[string, string, string]>([
  ["a repeated member", '{"a":[{"b":1,"c":{"d":1,"\\u0064":2}}]}', "a[0].c.d: is repeated"],
  ["a repeated member at the top", '{"name":"Ana", "name" :"Rui"}', "name: is repeated"],
  ["__proto__", '{"name":"Ana","__proto__":{}}', "__proto__: is not a known field"],
  ["33 levels", `${"[".repeat(33)}${"]".repeat(33)}`, "The body is nested deeper than 32 levels."],
  ["a byte order mark", '\ufeff{"name":"Ana"}', "The body begins with a byte order mark."],
  ["a list", "[]", "The body must be a JSON object."],
  ["no JSON", "{", "The body is not JSON"],
  ["a path field", '{"name":"Ana","id":"x"}', "id: is not a known field"],
])("a body with %s is refused", async (_, body, message) => {
  const { send } = await open();
  expect(await messageOf(send("POST", "/v1/customers", { body }))).toContain(message);
});

test("braces, colons, commas and quotes inside strings are plain text", async () => {
  const { send } = await open();
  const name = '{"a":1},"a":[\\"';
  expect(await (await send("POST", "/v1/customers", { body: { name } })).json()).toMatchObject({ name });
});

test("only JSON in UTF-8 without Content-Encoding is accepted", async () => {
  const { send } = await open();
  const as = (headers: Record<string, string>) => send("POST", "/v1/customers", { body: ana, headers });
  expect((await as({ "content-type": "Application/JSON; charset=UTF-8" })).status).toBe(201);
  expect(await refusal(as({ "content-type": "text/plain" }))).toBe("415 unsupported_media_type");
  expect(await refusal(as({ "content-type": "application/json; charset=latin1" }))).toBe("415 unsupported_media_type");
  expect(await refusal(as({ "content-encoding": "gzip" }))).toBe("415 unsupported_media_type");
});

test("a body over the limit gets 413, with or without Content-Length", async () => {
  const { send } = await open({ maxBodyBytes: 12 });
  expect((await send("POST", "/v1/customers", { body: '{"name":"A"}' })).status).toBe(201);
  expect(await refusal(send("POST", "/v1/customers", { body: '{"name":"An"}' }))).toBe("413 payload_too_large");
  const announced = { body: '{"name":"An"}', headers: { "content-length": "13" } };
  expect(await refusal(send("POST", "/v1/customers", announced))).toBe("413 payload_too_large");
});

test("a POST without fields needs no body, a PATCH needs one, a GET or DELETE accepts none", async () => {
  const { send } = await open();
  expect(await refusal(send("POST", "/v1/documents/x/issue"))).toBe("404 not_found");
  expect(await refusal(send("POST", "/v1/documents/x/issue", { body: {} }))).toBe("404 not_found");
  expect(await refusal(send("POST", "/v1/documents/x/issue", { body: { now: true } }))).toBe("400 invalid_request");
  expect(await refusal(send("PATCH", "/v1/customers/x"))).toBe("400 invalid_request");
  expect(await refusal(send("DELETE", "/v1/customers/x", { body: {} }))).toBe("400 invalid_request");
  expect(await refusal(send("DELETE", "/v1/customers/x", { body: "" }))).toBe("404 not_found");
  expect(await refusal(send("GET", "/v1/customers", { headers: { "content-length": "2" } }))).toBe(
    "400 invalid_request",
  );
});

test("a repeated POST gets the first answer again, byte for byte", async () => {
  const { send } = await open();
  const post = (key: string, body: unknown) =>
    send("POST", "/v1/customers", { body, headers: { "idempotency-key": key } });
  const [first, again] = [await post("order-1", ana), await post('"order-1"', ana)];
  expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([201, "true"]);
  expect(first.headers.get("idempotent-replayed")).toBeNull();
  expect(again.headers.get("location")).toBe(first.headers.get("location"));
  expect(await again.text()).toBe(await first.text());
  expect(await refusal(post("order-1", { name: "Rui" }))).toBe("422 idempotency_key_reused");
  expect(await refusal(post("", ana))).toBe("400 invalid_request");
});

test("each request is one log entry; a refused key adds another, which does not contain the key", async () => {
  const { send, log, company_id } = await open();
  await send("GET", "/v1/customers/x");
  await send("GET", "/v1/me", { headers: { authorization: "Bearer lacre_live_guess" } });
  expect(log).toEqual([
    {
      level: "info",
      event: "request",
      method: "GET",
      route: "/v1/customers/:id",
      status: 404,
      ms: expect.any(Number),
      request_id: expect.any(String),
      key_id: expect.any(String),
      user_id: null,
      company_id,
      remote_address: "192.0.2.7",
    },
    { level: "warn", event: "auth_refused", remote_address: "192.0.2.7", request_id: expect.any(String) },
    expect.objectContaining({ event: "request", route: "/v1/me", status: 401, key_id: null, company_id: null }),
  ]);
  expect(JSON.stringify(log)).not.toContain("guess");
});

test("a bug gives a 500 without details, and a log entry with all of them", async () => {
  const { handler, log } = await open({
    viewer: () => {
      throw new Error("secret");
    },
  });
  const answer = await handler(new Request("http://lacre.test/docs"));
  const request_id = answer.headers.get("x-request-id");
  expect(await answer.clone().text()).not.toContain("secret");
  expect(await refusal(answer)).toBe("500 internal_error");
  expect(log).toContainEqual({
    level: "error",
    event: "internal_error",
    request_id,
    stack: expect.stringContaining("secret"),
  });
});

test("one request too many at once gets 503 before any work, and the next one is served", async () => {
  const { send, lacre, api_key } = await open();
  const handler = createHandler(lacre, { maxInFlight: 1 });
  const ask = () =>
    handler(new Request("http://lacre.test/v1/me", { headers: { authorization: `Bearer ${api_key}` } }));
  const [first, second] = await Promise.all([ask(), ask()]);
  expect([first.status, second.headers.get("retry-after")]).toEqual([200, "1"]);
  expect(await refusal(second)).toBe("503 unavailable");
  expect((await ask()).status).toBe(200);
  expect((await send("GET", "/readyz")).status).toBe(200);
});

test("a probe tells what keeps documents from being issued, in counts, and is not ready where none can be", async () => {
  let now = new Date("2026-11-21T10:00:00Z");
  const { lacre, company, series } = await openInMemory({ now: () => now });
  const probe = async () => {
    const answer = await createHandler(lacre)(new Request("http://lacre.test/readyz"));
    return { status: answer.status, body: await answer.json() };
  };
  const customer = await company.customers.create({ name: "Ana Conceição" });
  await company.documents.create({
    doc_type: "FT",
    series_id: series.FT,
    issue_date: "2026-11-21",
    customer_id: customer.id,
    lines: [{ description: "Pão", qty: 1, unit_price_net: 1, tax_rate: 23 }],
    issue: true,
  });
  const ready = {
    status: "ok",
    blocked: { database_changed: 0, numbers_unconfirmed: 0, clock_behind: 0 },
    last_backup: null,
    backup_overdue: true,
    webhooks_unsent: 0,
    disk_low: false,
  };
  expect(await probe()).toEqual({ status: 200, body: ready });

  now = new Date("2026-11-21T09:00:00Z");
  const said =
    "Nothing can be issued: the clock is behind the latest document (lacre clock confirm). Reading works. " +
    "Commands are typed on the machine Lacre runs on, with the --db that it serves.";
  expect(await probe()).toEqual({ status: 503, body: { error: { code: "unavailable", message: said } } });
  await lacre.companies.create({ name: "Outra, S.A.", tax_id: "501964843" });
  const one = { ...ready, blocked: { database_changed: 0, numbers_unconfirmed: 0, clock_behind: 1 } };
  expect(await probe()).toEqual({ status: 200, body: one });
  await lacre.installation.recordBackup({ file: "/b.db", documents: 1, bytes: 1 });
  now = new Date("2026-11-21T09:01:30Z");
  const last_backup = { taken_at: "2026-11-21T09:00:00.000Z", age_s: 90 };
  expect(await probe()).toEqual({ status: 200, body: { ...one, last_backup, backup_overdue: false } });
});

test("with its database closed the service is alive but not ready", async () => {
  const { lacre } = await openInMemory();
  const handler = createHandler(lacre);
  await lacre.close();
  expect(await refusal(handler(new Request("http://lacre.test/readyz")))).toBe("503 unavailable");
  expect(await (await handler(new Request("http://lacre.test/healthz"))).json()).toEqual({ status: "ok" });
});

test("the log gives a request's duration by the installation's monotonic clock", async () => {
  const log: LogEntry[] = [];
  let now_ms = 0;
  const { lacre } = await openInMemory({ monotonic: () => (now_ms += 250), log: (entry) => log.push(entry) });
  onTestFinished(() => lacre.close());
  await createHandler(lacre)(new Request("http://lacre.test/healthz"));
  expect(log).toMatchObject([{ event: "request", ms: 250 }]);
});

test("a request that cannot be read gets its id from the installation's id source", async () => {
  let ids = 0;
  const lastId = () => `00000000-0000-7000-8000-${String(ids).padStart(12, "0")}`;
  const newId = () => {
    ids++;
    return lastId();
  };
  const { lacre } = await openInMemory({ newId });
  const server = await serve(createHandler(lacre), { port: 0 });
  expect(await speak(server.port, "NONSENSE\r\n\r\n")).toContain(`\r\nx-request-id: ${lastId()}\r\n`);
  await server.close();
  await lacre.close();
});

const newRequestId = () => "the-only-request";

/** Sends bytes to a server and returns everything it answers before it closes the connection. */
function speak(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes));
    socket.setEncoding("utf8").on("data", (chunk) => {
      answer += chunk;
    });
    socket.on("close", () => resolve(answer)).on("error", reject);
  });
}

test("bytes that are not HTTP get an error in the usual shape, after the earlier answers", async () => {
  const { handler, log, api_key } = await open();
  const server = await serve(handler, { port: 0, log: (entry) => log.push(entry) });
  onTestFinished(() => server.close());
  const good = `GET /v1/me HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api_key}\r\n\r\n`;
  const answer = await speak(server.port, `${good}NONSENSE\r\n\r\n`);
  const [first, second] = answer.split(/(?=HTTP\/1\.1 400)/);
  expect(first).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(second).toMatch(/\r\nconnection: close\r\n/);
  expect(second).toMatch(/\r\n\r\n\{"error":\{"code":"invalid_request","message":"[^"]+"\}\}$/);
  expect(log).toContainEqual(
    expect.objectContaining({ event: "request_unreadable", status: 400, remote_address: "127.0.0.1" }),
  );
});

test("a log that throws ends neither a request nor the server", async () => {
  const broken = () => {
    throw new Error("the log is gone");
  };
  const { lacre, api_key } = await openInMemory({ log: broken });
  const server = await serve(createHandler(lacre), { port: 0, log: broken });
  const headers = { authorization: `Bearer ${api_key}` };
  expect((await fetch(`${server.url}/v1/me`, { headers })).status).toBe(200);
  expect(await speak(server.port, "NONSENSE\r\n\r\n")).toMatch(/^HTTP\/1\.1 400 /);
  expect((await fetch(`${server.url}/v1/me`, { headers })).status).toBe(200);
  await server.close();
  await lacre.close();
});

test("closing waits for a request under way, closes its connection, and accepts no other", async () => {
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const server = await serve(
    {
      newRequestId,
      async answer() {
        arrive();
        await released;
        return { status: 200, headers: {}, body: "done" };
      },
    },
    { port: 0 },
  );
  const answer = fetch(server.url);
  await arrived;
  const closed = server.close();
  await expect(fetch(server.url)).rejects.toThrow();
  release();
  expect((await answer).headers.get("connection")).toBe("close");
  await closed;
});

test("closing cuts off a request that does not end in time", async () => {
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
  const server = await serve(
    {
      newRequestId,
      answer() {
        arrive();
        return new Promise(() => {});
      },
    },
    { port: 0, closeTimeoutMs: 50 },
  );
  const answer = fetch(server.url).catch((error) => error);
  await arrived;
  await server.close();
  expect(await answer).toBeInstanceOf(Error);
});

test("a handler that rejects gives a 500 in the usual shape, also in the host's own server", async () => {
  const { createServer } = await import("node:http");
  const server = createServer(nodeListener({ newRequestId, answer: () => Promise.reject(new Error("secret")) }));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  expect(await refusal(fetch(`http://127.0.0.1:${port}/`))).toBe("500 internal_error");
});

test("an answer that the host's own server has already sent stays, and that server continues", async () => {
  const { createServer } = await import("node:http");
  const { handler, api_key } = await open();
  const listener = nodeListener(handler);
  const server = createServer((incoming, outgoing) => {
    listener(incoming, outgoing);
    if (incoming.url === "/v1/me?early") outgoing.writeHead(204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  const headers = { authorization: `Bearer ${api_key}` };
  expect((await fetch(`http://127.0.0.1:${port}/v1/me?early`, { headers })).status).toBe(204);
  expect((await fetch(`http://127.0.0.1:${port}/v1/me`, { headers })).status).toBe(200);
});

test("a body of up to 128 KiB is written at once, a longer one by 64 KiB", async () => {
  const { createServer } = await import("node:http");
  const body = (size: number) => "a".repeat(size);
  const answer = async ({ target }: { target: string }) => ({
    status: 200,
    headers: {},
    body: body(Number(target.slice(1))),
  });
  const listener = nodeListener({ newRequestId, answer });
  const written: number[] = [];
  const server = createServer((incoming, outgoing) => {
    const { write } = outgoing;
    outgoing.write = (piece: Uint8Array) => {
      written.push(piece.length);
      return write.call(outgoing, piece, "utf8");
    };
    listener(incoming, outgoing);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  const ask = async (size: number) => (await fetch(`http://127.0.0.1:${port}/${size}`)).text();
  expect(await ask(131_072)).toBe(body(131_072));
  expect(written).toEqual([]);
  expect(await ask(131_073)).toBe(body(131_073));
  expect(written).toEqual([65_536, 65_536, 1]);
});
