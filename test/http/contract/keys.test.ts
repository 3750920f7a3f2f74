/**
 * Keys and scopes over HTTP: who is let in, to what, and that nobody sees another company's rows. What a key is, is
 * tested in test/core/people/api-keys.test.ts; where a secret could leak, in test/http/security/keys.slow.test.ts.
 */
import { PERMISSIONS } from "lacre";
import { TEST_API_KEY } from "lacre/testing";
import { describe, expect } from "vitest";
import { unknownKey } from "../../support/api-keys.ts";
import { tapped } from "../../support/attack.ts";
import { OPERATIONS } from "../../support/description.ts";
import { type Api, apiTest, expectRefusal, TODAY, UNKNOWN_ID } from "../../support/http.ts";
import { EXAMPLES, hasId, sentBy } from "../../support/requests.ts";
import { UUID } from "../../support/shapes.ts";
import { producesItsRefusals } from "./produced.ts";

const secret = TEST_API_KEY.slice("lacre_test_".length);
/** The same key with one character of its secret, or of its checksum, changed. */
const changed = (at: number) => {
  const characters = [...TEST_API_KEY];
  characters[characters.length + at] = characters.at(at) === "a" ? "b" : "a";
  return characters.join("");
};

const AUTHORIZATIONS: [what: string, authorization: string][] = [
  ["nothing", ""],
  ["the scheme alone", "Bearer"],
  ["the scheme and a space", "Bearer "],
  ["the key alone", TEST_API_KEY],
  ["a key by another name", `Token ${TEST_API_KEY}`],
  ["a wrong checksum", `Bearer ${changed(-1)}`],
  ["a wrong secret", `Bearer ${changed(-20)}`],
  ["another kind", `Bearer lacre_live_${secret}`],
  ["another prefix", `Bearer sk_test_${secret}`],
  ["other case", `Bearer ${TEST_API_KEY.toUpperCase()}`],
  ["a character more", `Bearer ${TEST_API_KEY}0`],
  ["a character less", `Bearer ${TEST_API_KEY.slice(0, -1)}`],
  ["two keys", `Bearer ${TEST_API_KEY}, Bearer ${TEST_API_KEY}`],
  ["two keys with a space", `Bearer ${TEST_API_KEY} ${TEST_API_KEY}`],
  ["quotes", `Bearer "${TEST_API_KEY}"`],
  ["another scheme", `Basic ${btoa(`${TEST_API_KEY}:`)}`],
  ["the key as a password", `Basic ${btoa(`:${TEST_API_KEY}`)}`],
  ["the bare key under Basic", `Basic ${TEST_API_KEY}`],
  ["no space after the scheme", `Bearer${TEST_API_KEY}`],
  ["a colon after the scheme", `Bearer: ${TEST_API_KEY}`],
  ["a space inside the key", `Bearer ${TEST_API_KEY.slice(0, 20)} ${TEST_API_KEY.slice(20)}`],
  ["a no-break space after the key", `Bearer ${TEST_API_KEY}\u00a0`],
  ["an encoded space after the key", `Bearer ${TEST_API_KEY}%20`],
  ["an encoded NUL after the key", `Bearer ${TEST_API_KEY}%00`],
  ["a parameter after the key", `Bearer ${TEST_API_KEY}, realm="x"`],
  ["a good key after a bad one", `Bearer ${unknownKey()}, Bearer ${TEST_API_KEY}`],
  ["a key that does not exist", `Bearer ${unknownKey()}`],
  ["a test key that does not exist", `Bearer ${unknownKey("test")}`],
  ["a very long key", `Bearer lacre_test_${"a".repeat(5_000)}`],
  ["SQL", "Bearer ' or 1=1 --"],
];

describe("authentication", () => {
  for (const [what, authorization] of AUTHORIZATIONS) {
    apiTest(`${what} gets the same 401, and one log entry`, async (api) => {
      const { text } = await api.call("GET", "/v1/me", { key: null });
      api.log.length = 0;
      const answer = await api.call("GET", "/v1/me", { key: null, headers: { authorization } });
      expect(answer.status).toBe(401);
      expectRefusal(answer, "unauthorized");
      expect(answer.text).toBe(text);
      expect(answer.headers.get("www-authenticate")).toMatch(/^Bearer/);
      const refusals = api.log.filter(({ level }) => level === "warn");
      expect(refusals).toMatchObject([{ remote_address: "203.0.113.7" }]);
      expect(JSON.stringify(api.log)).not.toContain(secret);
    });
  }

  apiTest("a key counts only in the header Authorization, once", async (api) => {
    const { text } = await api.call("GET", "/v1/me", { key: null });
    for (const name of ["api_key", "key", "token", "access_token", "authorization"]) {
      const answer = await api.call("GET", `/v1/me?${name}=${api.api_key}`, { key: null });
      expect([name, answer.status, answer.text]).toEqual([name, 401, text]);
    }
    for (const name of ["x-api-key", "proxy-authorization", "cookie", "x-authorization"]) {
      const headers = { [name]: `Bearer ${api.api_key}` };
      const answer = await api.call("GET", "/v1/me", { key: null, headers });
      expect([name, answer.status, answer.text]).toEqual([name, 401, text]);
    }
    expect(JSON.stringify(api.log)).not.toContain(secret);
  });

  apiTest("the scheme may be in any case", async (api) => {
    for (const scheme of ["bearer", "BEARER"]) {
      const headers = { authorization: `${scheme} ${api.api_key}` };
      expect((await api.call("GET", "/v1/me", { headers })).status).toBe(200);
    }
  });

  apiTest("a revoked key is refused from the next request on, with the same answer as an unknown one", async (api) => {
    const { id, api_key: key } = await api.lacre.keys.create({
      company_id: api.company_id,
      name: "till",
      scopes: ["customers:read"],
    });
    expect(key).toMatch(/^lacre_live_[0-9A-Za-z]{49}$/);
    expect((await api.call("GET", "/v1/customers", { key })).status).toBe(200);
    await api.lacre.keys.revoke({ id });
    const revoked = await api.call("GET", "/v1/customers", { key });
    const unknown = await api.call("GET", "/v1/customers", { key: changed(-1) });
    expect([revoked.status, revoked.text]).toEqual([401, unknown.text]);
  });

  for (const example of EXAMPLES) {
    apiTest(`${example.id} is refused without a key`, async (api) => {
      const sent = await sentBy(example, api);
      const answer = await api.call(example.method, await example.path(api), { ...sent, key: null });
      expect(answer.status).toBe(401);
      expectRefusal(answer, "unauthorized");
    });
  }
});

describe("scopes", () => {
  const tap = tapped();
  apiTest(
    "each operation accepts the one scope it needs, and refuses each other scope, all others and none",
    async (api) => {
      const keys = new Map<string, string>();
      for (const permission of PERMISSIONS) keys.set(permission, await api.keyWith(permission));
      const none = await api.lacre.keys.create({ company_id: api.company_id, name: "none", scopes: ["saft:read"] });
      await tap.read(`update api_keys set scopes = '' where id = '${none.id}'`); // no such key can be created
      for (const example of EXAMPLES) {
        const path = await example.path(api);
        const sent = await sentBy(example, api);
        const before = await snapshot(api);
        const allOthers = await api.keyWith(...PERMISSIONS.filter((permission) => permission !== example.needs));
        for (const [name, key] of [...keys, ["all others", allOthers], ["none", none.api_key]] as const) {
          if (example.needs === null || example.needs === name) continue;
          const answer = await api.call(example.method, path, { ...sent, key });
          expect(answer.status, `${example.id} with ${name}`).toBe(403);
          expectRefusal(answer, "forbidden", example.needs);
        }
        expect(await snapshot(api)).toEqual(before);
        for (const key of example.needs === null ? keys.values() : [keys.get(example.needs)]) {
          const answer = await api.call(example.method, path, { ...sent, key: key as string });
          expect(answer.status, example.id).toBe(example.status);
        }
      }
    },
    { dialect: tap.dialect },
  );

  apiTest("a missing scope is reported before any fault of the body or the resource", async (api) => {
    const key = await api.keyWith("saft:read");
    for (const raw of ["{", "x".repeat(1024 * 1024 + 1), JSON.stringify({ unknown: 1 })]) {
      expect((await api.call("POST", "/v1/customers", { key, raw })).status).toBe(403);
    }
    const headers = { "content-type": "text/plain" };
    expect((await api.call("POST", "/v1/customers", { key, raw: "x", headers })).status).toBe(403);
    expect((await api.call("GET", "/v1/customers/nothing", { key })).status).toBe(403);
    expect((await api.call("GET", "/v1/customers?limit=x", { key })).status).toBe(403);
  });

  apiTest("the examples are exactly the described operations", async () => {
    const described = OPERATIONS.filter(({ template }) => template.startsWith("/v1/")).map(({ id }) => id);
    expect(EXAMPLES.map(({ id }) => id).sort()).toEqual(described.sort());
  });

  apiTest("creating and issuing at once needs both scopes, drafting one", async (api) => {
    const body = await EXAMPLES.find(({ id }) => id === "createDocument")?.body?.(api);
    const write = await api.keyWith("documents:write");
    const issue = await api.keyWith("documents:issue");
    const both = await api.keyWith("documents:write", "documents:issue");
    const create = (key: string, issue?: boolean) =>
      api.call("POST", "/v1/documents", { key, body: { ...body, ...(issue !== undefined && { issue }) } });
    expect([(await create(write)).status, (await create(write, false)).status]).toEqual([201, 201]);
    expectRefusal(await create(write, true), "forbidden", "documents:issue");
    expectRefusal(await create(issue), "forbidden", "documents:write");
    expectRefusal(await create(issue, true), "forbidden", "documents:write");
    const issued = await create(both, true);
    expect([issued.status, issued.body]).toMatchObject([201, { status: "issued" }]);
    expect((await api.call("GET", "/v1/documents")).body).toMatchObject({ pagination: { total: 3 } });
  });

  apiTest("payments inside a document need documents:read alone", async (api) => {
    const { id } = await api.issued();
    await api.pay(id, 1);
    const key = await api.keyWith("documents:read");
    expect((await api.call("GET", `/v1/documents/${id}`, { key })).body).toMatchObject({ payments: [{ amount: 1 }] });
    expect((await api.call("GET", "/v1/payments", { key })).status).toBe(403);
  });

  apiTest("an id in a body needs no scope to read its resource", async (api) => {
    const body = await EXAMPLES.find(({ id }) => id === "createDocument")?.body?.(api);
    const key = await api.keyWith("documents:write");
    expect((await api.call("POST", "/v1/documents", { key, body })).status).toBe(201);
  });
});

describe("the scope of refunds", () => {
  apiTest("giving money back needs a scope of its own, wherever it is sent", async (api) => {
    const invoice = await api.issued();
    await api.pay(invoice.id, 123);
    const payments = [{ amount: 1, method_code: "NU", payment_date: TODAY, kind: "refund" }];
    const credit = await api.draft({
      doc_type: "NC",
      customer_id: invoice.customer_id,
      references: [{ document_id: invoice.id }],
      payments,
    });
    const [recorded, changed, issued] = [
      ["POST", `/v1/documents/${invoice.id}/payments`, payments[0]],
      ["PATCH", `/v1/documents/${credit.id}`, { payments }],
      ["POST", `/v1/documents/${credit.id}/issue`, undefined],
    ] as const;
    const without = await api.keyWith(...PERMISSIONS.filter((permission) => permission !== "payments:refund"));
    for (const [method, path, body] of [recorded, changed, issued]) {
      expectRefusal(await api.call(method, path, { key: without, body }), "forbidden", "payments:refund");
    }
    expect((await api.call("POST", issued[1])).status).toBe(200);
    const both = await api.keyWith("payments:write", "payments:refund");
    expect((await api.call("POST", recorded[1], { key: both, body: recorded[2] })).status).toBe(201);
  });
});

describe("another company", () => {
  for (const example of EXAMPLES) {
    apiTest(`${example.id}: its ids, unknown ones and malformed ones all get the same 404`, async (api) => {
      if (!(await hasId(example, api))) return;
      const path = await example.path(api);
      const sent = await sentBy(example, api);
      const before = await snapshot(api);
      const { api_key: key } = await api.stranger();
      const id = path.split("/").find((part) => UUID.test(part)) as string;
      const foreign = await api.call(example.method, path, { ...sent, key });
      expect(foreign.status).toBe(404);
      expectRefusal(foreign, "not_found");
      for (const other of [UNKNOWN_ID, "x", "1", "null", `${id}x`, "a..b"]) {
        const answer = await api.call(example.method, path.replace(id, other), { ...sent, key });
        expect([other, answer.status, answer.text]).toEqual([other, 404, foreign.text]);
      }
      for (const encoded of ["%00", "%F0%9F%98%80", "..%2f", "%25", id.replace("-", "%2D")]) {
        const answer = await api.call(example.method, path.replace(id, encoded), { ...sent, key });
        expect([encoded, answer.status]).toEqual([encoded, 404]);
        expectRefusal(answer, "not_found");
      }
      expect(await snapshot(api)).toEqual(before);
    });
  }
});

/** Everything the company can list. */
async function snapshot(api: Api): Promise<unknown[]> {
  const lists = [];
  for (const list of ["customers", "products", "documents", "payments", "series"]) {
    lists.push((await api.call("GET", `/v1/${list}`)).body);
  }
  return lists;
}

producesItsRefusals("keys");
