/** Malformed HTTP, as bytes on a socket. Each request carries a valid key, so that only its form can be at fault. */
import { serve } from "lacre/node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openStreet, refusalOf, type Street, wireTo } from "../../support/attack.ts";

let street: Street;
let server: Awaited<ReturnType<typeof serve>>;

beforeAll(async () => {
  street = await openStreet();
  server = await serve(street.handler, { port: 0, log: (entry) => street.log.push(entry) });
});

afterAll(async () => {
  await server.close();
  await street.lacre.close();
});

const BODY = '{"name":"Smuggled"}';
const HOST = "Host: lacre.test";
const JSON_TYPE = "Content-Type: application/json";
const key = () => `Authorization: Bearer ${street.own.api_key}`;

const lines = (...all: string[]) => [...all, "", ""].join("\r\n");
const get = (target: string, ...headers: string[]) => lines(`GET ${target} HTTP/1.1`, HOST, key(), ...headers);
const post = (...headers: string[]) => lines("POST /v1/customers HTTP/1.1", HOST, key(), JSON_TYPE, ...headers);

/** Follows a body of uncertain length; read as a request, it would create a customer. */
const smuggled = () => post(`Content-Length: ${BODY.length}`) + BODY;

/** Requests after which the start of the next one is uncertain: answered once, then the connection is closed. */
const UNCERTAIN: Readonly<Record<string, () => string>> = {
  "length and chunks": () => `${post("Content-Length: 4", "Transfer-Encoding: chunked")}0\r\n\r\n${smuggled()}`,
  "chunks and length": () => `${post("Transfer-Encoding: chunked", "Content-Length: 4")}0\r\n\r\n${smuggled()}`,
  "chunks and no length": () => `${post("Transfer-Encoding: chunked", "Content-Length: 0")}0\r\n\r\n${smuggled()}`,
  "two lengths": () => `${post("Content-Length: 0", `Content-Length: ${BODY.length}`)}${BODY}${smuggled()}`,
  "a repeated length": () =>
    `${post(`Content-Length: ${BODY.length}`, `Content-Length: ${BODY.length}`)}${BODY}${smuggled()}`,
  "a list of lengths": () => `${post(`Content-Length: ${BODY.length}, ${BODY.length}`)}${BODY}${smuggled()}`,
  "a negative length": () => `${post("Content-Length: -1")}${BODY}`,
  "a length with a sign": () => `${post(`Content-Length: +${BODY.length}`)}${BODY}${smuggled()}`,
  "an unknown coding": () => `${post("Transfer-Encoding: xchunked")}${BODY}${smuggled()}`,
  "a coding before chunked": () => `${post("Transfer-Encoding: gzip, chunked")}0\r\n\r\n${smuggled()}`,
  "an empty coding before chunked": () => `${post("Transfer-Encoding: ,chunked")}0\r\n\r\n${smuggled()}`,
  "chunks in HTTP/1.0": () =>
    `${post("Transfer-Encoding: chunked", "Connection: keep-alive").replace("HTTP/1.1", "HTTP/1.0")}0\r\n\r\n${smuggled()}`,
  "chunked not last": () => `${post("Transfer-Encoding: chunked, identity")}${BODY}${smuggled()}`,
  "identity coding": () =>
    `${post("Transfer-Encoding: identity", `Content-Length: ${BODY.length}`)}${BODY}${smuggled()}`,
  "a space before the colon": () => `${post("Transfer-Encoding : chunked")}0\r\n\r\n${smuggled()}`,
  "a tab before the colon": () => `${post("Content-Length\t: 5")}${BODY}${smuggled()}`,
  "a folded header": () => `${post("Transfer-Encoding:\r\n chunked")}0\r\n\r\n${smuggled()}`,
  "a header that begins with a space": () => `${post(" Transfer-Encoding: chunked")}0\r\n\r\n${smuggled()}`,
  "bare line feeds": () => get("/v1/me").replaceAll("\r\n", "\n"),
  "one bare line feed": () => get("/v1/me", "X-A: b\nX-C: d"),
  "a bare carriage return": () => get("/v1/me", "X-A: b\rX-C: d"),
  "NUL in a header": () => get("/v1/me", "X-A: b\u0000c"),
  "a control in a header name": () => get("/v1/me", "X\u0001A: b"),
  "a header without a colon": () => get("/v1/me", "X-A"),
  "a header without a name": () => get("/v1/me", ": b"),
  "a space in a header name": () => get("/v1/me", "X A: b"),
  "NUL in the target": () => get("/v1/me\u0000"),
  "a space in the target": () => get("/v1/me x"),
  "a tab in the target": () => get("/v1/\tme"),
  "no target": () => get(""),
  "HTTP/0.9": () => "GET /v1/me\r\n\r\n",
  "HTTP/1.2": () => get("/v1/me").replace("HTTP/1.1", "HTTP/1.2"),
  "another protocol": () => get("/v1/me").replace("HTTP/1.1", "ICY/1.1"),
  "the HTTP/2 preface": () => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  "the first bytes of TLS": () => "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003\r\n\r\n",
  "an unknown method": () => get("/v1/me").replace("GET", "STEAL"),
  "a lower-case method": () => get("/v1/me").replace("GET", "get"),
  "a header of 20 KB": () => get("/v1/me", `X-A: ${"a".repeat(20_000)}`),
  "a target of 20 KB": () => get(`/v1/me?x=${"a".repeat(20_000)}`),
  "four thousand headers": () => get("/v1/me", ...Array.from({ length: 4_000 }, (_, i) => `X-${i}: b`)),
  "two different hosts": () => get("/v1/me", "Host: evil.test"),
  "a repeated host": () => get("/v1/me", HOST),
  "no host": () => lines("GET /v1/me HTTP/1.1", key()),
  "an unknown expectation": () => get("/v1/me", "Expect: 200-ok"),
  CONNECT: () => lines("CONNECT lacre.test:443 HTTP/1.1", HOST, key()),
  "CONNECT to a path": () => lines("CONNECT /v1/me HTTP/1.1", HOST, key()),
};

/** Well-formed requests that match no route, method or key, with the code of their refusal. */
const UNSERVED: Readonly<Record<string, readonly [string, () => string]>> = {
  TRACE: ["method_not_allowed", () => get("/v1/me").replace("GET", "TRACE")],
  "TRACE of a page": ["method_not_allowed", () => get("/healthz").replace("GET", "TRACE")],
  PUT: ["method_not_allowed", () => get("/v1/me").replace("GET", "PUT")],
  PROPFIND: ["method_not_allowed", () => get("/v1/me").replace("GET", "PROPFIND")],
  PURGE: ["method_not_allowed", () => get("/v1/me").replace("GET", "PURGE")],
  "two keys": ["unauthorized", () => get("/v1/me", key())],
  "a good key and then another": ["unauthorized", () => get("/v1/me", "Authorization: Bearer x")],
  "another and then a good key": [
    "unauthorized",
    () => lines("GET /v1/me HTTP/1.1", HOST, "Authorization: Bearer x", key()),
  ],
  "an encoded slash": ["not_found", () => get("/v1%2Fme")],
  "an encoded slash in an id": ["not_found", () => get(`/v1/customers/${street.own.owned.customer}%2F`)],
  "an extra slash in front": ["not_found", () => get("//v1/me")],
  "an extra slash inside": ["not_found", () => get("/v1//me")],
  "an extra slash behind": ["not_found", () => get("/v1/me/")],
  "a host as path": ["not_found", () => get("//lacre.test/v1/me")],
  "an encoded NUL": ["not_found", () => get("/v1/me%00")],
  "an encoded NUL in an id": ["not_found", () => get(`/v1/customers/${street.own.owned.customer}%00`)],
  "a bad percent": ["not_found", () => get("/v1/customers/%zz")],
  "bytes that are not UTF-8": ["not_found", () => get("/v1/customers/%ff%fe")],
  "another case": ["not_found", () => get("/V1/Me")],
  "a semicolon": ["not_found", () => get("/v1/me;x=1")],
  "encoded dots": ["not_found", () => get("/healthz/%2e%2e/v1/me")],
  "half encoded dots": ["not_found", () => get("/healthz/.%2E/v1/me")],
  "plain dots": ["not_found", () => get("/healthz/../v1/me")],
  "a dot": ["not_found", () => get("/v1/./me")],
  "an encoded dot": ["not_found", () => get("/v1/%2e/me")],
  "dots in front": ["not_found", () => get("/../v1/me")],
  "dots behind": ["not_found", () => get("/v1/me/x/..")],
  "a dot behind": ["not_found", () => get("/v1/me/.")],
  "three dots": ["not_found", () => get("/v1/.../me")],
  "a backslash": ["not_found", () => get("/v1\\me")],
  "dots between backslashes": ["not_found", () => get("/healthz\\..\\v1\\me")],
  "an encoded backslash": ["not_found", () => get("/v1%5Cme")],
  "a backslash in front": ["not_found", () => get("/\\v1/me")],
  "a fragment": ["not_found", () => get("/v1/me#x")],
  "a fragment that looks like another page": ["not_found", () => get("/v1/me#/healthz")],
  "a fragment behind a query": ["not_found", () => get("/v1/customers?limit=1#x")],
  "an encoded letter": ["not_found", () => get("/v1/%6de")],
  "an encoded letter in an id": [
    "not_found",
    () => get(`/v1/customers/${street.own.owned.customer.replace("-", "%2d")}`),
  ],
  "twice encoded dots": ["not_found", () => get("/healthz/%252e%252e/v1/me")],
  "an encoded question mark": ["not_found", () => get("/v1/me%3f")],
  "a letter beyond ASCII": ["invalid_request", () => get("/v1/m\u00e9")],
  "a port in front": ["not_found", () => get("/:99999/v1/me")],
  "a user in front": ["not_found", () => get("/@evil.test/v1/me")],
  "an address as path": ["not_found", () => get("/http://lacre.test/v1/me")],
  "a parameter in a segment": ["not_found", () => get("/v1;jsessionid=1/me")],
  "an unknown path": ["not_found", () => get("/metrics")],
};

const customers = async () => (await street.lacre.as(street.own.company_id).customers.list()).pagination.total;

test("a request of uncertain length is refused once, in the usual shape, and the connection is closed", async () => {
  const before = await customers();
  for (const [what, bytes] of Object.entries(UNCERTAIN)) {
    const wire = wireTo(server.port);
    wire.send(Buffer.from(bytes(), "latin1"));
    const answer = await wire.answer();
    expect([what, answer?.status]).toEqual([what, expect.toSatisfy((status: number) => status >= 400 && status < 500)]);
    expect([what, answer?.text.slice(0, 9)]).toEqual([what, '{"error":']);
    if (answer) refusalOf(answer);
    expect([what, answer?.headers.get("connection")]).toEqual([what, "close"]);
    expect([what, await wire.answer()]).toEqual([what, undefined]);
    await wire.closed();
  }
  expect(await customers()).toBe(before);
});

test("a request behind one that closes the connection is not done: its answer would be lost", async () => {
  const before = await customers();
  const wire = wireTo(server.port);
  wire.send(get("/v1/me", "Connection: close") + smuggled() + smuggled());
  expect((await wire.answer())?.status).toBe(200);
  await wire.closed();
  expect(await customers()).toBe(before);
});

test("an absolute target is refused: this is not a proxy, and each resource has one address", async () => {
  for (const target of [
    "http://evil.test/v1/me",
    "http://lacre.test/v1/me",
    "https://lacre.test/v1/me",
    "ftp://lacre.test/v1/me",
    "*",
    "v1/me",
    "lacre.test:80",
  ]) {
    const wire = wireTo(server.port);
    wire.send(get(target, "Connection: close"));
    const answer = await wire.answer();
    expect([target, answer?.status]).toEqual([
      target,
      expect.toSatisfy((status: number) => status >= 400 && status < 500),
    ]);
    if (answer) refusalOf(answer);
    await wire.closed();
  }
});

test("a malformed Host header is refused", async () => {
  for (const host of [
    "a b",
    "evil.test/v1",
    "user@evil.test",
    "evil.test?x",
    "evil.test#x",
    "[::1",
    "a:b:c",
    "%00",
    "lacre.test:99999",
  ]) {
    const wire = wireTo(server.port);
    wire.send(lines("GET /v1/me HTTP/1.1", `Host: ${host}`, key(), "Connection: close"));
    const answer = await wire.answer();
    expect([host, answer?.status]).toEqual([host, 400]);
    if (answer) expect(refusalOf(answer)).toBe("invalid_request");
    await wire.closed();
  }
});

test("a well-formed request without a match is refused with the right code", async () => {
  for (const [what, [code, bytes]] of Object.entries(UNSERVED)) {
    const wire = wireTo(server.port);
    wire.send(bytes());
    const answer = await wire.answer();
    expect([what, answer && refusalOf(answer)]).toEqual([what, code]);
    wire.socket.destroy();
  }
});

test("no request above caused a 5xx, and the server still works; control: a valid request is answered", async () => {
  const wire = wireTo(server.port);
  wire.send(get("/v1/me") + get("/v1/customers"));
  expect([(await wire.answer())?.status, (await wire.answer())?.status]).toEqual([200, 200]);
  wire.send(post(`Content-Length: ${BODY.length}`) + BODY);
  expect((await wire.answer())?.status).toBe(201);
  wire.socket.destroy();
  for (const entry of street.log) {
    expect(entry.event).not.toBe("internal_error");
    expect(Number(entry.status ?? 0)).toBeLessThan(500);
    expect(JSON.stringify(entry)).not.toMatch(/[\p{Cc}]/u);
  }
});
