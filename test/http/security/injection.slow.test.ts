/** Hostile text is stored unchanged or refused; it never becomes SQL, a header or a log entry. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { ask, bodyFor, bodySchemaOf, DAY, fieldsOf, openStreet, type Street, withField } from "../../support/attack.ts";
import { type Described, OPERATIONS, parametersOf } from "../../support/description.ts";

const CORPUS = [
  "'",
  '"',
  "`",
  "';--",
  "' or '1'='1",
  "' or 1=1 --",
  '" or ""="',
  "1; drop table customers",
  "'); drop table customers; --",
  "' union select digest from api_keys --",
  "\\'; select 1; --",
  "/* comment */",
  "admin'/*",
  "%",
  "_",
  "%%%",
  "a_b",
  "100%",
  "\\",
  "\\%",
  "[a-z]",
  "*",
  "?",
  "?1",
  ":name",
  "@p1",
  "$1",
  "$.name",
  "$[0]",
  '{"$gt":""}',
  "$where",
  "null",
  "NULL",
  "undefined",
  "true",
  "NaN",
  "0x1F",
  "id desc",
  "created_at; --",
  "x' escape '\\",
  "char(65)",
  "randomblob(1000000000)",
  "load_extension('x')",
  "attach database '/tmp/x' as y",
  "<script>alert(1)</script>",
  '<!--#exec cmd="id"-->',
  '<!ENTITY x SYSTEM "file:///etc/passwd">',
  "]]>",
  "{{7*7}}",
  "$" + "{7*7}",
  "#{7*7}",
  "<%= 7*7 %>",
  "%s%n%x",
  "%00",
  "%0d%0aX-Evil: 1",
  "../../etc/passwd",
  "..\\..\\windows",
  "file:///etc/passwd",
  "http://169.254.169.254/",
  "$(id)",
  "`id`",
  "| id",
  "; id",
  "=1+1",
  "+1+1",
  "@SUM(1)",
  "-1+1",
  "constructor",
  "__proto__",
  "toString",
];

/** Control characters and line breaks, which no one-line field accepts. */
const BREAKS = [
  "a\r\nX-Evil: 1",
  "a\nb",
  "a\u0000b",
  "a\u001b[31m",
  "a\u0085b",
  'a\n{"level":"info","event":"request","status":200}',
];

let street: Street;

beforeEach(async () => {
  street = await openStreet();
});

afterEach(async () => {
  mustBeOneLineEach();
  await street.lacre.close();
});

/** Every log entry so far holds only scalars, fits on one line, and reports no internal error. */
function mustBeOneLineEach(): void {
  for (const entry of street.log) {
    expect(JSON.stringify(entry)).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
    for (const value of Object.values(entry)) {
      expect(value === null || ["string", "number", "boolean", "undefined"].includes(typeof value)).toBe(true);
    }
    expect([entry.event, entry.level]).not.toEqual(["internal_error", "error"]);
  }
}

function idFor(template: string, operation: string): string {
  const { customer, product, series, draft, issued, payment, webhook, delivery } = street.own.owned;
  if (template.startsWith("/v1/webhooks/deliveries")) return delivery;
  const ids: Record<string, string> = {
    customers: customer,
    products: product,
    series,
    payments: payment,
    webhooks: webhook,
  };
  return ids[template.split("/")[2] as string] ?? (operation === "recordPayment" ? issued : draft);
}

/** The schema, the row counts, and every row of the other company, as one text. */
async function surroundings(): Promise<string> {
  const schema = await street.tap.read("select type, name, sql from sqlite_schema order by name");
  const counts = ["companies", "api_keys", "signing_keys", "series", "payments"];
  const sums = [];
  for (const table of counts) if (table !== "series") sums.push(await street.tap.read(`select count(*) from ${table}`));
  return JSON.stringify([schema, sums, await street.rowsOf(street.other.company_id)]);
}

const stepsOf = (path: string) => path.split(/[.[\]]+/).filter((step) => step !== "");

/** The value at a path such as `lines[0].description`. */
const at = (value: unknown, path: string): unknown =>
  stepsOf(path).reduce<unknown>((inside, step) => (inside as Record<string, unknown> | null)?.[step], value);

const ECHOED_AS: Readonly<Record<string, string>> = { reason: "cancel_reason" };

/** A valid body with whatever a field needs around it. */
function bodyAround(operation: string, field: string): Record<string, unknown> {
  const { customer_id, ...body } = bodyFor(operation, street.own) ?? {};
  return {
    ...body,
    ...(field.startsWith("customer.") ? { customer: { name: "Ana" } } : customer_id !== undefined && { customer_id }),
    ...(field.startsWith("lines") && { lines: bodyFor("createDocument", street.own)?.lines }),
    ...(field.startsWith("references") && { references: [{ document_id: street.own.owned.issued }] }),
  };
}

/** What became of a field: its value in the answer, or in the record of the customer or the product that this names. */
async function valueTold(operation: string, field: string, answer: unknown): Promise<unknown> {
  const { customers, products } = street.lacre.as(street.own.company_id);
  const isPreview = operation === "previewNewDocument";
  const told = isPreview ? at(answer, "document") : answer;
  const [, code] = /^lines\[0\]\.product\.(\w+)$/.exec(field) ?? [];
  if (code) return at(await products.get({ id: String(at(told, "lines[0].product_id")) }), code);
  const [, member] = /^customer\.(\w+)$/.exec(field) ?? [];
  if (member && !isPreview) return at(await customers.get({ id: String(at(told, "customer_id")) }), member);
  return at(told, ECHOED_AS[field] ?? field);
}

test("every text field stores hostile text unchanged, or refuses it", async () => {
  const { handler, own } = street;
  const before = await surroundings();
  const stored = new Map<string, number>();
  for (const operation of OPERATIONS.filter(({ id }) => id !== "recordPayment" && id !== "changeSeries")) {
    const isPreview = operation.id === "previewNewDocument";
    const rows = isPreview && (await street.rows());
    const texts = fieldsOf(bodySchemaOf(operation)).filter(({ schema }) => String(schema.type).includes("string"));
    for (const { path: field } of texts) {
      for (const text of [...CORPUS, ...BREAKS]) {
        const path = operation.template.replace("{id}", idFor(operation.template, operation.id));
        const answer = await ask(handler, {
          method: operation.method,
          path,
          api_key: own.api_key,
          body: withField(bodyAround(operation.id, field), field, text),
        });
        const where = [operation.id, field, text];
        if (answer.status < 300) {
          // A preview shows a customer as it would be frozen, which is without its external id.
          const isHidden = isPreview && field === "customer.external_id";
          const told = await valueTold(operation.id, field, JSON.parse(answer.text));
          expect([...where, told]).toEqual([...where, isHidden ? undefined : text]);
          if (!isPreview) stored.set(field, (stored.get(field) ?? 0) + 1);
          if (BREAKS.includes(text)) expect(field).toMatch(/(?:^|\.)address$|^lines\[0\]\.description$|^notes$/);
        } else expect([...where, answer.status]).toEqual([...where, answer.status === 409 ? 409 : 400]);
      }
    }
    if (isPreview) expect(await street.rows()).toBe(rows);
  }
  expect(await surroundings()).toBe(before);
  // Control: free text fields stored nearly the whole corpus.
  const free = ["name", "city", "notes", "lines[0].description", "references[0].reason"];
  const within = ["customer.name", "customer.city", "lines[0].product.sku", "lines[0].product.external_id"];
  for (const field of [...free, ...within]) {
    expect([field, stored.get(field)]).toEqual([
      field,
      expect.toSatisfy((count: number) => count >= CORPUS.length - 2),
    ]);
  }
});

test("search treats every character literally", async () => {
  const { handler, own, lacre } = street;
  const company = lacre.as(own.company_id);
  for (const [i, text] of CORPUS.entries()) await company.customers.create({ name: `n${i} ${text}`, country: "ES" });
  const { data } = await company.customers.list({ limit: 200 });
  const before = await street.rows();
  for (const text of CORPUS) {
    const path = `/v1/customers?limit=200&search=${encodeURIComponent(text)}`;
    const { status, text: answer } = await ask(handler, { method: "GET", path, api_key: own.api_key });
    const wanted = data.filter(({ name }) => name.toLowerCase().includes(text.toLowerCase())).map(({ id }) => id);
    expect([text, status, JSON.parse(answer).data.map(({ id }: { id: string }) => id)]).toEqual([text, 200, wanted]);
  }
  for (const text of BREAKS) {
    const path = `/v1/customers?search=${encodeURIComponent(text)}`;
    expect([text, (await ask(handler, { method: "GET", path, api_key: own.api_key })).status]).toEqual([text, 400]);
  }
  expect(await street.rows()).toBe(before);
});

/** The filters of lists that find a text exactly, each with something to make that has one. */
const EXACT = [
  { list: "/v1/customers", name: "external_id", operation: "createCustomer", more: {} },
  { list: "/v1/customers", name: "tax_id", operation: "createCustomer", more: { country: "ES" } },
  { list: "/v1/products", name: "external_id", operation: "createProduct", more: {} },
  { list: "/v1/products", name: "sku", operation: "createProduct", more: {} },
  { list: "/v1/documents", name: "external_id", operation: "createDocument", more: {} },
];

test.each(EXACT)("$list finds every character of $name literally", async ({ list, name, operation, more }) => {
  const { handler, own } = street;
  const { api_key } = own;
  const before = await surroundings();
  for (const text of CORPUS) {
    const body = { ...bodyFor(operation, own), ...more, [name]: text };
    const made = await ask(handler, { method: "POST", path: list, api_key, body });
    const path = `${list}?${name}=${encodeURIComponent(text)}`;
    const found = await ask(handler, { method: "GET", path, api_key });
    const isTooLong = name === "tax_id" && text.length > 30;
    expect([text, made.status, found.status]).toEqual(isTooLong ? [text, 400, 400] : [text, 201, 200]);
    if (isTooLong) continue;
    const { id } = JSON.parse(made.text);
    expect([text, JSON.parse(found.text).data]).toEqual([text, [expect.objectContaining({ id, [name]: text })]]);
  }
  for (const text of BREAKS) {
    const path = `${list}?${name}=${encodeURIComponent(text)}`;
    expect([text, (await ask(handler, { method: "GET", path, api_key })).status]).toEqual([text, 400]);
  }
  expect(await surroundings()).toBe(before);
});

test("metadata treats every character literally, and its names refuse them", async () => {
  const { handler, own } = street;
  const { api_key } = own;
  const before = await surroundings();
  for (const text of CORPUS) {
    const body = { name: "Ana", metadata: { text } };
    const made = await ask(handler, { method: "POST", path: "/v1/customers", api_key, body });
    expect([text, made.status, JSON.parse(made.text).metadata]).toEqual([text, 201, { text }]);
    if (/^[\w.-]+$/.test(text)) continue;
    const named = { name: "Ana", metadata: { [text]: "x" } };
    const refused = await ask(handler, { method: "POST", path: "/v1/customers", api_key, body: named });
    expect([text, refused.status]).toEqual([text, 400]);
  }
  expect(await surroundings()).toBe(before);
});

/** What the query of an operation must have: days, of those that there are today. */
function daysOf({ node }: Described): [name: string, day: string][] {
  const parameters = Object.values(node.parameters ?? {}) as unknown as {
    in: string;
    name: string;
    required: boolean;
  }[];
  return parameters.filter((one) => one.in === "query" && one.required).map(({ name }) => [name, DAY]);
}

test("every other query field refuses the corpus, and so does every path", async () => {
  const { handler, own } = street;
  const before = await street.rows();
  for (const operation of OPERATIONS) {
    const path = operation.template.replace("{id}", idFor(operation.template, operation.id));
    const literal = EXACT.filter(({ list }) => list === operation.template).map(({ name }) => name);
    for (const name of parametersOf(operation, "query").filter((one) => ![...literal, "search"].includes(one))) {
      const isTruth = ["copy", "training", "current"].includes(name);
      for (const text of [...CORPUS, ...BREAKS].filter((one) => !(isTruth && one === "true"))) {
        const query = new URLSearchParams([...daysOf(operation).filter(([day]) => day !== name), [name, text]]);
        const target = `${path}?${query}`;
        const { status } = await ask(handler, { method: operation.method, path: target, api_key: own.api_key });
        expect([operation.id, name, text, status]).toEqual([operation.id, name, text, 400]);
      }
    }
    if (!operation.template.includes("{id}")) continue;
    for (const text of [...CORPUS, ...BREAKS]) {
      const bare = operation.template.replace("{id}", encodeURIComponent(text));
      const target = `${bare}?${new URLSearchParams(daysOf(operation))}`;
      const body = operation.method === "DELETE" ? undefined : bodyFor(operation.id, own);
      const { status } = await ask(handler, { method: operation.method, path: target, api_key: own.api_key, body });
      expect([operation.id, text, status]).toEqual([operation.id, text, 404]);
    }
  }
  expect(await street.rows()).toBe(before);
});

test("headers with hostile text are treated literally or refused, and returned nowhere it could do harm", async () => {
  const { handler, own, log } = street;
  for (const [i, text] of CORPUS.entries()) {
    const headers = {
      "idempotency-key": text,
      "x-request-id": text,
      "user-agent": text,
      referer: text,
      "x-forwarded-for": text,
    };
    const body = { name: `h${i}` };
    const answer = await ask(handler, { method: "POST", path: "/v1/customers", api_key: own.api_key, body, headers });
    expect([text, answer.status]).toEqual([text, answer.status === 400 ? 400 : 201]);
    expect(answer.headers.get("x-request-id")).toMatch(/^[A-Za-z0-9._-]{8,128}$/);
    expect(answer.headers.has("x-evil")).toBe(false);
    expect(log.at(-1)).toMatchObject({ event: "request", remote_address: "192.0.2.7" });
  }
  const created = await street.lacre.as(own.company_id).customers.list({ limit: 200 });
  expect(created.data.every(({ name }) => !CORPUS.includes(name))).toBe(true);
});

test("documents with hostile text stay stored, and the database stays sound", async () => {
  const { handler, own, tap, lacre } = street;
  for (const text of CORPUS) {
    const body = {
      ...bodyFor("createDocument", own),
      notes: text,
      issue: true,
      lines: [{ description: text, qty: 1, unit_price_net: 1, tax_rate: 23 }],
    };
    const { status } = await ask(handler, { method: "POST", path: "/v1/documents", api_key: own.api_key, body });
    expect([text, status]).toEqual([text, 201]);
  }
  expect(await tap.read("pragma integrity_check")).toEqual([{ integrity_check: "ok" }]);
  expect(await tap.read("pragma foreign_key_check")).toEqual([]);
  expect((await lacre.as(own.company_id).series.verify()).whole).toBe(true);
  const { data } = await lacre.as(own.company_id).documents.list({ limit: 200, from: DAY, to: DAY });
  for (const text of CORPUS) expect(data.some(({ notes }) => notes === text)).toBe(true);
});
