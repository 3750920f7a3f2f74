/** Refusals: their shape, their order, and those common to all operations. */
import { describe, expect, test } from "vitest";
import { uuidv7Source } from "../../../src/core/runtime/ports.ts";
import { methodsOf, OPERATIONS } from "../../support/description.ts";
import {
  type Api,
  apiTest,
  expectRefusal,
  nothing,
  type Scenario,
  scenarios,
  UNKNOWN_ID,
  withApi,
} from "../../support/http.ts";
import { EXAMPLES, hasId, pathOf, sentBy } from "../../support/requests.ts";
import { producesItsRefusals } from "./produced.ts";

const MIB = 1024 * 1024;

/** A request that breaks several rules on purpose. */
interface Broken {
  method: string;
  path: string;
  key: string | null;
  raw: string;
  headers: Record<string, string>;
}

/** The start of each pair: a payment on a draft, with its own key. */
interface Target {
  readonly draft_id: string;
  readonly key_id: string;
  readonly key: string;
}

/** One broken rule: how it is broken and how it is answered. A lower rank is refused first. */
interface Fault {
  readonly name: string;
  readonly rank: number;
  readonly answers: readonly string[];
  readonly breaks: (broken: Broken, target: Target, api: Api) => Promise<void> | void;
}

const PAYMENT = JSON.stringify({ amount: 1, method_code: "TB", payment_date: "2026-11-21" });

/** In the order they are checked. Faults of one rank cannot meet, or may be answered either way. */
const FAULTS: readonly Fault[] = [
  {
    name: "an unknown path",
    rank: 0,
    answers: ["404 not_found"],
    breaks: (broken) => {
      broken.path = "/v1/nothing";
    },
  },
  {
    name: "a method the path does not take",
    rank: 0,
    answers: ["405 method_not_allowed"],
    breaks: (broken) => {
      broken.method = "PUT";
    },
  },
  {
    name: "a revoked key",
    rank: 1,
    answers: ["401 unauthorized"],
    breaks: async (_, { key_id }, { lacre }) => void (await lacre.keys.revoke({ id: key_id })),
  },
  {
    name: "a key over its rate limit",
    rank: 2,
    answers: ["429 rate_limited"],
    breaks: async (_, { key_id }, { lacre }) => {
      while ((await lacre.takeRequest(key_id)).allowed);
    },
  },
  {
    name: "a key without the scope",
    rank: 3,
    answers: ["403 forbidden"],
    breaks: () => {}, // the key is made without it: see play
  },
  {
    name: "a body that is too large",
    rank: 4,
    answers: ["413 payload_too_large"],
    breaks: (broken) => {
      broken.raw += " ".repeat(MIB);
    },
  },
  {
    name: "a body whose type is not JSON",
    rank: 4,
    answers: ["415 unsupported_media_type"],
    breaks: (broken) => {
      broken.headers["content-type"] = "text/plain";
    },
  },
  {
    name: "a body that is wrong",
    rank: 5,
    answers: ["400 invalid_request"],
    breaks: (broken) => {
      broken.raw = broken.raw.replace(/"amount":1/, '"amount":-1');
    },
  },
  {
    name: "an Idempotency-Key of another request",
    rank: 6,
    answers: ["422 idempotency_key_reused"],
    breaks: async (broken, _, api) => {
      await api.call("POST", "/v1/customers", { body: { name: "Ana" }, idempotency_key: "used" });
      broken.headers["idempotency-key"] = "used";
    },
  },
  {
    name: "an unknown id",
    rank: 7,
    answers: ["404 not_found"],
    breaks: (broken, { draft_id }) => {
      broken.path = broken.path.replace(draft_id, UNKNOWN_ID);
    },
  },
  {
    name: "a document in the wrong state",
    rank: 8,
    answers: ["409 invalid_state"],
    breaks: () => {}, // a payment on a draft always is: see play
  },
];

const without = FAULTS.find(({ rank }) => rank === 3) as Fault;

/** Sends one request with all these faults and returns how it is refused. */
async function play(api: Api, faults: readonly Fault[]): Promise<string> {
  const { company_id } = api;
  const scopes = faults.includes(without) ? (["payments:read"] as const) : (["payments:write"] as const);
  const { id: key_id, api_key: key } = await api.lacre.keys.create({ company_id, name: "x", scopes: [...scopes] });
  const { id: draft_id } = await api.draft();
  const broken: Broken = {
    method: "POST",
    path: `/v1/documents/${draft_id}/payments`,
    key,
    raw: PAYMENT,
    headers: {},
  };
  for (const { breaks } of faults) await breaks(broken, { draft_id, key_id, key }, api);
  const { method, path, ...sent } = broken;
  const answer = await api.call<{ error: { code: string } }>(method, path, sent);
  return `${answer.status} ${answer.body.error.code}`;
}

describe("of two faults the first checked is reported", () => {
  for (const [i, earlier] of FAULTS.entries()) {
    apiTest(`${earlier.name} alone`, async (api) => {
      expect(await play(api, [earlier])).toBe(earlier.answers[0]);
    });
    for (const later of FAULTS.slice(i + 1).filter(({ rank }) => rank > earlier.rank)) {
      apiTest(`${earlier.name} before ${later.name}`, async (api) => {
        expect(await play(api, [earlier, later])).toBe(earlier.answers[0]);
        expect(await play(api, [later, earlier])).toBe(earlier.answers[0]);
      });
    }
  }

  apiTest("the scope that issue: true needs is checked before the rest of the body", async (api) => {
    const key = await api.keyWith("documents:write");
    const answer = await api.call("POST", "/v1/documents", { key, body: { issue: true, doc_type: "XX" } });
    expect(answer.status).toBe(403);
  });
});

/** The path with a query parameter that no operation takes. */
const withQuery = (path: string) => `${path}${path.includes("?") ? "&" : "?"}nada=1`;

describe("every operation refuses", () => {
  for (const example of EXAMPLES) {
    apiTest(`${example.id}: an unknown query parameter`, async (api) => {
      const sent = await sentBy(example, api);
      const answer = await api.call(example.method, withQuery(await pathOf(example, api)), sent);
      expect(answer.status).toBe(400);
      expectRefusal(answer, "invalid_request", "nada");
    });

    apiTest(`${example.id}: a key over its rate limit`, async (api) => {
      const { actor } = await api.lacre.authenticate(api.api_key);
      const [path, sent] = [await example.path(api), await sentBy(example, api)];
      while ((await api.lacre.takeRequest(actor.id)).allowed);
      const answer = await api.call(example.method, path, sent);
      expect(answer.status).toBe(429);
      expectRefusal(answer, "rate_limited");
      expect(answer.headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
    });

    apiTest(`${example.id}: an id that does not exist`, async (api) => {
      if (!(await hasId(example, api))) return;
      const answer = await api.call(example.method, await pathOf(example, api), await sentBy(example, api));
      expect(answer.status).toBe(404);
      expectRefusal(answer, "not_found");
    });

    if (!example.body) continue;
    const send = async (
      api: Api,
      change: { raw?: string | Uint8Array<ArrayBuffer>; headers?: Record<string, string> },
    ) =>
      api.call(example.method, await example.path(api), {
        raw: JSON.stringify(await example.body?.(api)),
        ...change,
      });

    apiTest(`${example.id}: a body over 1 MiB, and takes one of 1 MiB`, async (api) => {
      const body = Buffer.from(JSON.stringify(await example.body?.(api)));
      const sized = (bytes: number) => Buffer.concat([body, Buffer.alloc(bytes - body.length, " ")]);
      const fits = await send(api, { raw: sized(MIB) });
      expect(fits.status).toBe(example.status);
      const large = await send(api, { raw: sized(MIB + 1) });
      expect(large.status).toBe(413);
      expectRefusal(large, "payload_too_large");
    });

    apiTest(`${example.id}: a body that is not application/json`, async (api) => {
      for (const type of [
        "text/plain",
        "application/x-www-form-urlencoded",
        "application/xml",
        "",
        "json",
        "text/json",
      ]) {
        const answer = await send(api, { headers: { "content-type": type } });
        expect(answer.status, type).toBe(415);
        expectRefusal(answer, "unsupported_media_type");
      }
      const zipped = await send(api, { headers: { "content-encoding": "gzip" } });
      expect(zipped.status).toBe(415);
      const latin = await send(api, { headers: { "content-type": "application/json; charset=iso-8859-1" } });
      expect(latin.status).toBe(415);
    });

    apiTest(`${example.id}: a body that is not a JSON object`, async (api) => {
      for (const raw of ["{", "[]", "null", '"x"', "1", "{'a':1}", '{"a":1,}', "{} {}", "nada", "// x\n{}"]) {
        const answer = await send(api, { raw });
        expect(answer.status, raw).toBe(400);
        expectRefusal(answer, "invalid_request");
      }
    });

    apiTest(`${example.id}: an unknown field`, async (api) => {
      const raw = JSON.stringify({ ...(await example.body?.(api)), nada: 1 });
      expectRefusal(await send(api, { raw }), "invalid_request", "nada");
    });
  }

  for (const { id, method, template } of OPERATIONS.filter((operation) => operation.method === "DELETE")) {
    apiTest(`${id}: a body`, async (api) => {
      const path = template.replace("{id}", UNKNOWN_ID);
      const small = await api.call(method, path, { raw: "{}x" });
      expect(small.status).toBe(400);
      const large = await api.call(method, path, { raw: " ".repeat(MIB + 1) });
      expect(large.status).toBe(413);
      expectRefusal(large, "payload_too_large");
    });
  }

  for (const { id, template } of OPERATIONS.filter((operation) => !operation.template.startsWith("/v1/"))) {
    apiTest(`${id ?? template}: a query`, async (api) => {
      const answer = await api.call("GET", `${template}?nada=1`, { key: null });
      expect(answer.status).toBe(400);
      expectRefusal(answer, "invalid_request", "nada");
    });
  }

  apiTest("the type of a body may be written in any form that HTTP allows", async (api) => {
    for (const type of [
      "application/json",
      "Application/JSON",
      "application/json; charset=utf-8",
      "application/json;charset=UTF-8",
    ]) {
      const answer = await api.call("POST", "/v1/customers", {
        body: { name: "Ana" },
        headers: { "content-type": type },
      });
      expect(answer.status, type).toBe(201);
    }
  });
});

const ANA = '{"name":"Ana"}';
const refusedJson = (
  name: string,
  raw: string | Uint8Array<ArrayBuffer>,
  says: string | readonly string[] = [],
): Scenario<undefined> => ({
  name,
  request: "POST /v1/customers",
  raw,
  status: 400,
  code: "invalid_request",
  says,
  after: async (_, api) => {
    expect((await api.call("GET", "/v1/customers")).body).toMatchObject({ pagination: { total: 0 } });
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  },
});

scenarios("strict JSON refuses", nothing, [
  refusedJson("a member twice", '{"name":"Ana","name":"Rui"}', "name"),
  refusedJson("a member twice, once in escapes", '{"name":"Ana","n\\u0061me":"Rui"}', "name"),
  refusedJson("a member twice with one value", '{"name":"Ana","name":"Ana"}', "name"),
  refusedJson("__proto__", '{"name":"Ana","__proto__":{"polluted":1}}'),
  refusedJson("__proto__ in escapes", '{"name":"Ana","\\u005f_proto__":{"polluted":1}}'),
  refusedJson("constructor", '{"name":"Ana","constructor":{"prototype":{"polluted":1}}}', "constructor"),
  refusedJson(
    "bytes that are not UTF-8",
    new Uint8Array([...Buffer.from('{"name":"A'), 0xff, 0xfe, ...Buffer.from('"}')]),
  ),
  refusedJson(
    "UTF-8 of a surrogate",
    new Uint8Array([...Buffer.from('{"name":"A'), 0xed, 0xa0, 0x80, ...Buffer.from('"}')]),
  ),
  refusedJson("UTF-16", new Uint8Array(Buffer.from(ANA, "utf16le"))),
  refusedJson("a depth of 100,000", "[".repeat(100_000)),
  refusedJson("a depth of 100,000 that closes", `{"name":${"[".repeat(100_000)}${"]".repeat(100_000)}}`),
  refusedJson(
    "100,000 members",
    `{"name":"Ana",${Array.from({ length: 50_000 }, (_, i) => `"m${i}":1`).join(",")}}`,
    "20,000 members",
  ),
  refusedJson("a lone surrogate in a member's name", '{"name":"Ana","\\ud800":1}'),
  refusedJson("a control character as it is", '{"name":"A\na"}'),
  refusedJson("NaN", '{"name":NaN}'),
]);

apiTest("a repeated member deep inside a document is named by its path", async (api) => {
  const { id } = await api.draft();
  const raw = '{"lines":[{"description":"a","qty":1,"unit_price_net":1,"tax_rate":6,"qty":2}]}';
  const answer = await api.call("PATCH", `/v1/documents/${id}`, { raw });
  expect(answer.status).toBe(400);
  expectRefusal(answer, "invalid_request", "lines[0].qty");
});

describe("an unknown path", () => {
  for (const path of [
    "/",
    "/v1",
    "/v1/",
    "/v2/me",
    "/me",
    "/customers",
    "/v1/customer",
    "/v1/Customers",
    "/v1/customers/",
    "/v1//customers",
    "/v1/companies",
    "/v1/keys",
    "/v1/event",
    `/v1/payments/${UNKNOWN_ID}/void`,
    `/v1/documents/${UNKNOWN_ID}/lines`,
    "/v1/me/x",
    "/openapi.yaml",
    "/admin",
    "/metrics",
    "/.env",
    "/v1/me%00",
    "/%",
  ]) {
    apiTest(`${path} is 404, with a key or without`, async (api) => {
      for (const key of [null, api.api_key]) {
        const answer = await api.call("GET", path, { key });
        expect(answer.status).toBe(404);
        expectRefusal(answer, "not_found");
      }
    });
  }
});

describe("a method that a path does not take", () => {
  for (const template of new Set(OPERATIONS.map(({ template }) => template))) {
    apiTest(`${template} names the methods it takes`, async (api) => {
      const takes = methodsOf(template);
      const path = template.replaceAll(/\{\w+\}/g, UNKNOWN_ID);
      for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "PROPFIND"].filter((m) => !takes.includes(m))) {
        const answer = await api.call(method, path, { key: null });
        expect(answer.status, method).toBe(405);
        expectRefusal(answer, "method_not_allowed");
        const allowed = (answer.headers.get("allow") ?? "").split(/, */).filter((m) => m !== "HEAD" && m !== "OPTIONS");
        expect(allowed.sort()).toEqual(takes.toSorted());
        expect((answer.headers.get("allow") ?? "").includes("HEAD")).toBe(takes.includes("GET"));
      }
    });
  }
});

describe("our own failures", () => {
  test("a 500 reveals nothing, and its X-Request-Id finds the log entry", async () => {
    const newId = uuidv7Source();
    let failing = false;
    const options = { newId: (now: Date) => (failing ? fail() : newId(now)) };
    await withApi(async (api) => {
      failing = true;
      const headers = { "x-request-id": "order-4711" };
      const answer = await api.call("POST", "/v1/customers", { body: { name: "Ana" }, headers });
      failing = false;
      expect(answer.status).toBe(500);
      expectRefusal(answer, "internal_error");
      expect(answer.text).not.toMatch(/1234|stack|\.ts|Error:/);
      expect(answer.headers.get("x-request-id")).toBe("order-4711");
      expect(api.log).toContainEqual(expect.objectContaining({ level: "error", request_id: "order-4711" }));
      expect((await api.call("GET", "/v1/customers")).body).toMatchObject({ pagination: { total: 0 } });
    }, options);
  });

  for (const { id, method, template } of OPERATIONS) {
    const path = template.replaceAll(/\{\w+\}/g, UNKNOWN_ID);

    apiTest(
      `${id}: beyond the requests it can hold, 503 with the time to come back`,
      async (api) => {
        const answer = await api.call(method, path);
        expect(answer.status).toBe(503);
        expectRefusal(answer, "unavailable");
        expect(answer.headers.get("retry-after")).toMatch(/^\d+$/);
      },
      { handler: { maxInFlight: 0 } },
    );

    if (!template.startsWith("/v1/")) continue;
    apiTest(
      `${id}: when the host's own rate-limit store fails, 500 without its words`,
      async (api) => {
        const answer = await api.call(method, path);
        expect(answer.status).toBe(500);
        expectRefusal(answer, "internal_error");
        expect(answer.text).not.toContain("1234");
      },
      { rateLimit: { take: fail } },
    );
  }

  for (const path of ["/docs", "/docs/viewer.js", "/docs/viewer.css"]) {
    apiTest(
      `${path}: when its files are missing, 500 without their names`,
      async (api) => {
        const answer = await api.call("GET", path);
        expect(answer.status).toBe(500);
        expect(answer.text).not.toContain("1234");
      },
      { handler: { viewer: fail } },
    );
  }
});

function fail(): never {
  throw new Error("the password is 1234");
}

apiTest("X-Request-Id is on every answer, and the caller's own is kept when it is safe to log", async (api) => {
  for (const [method, path] of [
    ["GET", "/v1/me"],
    ["GET", "/nada"],
    ["PUT", "/v1/me"],
    ["GET", "/healthz"],
  ] as const) {
    const answer = await api.call(method, path, { headers: { "x-request-id": "order-4711.a_b" } });
    expect(answer.headers.get("x-request-id")).toBe("order-4711.a_b");
    const own = await api.call(method, path, { headers: { "x-request-id": 'x" y' } });
    expect(own.headers.get("x-request-id")).toMatch(/^[A-Za-z0-9._-]{8,128}$/);
  }
});

producesItsRefusals("refusals");
