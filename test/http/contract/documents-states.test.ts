/** The states of a document: its transitions, refused ones, and that a refusal changes nothing. */
import { describe, expect } from "vitest";
import type { Document, DocumentWithPayments } from "../../../src/core/documents/document.ts";
import { type Api, apiTest, expectRefusal, LINE, NOW, type Scenario, scenarios, TODAY } from "../../support/http.ts";
import { producesItsRefusals } from "./produced.ts";

type Status = Document["status"];

const IN_STATE: Record<Status, (api: Api) => Promise<Document>> = {
  draft: (api) => api.draft(),
  issued: (api) => api.issued(),
  cancelled: async (api) => {
    const { id } = await api.issued();
    return (await api.call<Document>("POST", `/v1/documents/${id}/cancel`)).body;
  },
};

const PAYMENT = { amount: 1, method_code: "TB", payment_date: TODAY };

/** Each verb: the request, and the one state it requires. */
const VERBS: [name: string, asks: Status, request: (id: string) => string, body: object | undefined][] = [
  ["issue", "draft", (id) => `POST /v1/documents/${id}/issue`, undefined],
  ["change", "draft", (id) => `PATCH /v1/documents/${id}`, { notes: "x" }],
  ["discard", "draft", (id) => `DELETE /v1/documents/${id}`, undefined],
  ["cancel", "issued", (id) => `POST /v1/documents/${id}/cancel`, undefined],
  ["pay", "issued", (id) => `POST /v1/documents/${id}/payments`, PAYMENT],
];

for (const [state, make] of Object.entries(IN_STATE)) {
  scenarios(
    `what is ${state}`,
    make,
    VERBS.filter(([, asks]) => asks !== state).map(
      ([verb, , request, body]): Scenario<Document> => ({
        name: `refuses ${verb} with invalid_state and changes nothing`,
        request: ({ id }) => request(id),
        ...(body && { body }),
        status: 409,
        code: "invalid_state",
        after: async (before, api) => {
          const { body: after } = await api.call<DocumentWithPayments>("GET", `/v1/documents/${before.id}`);
          expect(after).toEqual({ ...before, payments: [], refunds: [] });
        },
      }),
    ),
  );
}

scenarios("POST /v1/documents/{id}/issue", (api) => api.draft(), [
  ...[{}, { raw: "" }, { body: {} }].map(
    (sent): Scenario<Document> => ({
      name: `issues with ${JSON.stringify(sent)} for a body`,
      request: ({ id }) => `POST /v1/documents/${id}/issue`,
      ...sent,
      status: 200,
      shows: ({ id, lines: drafted }) => {
        const lines = drafted.map((line) => ({ ...line, type: "P" }));
        return { id, lines, status: "issued", number: "FT 2026A/1", issued_at: NOW };
      },
    }),
  ),
  ...[{ date: TODAY }, { issue: true }, [], null, "x", 1].map(
    (body): Scenario<Document> => ({
      name: `refuses ${JSON.stringify(body)} for a body`,
      request: ({ id }) => `POST /v1/documents/${id}/issue`,
      body,
      status: 400,
      code: "invalid_request",
      after: async ({ id }, api) => {
        expect((await api.call("GET", `/v1/documents/${id}`)).body).toMatchObject({ status: "draft" });
      },
    }),
  ),
]);

scenarios("POST /v1/documents/{id}/cancel", (api) => api.issued(), [
  ...[{}, { raw: "" }, { body: {} }].map(
    (sent): Scenario<Document> => ({
      name: `cancels with ${JSON.stringify(sent)} for a body, and sets a default reason`,
      request: ({ id }) => `POST /v1/documents/${id}/cancel`,
      ...sent,
      status: 200,
      is: (issued) => ({
        ...issued,
        status: "cancelled",
        cancelled_at: NOW,
        cancel_reason: "Anulado pelo emitente",
        payment_status: null,
        outstanding: null,
      }),
    }),
  ),
  ...["Engano", "😀".repeat(50)].map(
    (reason): Scenario<Document> => ({
      name: `accepts the reason ${reason}`,
      request: ({ id }) => `POST /v1/documents/${id}/cancel`,
      body: { reason },
      status: 200,
      shows: { cancel_reason: reason, status: "cancelled" },
    }),
  ),
  ...[{ reason: "x".repeat(51) }, { reason: "" }, { reason: 1 }, { reason: null }, { razao: "x" }, [], "x"].map(
    (body): Scenario<Document> => ({
      name: `refuses ${JSON.stringify(body)}`,
      request: ({ id }) => `POST /v1/documents/${id}/cancel`,
      body,
      status: 400,
      code: "invalid_request",
      after: async ({ id }, api) => {
        expect((await api.call("GET", `/v1/documents/${id}`)).body).toMatchObject({ status: "issued" });
      },
    }),
  ),
]);

describe("a document that others depend on is not cancelled", () => {
  const cancel = (api: Api, id: string) => api.call<Document>("POST", `/v1/documents/${id}/cancel`);
  const expectSettled = async (api: Api, id: string) => {
    const answer = await cancel(api, id);
    expect(answer.status).toBe(409);
    expectRefusal(answer, "document_settled");
    expect((await api.call("GET", `/v1/documents/${id}`)).body).toMatchObject({ status: "issued" });
  };

  apiTest("while it has a payment; once that is voided, it is", async (api) => {
    const { id } = await api.issued();
    const payment = await api.pay(id, 0.01);
    await expectSettled(api, id);
    await api.call("DELETE", `/v1/payments/${payment.id}`);
    expect((await cancel(api, id)).status).toBe(200);
  });

  apiTest("while it has a payment made at issue", async (api) => {
    const { id } = await api.issued({ doc_type: "FR", payments: [{ ...PAYMENT, amount: 123 }] });
    await expectSettled(api, id);
    const { body } = await api.call<DocumentWithPayments>("GET", `/v1/documents/${id}`);
    for (const payment of body.payments) await api.call("DELETE", `/v1/payments/${payment.id}`);
    expect((await cancel(api, id)).status).toBe(200);
  });

  for (const doc_type of ["NC", "ND", "RC", "NDV"]) {
    apiTest(`while an issued ${doc_type} references it; drafts and cancelled ones do not count`, async (api) => {
      const { id, customer_id } = await api.issued();
      const { id: other } = await api.issued({ customer_id });
      const fields = { doc_type, customer_id, lines: [{ ...LINE, unit_price_net: 1 }] };
      await api.draft({ ...fields, references: [{ document_id: other }] });
      expect((await cancel(api, other)).status).toBe(200);
      const referrer = await api.issued({ ...fields, references: [{ document_id: id }] });
      await expectSettled(api, id);
      expect((await cancel(api, referrer.id)).status).toBe(200);
      expect((await cancel(api, id)).status).toBe(200);
    });
  }

  apiTest("when it is a guide or quotation that became an invoice", async (api) => {
    const { id, customer_id } = await api.issued({ doc_type: "OR" });
    await api.issued({ customer_id, references: [{ document_id: id }] });
    await expectSettled(api, id);
  });
});

apiTest("a cancelled document keeps its number, and the next document takes the next one", async (api) => {
  const { id, number, hash } = await api.issued();
  const { body } = await api.call<Document>("POST", `/v1/documents/${id}/cancel`);
  expect(body).toMatchObject({ number, hash });
  expect((await api.issued()).number).toBe("FT 2026A/2");
});

producesItsRefusals("documents-states");
