/** `/d/…`: documents for whoever has a link, without a key. */
import * as opentelemetry from "@opentelemetry/api";
import { context, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import type { LacreOptions, LogEntry } from "lacre";
import { createHandler, type HandlerOptions } from "lacre/http";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ask, comparable, refusalOf } from "../support/attack.ts";
import { DATABASE } from "../support/databases.ts";
import { anInvoice } from "../support/factories.ts";
import { anInstance } from "../support/instance.ts";

const SHOP = "https://loja.pt/faturas";
const ROUTE = "/d/*";

const exporter = new InMemorySpanExporter();

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }));
});

beforeEach(() => exporter.reset());

afterAll(() => {
  for (const api of [context, trace]) api.disable();
});

interface Options extends Partial<LacreOptions> {
  readonly handler?: HandlerOptions;
}

/** A shop behind its handler, with a link to an invoice. */
async function aLinkedShop({ handler: options, ...more }: Options = {}) {
  const log: LogEntry[] = [];
  let monotonic = 0;
  const instance = await anInstance(DATABASE, {
    publicUrl: SHOP,
    monotonic: () => monotonic,
    log: (entry) => log.push(entry),
    ...more,
  });
  const { id, number } = await anInvoice(instance);
  const link = await instance.company.links.create({ id });
  const handler = createHandler(instance.lacre, options);
  return {
    ...instance,
    handler,
    id,
    number,
    link,
    log,
    path: new URL(link.url).pathname,
    /** Moves the clock of the limits. */
    pass(ms: number) {
      monotonic += ms;
    },
    /** Follows a link from an address, as a browser or a program does. */
    get: (path: string, headers: Readonly<Record<string, string>> = {}, address?: string) =>
      ask(handler, { method: "GET", path, headers }, address),
  };
}

const PEOPLE = { accept: "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8", "accept-language": "pt-PT" };

/** The bytes of an answer. */
const bytesOf = async (handler: ReturnType<typeof createHandler>, path: string) =>
  Buffer.from(await (await handler(new Request(`http://lacre.test${path}`))).arrayBuffer());

describe("a link that is followed", () => {
  test("shows the PDF under the number of the document, without a key", async () => {
    const { get, path, number } = await aLinkedShop();
    const { status, headers, text } = await get(path, PEOPLE);
    expect(status).toBe(200);
    expect(text.startsWith("%PDF-")).toBe(true);
    expect(headers.get("content-type")).toBe("application/pdf");
    const name = encodeURIComponent(`${number?.replaceAll("/", "-")}.pdf`);
    expect(headers.get("content-disposition")).toBe(`inline; filename*=UTF-8''${name}`);
    const policy = "default-src 'none'; object-src 'self'; frame-ancestors 'none'";
    expect(headers.get("content-security-policy")).toBe(policy);
  });

  test("is kept by nobody, listed nowhere and told to no other site, and neither is what it refuses", async () => {
    const { get, path } = await aLinkedShop();
    for (const answer of [await get(path), await get(`${path}x`), await get(`${path}x`, PEOPLE)]) {
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        "cache-control": "no-store",
        "x-robots-tag": "noindex, nofollow",
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
        "content-security-policy": expect.stringMatching(/^default-src 'none';.* frame-ancestors 'none'$/),
      });
    }
    expect((await get("/healthz")).headers.has("x-robots-tag")).toBe(false);
  });

  test("answers the same bytes each time, and HEAD the same headers", async () => {
    const { handler, path } = await aLinkedShop();
    const first = await bytesOf(handler, path);
    expect(first.length).toBeGreaterThan(10_000);
    expect(await bytesOf(handler, path)).toEqual(first);
    const head = await ask(handler, { method: "HEAD", path });
    expect([head.status, head.text, head.headers.get("content-length")]).toEqual([200, "", String(first.length)]);
  });

  test("opens with what a messenger appends to its address, and below the path of the public address", async () => {
    const { get, path } = await aLinkedShop();
    expect(path).toMatch(/^\/faturas\/d\//);
    for (const followed of [`${path}?fbclid=IwAR0&utm_source=whatsapp`, path.slice("/faturas".length)]) {
      expect((await get(followed)).status).toBe(200);
    }
  });

  test("takes no other method", async () => {
    const { handler, path } = await aLinkedShop();
    for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
      const answer = await ask(handler, { method, path });
      expect([refusalOf(answer), answer.headers.get("allow")]).toEqual(["method_not_allowed", "GET, HEAD, OPTIONS"]);
    }
  });
});

describe("a link that opens nothing", () => {
  test("is answered alike, whether it is unknown, malformed, overlong, revoked or expired", async () => {
    const { get, path, company, id, link, travel } = await aLinkedShop();
    const revoked = await company.links.create({ id });
    await company.links.revoke({ id: revoked.id });
    const below = "/faturas/d/";
    const wrong = [
      below + "A".repeat(43),
      below,
      `${path}x`,
      `${path}%2e`,
      `${path})`,
      `${path}/x`,
      below + "x".repeat(10_000),
      new URL(revoked.url).pathname,
    ];
    for (const [form, type] of [
      [{}, "application/json; charset=utf-8"],
      [PEOPLE, "text/html; charset=utf-8"],
    ] as const) {
      const one = await get(wrong[0] as string, form);
      expect([one.status, one.headers.get("content-type")]).toEqual([404, type]);
      for (const other of wrong) {
        expect([other, comparable(await get(other, form))]).toEqual([other, comparable(one)]);
      }
    }
    expect((await get(path)).status).toBe(200);
    travel(link.expires_at);
    expect(comparable(await get(path))).toBe(comparable(await get(wrong[0] as string)));
  });

  test("tells people so in a page in their language, and programs in the shape of every error", async () => {
    const { get, path } = await aLinkedShop();
    const { text, headers } = await get(`${path}x`, PEOPLE);
    expect(text).toMatch(/^<!doctype html>\n<html lang="pt">/);
    expect(text).toContain("<p>Esta ligação não abre nenhum documento: passou do prazo, foi anulada ou está");
    expect(headers.get("vary")).toBe("Accept, Accept-Language");
    expect(refusalOf(await get(`${path}x`))).toBe("not_found");
  });

  test("stays what it is for a key: a key opens no more than its link", async () => {
    const { get, path, api_key } = await aLinkedShop();
    const authorization = `Bearer ${api_key}`;
    expect((await get(path, { authorization })).status).toBe(200);
    expect(refusalOf(await get(`${path}x`, { ...PEOPLE, authorization }))).toBe("not_found");
  });
});

describe("the limit of links", () => {
  test("is sixty a minute for each network, and costs other networks and keys nothing", async () => {
    const { get, handler, path, pass, api_key } = await aLinkedShop();
    const from = (address: string) => get(`${path}x`, {}, address);
    for (let i = 0; i < 60; i++) expect((await from(`2001:db8::${i}`)).status).toBe(404);
    const refused = await get(path, {}, "2001:db8::ffff");
    expect([refusalOf(refused), refused.headers.get("retry-after")]).toEqual(["rate_limited", "60"]);
    expect((await get(path, {}, "2001:db8:0:1::1")).status).toBe(200);
    expect((await ask(handler, { method: "GET", path: "/v1/me", api_key }, "2001:db8::1")).status).toBe(200);
    pass(60_000);
    expect((await get(path, {}, "2001:db8::1")).status).toBe(200);
  });
});

describe("the token of a link", () => {
  test("is in no line of the log and in no span, which name the route", async () => {
    const { get, path, log } = await aLinkedShop({ opentelemetry });
    const token = path.slice("/faturas/d/".length);
    exporter.reset();
    for (const followed of [path, `${path}x`, `${path})`]) await get(followed, PEOPLE);
    const requests = log.filter(({ event }) => event === "request");
    expect(requests.map(({ route, status }) => [route, status])).toEqual([
      [ROUTE, 200],
      [ROUTE, 404],
      [ROUTE, 404],
    ]);
    const spans = exporter.getFinishedSpans();
    expect(spans.map(({ name }) => name)).toEqual(
      ["openDocumentLink", ...Array(3).fill(`GET /faturas${ROUTE}`)].toSorted((a, b) => (a > b ? -1 : 1)),
    );
    for (const kept of [log, spans.map(({ name, attributes, events, status }) => [name, attributes, events, status])]) {
      expect(JSON.stringify(kept)).not.toContain(token);
    }
    // Where a path is no link's, nothing of it is kept either; the id of a request that is sent is.
    await get("/healthz", { "x-request-id": token });
    expect(JSON.stringify(log)).toContain(token);
  });
});

test("where nothing sends e-mails, the refusal names the request that makes a link", async () => {
  const { handler, id, api_key } = await aLinkedShop();
  const body = { to: ["ana@example.com"] };
  const answer = await ask(handler, { method: "POST", path: `/faturas/v1/documents/${id}/email`, api_key, body });
  expect(refusalOf(answer)).toBe("invalid_state");
  expect(answer.text).toContain("and send that by other means: POST /v1/documents/{id}/links.");
});
