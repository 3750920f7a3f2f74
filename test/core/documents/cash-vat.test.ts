/** The cash-VAT scheme: its series, its customers, and receipts that state the tax of their invoices. */
import { describe, expect, test } from "vitest";
import { DATABASES } from "../../support/databases.ts";
import { TODAY } from "../../support/drivers.ts";
import { aCustomer, aLine, anInvoice } from "../../support/factories.ts";
import { anInstance } from "../../support/instance.ts";
import { expectRefusal } from "../../support/refusals.ts";

const YESTERDAY = "2026-11-20";

/** A company in the scheme, its series, and a customer who is a taxable person. */
async function inScheme(driver: (typeof DATABASES)[number]) {
  const instance = await anInstance(driver);
  const { lacre, company, company_id } = instance;
  await lacre.companies.change({ id: company_id, cash_vat: true });
  const series: Record<string, string> = {};
  for (const doc_type of ["FT", "NC", "RC"] as const) {
    series[doc_type] = (await company.series.create({ doc_type, code: "2026C", cash_vat: true })).id;
  }
  const { id: customer_id } = await aCustomer(instance, { tax_id: "501964843" });
  const issue = (doc_type: "FT" | "NC" | "RC", fields: object = {}) =>
    anInvoice(instance, { doc_type, series_id: series[doc_type] as string, customer_id, ...fields });
  return { instance, series, customer_id, issue };
}

const lines = [aLine({ unit_price_net: 100 }), aLine({ unit_price_net: 100, tax_rate: 6 })];

/** What a document states at each rate, in cents with tax. */
const stated = (document: Awaited<ReturnType<typeof anInvoice>>) =>
  document.lines.map(({ tax_rate, unit_price_gross }) => [tax_rate, unit_price_gross]);

describe.each(DATABASES)("cash VAT over $name", (driver) => {
  test("is a matter of the series: its documents say so, others of the same company do not", async () => {
    const { instance, issue, customer_id } = await inScheme(driver);
    const cash = await issue("FT");
    const plain = await anInvoice(instance, { customer_id });
    expect([cash.number, plain.number]).toEqual(["FT 2026C/1", "FT 2026A/1"]);
    const receipt = await issue("RC", { lines: [], references: [{ document_id: cash.id }] });
    expect(receipt.number).toBe("RC 2026C/1");
    const current = await instance.company.series.current({ doc_type: "FT" });
    expect(current.cash_vat).toBe(false);
    expect(await instance.company.series.verify()).toMatchObject({ whole: true, documents: 3 });
  });

  test("series are opened by a company in the scheme, for invoices, corrections and receipts", async () => {
    const { lacre, company, company_id } = await anInstance(driver);
    const open = (doc_type: "FT" | "GT") => company.series.create({ doc_type, code: "2026C", cash_vat: true });
    await expectRefusal(open("FT"), "invalid_request", "cash_vat: is for a company in the cash-VAT scheme");
    await lacre.companies.change({ id: company_id, cash_vat: true });
    await expectRefusal(open("GT"), "invalid_request", "cash_vat: is for FT");
    expect((await open("FT")).cash_vat).toBe(true);
  });

  test("a receipt without lines states the rates of its invoices, and the last one the rest of each", async () => {
    const { issue } = await inScheme(driver);
    const invoice = await issue("FT", { lines });
    const receive = (amount?: number) =>
      issue("RC", { lines: [], references: [{ document_id: invoice.id, ...(amount && { amount }) }] });
    const first = await receive(100);
    expect([first.total_gross, stated(first)]).toEqual([
      100,
      [
        [23, 53.72],
        [6, 46.28],
      ],
    ]);
    const last = await receive();
    expect([last.total_gross, stated(last)]).toEqual([
      129,
      [
        [23, 69.28],
        [6, 59.72],
      ],
    ]);
    await expectRefusal(receive(), "invalid_request", "references: names nothing that is left to be received");
    await expectRefusal(receive(0.01), "invalid_request", "references: names nothing");
  });

  test("a receipt about several invoices states the rates of each", async () => {
    const { issue } = await inScheme(driver);
    const [one, two] = [await issue("FT", { lines }), await issue("FT", { lines: lines.slice(0, 1) })];
    const references = [
      { document_id: one.id, amount: 229 },
      { document_id: two.id, amount: 23 },
    ];
    const receipt = await issue("RC", { lines: [], references });
    expect(receipt.lines.map(({ reference_id, unit_price_gross }) => [reference_id, unit_price_gross])).toEqual([
      [one.id, 123],
      [one.id, 106],
      [two.id, 23],
    ]);
    await issue("NC", { lines: [aLine({ unit_price_net: 1 })], references: [{ document_id: two.id }] });
  });

  test("a credited amount falls to no later receipt", async () => {
    const { issue } = await inScheme(driver);
    const invoice = await issue("FT", { lines });
    await issue("NC", { lines: [lines[1]], references: [{ document_id: invoice.id }] });
    const receipt = await issue("RC", { lines: [], references: [{ document_id: invoice.id }] });
    expect(stated(receipt)).toEqual([[23, 123]]);
  });

  test("a receipt with another rate than its invoice is refused, with each rate's share", async () => {
    const { issue } = await inScheme(driver);
    const invoice = await issue("FT", { lines: lines.slice(0, 1) });
    for (const line of [
      aLine({ unit_price_net: 100, tax_rate: 6 }),
      aLine({ unit_price_net: 122, tax_rate: 0, exemption_code: "M07" }),
    ]) {
      const gross = line.tax_rate === 6 ? 106 : 122;
      const receipt = { lines: [line], references: [{ document_id: invoice.id, amount: gross }] };
      await expectRefusal(issue("RC", receipt), "invalid_request", `lines: must state of ${invoice.number}`);
    }
    expect((await issue("RC", { lines: lines.slice(0, 1), references: [{ document_id: invoice.id }] })).number).toBe(
      "RC 2026C/1",
    );
  });

  test("a receipt separates its invoice's exempt amounts from those not subject", async () => {
    const { instance, issue } = await inScheme(driver);
    const free = (unit_price_net: number, exemption_code: string) =>
      aLine({ unit_price_net, tax_rate: 0, exemption_code });
    const invoice = await issue("FT", { lines: [free(50, "M07"), free(70, "M99")] });
    const references = [{ document_id: invoice.id, amount: 12 }];
    const receipt = await issue("RC", { lines: [], references });
    expect(receipt.lines.map((line) => [line.unit_price_gross, line.exemption_code])).toEqual([
      [7, "M99"],
      [5, "M07"],
    ]);
    await expectRefusal(issue("RC", { lines: [free(12, "M07")], references }), "invalid_request", "lines: must state");
    await issue("RC", { lines: [], references: [{ document_id: invoice.id }] });
    const { report } = await instance.company.saft.export({});
    expect(report.vat_received.map(({ code, base }) => [code, base])).toEqual([
      ["ISE", "50.00"],
      ["NS", "70.00"],
    ]);
  });

  test("a receipt is taxed where and when its invoice was, also once the company has moved to another region", async () => {
    const { instance, issue } = await inScheme(driver);
    const { lacre, company, company_id } = instance;
    await lacre.companies.change({ id: company_id, tax_region: "PT-MA" });
    const invoice = await issue("FT", { lines: [aLine({ unit_price_net: 100, tax_rate: 22 })] });
    await lacre.companies.change({ id: company_id, tax_region: "PT" });
    const receipt = await issue("RC", { lines: [], references: [{ document_id: invoice.id }] });
    expect(receipt.qr_code).toContain("*I1:PT-MA*I7:100.00*I8:22.00*");
    const { report } = await company.saft.export({});
    expect(report.vat_received).toMatchObject([
      { region: "PT-MA", code: "NOR", rate: "22", base: "100.00", tax: "22.00" },
    ]);
    expect(report.warnings.map(({ code }) => code)).not.toContain("rate_not_lawful");
  });

  test("a receipt names what it is about, of the scheme alone, no credit note, and has the date of its payments", async () => {
    const { instance, issue, customer_id } = await inScheme(driver);
    const [cash, plain] = [await issue("FT", { lines }), await anInvoice(instance, { customer_id })];
    const credit = await issue("NC", { lines: [lines[1]], references: [{ document_id: cash.id }] });
    const about = (...ids: string[]) => ids.map((document_id) => ({ document_id }));
    const refused = (fields: object, ...says: string[]) =>
      expectRefusal(issue("RC", fields), "invalid_request", ...says);
    await refused({ lines: [lines[0]] }, "references: is required on RC");
    await refused({ references: about(plain.id) }, "references[0].document_id: names a document that is not under");
    await refused({ lines: [lines[1]], references: about(credit.id) }, "names a credit note");
    const payments = [{ amount: 123, method_code: "TB", payment_date: YESTERDAY }];
    await refused(
      { lines: [lines[0]], references: about(cash.id), payments },
      "payments[0].payment_date: must be the date",
    );
    const receipt = { doc_type: "RC", customer_id, references: about(cash.id) } as const;
    await expectRefusal(anInvoice(instance, receipt), "invalid_request", "names a document under cash VAT");
    const correction = { doc_type: "NC", customer_id, references: about(cash.id) } as const;
    await expectRefusal(anInvoice(instance, correction), "invalid_request", "names a document under cash VAT");
  });

  test("an invoice is for a taxable person, and for operations that the scheme covers", async () => {
    const { instance, issue } = await inScheme(driver);
    const nobody = (await aCustomer(instance)).id;
    await expectRefusal(issue("FT", { customer_id: nobody }), "invalid_request", "customer_id: must have a tax number");
    for (const code of ["M05", "M16", "M30", "M40"]) {
      const exempt = [aLine({ tax_rate: 0, exemption_code: code })];
      await expectRefusal(
        issue("FT", { lines: exempt }),
        "invalid_request",
        `an operation that cash VAT leaves out (${code})`,
      );
    }
  });

  test("a company that leaves the scheme issues no more invoices in it, and continues with their receipts", async () => {
    const { instance, issue } = await inScheme(driver);
    const invoice = await issue("FT", { lines });
    await instance.lacre.companies.change({ id: instance.company_id, cash_vat: false });
    await expectRefusal(issue("FT"), "invalid_request", "series_id: is of the cash-VAT scheme");
    expect((await issue("RC", { lines: [], references: [{ document_id: invoice.id }] })).total_gross).toBe(229);
  });

  test("no lines at all are refused elsewhere, as always", async () => {
    const { instance, issue, customer_id } = await inScheme(driver);
    const none = { lines: [], customer_id };
    await expectRefusal(anInvoice(instance, none), "invalid_request", "lines: must have at least one");
    await expectRefusal(anInvoice(instance, { ...none, doc_type: "RC" }), "invalid_request", "lines: must have");
    await expectRefusal(issue("RC", none), "invalid_request", "lines: must have");
  });

  test("the series of a year that follow those in use stay in the scheme", async () => {
    const { instance, issue } = await inScheme(driver);
    await issue("FT", { issue_date: TODAY });
    const { opened } = await instance.company.series.openYear({ year: 2027 });
    expect(opened.map(({ doc_type, code, cash_vat }) => [doc_type, code, cash_vat])).toEqual([["FT", "2027C", true]]);
  });
});
