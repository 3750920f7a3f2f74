/** PATCH and DELETE on a draft. */
import { describe, expect } from "vitest";
import type { Document, DocumentWithPayments } from "../../../src/core/documents/document.ts";
import { type Api, apiTest, LINE, type Scenario, scenarios, TODAY, UNKNOWN_ID } from "../../support/http.ts";

const full = (api: Api): Promise<Document> =>
  api.draft({ due_date: "2026-12-21", notes: "Obrigado", global_discount_pct: 10, lines: [LINE, LINE] });

const changes = (name: string, body: object, shows: object): Scenario<Document> => ({
  name,
  request: ({ id }) => `PATCH /v1/documents/${id}`,
  body,
  status: 200,
  is: (draft) => ({ ...draft, ...shows, notices: [] }),
  after: async (draft, api) => {
    const { body: read } = await api.call("GET", `/v1/documents/${draft.id}`);
    expect(read).toMatchObject({ ...draft, ...shows });
  },
});

scenarios("PATCH /v1/documents/{id}", full, [
  changes("with nothing changes nothing", {}, {}),
  changes("changes notes alone", { notes: "Até já" }, { notes: "Até já" }),
  changes("clears notes and due_date with null", { notes: null, due_date: null }, { notes: null, due_date: null }),
  changes("changes due_date alone", { due_date: "2027-01-31" }, { due_date: "2027-01-31" }),
  changes("changes issue_date alone", { issue_date: "2026-11-01" }, { issue_date: "2026-11-01" }),
  changes(
    "changes the global discount and the totals with it",
    { global_discount_pct: 50 },
    { global_discount_pct: 50, total_net: 100, total_tax: 23, total_gross: 123 },
  ),
  changes(
    "changes the discount off all lines to an amount, which takes the percentage's place",
    { global_discount_amount: 50.5 },
    {
      ...{ global_discount_pct: 0, global_discount_amount: 50.5 },
      ...{ total_net: 149.5, total_tax: 34.39, total_gross: 183.89 },
    },
  ),
  changes(
    "replaces all lines",
    { lines: [{ ...LINE, description: "Broa", tax_rate: 6, discount_pct: 50, unit: "kg" }] },
    {
      lines: [
        {
          description: "Broa",
          qty: 1,
          unit_price_net: 100,
          unit_price_gross: null,
          tax_rate: 6,
          discount_pct: 50,
          discount_amount: null,
          product_id: null,
          unit: "kg",
          reference_id: null,
          reference_line: null,
          type: null,
          supply_date: null,
          exemption_code: null,
        },
      ],
      total_net: 45,
      total_tax: 2.7,
      total_gross: 47.7,
    },
  ),
  ...[
    { issue: true },
    { issue: false },
    { status: "issued" },
    { number: "FT 2026A/1" },
    { hash: "x" },
    { total_net: 1 },
    { id: UNKNOWN_ID },
    { doc_type: null },
    { series_id: null },
    { customer_id: UNKNOWN_ID },
    { series_id: UNKNOWN_ID },
    { issue_date: "2026-02-30" },
    { issue_date: null },
    { lines: [] },
    { lines: null },
    { global_discount_pct: 101 },
    { global_discount_pct: null },
    { global_discount_amount: 200.01 },
    { payments: [{ amount: 1, method_code: "XX", payment_date: TODAY }] },
    { references: [{ document_id: UNKNOWN_ID }] },
    { notas: "x" },
  ].map(
    (body): Scenario<Document> => ({
      name: `refuses ${JSON.stringify(body)} and changes nothing`,
      request: ({ id }) => `PATCH /v1/documents/${id}`,
      body,
      status: 400,
      code: "invalid_request",
      says: Object.keys(body),
      after: async (draft, api) => {
        expect((await api.call("GET", `/v1/documents/${draft.id}`)).body).toMatchObject(draft);
      },
    }),
  ),
  {
    name: "refuses a type that is not the series's",
    request: ({ id }) => `PATCH /v1/documents/${id}`,
    body: { doc_type: "FS" },
    status: 400,
    code: "invalid_request",
    says: "series_id",
  },
  {
    name: "changes type and series together",
    request: ({ id }) => `PATCH /v1/documents/${id}`,
    body: (_: Document, api: Api) => ({ doc_type: "FS", series_id: api.series.FS }),
    status: 200,
    is: (draft, api) => ({ ...draft, doc_type: "FS", series_id: api.series.FS, notices: [] }),
  },
]);

describe("PATCH on a draft", () => {
  apiTest("replaces references and payments as a whole, and keeps them when they are not sent", async (api) => {
    const one = await api.issued();
    const other = await api.issued({ customer_id: one.customer_id });
    const { id } = await api.draft({
      doc_type: "NC",
      customer_id: one.customer_id,
      references: [{ document_id: one.id, reason: "Engano" }],
    });
    const patch = async (body: object) => (await api.call<Document>("PATCH", `/v1/documents/${id}`, { body })).body;
    expect((await patch({ notes: "x" })).references).toMatchObject([{ document_id: one.id, reason: "Engano" }]);
    expect((await patch({ references: [{ document_id: other.id }] })).references).toEqual([
      { document_id: other.id, amount: null, reason: null },
    ]);
    expect((await patch({ references: [] })).references).toEqual([]);

    const { id: paid } = await api.draft({ payments: [{ amount: 1, method_code: "NU", payment_date: TODAY }] });
    const read = async () => (await api.call<DocumentWithPayments>("GET", `/v1/documents/${paid}`)).body.payments;
    await api.call("PATCH", `/v1/documents/${paid}`, { body: { notes: "x" } });
    expect(await read()).toMatchObject([{ amount: 1, method_code: "NU" }]);
    const payments = [{ amount: 2, method_code: "CC", payment_date: TODAY }];
    await api.call("PATCH", `/v1/documents/${paid}`, { body: { payments } });
    expect(await read()).toMatchObject(payments);
    await api.call("PATCH", `/v1/documents/${paid}`, { body: { payments: [] } });
    expect(await read()).toEqual([]);
  });

  apiTest("the changed draft is issued", async (api) => {
    const { id } = await full(api);
    const customer = await api.customer({ name: "Rui" });
    const lines = [{ ...LINE, unit_price_net: 2.195 }];
    await api.call("PATCH", `/v1/documents/${id}`, {
      body: { customer_id: customer.id, lines, global_discount_pct: 0 },
    });
    const { body } = await api.call<Document>("POST", `/v1/documents/${id}/issue`);
    expect(body).toMatchObject({
      customer_id: customer.id,
      customer: { name: "Rui" },
      lines,
      total_net: 2.2,
      total_tax: 0.5,
      total_gross: 2.7,
    });
  });
});

scenarios("DELETE /v1/documents/{id}", (api) => api.draft(), [
  {
    name: "discards a draft, once, and uses no number",
    request: ({ id }) => `DELETE /v1/documents/${id}`,
    status: 204,
    is: "",
    after: async ({ id }, api) => {
      for (const request of ["GET ", "PATCH ", "DELETE ", "POST issue", "POST cancel"]) {
        const [method = "", action] = request.split(" ");
        const path = `/v1/documents/${id}${action ? `/${action}` : ""}`;
        const { status } = await api.call(method, path, method === "PATCH" ? { body: {} } : {});
        expect(status, request).toBe(404);
      }
      expect((await api.call("GET", "/v1/documents")).body).toMatchObject({ pagination: { total: 0 } });
      expect((await api.issued()).number).toBe("FT 2026A/1");
    },
  },
]);
