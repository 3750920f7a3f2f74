/** POST /v1/documents: drafts, issuing at once, and everything that is refused. */

import { createPublicKey } from "node:crypto";
import { DOC_TYPES, type DocType, pemSigner, signedText, verifySignature } from "lacre";
import { TEST_SIGNING_KEY } from "lacre/testing";
import { describe, expect } from "vitest";
import type { Document, DocumentWithPayments, StoredDocument } from "../../../src/core/documents/document.ts";
import { asRead } from "../../support/factories.ts";
import {
  type Api,
  apiTest,
  expectRefusal,
  LINE,
  NOW,
  type Scenario,
  scenarios,
  TODAY,
  UNKNOWN_ID,
} from "../../support/http.ts";
import { SIGNATURE, UUID_V7 } from "../../support/shapes.ts";
import { producesItsRefusals } from "./produced.ts";

interface Given {
  readonly customer_id: string;
  readonly series: Readonly<Record<string, string>>;
}

const given = async (api: Api): Promise<Given> => ({
  customer_id: (await api.customer({ tax_id: "123456789" })).id,
  series: api.series,
});

/** The smallest document of the contract, without optional fields. */
const invoice = ({ customer_id, series }: Given) => ({
  doc_type: "FT",
  series_id: series.FT,
  issue_date: TODAY,
  customer_id,
  lines: [LINE],
});

const DRAFT = {
  id: expect.stringMatching(UUID_V7),
  doc_type: "FT",
  number: null,
  atcud: null,
  hash: null,
  status: "draft",
  issue_date: TODAY,
  due_date: null,
  customer: null,
  total_net: 100,
  total_tax: 23,
  total_gross: 123,
  global_discount_pct: 0,
  payment_status: null,
  outstanding: null,
  references: [],
  notes: null,
  created_at: NOW,
  issued_at: null,
  system_entry_date: null,
  cancelled_at: null,
  cancel_reason: null,
};

scenarios("POST /v1/documents", given, [
  ...[{}, { issue: false }].map(
    (fields): Scenario<Given> => ({
      name: `${JSON.stringify(fields)} stores a draft with these fields`,
      request: "POST /v1/documents",
      body: (given: Given) => ({ ...invoice(given), ...fields }),
      status: 201,
      shows: ({ customer_id, series }) => ({
        ...DRAFT,
        series_id: series.FT,
        customer_id,
        lines: [{ ...LINE, discount_pct: 0, product_id: null, unit: "un" }],
      }),
      after: async (_, api, { body }) => {
        const { id } = body as Document;
        expect((await api.call("GET", `/v1/documents/${id}`)).body).toEqual({
          ...asRead(body as StoredDocument),
          payments: [],
          refunds: [],
        });
      },
    }),
  ),
  {
    name: "issue assigns number, hash and entry time, and freezes the customer",
    request: "POST /v1/documents",
    body: (given: Given) => ({ ...invoice(given), issue: true }),
    status: 201,
    shows: ({ customer_id }) => ({
      ...DRAFT,
      number: "FT 2026A/1",
      atcud: null,
      hash: expect.stringMatching(SIGNATURE),
      status: "issued",
      customer: { id: customer_id, name: "Ana Conceição", tax_id: "123456789", country: null },
      payment_status: "unpaid",
      outstanding: 123,
      issued_at: NOW,
      system_entry_date: "2026-11-21T10:31:07",
      lines: [LINE],
    }),
  },
  {
    name: "every additional field comes back as sent",
    request: "POST /v1/documents",
    body: (given: Given) => ({
      ...invoice(given),
      global_discount_pct: 10.25,
      due_date: "2026-12-21",
      notes: "Obrigado",
      references: [],
      payments: [],
      lines: [{ ...LINE, description: "Pão\n\tde Mafra", discount_pct: 5.5, product_id: null, unit: "kg" }],
    }),
    status: 201,
    shows: {
      global_discount_pct: 10.25,
      due_date: "2026-12-21",
      notes: "Obrigado",
      references: [],
      lines: [{ description: "Pão\n\tde Mafra", discount_pct: 5.5, unit: "kg" }],
    },
  },
  {
    name: "nullable fields may be null",
    request: "POST /v1/documents",
    body: (given: Given) => ({ ...invoice(given), due_date: null, notes: null }),
    status: 201,
    shows: { due_date: null, notes: null },
  },
  {
    name: "a draft may be dated in the future",
    request: "POST /v1/documents",
    body: (given: Given) => ({ ...invoice(given), issue_date: "2027-01-01" }),
    status: 201,
    shows: { issue_date: "2027-01-01", status: "draft" },
  },
]);

const refused = (
  name: string,
  change: (given: Given) => object,
  says: string | readonly string[],
): Scenario<Given> => ({
  name,
  request: "POST /v1/documents",
  body: (given: Given) => ({ ...invoice(given), ...change(given) }),
  status: 400,
  code: "invalid_request",
  says,
  after: async (_, api) => {
    expect((await api.call("GET", "/v1/documents")).body).toMatchObject({ pagination: { total: 0 } });
  },
});
const refusedField = (field: string, value: unknown, says = field) =>
  refused(`${field} is not ${JSON.stringify(value) ?? "left out"}`, () => ({ [field]: value }), says);
const refusedInLine = (field: string, value: unknown) =>
  refused(
    `lines[1].${field} is not ${JSON.stringify(value) ?? "left out"}`,
    () => ({ lines: [LINE, { ...LINE, [field]: value }] }),
    `lines[1].${field}: `,
  );

/** Fields that only the server sets. */
const NOT_TO_SEND = [
  "id",
  "number",
  "atcud",
  "hash",
  "status",
  "total_net",
  "total_tax",
  "total_gross",
  "customer",
  "outstanding",
  "payment_status",
  "issued_at",
  "system_entry_date",
  "cancelled_at",
  "cancel_reason",
  "created_at",
  "company_id",
  "seal",
  "sequence",
];

scenarios("POST /v1/documents refuses", given, [
  ...["doc_type", "series_id", "issue_date", "customer_id", "lines"].flatMap((field) => [
    refusedField(field, undefined, `${field}: is required`),
    refusedField(field, null),
    refusedField(field, 1),
  ]),
  ...["ft", "", "XX", "RG", "GD", "FT "].map((doc_type) => refusedField("doc_type", doc_type)),
  ...["2026-02-30", "2026-2-3", "21-11-2026", "2026-11-21T00:00:00Z", "hoje", "", "2026-13-01", "2027-02-29"].map(
    (date) => refusedField("issue_date", date),
  ),
  ...["customer_id", "series_id"].flatMap((field) => ["x", "", UNKNOWN_ID].map((id) => refusedField(field, id))),
  ...["true", 1, null].map((issue) => refusedField("issue", issue)),
  refusedField("lines", []),
  refusedField("lines", {}),
  refused("lines are objects", () => ({ lines: [LINE, "Pão"] }), "lines[1]: "),
  ...["description", "qty", "unit_price_net", "tax_rate"].flatMap((field) => [
    refusedInLine(field, undefined),
    refusedInLine(field, null),
    refusedInLine(field, true),
  ]),
  ...["qty", "unit_price_net", "tax_rate", "discount_pct"].map((field) => refusedInLine(field, "1")),
  refusedInLine("discount_pct", null),
  ...[0, -1, "1", 0.005, 1e9 + 1, 100.01].map((amount) => refusedInLine("discount_amount", amount)),
  refusedInLine("description", " "),
  refusedInLine("product_id", "x"),
  refusedInLine("product_id", UNKNOWN_ID),
  refusedInLine("reference_id", UNKNOWN_ID),
  ...[0, 1.5, 1_001, "1"].map((line) => refusedInLine("reference_line", line)),
  refusedInLine("discount_pc", 10),
  refusedInLine("total", 10),
  refusedInLine("line_number", 10),
  refusedField("due_date", "2026-02-30"),
  refusedField("notes", 1),
  refusedField("references", null),
  refusedField("payments", {}),
  refusedField("global_discount_pct", "10"),
  ...[0, -1, "1", 0.005, 1e9 + 1, 100.01].map((amount) => refusedField("global_discount_amount", amount)),
  refused(
    "a discount is a percentage or an amount",
    () => ({
      lines: [{ ...LINE, discount_pct: 1, discount_amount: 1 }],
      global_discount_pct: 1,
      global_discount_amount: 1,
    }),
    ["lines[0].discount_amount: ", "global_discount_amount: "],
  ),
  ...NOT_TO_SEND.map((field) => refusedField(field, null, `${field}: `)),
  refused("a typo in a field is never an invoice", () => ({ isue: true }), "isue"),
  refused(
    "every problem is reported, with its path",
    () => ({ doc_type: "X", lines: [{ ...LINE, qty: 0 }, LINE, { ...LINE, tax_rate: 101, descricao: "x" }], total: 1 }),
    ["doc_type: ", "lines[0].qty: ", "lines[2].tax_rate: ", "lines[2].descricao: ", "total: "],
  ),
  refused(
    "every unknown id is reported at once",
    () => ({
      series_id: UNKNOWN_ID,
      customer_id: UNKNOWN_ID,
      lines: [{ ...LINE, product_id: UNKNOWN_ID }],
      references: [{ document_id: UNKNOWN_ID }],
    }),
    ["series_id: ", "customer_id: ", "lines[0].product_id: ", "references[0].document_id: "],
  ),
  ...DOC_TYPES.filter((doc_type) => doc_type !== "FT").map((doc_type) =>
    refused(`a draft of type ${doc_type} in a series for FT`, () => ({ doc_type }), "series_id: "),
  ),
  refused(
    "issuing into a series of another type",
    ({ series }) => ({ series_id: series.FS, issue: true }),
    "series_id: ",
  ),
  refused("issuing what is dated tomorrow", () => ({ issue_date: "2026-11-22", issue: true }), "issue_date: "),
  {
    name: "a query",
    request: "POST /v1/documents?issue=true",
    body: invoice,
    status: 400,
    code: "invalid_request",
    says: "issue",
  },
]);

describe("an id of another company", () => {
  apiTest("in a body is refused exactly like an unknown one", async (api) => {
    const { api_key, series } = await api.stranger();
    const theirs = async (path: string, body: object) =>
      (await api.call<{ id: string }>("POST", path, { key: api_key, body })).body.id;
    const customer_id = await theirs("/v1/customers", { name: "X" });
    const product_id = await theirs("/v1/products", { name: "X", unit_price_net: 1, tax_rate: 0 });
    const document_id = await theirs("/v1/documents", { ...invoice({ customer_id, series }), issue: true });
    const ours = invoice(await given(api));
    const bodies = (id: { customer: string; series: string; product: string; document: string }) => [
      { ...ours, customer_id: id.customer },
      { ...ours, series_id: id.series },
      { ...ours, lines: [{ ...LINE, product_id: id.product }] },
      { ...ours, references: [{ document_id: id.document }] },
    ];
    const foreign = bodies({
      customer: customer_id,
      series: series.FT as string,
      product: product_id,
      document: document_id,
    });
    const unknown = bodies({ customer: UNKNOWN_ID, series: UNKNOWN_ID, product: UNKNOWN_ID, document: UNKNOWN_ID });
    for (const [i, body] of foreign.entries()) {
      const one = await api.call("POST", "/v1/documents", { body });
      const other = await api.call("POST", "/v1/documents", { body: unknown[i] });
      expect(one.status).toBe(400);
      expect(one.text).toBe(other.text);
    }
  });
});

/** The AT type at the start of each document type's numbers. */
const AT_TYPES: Record<DocType, string> = {
  FT: "FT",
  FS: "FS",
  FR: "FR",
  NC: "NC",
  ND: "ND",
  RC: "RG",
  GT: "GT",
  GR: "GR",
  NDV: "GD",
  OR: "OR",
};

describe("each document type", () => {
  for (const [doc_type, at_type] of Object.entries(AT_TYPES)) {
    apiTest(`${doc_type} is drafted and issued as ${at_type} 2026A/1`, async (api) => {
      const draft = await api.draft({ doc_type });
      expect(draft).toMatchObject({ doc_type, number: null, status: "draft" });
      const { body } = await api.call("POST", `/v1/documents/${draft.id}/issue`);
      expect(body).toMatchObject({ id: draft.id, doc_type, number: `${at_type} 2026A/1`, status: "issued" });
    });
  }

  apiTest("an RC in a series opened under cash VAT is numbered RC", async (api) => {
    await api.lacre.companies.change({ id: api.company_id, cash_vat: true });
    const [of, ofInvoices] = ["RC", "FT"].map((doc_type) => api.newSeries({ doc_type, code: "CX", cash_vat: true }));
    const { id: customer_id } = await api.customer({ tax_id: "501964843" });
    const invoice = await api.issued({ customer_id, series_id: (await ofInvoices)?.id });
    const references = [{ document_id: invoice.id }];
    const receipt = { doc_type: "RC", series_id: (await of)?.id, customer_id, references };
    expect((await api.issued({ ...receipt, lines: invoice.lines })).number).toBe("RC CX/1");
    expect((await api.issued({ doc_type: "RC" })).number).toBe("RG 2026A/1");
  });
});

describe("numbers and hashes", () => {
  apiTest("numbers have no gap in any series, and a refused issue uses none", async (api) => {
    const { id: customer_id } = await api.customer();
    const numbers = [(await api.issued({ customer_id })).number];
    const late = await api.call("POST", "/v1/documents", {
      body: { ...invoice({ customer_id, series: api.series }), issue_date: "2026-11-22", issue: true },
    });
    expectRefusal(late, "invalid_request", "issue_date");
    numbers.push(
      (await api.issued({ customer_id })).number,
      (await api.issued({ doc_type: "FS", customer_id })).number,
    );
    expect(numbers).toEqual(["FT 2026A/1", "FT 2026A/2", "FS 2026A/1"]);
    expect((await api.call("GET", "/v1/documents")).body).toMatchObject({ pagination: { total: 3 } });
  });

  apiTest("the hash signs date, entry time, number, gross and the hash before it", async (api) => {
    const public_key = createPublicKey(TEST_SIGNING_KEY).export({ type: "spki", format: "pem" }).toString();
    let previous_hash = "";
    for (const price of [100, 0.5, 1_000_000]) {
      const document = await api.issued({ lines: [{ ...LINE, unit_price_net: price }] });
      const text = signedText({
        issue_date: document.issue_date,
        system_entry_date: document.system_entry_date as string,
        number: document.number as string,
        total_gross_cents: Math.round(document.total_gross * 100),
        previous_hash,
      });
      expect(text.startsWith(`${TODAY};2026-11-21T10:31:07;${document.number};`)).toBe(true);
      expect(verifySignature(text, document.hash as string, public_key)).toBe(true);
      expect(verifySignature(`${text}x`, document.hash as string, public_key)).toBe(false);
      previous_hash = document.hash as string;
    }
  });

  apiTest("with a validation code the ATCUD is the code and the sequence", async (api) => {
    const { id: series_id } = await api.newSeries({ validation_code: "CSDF7T5H" });
    const atcuds = [(await api.issued({ series_id })).atcud, (await api.issued({ series_id })).atcud];
    expect(atcuds).toEqual(["CSDF7T5H-1", "CSDF7T5H-2"]);
    expect((await api.draft({ series_id })).atcud).toBeNull();
  });
});

describe("dates", () => {
  apiTest("today is the day in the company's time zone", async (api) => {
    await api.lacre.companies.change({ id: api.company_id, time_zone: "Atlantic/Azores" });
    api.today = new Date("2026-11-21T00:30:00.000Z"); // still the 20th in the Azores
    const { id } = await api.draft({ issue_date: "2026-11-21" });
    expectRefusal(await api.call("POST", `/v1/documents/${id}/issue`), "invalid_request", "issue_date");
    expect((await api.issued({ issue_date: "2026-11-20" })).system_entry_date).toBe("2026-11-21T00:30:00");
    api.today = new Date("2026-11-21T01:30:00.000Z");
    expect((await api.call("POST", `/v1/documents/${id}/issue`)).status).toBe(200);
  });

  apiTest("dates never go back in a series, but may repeat", async (api) => {
    await api.issued({ issue_date: "2026-11-20" });
    await api.issued({ issue_date: "2026-11-20" });
    const { id } = await api.draft({ issue_date: "2026-11-19" });
    const answer = await api.call("POST", `/v1/documents/${id}/issue`);
    expect(answer.status).toBe(409);
    expectRefusal(answer, "date_out_of_order", "2026-11-20");
    const body = { ...invoice(await given(api)), issue_date: "2026-11-19", issue: true };
    expectRefusal(await api.call("POST", "/v1/documents", { body }), "date_out_of_order", "2026-11-20");
    expect((await api.issued({ doc_type: "FS", issue_date: "2026-11-19" })).number).toBe("FS 2026A/1");
    expect((await api.issued({ issue_date: "2026-11-21" })).number).toBe("FT 2026A/3");
  });

  apiTest("a credit is refused as its credit note would be", async (api) => {
    const credit = (id: string, body: object) => api.call("POST", `/v1/documents/${id}/credit`, { body });
    const { id } = await api.issued();
    expectRefusal(await credit((await api.draft()).id, {}), "invalid_state", "draft");
    expectRefusal(await credit(id, { lines: [{ line: 1, qty: 9 }] }), "credit_exceeds_original");
    expectRefusal(await credit(id, { refund: { method_code: "MB" } }), "payment_exceeds_balance");
    api.today = new Date("2026-11-22T00:30:00.000Z");
    expect((await credit((await api.issued()).id, { issue: true })).status).toBe(201);
    await api.company.company.change({ time_zone: "Atlantic/Azores" });
    expectRefusal(await credit(id, { issue: true }), "date_out_of_order", "2026-11-22");
  });

  apiTest("a clock that went back more than two seconds stops issuing until it catches up", async (api) => {
    await api.issued();
    const at = (ms: number) => {
      api.today = new Date(Date.parse(NOW) + ms);
    };
    const { id } = await api.draft();
    at(-2_001);
    const answer = await api.call("POST", `/v1/documents/${id}/issue`);
    expect(answer.status).toBe(503);
    expectRefusal(answer, "unavailable", "clock");
    expect((await api.call("GET", `/v1/documents/${id}`)).status).toBe(200);
    at(-2_000);
    const { body } = await api.call<Document>("POST", `/v1/documents/${id}/issue`);
    expect(body).toMatchObject({ number: "FT 2026A/2", system_entry_date: "2026-11-21T10:31:07" });
  });
});

describe("checked when issuing, not on drafts", () => {
  apiTest("a closed series takes drafts and issues no document", async (api) => {
    const { id: series_id } = await api.newSeries();
    await api.call("PATCH", `/v1/series/${series_id}`, { body: { status: "closed" } });
    const draft = await api.draft({ series_id });
    const answer = await api.call("POST", `/v1/documents/${draft.id}/issue`);
    expect(answer.status).toBe(409);
    expectRefusal(answer, "series_closed");
    expect((await api.call("GET", `/v1/documents/${draft.id}`)).body).toMatchObject(draft);
    const body = { ...invoice({ customer_id: draft.customer_id, series: { FT: series_id } }), issue: true };
    expectRefusal(await api.call("POST", "/v1/documents", { body }), "series_closed");
  });

  apiTest("an archived customer may have drafts but no new invoice", async (api) => {
    const { id: customer_id } = await api.customer();
    const before = await api.draft({ customer_id });
    await api.call("DELETE", `/v1/customers/${customer_id}`);
    const after = await api.draft({ customer_id });
    for (const { id } of [before, after]) {
      const answer = await api.call("POST", `/v1/documents/${id}/issue`);
      expect(answer.status).toBe(409);
      expectRefusal(answer, "invalid_state");
    }
    const body = { ...invoice({ customer_id, series: api.series }), issue: true };
    expectRefusal(await api.call("POST", "/v1/documents", { body }), "invalid_state");
    expect((await api.call("GET", "/v1/documents?status=issued")).body).toMatchObject({ data: [] });
  });

  apiTest(
    "a signer that fails leaves nothing behind and takes no number",
    async (api) => {
      const answer = await api.call("POST", "/v1/documents", { body: { ...invoice(await given(api)), issue: true } });
      expect(answer.status).toBe(503);
      expectRefusal(answer, "unavailable", "signed");
      expect(answer.text).not.toContain("HSM");
      expect((await api.call("GET", "/v1/documents")).body).toMatchObject({ pagination: { total: 0 } });
      expect((await api.call("GET", `/v1/series/${api.series.FT}`)).body).toMatchObject({ next_number: 1 });
    },
    {
      signer: {
        key_version: 1,
        public_key: pemSigner(TEST_SIGNING_KEY, 1).public_key,
        sign: () => Promise.reject(new Error("HSM password is 1234")),
      },
    },
  );
});

describe("payments sent with a document", () => {
  const onTheSpot = [
    { amount: 100, method_code: "NU", payment_date: TODAY },
    { amount: 20, method_code: "MB", payment_date: "2026-11-20" },
  ];

  apiTest("become its payments when it is issued, and not before", async (api) => {
    const { id } = await api.draft({ payments: onTheSpot });
    const planned = await api.call<DocumentWithPayments>("GET", `/v1/documents/${id}`);
    expect(planned.body.payments).toMatchObject(onTheSpot);
    expect((await api.call("GET", "/v1/payments")).body).toMatchObject({ data: [] });
    const { body } = await api.call<Document>("POST", `/v1/documents/${id}/issue`);
    expect(body).toMatchObject({ outstanding: 3, payment_status: "partial" });
    const { body: read } = await api.call<DocumentWithPayments>("GET", `/v1/documents/${id}`);
    expect(read.payments).toHaveLength(2);
    expect(read.payments).toEqual(expect.arrayContaining(onTheSpot.map((payment) => expect.objectContaining(payment))));
    expect((await api.call("GET", "/v1/payments")).body).toMatchObject({ data: read.payments });
  });

  for (const doc_type of ["FT", "FS", "FR"]) {
    apiTest(`${doc_type} takes them`, async (api) => {
      const paid = [{ amount: 123, method_code: "NU", payment_date: TODAY }];
      expect(await api.issued({ doc_type, payments: paid })).toMatchObject({ payment_status: "paid", outstanding: 0 });
    });
  }

  apiTest("RC states them, and records none", async (api) => {
    const paid = [{ amount: 100, method_code: "TB", payment_date: TODAY }];
    const receipt = await api.issued({ doc_type: "RC", payments: paid });
    expect(receipt).toMatchObject({ payment_status: null, outstanding: null });
    expect((await api.call("GET", `/v1/documents/${receipt.id}`)).body).toMatchObject({ payments: paid });
    expect((await api.call("GET", `/v1/payments?document_id=${receipt.id}`)).body).toMatchObject({ data: [] });
  });

  for (const doc_type of ["NC", "ND", "GT", "GR", "NDV", "OR"]) {
    apiTest(`${doc_type} refuses them`, async (api) => {
      const { id: customer_id } = await api.customer();
      const series_id = api.series[doc_type as DocType];
      const body = { ...invoice({ customer_id, series: api.series }), doc_type, series_id, payments: onTheSpot };
      expectRefusal(await api.call("POST", "/v1/documents", { body }), "invalid_request", "payments");
    });
  }

  apiTest("must not exceed the total", async (api) => {
    const payments = [...onTheSpot, { amount: 3.01, method_code: "NU", payment_date: TODAY }];
    const { id } = await api.draft({ payments });
    const answer = await api.call("POST", `/v1/documents/${id}/issue`);
    expect(answer.status).toBe(409);
    expectRefusal(answer, "payment_exceeds_balance");
    const body = { ...invoice(await given(api)), payments, issue: true };
    expectRefusal(await api.call("POST", "/v1/documents", { body }), "payment_exceeds_balance");
  });

  scenarios("are checked field by field", given, [
    ...[
      [{ amount: 0 }, "payments[0].amount"],
      [{ amount: 1.001 }, "payments[0].amount"],
      [{ amount: undefined }, "payments[0].amount"],
      [{ method_code: "XX" }, "payments[0].method_code"],
      [{ payment_date: "2026-02-30" }, "payments[0].payment_date"],
      [{ payment_date: undefined }, "payments[0].payment_date"],
      [{ id: UNKNOWN_ID }, "payments[0].id"],
    ].map(([change, path]) =>
      refused(
        `${JSON.stringify(change)}`,
        () => ({ payments: [{ ...onTheSpot[0], ...(change as object) }] }),
        `${path}: `,
      ),
    ),
  ]);
});

producesItsRefusals("documents-create");
