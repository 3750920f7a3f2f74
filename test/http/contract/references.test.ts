/** References: which type may reference which, their amounts, and their effect on balances. */
import { DOC_TYPES, type DocType } from "lacre";
import { describe, expect, test } from "vitest";
import type { Document } from "../../../src/core/documents/document.ts";
import { type Answer, type Api, apiTest, expectRefusal, LINE, TODAY, withApi } from "../../support/http.ts";

/** Which types each type corrects, returns, acknowledges or comes from. */
const MAY_REFERENCE: Record<DocType, readonly DocType[]> = {
  NC: ["FT", "FS", "FR", "ND"],
  ND: ["FT", "FS", "FR", "ND"],
  NDV: ["GT", "GR", "FT", "FS", "FR"],
  RC: ["FT", "FS", "ND", "NC"],
  FT: ["OR", "GT", "GR"],
  FS: ["OR", "GT", "GR"],
  FR: ["OR", "GT", "GR"],
  GT: ["OR"],
  GR: ["OR"],
  OR: [],
};

interface Fields {
  readonly doc_type: DocType;
  readonly customer_id: string;
  readonly issue_date?: string;
  readonly references?: readonly object[];
  readonly lines?: readonly object[];
}

/** The default reason of a reference: corrections always have one. */
const reasonOf = (doc_type: DocType) => (["NC", "ND"].includes(doc_type) ? "Retificação" : null);

/** Tries to issue a document of 1.23 EUR. */
function issue(api: Api, fields: Fields): Promise<Answer<Document>> {
  return api.call<Document>("POST", "/v1/documents", {
    body: {
      series_id: api.series[fields.doc_type],
      issue_date: TODAY,
      lines: [{ ...LINE, unit_price_net: 1 }],
      issue: true,
      ...fields,
    },
  });
}

describe("references: which type may reference which", () => {
  test.each(DOC_TYPES)("%s", async (doc_type) => {
    await withApi(async (api) => {
      const { id: customer_id } = await api.customer();
      for (const referenced of DOC_TYPES) {
        const { id: document_id } = await api.issued({ doc_type: referenced, customer_id });
        const answer = await issue(api, { doc_type, customer_id, references: [{ document_id }] });
        if (MAY_REFERENCE[doc_type].includes(referenced)) {
          expect(answer.status, `${doc_type} → ${referenced} ${answer.text}`).toBe(201);
          expect(answer.body.references).toMatchObject([{ document_id, reason: reasonOf(doc_type) }]);
        } else {
          expect(answer.status, `${doc_type} → ${referenced}`).toBe(400);
          expectRefusal(answer, "invalid_request", "references[0].document_id: ");
        }
      }
    });
  });
});

describe("references: checked when issuing", () => {
  for (const doc_type of ["NC", "ND", "RC"] as const) {
    apiTest(`${doc_type} must have the customer of the document it references`, async (api) => {
      const { id: document_id } = await api.issued();
      const { id: customer_id } = await api.customer({ name: "Rui" });
      const answer = await issue(api, { doc_type, customer_id, references: [{ document_id }] });
      expectRefusal(answer, "invalid_request", "references[0].document_id: ");
    });
  }

  apiTest("a document dated later cannot be referenced", async (api) => {
    const { id: document_id, customer_id } = await api.issued();
    const references = [{ document_id }];
    const answer = await issue(api, { doc_type: "NC", customer_id, issue_date: "2026-11-20", references });
    expectRefusal(answer, "invalid_request", "references[0].document_id: ");
  });

  for (const state of ["draft", "cancelled"]) {
    apiTest(`a document that is ${state} can be referenced on a draft, not when issuing`, async (api) => {
      const document = state === "draft" ? await api.draft() : await api.issued();
      if (state === "cancelled") await api.call("POST", `/v1/documents/${document.id}/cancel`);
      const fields = {
        doc_type: "NC" as const,
        customer_id: document.customer_id,
        references: [{ document_id: document.id }],
      };
      const { id } = await api.draft(fields);
      for (const answer of [await issue(api, fields), await api.call("POST", `/v1/documents/${id}/issue`)]) {
        expect(answer.status).toBe(409);
        expectRefusal(answer, "invalid_state");
      }
    });
  }

  for (const doc_type of ["NC", "ND", "RC"] as const) {
    apiTest(`${doc_type} needs no reference on an installation without a certificate`, async (api) => {
      const { id: customer_id } = await api.customer();
      expect((await issue(api, { doc_type, customer_id })).body).toMatchObject({ status: "issued", references: [] });
    });
  }

  apiTest("must not repeat, and lines may name only these", async (api) => {
    const { id: document_id, customer_id } = await api.issued();
    const { id: other } = await api.issued({ customer_id });
    const twice = [
      { document_id, amount: 1 },
      { document_id, amount: 0.23 },
    ];
    const repeated = await issue(api, { doc_type: "NC", customer_id, references: twice });
    expectRefusal(repeated, "invalid_request", "references[1].document_id: ");
    const line = { ...LINE, unit_price_net: 1, reference_id: other };
    const stranger = await issue(api, { doc_type: "NC", customer_id, references: [{ document_id }], lines: [line] });
    expectRefusal(stranger, "invalid_request", "lines[0].reference_id: ");
    const own = await issue(api, { doc_type: "NC", customer_id, references: [{ document_id: other }], lines: [line] });
    expect(own.body.lines).toMatchObject([{ reference_id: other }]);
  });

  apiTest("a reason has at most 50 characters", async (api) => {
    const { id: document_id, customer_id } = await api.issued();
    const fits = await issue(api, {
      doc_type: "NC",
      customer_id,
      references: [{ document_id, reason: "é".repeat(50) }],
    });
    expect(fits.body.references).toMatchObject([{ reason: "é".repeat(50) }]);
    const long = await issue(api, {
      doc_type: "NC",
      customer_id,
      references: [{ document_id, reason: "é".repeat(51) }],
    });
    expectRefusal(long, "invalid_request", "references[0].reason: ");
  });

  for (const change of [
    { amount: 0 },
    { amount: -1 },
    { amount: 1.001 },
    { amount: "1" },
    { reason: 1 },
    { id: "x" },
  ]) {
    apiTest(`${JSON.stringify(change)} in a reference is refused`, async (api) => {
      const { id: document_id, customer_id } = await api.issued();
      const answer = await issue(api, { doc_type: "NC", customer_id, references: [{ document_id, ...change }] });
      expectRefusal(answer, "invalid_request", `references[0].${Object.keys(change)[0]}: `);
    });
  }
});

describe("references: amounts", () => {
  for (const doc_type of ["NC", "RC"] as const) {
    apiTest(`${doc_type} with one reference needs no amount, and gives it its total`, async (api) => {
      const { id: document_id, customer_id } = await api.issued();
      const { body } = await issue(api, { doc_type, customer_id, references: [{ document_id }] });
      expect(body.references).toEqual([{ document_id, amount: 1.23, reason: reasonOf(doc_type) }]);
    });

    apiTest(`${doc_type} with several references needs every amount, and their sum is the total`, async (api) => {
      const { id: one, customer_id } = await api.issued();
      const { id: other } = await api.issued({ customer_id });
      const attempt = (a?: number, b?: number) =>
        issue(api, {
          doc_type,
          customer_id,
          lines: [
            { ...LINE, unit_price_net: 0.81, reference_id: one },
            { ...LINE, unit_price_net: 0.19, reference_id: other },
          ],
          references: [
            { document_id: one, amount: a },
            { document_id: other, amount: b },
          ],
        });
      expectRefusal(await attempt(1), "invalid_request", "references[1].amount: ");
      expectRefusal(await attempt(), "invalid_request", ["references[0].amount: ", "references[1].amount: "]);
      expectRefusal(await attempt(1, 0.24), "invalid_request", "references: ");
      expect((await attempt(1, 0.23)).body.references).toEqual([
        { document_id: one, amount: 1, reason: reasonOf(doc_type) },
        { document_id: other, amount: 0.23, reason: reasonOf(doc_type) },
      ]);
    });

    apiTest(`${doc_type} with one reference is refused when the amount is not its total`, async (api) => {
      const { id: document_id, customer_id } = await api.issued();
      const answer = await issue(api, { doc_type, customer_id, references: [{ document_id, amount: 1 }] });
      expectRefusal(answer, "invalid_request", "references");
    });
  }
});

describe("balances", () => {
  const balance = async (api: Api, id: string) => {
    const { body } = await api.call<Document>("GET", `/v1/documents/${id}`);
    return [body.outstanding, body.payment_status];
  };

  apiTest("payments and issued credit notes lower the balance to paid, and undoing them restores it", async (api) => {
    const { id, customer_id } = await api.issued();
    expect(await balance(api, id)).toEqual([123, "unpaid"]);
    const payment = await api.pay(id, 98.4);
    expect(await balance(api, id)).toEqual([24.6, "partial"]);
    const credit = await issue(api, {
      doc_type: "NC",
      customer_id,
      references: [{ document_id: id }],
      lines: [{ ...LINE, unit_price_net: 20 }],
    });
    expect(await balance(api, id)).toEqual([0, "paid"]);
    await api.call("POST", `/v1/documents/${credit.body.id}/cancel`);
    expect(await balance(api, id)).toEqual([24.6, "partial"]);
    await api.call("DELETE", `/v1/payments/${payment.id}`);
    expect(await balance(api, id)).toEqual([123, "unpaid"]);
  });

  apiTest("a credit note alone makes an invoice partially paid, in the list too", async (api) => {
    const { id, customer_id } = await api.issued();
    await issue(api, { doc_type: "NC", customer_id, references: [{ document_id: id }] });
    expect(await balance(api, id)).toEqual([121.77, "partial"]);
    const { body } = await api.call("GET", "/v1/documents?doc_type=FT");
    expect(body).toMatchObject({ data: [{ id, outstanding: 121.77, payment_status: "partial" }] });
  });

  apiTest("a draft credit note changes no balance", async (api) => {
    const { id, customer_id } = await api.issued();
    await api.draft({ doc_type: "NC", customer_id, references: [{ document_id: id }] });
    expect(await balance(api, id)).toEqual([123, "unpaid"]);
  });

  apiTest("debit notes, receipts and returns change no balance of what they reference", async (api) => {
    const { id, customer_id } = await api.issued();
    for (const doc_type of ["ND", "RC", "NDV"] as const) {
      await issue(api, { doc_type, customer_id, references: [{ document_id: id }] });
    }
    expect(await balance(api, id)).toEqual([123, "unpaid"]);
  });

  apiTest("an FR is paid once issued, with nothing outstanding, whatever its payments", async (api) => {
    const { id } = await api.issued({ doc_type: "FR" });
    expect(await balance(api, id)).toEqual([0, "paid"]);
    await api.pay(id, 1);
    expect(await balance(api, id)).toEqual([0, "paid"]);
  });

  apiTest("an invoice with a total of zero is paid", async (api) => {
    const { id } = await api.issued({ lines: [{ ...LINE, unit_price_net: 0 }] });
    expect(await balance(api, id)).toEqual([0, "paid"]);
  });

  for (const doc_type of ["NC", "RC", "GT", "GR", "NDV", "OR"] as const) {
    apiTest(`${doc_type} takes no payment and has no balance`, async (api) => {
      const { id } = await api.issued({ doc_type });
      expect(await balance(api, id)).toEqual([null, null]);
    });
  }

  apiTest("drafts and cancelled documents have no balance", async (api) => {
    expect(await balance(api, (await api.draft()).id)).toEqual([null, null]);
    const { id } = await api.issued();
    await api.call("POST", `/v1/documents/${id}/cancel`);
    expect(await balance(api, id)).toEqual([null, null]);
  });
});

describe("an archived customer's documents can still be settled", () => {
  for (const doc_type of ["NC", "ND", "RC", "NDV"] as const) {
    apiTest(`by an ${doc_type} that references one of them, and not by one that does not`, async (api) => {
      const { id: document_id, customer_id } = await api.issued();
      await api.call("DELETE", `/v1/customers/${customer_id}`);
      const without = await issue(api, { doc_type, customer_id });
      expect(without.status).toBe(409);
      expectRefusal(without, "invalid_state");
      const { status, body } = await issue(api, { doc_type, customer_id, references: [{ document_id }] });
      expect(status).toBe(201);
      expect(body.customer).toMatchObject({ id: customer_id, name: "Ana Conceição" });
    });
  }

  for (const doc_type of ["FT", "FS", "FR", "GT", "GR"] as const) {
    apiTest(`not by an ${doc_type}, even one that references a quotation of theirs`, async (api) => {
      const { id: document_id, customer_id } = await api.issued({ doc_type: "OR" });
      await api.call("DELETE", `/v1/customers/${customer_id}`);
      const answer = await issue(api, { doc_type, customer_id, references: [{ document_id }] });
      expect(answer.status).toBe(409);
      expectRefusal(answer, "invalid_state");
    });
  }
});
