/** Who gets the original: whoever reads never takes it, whoever prints it takes it once. */
import { describe, expect, test } from "vitest";
import { DATABASES } from "../../support/databases.ts";
import { TODAY } from "../../support/drivers.ts";
import { aDraft, aLine, anInvoice } from "../../support/factories.ts";
import { anInstance, type Instance } from "../../support/instance.ts";
import { expectRefusal } from "../../support/refusals.ts";
import { textOf } from "../print/reading.ts";

const NAMES = /Original|Duplicado|Triplicado|Quadruplicado|2\.ª via/g;

/** The names of the copies in a PDF, in order. */
const namesIn = ({ pdf }: { readonly pdf: Uint8Array }) => textOf(pdf).match(NAMES);

/** An instance with an invoice, issued under a certificate where `strict`. */
async function aShop(driver: (typeof DATABASES)[number], { strict }: { readonly strict: boolean }) {
  const instance = await anInstance(driver);
  if (!strict) return { ...instance, id: (await anInvoice(instance)).id };
  await instance.lacre.companies.change({
    id: instance.company_id,
    address: "Rua do Forno, 12",
    postal_code: "2640-389",
    city: "Mafra",
  });
  await instance.lacre.signer.setCertificate({
    certificate_number: 9999,
    producer_name: "Lacre, Lda.",
    producer_tax_id: "508025338",
  });
  const { id: series_id } = await instance.company.series.create({
    doc_type: "FT",
    code: "LEI",
    validation_code: "CSDF7T5H",
  });
  return { ...instance, id: (await anInvoice(instance, { series_id })).id };
}

const printsOf = async ({ company }: Pick<Instance, "company">, id: string) =>
  (await company.events.list({ limit: 200 })).data.filter(
    ({ action, resource_id }) => action === "document.printed" && resource_id === id,
  );

describe.each(DATABASES)("over $name", (driver) => {
  test("with a certificate, reading the PDF gives a second print and writes nothing", async () => {
    const shop = await aShop(driver, { strict: true });
    for (const options of [{}, { copy: false }, { copy: true }]) {
      expect(namesIn(await shop.company.documents.pdf({ id: shop.id, ...options }))).toEqual(["2.ª via"]);
    }
    expect(await printsOf(shop, shop.id)).toEqual([]);
  });

  test("without one nothing changes: the original, or a second print on request", async () => {
    const { company, id } = await aShop(driver, { strict: false });
    expect(namesIn(await company.documents.pdf({ id }))).toEqual(["Original"]);
    expect(namesIn(await company.documents.pdf({ id, copy: true }))).toEqual(["2.ª via"]);
  });

  test("the change is printed on request and not stored, and a refused amount of cash uses up no original", async () => {
    const shop = await anInstance(driver);
    const { company } = shop;
    const pay = (method_code: "NU" | "CD", amount: number) => ({ method_code, amount, payment_date: TODAY });
    const sell = (...payments: ReturnType<typeof pay>[]) =>
      anInvoice(shop, { doc_type: "FS", series_id: shop.series.FS, lines: [aLine({ unit_price_net: 10 })], payments });
    const { id, total_gross } = await sell(pay("CD", 2.3), pay("NU", 10));
    expect(total_gross).toBe(12.3);
    for (const [print, of] of [
      [company.documents.print, { id, cash_given: 9.99 }],
      [company.documents.pdf, { id, cash_given: 9.99 }],
    ] as const) {
      await expectRefusal(print(of), "invalid_request", "cash_given: must be at least 10");
    }
    const card = await sell(pay("CD", 12.3));
    const refused = company.documents.print({ id: card.id, cash_given: 20 });
    await expectRefusal(refused, "invalid_request", "cash_given: is for a document that was paid in cash");
    expect(await printsOf(shop, card.id)).toEqual([]);

    const [first, again] = [
      await company.documents.print({ id, cash_given: 50 }),
      await company.documents.print({ id }),
    ];
    expect([namesIn(first), namesIn(again)]).toEqual([["Original"], ["2.ª via"]]);
    expect(textOf(first.pdf)).toContain("Entregue em numerário 50,00 Troco 40,00");
    expect(textOf(again.pdf)).not.toContain("Troco");
  });

  for (const strict of [true, false]) {
    test(`printing gives the original once, and records it (${strict ? "with" : "without"} a certificate)`, async () => {
      const shop = await aShop(driver, { strict });
      const { company, id } = shop;
      expect(namesIn(await company.documents.print({ id, copies: 4 }))).toEqual([
        "Original",
        "Duplicado",
        "Triplicado",
        "Quadruplicado",
      ]);
      expect(namesIn(await company.documents.print({ id }))).toEqual(["2.ª via"]);
      expect(await printsOf(shop, id)).toMatchObject([{ detail: { copies: 4, number: expect.any(String) } }]);
    });
  }

  test("a print that got lost comes again, the same, with its Idempotency-Key; only one of two at once is the original", async () => {
    const shop = await aShop(driver, { strict: true });
    const { company, id } = shop;
    const first = await company.documents.print({ id }, { idempotency_key: "till-1" });
    const again = await company.documents.print({ id }, { idempotency_key: "till-1" });
    expect(Buffer.from(again.pdf).equals(Buffer.from(first.pdf))).toBe(true);
    expect(namesIn(again)).toEqual(["Original"]);
    const { id: other } = await anInvoice(shop, { series_id: (await company.documents.get({ id })).series_id });
    const both = await Promise.all([company.documents.print({ id: other }), company.documents.print({ id: other })]);
    expect(both.flatMap(namesIn).toSorted()).toEqual(["2.ª via", "Original"]);
    expect(await printsOf(shop, other)).toHaveLength(1);
  });

  test("a document cancelled before its first print has no original: its paper is a second print", async () => {
    const shop = await aShop(driver, { strict: true });
    await shop.company.documents.cancel({ id: shop.id });
    expect(namesIn(await shop.company.documents.print({ id: shop.id }))).toEqual(["2.ª via"]);
    expect(await printsOf(shop, shop.id)).toEqual([]);
  });

  test("a draft has no original, and requesting it records nothing", async () => {
    const instance = await anInstance(driver);
    const { id } = await aDraft(instance);
    await expectRefusal(instance.company.documents.print({ id }), "invalid_state", "A draft cannot be printed.");
    expect(await printsOf(instance, id)).toEqual([]);
  });

  test("the file says when the document was issued: half past midnight in Lisbon's summer is still yesterday's UTC", async () => {
    const shop = await anInstance(driver, { at: "2026-07-14T23:30:00Z" });
    const { id, system_entry_date } = await anInvoice(shop, { issue_date: "2026-07-15" });
    expect(system_entry_date).toBe("2026-07-15T00:30:00");
    const { pdf } = await shop.company.documents.pdf({ id });
    expect(Buffer.from(pdf).toString("latin1")).toContain("<xmp:CreateDate>2026-07-14T23:30:00Z</xmp:CreateDate>");
  });

  test("a caller that leaves ends the work", async () => {
    const { company, id } = await aShop(driver, { strict: false });
    const leaving = new AbortController();
    const print = company.documents.pdf({ id }, { signal: leaving.signal });
    leaving.abort(new Error("gone"));
    await expect(print).rejects.toThrow("gone");
    expect(namesIn(await company.documents.pdf({ id }))).toEqual(["Original"]);
  });

  test("labels are in the language asked for, else the customer's, else the company's, else Portuguese", async () => {
    const instance = await anInstance(driver);
    const { company, lacre, company_id } = instance;
    const { id, customer_id } = await anInvoice(instance);
    const printed = async (asked: { readonly lang?: "pt" | "en" } = {}) => {
      const { pdf } = await company.documents.pdf({ id, ...asked });
      return /Description/.test(textOf(pdf)) ? "en" : "pt";
    };
    expect(await printed()).toBe("pt");
    await lacre.companies.change({ id: company_id, language: "en" });
    expect(await printed()).toBe("en");
    expect(await printed({ lang: "pt" })).toBe("pt");
    await company.customers.change({ id: customer_id, language: "pt" });
    expect(await printed()).toBe("pt");
    await company.customers.archive({ id: customer_id });
    expect(await printed()).toBe("pt");
    expect(await printed({ lang: "en" })).toBe("en");
  });
});
