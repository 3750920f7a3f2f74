/** Idempotency-Key: a repeated request is done once, and answered with the same bytes. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pemSigner, type Signer } from "lacre";
import { sqlite } from "lacre/sqlite";
import { TEST_SIGNING_KEY } from "lacre/testing";
import { describe, expect, test } from "vitest";
import type { Document } from "../../../src/core/documents/document.ts";
import { type Answer, type Api, apiTest, expectRefusal, LINE, TODAY, withApi } from "../../support/http.ts";
import { EXAMPLES, sentBy } from "../../support/requests.ts";
import { producesItsRefusals } from "./produced.ts";

const HOUR = 3_600_000;
/** Operations that take no key, as their answer holds a secret. */
const SECRETS = ["createWebhook", "rotateWebhookSecret", "createDocumentLink"];
/** It takes a key and remembers nothing, as it changes nothing: documents-preview.test.ts. */
const FORGOTTEN = "previewNewDocument";
const POSTS = EXAMPLES.filter(({ id, method }) => method === "POST" && ![...SECRETS, FORGOTTEN].includes(id));

const postAna = (api: Api, idempotency_key: string, name = "Ana") =>
  api.call<{ id: string }>("POST", "/v1/customers", { body: { name }, idempotency_key });
const customers = async (api: Api) =>
  (await api.call<{ pagination: { total: number } }>("GET", "/v1/customers")).body.pagination.total;

/** The headers that a replay must repeat. */
const lasting = ({ headers }: Answer): (string | null)[] =>
  ["content-type", "location", "cache-control"].map((name) => headers.get(name));

describe("the same request again", () => {
  for (const example of POSTS) {
    apiTest(`${example.id}: gets the first answer byte for byte, and does nothing`, async (api) => {
      const path = await example.path(api);
      const sent = { ...(await sentBy(example, api)), idempotency_key: "order-1" };
      const first = await api.call(example.method, path, sent);
      expect(first.status, first.text).toBe(example.status);
      expect(first.headers.get("idempotent-replayed")).toBeNull();
      const before = await everything(api);
      api.today = new Date(api.today.getTime() + HOUR);
      const again = await api.call(example.method, path, sent);
      expect([again.status, again.text, lasting(again)]).toEqual([first.status, first.text, lasting(first)]);
      expect(again.headers.get("idempotent-replayed")).toBe("true");
      expect(await everything(api)).toEqual(before);
    });

    apiTest(`${example.id}: with another request's key is 422, and does nothing`, async (api) => {
      const path = await example.path(api);
      const sent = await sentBy(example, api);
      await api.call("POST", "/v1/products", {
        body: { name: "Pão", unit_price_net: 1.23, tax_rate: 6 },
        idempotency_key: "order-1",
      });
      const before = await everything(api);
      const answer = await api.call(example.method, path, { ...sent, idempotency_key: "order-1" });
      expect(answer.status).toBe(422);
      expectRefusal(answer, "idempotency_key_reused");
      expect(await everything(api)).toEqual(before);
    });
  }

  for (const example of EXAMPLES.filter(({ id }) => SECRETS.includes(id))) {
    apiTest(`${example.id}: takes no key, because its answer is not kept`, async (api) => {
      const sent = { ...(await sentBy(example, api)), idempotency_key: "order-1" };
      expectRefusal(
        await api.call(example.method, await example.path(api), sent),
        "invalid_request",
        "Idempotency-Key",
      );
    });
  }

  apiTest("members in another order and other spacing are the same request", async (api) => {
    const first = await api.call("POST", "/v1/customers", {
      raw: '{"name":"Ana","city":"Faro"}',
      idempotency_key: "k",
    });
    const again = await api.call("POST", "/v1/customers", {
      raw: '{ "city" : "Faro",\n "name" : "Ana" }',
      idempotency_key: "k",
    });
    expect(again.text).toBe(first.text);
    expect(await customers(api)).toBe(1);
  });

  apiTest("another id in the path is another request", async (api) => {
    const [one, other] = [await api.draft(), await api.draft()];
    await api.call("POST", `/v1/documents/${one.id}/issue`, { idempotency_key: "k" });
    const answer = await api.call("POST", `/v1/documents/${other.id}/issue`, { idempotency_key: "k" });
    expectRefusal(answer, "idempotency_key_reused");
    expect((await api.call("GET", `/v1/documents/${other.id}`)).body).toMatchObject({ status: "draft" });
  });

  apiTest("a key is the same bare or quoted", async (api) => {
    const first = await postAna(api, "order-1");
    const quoted = await postAna(api, '"order-1"');
    expect([quoted.text, quoted.headers.get("idempotent-replayed")]).toEqual([first.text, "true"]);
    expect(await customers(api)).toBe(1);
  });

  apiTest("keys differ by case", async (api) => {
    await postAna(api, "order-a");
    await postAna(api, "ORDER-A");
    expect(await customers(api)).toBe(2);
  });

  apiTest("keys belong to a company, whichever API key it uses", async (api) => {
    const first = await postAna(api, "order-1");
    const till = await api.keyWith("customers:write");
    const again = await api.call("POST", "/v1/customers", {
      key: till,
      body: { name: "Ana" },
      idempotency_key: "order-1",
    });
    expect(again.text).toBe(first.text);
    const { api_key: key } = await api.stranger();
    const other = await api.call("POST", "/v1/customers", { key, body: { name: "Ana" }, idempotency_key: "order-1" });
    expect([other.status, other.headers.get("idempotent-replayed")]).toEqual([201, null]);
    expect(other.text).not.toBe(first.text);
  });

  apiTest("without a key a repeated request is done twice", async (api) => {
    await api.customer();
    await api.customer();
    expect(await customers(api)).toBe(2);
  });

  apiTest("the answer stays the first one, even when the resource has changed since", async (api) => {
    const first = await postAna(api, "order-1");
    await api.call("PATCH", `/v1/customers/${first.body.id}`, { body: { name: "Rui" } });
    await api.call("DELETE", `/v1/customers/${first.body.id}`);
    expect((await postAna(api, "order-1")).text).toBe(first.text);
    expect(await customers(api)).toBe(0);
  });

  apiTest("a replay needs the scope that the request needs", async (api) => {
    await postAna(api, "order-1");
    const key = await api.keyWith("customers:read");
    const answer = await api.call("POST", "/v1/customers", { key, body: { name: "Ana" }, idempotency_key: "order-1" });
    expect(answer.status).toBe(403);
  });
});

describe("a key", () => {
  for (const key of [
    "a",
    "~",
    "!",
    "x".repeat(255),
    `"${"x".repeat(255)}"`,
    "0199d3a0-5b7e-7cc1-9c3b-2f6a4d1e8b70",
    'a"b',
  ]) {
    apiTest(`${key.slice(0, 20)} (${key.length}) is accepted`, async (api) => {
      expect((await postAna(api, key)).status).toBe(201);
      expect((await postAna(api, key)).headers.get("idempotent-replayed")).toBe("true");
    });
  }

  for (const key of ["", '""', "x".repeat(256), `"${"x".repeat(256)}"`, "a b", "a\tb", "é", "a, b"]) {
    apiTest(`${JSON.stringify(key.slice(0, 20))} (${key.length}) is refused, and nothing is done`, async (api) => {
      const answer = await postAna(api, key);
      expect(answer.status).toBe(400);
      expectRefusal(answer, "invalid_request", "Idempotency-Key");
      expect(await customers(api)).toBe(0);
    });
  }
});

describe("only completed requests are remembered", () => {
  const invoice = async (api: Api, fields: object = {}) => ({
    doc_type: "FT",
    series_id: api.series.FT,
    issue_date: TODAY,
    customer_id: (await api.customer()).id,
    lines: [LINE],
    ...fields,
  });

  apiTest("a request that was rolled back does not use up its key", async (api) => {
    const body = await invoice(api, { issue_date: "2026-11-22", issue: true });
    const post = () => api.call<Document>("POST", "/v1/documents", { body, idempotency_key: "order-1" });
    expect((await post()).status).toBe(400);
    api.today = new Date("2026-11-22T08:00:00.000Z");
    const first = await post();
    expect([first.status, first.body.number, first.headers.get("idempotent-replayed")]).toEqual([
      201,
      "FT 2026A/1",
      null,
    ]);
    expect((await post()).text).toBe(first.text);
  });

  apiTest("nor does one refused with 400, 403, 404, 409 or 429", async (api) => {
    const draft = await api.draft();
    const reader = await api.keyWith("customers:read");
    const k = { idempotency_key: "order-1" };
    const statuses = [
      await api.call("POST", "/v1/customers", { body: { nome: "Ana" }, ...k }),
      await api.call("POST", "/v1/customers", { key: reader, body: { name: "Ana" }, ...k }),
      await api.call("POST", `/v1/documents/${reader}/issue`, k),
      await api.call("POST", `/v1/documents/${draft.id}/cancel`, k),
    ].map(({ status }) => status);
    const { actor } = await api.lacre.authenticate(api.api_key);
    while ((await api.lacre.takeRequest(actor.id)).allowed);
    statuses.push((await postAna(api, "order-1")).status);
    api.monotonic += 60_000;
    expect(statuses).toEqual([400, 403, 404, 409, 429]);
    expect((await postAna(api, "order-1")).status).toBe(201);
  });

  apiTest("a replay is answered before the state, which the first request changed, is checked", async (api) => {
    const { id } = await api.draft();
    const first = await api.call("POST", `/v1/documents/${id}/issue`, { idempotency_key: "order-1" });
    const again = await api.call("POST", `/v1/documents/${id}/issue`, { idempotency_key: "order-1" });
    expect([again.status, again.text]).toEqual([200, first.text]);
    expectRefusal(await api.call("POST", `/v1/documents/${id}/issue`, { idempotency_key: "order-2" }), "invalid_state");
  });

  apiTest("they are remembered for at least a day", async (api) => {
    const first = await postAna(api, "order-1");
    api.today = new Date(api.today.getTime() + 24 * HOUR - 1);
    expect((await postAna(api, "order-1")).text).toBe(first.text);
    await postAna(api, "another"); // other requests in between
    expect((await postAna(api, "order-1")).text).toBe(first.text);
  });

  apiTest("and for good when a document was issued: years later none is issued twice", async (api) => {
    const body = await invoice(api, { issue: true });
    const post = () => api.call<Document>("POST", "/v1/documents", { body, idempotency_key: "order-1" });
    const first = await post();
    const draft = await api.draft();
    const issue = () => api.call("POST", `/v1/documents/${draft.id}/issue`, { idempotency_key: "order-2" });
    const issued = await issue();
    for (const year of [2027, 2036, 2099]) {
      api.today = new Date(`${year}-06-01T12:00:00.000Z`);
      for (const name of ["a", "b", "c", "d", "e"]) await postAna(api, `${name}-${year}`);
      expect((await post()).text).toBe(first.text);
      expect((await issue()).text).toBe(issued.text);
    }
    expect((await api.call("GET", "/v1/documents")).body).toMatchObject({ pagination: { total: 2 } });
  });

  apiTest("control: a draft's key is forgotten after some days", async (api) => {
    const first = await postAna(api, "order-1");
    api.today = new Date(api.today.getTime() + 48 * HOUR);
    const later = await postAna(api, "order-1");
    expect([later.status, later.headers.get("idempotent-replayed")]).toEqual([201, null]);
    expect(later.text).not.toBe(first.text);
  });
});

/** A signer that, once held, waits until it is released. */
function slowSigner() {
  const plain = pemSigner(TEST_SIGNING_KEY, 1);
  const entered = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  let held = false;
  const signer: Signer = {
    ...plain,
    async sign(text) {
      if (held) {
        entered.resolve();
        await gate.promise;
      }
      return plain.sign(text);
    },
  };
  const hold = () => {
    held = true;
  };
  return { signer, hold, entered: entered.promise, release: gate.resolve };
}

/** An instance on a file, where reads go on while a command holds the writer. */
async function withSlowSigner(work: (api: Api, slow: ReturnType<typeof slowSigner>) => Promise<void>): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "lacre-retries-"));
  const slow = slowSigner();
  try {
    await withApi((api) => work(api, slow), { dialect: sqlite(join(directory, "lacre.db")), signer: slow.signer });
  } finally {
    rmSync(directory, { recursive: true });
  }
}

describe("while the first is still running", () => {
  test("the same request gets 409 and Retry-After of a second, and another with its key 422", async () => {
    await withSlowSigner(async (api, slow) => {
      const { id } = await api.draft();
      const issue = () => api.call("POST", `/v1/documents/${id}/issue`, { idempotency_key: "order-1" });
      slow.hold();
      const running = issue();
      await slow.entered;
      const meanwhile = await issue();
      expect(meanwhile.status).toBe(409);
      expectRefusal(meanwhile, "idempotency_in_progress");
      expect(meanwhile.headers.get("retry-after")).toBe("1");
      const other = await api.call("POST", "/v1/customers", { body: { name: "Ana" }, idempotency_key: "order-1" });
      expectRefusal(other, "idempotency_key_reused");
      slow.release();
      const first = await running;
      expect(first.status).toBe(200);
      const replay = await issue();
      expect([replay.status, replay.text]).toEqual([200, first.text]);
    });
  });

  test.each(POSTS.map((example) => [example.id, example] as const))("%s answers so too", async (_, example) => {
    await withSlowSigner(async (api, slow) => {
      const [path, sent] = [await example.path(api), await sentBy(example, api)];
      const { id } = await api.draft();
      slow.hold();
      const holder = api.call("POST", `/v1/documents/${id}/issue`);
      await slow.entered;
      const post = () => api.call(example.method, path, { ...sent, idempotency_key: "k" });
      const running = post();
      await expect.poll(async () => (await post()).status, { interval: 1 }).toBe(409);
      const meanwhile = await post();
      expectRefusal(meanwhile, "idempotency_in_progress");
      slow.release();
      expect((await running).status).toBe(example.status);
      expect((await holder).status).toBe(200);
    });
  });

  test("fifty at once create one document; every answer is it or a 409", async () => {
    await withApi(
      async (api) => {
        const { id } = await api.draft();
        const issue = () => api.call("POST", `/v1/documents/${id}/issue`, { idempotency_key: "order-1" });
        const answers = await Promise.all(Array.from({ length: 50 }, issue));
        const done = answers.filter(({ status }) => status === 200);
        expect(new Set(done.map(({ text }) => text)).size).toBe(1);
        for (const answer of answers.filter(({ status }) => status !== 200)) {
          expectRefusal(answer, "idempotency_in_progress");
          expect(answer.headers.get("retry-after")).toBe("1");
        }
        expect((await api.call("GET", `/v1/series/${api.series.FT}`)).body).toMatchObject({ next_number: 2 });
      },
      { rateLimit: { limit: 1_000, window_s: 60 } },
    );
  });
});

/** Everything the company can list, to prove that nothing was done. */
async function everything(api: Api): Promise<unknown[]> {
  const lists = [];
  for (const list of ["customers", "products", "documents", "payments", "series"]) {
    lists.push((await api.call("GET", `/v1/${list}`)).body);
  }
  return lists;
}

producesItsRefusals("retries");
