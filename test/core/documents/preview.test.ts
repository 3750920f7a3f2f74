import fc from "fast-check";
import { type NewDocument, pemSigner } from "lacre";
import { TEST_SIGNING_KEY } from "lacre/testing";
import { describe, expect, test } from "vitest";
import { DATABASES } from "../../support/databases.ts";
import { TODAY, UNKNOWN_ID } from "../../support/drivers.ts";
import { aCreditNote, aCustomer, aDraft, aLine, anInvoice, aProduct, invoiceInput } from "../../support/factories.ts";
import { anInstance } from "../../support/instance.ts";
import { agree, everyRow, previewed } from "../../support/previews.ts";
import { expectRefusal, refusalOf } from "../../support/refusals.ts";
import { runsOf } from "../../support/sampled.ts";

describe.each(DATABASES)("a preview over $name", (driver) => {
  test("shows what issuing then makes: totals, tax, number, customer", async () => {
    const instance = await anInstance(driver);
    const customer = await aCustomer(instance, { city: "Évora" });
    const input = await invoiceInput(instance, {
      customer_id: customer.id,
      lines: [aLine({ unit_price_net: 55.55 }), aLine({ unit_price_net: 10, tax_rate: 6 })],
    });
    const shown = await instance.company.documents.preview(input);
    expect(shown).toMatchObject({
      document: {
        id: null,
        number: null,
        hash: null,
        status: "draft",
        total_net: 65.55,
        total_tax: 13.38,
        total_gross: 78.93,
        outstanding: 78.93,
        payment_status: "unpaid",
        customer: { id: customer.id, code: "C1", city: "Évora" },
        created_at: null,
      },
      tax: [
        { region: "PT", code: "NOR", rate: 23, net: 55.55, tax: 12.78 },
        { region: "PT", code: "RED", rate: 6, net: 10, tax: 0.6 },
      ],
      refusals: [],
      notices: [],
      number: "FT 2026A/1",
      digest: expect.stringMatching(/^\d+:[0-9a-f]{64}$/),
    });
    expect((await instance.company.documents.create({ ...input, issue: true })).number).toBe(shown.number);
  });

  test("names all refusals, in the order in which issuing gives them", async () => {
    const instance = await anInstance(driver);
    const { company, series } = instance;
    const customer = await aCustomer(instance);
    const invoice = await anInvoice(instance, { customer_id: customer.id });
    await aCreditNote(instance, invoice, { lines: [aLine({ unit_price_net: 60 })] });
    const draft = await aDraft(instance, {
      doc_type: "NC",
      customer_id: customer.id,
      issue_date: "2026-11-20",
      references: [{ document_id: invoice.id }],
      lines: [aLine({ unit_price_net: 41 })],
    });
    await company.series.change({ id: series.NC, status: "closed" });
    const { refusals } = await company.documents.previewDraft({ id: draft.id });
    expect(refusals.map(({ code }) => code)).toEqual([
      "invalid_request",
      "credit_exceeds_original",
      "series_closed",
      "date_out_of_order",
    ]);
    expect((await refusalOf(company.documents.issue({ id: draft.id }))).toJSON()).toEqual(refusals[0]);
  });

  test("is refused as a draft is, and only a draft has one", async () => {
    const instance = await anInstance(driver);
    const { documents } = instance.company;
    const input = await invoiceInput(instance, { customer_id: UNKNOWN_ID });
    const refused = await refusalOf(documents.preview(input));
    expect(refused.toJSON()).toEqual((await refusalOf(documents.create(input))).toJSON());
    expect(refused.code).toBe("invalid_request");
    await expectRefusal(documents.previewDraft({ id: UNKNOWN_ID }), "not_found");
    const { id } = await anInvoice(instance);
    await expectRefusal(documents.previewDraft({ id }), "invalid_state");
  });
});

describe.each(DATABASES)("a preview over $name does nothing", (driver) => {
  test("and leaves no trace in any table; a draft does", async () => {
    const instance = await anInstance(driver);
    const input = await invoiceInput(instance);
    const draft = await aDraft(instance, input);
    const before = await everyRow(instance);
    await instance.company.documents.preview(input, { idempotency_key: "preview-1" });
    await instance.company.documents.previewDraft({ id: draft.id });
    expect(await everyRow(instance)).toEqual(before);
    await instance.company.documents.create(input);
    expect(await everyRow(instance)).not.toEqual(before);
  });

  test("an Idempotency-Key remembers nothing: the next preview shows what is there by then", async () => {
    const instance = await anInstance(driver);
    const input = await invoiceInput(instance);
    const options = { idempotency_key: "preview-1" };
    expect((await instance.company.documents.preview(input, options)).number).toBe("FT 2026A/1");
    await anInvoice(instance, input);
    expect((await instance.company.documents.preview(input, options)).number).toBe("FT 2026A/2");
  });

  test("uses no signer; issuing does", async () => {
    let signed = 0;
    const own = pemSigner(TEST_SIGNING_KEY, 1);
    const sign = (text: string) => {
      signed++;
      return own.sign(text);
    };
    const instance = await anInstance(driver, { signer: { ...own, sign } });
    const input = await invoiceInput(instance);
    expect((await instance.company.documents.preview(input)).refusals).toEqual([]);
    expect(signed).toBe(0);
    await instance.company.documents.create({ ...input, issue: true });
    expect(signed).toBe(1);
  });
});

describe.each(DATABASES)("previews of random documents of all types over $name", (driver) => {
  test("agree with issuing, and leave nothing", async () => {
    const counts = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(previewed(30), (given) => agree(driver, given, { counts })),
      { numRuns: runsOf("open" in driver ? 20 : 6) },
    );
  });
});

describe.each(DATABASES)("a preview over $name of a document with a customer", (driver) => {
  const within = (customer: NewDocument["customer"]): NewDocument => ({
    doc_type: "FT",
    series: "current",
    customer,
    lines: [aLine()],
  });

  test("who is new has neither id nor code, and the draft has the same digest", async () => {
    const instance = await anInstance(driver);
    const input = within({ name: "Rui Lopes", city: "Faro" });
    const before = await everyRow(instance);
    const shown = await instance.company.documents.preview(input);
    expect(await everyRow(instance)).toEqual(before);
    expect(shown.document).toMatchObject({ customer_id: null, issue_date: TODAY, series_id: instance.series.FT });
    expect(shown.document.customer).toMatchObject({ name: "Rui Lopes", city: "Faro", tax_id: null });
    expect(Object.keys(shown.document.customer)).not.toContain("id");
    expect(Object.keys(shown.document.customer)).not.toContain("code");
    const { id } = await instance.company.documents.create(input);
    expect((await instance.company.documents.issue({ id, digest: shown.digest })).number).toBe(shown.number);
  });

  test("who is known is shown as changed, and is not changed", async () => {
    const instance = await anInstance(driver);
    const { id } = await aCustomer(instance, { name: "Padaria Lopes, Lda.", tax_id: "501964843" });
    const shown = await instance.company.documents.preview(within({ tax_id: "501964843", city: "Faro" }));
    expect(shown.document).toMatchObject({ customer_id: id, customer: { id, code: "C1", city: "Faro" } });
    expect((await instance.company.customers.get({ id })).city).toBeNull();
  });
});

describe.each(DATABASES)("a digest over $name", (driver) => {
  test("issues what was shown, and refuses what has changed since", async () => {
    const instance = await anInstance(driver);
    const { documents, customers } = instance.company;
    const customer = await aCustomer(instance);
    const draft = await aDraft(instance, { customer_id: customer.id });
    const { digest } = await documents.previewDraft({ id: draft.id });
    await documents.change({ id: draft.id, notes: "Entrega às 10h" });
    await expectRefusal(documents.issue({ id: draft.id, digest }), "conflict", "no longer what was shown");
    await documents.change({ id: draft.id, notes: null });
    await customers.change({ id: customer.id, name: "Ana Lopes" });
    await expectRefusal(documents.issue({ id: draft.id, digest }), "conflict");
    expect((await documents.get({ id: draft.id })).status).toBe("draft");
    const { digest: again } = await documents.previewDraft({ id: draft.id });
    expect((await documents.issue({ id: draft.id, digest: again })).number).toBe("FT 2026A/1");
    await expectRefusal(documents.issue({ id: draft.id, digest: again }), "invalid_state");
  });

  test("is that of the input and of its draft, whatever number comes next and whatever the time", async () => {
    const instance = await anInstance(driver);
    const { documents } = instance.company;
    const payments = [{ amount: 1, method_code: "NU" as const, payment_date: TODAY }];
    const input = await invoiceInput(instance, { payments, transport: {} });
    const { digest } = await documents.preview(input);
    const draft = await documents.create(input);
    await anInvoice(instance);
    instance.wait(60_000);
    expect((await documents.previewDraft({ id: draft.id })).digest).toBe(digest);
    expect((await documents.issue({ id: draft.id, digest })).number).toBe("FT 2026A/2");
  });

  test("differs for everything that issuing freezes", async () => {
    const instance = await anInstance(driver);
    const { documents } = instance.company;
    const { id: product_id } = await aProduct(instance, { tax_rate: 23 });
    const { id: other_id } = await anInvoice(instance, { doc_type: "OR" });
    const { id: order_id, customer_id } = await anInvoice(instance, { doc_type: "OR" });
    const base = await invoiceInput(instance, { customer_id, references: [{ document_id: order_id }] });
    const { id: series_id } = await instance.company.series.create({ doc_type: "FT", code: "LOJA" });
    const changes: Partial<NewDocument>[] = [
      {},
      { series_id },
      { issue_date: "2026-11-20" },
      { due_date: "2026-12-21" },
      { supply_date: "2026-11-20" },
      { notes: "Obrigado" },
      { external_id: "order-1" },
      { metadata: { order: "1" } },
      { global_discount_pct: 1 },
      { references: [] },
      { references: [{ document_id: other_id }] },
      { references: [{ document_id: order_id, reason: "Encomenda" }] },
      { payments: [{ amount: 1, method_code: "NU", payment_date: TODAY }] },
      { payments: [{ amount: 1, method_code: "MB", payment_date: TODAY }] },
      { payments: [{ amount: 2, method_code: "NU", payment_date: TODAY }] },
      { payments: [{ amount: 1, method_code: "NU", payment_date: "2026-11-20" }] },
      { transport: {} },
      { transport: { vehicle: "AA-00-AA" } },
      { transport: { start_at: "2026-11-22T08:00:00Z" } },
      { customer_id: (await aCustomer(instance, { name: "Rui" })).id },
      { customer_id: (await aCustomer(instance, { city: "Évora" })).id },
      { lines: [aLine({ description: "Broa" })] },
      { lines: [aLine({ qty: 2 })] },
      { lines: [aLine({ unit_price_net: 100.01 })] },
      { lines: [aLine(), aLine()] },
      { lines: [aLine({ tax_rate: 13 })] },
      { lines: [aLine({ discount_pct: 1 })] },
      { lines: [aLine({ unit: "kg" })] },
      { lines: [aLine({ type: "S" })] },
      { lines: [aLine({ product_id })] },
      { lines: [aLine({ supply_date: "2026-11-20" })] },
      { lines: [aLine({ reference_id: order_id })] },
      { lines: [{ description: "Pão de Mafra", qty: 1, unit_price_gross: 123, tax_rate: 23 }] },
    ];
    const digests: string[] = [];
    for (const change of changes) digests.push((await documents.preview({ ...base, ...change })).digest);
    expect(new Set(digests).size).toBe(changes.length);
    await instance.lacre.companies.change({ id: instance.company_id, city: "Mafra" });
    expect(digests).not.toContain((await documents.preview(base)).digest);
  });
});
