/** Every refusal has the same shape, and every described code can be produced, including the 500 and each 503. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pemSigner, StorageError } from "lacre";
import { createHandler } from "lacre/http";
import { sqlite } from "lacre/sqlite";
import { openInMemory, TEST_SIGNING_KEY } from "lacre/testing";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import {
  type Answered,
  type Asked,
  ask,
  bodyFor,
  CODES,
  DAY,
  openStreet,
  refusalOf,
  type Street,
  tapped,
} from "../../support/attack.ts";
import { describedRefusals } from "../../support/description.ts";

let street: Street;
/** The codes produced so far; slow-clients.slow.test.ts produces `request_timeout`. */
const produced = new Set(["request_timeout"]);

beforeEach(async () => {
  street = await openStreet();
});

afterEach(() => street.lacre.close());

/** Sends a request with the key of the own company, and records the code of the refusal. */
async function refused(asked: Asked, handler = street.handler): Promise<Answered & { code: string }> {
  const answer = await ask(handler, { api_key: street.own.api_key, ...asked });
  const code = refusalOf(answer);
  produced.add(code);
  return { ...answer, code };
}

const document = (changes: object = {}) => ({ ...bodyFor("createDocument", street.own), ...changes });

/** Makes storage fail for matching SQL, this many times. */
function failing(pattern: RegExp, error: () => Error, times = Number.POSITIVE_INFINITY) {
  let left = times;
  street.tap.intercept = (sql) => {
    if (left > 0 && pattern.test(sql)) {
      left--;
      throw error();
    }
    return sql;
  };
}

test("faults of the request", async () => {
  const { owned } = street.own;
  expect((await refused({ method: "POST", path: "/v1/customers", body: {} })).code).toBe("invalid_request");
  expect((await refused({ method: "GET", path: "/v1/me", api_key: "nothing" })).code).toBe("unauthorized");
  const { api_key } = await street.lacre.keys.create({
    company_id: street.own.company_id,
    name: "r",
    scopes: ["saft:read"],
  });
  const forbidden = await refused({ method: "GET", path: "/v1/customers", api_key });
  expect(forbidden.code).toBe("forbidden");
  expect(forbidden.headers.get("www-authenticate")).toBe('Bearer error="insufficient_scope"');
  for (const path of ["/", "/v1", "/v2/me", "/v1/customers/none", "/v1/nothing", "/favicon.ico"]) {
    expect([path, (await refused({ method: "GET", path })).code]).toEqual([path, "not_found"]);
  }
  for (const method of ["PUT", "POST", "DELETE"]) {
    const { code, headers } = await refused({
      method,
      path: method === "POST" ? `/v1/customers/${owned.customer}` : "/v1/me",
    });
    expect(code).toBe("method_not_allowed");
    expect(headers.get("allow")).toMatch(/^GET, HEAD/);
  }
  const large = { method: "POST", path: "/v1/customers", body: " ".repeat(1024 * 1024 + 1) };
  expect((await refused(large)).code).toBe("payload_too_large");
  const text = { method: "POST", path: "/v1/customers", body: "{}", headers: { "content-type": "text/plain" } };
  expect((await refused(text)).code).toBe("unsupported_media_type");
});

test("conflicts with the state of a resource", async () => {
  const { own } = street;
  const { owned } = own;
  expect((await refused({ method: "POST", path: `/v1/documents/${owned.issued}/issue` })).code).toBe("invalid_state");
  expect((await refused({ method: "POST", path: `/v1/documents/${owned.issued}/cancel` })).code).toBe(
    "document_settled",
  );
  const payment = { amount: 1_000, method_code: "TB", payment_date: DAY };
  const path = `/v1/documents/${owned.issued}/payments`;
  expect((await refused({ method: "POST", path, body: payment })).code).toBe("payment_exceeds_balance");
  const series = { doc_type: "FT", code: "TWICE" };
  await ask(street.handler, { method: "POST", path: "/v1/series", api_key: own.api_key, body: series });
  expect((await refused({ method: "POST", path: "/v1/series", body: { ...series, code: "twice" } })).code).toBe(
    "conflict",
  );
  const { data } = await street.lacre.as(own.company_id).series.list();
  const seriesOf = (doc_type: string) => data.find((row) => row.doc_type === doc_type)?.id;
  const named = { references: [{ document_id: owned.issued }], customer_id: owned.customer, issue: true };
  for (const [doc_type, code] of [
    ["NC", "credit_exceeds_original"],
    ["RC", "receipt_exceeds_documents"],
  ] as const) {
    const lines = [{ description: "x", qty: 1, unit_price_net: 100_000, tax_rate: 23 }];
    const body = document({ ...named, doc_type, series_id: seriesOf(doc_type), lines });
    expect((await refused({ method: "POST", path: "/v1/documents", body })).code).toBe(code);
  }
  const earlier = document({ issue_date: "2026-01-30", issue: true });
  expect((await refused({ method: "POST", path: "/v1/documents", body: earlier })).code).toBe("date_out_of_order");
  await street.lacre.signer.setCertificate({ certificate_number: 9999 });
  const unregistered = document({ doc_type: "OR", series_id: seriesOf("OR"), issue: true });
  expect((await refused({ method: "POST", path: "/v1/documents", body: unregistered })).code).toBe(
    "series_not_registered",
  );
  await street.lacre.signer.setCertificate({ certificate_number: 0 });
  await ask(street.handler, {
    method: "PATCH",
    path: `/v1/series/${owned.series}`,
    api_key: own.api_key,
    body: { status: "closed" },
  });
  expect((await refused({ method: "POST", path: `/v1/documents/${owned.draft}/issue` })).code).toBe("series_closed");
});

test("412: a change to what another has changed meanwhile", async () => {
  const stale = { headers: { "if-match": '"of-another-reading"' }, body: { name: "Rui" } };
  const path = `/v1/customers/${street.own.owned.customer}`;
  expect((await refused({ method: "PATCH", path, ...stale })).code).toBe("precondition_failed");
});

test("retries and limits", async () => {
  const headers = { "idempotency-key": "order-1" };
  const send = (name: string) => ({ method: "POST", path: "/v1/customers", body: { name }, headers });
  expect((await ask(street.handler, { ...send("Ana"), api_key: street.own.api_key })).status).toBe(201);
  expect((await refused(send("Rui"))).code).toBe("idempotency_key_reused");

  const { lacre, api_key } = await openInMemory({ rateLimit: { limit: 1, window_s: 60 } });
  const handler = createHandler(lacre);
  expect((await ask(handler, { method: "GET", path: "/v1/me", api_key })).status).toBe(200);
  const limited = await refused({ method: "GET", path: "/v1/me", api_key }, handler);
  expect([limited.code, Number(limited.headers.get("retry-after"))]).toEqual([
    "rate_limited",
    expect.toSatisfy((s: number) => s > 0 && s <= 60),
  ]);
  await lacre.close();
});

test("a second request while the first with the same Idempotency-Key is still running", async () => {
  const directory = mkdtempSync(join(tmpdir(), "lacre-errors-"));
  try {
    const { lacre, handler, own, tap } = await openStreet(sqlite(join(directory, "e.db")));
    let letGo = () => {};
    const held = new Promise<void>((resolve) => (letGo = resolve));
    let began = () => {};
    const running = new Promise<void>((resolve) => (began = resolve));
    tap.intercept = async (sql) => {
      if (/^insert into "customers"/.test(sql)) {
        began();
        await held;
      }
      return sql;
    };
    const asked = {
      method: "POST",
      path: "/v1/customers",
      api_key: own.api_key,
      body: { name: "Ana" },
      headers: { "idempotency-key": "k" },
    };
    const first = ask(handler, asked);
    await running;
    const second = await refused(asked, handler);
    expect([second.code, second.headers.get("retry-after")]).toEqual(["idempotency_in_progress", "1"]);
    letGo();
    expect((await first).status).toBe(201);
    const third = await ask(handler, asked);
    expect([third.status, third.headers.get("idempotent-replayed"), third.text]).toEqual([
      201,
      "true",
      (await first).text,
    ]);
    await lacre.close();
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test("a bug gives a 500 with a fixed message, and of its details only the request id", async () => {
  const { handler, own, log } = street;
  const calls: Asked[] = [
    { method: "GET", path: "/v1/me" },
    { method: "GET", path: "/v1/customers" },
    { method: "POST", path: "/v1/customers", body: { name: "Ana" } },
    { method: "POST", path: "/v1/documents", body: document({ issue: true }) },
    { method: "DELETE", path: `/v1/customers/${own.owned.customer}` },
    { method: "PATCH", path: `/v1/products/${own.owned.product}`, body: { name: "Broa" } },
  ];
  const secret = "table customers has no column secret_hint at /srv/lacre.db";
  const kinds = [
    () => new Error(secret),
    () => new TypeError(secret),
    () => secret as unknown as Error,
    () => null as unknown as Error,
  ];
  for (const pattern of [
    /from "api_keys"/,
    /from "companies"|from "customers"|from "products"|into "customers"|into "documents"/,
  ]) {
    for (const make of kinds) {
      failing(pattern, make);
      for (const call of calls) {
        const before = log.length;
        const { code, text, headers } = await refused(call);
        expect(code).toBe("internal_error");
        expect(text).toBe('{"error":{"code":"internal_error","message":"Something went wrong on our side."}}');
        expect(JSON.stringify([...headers])).not.toContain("secret_hint");
        const line = log.slice(before).find(({ event }) => event === "internal_error");
        expect(line).toMatchObject({ level: "error", request_id: headers.get("x-request-id") });
      }
    }
  }
  street.tap.intercept = undefined;
  expect((await ask(handler, { ...(calls[0] as Asked), api_key: own.api_key })).status).toBe(200);
});

test("a log that throws changes no answer", async () => {
  const { lacre, api_key } = await openInMemory({
    log: () => {
      throw new Error("the disk of the log is full");
    },
  });
  const handler = createHandler(lacre);
  const statuses = [];
  for (const [method, path, body] of [
    ["GET", "/v1/me", undefined],
    ["POST", "/v1/customers", { name: "Ana" }],
    ["GET", "/v1/nothing", undefined],
    ["GET", "/healthz", undefined],
  ] as const) {
    statuses.push((await ask(handler, { method, path, body, api_key })).status);
  }
  statuses.push((await ask(handler, { method: "GET", path: "/v1/me" })).status);
  expect(statuses).toEqual([200, 201, 404, 200, 401]);
  await lacre.close();
});

test("a busy database gives 503 with Retry-After for reads and writes, and nothing is written", async () => {
  const before = await street.rows();
  const writes = { method: "POST", path: "/v1/customers", body: { name: "Ana" } };
  for (const pattern of [/^begin immediate/, /^insert into "customers"/, /^insert into "events"/, /^commit/]) {
    failing(pattern, () => new StorageError("busy", "database is locked"));
    const { code, headers, text } = await refused(writes);
    expect([String(pattern), code, headers.get("retry-after")]).toEqual([String(pattern), "unavailable", "1"]);
    expect(text).toContain("busy");
  }
  failing(/from "customers"/, () => new StorageError("busy", "database is locked"));
  expect((await refused({ method: "GET", path: "/v1/customers" })).code).toBe("unavailable");
  street.tap.intercept = undefined;
  expect(await street.rows()).toBe(before);
});

test("storage that fails while the key is looked up gives 503 too, so that the client tries again", async () => {
  for (const trouble of ["busy", "full", "broken", "unusable"] as const) {
    failing(/from "api_keys"/, () => new StorageError(trouble, "trouble at /srv/lacre.db"));
    const answer = await refused({ method: "GET", path: "/v1/me" });
    expect([trouble, answer.code]).toEqual([trouble, "unavailable"]);
    expect(answer.text).not.toContain("/srv");
  }
});

test("a full disk gives 503 for writes; reads continue, and writes resume once there is room", async () => {
  const { handler, own } = street;
  const write = { method: "POST", path: "/v1/customers", body: { name: "Ana" } };
  for (const pattern of [/^insert into "customers"/, /^commit/]) {
    failing(pattern, () => new StorageError("full", "database or disk is full"), 1);
    const { code, text } = await refused(write);
    expect([code, text]).toEqual(["unavailable", expect.stringContaining("full")]);
    expect((await ask(handler, { method: "GET", path: "/v1/customers", api_key: own.api_key })).status).toBe(200);
    expect((await ask(handler, { ...write, api_key: own.api_key })).status).toBe(201);
  }
});

test("an I/O error at commit stops all writes until a restart; reads continue", async () => {
  const halted: string[] = [];
  const tap = tapped();
  const { lacre, api_key } = await openInMemory({ dialect: tap.dialect, onHalt: (reason) => halted.push(reason) });
  const handler = createHandler(lacre);
  let once = true;
  tap.intercept = (sql) => {
    if (once && /^commit/.test(sql)) {
      once = false;
      throw new StorageError("broken", "disk I/O error at /srv/lacre.db");
    }
    return sql;
  };
  const write = { method: "POST", path: "/v1/customers", api_key, body: { name: "Ana" } };
  for (let i = 0; i < 3; i++) {
    const { code, text } = await refused(write, handler);
    expect([code, text]).toEqual(["unavailable", expect.not.stringContaining("/srv")]);
  }
  expect(halted).toEqual(["disk I/O error at /srv/lacre.db"]);
  expect((await ask(handler, { method: "GET", path: "/v1/customers", api_key })).status).toBe(200);
  await lacre.close();
});

test("503: too many requests at once, a clock that went back, a signer that fails, a database that is not ready", async () => {
  const full = createHandler(street.lacre, { maxInFlight: 0 });
  expect((await refused({ method: "GET", path: "/v1/me" }, full)).code).toBe("unavailable");

  let now = new Date("2026-06-01T12:00:00Z");
  let signs = true;
  const tap = tapped();
  const steady = pemSigner(TEST_SIGNING_KEY, 1);
  const signer = {
    ...steady,
    sign(text: string) {
      if (!signs) throw new Error("the signing host is down at 10.0.0.7");
      return steady.sign(text);
    },
  };
  const { lacre, api_key, series, company } = await openInMemory({ dialect: tap.dialect, now: () => now, signer });
  const handler = createHandler(lacre);
  const customer = await company.customers.create({ name: "Ana" });
  const body = { ...document(), series_id: series.FT, customer_id: customer.id, issue: true };
  const issue = { method: "POST", path: "/v1/documents", api_key, body };
  expect((await ask(handler, issue)).status).toBe(201);
  now = new Date("2026-06-01T11:00:00Z");
  expect((await refused(issue, handler)).code).toBe("unavailable");
  now = new Date("2026-06-01T13:00:00Z");
  signs = false;
  const unsigned = await refused(issue, handler);
  expect([unsigned.code, unsigned.text]).toEqual(["unavailable", expect.not.stringContaining("10.0.0.7")]);
  signs = true;
  expect(JSON.parse((await ask(handler, issue)).text).number).toMatch(/\/2$/);

  tap.intercept = () => {
    throw new Error("not ready");
  };
  expect((await refused({ method: "GET", path: "/readyz" }, handler)).code).toBe("unavailable");
  expect((await ask(handler, { method: "GET", path: "/healthz" })).status).toBe(200);
  tap.intercept = undefined;
  await lacre.close();
});

test("a HEAD is refused with the status and headers of the GET, without a body", async () => {
  const { handler, own } = street;
  for (const path of [
    "/v1/me",
    "/v1/customers",
    "/v1/nothing",
    `/v1/documents/${own.owned.customer}`,
    "/v1/customers?limit=0",
  ]) {
    for (const api_key of [undefined, own.api_key]) {
      const [got, head] = [
        await ask(handler, { method: "GET", path, api_key }),
        await ask(handler, { method: "HEAD", path, api_key }),
      ];
      expect([path, head.status, head.text]).toEqual([path, got.status, ""]);
      expect([path, head.headers.get("content-type")]).toEqual([path, got.headers.get("content-type")]);
      expect([path, head.headers.get("content-length")]).toEqual([path, String(Buffer.byteLength(got.text))]);
    }
  }
});

test("every described refusal has a known code under its status", () => {
  const described = describedRefusals();
  expect(described.length).toBeGreaterThan(100);
  for (const refusal of described) {
    const [, status, code] = refusal.split(" ");
    expect([refusal, CODES[code as string]]).toEqual([refusal, Number(status)]);
  }
});

/** The tests above must have produced every code that is described for any operation. */
afterAll(() => {
  const described = new Set(describedRefusals().map((refusal) => refusal.split(" ")[2] as string));
  expect([...described].filter((code) => !produced.has(code))).toEqual([]);
  expect([...produced].filter((code) => !(code in CODES))).toEqual([]);
});
