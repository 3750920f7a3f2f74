/** The description, its page, the probes and the version: everything served without a key. */
import { openApiDocument } from "lacre/http";
import { describe, expect, test } from "vitest";
import { COMPANY_OPERATIONS } from "../../../src/core/operations.ts";
import { AREA_ROUTES } from "../../../src/http/area-routes.ts";
import { LIBRARY_ONLY } from "../../../src/http/routes.ts";
import { methodsOf, OPERATIONS, parametersOf, problemsWith } from "../../support/description.ts";
import { apiTest, nothing, openApi, scenarios, UNKNOWN_ID } from "../../support/http.ts";
import { EXAMPLES, sentBy } from "../../support/requests.ts";

scenarios("without a key", nothing, [
  {
    name: "/openapi.json is the description",
    request: "GET /openapi.json",
    key: null,
    status: 200,
    is: () => JSON.parse(JSON.stringify(openApiDocument({ server: "http://lacre.test" }))),
    answers: { "content-type": /^application\/json/ },
  },
  {
    name: "/docs is a page for people",
    request: "GET /docs",
    key: null,
    status: 200,
    answers: { "content-type": /^text\/html/ },
  },
  { name: "/healthz answers with 200", request: "GET /healthz", key: null, status: 200 },
  { name: "/readyz answers with 200", request: "GET /readyz", key: null, status: 200 },
  ...["/openapi.json", "/docs", "/healthz", "/readyz"].flatMap((path) => [
    { name: `HEAD ${path} works`, request: `HEAD ${path}`, key: null, status: 200, is: "" },
    {
      name: `${path} ignores a key`,
      request: `GET ${path}`,
      headers: { authorization: "Bearer nonsense" },
      key: null,
      status: 200,
    },
  ]),
]);

apiTest("/docs works offline: it loads nothing from other hosts", async (api) => {
  const { text } = await api.call<string>("GET", "/docs", { key: null });
  const wanted = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url]) => url as string);
  expect(wanted.length).toBeGreaterThan(0);
  for (const url of wanted.filter((url) => !url.startsWith("data:"))) {
    const { origin, pathname } = new URL(url, "http://lacre.test/docs");
    expect(origin, url).toBe("http://lacre.test");
    expect((await api.call("GET", pathname, { key: null })).status, url).toBe(200);
  }
});

test("with a closed database the server is alive and not ready", async () => {
  const api = await openApi();
  await api.lacre.close();
  expect((await api.call("GET", "/healthz", { key: null })).status).toBe(200);
  const ready = await api.call("GET", "/readyz", { key: null });
  expect(ready).toMatchObject({ status: 503, body: { error: { code: "unavailable" } } });
});

describe("the description", () => {
  const document = openApiDocument() as { openapi: string; info: { version: string }; paths: object };

  test("is OpenAPI 3.1, version 1.0.0", () => {
    expect(document.openapi).toMatch(/^3\.1\.\d+$/);
    expect(document.info.version).toBe("1.0.0");
  });

  /** Method and path of everything in the contract. */
  const CONTRACT = [
    "GET /v1/me",
    "GET /v1/customers",
    "POST /v1/customers",
    "GET /v1/customers/{id}",
    "PATCH /v1/customers/{id}",
    "DELETE /v1/customers/{id}",
    "GET /v1/products",
    "POST /v1/products",
    "GET /v1/products/{id}",
    "PATCH /v1/products/{id}",
    "DELETE /v1/products/{id}",
    "GET /v1/documents",
    "POST /v1/documents",
    "GET /v1/documents/{id}",
    "POST /v1/documents/{id}/issue",
    "POST /v1/documents/{id}/cancel",
    "GET /v1/payments",
    "POST /v1/documents/{id}/payments",
  ];
  /** What Lacre adds to it. */
  const ADDITIONS = [
    "PATCH /v1/documents/{id}",
    "DELETE /v1/documents/{id}",
    "DELETE /v1/payments/{id}",
    "GET /v1/series",
    "POST /v1/series",
    "GET /v1/series/{id}",
    "PATCH /v1/series/{id}",
  ];

  test("has every endpoint of the contract, and Lacre's additions", () => {
    const described = OPERATIONS.map(({ method, template }) => `${method} ${template}`);
    expect(described).toEqual(expect.arrayContaining([...CONTRACT, ...ADDITIONS]));
  });

  test("has every operation except those of the company area and those with a reason to have no route", () => {
    const ofArea = AREA_ROUTES.flatMap((one) => ("operation" in one ? [one.operation] : []));
    const callable = Object.values(COMPANY_OPERATIONS)
      .flatMap((verbs) => Object.values(verbs))
      .filter((operation) => ![...LIBRARY_ONLY.map((one) => one.operation), ...ofArea].includes(operation))
      .map(({ id }) => id);
    const described = OPERATIONS.filter(({ template }) => template.startsWith("/v1/")).map(({ id }) => id);
    expect(described.sort()).toEqual([...callable].sort());
  });

  test("puts every resource under /v1, and the rest beside it", () => {
    const others = OPERATIONS.map(({ template }) => template).filter((template) => !template.startsWith("/v1/"));
    for (const path of others) expect(path).toMatch(/^\/(openapi\.json|docs(\/.*)?|healthz|readyz)$/);
  });

  test("gives lists their parameters, with the contract's bounds", () => {
    const QUERIES: Record<string, string[]> = {
      listCustomers: [
        ...["cursor", "external_id", "ids", "limit", "offset", "search", "sort", "tax_id", "updated_since"],
      ],
      listProducts: [
        ...["cursor", "external_id", "ids", "limit", "offset", "search", "sku", "sort", "till_number", "updated_since"],
      ],
      listDocuments: [
        "cursor",
        "customer_id",
        "doc_type",
        "expand",
        "external_id",
        "from",
        "ids",
        "limit",
        "number",
        "offset",
        "payment_status",
        "reference_id",
        "series_id",
        "status",
        "to",
      ],
      listPayments: ["cursor", "document_id", "from", "kind", "limit", "offset", "to"],
      listDocumentLinks: ["limit", "offset"],
      listEmails: ["document_id", "limit", "offset", "status"],
      getTakings: ["date"],
      getStatement: ["from", "to"],
      getTakingsPdf: ["date", "lang"],
      getStatementPdf: ["from", "lang", "to"],
      listSeries: ["current", "date", "doc_type", "limit", "offset"],
      listWebhooks: ["limit", "offset"],
      listDeliveries: ["limit", "offset", "status"],
      readEvents: ["after", "limit"],
      getDocumentPdf: ["cash_given", "copies", "copy", "lang", "paper"],
      exportSaft: ["from", "to", "training"],
    };
    for (const operation of OPERATIONS) {
      const expected = QUERIES[operation.id] ?? [];
      expect(parametersOf(operation, "query").sort(), operation.id).toEqual(expected);
    }
    const list = OPERATIONS.find(({ id }) => id === "listCustomers");
    const limit = Object.values(list?.node.parameters ?? {}).find((each) => String(each?.name) === "limit");
    expect(limit?.schema).toMatchObject({ type: "integer", minimum: 1, maximum: 200, default: 50 });
  });

  test("offers Idempotency-Key on every POST but those that answer a secret", () => {
    const SECRETS = ["createWebhook", "rotateWebhookSecret", "createDocumentLink"];
    for (const operation of OPERATIONS) {
      const headers = parametersOf(operation, "header").map((name) => name.toLowerCase());
      const isOffered = operation.method === "POST" && !SECRETS.includes(operation.id);
      expect(headers.includes("idempotency-key"), operation.id).toBe(isOffered);
    }
  });

  test("requires a key on every resource, and nowhere else", () => {
    for (const { id, template, node } of OPERATIONS) {
      const security = (node.security ?? (document as { security?: unknown }).security) as
        | readonly object[]
        | undefined;
      const needsKey = (security ?? []).some((scheme) => Object.keys(scheme).length > 0);
      expect(needsKey, id).toBe(template.startsWith("/v1/"));
    }
  });
});

apiTest("every described route is served, and no route is served undescribed", async (api) => {
  for (const template of new Set(OPERATIONS.map(({ template }) => template))) {
    const path = template.replaceAll(/\{\w+\}/g, UNKNOWN_ID);
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"]) {
      const { status } = await api.call(method, path, { key: null });
      expect(status === 405, `${method} ${template}`).toBe(!methodsOf(template).includes(method));
    }
  }
});

apiTest("HEAD answers wherever GET does, with the same headers and no body", async (api) => {
  const same = ({ headers }: { headers: Headers }) =>
    [...headers].filter(([name]) => !/request-id|ratelimit|content-length/.test(name));
  for (const { template, id } of OPERATIONS.filter(({ method }) => method === "GET")) {
    const path = (await EXAMPLES.find((example) => example.id === id)?.path(api)) ?? template;
    const get = await api.call("GET", path);
    const head = await api.call("HEAD", path);
    expect([path, head.status, head.text]).toEqual([path, 200, ""]);
    expect(same(head), path).toEqual(same(get));
    // A streamed answer has no Content-Length.
    expect(head.headers.get("content-length"), path).toBe(get.headers.get("content-length"));
  }
});

apiTest("Location is the path of the created resource, if it can be read there", async (api) => {
  for (const example of EXAMPLES.filter(({ status }) => status === 201)) {
    const made = await api.call<{ id: string }>(example.method, await example.path(api), await sentBy(example, api));
    const location = made.headers.get("location") as string;
    expect(location, example.id).toMatch(new RegExp(`^/v1/\\w+/${made.body.id}$`));
    if (example.id === "recordPayment") continue; // payments are read in their list and inside their document
    const once = ["secret", "notices", ...(example.id === "createDocumentLink" ? ["url"] : [])];
    const shown = Object.fromEntries(Object.entries(made.body).filter(([name]) => !once.includes(name)));
    expect((await api.call("GET", location)).body, example.id).toMatchObject(shown);
  }
});

apiTest("inside v1 nothing is deprecated", async (api) => {
  for (const { method, path } of EXAMPLES) {
    const { headers } = await api.call(method, await path(api));
    expect([headers.get("deprecation"), headers.get("sunset")]).toEqual([null, null]);
  }
});

apiTest("other versions do not exist", async (api) => {
  for (const path of ["/v2/me", "/v0/me", "/v1.0/me", "/V1/me", "/me"]) {
    expect((await api.call("GET", path)).status).toBe(404);
  }
});

describe("the check of every answer against the description", () => {
  const error = JSON.stringify({ error: { code: "not_found", message: "There is no such customer." } });
  const limits = { RateLimit: "r", "RateLimit-Policy": "p", ...limitNumbers("120") };
  const language = { "Content-Language": "en", Vary: "Accept-Language" };
  const exchange = {
    method: "GET",
    path: `/v1/customers/${UNKNOWN_ID}`,
    sent: undefined,
    status: 404,
    headers: { "content-type": "application/json", "x-request-id": "12345678", ...limits, ...language },
    text: error,
  };
  const judge = (change: Partial<typeof exchange>) => {
    const { headers, ...rest } = { ...exchange, ...change };
    return problemsWith({ ...rest, headers: new Headers(headers) });
  };

  test("accepts a described answer", () => {
    expect(judge({})).toEqual([]);
  });

  test.each<[string, Partial<typeof exchange>]>([
    ["an undescribed status", { status: 418 }],
    ["an undescribed code", { text: error.replace("not_found", "gone") }],
    ["a member too many in an error", { text: error.replace("}}", '},"x":1}') }],
    ["a message left out", { text: '{"error":{"code":"not_found"}}' }],
    ["an error that is no JSON by its type", { headers: { ...exchange.headers, "content-type": "text/html" } }],
    ["a missing header", { headers: { "content-type": "application/json" } as never }],
    ["a header of another kind", { headers: { ...exchange.headers, ...limitNumbers("many") } }],
    ["a body with a field too many", { status: 200, text: '{"id":"x","extra":1}' }],
    ["a body where none is described", { method: "DELETE", status: 204, text: "{}" }],
    ["a status of its own on an unknown path", { path: "/v1/nothing", status: 200, text: "{}" }],
    ["an undescribed query that was accepted", { path: "/v1/customers?nada=1", status: 200 }],
  ])("finds %s", (_, change) => {
    expect(judge(change)).not.toEqual([]);
  });

  function limitNumbers(value: string) {
    return { "X-RateLimit-Limit": value, "X-RateLimit-Remaining": value, "X-RateLimit-Reset": value };
  }
});
