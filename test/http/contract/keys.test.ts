/** Keys and scopes: who is let in, to what, and that nobody sees another company's rows. */
import { PERMISSIONS } from "lacre";
import { TEST_API_KEY } from "lacre/testing";
import { describe, expect } from "vitest";
import { OPERATIONS } from "../../support/description.ts";
import { type Api, apiTest, expectRefusal, UNKNOWN_ID } from "../../support/http.ts";
import { EXAMPLES, hasId, pathOf, sentBy } from "../../support/requests.ts";
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
  ["another scheme", `Basic ${btoa(`${TEST_API_KEY}:`)}`],
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
  ["a very long key", `Bearer lacre_test_${"a".repeat(5_000)}`],
  ["SQL", "Bearer ' or 1=1 --"],
];

describe("authentication", () => {
  for (const [what, authorization] of AUTHORIZATIONS) {
    apiTest(`${what} is 401, in the same words, and one line in the log`, async (api) => {
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

  apiTest("a key in the query does not count", async (api) => {
    const answer = await api.call("GET", `/v1/me?key=${api.api_key}`, { key: null });
    expect(answer.status).toBe(401);
    expect(JSON.stringify(api.log)).not.toContain(secret);
  });

  apiTest("the scheme is read in any case", async (api) => {
    for (const scheme of ["bearer", "BEARER"]) {
      const headers = { authorization: `${scheme} ${api.api_key}` };
      expect((await api.call("GET", "/v1/me", { headers })).status).toBe(200);
    }
  });

  apiTest("a revoked key is refused from the next request on, in the words of an unknown one", async (api) => {
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
  apiTest("each operation opens to the one scope it needs, and to no other", async (api) => {
    const keys = new Map<string, string>();
    for (const permission of PERMISSIONS) keys.set(permission, await api.keyWith(permission));
    for (const example of EXAMPLES) {
      const path = await pathOf(example, api);
      for (const [permission, key] of keys) {
        const answer = await api.call(example.method, path, { ...(await sentBy(example, api)), key });
        const what = `${example.id} with ${permission}`;
        if (example.needs === null || example.needs === permission) {
          expect(answer.status, what).toBe(path.includes(UNKNOWN_ID) ? 404 : example.status);
        } else {
          expect(answer.status, what).toBe(403);
          expectRefusal(answer, "forbidden", example.needs);
        }
      }
    }
  });

  apiTest("every operation of the description is in these tables", async () => {
    const described = OPERATIONS.filter(({ template }) => template.startsWith("/v1/")).map(({ id }) => id);
    expect(EXAMPLES.map(({ id }) => id).sort()).toEqual(described.sort());
  });

  apiTest("issuing while creating needs both scopes, drafting one", async (api) => {
    const body = await EXAMPLES.find(({ id }) => id === "createDocument")?.body?.(api);
    const write = await api.keyWith("documents:write");
    const issue = await api.keyWith("documents:issue");
    const both = await api.keyWith("documents:write", "documents:issue");
    const status = async (key: string, issue?: boolean) =>
      (await api.call("POST", "/v1/documents", { key, body: { ...body, ...(issue !== undefined && { issue }) } }))
        .status;
    expect([await status(write), await status(write, false), await status(write, true)]).toEqual([201, 201, 403]);
    expect([await status(issue), await status(issue, true)]).toEqual([403, 403]);
    expect(await status(both, true)).toBe(201);
    expect((await api.call("GET", "/v1/documents")).body).toMatchObject({ pagination: { total: 3 } });
  });

  apiTest("payments inside a document need documents:read alone", async (api) => {
    const { id } = await api.issued();
    await api.pay(id, 1);
    const key = await api.keyWith("documents:read");
    expect((await api.call("GET", `/v1/documents/${id}`, { key })).body).toMatchObject({ payments: [{ amount: 1 }] });
    expect((await api.call("GET", "/v1/payments", { key })).status).toBe(403);
  });

  apiTest("a name in a body needs no scope to read it", async (api) => {
    const body = await EXAMPLES.find(({ id }) => id === "createDocument")?.body?.(api);
    const key = await api.keyWith("documents:write");
    expect((await api.call("POST", "/v1/documents", { key, body })).status).toBe(201);
  });
});

describe("another company", () => {
  for (const example of EXAMPLES) {
    apiTest(`${example.id}: its ids, unknown ones and malformed ones are all the same 404`, async (api) => {
      if (!(await hasId(example, api))) return;
      const path = await example.path(api);
      const sent = await sentBy(example, api);
      const before = await snapshot(api);
      const { api_key: key } = await api.stranger();
      const id = path.split("/")[3] as string;
      const foreign = await api.call(example.method, path, { ...sent, key });
      expect(foreign.status).toBe(404);
      expectRefusal(foreign, "not_found");
      for (const other of [UNKNOWN_ID, "x", "1", "%00", "%F0%9F%98%80", "null", `${id}x`, "..%2f", "%25"]) {
        const answer = await api.call(example.method, path.replace(id, other), { ...sent, key });
        expect([other, answer.status, answer.text]).toEqual([other, 404, foreign.text]);
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
