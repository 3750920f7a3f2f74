/** What an attacker needs: two companies, a tap on the database, and sockets that send any bytes. */
import { randomBytes } from "node:crypto";
import { connect, type Socket } from "node:net";
import { CompiledQuery, type QueryResult } from "kysely";
import { type LogEntry, PERMISSIONS, type Permission } from "lacre";
import { createHandler } from "lacre/http";
import { type LacreDialect, sqlite } from "lacre/sqlite";
import { openInMemory } from "lacre/testing";
import { expect } from "vitest";
import { type Connection, type Connections, SAVEPOINT } from "../../src/core/database/executor.ts";
import { closedDocument } from "../../src/http/openapi.ts";
import type { Described } from "./description.ts";
import { aMailbox } from "./mail.ts";

/** Every code an answer can carry and its status, written by hand: nothing here is read from our own code. */
export const CODES: Readonly<Record<string, number>> = {
  invalid_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  invalid_state: 409,
  series_closed: 409,
  series_not_registered: 409,
  date_out_of_order: 409,
  document_settled: 409,
  payment_exceeds_balance: 409,
  credit_exceeds_original: 409,
  receipt_exceeds_documents: 409,
  conflict: 409,
  precondition_failed: 412,
  idempotency_in_progress: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  idempotency_key_reused: 422,
  rate_limited: 429,
  internal_error: 500,
  unavailable: 503,
};

type Cell = string | number | null;

/** Access to the queries of a running Lacre. */
export interface Tap {
  readonly dialect: LacreDialect;
  /** The SQL of every query so far. */
  readonly queries: string[];
  /** Gets each query first: may return other SQL to run instead, wait, or throw as storage would. */
  intercept: ((sql: string) => string | Promise<string>) | undefined;
  /** Runs SQL past the tap: neither recorded nor intercepted. */
  read(sql: string): Promise<readonly Record<string, Cell>[]>;
}

/** Puts a tap on a database. */
export function tapped(inner: LacreDialect = sqlite(":memory:")): Tap {
  let connections: Connections;
  const tap: Tap = {
    dialect: {
      ...inner,
      connect() {
        connections = inner.connect();
        return {
          ...connections,
          writer: async () => listenedTo(await connections.writer()),
          hosted: async () => listenedTo(await connections.hosted()),
          reader: async () => listenedTo(await connections.reader()),
        };
      },
    },
    queries: [],
    intercept: undefined,
    async read(sql) {
      const connection = await connections.writer();
      try {
        return (await connection.run<Record<string, Cell>>(CompiledQuery.raw(sql))).rows;
      } finally {
        connection.release();
      }
    },
  };
  return tap;

  async function noted(sql: string): Promise<string> {
    tap.queries.push(sql);
    return tap.intercept ? tap.intercept(sql) : sql;
  }

  function listenedTo(connection: Connection): Connection {
    async function run<Row>(query: CompiledQuery<Row>): Promise<QueryResult<Row>> {
      return connection.run({ ...query, sql: await noted(query.sql) });
    }
    return {
      run,
      send: run,
      savepoint: async (step) => {
        await noted(SAVEPOINT[step]);
        await connection.savepoint(step);
      },
      begin: async (purpose, patience_ms) => {
        await noted(purpose === "write" ? "begin immediate" : "begin");
        await connection.begin(purpose, patience_ms);
      },
      commit: async () => {
        await noted("commit");
        await connection.commit();
      },
      rollback: async () => {
        await noted("rollback");
        await connection.rollback();
      },
      release: () => connection.release(),
    };
  }
}

/** One of everything a company can have, by id. */
export interface Owned {
  readonly customer: string;
  readonly product: string;
  readonly series: string;
  readonly draft: string;
  readonly issued: string;
  readonly payment: string;
  readonly webhook: string;
  readonly delivery: string;
  readonly email: string;
  readonly link: string;
}

/** A company with one of everything and a key with every scope. */
export interface Victim {
  readonly company_id: string;
  readonly api_key: string;
  readonly owned: Owned;
}

/** Two companies in one installation, behind a handler without a rate limit. */
export interface Street {
  readonly lacre: Awaited<ReturnType<typeof openInMemory>>["lacre"];
  readonly handler: ReturnType<typeof createHandler>;
  readonly tap: Tap;
  readonly log: LogEntry[];
  readonly own: Victim;
  readonly other: Victim;
  /** A key of the own company with these scopes alone; with none too, which the library refuses. */
  keyWith(scopes: readonly Permission[]): Promise<string>;
  /** Every row of the company and of tables without companies, as text: equal texts mean equal tables. */
  rowsOf(company_id: string): Promise<string>;
  /** Every row, except those that only record how the database was used. */
  rows(): Promise<string>;
}

/** Answers requests of the Fetch API: a handler, or one behind something else. */
export type Handler = (...asked: Parameters<ReturnType<typeof createHandler>>) => Promise<Response>;

/** The issue date of every test document, in the past of any clock. */
export const DAY = "2026-01-31";

/** Opens two companies with one of everything each. */
export async function openStreet(dialect?: LacreDialect): Promise<Street> {
  const tap = tapped(dialect);
  const log: LogEntry[] = [];
  const { lacre } = await openInMemory({
    dialect: tap.dialect,
    newSecret: () => randomBytes(32),
    rateLimit: unlimited,
    mailSender: aMailbox(),
    publicUrl: "http://lacre.test",
    log: (entry) => log.push(entry),
  });
  const companies = await lacre.companies.list();
  const { id: other_id } = await lacre.companies.create({ name: "Outra Loja, Lda.", tax_id: "523456786" });
  const own = await furnished(lacre, (companies[0] as { id: string }).id);
  const other = await furnished(lacre, other_id);
  return {
    lacre,
    handler: createHandler(lacre),
    tap,
    log,
    own,
    other,
    async keyWith(scopes) {
      const { id, api_key } = await lacre.keys.create({
        company_id: own.company_id,
        name: scopes.join(" ") || "none",
        scopes: [...(scopes.length > 0 ? scopes : (["saft:read"] as const))],
      });
      if (scopes.length === 0) await tap.read(`update api_keys set scopes = '' where id = '${id}'`);
      return api_key;
    },
    rowsOf: async (company_id) => dump(tap, (row) => row.company_id === undefined || row.company_id === company_id),
    rows: () => dump(tap, () => true),
  };
}

const unlimited = { take: () => ({ allowed: true, limit: 120, remaining: 119, window_s: 60, reset_s: 60 }) };

async function furnished(lacre: Street["lacre"], company_id: string): Promise<Victim> {
  const company = lacre.as(company_id);
  const { api_key } = await lacre.keys.create({
    company_id,
    name: "shop",
    scopes: [...PERMISSIONS],
  });
  const { data } = await company.series.list();
  const series = data.find(({ doc_type }) => doc_type === "FT")?.id as string;
  const customer = (await company.customers.create({ name: `Cliente de ${company_id}` })).id;
  const product = (await company.products.create({ name: "Pão", unit_price_net: 1, tax_rate: 6 })).id;
  const lines = [{ description: "Pão", qty: 1, unit_price_net: 10, tax_rate: 23, product_id: product }];
  const input = { doc_type: "FT" as const, series_id: series, issue_date: DAY, customer_id: customer, lines };
  const issued = (await company.documents.create({ ...input, issue: true })).id;
  const draft = (await company.documents.create(input)).id;
  const paid = { id: issued, amount: 1, method_code: "TB" as const, payment_date: DAY };
  const payment = (await company.payments.record(paid)).id;
  const webhook = (
    await company.webhooks.create({ url: `https://example.com/${company_id}`, actions: ["document.issued"] })
  ).id;
  const delivery = (await company.webhooks.test({ id: webhook })).id;
  const email = (await company.documents.email({ id: issued, to: ["ana@example.com"] })).id;
  const link = (await company.links.create({ id: issued })).id;
  const owned = { customer, product, series, draft, issued, payment, webhook, delivery, email, link };
  return { company_id, api_key, owned };
}

/** Tables whose rows belong to a company through a row of another table, and the column that names it. */
const PARTS: Readonly<Record<string, readonly [table: string, column: string]>> = {
  document_lines: ["documents", "document_id"],
  document_references: ["documents", "document_id"],
  document_payments: ["documents", "document_id"],
  email_papers: ["emails", "email_id"],
};

async function dump(tap: Tap, wanted: (row: Record<string, Cell>) => boolean): Promise<string> {
  // The tables of a search index hold the rows of every company together; lists test who finds what.
  const tables = await tap.read(
    "select name from pragma_table_list where schema = 'main' and type = 'table' and name not like 'sqlite_%' order by name",
  );
  const rows: string[] = [];
  for (const { name } of tables) {
    const [table, column] = PARTS[String(name)] ?? [];
    const from = table
      ? `select part.*, whole.company_id from ${name} part join ${table} whole on whole.id = part.${column}`
      : `select *${name === "companies" ? ", id as company_id" : ""} from ${name}`;
    for (const row of await tap.read(from)) if (wanted(row)) rows.push(`${name} ${JSON.stringify(row)}`);
  }
  return rows.sort().join("\n");
}

/** A valid body for every operation that takes one. */
export function bodyFor(operation: string, { owned }: Pick<Victim, "owned">): Record<string, unknown> | undefined {
  const lines = [{ description: "Pão", qty: 1, unit_price_net: 10, tax_rate: 23 }];
  const { series: series_id, customer: customer_id } = owned;
  const invoice = { doc_type: "FT", series_id, issue_date: DAY, customer_id, lines };
  const bodies: Record<string, Record<string, unknown>> = {
    createCustomer: { name: "Ana" },
    changeCustomer: { city: "Évora" },
    createProduct: { name: "Broa", unit_price_net: 1.5, tax_rate: 6 },
    changeProduct: { unit: "kg" },
    createDocument: invoice,
    previewNewDocument: invoice,
    changeDraft: { notes: "Obrigado" },
    issueDocument: {},
    printOriginal: { lang: "pt" },
    cancelDocument: {},
    creditDocument: {},
    sendDocument: { to: ["ana@example.com"] },
    createDocumentLink: {},
    recordPayment: { amount: 1, method_code: "TB", payment_date: DAY },
    createSeries: { doc_type: "FT", code: `S${randomBytes(6).toString("hex")}` },
    changeSeries: {},
    rotateWebhookSecret: {},
    testWebhook: {},
    redeliver: {},
    createWebhook: { url: `https://example.com/${randomBytes(6).toString("hex")}` },
    changeWebhook: { description: "Loja" },
  };
  return bodies[operation];
}

/** A request in short form. */
export interface Asked {
  readonly method: string;
  /** With the query string. */
  readonly path: string;
  /** Left out for a request without a key. */
  readonly api_key?: string | undefined;
  /** JSON; a string or bytes are sent as they are. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer, read to its end. */
export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Sends one request to a handler and reads the answer. */
export async function ask(
  handler: Handler,
  { method, path, api_key, body, headers = {} }: Asked,
  remote_address = "192.0.2.7",
): Promise<Answered> {
  const asIs = typeof body === "string" || body instanceof Uint8Array || body instanceof ReadableStream;
  const request = new Request(`http://lacre.test${path}`, {
    method,
    headers: {
      ...(api_key !== undefined && { authorization: `Bearer ${api_key}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: asIs ? body : JSON.stringify(body) }),
    ...(body instanceof ReadableStream && { duplex: "half" }),
  } as RequestInit);
  const response = await handler(request, { remote_address });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** An answer without the parts that always differ: the request's id and the time. */
export function comparable({ status, headers, text }: Answered): string {
  const lasting = [...headers].filter(([name]) => !["x-request-id", "x-ratelimit-reset", "date"].includes(name));
  return JSON.stringify([status, lasting.sort(), text]);
}

/** Checks an answer against the one shape of every error, and returns its code. */
export function refusalOf({ status, headers, text }: Answered): string {
  expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
  const body = JSON.parse(text);
  expect(body).toStrictEqual({ error: { code: expect.any(String), message: expect.stringMatching(/./) } });
  const { code } = body.error;
  expect(Object.keys(CODES)).toContain(code);
  expect([code, status]).toEqual([code, CODES[code]]);
  return code;
}

/** One connection over which any bytes can be sent. */
export interface Wire {
  readonly socket: Socket;
  send(bytes: string | Uint8Array): void;
  /** The next whole answer; undefined when the server closed without one. */
  answer(): Promise<Answered | undefined>;
  /** Resolves when the server has closed the connection. */
  closed(): Promise<void>;
}

/** Connects to a server at a port of this machine. */
export function wireTo(port: number): Wire {
  const socket = connect(port, "127.0.0.1");
  let received = Buffer.alloc(0);
  let ended = false;
  let wake = () => {};
  const moved = () => new Promise<void>((resolve) => (wake = resolve));
  socket.on("data", (chunk) => {
    received = Buffer.concat([received, chunk]);
    wake();
  });
  socket.on("error", () => {}); // a reset also closes the connection
  socket.on("close", () => {
    ended = true;
    wake();
  });
  return {
    socket,
    send: (bytes) => void socket.write(bytes),
    async answer() {
      for (;;) {
        const whole = wholeAnswer(received, ended);
        if (whole) {
          received = received.subarray(whole.length);
          return whole.answered;
        }
        if (ended) return undefined;
        await moved();
      }
    },
    async closed() {
      while (!ended) await moved();
    },
  };
}

/** The first answer in the received bytes, and its length; one without Content-Length ends with the connection. */
function wholeAnswer(bytes: Buffer, ended: boolean): { answered: Answered; length: number } | undefined {
  const end = bytes.indexOf("\r\n\r\n");
  if (end === -1) return undefined;
  const [first = "", ...rest] = bytes.subarray(0, end).toString("latin1").split("\r\n");
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(`${first} `)?.[1]);
  const headers = new Headers(rest.map((line) => /^([^:]+): *(.*)$/.exec(line)?.slice(1) as [string, string]));
  const announced = status === 204 ? "0" : headers.get("content-length");
  const length = announced === null ? bytes.length : end + 4 + Number(announced);
  if (bytes.length < length || (announced === null && !ended)) return undefined;
  return { answered: { status, headers, text: bytes.subarray(end + 4, length).toString("utf8") }, length };
}

/** A JSON schema of the OpenAPI description; references are followed one step at a time. */
export type Schema = {
  readonly [keyword: string]: unknown;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
};

const description = closedDocument() as Schema;

/** A node of the description, or the one it refers to. */
export function followed<T extends object>(node: T): T {
  const { $ref } = node as { $ref?: string };
  if ($ref === undefined) return node;
  const members = $ref.slice(2).split("/");
  return followed(members.reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], description) as T);
}

/** The schema of an operation's JSON body; undefined where it takes none. */
export function bodySchemaOf({ node }: Described): Schema | undefined {
  const body = node.requestBody && followed(node.requestBody);
  const schema = body?.content?.["application/json"]?.schema;
  return schema && (followed(schema) as unknown as Schema);
}

/** A field somewhere in a schema: its path as messages write it, `lines[0].qty`. */
export interface Field {
  readonly path: string;
  readonly schema: Schema;
}

/** Every field of a schema at any depth; of a list, those of one item. */
export function fieldsOf(schema: Schema | undefined, path = ""): Field[] {
  if (!schema) return [];
  const { properties, items, anyOf, oneOf, allOf } = followed(schema);
  const inside = [
    ...Object.entries(properties ?? {}).flatMap(([name, member]) => fieldsOf(member, path ? `${path}.${name}` : name)),
    ...fieldsOf(items, `${path}[0]`),
    ...[anyOf, oneOf, allOf as typeof anyOf].flatMap((options) =>
      (options ?? []).flatMap((one) => fieldsOf(one, path)),
    ),
  ];
  return path ? [{ path, schema: followed(schema) }, ...inside] : inside;
}

/** A copy of a value with the field at a path like `lines[0].qty` replaced; what stands in the way gives way. */
export function withField(value: unknown, path: string, field: unknown): unknown {
  const copy = structuredClone(value) as Record<string, unknown>;
  const steps = path.split(/[.[\]]+/).filter((step) => step !== "");
  const last = steps.pop() as string;
  const holder = steps.reduce((at, step, i) => {
    if (typeof at[step] !== "object" || at[step] === null) at[step] = /^\d+$/.test(steps[i + 1] ?? last) ? [] : {};
    return at[step] as Record<string, unknown>;
  }, copy);
  holder[last] = field;
  return copy;
}
