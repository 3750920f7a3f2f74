/** POST /v1/documents with what stands in for ids: one sale from nothing, and what is refused of it. */
import { describe, expect } from "vitest";
import type { DocumentWithPayments, StoredDocument } from "../../../src/core/documents/document.ts";
import { type Api, apiTest, expectRefusal, LINE, type Scenario, scenarios, TODAY } from "../../support/http.ts";

const PATH = "/v1/documents";
const ANA = { name: "Ana Conceição", tax_id: "234567899" };

/** A sale that names nothing by id. */
const SALE = { doc_type: "FT", series: "current", customer: ANA, lines: [LINE], issue: true };

const counted = async (api: Api, list: string) =>
  (await api.call<{ pagination: { total: number } }>("GET", `/v1/${list}`)).body.pagination.total;

/** What there is of documents and customers. */
const stored = async (api: Api) => [await counted(api, "documents"), await counted(api, "customers")];

describe("one request", () => {
  apiTest("is a sale from nothing, and its answer names what was left out", async (api) => {
    const key = await api.keyWith("documents:write", "documents:issue", "customers:write");
    const { status, body } = await api.call<StoredDocument>("POST", PATH, { key, body: SALE });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      number: "FT 2026A/1",
      status: "issued",
      series_id: api.series.FT,
      issue_date: TODAY,
      customer: ANA,
      total_gross: 123,
      notices: [{ code: "customer_created", ids: [body.customer_id] }],
    });
    expect((await api.call("GET", `/v1/customers/${body.customer_id}`)).body).toMatchObject(ANA);
  });

  apiTest("dates its payments like itself where they name no day", async (api) => {
    const payments = [
      { method_code: "NU", amount: 100 },
      { method_code: "MB", amount: 23, payment_date: "2026-11-20" },
    ];
    const { body } = await api.call<StoredDocument>("POST", PATH, { body: { ...SALE, doc_type: "FR", payments } });
    expect(body).toMatchObject({ status: "issued", outstanding: 0, issue_date: TODAY });
    const read = await api.call<DocumentWithPayments>("GET", `${PATH}/${body.id}`);
    expect(read.body.payments.map(({ payment_date }) => payment_date)).toEqual(["2026-11-20", TODAY]);
    const { status } = await api.call("PATCH", `${PATH}/${(await api.draft()).id}`, {
      body: { series: "current", payments: [{ method_code: "NU", amount: 1 }] },
    });
    expect(status).toBe(200);
  });

  apiTest("takes from a product what its line leaves out", async (api) => {
    const product = { name: "Pão de Mafra", sku: "PAO-1", unit_price_gross: 1.22, tax_rate: 6, unit: "kg" };
    const { id } = await api.product({ ...product, unit_price_net: undefined });
    const body = { ...SALE, lines: [{ product: { sku: "PAO-1" }, qty: 3 }] };
    const line = { description: product.name, unit: "kg", unit_price_gross: 1.22, tax_rate: 6, product_id: id };
    expect((await api.call("POST", PATH, { body })).body).toMatchObject({ lines: [line], total_gross: 3.66 });
  });

  apiTest("is one sale and one customer under one Idempotency-Key", async (api) => {
    const sent = { body: SALE, idempotency_key: "order-1" };
    const first = await api.call("POST", PATH, sent);
    const again = await api.call("POST", PATH, sent);
    expect([again.status, again.text]).toEqual([201, first.text]);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(await stored(api)).toEqual([1, 1]);
    // The control: under another key it is another sale to the customer that is there now.
    const next = await api.call<StoredDocument>("POST", PATH, { ...sent, idempotency_key: "order-2" });
    expect(next.body.notices).toMatchObject([{ code: "customer_found" }]);
    expect(await stored(api)).toEqual([2, 1]);
  });

  apiTest("without customers:write is 403 after the key, before any fault of the body", async (api) => {
    const key = await api.keyWith("documents:write", "documents:issue");
    const bodies = [SALE, { ...SALE, lines: [] }, { ...SALE, series_id: api.series.FT }, { customer: {}, unknown: 1 }];
    for (const body of bodies) {
      const answer = await api.call("POST", PATH, { key, body });
      expect(answer.status, answer.text).toBe(403);
      expectRefusal(answer, "forbidden", "customers:write");
    }
    expect((await api.call("POST", PATH, { key: null, body: SALE })).status).toBe(401);
    expect(await stored(api)).toEqual([0, 0]);
    // The control: by id the same key sells.
    const { id: customer_id } = await api.customer();
    const byId = { ...SALE, customer: undefined, customer_id };
    expect((await api.call("POST", PATH, { key, body: byId })).status).toBe(201);
  });
});

interface Refused {
  readonly name: string;
  readonly fields: (api: Api) => object;
  readonly says: string;
}

const REFUSED: readonly Refused[] = [
  {
    name: "series beside series_id",
    fields: ({ series }) => ({ series_id: series.FT }),
    says: "series: must not be sent with series_id",
  },
  {
    name: "customer beside customer_id",
    fields: ({ company_id }) => ({ customer_id: company_id }),
    says: "customer: must not be sent with customer_id",
  },
  {
    name: "a payment without a day beside series_id",
    fields: ({ series }) => ({
      ...{ series: undefined, series_id: series.FT, issue_date: TODAY },
      payments: [{ method_code: "NU", amount: 1, kind: "x" }],
    }),
    says: "payments[0].payment_date: is required",
  },
  { name: "another word for the series", fields: () => ({ series: "2026A" }), says: "series: " },
  {
    name: "a product that is unknown",
    fields: () => ({ lines: [{ product: { sku: "BOLO-1" }, qty: 1 }] }),
    says: "lines[0].product: ",
  },
  {
    name: "a product by two codes",
    fields: () => ({ lines: [{ product: { sku: "BOLO-1", external_id: "7" }, qty: 1 }] }),
    says: "lines[0].product: ",
  },
  {
    name: "a line that leaves out its price and names no product",
    fields: () => ({ lines: [{ description: "Pão", qty: 1, tax_rate: 6 }] }),
    says: "lines[0].unit_price_net: ",
  },
];

scenarios(
  "one request is refused with 400, and nothing is stored, for",
  stored,
  REFUSED.map(
    ({ name, fields, says }): Scenario<number[]> => ({
      name,
      request: `POST ${PATH}`,
      body: (_: number[], api: Api) => ({ ...SALE, ...fields(api) }),
      status: 400,
      code: "invalid_request",
      says,
      after: async (before, api) => expect(await stored(api)).toEqual(before),
    }),
  ),
);

describe("a refund by one request", () => {
  const sold = async (api: Api) =>
    (await api.call<StoredDocument>("POST", PATH, { body: { ...SALE, doc_type: "FR" } })).body;
  const REFUND = { refund: { method_code: "NU" }, issue: true };

  apiTest("credits all of the sale and gives its money back", async (api) => {
    const { id } = await sold(api);
    const sent = { body: REFUND, idempotency_key: "refund-1" };
    const answer = await api.call<StoredDocument>("POST", `${PATH}/${id}/credit`, sent);
    expect(answer.status, answer.text).toBe(201);
    expect(answer.body).toMatchObject({
      number: "NC 2026A/1",
      references: [{ document_id: id }],
      total_gross: 123,
    });
    expect((await api.call("POST", `${PATH}/${id}/credit`, sent)).text).toBe(answer.text);
    expect((await api.call("GET", `${PATH}/${id}`)).body).toMatchObject({ refunds: [{ amount: 123 }], outstanding: 0 });
  });

  apiTest("needs payments:refund for the money, and documents:issue to issue", async (api) => {
    const { id } = await sold(api);
    const key = await api.keyWith("documents:write", "documents:issue");
    const draftKey = await api.keyWith("documents:write", "payments:refund");
    const path = `${PATH}/${id}/credit`;
    expectRefusal(await api.call("POST", path, { key, body: REFUND }), "forbidden", "payments:refund");
    expectRefusal(await api.call("POST", path, { key: draftKey, body: REFUND }), "forbidden", "documents:issue");
    expect((await api.call("POST", path, { key, body: { issue: true } })).status).toBe(201);
  });
});
