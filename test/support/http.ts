/**
 * Lacre's HTTP API from outside. `call` checks every answer against the published description, so that no scenario can
 * forget to; a table of scenarios gives each request and its expected answer.
 */
import {
  type LacreOptions,
  type LogEntry,
  PERMISSIONS,
  type Permission,
  type WebhookDelivery,
  type WebhookWithSecret,
} from "lacre";
import { createHandler, type HandlerOptions } from "lacre/http";
import { openInMemory, type TestInstance } from "lacre/testing";
import { afterAll, describe, expect, test } from "vitest";
import type { Document, StoredDocument } from "../../src/core/documents/document.ts";
import type { DocumentLinkWithUrl } from "../../src/core/documents/links.ts";
import type { Payment } from "../../src/core/documents/payments.ts";
import type { Email } from "../../src/core/emails/emails.ts";
import type { Customer, StoredCustomer } from "../../src/core/records/customers.ts";
import type { Product, StoredProduct } from "../../src/core/records/products.ts";
import type { Series } from "../../src/core/series/series.ts";
import { DATABASE, isPostgres } from "./databases.ts";
import { problemsWith, templateOf } from "./description.ts";
import { problemsBefore } from "./description-before.ts";
import { NOW, TODAY, UNKNOWN_ID } from "./drivers.ts";
import { asRead } from "./factories.ts";
import { aMailbox } from "./mail.ts";
import { countingBy } from "./server-clock.ts";

export { NOW, TODAY, UNKNOWN_ID };

/** The parts of a request besides method and path. */
export interface Sent {
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is, as `application/json` unless a header says otherwise. */
  readonly raw?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
  /** The API key; the instance's own when left out, none when null. */
  readonly key?: string | null;
  readonly idempotency_key?: string;
}

/** An answer. `body` is the parsed JSON, or the text of anything else. */
export interface Answer<T = unknown> {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: T;
  /** The bytes as received, for files. */
  readonly bytes: Buffer;
}

/** An instance and its HTTP API, on clocks that stand still. */
export interface Api extends TestInstance {
  /** The wall clock; set it to move in time. */
  today: Date;
  /** The clock of the rate limit, in milliseconds; each call moves it on by `pace`. */
  monotonic: number;
  readonly log: LogEntry[];
  call<T = unknown>(method: string, path: string, sent?: Sent): Promise<Answer<T>>;
  /** An API key of this company with these scopes only. */
  keyWith(...scopes: Permission[]): Promise<string>;
  /** Another company of the installation, with a key of its own. */
  stranger(): Promise<Stranger>;
  customer(fields?: object): Promise<Customer>;
  product(fields?: object): Promise<Product>;
  newSeries(fields?: object): Promise<Series>;
  /** An FT of 123.00 EUR (100.00 and 23 %) to a new customer, with these fields changed. */
  draft(fields?: object): Promise<Document>;
  /** The same, issued. */
  issued(fields?: object): Promise<Document>;
  pay(document_id: string, amount: number): Promise<Payment>;
  /** A webhook to an address that no other has. */
  webhook(fields?: object): Promise<WebhookWithSecret>;
  /** What waits to be delivered to a new webhook: a test. */
  delivery(): Promise<WebhookDelivery>;
  /** A new invoice that waits to be sent by e-mail. */
  email(): Promise<Email>;
  /** A link to a new invoice. */
  link(): Promise<DocumentLinkWithUrl>;
}

export interface Stranger {
  readonly api_key: string;
  readonly company_id: string;
  /** Series id by document type. */
  readonly series: Readonly<Record<string, string>>;
}

/** A line of 100.00 EUR at 23 %. */
export const LINE = { description: "Pão de Mafra", qty: 1, unit_price_net: 100, tax_rate: 23 };

interface ApiOptions extends Partial<LacreOptions> {
  /** How far a call moves the clock of the rate limit: a second, so that only its own tests reach the limit. */
  readonly pace?: number;
  readonly handler?: HandlerOptions;
}

/** Opens an instance in memory behind its handler. Close it with `lacre.close()`, or let `withApi` do it. */
export async function openApi({ pace = 1_000, handler: handlerOptions, ...options }: ApiOptions = {}): Promise<Api> {
  const clock = { today: new Date(NOW), monotonic: 0 };
  const log: LogEntry[] = [];
  let keys = 0;
  let codes = 0;
  let addresses = 0;
  const instance = await openInMemory({
    dialect: isPostgres(DATABASE)
      ? countingBy(() => clock.monotonic, DATABASE.dialect(":memory:"))
      : DATABASE.dialect(":memory:"),
    now: () => clock.today,
    monotonic: () => clock.monotonic,
    log: (entry) => void log.push(entry),
    newSecret: () => Buffer.alloc(32, keys++),
    mailSender: aMailbox(),
    publicUrl: "http://lacre.test",
    ...options,
  });
  const { lacre, company_id, api_key, series } = instance;
  const handler = createHandler(lacre, handlerOptions);

  async function call<T>(method: string, path: string, sent: Sent = {}): Promise<Answer<T>> {
    clock.monotonic += pace;
    const { body, raw = body === undefined ? null : JSON.stringify(body), key = api_key, idempotency_key } = sent;
    const headers = {
      ...(key !== null && { authorization: `Bearer ${key}` }),
      ...(raw !== null && { "content-type": "application/json" }),
      ...(idempotency_key !== undefined && { "idempotency-key": idempotency_key }),
      ...sent.headers,
    };
    const request = new Request(`http://lacre.test${path}`, { method, headers, body: raw });
    const response = await handler(request, { remote_address: "203.0.113.7" });
    return readAnswer(method, path, body, response, key !== null);
  }

  async function made<T>(path: string, body: object): Promise<T> {
    const answer = await call<T>("POST", path, { body });
    expect(answer, answer.text).toMatchObject({ status: 201 });
    return answer.body;
  }

  const invoice = async (fields: { customer_id?: string }) => ({
    doc_type: "FT",
    series_id: series[(fields as { doc_type?: "FT" }).doc_type ?? "FT"],
    issue_date: TODAY,
    customer_id: fields.customer_id ?? (await made<Customer>("/v1/customers", { name: "Ana Conceição" })).id,
    lines: [LINE],
    ...fields,
  });

  const webhook = (fields: object = {}) =>
    made<WebhookWithSecret>("/v1/webhooks", {
      url: `https://example.com/${++addresses}`,
      actions: ["document.*"],
      ...fields,
    });

  return Object.assign(clock, {
    ...instance,
    log,
    call,
    keyWith: async (...scopes: Permission[]) =>
      (await lacre.keys.create({ company_id, name: "limited", kind: "test", scopes })).api_key,
    async stranger() {
      const { id } = await lacre.companies.create({ name: "Outra, S.A.", tax_id: "501964843" });
      const { data } = await lacre.as(id).series.list();
      const { api_key } = await lacre.keys.create({ company_id: id, name: "its own", scopes: [...PERMISSIONS] });
      return { api_key, company_id: id, series: Object.fromEntries(data.map((row) => [row.doc_type, row.id])) };
    },
    customer: async (fields: object = {}) =>
      asRead(await made<StoredCustomer>("/v1/customers", { name: "Ana Conceição", ...fields })),
    product: async (fields: object = {}) => {
      const bread = { name: "Pão de Mafra", unit_price_net: 1.15, tax_rate: 6 };
      return asRead(await made<StoredProduct>("/v1/products", { ...bread, ...fields }));
    },
    newSeries: (fields: object = {}) =>
      made<Series>("/v1/series", { doc_type: "FT", code: `LOJA${++codes}`, ...fields }),
    draft: async (fields: object = {}) => asRead(await made<StoredDocument>("/v1/documents", await invoice(fields))),
    issued: async (fields: object = {}) =>
      asRead(await made<StoredDocument>("/v1/documents", { ...(await invoice(fields)), issue: true })),
    pay: (document_id: string, amount: number) =>
      made<Payment>(`/v1/documents/${document_id}/payments`, { amount, method_code: "TB", payment_date: TODAY }),
    webhook,
    async delivery() {
      const { id } = await webhook();
      return (await call<WebhookDelivery>("POST", `/v1/webhooks/${id}/test`)).body;
    },
    async email() {
      const { id } = await made<Document>("/v1/documents", { ...(await invoice({})), issue: true });
      return made<Email>(`/v1/documents/${id}/email`, { to: ["ana@example.com"] });
    },
    async link() {
      const { id } = await made<Document>("/v1/documents", { ...(await invoice({})), issue: true });
      return made<DocumentLinkWithUrl>(`/v1/documents/${id}/links`, {});
    },
  });
}

/** Reads an answer and checks it against the description, from wherever it came. */
export async function readAnswer<T>(
  method: string,
  path: string,
  sent: unknown,
  response: Response,
  withKey: boolean,
): Promise<Answer<T>> {
  const { status, headers } = response;
  const bytes = Buffer.from(await response.arrayBuffer());
  const text = new TextDecoder().decode(bytes);
  const problems = [
    ...problemsWith({ method, path, sent, status, headers, text }),
    ...problemsWithLimitHeaders(path, status, headers, withKey),
    ...(status < 400 ? problemsBefore({ method, path, status, headers, text }) : []), // of later members may be refusals
  ];
  expect(problems, `${method} ${path} → ${status} ${text.slice(0, 500)}`).toEqual([]);
  const isJson = text !== "" && headers.get("content-type")?.startsWith("application/json");
  return { status, headers, text, body: (isJson ? JSON.parse(text) : text) as T, bytes };
}

const LIMIT_HEADERS = [
  "RateLimit-Policy",
  "RateLimit",
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
];

/**
 * Every answer to a valid key has the limit headers, and no other has. Failures of ours may come before the key is
 * known.
 */
function problemsWithLimitHeaders(path: string, status: number, headers: Headers, withKey: boolean): string[] {
  if (status >= 500) return [];
  const isResource = templateOf(path)?.startsWith("/v1/") ?? false;
  const expected = withKey && isResource && status !== 401 && status !== 405;
  return LIMIT_HEADERS.filter((name) => headers.has(name) !== expected).map(
    (name) => `${name} is ${expected ? "missing" : "there"}`,
  );
}

/** Runs `work` with an instance of its own. */
export async function withApi<T>(work: (api: Api) => Promise<T>, options: ApiOptions = {}): Promise<T> {
  const api = await openApi(options);
  try {
    return await work(api);
  } finally {
    await api.lacre.close();
  }
}

/** A test with an instance of its own. */
export function apiTest(name: string, work: (api: Api) => Promise<void>, options: ApiOptions = {}): void {
  test(name, () => withApi(work, options));
}

/** What can be sent as JSON. */
export type Json = object | string | number | boolean | null;

/** A value, or a function that makes it from what the table's `given` prepared. */
type From<Given, T> = T | ((given: Given, api: Api) => T);

/** One request and everything that must be true of its answer. */
export interface Scenario<Given> {
  /** A true sentence. */
  readonly name: string;
  /** `POST /v1/customers` */
  readonly request: From<Given, string>;
  readonly body?: From<Given, Json>;
  readonly raw?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly key?: From<Given, string | null>;
  readonly idempotency_key?: string;
  readonly status: number;
  /** The code of the refusal. */
  readonly code?: string;
  /** What the message must contain: usually the field's path. */
  readonly says?: string | readonly string[];
  /** A part of the answer's body. */
  readonly shows?: From<Given, object>;
  /** The whole of the answer's body. */
  readonly is?: From<Given, Json>;
  /** Text that must not appear in the body. */
  readonly hides?: readonly string[];
  readonly answers?: Readonly<Record<string, string | RegExp | null>>;
  /** Checks what must be true afterwards. */
  readonly after?: (given: Given, api: Api, answer: Answer<never>) => Promise<void>;
}

/**
 * A table of scenarios. Each runs on its own instance, prepared by `given`; the refusals of a table share one, as they
 * change nothing.
 */
export function scenarios<Given = undefined>(
  title: string,
  given: (api: Api) => Promise<Given>,
  rows: readonly Scenario<Given>[],
): void {
  describe(title, () => {
    let shared: Promise<{ api: Api; given: Given }> | undefined;
    const prepare = async () => {
      const api = await openApi();
      return { api, given: await given(api) };
    };
    afterAll(async () => (await shared)?.api.lacre.close());

    for (const row of rows) {
      test(row.name, async () => {
        if (row.status < 400) return withApi(async (api) => play(api, row, await given(api)));
        shared ??= prepare();
        const prepared = await shared;
        return play(prepared.api, row, prepared.given);
      });
    }
  });
}

/** The `given` of tables that need no preparation. */
export async function nothing(): Promise<undefined> {}

async function play<Given>(api: Api, row: Scenario<Given>, given: Given): Promise<void> {
  const value = <T>(from: From<Given, T>): T =>
    typeof from === "function" ? (from as (given: Given, api: Api) => T)(given, api) : from;
  const [method = "", path = ""] = value(row.request).split(/ (.*)/);
  const key = row.key === undefined ? undefined : value(row.key);
  const answer = await api.call<never>(method, path, {
    ...(row.body !== undefined && { body: value(row.body) }),
    ...(row.raw !== undefined && { raw: row.raw }),
    ...(row.headers && { headers: row.headers }),
    ...(key !== undefined && { key }),
    ...(row.idempotency_key !== undefined && { idempotency_key: row.idempotency_key }),
  });
  expect(answer.status, answer.text).toBe(row.status);
  if (row.code) expectRefusal(answer, row.code, row.says);
  if (row.shows) expect(answer.body).toMatchObject(value(row.shows));
  if (row.is !== undefined) expect(answer.body).toEqual(value(row.is));
  for (const secret of row.hides ?? []) expect(answer.text).not.toContain(secret);
  for (const [name, expected] of Object.entries(row.answers ?? {})) {
    if (expected instanceof RegExp) expect(answer.headers.get(name), name).toMatch(expected);
    else expect(answer.headers.get(name), name).toBe(expected);
  }
  await row.after?.(given, api, answer);
}

/** Expects this refusal, with a message that contains these parts. */
export function expectRefusal(answer: Answer, code: string | undefined, says: string | readonly string[] = []): void {
  const { error } = answer.body as { error: { code: string; message: string } };
  expect(error.code, answer.text).toBe(code);
  for (const part of [says].flat()) expect(error.message).toContain(part);
}
