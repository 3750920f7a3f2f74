/** `lacre/client`: what it sends, what it answers, and when it tries again. */
import type { Customer } from "lacre";
import { type Client, createClient, etagOf, LacreError } from "lacre/client";
import { createHandler } from "lacre/http";
import { openInMemory, type TestInstance } from "lacre/testing";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

const URL = "https://billing.example";
const TODAY = "2026-11-21";

let instance: TestInstance;
/** What was sent, in order. */
let sent: Request[];
/** The waits between tries, in milliseconds. */
let waits: number[];

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const waiting = globalThis.setTimeout;
  waits = [];
  // Waits end at once, and are noted; the limit of a try, the one wait of a minute, never comes.
  vi.spyOn(globalThis, "setTimeout").mockImplementation(((done: () => void, ms: number) => {
    if (ms === 60_000) return waiting(done, ms);
    waits.push(ms);
    queueMicrotask(done);
    return 0;
  }) as never);
  sent = [];
  instance = await openInMemory({ now: () => new Date(`${TODAY}T10:00:00Z`) });
});

afterEach(async () => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  await instance.lacre.close();
});

/** What comes between client and server in one try: another answer, or an error of the network. */
type Trouble = (send: () => Promise<Response>) => Promise<Response>;

/** A client whose first tries meet troubles; later ones do not. */
function clientWith(troubles: readonly Trouble[] = [], options: { retries?: number; language?: "pt" } = {}): Client {
  const handler = createHandler(instance.lacre);
  const left = [...troubles];
  return createClient({
    url: URL,
    key: instance.api_key,
    ...options,
    async fetch(url, init) {
      const request = new Request(url, init);
      sent.push(request.clone());
      const send = () => handler(request);
      return (left.shift() ?? ((go) => go()))(send);
    },
  });
}

/** The connection breaks before the server got anything. */
const unreachable: Trouble = async () => {
  throw new TypeError("fetch failed", { cause: new Error("connect ECONNREFUSED") });
};
/** The server did it, and its answer is lost. */
const answerLost: Trouble = async (send) => {
  await send();
  throw new TypeError("terminated");
};
const answers = (status: number, headers: Record<string, string> = {}, body = ""): Trouble => {
  return async () => new Response(body, { status, headers });
};
const refuses = (status: number, code: string, headers = {}) =>
  answers(status, headers, JSON.stringify({ error: { code, message: "No." } }));

const invoice = async (shop: Client) => ({
  doc_type: "FT" as const,
  series_id: instance.series.FT,
  issue_date: TODAY,
  customer_id: (await shop.customers.create({ name: "Ana" })).id,
  lines: [{ description: "Broa", qty: 2, unit_price_net: 2.5, tax_rate: 6 as const }],
  issue: true,
});

describe("a call", () => {
  test("answers what the library answers, to the last field", async () => {
    const shop = clientWith();
    const made = await shop.documents.create(await invoice(shop));
    expect(made.number).toBe("FT 2026A/1");
    expect(await shop.documents.get({ id: made.id })).toEqual(await instance.company.documents.get({ id: made.id }));
    const filter = { doc_type: "FT", status: "issued", limit: 10 } as const;
    expect(await shop.documents.list(filter)).toEqual(await instance.company.documents.list(filter));
  });

  test("sends fields of the path, the query and the body where they belong", async () => {
    const shop = clientWith();
    const { id } = await shop.customers.create({ name: "Ana & Rui", city: undefined });
    await shop.customers.change({ id, city: "Faro" });
    await shop.customers.list({ search: "ana & rui", limit: 3 });
    await shop.customers.archive({ id });
    expect(sent.map(({ method, url }) => `${method} ${url.slice(URL.length)}`)).toEqual([
      "POST /v1/customers",
      `PATCH /v1/customers/${id}`,
      "GET /v1/customers?search=ana+%26+rui&limit=3",
      `DELETE /v1/customers/${id}`,
    ]);
    expect(await sent[1]?.json()).toEqual({ city: "Faro" });
    expect(sent[0]?.headers.get("authorization")).toBe(`Bearer ${instance.api_key}`);
  });

  test("below a base path", async () => {
    const client = createClient({
      url: "http://127.0.0.1:8787/billing/",
      key: "lacre_test_x",
      fetch: async (url) => Response.json({ url }),
    });
    expect(await client.me.get()).toEqual({ url: "http://127.0.0.1:8787/billing/v1/me" });
  });

  test("an id cannot lead to another path", async () => {
    const refused = await clientWith()
      .customers.get({ id: "../products?x=" })
      .catch((error) => error);
    expect(refused).toMatchObject({ code: "not_found", status: 404 });
    expect(sent[0]?.url).toBe(`${URL}/v1/customers/..%2Fproducts%3Fx%3D`);
  });
});

describe("an answer", () => {
  test("a PDF comes as bytes with its name, the tax file in pieces", async () => {
    const shop = clientWith();
    const { id } = await shop.documents.create(await invoice(shop));
    const { name, pdf } = await shop.documents.pdf({ id });
    expect([name, new TextDecoder().decode(pdf.subarray(0, 5))]).toEqual(["FT 2026A-1.pdf", "%PDF-"]);
    expect((await shop.documents.print({ id })).name).toBe("FT 2026A-1.pdf");
    const { file, ...rest } = await shop.saft.export({ from: "2026-11-01", to: "2026-11-30" });
    expect(rest).toEqual({ name: "saft-2026-11-01-2026-11-30.xml" });
    let text = "";
    for await (const piece of file) text += new TextDecoder("latin1").decode(piece);
    expect(text).toMatch(/^<\?xml[\s\S]*<InvoiceNo>FT 2026A\/1<\/InvoiceNo>[\s\S]*<\/AuditFile>\s*$/);
  });

  test("a refusal has code, message, status and the id of its request, and is written as the API writes it", async () => {
    const refused = await clientWith()
      .customers.create({ name: "Rui", tax_id: "123456780" })
      .catch((error) => error);
    expect(refused).toBeInstanceOf(LacreError);
    expect(refused).toMatchObject({ name: "LacreError", code: "invalid_request", status: 400 });
    expect(refused.request_id).toMatch(/^[\da-f-]{36}$/);
    const inLibrary = await instance.company.customers
      .create({ name: "Rui", tax_id: "123456780" })
      .catch((error) => error);
    expect(JSON.stringify(refused)).toBe(JSON.stringify(inLibrary));
    expect(sent).toHaveLength(1);
  });

  test("messages come in Portuguese", async () => {
    const refused = await clientWith([], { language: "pt" })
      .customers.get({ id: instance.company_id })
      .catch((error) => error);
    expect(refused.message).toBe("Esse cliente não existe.");
  });

  test("with the tag of what was read, a change is refused where another came between", async () => {
    const shop = clientWith();
    const ana: Customer = await shop.customers.create({ name: "Ana" });
    const if_match = await etagOf(ana);
    await shop.customers.change({ id: ana.id, city: "Faro" }, { if_match });
    const late = await shop.customers.change({ id: ana.id, city: "Beja" }, { if_match }).catch((error) => error);
    expect(late).toMatchObject({ code: "precondition_failed", status: 412 });
  });
});

describe("a client", () => {
  test.each([
    ["no address", { url: "billing.example", key: "lacre_test_x" }],
    ["another protocol", { url: "ftp://billing.example", key: "lacre_test_x" }],
    ["no key", { url: URL, key: "" }],
    ["an undefined key", { url: URL, key: undefined as unknown as string }],
    ["a key with a line break", { url: URL, key: "lacre_live_x\n" }],
  ])("%s is refused when the client is made", (_, options) => {
    expect(() => createClient(options)).toThrow(TypeError);
  });
});

describe("follow", () => {
  test("yields the events after a position, then new ones a second later at most, and ends with its signal", async () => {
    const { company } = instance;
    const { pagination } = await company.events.list();
    for (let i = 0; i < 201; i++) await company.customers.create({ name: `Cliente ${i}` });
    const stop = new AbortController();
    const positions: number[] = [];
    for await (const { position } of clientWith().events.follow({ after: pagination.total, signal: stop.signal })) {
      positions.push(position);
      if (positions.length === 201) await company.customers.create({ name: "Ana" });
      if (positions.length === 202) stop.abort();
    }
    expect(positions).toEqual(Array.from({ length: 202 }, (_, i) => pagination.total + 1 + i));
    expect(waits).toEqual([1_000]); // a full page is followed by the next one at once
  });

  test("waits as long as Retry-After says, and ends while it waits", async () => {
    const stop = new AbortController();
    const lastOne = async (send: () => Promise<Response>) => {
      const answer = await send();
      stop.abort();
      return answer;
    };
    const shop = clientWith([refuses(429, "rate_limited", { "retry-after": "7" }), lastOne]);
    const { pagination } = await instance.company.events.list();
    for await (const _ of shop.events.follow({ after: pagination.total, signal: stop.signal })) {
      throw new Error("Nothing happened.");
    }
    expect(sent).toHaveLength(2);
    expect(waits[0]).toBeGreaterThanOrEqual(7_000);
  });

  test("throws what reading throws, as of a position that is not there yet", async () => {
    await expect(clientWith().events.follow({ after: 1_000_000 }).next()).rejects.toMatchObject({
      code: "invalid_state",
    });
  });
});

describe("each", () => {
  test("gives every row, page by page, and no page that nobody asks for", async () => {
    const shop = clientWith();
    for (let i = 0; i < 201; i++) await instance.company.customers.create({ name: `Cliente ${i}` });
    const names: string[] = [];
    for await (const { name } of shop.customers.each()) names.push(name);
    expect(new Set(names).size).toBe(201);
    expect(sent).toHaveLength(2);
    for await (const { name } of shop.customers.each({ search: "cliente 7" })) {
      expect(name).toMatch(/^Cliente 7/);
      break;
    }
    for await (const _ of shop.customers.each({ search: "nobody" })) throw new Error("There is nobody.");
    expect(sent).toHaveLength(4);
    const byName: string[] = [];
    for await (const { name } of shop.customers.each({ sort: "name" })) byName.push(name);
    expect(byName).toEqual(names.toSorted((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)));
  });
});

describe("tries again", () => {
  test.each([
    ["the connection breaks", unreachable],
    ["the answer is lost", answerLost],
    ["Lacre is busy", refuses(503, "unavailable", { "retry-after": "1" })],
    ["a proxy finds no Lacre", answers(502, { "content-type": "text/html" }, "<h1>Bad gateway</h1>")],
    ["there were too many requests", refuses(429, "rate_limited", { "retry-after": "3" })],
    ["the same request is under way", refuses(409, "idempotency_in_progress")],
  ])("a POST where %s, with the same key, so that it is done once", async (_, trouble) => {
    const input = await invoice(clientWith());
    sent = [];
    const { number } = await clientWith([trouble, trouble]).documents.create(input);
    expect(number).toBe("FT 2026A/1");
    expect((await instance.company.documents.list({})).pagination.total).toBe(1);
    const keys = sent.map(({ headers }) => headers.get("idempotency-key"));
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toMatch(/^[\da-f]{32}$/);
  });

  test("two calls have two keys; a key of the caller's is the one sent", async () => {
    const shop = clientWith();
    await shop.customers.create({ name: "Ana" });
    await shop.customers.create({ name: "Ana" });
    await shop.customers.create({ name: "Ana" }, { idempotency_key: "customer-7" });
    await shop.customers.create({ name: "Ana" }, { idempotency_key: "customer-7" });
    const keys = sent.map(({ headers }) => headers.get("idempotency-key"));
    expect(new Set(keys.slice(0, 2)).size).toBe(2);
    expect(keys.slice(2)).toEqual(["customer-7", "customer-7"]);
    expect((await instance.company.customers.list({})).pagination.total).toBe(3);
  });
});

describe("waiting for another try", () => {
  test("it waits as long as Retry-After says and a little more, else longer each time", async () => {
    await clientWith([refuses(429, "rate_limited", { "retry-after": "7" })]).me.get();
    expect(waits[0]).toBeGreaterThanOrEqual(7_000);
    expect(waits[0]).toBeLessThanOrEqual(8_000);
    waits = [];
    await clientWith([unreachable, unreachable, unreachable, unreachable, unreachable]).me.get();
    for (const [i, longest] of [250, 500, 1_000, 2_000, 4_000].entries()) {
      expect(waits[i]).toBeLessThanOrEqual(longest);
      expect(waits[i]).toBeGreaterThanOrEqual(longest / 2);
    }
  });

  test("it gives up after its tries, with the last error", async () => {
    const shop = clientWith(Array.from({ length: 9 }, () => unreachable));
    const error = await shop.me.get().catch((error) => error);
    expect(error).toMatchObject({ code: "unavailable", status: 0 });
    expect(error.message).toBe(`No answer of ${URL}: connect ECONNREFUSED`);
    expect(error.cause).toBeInstanceOf(TypeError);
    expect(sent).toHaveLength(6);
    sent = [];
    await expect(clientWith([unreachable], { retries: 0 }).me.get()).rejects.toThrow(LacreError);
    expect(sent).toHaveLength(1);
  });

  test("it does not wait for more than a minute: that is the caller's to decide", async () => {
    const shop = clientWith([refuses(429, "rate_limited", { "retry-after": "61" })]);
    await expect(shop.me.get()).rejects.toMatchObject({ code: "rate_limited", status: 429, retry_after_s: 61 });
    expect(waits).toEqual([]);
  });

  test("a signal ends a call, also while it waits, with its own reason", async () => {
    const stop = new AbortController();
    const shop = clientWith([
      async () => {
        stop.abort(new Error("Enough."));
        return new Response(null, { status: 503 });
      },
    ]);
    await expect(shop.me.get({}, { signal: stop.signal })).rejects.toThrow("Enough.");
    await expect(shop.me.get({}, { signal: stop.signal })).rejects.toThrow("Enough.");
    expect(sent).toHaveLength(1);
  });

  test("a signal ends a file as it arrives, with its own reason", async () => {
    const stop = new AbortController();
    const endless: Trouble = async () => {
      const body = new ReadableStream({
        pull: (into) => (stop.signal.aborted ? into.error(stop.signal.reason) : into.enqueue(new Uint8Array(1))),
      });
      return new Response(body, { headers: { "content-disposition": "attachment; filename*=UTF-8''saft.xml" } });
    };
    const shop = clientWith([endless]);
    const { file } = await shop.saft.export({ from: "2026-11-01", to: "2026-11-30" }, { signal: stop.signal });
    const read = async () => {
      for await (const _ of file) stop.abort(new Error("Enough."));
    };
    await expect(read()).rejects.toThrow("Enough.");
  });

  test("a try that hangs is ended", async () => {
    const shop = createClient({
      url: URL,
      key: instance.api_key,
      timeoutMs: 1, // its wait ends at once
      retries: 0,
      fetch: (_, { signal }) =>
        new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason))),
    });
    await expect(shop.me.get()).rejects.toMatchObject({
      status: 0,
      message: expect.stringContaining("more than 1 ms"),
    });
  });
});

describe("what may not be done twice", () => {
  test("a DELETE whose answer was lost has been done; one of nothing is refused", async () => {
    const { id } = await instance.company.customers.create({ name: "Ana" });
    await clientWith([answerLost]).customers.archive({ id });
    expect(sent).toHaveLength(2);
    await expect(clientWith().customers.archive({ id })).rejects.toMatchObject({ code: "not_found" });
    const rejected = clientWith([refuses(429, "rate_limited")]).customers.archive({ id });
    await expect(rejected).rejects.toMatchObject({ code: "not_found" }); // nothing was lost
  });

  test("a PATCH is repeated, unless a tag would refuse what it did itself", async () => {
    const ana = await instance.company.customers.create({ name: "Ana" });
    const shop = clientWith([answerLost]);
    expect(await shop.customers.change({ id: ana.id, city: "Faro" })).toMatchObject({ city: "Faro" });
    sent = [];
    const if_match = await etagOf(await shop.customers.get({ id: ana.id }));
    const change = clientWith([answerLost]).customers.change({ id: ana.id, city: "Beja" }, { if_match });
    await expect(change).rejects.toMatchObject({ code: "unavailable", status: 0 });
    expect(sent).toHaveLength(2); // the read, and one try
  });

  test("a POST without a key is repeated only where nothing happened", async () => {
    const url = "https://example.com/lacre";
    await expect(clientWith([answerLost]).webhooks.create({ url })).rejects.toMatchObject({ status: 0 });
    expect(sent).toHaveLength(1);
    expect(sent[0]?.headers.get("idempotency-key")).toBeNull();
    const { id } = (await instance.company.webhooks.list({})).data[0] ?? { id: "" };
    const limited = clientWith([refuses(429, "rate_limited")]);
    expect((await limited.webhooks.rotateSecret({ id })).secret).toMatch(/^whsec_/);
  });
});

describe("is not tried again", () => {
  test.each([
    [400, "invalid_request"],
    [401, "unauthorized"],
    [403, "forbidden"],
    [404, "not_found"],
    [409, "conflict"],
    [422, "idempotency_key_reused"],
    [500, "internal_error"],
  ])("never after %i %s", async (status, code) => {
    await expect(clientWith([refuses(status, code)]).me.get()).rejects.toMatchObject({ status, code });
    expect(sent).toHaveLength(1);
  });

  test("an answer that is not Lacre's is an error that says so", async () => {
    const page = answers(200, { "content-type": "text/html" }, "<h1>Welcome</h1>");
    await expect(clientWith([page]).me.get()).rejects.toThrow("HTTP 200, which is no answer of Lacre");
    const moved = answers(301, { location: "https://other.example/v1/me" });
    await expect(clientWith([moved]).me.get()).rejects.toThrow("HTTP 301 to https://other.example/v1/me");
    expect(sent.every(({ redirect }) => redirect === "manual")).toBe(true);
  });
});
