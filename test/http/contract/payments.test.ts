/** Payments: recording, voiding, and how much a document still takes. Lists are in lists.test.ts. */
import type { DocType } from "lacre";
import { describe, expect } from "vitest";
import type { Document, DocumentWithPayments } from "../../../src/core/documents/document.ts";
import { PAYMENT_CODES } from "../../../src/core/fiscal/payment-means.ts";
import {
  type Api,
  apiTest,
  expectRefusal,
  LINE,
  type Scenario,
  scenarios,
  TODAY,
  UNKNOWN_ID,
} from "../../support/http.ts";
import { UUID_V7 } from "../../support/shapes.ts";
import { producesItsRefusals } from "./produced.ts";

const PAYMENT = { amount: 23, method_code: "TB", payment_date: TODAY };

const refused = (change: object, says: string | readonly string[]): Scenario<Document> => ({
  name: `refuses ${JSON.stringify(change)}`,
  request: ({ id }) => `POST /v1/documents/${id}/payments`,
  body: { ...PAYMENT, ...change },
  status: 400,
  code: "invalid_request",
  says,
  after: async ({ id }, api) => {
    expect((await api.call("GET", `/v1/documents/${id}`)).body).toMatchObject({ payments: [], outstanding: 123 });
  },
});

scenarios("POST /v1/documents/{id}/payments", (api) => api.issued(), [
  {
    name: "records a payment, and shows it in the document",
    request: ({ id }) => `POST /v1/documents/${id}/payments`,
    body: PAYMENT,
    status: 201,
    is: ({ id, number }) => ({
      id: expect.stringMatching(UUID_V7),
      document_id: id,
      document_number: number,
      ...PAYMENT,
      kind: "payment",
      receipt_id: null,
      credit_note_id: null,
      recorded_at: expect.any(String),
      recorded_by: "K1",
    }),
    after: async ({ id }, api, { body }) => {
      const { body: read } = await api.call("GET", `/v1/documents/${id}`);
      expect(read).toMatchObject({ payments: [body], outstanding: 100, payment_status: "partial" });
      expect((await api.call("GET", "/v1/payments")).body).toMatchObject({ data: [body] });
    },
  },
  ...PAYMENT_CODES.map(
    (method_code): Scenario<Document> => ({
      name: `takes ${method_code}`,
      request: ({ id }) => `POST /v1/documents/${id}/payments`,
      body: { ...PAYMENT, method_code },
      status: 201,
      shows: { method_code },
    }),
  ),
  ...["amount", "method_code", "payment_date"].flatMap((field) => [
    refused({ [field]: undefined }, `${field}: is required`),
    refused({ [field]: null }, field),
  ]),
  ...[0, -1, 0.001, 23.456, "23", 1_000_000_000_000.01, 1e300].map((amount) => refused({ amount }, "amount")),
  ...["nu", "", "XX", "NUM", 1].map((method_code) => refused({ method_code }, ["method_code", ...PAYMENT_CODES])),
  ...["2026-02-30", "21/11/2026", "", 20261121].map((payment_date) => refused({ payment_date }, "payment_date")),
  ...["id", "document_id", "voided_at", "valor"].map((field) => refused({ [field]: "x" }, field)),
  {
    name: "takes the last cent",
    request: ({ id }) => `POST /v1/documents/${id}/payments`,
    body: { ...PAYMENT, amount: 123 },
    status: 201,
    after: async ({ id }, api) => {
      expect((await api.call("GET", `/v1/documents/${id}`)).body).toMatchObject({
        outstanding: 0,
        payment_status: "paid",
      });
    },
  },
  {
    name: "refuses one cent more",
    request: ({ id }) => `POST /v1/documents/${id}/payments`,
    body: { ...PAYMENT, amount: 123.01 },
    status: 409,
    code: "payment_exceeds_balance",
    says: "123.00",
  },
  {
    name: "answers 404 for an unknown document",
    request: `POST /v1/documents/${UNKNOWN_ID}/payments`,
    body: PAYMENT,
    status: 404,
    code: "not_found",
  },
]);

describe("how much a document takes", () => {
  for (const doc_type of ["FT", "FS", "FR", "ND"] as const) {
    apiTest(`${doc_type} takes payments`, async (api) => {
      const { id } = await api.issued({ doc_type });
      expect(await api.pay(id, 1)).toMatchObject({ document_id: id, amount: 1 });
    });
  }

  for (const doc_type of ["NC", "RC", "GT", "GR", "NDV", "OR"] as const satisfies DocType[]) {
    apiTest(`${doc_type} takes no payments`, async (api) => {
      const { id } = await api.issued({ doc_type });
      const answer = await api.call("POST", `/v1/documents/${id}/payments`, { body: PAYMENT });
      expect(answer.status).toBe(409);
      expectRefusal(answer, "invalid_state");
    });
  }

  const pay = (api: Api, id: string, amount: number) =>
    api.call("POST", `/v1/documents/${id}/payments`, { body: { ...PAYMENT, amount } });

  apiTest("credit notes leave less to pay", async (api) => {
    const { id, customer_id } = await api.issued();
    await api.issued({
      doc_type: "NC",
      customer_id,
      references: [{ document_id: id }],
      lines: [{ ...LINE, unit_price_net: 50 }],
    });
    expectRefusal(await pay(api, id, 61.51), "payment_exceeds_balance");
    expect((await pay(api, id, 61.5)).status).toBe(201);
  });

  apiTest("an FR takes its gross less its payments, whatever was credited", async (api) => {
    const { id, customer_id } = await api.issued({ doc_type: "FR" });
    await api.issued({ doc_type: "NC", customer_id, references: [{ document_id: id }] });
    expect((await pay(api, id, 100)).status).toBe(201);
    expectRefusal(await pay(api, id, 23.01), "payment_exceeds_balance");
    expect((await pay(api, id, 23)).status).toBe(201);
  });

  apiTest("0.1, 0.2 and 0.7 add up to 1, to the cent", async (api) => {
    const { id } = await api.issued({ lines: [{ ...LINE, unit_price_net: 1, tax_rate: 0 }] });
    for (const amount of [0.1, 0.2, 0.7]) expect((await pay(api, id, amount)).status).toBe(201);
    const { body } = await api.call("GET", `/v1/documents/${id}`);
    expect(body).toMatchObject({ outstanding: 0, payment_status: "paid" });
    expectRefusal(await pay(api, id, 0.01), "payment_exceeds_balance");
  });
});

describe("DELETE /v1/payments/{id}", () => {
  apiTest("voids a payment, once, and leaves it out of reads and sums", async (api) => {
    const { id } = await api.issued();
    const wrong = await api.pay(id, 100);
    const right = await api.pay(id, 1);
    const answer = await api.call("DELETE", `/v1/payments/${wrong.id}`);
    expect([answer.status, answer.text]).toEqual([204, ""]);
    const { body } = await api.call<DocumentWithPayments>("GET", `/v1/documents/${id}`);
    expect(body).toMatchObject({ payments: [right], outstanding: 122, payment_status: "partial" });
    expect((await api.call("GET", "/v1/payments")).body).toMatchObject({ data: [right], pagination: { total: 1 } });
    expectRefusal(await api.call("DELETE", `/v1/payments/${wrong.id}`), "not_found");
    expect(await api.pay(id, 122)).toMatchObject({ amount: 122 });
  });

  scenarios("refuses", (api) => api.issued(), [
    { name: "an unknown id", request: `DELETE /v1/payments/${UNKNOWN_ID}`, status: 404, code: "not_found" },
    {
      name: "a query",
      request: `DELETE /v1/payments/${UNKNOWN_ID}?reason=x`,
      status: 400,
      code: "invalid_request",
      says: "reason",
    },
  ]);
});

apiTest("a payment that a receipt recorded is voided with it alone", async (api) => {
  const { id, customer_id } = await api.issued();
  const receipt = await api.call<Document>("POST", "/v1/documents", {
    body: {
      doc_type: "RC",
      series_id: api.series.RC,
      issue_date: TODAY,
      customer_id,
      references: [{ document_id: id }],
      lines: [{ description: "Recebido", qty: 1, unit_price_net: 123, tax_rate: 0 }],
      payments: [{ ...PAYMENT, amount: 123 }],
      record_payments: true,
      issue: true,
    },
  });
  expect(receipt.status, receipt.text).toBe(201);
  const { body } = await api.call<DocumentWithPayments>("GET", `/v1/documents/${id}`);
  expectRefusal(await api.call("DELETE", `/v1/payments/${body.payments[0]?.id}`), "invalid_state");
});

producesItsRefusals("payments");
