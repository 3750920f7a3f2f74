/** Spans, made with the SDK of OpenTelemetry and kept in memory. */
import * as opentelemetry from "@opentelemetry/api";
import { context, propagation, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { type LacreOptions, type OpenTelemetry, pemSigner } from "lacre";
import { createHandler, type HandlerOptions } from "lacre/http";
import { openInMemory, TEST_SIGNING_KEY } from "lacre/testing";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { NOW, UNKNOWN_ID } from "../support/drivers.ts";
import { aCustomer, aDraft, anInvoice } from "../support/factories.ts";

const exporter = new InMemorySpanExporter();

/** The API's contexts as an object of functions, to put others in their places. */
const contexts: OpenTelemetry["context"] = {
  active: () => context.active(),
  with: (active, work) => context.with(active, work),
  bind: (active, work) => context.bind(active, work),
};

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }));
});

beforeEach(() => exporter.reset());

afterAll(() => {
  for (const api of [context, propagation, trace]) api.disable();
});

interface Traced extends Partial<LacreOptions> {
  readonly handler?: HandlerOptions;
}

async function aTraced({ handler: options, ...more }: Traced = {}) {
  const instance = await openInMemory({ opentelemetry, now: () => new Date(NOW), ...more });
  onTestFinished(() => instance.lacre.close());
  const handler = createHandler(instance.lacre, options);
  async function ask(method: string, path: string, { body, headers = {} }: { body?: object; headers?: object } = {}) {
    const sent = {
      authorization: `Bearer ${instance.api_key}`,
      ...(body && { "content-type": "application/json" }),
      ...headers,
    };
    const request = new Request(`http://lacre.test${path}`, {
      method,
      headers: sent,
      body: body ? JSON.stringify(body) : null,
    });
    const answer = await handler(request, { remote_address: "203.0.113.7" });
    await answer.bytes();
    return answer;
  }
  exporter.reset();
  return { ...instance, ask };
}

/** The spans that ended since, the outermost first. */
const spans = () => exporter.getFinishedSpans().toReversed();

const shown = ({ name, kind, status, attributes }: ReadableSpan) => ({ name, kind, status: status.code, attributes });

const idOf = (span: ReadableSpan | undefined) => span?.spanContext().spanId;

describe("a request", () => {
  test("has a span by its route, and below it one of its operation", async () => {
    const instance = await aTraced();
    const { id } = await aCustomer(instance);
    exporter.reset();
    const answer = await instance.ask("GET", `/v1/customers/${id}`);
    const [request, operation, ...more] = spans();
    expect(more).toEqual([]);
    expect(shown(request as ReadableSpan)).toEqual({
      name: "GET /v1/customers/:id",
      kind: SpanKind.SERVER,
      status: SpanStatusCode.UNSET,
      attributes: {
        "http.request.method": "GET",
        "http.route": "/v1/customers/:id",
        "http.response.status_code": 200,
        "url.scheme": "http",
        "lacre.request.id": answer.headers.get("x-request-id"),
        "lacre.company.id": instance.company_id,
      },
    });
    expect(shown(operation as ReadableSpan)).toEqual({
      name: "getCustomer",
      kind: SpanKind.INTERNAL,
      status: SpanStatusCode.UNSET,
      attributes: {
        "lacre.operation.id": "getCustomer",
        "lacre.company.id": instance.company_id,
      },
    });
    expect(operation?.parentSpanContext?.spanId).toBe(idOf(request));
    expect(request?.parentSpanContext).toBeUndefined();
    expect(request?.instrumentationScope).toMatchObject({ name: "lacre", version: expect.stringMatching(/^\d/) });
  });

  test("names no people and no input", async () => {
    const authenticate = () =>
      ({ company: company_id, actor: "Maria, till 2", role: "owner", csrfSafe: true }) as const;
    const instance = await aTraced({ handler: { authenticate } });
    const { company_id, api_key, series } = instance;
    const email = "ana@example.pt";
    const headers = { cookie: "sid=7f3a", "user-agent": "Firefox", "idempotency-key": "order-1001" };
    const body = { name: "Ana Conceição", email, tax_id: "123456789", external_id: "shop-7" };
    await instance.ask("POST", "/v1/customers", { body, headers });
    await instance.ask("GET", `/v1/customers?search=${encodeURIComponent("Conceição")}&external_id=shop-7`);
    await instance.ask("GET", "/v1/customers/ana@example.pt");
    await instance.ask("GET", "/ana@example.pt?name=Ana");
    await instance.ask("GET", "/v1/me", { headers: { authorization: "session of Maria" } });
    await instance.ask("POST", "/v1/documents", { body: { series_id: series.FT, notes: "para a Ana" } });
    expect(spans().length).toBeGreaterThan(9);
    const text = JSON.stringify(
      spans().map(({ name, attributes, events, status }) => ({ name, attributes, events, status })),
    );
    for (const word of [
      email,
      "Ana",
      "Concei",
      "123456789",
      "shop-7",
      "Maria",
      "7f3a",
      "Firefox",
      "203.0.113.7",
      "order-1001",
      api_key,
    ]) {
      expect(text).not.toContain(word);
    }
  });

  test.each<[string, string, string, object | undefined, object, string | undefined]>([
    [
      "GET",
      `/v1/customers/${UNKNOWN_ID}`,
      "GET /v1/customers/:id",
      undefined,
      { status: 404, code: "not_found" },
      "getCustomer",
    ],
    ["POST", "/v1/customers", "POST /v1/customers", {}, { status: 400, code: "invalid_request" }, "createCustomer"],
    [
      "DELETE",
      "/v1/customers",
      "DELETE /v1/customers",
      undefined,
      { status: 405, code: "method_not_allowed" },
      undefined,
    ],
    ["GET", "/v1/none", "GET", undefined, { status: 404, code: "not_found" }, undefined],
    ["PUT", "/v1/%2e%2e/x", "PUT", undefined, { status: 404, code: "not_found" }, undefined],
    ["BREW", "/v1/customers", "HTTP /v1/customers", undefined, { status: 405, code: "method_not_allowed" }, undefined],
    ["HEAD", "/healthz", "HEAD /healthz", undefined, { status: 200 }, undefined],
    ["OPTIONS", "/v1/me", "OPTIONS /v1/me", undefined, { status: 204 }, undefined],
  ])("%s %s is named %s; a refusal is no failure", async (method, path, name, body, wanted, operation) => {
    const { ask } = await aTraced();
    await ask(method, path, body && { body });
    const [request, ...below] = spans();
    const { status, code } = wanted as { status: number; code?: string };
    expect(request).toMatchObject({ name, kind: SpanKind.SERVER, status: { code: SpanStatusCode.UNSET } });
    expect(request?.attributes).toMatchObject({
      "http.response.status_code": status,
      ...(code && { "lacre.error.code": code }),
    });
    expect(request?.attributes).not.toHaveProperty("error.type");
    expect(request?.attributes["http.request.method"]).toBe(method === "BREW" ? "_OTHER" : method);
    expect(below.map(({ name }) => name)).toEqual(operation ? [operation] : []);
    for (const span of below) {
      expect(span).toMatchObject({ status: { code: SpanStatusCode.UNSET }, attributes: { "lacre.error.code": code } });
    }
  });

  test("without a key runs no operation", async () => {
    const { ask } = await aTraced();
    await ask("GET", "/v1/me", { headers: { authorization: "Bearer wrong" } });
    expect(spans().map(({ name, attributes }) => [name, attributes["lacre.error.code"]])).toEqual([
      ["GET /v1/me", "unauthorized"],
    ]);
  });

  test("that fails is a failure, with its code", async () => {
    const authenticate = () => Promise.reject(new Error("Ana's session store is down"));
    const { ask } = await aTraced({ handler: { authenticate } });
    await ask("GET", "/v1/me", { headers: { authorization: "" } });
    const [request] = spans();
    expect(request).toMatchObject({
      status: { code: SpanStatusCode.ERROR },
      attributes: {
        "http.response.status_code": 500,
        "error.type": "internal_error",
        "lacre.error.code": "internal_error",
      },
    });
    expect([request?.status.message, request?.events]).toEqual([undefined, []]);
  });

  test("below a base path is named with it", async () => {
    const { ask } = await aTraced({ handler: { basePath: "/billing" } });
    await ask("GET", "/billing/v1/me");
    expect(spans()[0]).toMatchObject({ name: "GET /billing/v1/me", attributes: { "http.route": "/billing/v1/me" } });
  });

  test("by HTTPS says so", async () => {
    const { lacre } = await aTraced();
    await createHandler(lacre)(new Request("https://lacre.test/healthz"));
    expect(spans()[0]?.attributes["url.scheme"]).toBe("https");
  });

  test("of a client with a span of its own is below that one", async () => {
    const { ask } = await aTraced();
    const [traceId, spanId] = ["0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"];
    await ask("GET", "/v1/me", { headers: { traceparent: `00-${traceId}-${spanId}-01` } });
    const [request, operation] = spans();
    expect(request).toMatchObject({ kind: SpanKind.SERVER, parentSpanContext: { traceId, spanId, isRemote: true } });
    expect(operation?.spanContext().traceId).toBe(traceId);
    exporter.reset();
    await ask("GET", "/v1/me", { headers: { traceparent: "nonsense" } });
    expect(spans()[0]?.parentSpanContext).toBeUndefined();
  });

  test("inside a span of the host is below that one, whatever the client says", async () => {
    const { ask } = await aTraced();
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    await trace.getTracer("host").startActiveSpan("GET", async (host) => {
      await ask("GET", "/v1/me", { headers: { traceparent } });
      host.end();
    });
    const [host, request, operation] = spans();
    expect(request).toMatchObject({ name: "GET /v1/me", kind: SpanKind.INTERNAL });
    expect([request?.parentSpanContext?.spanId, operation?.parentSpanContext?.spanId]).toEqual([
      idOf(host),
      idOf(request),
    ]);
  });

  test("that is repeated says that its answer was remembered", async () => {
    const { ask } = await aTraced();
    for (let i = 0; i < 2; i++) {
      await ask("POST", "/v1/customers", { body: { name: "Ana" }, headers: { "idempotency-key": "one" } });
    }
    const created = exporter.getFinishedSpans().filter(({ name }) => name === "createCustomer");
    expect(created.map(({ attributes }) => attributes["lacre.replayed"])).toEqual([undefined, true]);
  });
});

describe("the library", () => {
  test("has a span for each operation, below the host's own", async () => {
    const { lacre, company, company_id } = await aTraced();
    const host = trace.getTracer("host").startSpan("checkout");
    await context.with(trace.setSpan(context.active(), host), () => company.customers.create({ name: "Ana" }));
    await lacre.companies.list();
    const [list, create] = spans();
    expect(create).toMatchObject({ name: "createCustomer", parentSpanContext: { spanId: host.spanContext().spanId } });
    expect(create?.attributes["lacre.company.id"]).toBe(company_id);
    expect(list).toMatchObject({ name: "listCompanies", attributes: { "lacre.operation.id": "listCompanies" } });
    expect(list?.attributes).not.toHaveProperty("lacre.company.id");
    expect(list?.parentSpanContext).toBeUndefined();
  });

  test("marks what Lacre cannot do as a failure, and what the caller may not as a refusal", async () => {
    const signer = { ...pemSigner(TEST_SIGNING_KEY, 1), sign: () => Promise.reject(new Error("vault")) };
    const instance = await aTraced({ signer });
    const draft = await aDraft(instance);
    exporter.reset();
    await expect(instance.company.documents.issue({ id: draft.id })).rejects.toMatchObject({ code: "unavailable" });
    await expect(instance.company.documents.cancel({ id: draft.id })).rejects.toMatchObject({ code: "invalid_state" });
    const [cancelled, issued] = spans();
    expect(issued).toMatchObject({
      status: { code: SpanStatusCode.ERROR },
      attributes: { "error.type": "unavailable" },
    });
    expect(cancelled).toMatchObject({
      status: { code: SpanStatusCode.UNSET },
      attributes: { "lacre.error.code": "invalid_state" },
    });
  });

  test("leaves a call that its caller ended without a failure", async () => {
    const instance = await aTraced();
    const { id } = await anInvoice(instance);
    exporter.reset();
    const signal = AbortSignal.abort();
    await expect(instance.company.documents.pdf({ id }, { signal })).rejects.toThrow();
    expect(spans()).toMatchObject([{ name: "getDocumentPdf", status: { code: SpanStatusCode.UNSET } }]);
  });

  /** The spans of a signer, and of the operation each is below, for ten documents issued at once. */
  async function signedAtOnce(api: OpenTelemetry): Promise<(string | undefined)[]> {
    const pem = pemSigner(TEST_SIGNING_KEY, 1);
    const sign = (text: string) => {
      trace.getTracer("vault").startSpan("sign").end();
      return pem.sign(text);
    };
    const instance = await aTraced({ opentelemetry: api, signer: { ...pem, sign } });
    const drafts = await Promise.all(Array.from({ length: 10 }, () => aDraft(instance)));
    exporter.reset();
    await Promise.all(drafts.map(({ id }) => instance.company.documents.issue({ id })));
    const issued = new Set(spans().flatMap((span) => (span.name === "issueDocument" ? [idOf(span)] : [])));
    expect(issued.size).toBe(10);
    const parents = spans().flatMap((span) => (span.name === "sign" ? [span.parentSpanContext?.spanId] : []));
    expect(parents).toHaveLength(10);
    return [...new Set(parents)].filter((id) => issued.has(id));
  }

  test("keeps what runs within a command that waited in that command's span", async () => {
    expect(await signedAtOnce(opentelemetry)).toHaveLength(10);
  });

  test("the control: unbound, the span of the first command gets them all", async () => {
    const unbound = { ...contexts, bind: <Work>(_: unknown, work: Work) => work };
    expect(await signedAtOnce({ ...opentelemetry, context: unbound })).toHaveLength(1);
  });
});

describe("an OpenTelemetry that", () => {
  const fails = () => {
    throw new Error("broken");
  };
  const span = { setAttributes: fails, setStatus: fails, updateName: fails, end: fails };
  const tracer = (startSpan: () => typeof span) => ({
    getTracer: () => ({ startSpan }),
    getSpan: () => undefined,
    setSpan: () => context.active(),
  });

  test.each<[string, Partial<OpenTelemetry>]>([
    ["cannot begin a span", { trace: tracer(fails) }],
    ["cannot find the span under way", { trace: { ...tracer(() => span), getSpan: fails } }],
    ["cannot end a span", { trace: tracer(() => span) }],
    ["cannot read headers", { propagation: { extract: fails } }],
    ["cannot enter a span", { context: { ...contexts, with: fails } }],
    ["cannot bind", { context: { ...contexts, bind: fails } }],
  ])("%s changes no answer", async (_, broken) => {
    const instance = await aTraced({ opentelemetry: { ...opentelemetry, ...broken } });
    const { id } = await aDraft(instance);
    const answer = await instance.ask("POST", `/v1/documents/${id}/issue`);
    expect(answer.status).toBe(200);
    expect((await instance.company.documents.get({ id })).number).toMatch(/\/1$/);
  });

  test("has no SDK behind it makes no spans, and nothing fails", async () => {
    trace.disable();
    onTestFinished(() => {
      const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
      trace.setGlobalTracerProvider(provider);
    });
    const { ask } = await aTraced();
    expect((await ask("GET", "/v1/me")).status).toBe(200);
    expect(spans()).toEqual([]);
  });
});

test("without the option there are no spans, even if the host makes them", async () => {
  const instance = await openInMemory();
  onTestFinished(() => instance.lacre.close());
  const handler = createHandler(instance.lacre);
  await handler(new Request("http://lacre.test/v1/me", { headers: { authorization: `Bearer ${instance.api_key}` } }));
  await instance.company.customers.list();
  expect([instance.lacre.tracing, spans()]).toEqual([undefined, []]);
});
