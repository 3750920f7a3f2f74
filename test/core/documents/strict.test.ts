/** What the law refuses where the program is certified, and the contract takes elsewhere. */
import type { NewDocument, NewDocumentLine } from "lacre";
import { describe, expect, test } from "vitest";
import { DATABASE } from "../../support/databases.ts";
import { TODAY } from "../../support/drivers.ts";
import { aCreditNote, aCustomer, aLine, anInvoice, invoiceInput } from "../../support/factories.ts";
import { anInstance, type Instance } from "../../support/instance.ts";
import { expectRefusal } from "../../support/refusals.ts";

const PLACE = { address: "Rua do Forno, 12", postal_code: "2640-389", city: "Mafra" };

/** An uncertified shop with a customer. */
async function aShop(fields: Record<string, unknown> = {}) {
  const shop = await anInstance(DATABASE);
  await shop.lacre.companies.change({ id: shop.company_id, ...PLACE });
  return { ...shop, customer_id: (await aCustomer(shop, { ...PLACE, ...fields })).id };
}

/** Sets a certificate number and gives each series its code, but those that began without. */
async function certify({ lacre, company }: Instance): Promise<void> {
  const producer = { producer_name: "Lacre, Lda.", producer_tax_id: "508025338" };
  await lacre.signer.setCertificate({ certificate_number: 9999, ...producer });
  for (const { id, doc_type, next_number } of (await company.series.list()).data) {
    if (next_number > 1) continue;
    await company.series.change({ id, validation_code: `LEI${doc_type.padEnd(5, "0")}` });
  }
}

async function aCertifiedShop(fields: Record<string, unknown> = {}) {
  const shop = await aShop(fields);
  await certify(shop);
  return shop;
}

type Shop = Awaited<ReturnType<typeof aShop>>;

const free = (exemption_code: string): NewDocumentLine => aLine({ tax_rate: 0, exemption_code });
const issue = (shop: Shop, fields: Partial<NewDocument> = {}) =>
  anInvoice(shop, { customer_id: shop.customer_id, ...fields });

/** Expects a document to be refused in strict mode with this, and the same to be issued without a certificate. */
async function expectOnlyStrictRefuses(
  fields: (shop: Shop) => Partial<NewDocument> | Promise<Partial<NewDocument>>,
  says: string,
  customer: Record<string, unknown> = {},
): Promise<void> {
  const shop = await aCertifiedShop(customer);
  await expectRefusal(issue(shop, await fields(shop)), "invalid_request", says);
  const lenient = await aShop(customer);
  expect(await issue(lenient, await fields(lenient))).toMatchObject({ status: "issued" });
}

describe("a reason of exemption in strict mode", () => {
  const nobody = { name: "Consumidor final" };
  const lda = { tax_id: "501964843" };
  const spaniard = { tax_id: "ESB12345678", country: "ES" };
  const greek = { tax_id: "EL123456789", country: "GR" };
  const ulster = { tax_id: "XI123456789", country: "GB" };
  const briton = { tax_id: "GB123456789", country: "GB" };
  const american = { tax_id: "12-3456789", country: "US" };
  const branch = { tax_id: "980000009", country: "ES" };
  const prefixed = { tax_id: "PT 501 964 843", country: "ES" };
  const unsaid = { tax_id: "B12345678", country: "Espanha" };

  test.each([
    ["M16", nobody, "the tax number of another EU state"],
    ["M16", lda, "the tax number of another EU state"],
    ["M16", briton, "the tax number of another EU state"],
    ["M16", { country: "ES" }, "the tax number of another EU state"],
    ["M16", prefixed, "the tax number of another EU state"],
    ["M40", prefixed, "a tax number of another country"],
    ["M16", unsaid, "the tax number of another EU state, and that state's ISO code as country"],
    ["M41", lda, "the tax number of another EU state"],
    ["M40", lda, "a tax number of another country"],
    ["M40", { country: "US" }, "a tax number of another country"],
    ["M30", nobody, "a Portuguese tax number"],
    ["M30", { tax_id: "999999990" }, "a Portuguese tax number"],
    ["M31", spaniard, "a Portuguese tax number"],
    ["M35", nobody, "a Portuguese tax number"],
    ["M42", nobody, "a Portuguese tax number"],
    ["M43", nobody, "a Portuguese tax number"],
  ] as const)("%s is refused to %o", async (code, customer, needs) => {
    const says = `lines[1].exemption_code: ${code} needs a customer with ${needs}`;
    await expectOnlyStrictRefuses(() => ({ lines: [aLine(), free(code)] }), says, customer);
  });

  test.each([
    ["M16", [spaniard, greek, ulster]],
    ["M40", [spaniard, briton, american]],
    ["M30", [lda, branch]],
    ["M05", [american, lda, nobody]], // Article 14 exempts supplies at home too: the report warns.
    ["M07", [lda, nobody, spaniard]],
  ] as const)("%s is taken from those it is for", async (code, customers) => {
    const shop = await aCertifiedShop();
    for (const customer of customers) {
      const { id: customer_id } = await aCustomer(shop, customer);
      expect((await issue(shop, { customer_id, lines: [free(code)] })).lines).toMatchObject([{ exemption_code: code }]);
    }
  });

  test("may be wrong on the credit note that mends the invoice, and on no other", async () => {
    const shop = await aShop();
    const wrong = await issue(shop, { lines: [free("M16"), aLine()] });
    await certify(shop);
    const credit = (exemption_code: string) =>
      aCreditNote(shop, wrong, { lines: [{ ...free(exemption_code), reference_line: 1 }] });
    await expectRefusal(credit("M41"), "invalid_request", "M41 needs a customer with");
    expect(await credit("M16")).toMatchObject({ status: "issued" });
  });
});

test("in strict mode a correction of a correction is taxed as that was, also after the company has moved", async () => {
  const shop = await aCertifiedShop();
  const move = (tax_region: "PT-MA" | "PT") => shop.lacre.companies.change({ id: shop.company_id, tax_region });
  const lines = [aLine({ unit_price_net: 100, tax_rate: 22 }), free("M07")];
  await move("PT-MA");
  const invoice = await issue(shop, { lines });
  await move("PT");
  const debit = await issue(shop, { doc_type: "ND", lines, references: [{ document_id: invoice.id }] });
  const credit = await aCreditNote(shop, debit, {
    lines: lines.map((line, i) => ({ ...line, reference_line: i + 1 })),
  });
  expect(credit.qr_code).toContain("*I1:PT-MA*I2:100.00*I7:100.00*I8:22.00*");
});

test("what is left of lines with amounts off is credited within their value, which rounding had passed", async () => {
  const shop = await aCertifiedShop();
  const { company } = shop;
  const three = (discount_amount: number) => aLine({ qty: 3, unit_price_net: 10, discount_amount });
  const sale = await issue(shop, { lines: [three(0.04), three(0.05)] });
  const one = { id: sale.id, lines: [1, 2].map((line) => ({ line, qty: 1 })), issue: true };
  for (let i = 0; i < 2; i++) await company.documents.credit(one);
  const last = await company.documents.credit({ id: sale.id, issue: true });
  expect(last.lines[0]?.unit_price_net).toBeLessThan(10);
  expect(await company.documents.get({ id: sale.id })).toMatchObject({ outstanding: 0 });
});

test("in strict mode one sale and its refund are a call each, as docs/api.md begins", async () => {
  const { company } = await aCertifiedShop();
  const sale = await company.documents.create({
    doc_type: "FR",
    series: "current",
    customer: { name: "Ana Conceição" },
    lines: [aLine()],
    payments: [{ amount: 123, method_code: "NU", payment_date: TODAY }],
    issue: true,
  });
  expect(sale).toMatchObject({ number: "FR 2026A/1", payment_status: "paid" });
  const refund = await company.documents.credit({ id: sale.id, refund: { method_code: "NU" }, issue: true });
  expect(refund).toMatchObject({ number: "NC 2026A/1", total_gross: 123 });
  expect(await company.documents.get({ id: sale.id })).toMatchObject({ refunds: [{ amount: 123 }] });
});

describe("in strict mode", () => {
  const pay = (amount: number, payment_date = TODAY) => ({ amount, method_code: "TB", payment_date }) as const;

  test("the means of an FR come to its total", async () => {
    const says = "payments: must come to the total of the FR, 123.00 EUR: they come to 100.00 EUR";
    await expectOnlyStrictRefuses(() => ({ doc_type: "FR", payments: [pay(100)] }), says);
    const shop = await aCertifiedShop();
    await expectRefusal(issue(shop, { doc_type: "FR" }), "invalid_request", "they come to 0");
    expect(await issue(shop, { doc_type: "FR", payments: [pay(100), pay(23)] })).toMatchObject({ status: "issued" });
    expect(await issue(shop, { doc_type: "FR", lines: [aLine({ unit_price_net: 0 })] })).toMatchObject({
      total_gross: 0,
    });
  });

  test("a payment that a receipt acknowledges is not dated before the supply or the invoice", async () => {
    const receipt =
      (payment_date: string, fields: Partial<NewDocument> = {}) =>
      async (shop: Shop): Promise<Partial<NewDocument>> => {
        const { id } = await issue(shop, fields);
        return { doc_type: "RC", references: [{ document_id: id }], payments: [pay(123, payment_date)] };
      };
    const says = `payments[0].payment_date: is before ${TODAY}, the day of what it pays`;
    await expectOnlyStrictRefuses(receipt("2026-01-01"), says);
    const shop = await aCertifiedShop();
    const supplied = await receipt("2026-11-18", { supply_date: "2026-11-18" })(shop);
    expect(await issue(shop, supplied)).toMatchObject({ status: "issued" });
  });

  test("a supply is not so old that its tax can no longer be assessed", async () => {
    const says = "supply_date: is more than four years before";
    await expectOnlyStrictRefuses(() => ({ supply_date: "2010-01-01" }), says);
    await expectOnlyStrictRefuses(() => ({ lines: [aLine({ supply_date: "2021-12-31" })] }), `lines[0].${says}`);
    expect(await issue(await aCertifiedShop(), { supply_date: "2022-01-01" })).toMatchObject({ status: "issued" });
  });

  test("a guide has a place of unloading, of its own or its customer's, and a return one of loading", async () => {
    const nowhere = { address: null, postal_code: null, city: null };
    const says = "needs an address or a city";
    for (const doc_type of ["GT", "GR"] as const) {
      await expectOnlyStrictRefuses(() => ({ doc_type }), `transport.to: ${says}`, nowhere);
    }
    const shop = await aCertifiedShop(nowhere);
    const { id: document_id } = await issue(shop, { doc_type: "GT", transport: { to: { city: "Lisboa" } } });
    const back: Partial<NewDocument> = { doc_type: "NDV", references: [{ document_id }] };
    await expectRefusal(issue(shop, back), "invalid_request", `transport.from: ${says}`);
    await expectRefusal(
      issue(shop, { doc_type: "GT", transport: { from: { country: "PT" }, to: { city: "Lisboa" } } }),
      "invalid_request",
      `transport.from: ${says}`,
    );
    expect(await issue(shop, { ...back, transport: { from: { address: "Rua B" } } })).toMatchObject({
      status: "issued",
    });
  });

  test("a line is no withholding", async () => {
    const lines = [aLine(), aLine({ description: "Retenção na fonte de IRS" })];
    await expectOnlyStrictRefuses(() => ({ lines }), "lines[1].description: must not begin like a withholding");
  });

  test("an invoice with prices has a total above 0; a free one may be 0", async () => {
    const lines = [aLine({ qty: 0.000001, unit_price_net: 0.000001 })];
    await expectOnlyStrictRefuses(() => ({ lines }), "lines: the lines have prices and come to 0.00");
    const shop = await aCertifiedShop();
    for (const fields of [{ unit_price_net: 0 }, { discount_pct: 100 }]) {
      expect(await issue(shop, { lines: [aLine(fields)] })).toMatchObject({ total_gross: 0 });
    }
  });

  test("a customer's name is no tax number, however it is written", async () => {
    const shop = await aCertifiedShop();
    for (const name of ["501964843", "501 964 843", "PT501964843"]) {
      await expectRefusal(aCustomer(shop, { name }), "invalid_request", "name: is a tax number, not a name");
    }
    const change = shop.company.customers.change({ id: shop.customer_id, name: "501964843" });
    await expectRefusal(change, "invalid_request", "name: is a tax number, not a name");
    expect(await aCustomer(shop, { name: "501964844" })).toMatchObject({ name: "501964844" }); // No valid one.
    expect(await aCustomer(await aShop(), { name: "501964843" })).toMatchObject({ name: "501964843" });
  });
});

describe.each([
  ["certified", aCertifiedShop],
  ["not certified", aShop],
] as const)("where the program is %s", (_, open) => {
  test("a payment is not dated in the future", async () => {
    const shop = await open();
    const payment = { amount: 123, method_code: "MB", payment_date: "2026-11-22" } as const;
    const says = `payment_date: is later than today, ${TODAY}`;
    for (const doc_type of ["FT", "FS", "FR"] as const) {
      const early = issue(shop, { doc_type, payments: [{ ...payment, payment_date: TODAY, amount: 1 }, payment] });
      await expectRefusal(early, "invalid_request", `payments[1].${says}`);
    }
    const { id } = await issue(shop);
    const receipt: Partial<NewDocument> = { doc_type: "RC", references: [{ document_id: id }], payments: [payment] };
    await expectRefusal(issue(shop, receipt), "invalid_request", `payments[0].${says}`);
    await expectRefusal(shop.company.payments.record({ id, ...payment }), "invalid_request", says);
    const { id: draft } = await shop.company.documents.create(
      await invoiceInput(shop, { customer_id: shop.customer_id, payments: [payment], issue_date: "2026-11-22" }),
    );
    shop.travel("2026-11-22T10:00:00Z");
    expect(await shop.company.documents.issue({ id: draft })).toMatchObject({ payment_status: "paid" });
    expect(await shop.company.payments.record({ id, ...payment })).toMatchObject(payment);
  });
});

test("today is that of the company's own zone", async () => {
  const shop = await aShop();
  await shop.lacre.companies.change({ id: shop.company_id, time_zone: "Pacific/Auckland" });
  shop.travel("2026-11-21T20:00:00Z");
  const { id } = await issue(shop);
  const payment = { amount: 1, method_code: "MB", payment_date: "2026-11-22" } as const;
  expect(await shop.company.payments.record({ id, ...payment })).toMatchObject(payment);
});
