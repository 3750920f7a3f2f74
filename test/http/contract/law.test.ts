/** Portuguese law over HTTP: taxes and their reasons, limits and caps, transport, training, and the strict mode. */
import { describe, expect } from "vitest";
import type { Document } from "../../../src/core/documents/document.ts";
import { type Answer, type Api, apiTest, expectRefusal, LINE, TODAY } from "../../support/http.ts";
import { warningsOf } from "../../support/saft.ts";
import { producesItsRefusals } from "./produced.ts";

const ADDRESS = { address: "Rua do Forno, 12", postal_code: "2640-389", city: "Mafra" };

/** Certified as number 9999, the company with its address, every series with its validation code. */
async function certified(api: Api): Promise<void> {
  await api.lacre.signer.setCertificate({ certificate_number: 9999 });
  await api.lacre.companies.change({ id: api.company_id, ...ADDRESS });
  for (const [type, id] of Object.entries(api.series)) {
    await api.company.series.change({ id, validation_code: `CSDF7T${type.padEnd(3, "0")}` });
  }
}

/** Tries a document both ways, issued at once and as a draft that is issued, and expects the same answer. */
async function attempt(api: Api, fields: object): Promise<Answer<Document>> {
  const { id } = await api.draft(fields);
  const later = await api.call<Document>("POST", `/v1/documents/${id}/issue`);
  if (later.status === 200) return later;
  const { doc_type = "FT", customer_id } = fields as { doc_type?: "FT"; customer_id?: string };
  const body = {
    doc_type,
    series_id: api.series[doc_type],
    issue_date: TODAY,
    customer_id: customer_id ?? (await api.customer()).id,
    lines: [LINE],
    ...fields,
    issue: true,
  };
  const at_once = await api.call<Document>("POST", "/v1/documents", { body });
  expect([at_once.status, at_once.body]).toEqual([later.status, later.body]);
  return at_once;
}

/** A line of this amount without tax. */
const exempt = (unit_price_net: number, fields: object = {}) => ({ ...LINE, unit_price_net, tax_rate: 0, ...fields });

const GUIDE = { doc_type: "GT" } as const;

describe("lines at 0 %", () => {
  const reasonOf = async (api: Api, line: object) => (await api.issued({ lines: [line] })).lines[0]?.exemption_code;

  apiTest("take their own reason, else the product's, else the company's, else M99", async (api) => {
    const { id: product_id } = await api.product({ exemption_code: "M07", tax_rate: 0 });
    expect(await reasonOf(api, exempt(1))).toBe("M99");
    await api.lacre.companies.change({ id: api.company_id, default_exemption_code: "M10" });
    expect(await reasonOf(api, exempt(1))).toBe("M10");
    expect(await reasonOf(api, exempt(1, { product_id }))).toBe("M07");
    expect(await reasonOf(api, exempt(1, { product_id, exemption_code: "M05" }))).toBe("M05");
    expect(await reasonOf(api, LINE)).toBeNull();
  });

  apiTest("on a draft stay as they were sent, so that a later default counts", async (api) => {
    const draft = await api.draft({ lines: [exempt(1)] });
    expect(draft.lines[0]?.exemption_code).toBeNull();
    await api.lacre.companies.change({ id: api.company_id, default_exemption_code: "M10" });
    const { body } = await api.call<Document>("POST", `/v1/documents/${draft.id}/issue`);
    expect(body.lines[0]?.exemption_code).toBe("M10");
  });

  apiTest("refuse a code that is unknown, not in force, or on a taxed line", async (api) => {
    const { id: customer_id } = await api.customer();
    const body = { doc_type: "FT", series_id: api.series.FT, issue_date: TODAY, customer_id };
    const unknown = await api.call("POST", "/v1/documents", {
      body: { ...body, lines: [exempt(1, { exemption_code: "M03" })] },
    });
    expectRefusal(unknown, "invalid_request", "lines[0].exemption_code: is not an exemption code");
    const expired = await attempt(api, { lines: [LINE, exempt(1, { exemption_code: "M26" })] });
    expectRefusal(expired, "invalid_request", `lines[1].exemption_code: M26 is not in force on ${TODAY}`);
    const taxed = await attempt(api, { lines: [{ ...LINE, exemption_code: "M07" }] });
    expectRefusal(taxed, "invalid_request", "lines[0].exemption_code: must not be set at 23%");
  });

  apiTest("of a credit note take the reason of the corrected document", async (api) => {
    const { id, customer_id } = await api.issued({ lines: [exempt(10, { exemption_code: "M16" })] });
    await api.lacre.companies.change({ id: api.company_id, default_exemption_code: "M07" });
    const references = [{ document_id: id }];
    const credit = await api.issued({ doc_type: "NC", customer_id, references, lines: [exempt(10)] });
    expect(credit.lines[0]?.exemption_code).toBe("M16");
  });

  apiTest("of a credit note take the reason the product had then, whatever it has now", async (api) => {
    const { id: product_id } = await api.product({ exemption_code: "M05", tax_rate: 0 });
    const own = exempt(10, { product_id });
    const { id, customer_id } = await api.issued({ lines: [exempt(10, { exemption_code: "M16" }), own] });
    await api.call("PATCH", `/v1/products/${product_id}`, { body: { exemption_code: "M07" } });
    const references = [{ document_id: id }];
    const credit = await api.issued({ doc_type: "NC", customer_id, references, lines: [own] });
    expect(credit.lines[0]?.exemption_code).toBe("M05");
  });

  apiTest(
    "of a credit note may have a reason that was in force when the corrected document was issued",
    async (api) => {
      const lines = [exempt(10, { exemption_code: "M26" })];
      const { id, customer_id } = await api.issued({ issue_date: "2023-06-01", lines });
      const references = [{ document_id: id }];
      const credit = await attempt(api, { doc_type: "NC", customer_id, references, lines });
      expect(credit.body.lines[0]?.exemption_code).toBe("M26");
    },
  );

  apiTest(
    "are taxed beside others: on receipts only those, on guides and quotations all, once one has a price",
    async (api) => {
      const receipt = await api.issued({ doc_type: "RC", lines: [LINE, exempt(10)] });
      expect(receipt.qr_code).toContain("*I1:PT*I7:100.00*I8:23.00*N:23.00*O:133.00*");
      for (const doc_type of ["GT", "GR", "NDV", "OR"] as const) {
        const { lines, qr_code } = await api.issued({ doc_type, lines: [LINE, exempt(0)] });
        expect(lines.map(({ exemption_code }) => exemption_code)).toEqual([null, "M99"]);
        expect(qr_code, doc_type).toContain("*I1:PT*I7:100.00*I8:23.00*N:23.00*O:123.00*");
      }
    },
  );

  apiTest("need no reason on receipts, nor on guides, returns and quotations without prices", async (api) => {
    for (const doc_type of ["RC", "GT", "GR", "NDV", "OR"] as const) {
      const lines = [exempt(doc_type === "RC" ? 10 : 0)];
      const { qr_code, lines: frozen } = await api.issued({ doc_type, lines });
      expect(frozen[0]?.exemption_code, doc_type).toBeNull();
      expect(qr_code, doc_type).toContain("*I1:0*N:0.00*");
    }
    expect((await api.issued({ doc_type: "OR", lines: [exempt(1)] })).lines[0]?.exemption_code).toBe("M99");
  });
});

describe("a simplified invoice", () => {
  apiTest("has a total of at most 1000.00 EUR, to the cent", async (api) => {
    expect((await attempt(api, { doc_type: "FS", lines: [exempt(1000)] })).status).toBe(200);
    const over = await attempt(api, { doc_type: "FS", lines: [exempt(1000.01)] });
    expectRefusal(
      over,
      "invalid_request",
      "lines: a document of type FS is at most 1,000.00 EUR, this one is 1,000.01 EUR",
    );
    expect((await attempt(api, { doc_type: "FT", lines: [exempt(1000.01)] })).status).toBe(200);
  });

  apiTest("keeps the company's limit: 100.00 EUR, or none", async (api) => {
    await api.lacre.companies.change({ id: api.company_id, simplified_limit: 100 });
    expect((await attempt(api, { doc_type: "FS", lines: [exempt(100)] })).status).toBe(200);
    const over = await attempt(api, { doc_type: "FS", lines: [exempt(100.01)] });
    expectRefusal(
      over,
      "invalid_request",
      "lines: a document of type FS is at most 100.00 EUR, this one is 100.01 EUR",
    );
    await api.lacre.companies.change({ id: api.company_id, simplified_limit: null });
    expect((await attempt(api, { doc_type: "FS", lines: [exempt(1000.01)] })).status).toBe(200);
  });
});

describe("credit notes on a document", () => {
  const credit = (api: Api, { id, customer_id }: Document, fields: object = {}) =>
    attempt(api, { doc_type: "NC", customer_id, references: [{ document_id: id }], ...fields });

  apiTest("never exceed its total, all issued ones together", async (api) => {
    const invoice = await api.issued();
    const first = await credit(api, invoice, { lines: [{ ...LINE, unit_price_net: 60 }] });
    const over = await credit(api, invoice, { lines: [{ ...LINE, unit_price_net: 40.01 }] });
    expect(over.status).toBe(409);
    expectRefusal(over, "credit_exceeds_original", "Only 49.20 EUR of FT 2026A/1");
    await api.call("POST", `/v1/documents/${first.body.id}/cancel`);
    expect((await credit(api, invoice)).status).toBe(200);
    const again = await credit(api, invoice, { lines: [exempt(0)] });
    expectRefusal(again, "credit_exceeds_original", "Nothing of FT 2026A/1 is left to credit.");
  });

  apiTest("never exceed its total at any one rate", async (api) => {
    const invoice = await api.issued({ lines: [LINE, { ...LINE, tax_rate: 6 }] });
    const over = await credit(api, invoice, { lines: [{ ...LINE, unit_price_net: 100.01, tax_rate: 6 }] });
    const at6 =
      "Only 106.00 EUR of FT 2026A/1 at 6% can still be credited; this note has 106.01 EUR at that rate: Pão de Mafra.";
    expectRefusal(over, "credit_exceeds_original", at6);
    const other = await credit(api, invoice, { lines: [{ ...LINE, unit_price_net: 1, tax_rate: 13 }] });
    expectRefusal(other, "credit_exceeds_original", "Nothing of FT 2026A/1 at 13% can be credited");
  });

  apiTest("never exceed its total at all rates together, less the discounts of both", async (api) => {
    const reduced = { ...LINE, tax_rate: 6 };
    const invoice = await api.issued({ lines: [LINE, reduced], global_discount_pct: 50 });
    const over = await credit(api, invoice, { lines: [{ ...reduced, unit_price_net: 50.01 }] });
    expectRefusal(over, "credit_exceeds_original", "at 6% can still be credited");
    const discounted = { lines: [{ ...reduced, unit_price_net: 60 }], global_discount_pct: 50 };
    expect((await credit(api, invoice, discounted)).status).toBe(200);
    expectRefusal(await credit(api, invoice, discounted), "credit_exceeds_original", "at 6% can still be credited");
  });

  apiTest("of 0 EUR may correct a document of 0", async (api) => {
    const free = await api.issued({ lines: [exempt(0)] });
    expect((await credit(api, free, { lines: [exempt(0)] })).status).toBe(200);
    const charged = await credit(api, free, { lines: [exempt(1)] });
    expectRefusal(charged, "credit_exceeds_original", "Nothing of FT 2026A/1 at 0% can be credited");
  });

  apiTest("can take back everything sold, in parts, to the cent", async (api) => {
    const { id: product_id } = await api.product();
    const sold = { ...LINE, qty: 0.3, product_id };
    const invoice = await api.issued({ lines: [sold] });
    for (const qty of [0.1, 0.2]) expect((await credit(api, invoice, { lines: [{ ...sold, qty }] })).status).toBe(200);
  });

  apiTest("never take back more of a product than was sold", async (api) => {
    const { id: product_id } = await api.product();
    const sold = { ...LINE, qty: 3, unit_price_net: 10, product_id };
    const invoice = await api.issued({ lines: [sold] });
    expect((await credit(api, invoice, { lines: [{ ...sold, qty: 2, unit_price_net: 1 }] })).status).toBe(200);
    const over = await credit(api, invoice, { lines: [{ ...sold, qty: 1.5, unit_price_net: 1 }] });
    expectRefusal(
      over,
      "credit_exceeds_original",
      "Only 1 of Pão de Mafra on FT 2026A/1 can still be credited; this note has 1.5.",
    );
  });

  apiTest("never take back more than was sold of the line they name, all notes together", async (api) => {
    const sold = { ...LINE, qty: 10, unit_price_net: 10 };
    const invoice = await api.issued({ lines: [{ ...sold, description: "Broa", qty: 2 }, sold] });
    const back = (qty: number) =>
      credit(api, invoice, {
        lines: [{ ...LINE, description: "Devolvido", qty, unit_price_net: 1, reference_line: 2 }],
      });
    expectRefusal(
      await back(100),
      "credit_exceeds_original",
      "Only 10 of Pão de Mafra on FT 2026A/1 can still be credited; this note has 100.",
    );
    const first = await back(6);
    expect(first.body.lines).toMatchObject([{ reference_line: 2 }]);
    expectRefusal(
      await back(5),
      "credit_exceeds_original",
      "Only 4 of Pão de Mafra on FT 2026A/1 can still be credited; this note has 5.",
    );
    await api.call("POST", `/v1/documents/${first.body.id}/cancel`);
    expect((await back(5)).status).toBe(200);
    expect((await back(5)).status).toBe(200);
  });

  apiTest("count a line's product too, whether they name the one or the other", async (api) => {
    const { id: product_id } = await api.product();
    const sold = { ...LINE, qty: 3, unit_price_net: 10, product_id };
    const invoice = await api.issued({ lines: [sold, sold] });
    const back = (qty: number, names: object) =>
      credit(api, invoice, { lines: [{ ...LINE, qty, unit_price_net: 1, ...names }] });
    expect((await back(3, { reference_line: 1 })).status).toBe(200);
    expect((await back(2, { product_id })).status).toBe(200);
    expectRefusal(await back(2, { reference_line: 2 }), "credit_exceeds_original", "Only 1 of Pão de Mafra");
    expect((await back(1, { reference_line: 2, product_id })).status).toBe(200);
  });

  apiTest("name a line that exists, of the same product", async (api) => {
    const [bread, wine] = [await api.product(), await api.product()];
    const invoice = await api.issued({ lines: [{ ...LINE, product_id: bread.id }] });
    const none = "lines[0].reference_line: is not the number of a line of the document it corrects";
    expectRefusal(await credit(api, invoice, { lines: [{ ...LINE, reference_line: 2 }] }), "invalid_request", none);
    expectRefusal(await attempt(api, { lines: [{ ...LINE, reference_line: 1 }] }), "invalid_request", none);
    const other = await credit(api, invoice, { lines: [{ ...LINE, reference_line: 1, product_id: wine.id }] });
    expectRefusal(other, "invalid_request", "lines[0].reference_line: is a line of another product");
  });

  apiTest("have the rate of the line they name", async (api) => {
    const bread = await api.product();
    const sold = { ...LINE, qty: 10, unit_price_net: 10 };
    const invoice = await api.issued({ lines: [sold, { ...sold, tax_rate: 6, product_id: bread.id }] });
    const wrong = await credit(api, invoice, { lines: [{ ...sold, reference_line: 2 }] });
    expectRefusal(wrong, "invalid_request", "lines[0].tax_rate: must be that of the line it corrects, 6%");
    expect((await credit(api, invoice, { lines: [{ ...sold, tax_rate: 6, reference_line: 2 }] })).status).toBe(200);
  });

  apiTest("without a certificate number need name neither line nor product", async (api) => {
    const [bread, wine] = [await api.product(), await api.product()];
    const sold = { ...LINE, qty: 10, unit_price_net: 10 };
    const names = [{}, { product_id: wine.id }, { product_id: bread.id }, { reference_line: 1 }];
    for (const name of names) {
      const invoice = await api.issued({ lines: [sold, { ...sold, product_id: bread.id }] });
      expect((await credit(api, invoice, { lines: [{ ...sold, ...name }] })).status).toBe(200);
    }
    const last = await api.issued({ lines: [sold] });
    expect((await credit(api, last, { lines: [{ ...sold, qty: 100, unit_price_net: 1 }] })).status).toBe(200);
    const { report } = await api.company.saft.export({ from: "2026-01-01", to: TODAY });
    const examples = ["NC 2026A/1", "NC 2026A/2", "NC 2026A/5"];
    expect(warningsOf(report)).toMatchObject([{ code: "correction_without_line", count: 3, examples }]);
  });

  apiTest("under one name in each line a line or a product of what they correct", async (api) => {
    await certified(api);
    const [bread, wine] = [await api.product(), await api.product()];
    const sold = { ...LINE, qty: 10, unit_price_net: 10 };
    const invoice = await api.issued({ lines: [{ ...sold, product_id: bread.id }, sold] });
    for (const lines of [[{ ...sold, qty: 100, unit_price_net: 1 }], [{ ...sold, product_id: wine.id }]]) {
      const why = "is required: the line names no product of FT 2026A/1; give the number of the line it corrects there";
      expectRefusal(await credit(api, invoice, { lines }), "invalid_request", `lines[0].reference_line: ${why}`);
    }
    const over = { lines: [{ ...sold, qty: 11, unit_price_net: 1, reference_line: 2 }] };
    expectRefusal(await credit(api, invoice, over), "credit_exceeds_original", "Only 10 of Pão de Mafra");
    const dear = { lines: [{ ...sold, qty: 1, unit_price_net: 100.01, reference_line: 2 }] };
    const worth =
      "Only 100.00 EUR without tax of Pão de Mafra on FT 2026A/1 can still be credited; this note has 100.01 EUR.";
    expectRefusal(await credit(api, invoice, dear), "credit_exceeds_original", worth);
    const dearBread = { lines: [{ ...sold, qty: 1, unit_price_net: 101, product_id: bread.id }] };
    expectRefusal(await credit(api, invoice, dearBread), "credit_exceeds_original", "this note has 101.00 EUR.");
    const otherRate = { lines: [{ ...sold, qty: 1, tax_rate: 6, product_id: bread.id }] };
    const rate = "lines[0].tax_rate: must be that of the line it corrects, 23%";
    expectRefusal(await credit(api, invoice, otherRate), "invalid_request", rate);
    const lines = [
      { ...sold, product_id: bread.id },
      { ...sold, reference_line: 2 },
    ];
    expect((await credit(api, invoice, { lines })).status).toBe(200);
    const { report } = await api.company.saft.export({ from: "2026-01-01", to: TODAY });
    expect(warningsOf(report)).toEqual([]);
  });

  apiTest("name for each line which of several documents it corrects", async (api) => {
    const one = await api.issued();
    const other = await api.issued({ customer_id: one.customer_id });
    const references = [
      { document_id: one.id, amount: 61.5 },
      { document_id: other.id, amount: 61.5 },
    ];
    const half = { ...LINE, unit_price_net: 50 };
    const unnamed = await credit(api, one, { references, lines: [half, { ...half, reference_id: other.id }] });
    expectRefusal(unnamed, "invalid_request", "lines[0].reference_id: is required with several references");
    const lines = [one, other].map(({ id }) => ({ ...half, reference_id: id }));
    expect((await credit(api, one, { references, lines })).status).toBe(200);
  });

  apiTest("are taxed by the region and the day of the corrected document", async (api) => {
    const invoice = await api.issued();
    await api.lacre.companies.change({ id: api.company_id, tax_region: "PT-MA" });
    const { body } = await credit(api, invoice);
    expect(body.qr_code).toContain("*I1:PT*I7:100.00*I8:23.00*");
    expect((await api.issued({ lines: [{ ...LINE, tax_rate: 22 }] })).qr_code).toContain(
      "*I1:PT-MA*I7:100.00*I8:22.00*",
    );
  });
});

describe("debit notes", () => {
  apiTest("are taxed line by line, by the region and the day of the document each line corrects", async (api) => {
    await api.lacre.companies.change({ id: api.company_id, tax_region: "PT-MA" });
    const reduced = { ...LINE, tax_rate: 5 };
    const old = await api.issued({ issue_date: "2024-09-30", lines: [reduced] });
    const { customer_id } = old;
    const recent = await api.issued({ customer_id, lines: [{ ...LINE, tax_rate: 4 }] });
    await api.lacre.companies.change({ id: api.company_id, tax_region: "PT" });
    const references = [old, recent].map(({ id }) => ({ document_id: id }));
    const of = ({ id: reference_id }: Document) => ({ ...reduced, reference_id });
    const one = await attempt(api, { doc_type: "ND", customer_id, references, lines: [of(old)] });
    expect(one.body.qr_code).toContain("*I1:PT-MA*I3:100.00*I4:5.00*N:");
    const other = await attempt(api, { doc_type: "ND", customer_id, references, lines: [of(recent)] });
    expect(other.body.qr_code).toContain("*I1:PT-MA*N:5.00*");
  });
});

describe("receipts", () => {
  const receipt = (api: Api, { id, customer_id }: Document, amount: number) =>
    attempt(api, { doc_type: "RC", customer_id, references: [{ document_id: id }], lines: [exempt(amount)] });

  apiTest("never acknowledge more than gross less credits, all issued ones together", async (api) => {
    const invoice = await api.issued();
    const { customer_id } = invoice;
    const references = [{ document_id: invoice.id }];
    await api.issued({ doc_type: "NC", customer_id, references, lines: [{ ...LINE, unit_price_net: 10 }] });
    const first = await receipt(api, invoice, 100);
    const over = await receipt(api, invoice, 10.71);
    expect(over.status).toBe(409);
    expectRefusal(over, "receipt_exceeds_documents", "Only 10.70 EUR of FT 2026A/1");
    await api.call("POST", `/v1/documents/${first.body.id}/cancel`);
    expect((await receipt(api, invoice, 110.7)).status).toBe(200);
  });
});

describe("a receipt over several documents", () => {
  apiTest("has an amount for each document; its lines need not name one", async (api) => {
    const [one, other] = [await api.issued(), await api.issued()];
    const { customer_id } = one;
    const same = await api.issued({ customer_id });
    const over = (second: Document, amount: number) => ({
      ...{ doc_type: "RC", customer_id, lines: [exempt(150)] },
      references: [
        { document_id: one.id, amount: 100 },
        { document_id: second.id, amount },
      ],
    });
    expectRefusal(await attempt(api, over(other, 50)), "invalid_request", "references[1].document_id: is of another");
    expectRefusal(await attempt(api, over(same, 49.99)), "invalid_request", "references: amounts sum to 149.99");
    expect((await attempt(api, over(same, 50))).status).toBe(200);
    expectRefusal(await attempt(api, over(same, 50)), "receipt_exceeds_documents", "Only 23.00 EUR of FT 2026A/1");
  });
});

describe("the transport of a guide or a return", () => {
  apiTest("starts at issue, from the company to the customer and on a return back, by default", async (api) => {
    await api.lacre.companies.change({ id: api.company_id, address: "Rua A", city: "Mafra" });
    const { id: customer_id } = await api.customer({ address: "Rua B", country: "PT" });
    const ours = { address: "Rua A", postal_code: null, city: "Mafra", country: "PT" };
    const theirs = { address: "Rua B", postal_code: null, city: null, country: "PT" };
    const ways = { GT: { from: ours, to: theirs }, GR: { from: ours, to: theirs }, NDV: { from: theirs, to: ours } };
    for (const [doc_type, way] of Object.entries(ways)) {
      const { transport, issued_at } = await api.issued({ doc_type, customer_id });
      expect([doc_type, transport]).toEqual([doc_type, { start_at: issued_at, end_at: null, ...way, vehicle: null }]);
    }
    expect((await api.issued()).transport).toBeNull();
  });

  apiTest("is kept as sent, with instants in UTC", async (api) => {
    const transport = {
      start_at: "2026-11-22T08:00:00+01:00",
      end_at: "2026-11-22T12:00:00Z",
      from: { address: "Armazém", postal_code: "2640-001", city: "Mafra", country: "PT" },
      to: { address: "Loja", city: "Lisboa" },
      vehicle: "AA-00-BB",
    };
    const kept = { ...transport, start_at: "2026-11-22T07:00:00.000Z", end_at: "2026-11-22T12:00:00.000Z" };
    const draft = await api.draft({ ...GUIDE, transport });
    expect(draft.transport).toEqual(kept);
    await api.call("PATCH", `/v1/documents/${draft.id}`, { body: { notes: "Cuidado" } });
    const { body } = await api.call<Document>("POST", `/v1/documents/${draft.id}/issue`);
    expect(body.transport).toEqual(kept);
    const cleared = await api.draft({ ...GUIDE, transport });
    const { body: without } = await api.call<Document>("PATCH", `/v1/documents/${cleared.id}`, {
      body: { transport: null },
    });
    expect(without.transport).toBeNull();
  });

  apiTest("is refused on types without goods, when it ends before it starts, and without a time zone", async (api) => {
    const { id: customer_id } = await api.customer();
    const post = (doc_type: "FS" | "GT", transport: object) =>
      api.call("POST", "/v1/documents", {
        body: { doc_type, series_id: api.series[doc_type], issue_date: TODAY, customer_id, lines: [LINE], transport },
      });
    expectRefusal(await post("FS", {}), "invalid_request", "transport: a document of type FS has no transport");
    const times = { start_at: "2026-11-22T10:00:00Z", end_at: "2026-11-22T09:59:59Z" };
    expectRefusal(await post("GT", times), "invalid_request", "transport.end_at: must not be before");
    for (const start_at of ["2026-11-22T10:00:00", "2026-11-22", "2026-02-30T10:00:00Z", "0026-11-22T10:00:00Z", 7]) {
      expectRefusal(await post("GT", { start_at }), "invalid_request", "transport.start_at: must be");
    }
    expectRefusal(await post("GT", { place: "x" }), "invalid_request", "transport.place: is not a known field");
    const late = await attempt(api, { ...GUIDE, transport: { end_at: "2026-11-20T10:00:00Z" } });
    expectRefusal(late, "invalid_request", "transport.end_at: must not be before the goods leave");
  });

  const at_doc_code = "5120000001234";

  apiTest("takes the authority's code once, keeps it, and takes the same again for a retry", async (api) => {
    const start_at = "2026-11-21T18:00:00Z";
    const { id, hash } = await api.issued({ ...GUIDE, transport: { start_at } });
    const patch = (body: object) => api.call<Document>("PATCH", `/v1/documents/${id}`, { body });
    expectRefusal(await patch({ at_doc_code, notes: "x" }), "invalid_request", "at_doc_code: must be sent alone");
    expect((await patch({ at_doc_code })).body).toMatchObject({ id, hash, at_doc_code });
    expect(await patch({ at_doc_code })).toMatchObject({ status: 200, body: { id, at_doc_code } });
    const events = await api.company.events.list();
    expect(events.data.filter(({ action }) => action === "document.transport_registered")).toHaveLength(1);
    const other_code = await patch({ at_doc_code: "5120000009999" });
    expectRefusal(other_code, "invalid_state", `has the transport code ${at_doc_code}`);
    const other = await api.issued({ ...GUIDE, transport: { start_at } });
    await api.call("PATCH", `/v1/documents/${other.id}`, { body: { at_doc_code } });
    expect((await api.call("POST", `/v1/documents/${other.id}/cancel`)).status).toBe(200);
    api.today = new Date(start_at);
    const cancelled = await api.call("POST", `/v1/documents/${id}/cancel`);
    expect(cancelled.status).toBe(409);
    expectRefusal(cancelled, "invalid_state", "The transport began");
    expect(await api.company.series.verify()).toMatchObject({ whole: true });
  });

  apiTest("may be that of an FT or FR, printed and answered, with the authority's code and its rules", async (api) => {
    const transport = { start_at: "2026-11-21T18:00:00.000Z", to: { city: "Lisboa" }, vehicle: "AA-00-BB" };
    for (const doc_type of ["FT", "FR"] as const) {
      const kept = {
        ...transport,
        end_at: null,
        from: { address: null, postal_code: null, city: null, country: "PT" },
      };
      const draft = await api.draft({ doc_type, transport });
      const { body } = await api.call<Document>("POST", `/v1/documents/${draft.id}/issue`);
      expect(body.transport).toEqual(kept);
      expect(body.qr_code).not.toContain("AA-00-BB");
      const patched = await api.call("PATCH", `/v1/documents/${body.id}`, { body: { at_doc_code } });
      expect(patched.body).toMatchObject({ at_doc_code });
      api.today = new Date("2026-11-21T18:00:00Z");
      expectRefusal(await api.call("POST", `/v1/documents/${body.id}/cancel`), "invalid_state", "The transport began");
      api.today = new Date("2026-11-21T19:00:00Z");
    }
    const { id } = await api.issued();
    const without = await api.call("PATCH", `/v1/documents/${id}`, { body: { at_doc_code } });
    expectRefusal(without, "invalid_state", "was issued without a transport");
    expect(await api.company.series.verify()).toMatchObject({ whole: true });
  });

  apiTest("takes no code as a draft, when cancelled, or on another type", async (api) => {
    const draft = await api.draft(GUIDE);
    const cancelled = await api.issued(GUIDE);
    await api.call("POST", `/v1/documents/${cancelled.id}/cancel`);
    for (const { id } of [draft, cancelled, await api.issued()]) {
      const answer = await api.call("PATCH", `/v1/documents/${id}`, { body: { at_doc_code } });
      expect(answer.status).toBe(409);
      expectRefusal(answer, "invalid_state");
    }
  });
});

describe("a training series", () => {
  apiTest("has no balances and no payments, and references no real document", async (api) => {
    const { id: series_id } = await api.newSeries({ training: true });
    const { id: notes } = await api.newSeries({ doc_type: "NC", training: true });
    const payments = [{ amount: 1, method_code: "NU", payment_date: TODAY }];
    const lesson = await api.issued({ series_id, payments });
    const { id, customer_id } = lesson;
    expect(lesson).toMatchObject({ outstanding: null, payment_status: null });
    expect((await api.call("GET", "/v1/payments")).body).toMatchObject({ data: [] });
    const paid = await api.call("POST", `/v1/documents/${id}/payments`, { body: payments[0] as object });
    expectRefusal(paid, "invalid_state", "A training document takes no payments");
    const real = await api.issued({ customer_id });
    for (const [document_id, series] of [
      [id, api.series.NC],
      [real.id, notes],
    ] as const) {
      const answer = await attempt(api, {
        doc_type: "NC",
        series_id: series,
        customer_id,
        references: [{ document_id }],
      });
      expectRefusal(answer, "invalid_request", "references[0].document_id: is a ");
    }
    const own = await attempt(api, {
      doc_type: "NC",
      series_id: notes,
      customer_id,
      references: [{ document_id: id }],
    });
    expect(own.status).toBe(200);
  });
});

describe("without a certificate number", () => {
  apiTest("goods may have left before their document", async (api) => {
    for (const end_at of [null, "2026-11-21T10:15:00Z", "2026-11-21T10:00:00Z"]) {
      const transport = { start_at: "2026-11-21T10:00:00Z", end_at };
      expect((await attempt(api, { ...GUIDE, transport })).status).toBe(200);
    }
    const arrived = { end_at: api.today.toISOString() };
    expect((await attempt(api, { ...GUIDE, transport: arrived })).status).toBe(200);
  });

  apiTest("nothing beyond the contract is required, and no certification is claimed", async (api) => {
    for (const doc_type of ["NC", "ND", "RC", "NDV"] as const) {
      expect((await attempt(api, { doc_type })).status).toBe(200);
    }
    const { qr_code } = await api.issued({ lines: [{ ...LINE, tax_rate: 17 }] });
    expect(qr_code).toMatch(/\*I1:PT\*N:17\.00\*O:117\.00\*Q:0\*R:0$/);
  });
});

describe("with a certificate number", () => {
  apiTest("corrections, receipts and returns must reference their documents", async (api) => {
    await certified(api);
    for (const doc_type of ["NC", "ND", "RC", "NDV"] as const) {
      expectRefusal(await attempt(api, { doc_type }), "invalid_request", `references: is required on ${doc_type}`);
    }
  });

  apiTest("the company's address is on every document but those for training", async (api) => {
    await certified(api);
    await api.lacre.companies.change({ id: api.company_id, address: null, city: null });
    const { id: customer_id } = await api.customer(ADDRESS);
    for (const doc_type of ["FT", "GT", "OR"] as const) {
      const answer = await attempt(api, { doc_type, customer_id });
      expectRefusal(answer, "invalid_state", [
        "The company has no address and city",
        "lacre company set --address TEXT --city TEXT.",
      ]);
    }
    const { id: series_id } = await api.newSeries({ training: true });
    expect((await attempt(api, { series_id })).status).toBe(200);
    await api.lacre.companies.change({ id: api.company_id, ...ADDRESS });
    expect((await attempt(api, {})).status).toBe(200);
  });

  apiTest("above 1000 EUR the customer's address is on FT and FR, unless it is the anonymous consumer", async (api) => {
    await certified(api);
    const ana = await api.customer({ tax_id: "501964843" });
    const anonymous = await api.customer({ name: "CONSUMIDOR final" });
    const lines = [{ ...LINE, unit_price_net: 813.01 }]; // 1000.00 gross
    const above = [{ ...LINE, unit_price_net: 813.02 }];
    for (const doc_type of ["FT", "FR"] as const) {
      const paid = (amount: number) => ({ payments: [{ amount, method_code: "TB", payment_date: TODAY }] });
      const ofAna = { doc_type, customer_id: ana.id };
      expect((await attempt(api, { ...ofAna, lines, ...paid(1000) })).status).toBe(200);
      const answer = await attempt(api, { ...ofAna, lines: above, ...paid(1000.01) });
      expectRefusal(answer, "invalid_state", ["The customer has no address and city", "PATCH /v1/customers/{id}"]);
      const toNobody = { doc_type, customer_id: anonymous.id, lines: above, ...paid(1000.01) };
      expect((await attempt(api, toNobody)).status).toBe(200);
    }
    await api.call("PATCH", `/v1/customers/${ana.id}`, { body: { address: "Rua B", city: "Lisboa" } });
    expect((await attempt(api, { customer_id: ana.id, lines: above })).status).toBe(200);
  });

  apiTest("no document is dated before the day its series was registered", async (api) => {
    const { id: series_id } = await api.newSeries();
    api.today = new Date("2026-11-23T00:30:00Z");
    await certified(api);
    await api.call("PATCH", `/v1/series/${series_id}`, { body: { validation_code: "JFF2AKKV" } });
    const answer = await attempt(api, { series_id, issue_date: "2026-11-22" });
    const reason = "the series LOJA1 was registered on 2026-11-23: no document is dated before";
    expectRefusal(answer, "invalid_request", `issue_date: ${reason}`);
    expect((await attempt(api, { series_id, issue_date: "2026-11-23" })).status).toBe(200);
  });

  apiTest("what identifies a customer or a product with documents is fixed", async (api) => {
    await certified(api);
    const { id: product_id } = await api.product();
    const { id: customer_id } = await api.customer({ tax_id: "501964843" });
    const change = (path: string, body: object) => api.call("PATCH", `/v1/${path}`, { body });
    await api.issued({ customer_id, lines: [{ ...LINE, product_id }] });
    const other = await change(`customers/${customer_id}`, { tax_id: "500000000" });
    expectRefusal(other, "invalid_state", "Despacho 8632/2014, 3.3.3");
    const renamed = await change(`products/${product_id}`, { name: "Broa" });
    expectRefusal(renamed, "invalid_state", "Despacho 8632/2014, 3.3.5");
    expect((await change(`customers/${customer_id}`, { name: "Ana, Lda." })).status).toBe(200);
  });

  apiTest("every rate must be lawful, and every zero rate needs its reason", async (api) => {
    await certified(api);
    const answer = await attempt(api, { lines: [{ ...LINE, tax_rate: 17 }, exempt(1)] });
    expectRefusal(answer, "invalid_request", [
      `lines[0].tax_rate: must be 0, 6, 13 or 23% (PT, ${TODAY})`,
      "lines[1].exemption_code: is required at 0%",
    ]);
    await api.lacre.companies.change({ id: api.company_id, tax_region: "PT-AC" });
    const island = await attempt(api, { lines: [LINE] });
    expectRefusal(island, "invalid_request", `must be 0, 4, 9 or 16% (PT-AC, ${TODAY})`);
    const lawful = await attempt(api, { lines: [{ ...LINE, tax_rate: 16 }, exempt(1, { exemption_code: "M99" })] });
    expect(lawful.body.qr_code).toMatch(
      /\*I1:PT-AC\*I7:100\.00\*I8:16\.00\*L:1\.00\*N:16\.00\*O:117\.00\*Q:.{4}\*R:9999$/,
    );
  });

  apiTest("a series without a validation code does not issue, unless for training", async (api) => {
    await api.lacre.signer.setCertificate({ certificate_number: 9999 });
    const answer = await attempt(api, {});
    expect(answer.status).toBe(409);
    expectRefusal(answer, "series_not_registered", "The series 2026A has no validation code");
    const { id: series_id } = await api.newSeries({ training: true });
    expect((await attempt(api, { series_id })).status).toBe(200);
  });

  apiTest("goods must not leave before their document", async (api) => {
    await certified(api);
    const transport = { start_at: "2026-11-21T10:00:00Z" };
    const { id: customer_id } = await api.customer(ADDRESS);
    const answer = await attempt(api, { ...GUIDE, customer_id, transport });
    expectRefusal(answer, "invalid_request", "transport.start_at: must not be before the document is issued");
    const at_once = { start_at: api.today.toISOString() };
    expect((await attempt(api, { ...GUIDE, customer_id, transport: at_once })).status).toBe(200);
  });

  apiTest(
    "the QR code carries four characters of the hash and the number; a receipt's carries none of the hash",
    async (api) => {
      await certified(api);
      const { hash, qr_code, id, customer_id } = await api.issued();
      const characters = [0, 10, 20, 30].map((at) => hash?.charAt(at)).join("");
      expect(qr_code).toContain(`*H:CSDF7TFT0-1*`);
      expect(qr_code?.endsWith(`*Q:${characters}*R:9999`)).toBe(true);
      const receipt = await attempt(api, { doc_type: "RC", customer_id, references: [{ document_id: id }] });
      expect(receipt.body.qr_code?.endsWith("*Q:0*R:9999")).toBe(true);
    },
  );

  apiTest("a series keeps the mode of its first document for good, even under a new key version", async (api) => {
    await api.issued();
    await certified(api).catch(() => {});
    const answer = await attempt(api, {});
    expectRefusal(answer, "series_closed", "has certificate number 0, but the installation now has 9999");
    const { id: series_id } = await api.newSeries({ validation_code: "JFF2AKKV" });
    expect((await attempt(api, { series_id })).body.atcud).toBe("JFF2AKKV-1");
    await api.lacre.signer.setCertificate({ certificate_number: 0 });
    expectRefusal(await attempt(api, { series_id }), "series_closed", "has certificate number 9999");
    expect(await api.company.series.verify()).toMatchObject({ whole: true });
  });
});

producesItsRefusals("law");
