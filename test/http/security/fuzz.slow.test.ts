/** Two thousand requests generated from the schemas of the OpenAPI document: valid, nearly valid, and garbage. */
import { randomInt } from "node:crypto";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  type Answered,
  ask,
  bodySchemaOf,
  DAY,
  fieldsOf,
  followed,
  type Handler,
  openStreet,
  refusalOf,
  type Schema,
  type Street,
  withField,
} from "../../support/attack.ts";
import { type Described, OPERATIONS, problemsWith } from "../../support/description.ts";

const CASES = Number(process.env.FUZZ_CASES ?? 2_000);
const SEED = Number(process.env.FUZZ_SEED ?? randomInt(2 ** 31));

const TODAY = new Date().toISOString().slice(0, 10);

/** A placeholder that becomes an id when the request is sent: the nth known one of its kind. */
const idOf = (kind: string) => fc.nat({ max: 1_000 }).map((n) => `id:${kind}:${n}`);

/** The resource that a field references, by the name of the field. */
const KIND: Readonly<Record<string, string>> = {
  customer_id: "customers",
  product_id: "products",
  series_id: "series",
  document_id: "documents",
  reference_id: "documents",
};

const words = fc.oneof(
  fc.constantFrom("Ana", "Pão de Mafra", "Évora", "Ω mega", "x", "👩‍🌾 horta"),
  fc.string({ minLength: 1, maxLength: 30 }).filter((text) => text.trim() !== ""),
);

/** The value in one case of four: some optional fields exclude each other by rules that the schema cannot express. */
const seldom = <T, Nil>(arbitrary: fc.Arbitrary<T>, nil: Nil): fc.Arbitrary<T | Nil> =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(nil) }, { weight: 1, arbitrary });

const leftOut = (value: object, names: readonly string[]) =>
  Object.fromEntries(Object.entries(value).filter(([name, member]) => member !== undefined && !names.includes(name)));

/** Members that stand in for each other, as descriptions say in words: an object leaves out one list of each. */
const EITHER: readonly (readonly (readonly string[])[])[] = [
  [["series"], ["series_id"], ["series_id", "issue_date"]],
  [["customer"], ["customer_id"]],
  [["product"], ["product_id"]],
];

/** An object with what it requires, with one of members that stand in for each other, and now and then with others. */
function objectOf({ properties = {}, required = [], maxProperties }: Schema): fc.Arbitrary<object> {
  const names = Object.keys(properties);
  if (maxProperties === 1) return fc.oneof(...names.map((name) => fc.record({ [name]: idOf(name) }))); // names a product
  const either = EITHER.filter((lists) => lists.flat().every((name) => names.includes(name)));
  const sent = required.length > 0 ? [...required, ...either.flat(2)] : [];
  const members = Object.entries(properties).map(([name, member]) => {
    const value = allowed(member, name);
    // A customer within has a name, unless its tax number tells who it is.
    const optional = name === "name" ? fc.oneof(value, seldom(value, undefined)) : seldom(value, undefined);
    return [name, sent.includes(name) ? value : optional] as const;
  });
  const absent = either.map((lists) =>
    fc.constantFrom(...lists.filter((list) => !list.some((name) => required.includes(name)))),
  );
  return fc
    .tuple(fc.record(Object.fromEntries(members)), fc.tuple(...absent))
    .map(([value, lists]) => leftOut(value, lists.flat()));
}

/** A value that the schema allows; where the rules are stricter (tax numbers, sums), one that often passes them. */
function allowed(given: Schema, name = ""): fc.Arbitrary<unknown> {
  const schema = followed(given);
  const { type, properties, items, anyOf, oneOf, allOf, format, pattern } = schema;
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const options = anyOf ?? oneOf ?? (allOf as readonly Schema[] | undefined);
  if (options && properties)
    return fc.oneof(...options.map((option) => allowed(oneShape(schema, option, options), name)));
  if (options) return fc.oneof(...options.map((option) => allowed(option, name)));
  if (Array.isArray(type)) return fc.oneof(...type.map((one) => allowed({ ...schema, type: one }, name)));
  if (properties) return objectOf(schema);
  const { minimum = 0, exclusiveMinimum, maximum = 1_000 } = schema as Record<string, number>;
  switch (type) {
    case "array":
      return fc.array(allowed(items ?? {}), { minLength: Number(schema.minItems ?? 0), maxLength: 3 });
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "integer":
      return fc.integer({ min: Math.max(minimum, -1e6), max: Math.min(maximum, 1e6) });
    case "number": {
      const least = exclusiveMinimum === undefined ? Math.ceil(minimum * 100) : exclusiveMinimum * 100 + 1;
      const small = fc.integer({ min: least, max: Math.min(maximum * 100, 1_000) });
      const any = fc.integer({ min: least, max: Math.min(maximum * 100, 1e12) });
      return fc.oneof({ weight: 4, arbitrary: small }, { weight: 1, arbitrary: any }).map((cents) => cents / 100);
    }
    case "string":
      if (format === "uuid") return idOf(KIND[name] ?? "documents");
      if (format === "uri") return fc.nat({ max: 1e9 }).map((n) => `https://example.com/${n}`);
      if (format === "date") return fc.constantFrom(DAY, TODAY, TODAY, TODAY);
      if (format === "date-time") return fc.constantFrom(`${DAY}T10:30:00Z`, `${TODAY}T23:59:59.5+01:00`);
      if (format === "email") return fc.constantFrom("ana@example.pt", "a.b+c@example.co.uk");
      if (name === "tax_id") return fc.constantFrom("500000000", "PT123456789", "X-1");
      if (typeof pattern === "string") return matching(pattern);
      return words;
    default:
      return fc.jsonValue();
  }
}

/** An object of several shapes in one of them: with what that one requires, without what the others do. */
function oneShape({ properties, required = [] }: Schema, option: Schema, options: readonly Schema[]): Schema {
  const needed = [...required, ...(option.required ?? [])];
  const others = options.flatMap((one) => one.required ?? []).filter((name) => !needed.includes(name));
  const own = Object.entries({ ...properties, ...option.properties }).filter(([name]) => !others.includes(name));
  return { properties: Object.fromEntries(own), required: needed } as Schema;
}

/** Text that matches a pattern. fast-check does not support lookaheads, so the text is filtered by them afterwards. */
function matching(pattern: string): fc.Arbitrary<string> {
  const whole = new RegExp(pattern);
  return fc.stringMatching(new RegExp(pattern.replaceAll(/\(\?[=!][^)]*\)/g, ""))).filter((text) => whole.test(text));
}

/** Common mistakes, for any field. */
const WRONG = fc.oneof(
  fc.constantFrom<unknown>(null, true, "", " ", "0", 0, -0, -1, 0.001, 1e-7, 1e21, 1.5, 2 ** 53, [], {}, [[]], [null], {
    a: 1,
  }),
  fc.constantFrom(
    "2026-02-30",
    "2026-1-1",
    "0000-00-00",
    "9999-12-31",
    "not-a-uuid",
    "id:customers:0",
    "id:series:1",
    "FT",
    "XX",
  ),
  fc.constantFrom("a".repeat(101), "a".repeat(100_000), "\u0000", "\ud800", "\u202e", "é\u0301".repeat(50), "a\nb"),
  fc.double(),
  fc.uuid(),
  fc.jsonValue({ maxDepth: 3 }),
);

interface Case {
  readonly operation: Described;
  readonly id: string;
  readonly query: readonly (readonly [string, unknown])[];
  /** A value, sent as JSON; bytes are sent unchanged. */
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
  readonly anonymous: boolean;
}

const parametersIn = ({ node }: Described): { name: string; schema: Schema }[] =>
  Object.values(node.parameters ?? {})
    .map((parameter) => followed(parameter as object) as { in: string; name: string; schema: Schema })
    .filter((parameter) => parameter.in === "query");

function valid(operation: Described): fc.Arbitrary<Case> {
  const schema = bodySchemaOf(operation);
  const query = parametersIn(operation).map(({ name, schema: one }) =>
    seldom(
      allowed(one, name).map((value) => [name, value] as const),
      null,
    ),
  );
  return fc.record({
    operation: fc.constant(operation),
    id: idOf(operation.id === "issueDocument" ? "drafts" : (operation.template.split("/")[2] as string)),
    query: fc.tuple(...query).map((pairs) => pairs.filter((pair) => pair !== null)),
    body: schema ? allowed(schema) : fc.constant(undefined),
    headers: seldom(seldom(fc.constantFrom({ "idempotency-key": "again" }, { "idempotency-key": '"quoted"' }), {}), {}),
    anonymous: fc.constant(false),
  });
}

/** A valid case with one fault. */
function nearly(operation: Described): fc.Arbitrary<Case> {
  const fields = fieldsOf(bodySchemaOf(operation)).map(({ path }) => path);
  const names = [...parametersIn(operation).map(({ name }) => name), "limit", "page", "__proto__"];
  return fc.tuple(valid(operation), WRONG, fc.nat({ max: 9 }), fc.nat()).map(([good, wrong, how, n]) => {
    const field = fields[n % fields.length];
    if (how < 6 && field !== undefined) return { ...good, body: withField(good.body ?? {}, field, wrong) };
    if (how === 6 && fields.length > 0)
      return { ...good, body: { ...(good.body as object), [`extra_${n % 7}`]: wrong } };
    if (how === 7)
      return { ...good, id: typeof wrong === "string" && wrong !== "" && wrong.length < 1_000 ? wrong : "nobody" };
    if (how === 8) return { ...good, anonymous: true };
    return { ...good, query: [...good.query, [names[n % names.length] as string, wrong] as const] };
  });
}

const garbage = (operation: Described): fc.Arbitrary<Case> =>
  fc.record({
    operation: fc.constant(operation),
    id: fc.oneof(fc.webSegment(), idOf("customers"), fc.uuid()),
    query: fc.array(fc.tuple(fc.string({ maxLength: 8 }), fc.string({ maxLength: 20 })), { maxLength: 2 }),
    body:
      operation.method === "GET"
        ? fc.constant(undefined)
        : fc.oneof(
            fc.jsonValue(),
            fc.json().map(asText),
            fc.string().map(asText),
            fc.uint8Array({ maxLength: 64 }),
            fc.constant(undefined),
          ),
    headers: fc.oneof(
      fc.constant({}),
      fc.record({
        "content-type": fc.constantFrom("application/json", "text/plain", "application/json; charset=utf-16", "x"),
      }),
      fc.record({ "idempotency-key": fc.stringMatching(/^[\x20-\x7e]{0,40}$/) }),
    ),
    anonymous: fc.constant(false),
  });

/** Makes text be sent unchanged; any other value is sent as JSON. */
const asText = (text: string) => Buffer.from(text);

const anyCase = fc.oneof(
  ...OPERATIONS.map((operation) => ({
    weight:
      operation.id === "createDocument"
        ? 30
        : operation.id === "issueDocument"
          ? 8
          : operation.template.startsWith("/v1/documents")
            ? 4 // these have most of the rules
            : /^(?:create|list)/.test(operation.id)
              ? 2 // the control wants each of them
              : 1,
    arbitrary: fc.oneof(
      { weight: 5, arbitrary: valid(operation) },
      { weight: 4, arbitrary: nearly(operation) },
      { weight: 1, arbitrary: garbage(operation) },
    ),
  })),
);

let street: Street;
/** The ids found in answers, by resource, newest last; those of series also by document type. */
let known: Map<string, string[]>;

beforeEach(async () => {
  street = await openStreet();
  const { customer, product, draft, issued, payment, webhook } = street.own.owned;
  known = new Map([
    ["customers", [customer]],
    ["products", [product]],
    ["documents", [issued, draft]],
    ["drafts", [draft]],
    ["payments", [payment]],
    ["webhooks", [webhook]],
  ]);
  const company = street.lacre.as(street.own.company_id);
  await company.products.change({ id: product, sku: "PAO-1", external_id: "pao" });
  for (const [kind, text] of [
    ["sku", "PAO-1"],
    ["external_id", "pao"],
  ] as const)
    learn(kind, text);
  const { data } = await company.series.list();
  for (const { id, doc_type } of data) for (const kind of ["series", `series of ${doc_type}`]) learn(kind, id);
});

afterEach(() => street.lacre.close());

function learn(kind: string, id: string): void {
  known.set(kind, [...(known.get(kind) ?? []), id]);
}

/** The id for a placeholder: usually one of the latest. */
function realId(placeholder: string, doc_type?: unknown): string {
  const [, kind = "", n = "0"] = placeholder.split(":");
  const fitting = Number(n) % 5 > 0 && kind === "series" ? known.get(`series of ${doc_type}`) : undefined;
  const ids = fitting ?? known.get(kind) ?? [];
  const latest = Number(n) % 3 === 0 ? ids : ids.slice(-4);
  return latest[Number(n) % Math.max(latest.length, 1)] ?? "00000000-0000-7000-8000-000000000000";
}

/** A copy with every placeholder replaced. */
function withIds(value: unknown, doc_type?: unknown): unknown {
  if (typeof value === "string") return value.startsWith("id:") ? realId(value, doc_type) : value;
  if (value === null || typeof value !== "object" || value instanceof Uint8Array) return value;
  if (Array.isArray(value)) return value.map((item) => withIds(item));
  const { doc_type: own } = value as { doc_type?: unknown };
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withIds(member, own)]));
}

const escaped = (text: string) => encodeURIComponent(text.toWellFormed());

interface Sent {
  readonly exchange: string;
  readonly answer: Answered;
  readonly problems: readonly string[];
}

/** Sends a case and lists the problems of its answer. */
async function send({ operation, id, query, body, headers, anonymous }: Case, handler: Handler): Promise<Sent> {
  const pairs = query.map(([name, value]) => {
    const text = withIds(value);
    return `${escaped(name)}=${escaped(typeof text === "string" ? text : (JSON.stringify(text) ?? ""))}`;
  });
  const bare = operation.template.replace("{id}", escaped(withIds(id) as string).replace(/^\.{0,2}$/, "-")); // no dot segment
  const path = pairs.length > 0 ? `${bare}?${pairs.join("&")}` : bare;
  const sent = withIds(body);
  const text = sent instanceof Uint8Array ? sent : sent === undefined ? undefined : JSON.stringify(sent);
  const { method } = operation;
  const answer = await ask(handler, {
    method,
    path,
    headers,
    ...(!anonymous && { api_key: street.own.api_key }),
    ...(text !== undefined && method !== "GET" && { body: text }),
  });
  const exchange = `${method} ${path.slice(0, 300)} ${String(text).slice(0, 1_000)} → ${answer.status} ${answer.text.slice(0, 500)}`;
  const problems = problemsWith({ method, path, sent: sent instanceof Uint8Array ? undefined : sent, ...answer });
  if (answer.status >= 500) problems.push(`a ${answer.status}`);
  if (answer.status >= 400) {
    try {
      refusalOf(answer);
    } catch (error) {
      problems.push(String(error));
    }
  }
  return { exchange, answer, problems };
}

test(`${CASES} requests generated from the schemas: no 5xx, nothing undescribed, no broken shape, no gap in numbers`, async () => {
  console.log(`fuzz seed ${SEED}: FUZZ_SEED=${SEED} makes the same requests again`);
  const elsewhere = await street.rowsOf(street.other.company_id);
  const accepted = new Map<string, number>();
  const statuses = new Map<number, number>();
  await fc.assert(
    fc.asyncProperty(anyCase, async (one) => {
      const { exchange, answer, problems } = await send(one, street.handler);
      expect([exchange, problems]).toEqual([exchange, []]);
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      if (answer.status >= 300) return;
      accepted.set(one.operation.id, (accepted.get(one.operation.id) ?? 0) + 1);
      if (answer.status !== 201) return;
      const { id, doc_type, status, sku, external_id } = JSON.parse(answer.text);
      const resource = answer.headers.get("location")?.split("/")[2] as string;
      learn(resource, id);
      if (resource === "series") learn(`series of ${doc_type}`, id);
      if (status === "draft") learn("drafts", id);
      if (resource === "products" && sku) learn("sku", sku);
      if (resource === "products" && external_id) learn("external_id", external_id);
    }),
    { numRuns: CASES, seed: SEED, endOnFailure: true },
  );
  console.log(`statuses ${JSON.stringify(Object.fromEntries([...statuses].sort(([a], [b]) => a - b)))}`);

  // Control: enough was accepted and issued for the refusals to mean something.
  for (const { id } of OPERATIONS.filter(({ id }) => /^(?:create(?!Doc)|list|getMe)/.test(id))) {
    expect([id, accepted.get(id) ?? 0]).toEqual([id, expect.toSatisfy((count: number) => count > 0)]);
  }
  expect([...accepted.values()].reduce((sum, count) => sum + count, 0)).toBeGreaterThan(CASES / 8);

  const company = street.lacre.as(street.own.company_id);
  const verified = await company.series.verify();
  expect(verified.series.filter(({ finding }) => finding !== null)).toEqual([]);
  expect(verified.documents).toBeGreaterThan(2);
  expect(
    await street.tap.read(
      `select series.code, count(sequence) as documents, max(sequence) as last, next_number
       from series join documents on series_id = series.id where sequence is not null
       group by series.id having documents <> last or last + 1 <> next_number or min(sequence) <> 1`,
    ),
  ).toEqual([]);
  expect(await street.tap.read("pragma integrity_check")).toEqual([{ integrity_check: "ok" }]);
  expect(await street.rowsOf(street.other.company_id)).toBe(elsewhere);
});

test("control: the same checks find a 5xx, an undescribed status and a broken shape", async () => {
  const spoilt = (spoil: (response: Response) => Promise<Response> | Response): Handler => {
    return async (request, connection) => spoil(await street.handler(request, connection));
  };
  const fatal = spoilt(
    ({ headers }) => new Response('{"error":{"code":"internal_error","message":"x"}}', { status: 500, headers }),
  );
  const strange = spoilt((response) => new Response(response.body, { status: 418, headers: response.headers }));
  const grown = spoilt(async (response) => {
    const isJson = response.headers.get("content-type")?.startsWith("application/json");
    if (!isJson)
      return new Response("{}", { status: 200, headers: { "content-type": "application/json; charset=utf-8" } });
    const body = (await response.json()) as object;
    return new Response(JSON.stringify({ ...body, extra: 1 }), { status: response.status, headers: response.headers });
  });
  const cases = fc.sample(fc.oneof(...OPERATIONS.filter(({ template }) => template.startsWith("/v1")).map(valid)), {
    seed: SEED,
    numRuns: 100,
  });
  for (const handler of [fatal, strange, grown]) {
    for (const one of cases) {
      const { exchange, problems } = await send(one, handler);
      expect([exchange, problems]).not.toEqual([exchange, []]);
    }
  }
});
