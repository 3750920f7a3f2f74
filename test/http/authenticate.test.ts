/** `authenticate`: the host program's own session tells who sends a request. */
import type { Document, LogEntry } from "lacre";
import { type Authenticate, createHandler, type HandlerOptions } from "lacre/http";
import { openInMemory, type TestInstance } from "lacre/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { anArea } from "../support/area.ts";
import { NOW, TODAY, UNKNOWN_ID } from "../support/drivers.ts";
import { aDraft } from "../support/factories.ts";

interface Sending {
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  /** The host's session, as its cookie names it. */
  readonly session?: string;
}

/** What a browser says of a request of the host's own page. */
const OWN_PAGE = { "sec-fetch-site": "same-origin" };

/** An instance whose host knows the sessions of this cookie by name. */
async function aHost(sessions: Readonly<Record<string, unknown>>, options: HandlerOptions = {}) {
  const clock = { monotonic: 0 };
  const log: LogEntry[] = [];
  const instance = await openInMemory({
    now: () => new Date(NOW),
    monotonic: () => clock.monotonic,
    log: (entry) => log.push(entry),
  });
  onTestFinished(() => instance.lacre.close());
  const asked: string[] = [];
  const authenticate = async ({ header }: Parameters<Authenticate>[0]) => {
    const name = /session=(\w+)/.exec(header("cookie") ?? header("authorization") ?? "")?.[1];
    asked.push(name ?? "");
    const found = sessions[name ?? ""];
    return typeof found === "function" ? found(instance) : found && { company: instance.company_id, ...found };
  };
  const handler = createHandler(instance.lacre, { authenticate, ...options });
  async function send(method: string, path: string, { body, headers = OWN_PAGE, session }: Sending = {}) {
    const all = {
      ...headers,
      ...(session && { cookie: `session=${session}` }),
      ...(body && { "content-type": "application/json" }),
    };
    const sent = { method, headers: all, body: body ? JSON.stringify(body) : null };
    const answer = await handler(new Request(`https://loja.example${path}`, sent), { remote_address: "203.0.113.7" });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, body: text === "" ? null : JSON.parse(text) };
  }
  return { ...instance, clock, log, asked, send };
}

const MARIA = { actor: "Maria, till 2", role: "cashier" };
const refusal = (status: number, code: string, message: unknown = expect.any(String)) => ({
  status,
  body: { error: { code, message } },
});

describe("a session of the host", () => {
  test("acts in its company under its name, with the permissions of its role", async () => {
    const host = await aHost({ maria: MARIA });
    const { company, series } = host;
    const me = await host.send("GET", "/v1/me", { session: "maria" });
    expect(me.body).toMatchObject({
      company: { id: host.company_id },
      scopes: expect.arrayContaining(["documents:issue"]),
    });
    expect(me.body.scopes).not.toContain("saft:read");
    const customer = await host.send("POST", "/v1/customers", { session: "maria", body: { name: "Ana" } });
    expect(customer.status).toBe(201);
    const invoice = await host.send("POST", "/v1/documents", {
      session: "maria",
      body: {
        doc_type: "FT",
        series_id: series.FT,
        issue_date: TODAY,
        customer_id: customer.body.id,
        lines: [{ description: "Pão", qty: 1, unit_price_net: 1, tax_rate: 6 }],
        issue: true,
      },
    });
    expect(invoice).toMatchObject({ status: 201, body: { status: "issued" } });
    const { data } = await company.events.list({ resource_id: invoice.body.id });
    expect(data).toMatchObject([{ action: "document.issued", actor: { kind: "host", name: "Maria, till 2" } }]);
    const request = host.log.filter(({ event }) => event === "request").at(-1);
    expect(request).toMatchObject({ company_id: host.company_id, key_id: null, user_id: null });
    expect(JSON.stringify(request)).not.toContain("Maria");
  });

  test("each name is an actor of its own", async () => {
    const host = await aHost({ maria: MARIA, rui: { actor: "Rui", scopes: ["customers:write"] } });
    for (const session of ["maria", "rui", "maria"]) {
      expect((await host.send("POST", "/v1/customers", { session, body: { name: "Ana" } })).status).toBe(201);
    }
    const { data } = await host.company.actors.list();
    expect(data.filter(({ kind }) => kind === "host").map(({ name }) => name)).toEqual(
      expect.arrayContaining(["Maria, till 2", "Rui"]),
    );
    expect(new Set(data.map(({ code }) => code)).size).toBe(data.length);
  });

  test.each([
    ["a role", { role: "accountant" }, "POST", "/v1/customers", "customers:write"],
    ["a role", { role: "cashier" }, "GET", "/v1/saft?from=2026-01-01&to=2026-01-31", "saft:read"],
    ["scopes", { scopes: ["customers:read"] }, "GET", "/v1/documents", "documents:read"],
    ["no scopes", { scopes: [] }, "GET", "/v1/customers", "customers:read"],
  ])("%s that lacks a permission gives 403 and names it", async (_, may, method, path, permission) => {
    const host = await aHost({ maria: { actor: "Maria", ...may } });
    const answer = await host.send(method, path, {
      session: "maria",
      ...(method === "POST" && { body: { name: "Ana" } }),
    });
    expect(answer).toMatchObject(refusal(403, "forbidden", `Your role does not allow this (${permission}).`));
    expect((await host.send("GET", "/v1/me", { session: "maria" })).status).toBe(200);
  });

  test("issue: true needs the permission to issue", async () => {
    const host = await aHost({ maria: { actor: "Maria", scopes: ["documents:write"] } });
    const answer = await host.send("POST", "/v1/documents", { session: "maria", body: { issue: true } });
    expect(answer).toMatchObject(refusal(403, "forbidden", expect.stringContaining("documents:issue")));
  });

  test("reaches nothing of another company", async () => {
    const host = await aHost({ maria: { ...MARIA, role: "owner" } });
    const { id } = await host.lacre.companies.create({ name: "Outra", tax_id: "501964843" });
    const stranger = await host.lacre.as(id).customers.create({ name: "Rui" });
    expect(await host.send("GET", `/v1/customers/${stranger.id}`, { session: "maria" })).toMatchObject(
      refusal(404, "not_found"),
    );
    expect((await host.send("GET", "/v1/customers", { session: "maria" })).body.pagination.total).toBe(0);
  });

  test("may name the company by its object", async () => {
    const host = await aHost({ maria: ({ company_id }: TestInstance) => ({ ...MARIA, company: { id: company_id } }) });
    expect((await host.send("GET", "/v1/me", { session: "maria" })).body.company.id).toBe(host.company_id);
  });

  test("repeats a request by its Idempotency-Key, which belongs to the company, and not to the session", async () => {
    const host = await aHost({ maria: MARIA, rui: { actor: "Rui", role: "cashier" } });
    const { id } = await aDraft(host);
    const headers = { ...OWN_PAGE, "idempotency-key": "order-1001" };
    const issue = (session: string) => host.send("POST", `/v1/documents/${id}/issue`, { session, headers });
    const first = await issue("maria");
    const again = await issue("rui");
    expect([first.status, again.status, again.headers.get("idempotent-replayed")]).toEqual([200, 200, "true"]);
    expect(again.body).toEqual(first.body);
    const other = await host.send("POST", "/v1/customers", { session: "maria", headers, body: { name: "Ana" } });
    expect(other).toMatchObject(refusal(422, "idempotency_key_reused"));
  });

  test("may send 1,200 requests in any 60 seconds, each name by itself", async () => {
    const host = await aHost({ maria: MARIA, rui: { actor: "Rui", role: "cashier" } });
    const me = (session: string) => host.send("GET", "/v1/me", { session });
    const first = await me("maria");
    expect(first.headers.get("ratelimit")).toBe('"default";r=1199;t=60');
    for (let i = 1; i < 1_200; i++) expect((await me("maria")).status).toBe(200);
    const refused = await me("maria");
    expect(refused).toMatchObject(refusal(429, "rate_limited"));
    expect(refused.headers.get("retry-after")).toBe("60");
    expect((await me("rui")).status).toBe(200);
    host.clock.monotonic += 60_000;
    expect((await me("maria")).status).toBe(200);
  });
});

describe("a request without a session of the host", () => {
  test("is a key's, or nobody's; only a refused key is logged as an attempt", async () => {
    const host = await aHost({ maria: MARIA });
    const authorization = `Bearer ${host.api_key}`;
    expect((await host.send("GET", "/v1/me", { headers: { authorization } })).status).toBe(200);
    const attempts = () => host.log.filter(({ event }) => event === "auth_refused").length;
    const nobody = refusal(401, "unauthorized", "Log in: there is no session, or it has ended.");
    expect(await host.send("GET", "/v1/me")).toMatchObject(nobody);
    expect(await host.send("GET", "/v1/me", { session: "ended" })).toMatchObject(nobody);
    expect(attempts()).toBe(0);
    const wrong = await host.send("GET", "/v1/me", { headers: { authorization: "Bearer wrong" } });
    expect(wrong).toMatchObject(refusal(401, "unauthorized"));
    expect(attempts()).toBe(1);
  });

  test.each([null, undefined, false])("%s means none", async (none) => {
    const host = await aHost({ maria: () => none });
    expect((await host.send("GET", "/v1/me", { session: "maria" })).status).toBe(401);
  });

  test("may have a session of the company area", async () => {
    const asked: string[] = [];
    const authenticate: Authenticate = ({ target }) => void asked.push(target);
    const area = await anArea({ handler: { authenticate } });
    const owner = await area.owner();
    expect(asked).toEqual([]); // the area's own requests are its own
    expect((await owner.send("GET", "/v1/customers")).status).toBe(200);
    expect(asked).toEqual(["/v1/customers"]);
    expect((await area.browser().send("GET", "/v1/customers")).status).toBe(401);
  });

  test("a key of Lacre counts before any session, even one that is no longer valid", async () => {
    const host = await aHost({ maria: MARIA });
    const headers = { ...OWN_PAGE, authorization: `Bearer ${host.api_key}` };
    const me = await host.send("GET", "/v1/me", { session: "maria", headers });
    expect(me.body.scopes).toContain("saft:read");
    const malformed = { ...OWN_PAGE, authorization: `bearer ${host.api_key}x` };
    expect((await host.send("GET", "/v1/me", { session: "maria", headers: malformed })).status).toBe(401);
    expect(host.asked).toEqual([]);
    const theirs = await host.send("GET", "/v1/me", { headers: { authorization: "Bearer session=maria" } });
    expect(theirs.body.scopes).not.toContain("saft:read");
    expect(host.asked).toEqual(["maria"]);
  });
});

describe("a page of another site", () => {
  const FORGED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    "another site": { "sec-fetch-site": "cross-site", origin: "https://evil.example" },
    "another host of the same site": { "sec-fetch-site": "same-site", origin: "https://blog.loja.example" },
    "another origin": { origin: "https://evil.example" },
    "nobody who says": {},
  };

  test.each(Object.entries(FORGED))("issues, changes and deletes nothing: %s", async (_, headers) => {
    const host = await aHost({ maria: { ...MARIA, role: "owner" } });
    const { id } = await aDraft(host);
    for (const [method, path] of [
      ["POST", `/v1/documents/${id}/issue`],
      ["PATCH", `/v1/documents/${id}`],
      ["DELETE", `/v1/documents/${id}`],
    ] as const) {
      const forged = await host.send(method, path, { session: "maria", headers });
      expect(forged).toMatchObject(
        refusal(403, "forbidden", expect.stringContaining("came from a page of another address")),
      );
    }
    expect((await host.company.documents.get({ id })).status).toBe("draft");
    const read = await host.send("GET", `/v1/documents/${id}`, { session: "maria", headers });
    expect([read.status, read.headers.get("cross-origin-resource-policy")]).toEqual([200, "same-origin"]);
    const own = await host.send("POST", `/v1/documents/${id}/issue`, { session: "maria" });
    expect(own.body.status).toBe("issued");
  });

  test("is the host's to detect, if it says that it did", async () => {
    const host = await aHost({ app: { ...MARIA, csrfSafe: true }, truthy: { ...MARIA, csrfSafe: 1 } });
    const create = (session: string) =>
      host.send("POST", "/v1/customers", { session, headers: {}, body: { name: "Ana" } });
    expect((await create("app")).status).toBe(201);
    expect((await create("truthy")).status).toBe(403);
  });
});

describe("a failure of the host", () => {
  const WRONG: readonly (readonly [string, (instance: TestInstance) => unknown, string])[] = [
    [
      "an error",
      () => {
        throw new Error("the session store is down");
      },
      "the session store is down",
    ],
    ["a rejection that is no error", () => Promise.reject("down"), "down"],
    ["a role that there is not", () => ({ ...MARIA, company: UNKNOWN_ID, role: "boss" }), "role: must be one of owner"],
    [
      "a scope that there is not",
      () => ({ actor: "A", company: UNKNOWN_ID, scopes: ["all"] }),
      "scopes[0]: must be one of",
    ],
    ["neither role nor scopes", ({ company_id }) => ({ actor: "A", company: company_id }), "role: is required"],
    ["both of them", () => ({ ...MARIA, company: UNKNOWN_ID, scopes: [] }), "scopes: must not be sent with role"],
    ["no name", () => ({ company: UNKNOWN_ID, role: "owner" }), "actor: is required"],
    ["an empty name", () => ({ company: UNKNOWN_ID, role: "owner", actor: " " }), "actor: must not be empty"],
    ["no company", () => MARIA, "company: "],
    ["an unknown company", () => ({ ...MARIA, company: UNKNOWN_ID }), "There is no such company."],
    ["a text", () => "maria", "must be an object"],
  ];

  test.each(WRONG)("%s is answered with 500 in the usual form, and logged", async (_, hook, logged) => {
    const host = await aHost({ maria: hook });
    for (const [method, body] of [
      ["GET", undefined],
      ["POST", { name: "Ana" }],
    ] as const) {
      const answer = await host.send(method, "/v1/customers", { session: "maria", ...(body && { body }) });
      expect(answer).toMatchObject(refusal(500, "internal_error", "Something went wrong on our side."));
      const entry = host.log.find(({ event, request_id }) => {
        return event === "internal_error" && request_id === answer.headers.get("x-request-id");
      });
      expect(entry).toMatchObject({ level: "error", stack: expect.stringContaining(logged) });
    }
    expect((await host.company.customers.list()).pagination.total).toBe(0);
  });

  test("a refusal of Lacre inside the hook is the host's failure, too", async () => {
    const host = await aHost({
      maria: ({ company }: TestInstance) => company.customers.get({ id: UNKNOWN_ID }),
    });
    expect(await host.send("GET", "/v1/me", { session: "maria" })).toMatchObject(refusal(500, "internal_error"));
    const entry = host.log.find(({ event }) => event === "internal_error");
    expect(entry?.stack).toContain("authenticate failed with not_found: There is no such customer.");
  });

  test("a company that was unknown is found once it exists", async () => {
    let company = UNKNOWN_ID;
    const host = await aHost({ maria: () => ({ ...MARIA, company }) });
    expect((await host.send("GET", "/v1/me", { session: "maria" })).status).toBe(500);
    company = (await host.lacre.companies.create({ name: "Nova", tax_id: "501964843" })).id;
    expect((await host.send("GET", "/v1/me", { session: "maria" })).body.company.name).toBe("Nova");
  });

  test("while Lacre closes, the answer is 503 as always", async () => {
    const host = await aHost({ maria: MARIA });
    await host.lacre.close();
    expect(await host.send("GET", "/v1/me", { session: "maria" })).toMatchObject(refusal(503, "unavailable"));
  });
});

test("unknown paths, pages and the description ask nobody", async () => {
  const host = await aHost({ maria: MARIA });
  expect((await host.send("GET", "/v1/none", { session: "maria" })).status).toBe(404);
  expect((await host.send("GET", "/openapi.json", { session: "maria" })).status).toBe(200);
  expect(host.asked).toEqual([]);
});

test("the context is the Request, or the value that the handler's caller passes", async () => {
  const contexts: unknown[] = [];
  const { lacre } = await aHost({});
  const handler = createHandler(lacre, { authenticate: (_, context) => void contexts.push(context) });
  const request = new Request("https://loja.example/v1/me");
  await handler(request);
  await handler(request, { context: "the framework's" });
  await handler(request, { remote_address: "203.0.113.7" });
  expect(contexts).toEqual([request, "the framework's", request]);
});

test("an invoice of a session and one of the library are under the same name by the same actor", async () => {
  const host = await aHost({ maria: MARIA });
  const till = host.lacre.as(host.company_id, { actor: "Maria, till 2" });
  const one = await aDraft({ ...host, company: till });
  const issued = await host.send("POST", `/v1/documents/${one.id}/issue`, { session: "maria" });
  expect((issued.body as Document).status).toBe("issued");
  const { data } = await host.company.events.list({ resource_id: one.id });
  expect(new Set(data.map(({ actor }) => actor.id)).size).toBe(1);
});
