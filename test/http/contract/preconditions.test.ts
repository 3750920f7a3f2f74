/** ETag and If-Match: who changes what somebody else has changed meanwhile is told so. */
import { describe, expect } from "vitest";
import { type Answer, type Api, apiTest, expectRefusal, LINE, TODAY } from "../../support/http.ts";
import { EXAMPLES, sentBy } from "../../support/requests.ts";
import { producesItsRefusals } from "./produced.ts";

const etagOf = ({ headers }: Answer) => headers.get("etag") as string;

/** The operations that compare an If-Match. */
const COMPARING = [
  ...["changeCustomer", "archiveCustomer", "changeProduct", "archiveProduct"],
  ...["changeDraft", "discardDraft", "issueDocument", "cancelDocument"],
];

const sentDraft = async (api: Api) => ({
  doc_type: "FR",
  series_id: api.series.FR,
  issue_date: TODAY,
  customer_id: (await api.customer()).id,
  lines: [LINE],
  payments: [{ amount: 1, method_code: "MB", payment_date: TODAY }],
});

describe("ETag", () => {
  for (const [path, body, changes] of [
    ["/v1/customers", async () => ({ name: "Ana", metadata: { b: "1", 2: "2" } }), { city: "Faro" }],
    ["/v1/products", async () => ({ name: "Pão", unit_price_net: 1, tax_rate: 6 }), { unit: "kg" }],
    ["/v1/documents", sentDraft, { notes: "Até sexta." }],
  ] as const) {
    apiTest(
      `${path}: what makes and what changes one answers the tag of its single read, so does a repeat`,
      async (api) => {
        const sent = { body: await body(api), idempotency_key: "made" };
        const made = await api.call<{ id: string }>("POST", path, sent);
        const one = `${path}/${made.body.id}`;
        expect(etagOf(made)).toMatch(/^"[\w-]{43}"$/);
        expect(etagOf(await api.call("GET", one))).toBe(etagOf(made));
        expect(etagOf(await api.call("HEAD", one))).toBe(etagOf(made));
        const changed = await api.call("PATCH", one, { body: changes, headers: { "if-match": etagOf(made) } });
        expect(changed.status, changed.text).toBe(200);
        expect(etagOf(changed)).not.toBe(etagOf(made));
        expect(etagOf(await api.call("GET", one))).toBe(etagOf(changed));
        expect(etagOf(await api.call("PATCH", one, { body: changes }))).toBe(etagOf(changed));
        const again = await api.call("POST", path, sent);
        expect([again.headers.get("idempotent-replayed"), etagOf(again)]).toEqual(["true", etagOf(made)]);
      },
    );
  }

  apiTest("lists, and documents that are issued as they are made, have none; their single read has", async (api) => {
    const issued = await api.call<{ id: string }>("POST", "/v1/documents", {
      body: { ...(await sentDraft(api)), issue: true },
    });
    expect([issued.status, etagOf(issued)]).toEqual([201, null]);
    expect(etagOf(await api.call("GET", "/v1/documents"))).toBeNull();
    expect(etagOf(await api.call("GET", `/v1/documents/${issued.body.id}`))).not.toBeNull();
  });
});

describe("If-Match", () => {
  for (const example of EXAMPLES.filter(({ id }) => COMPARING.includes(id))) {
    apiTest(`${example.id}: refuses with 412 what has changed, and takes what has not`, async (api) => {
      const path = await example.path(api);
      const single = path.replace(/\/(?:issue|cancel)$/, "");
      const sent = await sentBy(example, api);
      const before = await api.call("GET", single);
      const stale = await api.call(example.method, path, { ...sent, headers: { "if-match": '"zzz"' } });
      expect(stale.status).toBe(412);
      expectRefusal(stale, "precondition_failed", "read it again");
      expect((await api.call("GET", single)).text).toBe(before.text);
      const fresh = { ...sent, headers: { "if-match": etagOf(before) } };
      expect((await api.call(example.method, path, fresh)).status).toBe(example.status);
    });
  }

  for (const example of EXAMPLES.filter(({ id }) => !COMPARING.includes(id))) {
    apiTest(`${example.id}: is refused with 400, and does nothing`, async (api) => {
      const path = await example.path(api);
      const sent = await sentBy(example, api);
      const events = async () => (await api.lacre.as(api.company_id).events.list()).pagination.total;
      const before = await events();
      const refused = await api.call(example.method, path, { ...sent, headers: { "if-match": "*" } });
      expect(refused.status).toBe(400);
      expectRefusal(refused, "invalid_request", "If-Match: is not taken by");
      expect(await events()).toBe(before);
    });
  }

  apiTest("is refused by pages, too", async (api) => {
    for (const path of ["/openapi.json", "/healthz"]) {
      const refused = await api.call("GET", path, { key: null, headers: { "if-match": "*" } });
      expect(refused.status, path).toBe(400);
    }
  });

  apiTest("is told in Portuguese, too", async (api) => {
    const { id } = await api.draft();
    const headers = { "if-match": '"zzz"', "accept-language": "pt" };
    const { body } = await api.call("PATCH", `/v1/documents/${id}`, { body: { notes: "x" }, headers });
    expect(body).toMatchObject({
      error: { code: "precondition_failed", message: expect.stringContaining("leia de novo") },
    });
  });

  apiTest("of two tills at one draft exactly one wins, and the other learns of it", async (api) => {
    const { id } = await api.draft();
    const headers = { "if-match": etagOf(await api.call("GET", `/v1/documents/${id}`)) };
    const both = ["one", "two"].map((notes) =>
      api.call<{ notes: string }>("PATCH", `/v1/documents/${id}`, { body: { notes }, headers }),
    );
    const answers = await Promise.all(both);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
    const won = answers.find(({ status }) => status === 200);
    expect((await api.call("GET", `/v1/documents/${id}`)).body).toMatchObject({ notes: won?.body.notes });
  });
});

producesItsRefusals("preconditions");
