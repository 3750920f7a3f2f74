import fc from "fast-check";
import { computeTotals, type NewDocument } from "lacre";
import { describe, expect, test } from "vitest";
import { DATABASES } from "../../support/databases.ts";
import { NOW, TODAY, UNKNOWN_ID } from "../../support/drivers.ts";
import { aCustomer, aDraft, aLine, anInvoice, aProduct, asRead, invoiceInput } from "../../support/factories.ts";
import { aCompany, anInstance, openInstance } from "../../support/instance.ts";
import { expectRefusal, refusalOf } from "../../support/refusals.ts";
import { runsOf } from "../../support/sampled.ts";
import vectors from "../../vectors/totals.json" with { type: "json" };

const CASH = { amount: 23, method_code: "NU", payment_date: TODAY } as const;

describe.each(DATABASES)("drafts over $name", (driver) => {
  test("a draft has totals and none of the fields of an issued document", async () => {
    const instance = await anInstance(driver);
    const { company, series } = instance;
    const customer = await aCustomer(instance);
    const draft = await company.documents.create({
      doc_type: "FT",
      series_id: series.FT,
      issue_date: TODAY,
      customer_id: customer.id,
      lines: [{ description: "Pão", qty: 2, unit_price_net: 50, tax_rate: 23 }],
    });
    expect(draft).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      doc_type: "FT",
      series_id: series.FT,
      number: null,
      atcud: null,
      hash: null,
      status: "draft",
      training: false,
      issue_date: TODAY,
      due_date: null,
      valid_until: null,
      supply_date: null,
      customer_id: customer.id,
      customer: null,
      total_net: 100,
      total_tax: 23,
      total_gross: 123,
      global_discount_pct: 0,
      notices: [],
      global_discount_amount: null,
      payment_status: null,
      quote_status: null,
      outstanding: null,
      references: [],
      notes: null,
      external_id: null,
      metadata: {},
      qr_code: null,
      record_payments: false,
      transport: null,
      at_doc_code: null,
      created_at: NOW,
      issued_at: null,
      system_entry_date: null,
      cancelled_at: null,
      cancel_reason: null,
      lines: [
        {
          description: "Pão",
          qty: 2,
          unit_price_net: 50,
          unit_price_gross: null,
          tax_rate: 23,
          discount_pct: 0,
          discount_amount: null,
          product_id: null,
          unit: "un",
          reference_id: null,
          reference_line: null,
          type: null,
          supply_date: null,
          exemption_code: null,
        },
      ],
    });
    expect(await company.documents.get({ id: draft.id })).toEqual({ ...asRead(draft), payments: [], refunds: [] });
    expect((await company.series.get({ id: series.FT })).next_number).toBe(1);
  });

  test("every field comes back as sent", async () => {
    const instance = await anInstance(driver);
    const product = await aProduct(instance, { unit: "kg" });
    const original = await anInvoice(instance, { doc_type: "OR" });
    const input = await invoiceInput(instance, {
      due_date: "2026-12-21",
      notes: "Obrigado",
      global_discount_pct: 1.5,
      references: [{ document_id: original.id, reason: "Proposta aceite" }],
      payments: [CASH],
      lines: [
        aLine({ product_id: product.id, discount_pct: 12.34, qty: 0.000001, unit_price_net: 0.123456, tax_rate: 4.99 }),
        aLine({ description: "linha\n\tdois", unit: "caixa", reference_id: original.id }),
      ],
    });
    const draft = await instance.company.documents.create(input);
    expect(draft).toMatchObject({
      due_date: "2026-12-21",
      notes: "Obrigado",
      global_discount_pct: 1.5,
      references: [{ document_id: original.id, amount: null, reason: "Proposta aceite" }],
      lines: [
        { unit: "kg", product_id: product.id, discount_pct: 12.34, qty: 0.000001, unit_price_net: 0.123456 },
        { unit: "caixa", description: "linha\n\tdois", reference_id: original.id },
      ],
    });
    expect((await instance.company.documents.get({ id: draft.id })).payments).toMatchObject([CASH]);
  });

  test("a change of one field keeps every other", async () => {
    const instance = await anInstance(driver);
    const original = await anInvoice(instance, { doc_type: "OR" });
    const place = { address: "Rua Direita, 1", city: "Lisboa", postal_code: "1000-001", country: "PT" };
    const input = {
      ...(await invoiceInput(instance)),
      due_date: "2026-12-21",
      supply_date: "2026-11-20",
      notes: "Obrigado",
      global_discount_pct: 0,
      global_discount_amount: 0.5,
      external_id: "shop-7",
      metadata: { order: "7" },
      references: [{ document_id: original.id, reason: "Proposta aceite" }],
      transport: { start_at: "2026-12-21T10:00:00.000Z", end_at: null, from: place, to: place, vehicle: "AA-00-AA" },
      payments: [CASH],
      record_payments: false,
    } satisfies Required<Omit<NewDocument, "issue" | "email" | "series" | "customer" | "valid_until">>;
    const { id } = await instance.company.documents.create(input);
    const before = await instance.company.documents.get({ id });
    expect(before).toMatchObject(input);
    await instance.company.documents.change({ id, notes: "Adeus" });
    await instance.company.documents.change({ id, due_date: "2026-12-22" });
    const after = await instance.company.documents.get({ id });
    expect(after).toEqual({ ...before, notes: "Adeus", due_date: "2026-12-22" });
  });

  test("a stored document has the totals of the published vectors", async () => {
    const instance = await anInstance(driver);
    const input = await invoiceInput(instance);
    for (const { name, lines, global_discount_pct, expected } of vectors.vectors) {
      if (lines.length === 0 || expected.total_gross > 10 ** 12) continue;
      const described = lines.map((line) => ({ description: "x", ...line }));
      const given = { ...input, lines: described, ...(global_discount_pct !== undefined && { global_discount_pct }) };
      const draft = await instance.company.documents.create(given as NewDocument);
      const { total_net, total_tax, total_gross } = expected;
      expect(draft, name).toMatchObject({ total_net, total_tax, total_gross });
    }
  });

  test("sums that binary fractions get wrong are exact", async () => {
    const instance = await anInstance(driver);
    expect(Math.round(1.005 * 100)).toBe(100);
    const lines = [aLine({ unit_price_net: 1.005, tax_rate: 0 })];
    expect(await aDraft(instance, { lines })).toMatchObject({ total_net: 1.01, total_tax: 0, total_gross: 1.01 });
    const tenths = Array.from({ length: 1_000 }, () => aLine({ unit_price_net: 0.1, tax_rate: 0 }));
    expect((await aDraft(instance, { lines: tenths })).total_gross).toBe(100);
  });

  test("a draft has the totals that the public function computes, and keeps them when issued", async () => {
    const instance = await openInstance(driver);
    const input = await invoiceInput(instance);
    const line = fc.record({
      description: fc.constant("x"),
      qty: fc.integer({ min: 1, max: 10 ** 9 }).map((micros) => micros / 10 ** 6),
      unit_price_net: fc.integer({ min: 0, max: 10 ** 9 }).map((micros) => micros / 10 ** 6),
      tax_rate: fc.constantFrom(0, 4, 6, 12.5, 13, 22, 23),
      discount_pct: fc.integer({ min: 0, max: 10_000 }).map((bps) => bps / 100),
    });
    const priced = fc.record({
      lines: fc.array(line, { minLength: 1, maxLength: 12 }),
      global_discount_pct: fc.integer({ min: 0, max: 10_000 }).map((bps) => bps / 100),
    });
    const property = fc.asyncProperty(priced, async (given) => {
      const { total_net, total_tax, total_gross } = computeTotals(given);
      const draft = await instance.company.documents.create({ ...input, ...given });
      expect(draft).toMatchObject({ total_net, total_tax, total_gross, ...given });
      const issued = await instance.company.documents.issue({ id: draft.id });
      expect(issued).toMatchObject({ total_net, total_tax, total_gross, ...given });
    });
    try {
      await fc.assert(property, { numRuns: runsOf(50) });
      expect((await instance.company.series.verify()).whole).toBe(true);
    } finally {
      await instance.lacre.close();
    }
  });

  test("a document holds 1,000 lines and not one more", async () => {
    const instance = await anInstance(driver);
    const lines = (count: number) => Array.from({ length: count }, (_, i) => aLine({ description: `linha ${i}` }));
    const draft = await anInvoice(instance, { lines: lines(1_000) });
    expect(draft.lines.map(({ description }) => description)).toEqual(lines(1_000).map((line) => line.description));
    await expectRefusal(aDraft(instance, { lines: lines(1_001) }), "invalid_request", "lines: ", "at most 1,000");
    await expectRefusal(aDraft(instance, { lines: [] }), "invalid_request", "lines: must have at least one line");
  });

  test("the total is at most a million million euros", async () => {
    const instance = await anInstance(driver);
    const line = aLine({ qty: 1_000_000_000, unit_price_net: 1_000, tax_rate: 0 });
    expect((await aDraft(instance, { lines: [line] })).total_gross).toBe(10 ** 12);
    const beyond = [line, aLine({ unit_price_net: 0.01, tax_rate: 0 })];
    await expectRefusal(aDraft(instance, { lines: beyond }), "invalid_request", "lines: the total must be at most");
  });

  test.each<[string, Record<string, unknown>, string]>([
    ["an unknown type", { doc_type: "XX" }, "doc_type: must be one of FT, FS, FR, NC, ND, RC, GT, GR, NDV, OR"],
    ["a date that is none", { issue_date: "2026-02-30" }, "issue_date: must be a date"],
    ["an instant for a date", { issue_date: NOW }, "issue_date: must be a date"],
    ["no quantity", { lines: [{ description: "x", unit_price_net: 1, tax_rate: 0 }] }, "lines[0].qty: is required"],
    ["quantity 0", { lines: [aLine({ qty: 0 })] }, "lines[0].qty: must be more than 0"],
    ["a negative price", { lines: [aLine(), aLine({ unit_price_net: -1 })] }, "lines[1].unit_price_net: must be at le"],
    ["seven decimals", { lines: [aLine({ qty: 0.1234567 })] }, "lines[0].qty: must have at most 6 decimals"],
    ["a rate above 100", { lines: [aLine({ tax_rate: 100.01 })] }, "lines[0].tax_rate: must be at most 100"],
    ["a rate of three decimals", { lines: [aLine({ tax_rate: 6.125 })] }, "lines[0].tax_rate: must have at most 2"],
    ["a discount above 100", { lines: [aLine({ discount_pct: 101 })] }, "lines[0].discount_pct: must be at most 100"],
    ["text for a number", { lines: [{ ...aLine(), qty: "1" }] }, "lines[0].qty: must be a number"],
    ["a misspelt field", { lines: [{ ...aLine(), discount: 10 }] }, "lines[0].discount: is not a known field"],
    ["a number of its own", { number: "FT 1/1" }, "number: is not a known field"],
    ["a status of its own", { status: "issued" }, "status: is not a known field"],
    ["a company of its own", { company_id: UNKNOWN_ID }, "company_id: is not a known field"],
    ["an unknown customer", { customer_id: UNKNOWN_ID }, "customer_id: is unknown"],
    ["an unknown series", { series_id: UNKNOWN_ID }, "series_id: is unknown"],
    ["an unknown product", { lines: [aLine({ product_id: UNKNOWN_ID })] }, "lines[0].product_id: is unknown"],
    ["an unknown reference", { references: [{ document_id: UNKNOWN_ID }] }, "references[0].document_id: is unknown"],
    ["no UUID", { customer_id: "7" }, "customer_id: must be a UUID"],
    ["a line for what is not referenced", { lines: [aLine({ reference_id: UNKNOWN_ID })] }, "lines[0].reference_id: "],
    ["a due date before the issue date", { due_date: "2026-11-20" }, "due_date: must not be before issue_date"],
    [
      "a quotation that ends before it begins",
      { doc_type: "OR", valid_until: "2026-11-20" },
      "valid_until: must not be before issue_date",
    ],
    [
      "an invoice that is an offer",
      { valid_until: "2026-12-21" },
      "valid_until: a document of type FT has no last day",
    ],
    ["notes of 1,001 characters", { notes: "x".repeat(1_001) }, "notes: must have at most 1,000 characters"],
    ["an empty description", { lines: [aLine({ description: " " })] }, "lines[0].description: must not be empty"],
    ["a bell in the description", { lines: [aLine({ description: "\x07" })] }, "lines[0].description: "],
    ["a reason of 51", { references: [{ document_id: UNKNOWN_ID, reason: "x".repeat(51) }] }, "references[0].reason"],
    ["payments on a quotation", { doc_type: "OR", payments: [CASH] }, "payments: a document of type OR is not paid"],
    ["an unknown means", { payments: [{ ...CASH, method_code: "XX" }] }, "payments[0].method_code: must be one of CC"],
    ["a payment of nothing", { payments: [{ ...CASH, amount: 0 }] }, "payments[0].amount: must be more than 0"],
    ["half cents", { payments: [{ ...CASH, amount: 0.005 }] }, "payments[0].amount: must have at most 2 decimals"],
  ])("%s is refused, naming the field", async (_, fields, message) => {
    const instance = await anInstance(driver);
    const { doc_type = "FT" } = fields as Partial<NewDocument>;
    const input = { ...(await invoiceInput(instance)), series_id: instance.series[doc_type] ?? UNKNOWN_ID, ...fields };
    await expectRefusal(instance.company.documents.create(input as NewDocument), "invalid_request", message);
    expect((await instance.company.documents.list()).data).toEqual([]);
  });

  test("all problems are reported at once", async () => {
    const instance = await anInstance(driver);
    const input = await invoiceInput(instance, {
      customer_id: UNKNOWN_ID,
      series_id: UNKNOWN_ID,
      due_date: "2020-01-01",
      lines: [aLine(), aLine({ product_id: UNKNOWN_ID })],
    });
    const { message } = await refusalOf(instance.company.documents.create(input));
    const named = message.split("; ").map((sentence) => sentence.split(":")[0]);
    expect(named.sort()).toEqual(["customer_id", "due_date", "lines[1].product_id", "series_id"]);
  });

  test("a series takes one type only, of drafts too", async () => {
    const instance = await anInstance(driver);
    const { series } = instance;
    const wrong = aDraft(instance, { doc_type: "FT", series_id: series.FR });
    await expectRefusal(wrong, "invalid_request", "series_id: is a series for FR, not FT");
    const draft = await aDraft(instance);
    const change = instance.company.documents.change({ id: draft.id, doc_type: "FR" });
    await expectRefusal(change, "invalid_request", "series_id: is a series for FT, not FR");
    const both = { id: draft.id, doc_type: "FR", series_id: series.FR } as const;
    expect(await instance.company.documents.change(both)).toMatchObject({ doc_type: "FR", series_id: series.FR });
  });

  test("ids of another company are not found", async () => {
    const instance = await anInstance(driver);
    const other = await aCompany(instance.lacre);
    const theirs = {
      customer: await aCustomer(other),
      product: await aProduct(other),
      document: await anInvoice(other, { doc_type: "OR" }),
    };
    const unknown = await refusalOf(aDraft(instance, { customer_id: UNKNOWN_ID }));
    const foreign = await refusalOf(aDraft(instance, { customer_id: theirs.customer.id }));
    expect(foreign.message).toBe(unknown.message);
    await expectRefusal(aDraft(instance, { series_id: other.series.FT }), "invalid_request", "series_id: is unknown");
    const references = [{ document_id: theirs.document.id }];
    await expectRefusal(aDraft(instance, { references }), "invalid_request", "references[0].document_id: is unknown");
    const lines = [aLine({ product_id: theirs.product.id })];
    await expectRefusal(aDraft(instance, { lines }), "invalid_request", "lines[0].product_id: is unknown");
    for (const call of ["get", "issue", "cancel", "discard", "change"] as const) {
      await expectRefusal(instance.company.documents[call]({ id: theirs.document.id }), "not_found");
    }
  });

  test("a draft may break rules that only issuing checks", async () => {
    const instance = await anInstance(driver);
    const { company } = instance;
    const customer = await aCustomer(instance);
    await company.customers.archive({ id: customer.id });
    const series = await company.series.create({ doc_type: "FT", code: "OLD" });
    await company.series.change({ id: series.id, status: "closed" });
    const draft = await aDraft(instance, {
      customer_id: customer.id,
      series_id: series.id,
      issue_date: "2099-01-01",
      payments: [{ ...CASH, amount: 5_000 }],
    });
    expect(draft.status).toBe("draft");
  });

  describe("changing", () => {
    test("changes only the fields sent, and null clears", async () => {
      const instance = await anInstance(driver);
      const draft = await aDraft(instance, { notes: "a", due_date: "2026-12-01", payments: [CASH] });
      const { company } = instance;
      instance.wait(1_000);
      const changed = await company.documents.change({ id: draft.id, notes: "b" });
      expect(changed).toEqual({ ...draft, notes: "b", notices: [] });
      expect((await company.documents.get({ id: draft.id })).payments).toMatchObject([CASH]);
      const cleared = await company.documents.change({ id: draft.id, notes: null, due_date: null, payments: [] });
      expect(cleared).toEqual({ ...draft, notes: null, due_date: null, notices: [] });
      expect((await company.documents.get({ id: draft.id })).payments).toEqual([]);
      expect(await company.documents.change({ id: draft.id })).toEqual(cleared);
    });

    test("lines are replaced as a whole and the totals follow", async () => {
      const instance = await anInstance(driver);
      const draft = await aDraft(instance, { lines: [aLine(), aLine(), aLine()] });
      const lines = [aLine({ description: "só esta", qty: 2 })];
      const changed = await instance.company.documents.change({ id: draft.id, lines });
      expect(changed.lines).toHaveLength(1);
      expect(changed).toMatchObject({ total_net: 200, total_tax: 46, total_gross: 246 });
      const discounted = await instance.company.documents.change({ id: draft.id, global_discount_pct: 50 });
      expect(discounted).toMatchObject({ total_net: 100, total_gross: 123, lines });
    });

    test("checks the whole draft again", async () => {
      const instance = await anInstance(driver);
      const draft = await aDraft(instance, { due_date: "2026-11-30" });
      const later = instance.company.documents.change({ id: draft.id, issue_date: "2026-12-01" });
      await expectRefusal(later, "invalid_request", "due_date: must not be before issue_date");
      const { company } = instance;
      await expectRefusal(
        company.documents.change({ id: draft.id, issue: true } as never),
        "invalid_request",
        "issue: is",
      );
      await expectRefusal(company.documents.change({ id: draft.id, lines: [] }), "invalid_request", "lines: must");
      await expectRefusal(company.documents.change({ id: draft.id, lines: null } as never), "invalid_request", "lines");
      expect(await company.documents.get({ id: draft.id })).toMatchObject(draft);
    });
  });

  test("a discarded draft is gone, with its lines, and used no number", async () => {
    const instance = await anInstance(driver);
    const { company } = instance;
    const draft = await aDraft(instance, { payments: [CASH] });
    expect(await company.documents.discard({ id: draft.id })).toBeUndefined();
    await expectRefusal(company.documents.get({ id: draft.id }), "not_found");
    await expectRefusal(company.documents.discard({ id: draft.id }), "not_found");
    expect((await company.documents.list()).pagination.total).toBe(0);
    expect((await anInvoice(instance)).number).toBe("FT 2026A/1");
  });

  test("a draft that another draft references is not discarded", async () => {
    const instance = await anInstance(driver);
    const { company } = instance;
    const quotation = await aDraft(instance, { doc_type: "OR" });
    const invoice = await aDraft(instance, { references: [{ document_id: quotation.id }] });
    await expectRefusal(company.documents.discard({ id: quotation.id }), "invalid_state");
    await company.documents.change({ id: invoice.id, references: [] });
    await company.documents.discard({ id: quotation.id });
  });

  test.each(["issued", "cancelled"] as const)(
    "a document that is %s is neither changed nor discarded",
    async (status) => {
      const instance = await anInstance(driver);
      const { company } = instance;
      const { id } = await anInvoice(instance);
      if (status === "cancelled") await company.documents.cancel({ id });
      const before = await company.documents.get({ id });
      await expectRefusal(
        company.documents.change({ id, notes: "x" }),
        "invalid_state",
        `${status} document cannot be c`,
      );
      await expectRefusal(company.documents.change({ id, lines: [aLine()] }), "invalid_state");
      await expectRefusal(company.documents.discard({ id }), "invalid_state", `${status} document cannot be discarded`);
      expect(await company.documents.get({ id })).toEqual(before);
    },
  );

  test("an unknown document is refused before a malformed change, and that before the wrong state", async () => {
    const instance = await anInstance(driver);
    const { company } = instance;
    const issued = await anInvoice(instance);
    await expectRefusal(company.documents.change({ id: issued.id, customer_id: UNKNOWN_ID }), "invalid_request");
    await expectRefusal(company.documents.change({ id: UNKNOWN_ID, customer_id: UNKNOWN_ID }), "not_found");
    await expectRefusal(company.documents.change({ id: UNKNOWN_ID, notes: 7 } as never), "invalid_request");
    await expectRefusal(company.documents.get({ id: "nonsense" }), "not_found");
  });

  test("an id is read in either case", async () => {
    const instance = await anInstance(driver);
    const draft = await aDraft(instance);
    expect((await instance.company.documents.get({ id: draft.id.toUpperCase() })).id).toBe(draft.id);
    const credit = { references: [{ document_id: draft.id.toUpperCase() }] };
    expect((await aDraft(instance, { doc_type: "GT", ...credit })).references[0]?.document_id).toBe(draft.id);
  });
});

describe.each(DATABASES)("the day an invoice is due over $name", (driver) => {
  test("follows from the customer's term, else from the company's, unless it is sent", async () => {
    const instance = await anInstance(driver);
    const { company, lacre, company_id } = instance;
    const { id: customer_id } = await aCustomer(instance);
    const due = async (fields: Record<string, unknown> = {}) =>
      (await aDraft(instance, { customer_id, issue_date: "2026-11-21", ...fields })).due_date;
    expect(await due()).toBeNull();
    await lacre.companies.change({ id: company_id, due_days: 30 });
    expect(await due()).toBe("2026-12-21");
    expect(await due({ due_date: null })).toBeNull();
    expect(await due({ due_date: "2026-11-30" })).toBe("2026-11-30");
    await company.customers.change({ id: customer_id, due_days: 0 });
    expect(await due()).toBe("2026-11-21");
    await company.customers.change({ id: customer_id, due_days: 365 });
    expect(await due()).toBe("2027-11-21");
    expect(await due({ issue_date: "9999-12-31" })).toBeNull();
    for (const doc_type of ["FS", "FR", "OR"]) expect(await due({ doc_type })).toBeNull();
    expect((await anInvoice(instance, { customer_id })).due_date).not.toBeNull();
    const draft = await aDraft(instance, { customer_id, due_date: null });
    expect((await company.documents.change({ id: draft.id, notes: "x" })).due_date).toBeNull();
  });

  test("moves with a draft's day and customer where terms gave it, and stays where it was sent", async () => {
    const instance = await anInstance(driver);
    const { company } = instance;
    const [slow, prompt] = [await aCustomer(instance, { due_days: 30 }), await aCustomer(instance, { due_days: 8 })];
    const dueAfter = async (fields: Record<string, unknown>, changes: Record<string, unknown>) => {
      const { id } = await aDraft(instance, { customer_id: slow.id, issue_date: "2026-11-01", ...fields });
      return (await company.documents.change({ id, ...changes })).due_date;
    };
    expect(await dueAfter({}, { notes: "x" })).toBe("2026-12-01");
    expect(await dueAfter({}, { issue_date: "2026-12-02" })).toBe("2027-01-01");
    expect(await dueAfter({}, { customer_id: prompt.id })).toBe("2026-11-09");
    expect(await dueAfter({}, { issue_date: "2026-11-02", due_date: "2026-11-03" })).toBe("2026-11-03");
    expect(await dueAfter({}, { issue_date: "2026-11-02", due_date: null })).toBeNull();
    expect(await dueAfter({ due_date: "2026-11-30" }, { issue_date: "2026-11-02" })).toBe("2026-11-30");
    expect(await dueAfter({ due_date: null }, { issue_date: "2026-11-02" })).toBeNull();
  });
});
