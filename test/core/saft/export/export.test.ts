/** Exporting SAF-T (PT): the elements of every kind of document, read back and validated by other programs. */
import { createPublicKey, createVerify } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import type { DocType, NewDocument } from "lacre";
import { TEST_SIGNING_KEY } from "lacre/testing";
import { describe, expect, test } from "vitest";
import type { Document } from "../../../../src/core/documents/document.ts";
import { COMPANY_OPERATIONS } from "../../../../src/core/operations.ts";
import { DATABASE, DATABASES } from "../../../support/databases.ts";
import { TODAY } from "../../../support/drivers.ts";
import { aCreditNote, aCustomer, aLine, aLineOf, anInvoice, aProduct } from "../../../support/factories.ts";
import { anInstance, anInstanceOnFile, type Home, homeOf, type Instance } from "../../../support/instance.ts";
import { expectRefusal } from "../../../support/refusals.ts";
import { anExport, bytesOf, type Element, exact, mustAddUp, mustBeValid, warningsOf } from "../../../support/saft.ts";
import { runsOf } from "../../../support/sampled.ts";

const driver = DATABASE;

const open = () => anInstance(driver);

/** One document of every type, most of them with references. */
async function oneOfEach(home: Home, customer_id: string): Promise<Record<DocType, Document>> {
  const issue = (doc_type: DocType, fields: Partial<NewDocument> = {}) =>
    anInvoice(home, { doc_type, customer_id, ...fields });
  const names = ({ id }: Document) => ({ references: [{ document_id: id }] });
  const OR = await issue("OR");
  const GT = await issue("GT", names(OR));
  const GR = await issue("GR", names(OR));
  const FT = await issue("FT", names(GT));
  const FS = await issue("FS");
  const FR = await issue("FR", { payments: [{ amount: 123, method_code: "TB", payment_date: TODAY }] });
  const ND = await issue("ND", names(FT));
  const NC = await issue("NC", { ...names(FT), lines: [aLine({ unit_price_net: 10, reference_line: 1 })] });
  const NDV = await issue("NDV", names(FT));
  const RC = await issue("RC", { ...names(FT), lines: [aLineOf(50)] });
  return { FT, FS, FR, NC, ND, RC, GT, GR, NDV, OR };
}

const line = (document: Element, i = 0): Element => document.Line[i];

describe.each(DATABASES)("a file over $name", (driver) => {
  test("contains one document of every type, is valid, and adds up for another reader", async () => {
    const home = await anInstanceOnFile(driver);
    const documents = await oneOfEach(home, (await aCustomer(home)).id);
    const file = await anExport(home);
    expect([...file.documents.keys()].sort()).toEqual(
      Object.values(documents)
        .map(({ number }) => number)
        .sort(),
    );
    expect(file.report).toMatchObject({ customers: 1, tax_rates: 1, sales_invoices: { documents: 5 } });
    expect(Object.keys(file.tables)).toEqual(["SalesInvoices", "MovementOfGoods", "WorkingDocuments", "Payments"]);
    expect(file.documents.get("GD 2026A/1")).toMatchObject({ MovementType: "GD", Line: [{ DebitAmount: "100" }] });
    expect(file.documents.get("NC 2026A/1")).toMatchObject({ InvoiceType: "NC", Line: [{ DebitAmount: "10" }] });
    expect(file.documents.get("RG 2026A/1")).toMatchObject({ PaymentType: "RG", Line: [{ CreditAmount: "50" }] });
  });
});

test("wrong control totals would be found", async () => {
  const home = await open();
  await anInvoice(home);
  const { tables, report } = await anExport(home);
  tables.SalesInvoices.TotalCredit = "100.000001";
  expect(() => mustAddUp({ tables, report })).toThrow("TotalCredit");
});

test("a reference to a missing customer would be found", async () => {
  const home = await open();
  await anInvoice(home);
  const { bytes } = await anExport(home);
  const broken = bytes
    .toString("latin1")
    .replace("<CustomerID>C1</CustomerID><AccountID>", "<CustomerID>X</CustomerID><AccountID>");
  expect(() => mustBeValid(Buffer.from(broken, "latin1"))).toThrow("InvoiceCustomerIDConstraint");
});

describe("the header", () => {
  test("describes the company and an uncertified program", async () => {
    const home = await open();
    await home.lacre.companies.change({ id: home.company_id, address: "Rua Direita, 1\n2.º Esq.", city: "Évora" });
    const { header } = await anExport(home, { from: "2026-03-01", to: "2026-03-31" });
    expect(header).toEqual({
      AuditFileVersion: "1.04_01",
      CompanyID: "500000000",
      TaxRegistrationNumber: "500000000",
      TaxAccountingBasis: "F",
      CompanyName: "Padaria Central, Lda.",
      CompanyAddress: {
        AddressDetail: "Rua Direita, 1 2.º Esq.",
        City: "Évora",
        PostalCode: "Desconhecido",
        Country: "PT",
      },
      FiscalYear: "2026",
      StartDate: "2026-03-01",
      EndDate: "2026-03-31",
      CurrencyCode: "EUR",
      DateCreated: TODAY,
      TaxEntity: "Global",
      ProductCompanyTaxID: "500000000",
      SoftwareCertificateNumber: "0",
      ProductID: "Lacre/Padaria Central, Lda.",
      ProductVersion: "0.1.0",
    });
  });

  test("names the producer of the program if there is one, with any characters", async () => {
    const home = await anInstance(driver);
    await home.past(
      "update installation set certificate_number = 9999, producer_name = 'A/B & C', producer_tax_id = '501964843'",
    );
    const { header } = await anExport(home);
    expect(header).toMatchObject({
      ProductCompanyTaxID: "501964843",
      SoftwareCertificateNumber: "9999",
      ProductID: "Lacre/A B & C",
    });
  });
});

describe("the period", () => {
  test("selects the documents dated in it, first and last day included", async () => {
    const home = await open();
    const customer_id = (await aCustomer(home)).id;
    for (const day of ["05-31", "06-01", "06-01", "06-15", "06-30", "06-30", "07-01"]) {
      await anInvoice(home, { customer_id, issue_date: `2026-${day}` });
    }
    const numbers = async (from: string, to: string) => [...(await anExport(home, { from, to })).documents.keys()];
    expect(await numbers("2026-06-01", "2026-06-30")).toEqual([2, 3, 4, 5, 6].map((n) => `FT 2026A/${n}`));
    expect(await numbers("2026-06-02", "2026-06-29")).toEqual(["FT 2026A/4"]);
    expect(await numbers("2026-07-01", "2026-12-31")).toEqual(["FT 2026A/7"]);
    expect(await numbers("2026-07-02", "2026-12-31")).toEqual([]);
    expect(await numbers("2026-01-01", "2026-05-30")).toEqual([]);
  });

  test("is this year until today when left out", async () => {
    const { report } = await anExport(await open());
    expect(report).toMatchObject({ from: "2026-01-01", to: TODAY });
    expect((await anExport(await open(), { to: "2024-02-29" })).report).toMatchObject({ from: "2024-01-01" });
  });

  test("may have no documents: the file is valid, without customers and taxes", async () => {
    const home = await open();
    await anInvoice(home);
    const { customers, products, taxes, documents } = await anExport(home, { to: "2026-11-20" });
    expect([customers, products, taxes, [...documents]]).toEqual([[], [], [], []]);
  });

  test.each([
    [{ from: "2026-02-01", to: "2026-01-31" }, "to: must be 2026-02-01 or later"],
    [{ from: "2025-12-01", to: "2026-01-31" }, "to: must be in 2025"],
    [{ from: "1999-01-01", to: "1999-12-31" }, "from: must be 2000-01-01 or later"],
  ])("%j is refused", async (input, message) => {
    const { company } = await open();
    await expect(company.saft.export(input)).rejects.toThrow(message);
  });
});

describe("amounts", () => {
  test("of the certification authority's test 16 are right to the last digit", async () => {
    const home = await open();
    const { number } = await anInvoice(home, {
      global_discount_pct: 10,
      lines: [aLine({ qty: 100, unit_price_net: 0.55, discount_pct: 8.8 }), aLine({ qty: 3.5, unit_price_net: 3.45 })],
    });
    const invoice = (await anExport(home)).documents.get(number ?? "");
    expect(line(invoice, 0)).toMatchObject({ UnitPrice: "0.45144", CreditAmount: "45.144", SettlementAmount: "9.856" });
    expect(line(invoice, 1)).toMatchObject({ UnitPrice: "3.105", CreditAmount: "10.8675", SettlementAmount: "1.2075" });
    expect(invoice.DocumentTotals).toEqual({ NetTotal: "56.01", TaxPayable: "12.88", GrossTotal: "68.89" });
  });

  test("include a SettlementAmount only for lines with a discount", async () => {
    const home = await open();
    await anInvoice(home);
    expect(line((await anExport(home)).documents.get("FT 2026A/1"))).not.toHaveProperty("SettlementAmount");
  });

  test("of the largest and the smallest lines have at most 24 digits", async () => {
    const home = await open();
    const lines = [
      aLine({ qty: 1e9, unit_price_net: 1e9, discount_pct: 100, tax_rate: 6 }),
      aLine({ qty: 999_999_999.999999, unit_price_net: 999_999_999.999999, discount_pct: 99.99, tax_rate: 6 }),
      aLine({ qty: 0.000001, unit_price_net: 0.000001, discount_pct: 33.33, tax_rate: 6 }),
    ];
    await anInvoice(home, { lines, global_discount_pct: 99.99 });
    const { text } = await anExport(home);
    const digits = Array.from(
      text.matchAll(/>([0-9]+(?:\.[0-9]+)?)</g),
      ([, number = ""]) => number.replace("../../../saft", "").length,
    );
    expect(Math.max(...digits)).toBeLessThanOrEqual(24);
    expect(text).toContain("<UnitPrice>0.00000000006667</UnitPrice>");
  });

  test("of any lines and discounts add up to the totals of the API", async () => {
    const home = await open();
    const customer_id = (await aCustomer(home)).id;
    const decimal = (max: number, decimals: number) =>
      fc.integer({ min: 1, max: max * 10 ** decimals }).map((integer) => integer / 10 ** decimals);
    const lines = fc.array(
      fc.record({
        description: fc.constant("Pão"),
        qty: decimal(1_000, 3),
        unit_price_net: decimal(1_000, 6),
        tax_rate: fc.constantFrom(0, 6, 13, 23),
        discount_pct: decimal(99, 2),
      }),
      { minLength: 1, maxLength: 8 },
    );
    await fc.assert(
      fc.asyncProperty(lines, fc.constantFrom(0, 10, 33.33), async (lines, global_discount_pct) => {
        const issued = await anInvoice(home, { customer_id, lines, global_discount_pct });
        const { DocumentTotals } = (await anExport(home)).documents.get(issued.number ?? "");
        expect(exact(DocumentTotals.GrossTotal)).toBe(exact(issued.total_gross.toFixed(2)));
        expect(exact(DocumentTotals.TaxPayable)).toBe(exact(issued.total_tax.toFixed(2)));
      }),
      { numRuns: runsOf(25) },
    );
  });
});

describe("taxes", () => {
  test("have the company's region and the code of the rate, and are in the table once", async () => {
    const home = await open();
    await home.lacre.companies.change({ id: home.company_id, tax_region: "PT-AC" });
    await anInvoice(home, { lines: [4, 9, 16, 16].map((tax_rate) => aLine({ tax_rate })) });
    const { taxes, documents } = await anExport(home);
    expect(taxes.map(({ Description: _, ...entry }) => entry)).toEqual(
      [
        ["RED", "4"],
        ["INT", "9"],
        ["NOR", "16"],
      ].map(([TaxCode, TaxPercentage]) => ({
        TaxType: "IVA",
        TaxCountryRegion: "PT-AC",
        TaxCode,
        TaxPercentage,
      })),
    );
    expect(line(documents.get("FT 2026A/1"), 1).Tax).toMatchObject({ TaxCountryRegion: "PT-AC", TaxCode: "INT" });
  });

  test("at 0 % have an exemption; M99 used by default gives a warning", async () => {
    const home = await open();
    await anInvoice(home, { lines: [aLine({ tax_rate: 0, exemption_code: "M15" }), aLine({ tax_rate: 0 })] });
    const { documents, report } = await anExport(home);
    const invoice = documents.get("FT 2026A/1");
    expect(line(invoice, 0)).toMatchObject({
      Tax: { TaxType: "IVA", TaxCode: "ISE", TaxPercentage: "0" },
      TaxExemptionCode: "M15",
      // Cut by one character to the length of the schema.
      TaxExemptionReason: "Regime da margem de lucro – Objetos de coleção e antiguidade",
    });
    expect(line(invoice, 1)).toMatchObject({ Tax: { TaxType: "NS", TaxCode: "NS" }, TaxExemptionCode: "M99" });
    expect(warningsOf(report)).toMatchObject([{ code: "exemption_by_default", count: 1, examples: ["FT 2026A/1"] }]);
  });

  test("are left out of a guide without prices", async () => {
    const home = await open();
    await anInvoice(home, { doc_type: "GT", lines: [aLine({ unit_price_net: 0 })] });
    const { documents, taxes } = await anExport(home);
    expect(line(documents.get("GT 2026A/1"))).not.toHaveProperty("Tax");
    expect(documents.get("GT 2026A/1").DocumentTotals.GrossTotal).toBe("0.00");
    expect(taxes).toEqual([]);
  });

  test("rounded per rate that differ from the lines by more than a cent give a warning", async () => {
    const home = await open();
    // The tax of each rate, 0.004, rounds to 0: four rates lose 0.016 together. Only an uncertified program has such
    // rates.
    const lines = [100, 99.99, 99.98, 99.97].map((tax_rate) => aLine({ unit_price_net: 0.00499, tax_rate }));
    await anInvoice(home, { lines });
    await anInvoice(home, { lines: lines.slice(2) });
    const { report } = await anExport(home);
    expect(warningsOf(report)).toMatchObject([
      { code: "rate_not_lawful", count: 2, examples: ["FT 2026A/1", "FT 2026A/2"] },
      { code: "tax_differs", count: 1, examples: ["FT 2026A/1"] },
    ]);
  });
});

describe("references between documents", () => {
  test("are References in corrections, OrderReferences in invoices; the oldest guide gives the tax point date", async () => {
    const home = await open();
    const customer_id = (await aCustomer(home)).id;
    const order = await anInvoice(home, { doc_type: "OR", customer_id, issue_date: "2026-11-01" });
    const later = await anInvoice(home, { doc_type: "GT", customer_id, issue_date: "2026-11-10" });
    const older = await anInvoice(home, { doc_type: "GR", customer_id, issue_date: "2026-11-05" });
    const invoice = await anInvoice(home, {
      customer_id,
      lines: [aLine(), aLine({ reference_id: later.id }), aLine({ reference_id: order.id })],
      references: [order, later, older].map(({ id }) => ({ document_id: id })),
    });
    await aCreditNote(home, invoice, { references: [{ document_id: invoice.id, reason: "Preço errado" }] });
    const { documents } = await anExport(home);
    const [all, guide, quotation] = documents.get("FT 2026A/1").Line;
    expect(all.OrderReferences).toEqual([
      { OriginatingON: "OR 2026A/1", OrderDate: "2026-11-01" },
      { OriginatingON: "GT 2026A/1", OrderDate: "2026-11-10" },
      { OriginatingON: "GR 2026A/1", OrderDate: "2026-11-05" },
    ]);
    expect(guide.OrderReferences).toMatchObject([{ OriginatingON: "GT 2026A/1" }]);
    expect([all, guide, quotation].map(({ TaxPointDate }) => TaxPointDate)).toEqual([
      "2026-11-05",
      "2026-11-10",
      TODAY,
    ]);
    const correction = line(documents.get("NC 2026A/1"));
    expect(correction.TaxPointDate).toBe(TODAY);
    expect(correction.References).toEqual([{ Reference: "FT 2026A/1", Reason: "Preço errado" }]);
    expect(correction).not.toHaveProperty("OrderReferences");
  });

  test("make documents billed from the invoice on, by its issuer; a cancelled invoice bills nothing", async () => {
    const home = await open();
    const caller = await home.lacre.authenticate(home.api_key);
    const customer_id = (await aCustomer(home)).id;
    const billed = await anInvoice(home, { doc_type: "GT", customer_id });
    const released = await anInvoice(home, { doc_type: "OR", customer_id });
    home.wait(60_000);
    const { id } = await anInvoice(home, { customer_id, references: [{ document_id: released.id }] });
    await home.company.documents.cancel({ id });
    await home.lacre.run(caller, COMPANY_OPERATIONS.documents.create, {
      ...{ doc_type: "FT", series_id: home.series.FT, issue_date: TODAY, customer_id, lines: [aLine()], issue: true },
      references: [{ document_id: billed.id }],
    });
    const { documents } = await anExport(home);
    expect(documents.get("GT 2026A/1").DocumentStatus).toEqual({
      MovementStatus: "F",
      MovementStatusDate: "2026-11-21T10:32:07",
      SourceID: "K1",
      SourceBilling: "P",
    });
    expect(documents.get("OR 2026A/1").DocumentStatus).toMatchObject({ WorkStatus: "N", SourceID: "H1" });
  });

  test("give a warning when a correction has none", async () => {
    const home = await open();
    await anInvoice(home, { doc_type: "NC" });
    const { report, documents } = await anExport(home);
    expect(warningsOf(report)).toMatchObject([{ code: "correction_without_reference", examples: ["NC 2026A/1"] }]);
    expect(line(documents.get("NC 2026A/1"))).not.toHaveProperty("References");
  });
});

test("a cancelled document keeps its lines, is in no total, and names who cancelled it besides who issued it", async () => {
  const home = await open();
  const caller = await home.lacre.authenticate(home.api_key);
  await anInvoice(home);
  const { id } = await anInvoice(home);
  home.travel("2026-11-22T00:05:00Z");
  await home.lacre.run(caller, COMPANY_OPERATIONS.documents.cancel, { id, reason: "Cliente errado <&>" });
  const { documents, tables, report } = await anExport(home);
  expect(documents.get("FT 2026A/2")).toMatchObject({
    DocumentStatus: {
      InvoiceStatus: "A",
      InvoiceStatusDate: "2026-11-22T00:05:00",
      Reason: "Cliente errado <&>",
      SourceID: "K1",
    },
    SourceID: "H1",
    Line: [{ CreditAmount: "100" }],
    DocumentTotals: { GrossTotal: "123.00" },
  });
  expect(tables.SalesInvoices).toMatchObject({ NumberOfEntries: "2", TotalCredit: "100" });
  expect(report.sales_invoices).toMatchObject({ documents: 2, cancelled: 1, lines: 2 });
});

describe("the report", () => {
  test("has the documents and amounts of each type, and the VAT of each region and rate less credit notes", async () => {
    const home = await open();
    const lines = [aLine({ qty: 3 }), aLine({ tax_rate: 6, unit_price_net: 0.555 })];
    const invoice = await anInvoice(home, { lines });
    await home.company.documents.cancel({ id: (await anInvoice(home, { lines })).id });
    await aCreditNote(home, invoice, { lines: [aLine()] });
    await home.lacre.companies.change({ id: home.company_id, tax_region: "PT-AC" });
    await anInvoice(home, { doc_type: "FS", lines: [aLine({ tax_rate: 16 })] });
    await anInvoice(home, { doc_type: "GT", lines });
    const { report } = await anExport(home);
    const counts = (documents: number, cancelled: number, lines: number) => ({ documents, cancelled, lines });
    expect(report.types).toEqual([
      { type: "FT", ...counts(2, 1, 4), net: "300.56", tax: "69.03", gross: "369.59" },
      { type: "FS", ...counts(1, 0, 1), net: "100.00", tax: "16.00", gross: "116.00" },
      { type: "NC", ...counts(1, 0, 1), net: "100.00", tax: "23.00", gross: "123.00" },
      { type: "GT", ...counts(1, 0, 2), net: "300.56", tax: "69.03", gross: "369.59" },
    ]);
    expect(report.vat).toEqual([
      { region: "PT", code: "NOR", rate: "23", base: "200.00", tax: "46.00" },
      { region: "PT", code: "RED", rate: "6", base: "0.56", tax: "0.03" },
      { region: "PT-AC", code: "NOR", rate: "16", base: "100.00", tax: "16.00" },
    ]);
    expect(report.vat_received).toEqual([]);
  });

  test("says that the program is not certified, and which series have no validation code", async () => {
    const home = await open();
    await anInvoice(home);
    await anInvoice(home);
    await home.company.series.change({ id: home.series.FS, validation_code: "CSDF7T5H" });
    await anInvoice(home, { doc_type: "FS" });
    expect((await anExport(home)).report.warnings).toMatchObject([
      { code: "not_certified", count: 3 },
      { code: "without_atcud", count: 2, examples: ["FT 2026A"], more: 0 },
    ]);
  });
});

describe("the tax point date", () => {
  test("is the line's date of supply, else its document's, else its guide's, else that of issue", async () => {
    const home = await open();
    const customer_id = (await aCustomer(home)).id;
    const guide = await anInvoice(home, { doc_type: "GT", customer_id, issue_date: "2026-11-05" });
    const references = [{ document_id: guide.id }];
    const lines = [aLine(), aLine({ supply_date: "2026-11-03" })];
    await anInvoice(home, { customer_id, references, lines, supply_date: "2026-11-04" });
    await anInvoice(home, { customer_id, references, lines });
    await anInvoice(home, { customer_id, lines });
    const { documents } = await anExport(home);
    const dates = [1, 2, 3].map((n) =>
      documents.get(`FT 2026A/${n}`).Line.map(({ TaxPointDate }: Element) => TaxPointDate),
    );
    expect(dates).toEqual([
      ["2026-11-04", "2026-11-03"],
      ["2026-11-05", "2026-11-03"],
      [TODAY, "2026-11-03"],
    ]);
  });

  test("is refused on documents that have none", async () => {
    const home = await open();
    for (const doc_type of ["GT", "GR", "NDV", "RC"] as const) {
      const dated = anInvoice(home, { doc_type, lines: [aLine({ supply_date: TODAY })], supply_date: TODAY });
      const sentence = `has no date of supply; lines[0].supply_date: a document of type ${doc_type}`;
      await expectRefusal(dated, "invalid_request", sentence);
    }
  });
});

describe("receipts", () => {
  test("state the means of payment they were given, and the rest without one; an RC without any states none", async () => {
    const home = await open();
    const invoice = await anInvoice(home);
    const { id: document_id, customer_id } = invoice;
    const receipt = (amount: number, payments: NewDocument["payments"] = []) =>
      anInvoice(home, {
        doc_type: "RC",
        customer_id,
        references: [{ document_id }],
        lines: [aLineOf(amount)],
        payments,
      });
    const paid: NewDocument["payments"] = [{ amount: 30, method_code: "TB", payment_date: "2026-11-20" }];
    await receipt(50, paid);
    await receipt(20);
    const excessive = receipt(29, paid);
    await expectRefusal(excessive, "payment_exceeds_balance", "30");
    const { documents } = await anExport(home);
    expect(documents.get("RG 2026A/1").PaymentMethod).toEqual([
      { PaymentMechanism: "TB", PaymentAmount: "30.00", PaymentDate: "2026-11-20" },
      { PaymentAmount: "20.00", PaymentDate: TODAY },
    ]);
    expect(documents.get("RG 2026A/2")).not.toHaveProperty("PaymentMethod");
    expect((await home.company.payments.list()).data).toEqual([]);
    expect(await home.company.documents.get({ id: invoice.id })).toMatchObject({ outstanding: 123, payments: [] });
    expect(documents.get("FT 2026A/1").DocumentStatus.InvoiceStatus).toBe("N");
  });

  test("have a line with the amount for each document, credit notes on the debit side", async () => {
    const home = await open();
    const customer_id = (await aCustomer(home)).id;
    const invoice = await anInvoice(home, { customer_id });
    const credit = await aCreditNote(home, invoice, { lines: [aLine({ unit_price_net: 10 })] });
    await anInvoice(home, {
      doc_type: "RC",
      customer_id,
      lines: [aLineOf(87.7)],
      references: [
        { document_id: invoice.id, amount: 100 },
        { document_id: credit.id, amount: 12.3 },
      ],
    });
    const { documents, tables } = await anExport(home);
    expect(documents.get("RG 2026A/1").Line).toEqual([
      {
        LineNumber: "1",
        SourceDocumentID: [{ OriginatingON: "FT 2026A/1", InvoiceDate: TODAY }],
        CreditAmount: "100",
      },
      {
        LineNumber: "2",
        SourceDocumentID: [{ OriginatingON: "NC 2026A/1", InvoiceDate: TODAY }],
        DebitAmount: "12.3",
      },
    ]);
    expect(documents.get("RG 2026A/1").DocumentTotals).toMatchObject({ GrossTotal: "87.70" });
    expect(tables.Payments).toMatchObject({ TotalCredit: "100", TotalDebit: "12.3" });
    expect(documents.get("RG 2026A/1")).not.toHaveProperty("Hash");
  });

  test("without references use the document named in their text, else give a warning", async () => {
    const home = await open();
    const [own, other] = [(await aCustomer(home)).id, (await aCustomer(home)).id];
    await anInvoice(home, { customer_id: own, issue_date: "2026-11-01" });
    await anInvoice(home, { customer_id: other, issue_date: "2026-11-02" });
    for (const description of ["Recibo da FT 2026A/1.", "FT 2026A/2", "FT 2026A/17, 99/1", "ref. xFT 2026A/1"]) {
      await anInvoice(home, { doc_type: "RC", customer_id: own, lines: [{ ...aLineOf(5), description }] });
    }
    const { documents, report } = await anExport(home);
    const origins = [1, 2, 3, 4].map((n) => line(documents.get(`RG 2026A/${n}`)).SourceDocumentID);
    const none = [{ OriginatingON: "Desconhecido", InvoiceDate: TODAY }];
    expect(origins).toEqual([[{ OriginatingON: "FT 2026A/1", InvoiceDate: "2026-11-01" }], none, none, none]);
    expect(warningsOf(report)).toMatchObject([
      { code: "dated_before_series", examples: ["FT 2026A/1", "FT 2026A/2"] },
      { code: "backdated", examples: ["FT 2026A/1", "FT 2026A/2"] },
      { code: "receipt_without_origin", count: 3 },
    ]);
  });

  test("of the cash-VAT scheme have tax on each line; its invoices have the scheme's indicator", async () => {
    const home = await open();
    const { id } = await home.lacre.companies.create({ name: "Caixa, Lda.", tax_id: "501964843", cash_vat: true });
    const cash = await homeOf(home.lacre, id);
    const seriesOf = async (doc_type: "FT" | "RC") =>
      (await cash.company.series.create({ doc_type, code: "2026C", cash_vat: true })).id;
    const customer_id = (await aCustomer(cash, { tax_id: "500000000" })).id;
    const lines = [aLine({ unit_price_net: 100 }), aLineOf(2)];
    const invoice = await anInvoice(cash, { customer_id, lines, series_id: await seriesOf("FT") });
    await anInvoice(cash, { customer_id });
    const references = [{ document_id: invoice.id, amount: 62.5 }];
    await anInvoice(cash, { doc_type: "RC", customer_id, lines: [], references, series_id: await seriesOf("RC") });
    const { documents } = await anExport(cash);
    expect(documents.get("FT 2026C/1").SpecialRegimes.CashVATSchemeIndicator).toBe("1");
    expect(documents.get("FT 2026A/1").SpecialRegimes.CashVATSchemeIndicator).toBe("0");
    expect(documents.get("RC 2026C/1")).toMatchObject({
      PaymentType: "RC",
      Line: [
        { CreditAmount: "50", Tax: { TaxCode: "NOR" }, SourceDocumentID: [{ OriginatingON: "FT 2026C/1" }] },
        { CreditAmount: "1", TaxExemptionCode: "M99" },
      ],
    });
  });
});

test("an FR lists its payments and the rest without a mechanism; an FT only its payments", async () => {
  const home = await open();
  const payments = [{ amount: 23, method_code: "NU" as const, payment_date: "2026-11-20" }];
  await anInvoice(home, { doc_type: "FR", payments });
  await anInvoice(home, { doc_type: "FT", payments });
  await anInvoice(home, { doc_type: "FR", lines: [aLine({ unit_price_net: 0 })] });
  const { documents } = await anExport(home);
  const cash = { PaymentMechanism: "NU", PaymentAmount: "23.00", PaymentDate: "2026-11-20" };
  expect(documents.get("FR 2026A/1").DocumentTotals.Payment).toEqual([
    cash,
    { PaymentAmount: "100.00", PaymentDate: TODAY },
  ]);
  expect(documents.get("FT 2026A/1").DocumentTotals.Payment).toEqual([cash]);
  expect(documents.get("FR 2026A/2").DocumentTotals).not.toHaveProperty("Payment");
});

test("a sale on credit has its due date as payment terms; a sale due at once has none", async () => {
  const home = await open();
  const payments = [{ amount: 23, method_code: "NU" as const, payment_date: TODAY }];
  await anInvoice(home, { due_date: "2026-12-21", payments });
  await anInvoice(home, { due_date: TODAY });
  const { documents } = await anExport(home);
  expect(documents.get("FT 2026A/1").DocumentTotals.Settlement).toEqual({ PaymentTerms: "2026-12-21" });
  expect(documents.get("FT 2026A/2").DocumentTotals).not.toHaveProperty("Settlement");
});

test("an invoice with transport says where, when and by what; another says nothing of it", async () => {
  const home = await open();
  const { id: customer_id } = await aCustomer(home, { address: "Rua B", city: "Lisboa" });
  const transport = { start_at: "2026-11-21T15:00:00Z", vehicle: "23-BA-34" };
  for (const doc_type of ["FT", "FR"] as const) await anInvoice(home, { doc_type, customer_id, transport });
  await anInvoice(home, { customer_id });
  const { documents } = await anExport(home);
  const shipped = {
    ShipTo: { Address: { AddressDetail: "Rua B", City: "Lisboa" } },
    ShipFrom: { DeliveryID: "23-BA-34" },
    MovementStartTime: "2026-11-21T15:00:00",
  };
  for (const number of ["FT 2026A/1", "FR 2026A/1"]) expect(documents.get(number)).toMatchObject(shipped);
  for (const name of Object.keys(shipped)) expect(documents.get("FT 2026A/2")).not.toHaveProperty(name);
});

test("a guide has origin, destination, and times in Lisbon time", async () => {
  const home = await open();
  home.travel("2026-07-01T22:30:00Z");
  await anInvoice(home, {
    doc_type: "GT",
    issue_date: "2026-07-01",
    transport: {
      start_at: "2026-07-01T23:30:00Z",
      end_at: "2026-07-02T01:00:00Z",
      to: { address: "Cais 1\nPorta B", city: "Ponta Delgada", country: "Terra Nova" },
      vehicle: "23-BA-34",
    },
  });
  const { documents, report } = await anExport(home);
  expect(documents.get("GT 2026A/1")).toMatchObject({
    ShipTo: { Address: { AddressDetail: "Cais 1 Porta B", City: "Ponta Delgada", Country: "Desconhecido" } },
    ShipFrom: { DeliveryID: "23-BA-34", Address: { AddressDetail: "Desconhecido", Country: "PT" } },
    MovementEndTime: "2026-07-02T02:00:00",
    MovementStartTime: "2026-07-02T00:30:00",
  });
  expect(warningsOf(report)).toMatchObject([
    { code: "dated_before_series", examples: ["GT 2026A/1"] },
    { code: "country_unknown", examples: ["GT 2026A/1"] },
  ]);
});

test("a document gets no warning from the day its series was registered, or opened if it has no code", async () => {
  const home = await anInstance(driver, { at: "2026-11-19T12:00:00Z" });
  const { company } = home;
  const registered = await company.series.create({ doc_type: "FT", code: "R" });
  home.travel("2026-11-21T00:30:00Z");
  await company.series.change({ id: registered.id, validation_code: "CSDF7T5H" });
  const dated = (series_id: string, issue_date: string) => anInvoice(home, { series_id, issue_date });
  for (const day of ["2026-11-20", "2026-11-21"]) await dated(registered.id, day);
  for (const day of ["2026-11-18", "2026-11-19"]) await dated(home.series.FT, day);
  const { report } = await anExport(home);
  expect(warningsOf(report)).toMatchObject([
    { code: "dated_before_series", examples: ["FT 2026A/1", "FT R/1"] },
    { code: "backdated", count: 3 },
  ]);
});

describe("master files", () => {
  test("have an entry for each name of a customer; without a tax number it is the final consumer's", async () => {
    const home = await open();
    const { id: customer_id } = await aCustomer(home, { address: "Velha" });
    await anInvoice(home, { customer_id });
    home.wait(1_000);
    await home.company.customers.change({ id: customer_id, address: "Nova" });
    await anInvoice(home, { customer_id });
    home.wait(1_000);
    await home.company.customers.change({ id: customer_id, name: "Ana Silva", tax_id: "123456789" });
    await anInvoice(home, { customer_id });
    const { customers, documents, report } = await anExport(home);
    expect(customers).toMatchObject([
      {
        CustomerID: "C1",
        CustomerTaxID: "999999990",
        CompanyName: "Ana Conceição",
        BillingAddress: { AddressDetail: "Nova" },
      },
      { CustomerID: "C1-2", CustomerTaxID: "123456789", CompanyName: "Ana Silva" },
    ]);
    const ids = [1, 2, 3].map((n) => documents.get(`FT 2026A/${n}`).CustomerID);
    expect(ids).toEqual(["C1", "C1", "C1-2"]);
    expect(report.customers).toBe(2);
  });

  test("keep customer codes of another form, and number each further name", async () => {
    const home = await anInstance(driver);
    for (let i = 0; i < 4; i++) await anInvoice(home);
    await home.past("drop trigger documents_are_frozen_once_issued");
    for (const [sequence, code, name] of [
      [1, "ACME", "Ana"],
      [2, "ACME", "Eva"],
      [3, "C007", "Ana"],
      [4, "ACME", "Ana"],
    ]) {
      const [kept] = await home.past<{ customer: string }>(
        `select customer from documents where sequence = ${sequence}`,
      );
      const customer = JSON.stringify({ ...JSON.parse(kept?.customer ?? ""), code, name });
      await home.past(`update documents set customer = '${customer}' where sequence = ${sequence}`);
    }
    await home.lacre.check();
    await home.company.series.answer({ why: "Codes of another program" });
    const { customers, documents } = await anExport(home);
    expect(customers.map(({ CustomerID, CompanyName }) => [CustomerID, CompanyName])).toEqual([
      ["ACME", "Ana"],
      ["ACME-2", "Eva"],
      ["C007", "Ana"],
    ]);
    const ids = [1, 2, 3, 4].map((n) => documents.get(`FT 2026A/${n}`).CustomerID);
    expect(ids).toEqual(["ACME", "ACME-2", "C007", "ACME"]);
  });

  test("have products under their latest name, services as such, and lines without product by their text", async () => {
    const home = await open();
    const { id: product_id } = await aProduct(home, { name: "P", sku: "PAO", type: "S" });
    await anInvoice(home, { lines: [aLine({ product_id }), aLine({ description: "Avulso" })] });
    home.wait(1_000);
    await home.company.products.change({ id: product_id, name: "Pão" });
    await anInvoice(home, { doc_type: "FS", lines: [aLine({ product_id }), aLine({ description: "Avulso" })] });
    const { products, documents } = await anExport(home);
    // printf Avulso | sha256sum
    const ProductCode = "L-e9868e0faa985d46";
    expect(products).toEqual([
      { ProductType: "S", ProductCode: "PAO", ProductDescription: "Pão", ProductNumberCode: "PAO" },
      { ProductType: "P", ProductCode, ProductDescription: "Avulso", ProductNumberCode: ProductCode },
    ]);
    expect(line(documents.get("FT 2026A/1"), 0)).toMatchObject({ ProductCode: "PAO", ProductDescription: "P." });
    expect(line(documents.get("FT 2026A/1"), 1)).toMatchObject({ ProductCode });
  });

  test("have lines without product as goods, sold by time as services, or as the line says; guides move goods", async () => {
    const home = await open();
    const kinds = (doc_type: DocType, prefix: string) =>
      anInvoice(home, {
        doc_type,
        lines: [
          aLine({ description: `${prefix} 1` }),
          aLine({ description: `${prefix} 2`, unit: "Horas" }),
          aLine({ description: `${prefix} 3`, type: "S" }),
        ],
      });
    const invoice = await kinds("FT", "FT");
    expect(invoice.lines.map(({ type }) => type)).toEqual(["P", "S", "S"]);
    await kinds("GT", "GT");
    await anInvoice(home, { lines: [aLine({ description: "FT 3", type: "P" })] });
    const { products } = await anExport(home);
    const types = products.map(({ ProductDescription, ProductType }) => `${ProductDescription} ${ProductType}`);
    expect(types.toSorted()).toEqual(["FT 1 P", "FT 2 S", "FT 3 P", "FT 3 S", "GT 1 P", "GT 2 P", "GT 3 S"]);
  });

  test("refuse to call a product by another type than its own", async () => {
    const home = await open();
    const { id: product_id } = await aProduct(home, { type: "S" });
    await anInvoice(home, { lines: [aLine({ product_id, type: "S" })] });
    const goods = anInvoice(home, { lines: [aLine({ product_id, type: "P" })] });
    await expectRefusal(goods, "invalid_request", "lines[0].type: must be S, the product's type");
  });

  test("have a customer's telephone and e-mail, and a foreign tax number without its country's prefix", async () => {
    const home = await open();
    const customer = { name: "Bodega, S.L.", tax_id: "ESB12345678", country: "ES", email: "b@bodega.es" };
    const { id: customer_id } = await aCustomer(home, { ...customer, phone: "+34 910 000 000" });
    const { qr_code } = await anInvoice(home, { customer_id });
    const { customers } = await anExport(home);
    expect(customers).toMatchObject([
      { CustomerTaxID: "B12345678", Telephone: "+34 910 000 000", Email: "b@bodega.es" },
    ]);
    expect(qr_code).toContain("*B:B12345678*C:ES*");
  });

  test("fill up names of one character to two, escaped ones too", async () => {
    const home = await open();
    await anInvoice(home, { lines: ["&", "<", "x", "😀"].map((description) => aLine({ description })) });
    const { products } = await anExport(home);
    expect(products.map(({ ProductDescription }) => ProductDescription)).toEqual(["&.", "<.", "x.", "?."]);
  });

  test("keep products distinct whose codes would become equal when cut or transliterated", async () => {
    const home = await open();
    const skus = ["Ж", "Zh", `${"x".repeat(60)}1`, `${"x".repeat(60)}2`];
    const lines = [];
    for (const sku of skus) lines.push(aLine({ product_id: (await aProduct(home, { sku })).id }));
    await anInvoice(home, { lines });
    const codes = (await anExport(home)).products.map(({ ProductCode }) => ProductCode);
    expect(new Set(codes).size).toBe(4);
    expect(codes[1]).toBe("Zh");
    expect(Math.max(...codes.map((code) => code.length))).toBeLessThanOrEqual(60);
  });
});

describe("text", () => {
  test("has a document's notes if the schema has a field for them: on guides, returns and receipts", async () => {
    const home = await open();
    const notes = "Entregar ao porteiro";
    for (const doc_type of ["FT", "OR", "GT", "NDV", "RC"] as const) await anInvoice(home, { doc_type, notes });
    const { documents, text } = await anExport(home);
    expect(documents.get("GT 2026A/1").MovementComments).toBe(notes);
    expect(documents.get("GD 2026A/1").MovementComments).toBe(notes);
    expect(documents.get("RG 2026A/1").Description).toBe(notes);
    expect(text.split(notes)).toHaveLength(4);
  });

  const nameOf = async (name: string, fields: object = {}) => {
    const home = await open();
    await anInvoice(home, { customer_id: (await aCustomer(home, { name, ...fields })).id });
    const { customers, report } = await anExport(home);
    return { name: customers[0]?.CompanyName, warnings: warningsOf(report).map(({ code, count }) => [code, count]) };
  };

  test.each([
    ["Łukasz Żółć", "Lukasz Zólc"],
    ["Όμηρος Θεσσαλονίκη", "Omiros Thessaloniki"],
    ["Щербак Київ Їжак", "Shcherbak Kiiv Izhak"],
    ["ﬁ ½ № Ⅷ ő ș ẞ ǅ", "fi ½ No VIII o s SS Dz"],
    ["日本 😀👨‍👩‍👧 a", "?? ???? a"],
    ["x̂ y⃝", "x y"],
  ])("%s is written as %s, with a warning", async (given, written) => {
    expect(await nameOf(given)).toEqual({ name: written, warnings: [["text_replaced", 1]] });
  });

  test.each([
    "Ça é o “Zé” – 100 € … ‰ Š Œ ž Ÿ ™ • ÿ",
    "</CompanyName><Evil a='1' b=\"2\">&amp;&#0;]]><!-- <?x?>",
    "%s $& $1 \\n",
  ])("%s is read back unchanged", async (name) => expect(await nameOf(name)).toEqual({ name, warnings: [] }));

  test("is cut to the length of the schema between characters, and never ends in a space", async () => {
    expect((await nameOf(`${"é".repeat(99)}😀😀`)).name).toBe(`${"é".repeat(99)}?`);
    expect((await nameOf(`${"a".repeat(99)} b`)).name).toBe("a".repeat(99));
    expect((await nameOf(`${"&".repeat(101)}`)).name).toBe("&".repeat(100));
    expect((await nameOf(`${"a".repeat(99)}Щ`)).name).toBe(`${"a".repeat(99)}S`);
  });

  test("that becomes empty is written as unknown", async () => {
    expect((await nameOf("ь")).name).toBe("Desconhecido");
  });

  test("of the greatest length in every field is valid", async () => {
    const home = await open();
    const long = "😀<ß".repeat(40).slice(0, 100);
    const customer = await aCustomer(home, {
      ...{ name: "ж".repeat(200), tax_id: "Ω".repeat(30), country: "Ω".repeat(100) },
      ...{ address: `${"\n\tЩ".repeat(33)}x`, postal_code: "щ".repeat(100), city: "щ".repeat(100) },
    });
    const product = await aProduct(home, { name: "щ".repeat(200), sku: "щ".repeat(100), unit: long });
    await anInvoice(home, {
      customer_id: customer.id,
      lines: [
        aLine({ description: `${"щ\n".repeat(49)}${"щ".repeat(400)}`, product_id: product.id, unit: "щ".repeat(100) }),
      ],
    });
    expect(warningsOf((await anExport(home)).report).map(({ code }) => code)).toEqual([
      "country_unknown",
      "text_replaced",
    ]);
  });

  test("of a country is its code in upper or lower case; free text is unknown, with a warning", async () => {
    const home = await open();
    for (const country of [null, "pt", "FR", "Marte"]) {
      await anInvoice(home, { customer_id: (await aCustomer(home, { country })).id });
    }
    const { customers, report } = await anExport(home);
    expect(customers.map(({ BillingAddress }) => BillingAddress.Country)).toEqual(["PT", "PT", "FR", "Desconhecido"]);
    expect(warningsOf(report)).toMatchObject([{ code: "country_unknown", count: 1, examples: ["C4"] }]);
  });
});

test("warnings keep at most ten examples", async () => {
  const home = await open();
  const customer_id = (await aCustomer(home)).id;
  for (let i = 0; i < 12; i++) await anInvoice(home, { customer_id, lines: [aLineOf(1), aLineOf(2)] });
  const { report } = await anExport(home);
  expect(warningsOf(report)).toMatchObject([{ count: 12, examples: { length: 10 }, more: 2 }]);
});

test("training documents are left out, and have a file of their own on request", async () => {
  const home = await open();
  const { id } = await home.company.series.create({ doc_type: "FT", code: "ESCOLA", training: true });
  const customer_id = (await aCustomer(home)).id;
  await anInvoice(home, { customer_id });
  await anInvoice(home, { customer_id, series_id: id });
  expect([...(await anExport(home)).documents.keys()]).toEqual(["FT 2026A/1"]);
  const { documents, header } = await anExport(home, { training: true });
  expect([...documents.keys()]).toEqual(["FT ESCOLA/1"]);
  expect(header.HeaderComment).toBe("Documentos emitidos para fins de Formação");
});

test("a file has no documents of other companies", async () => {
  const home = await open();
  const { id } = await home.lacre.companies.create({ name: "Outra, S.A.", tax_id: "501964843" });
  await anInvoice(home);
  expect((await anExport({ company: home.lacre.as(id) })).documents.size).toBe(0);
});

describe("signatures", () => {
  async function strict() {
    const home = await anInstance(driver);
    await home.past(
      "update installation set certificate_number = 9999, producer_name = 'Casa', producer_tax_id = '501964843'",
    );
    const address = { address: "Rua do Forno, 12", postal_code: "2640-389", city: "Mafra" };
    await home.lacre.companies.change({ id: home.company_id, ...address });
    const made: Partial<Record<DocType, string>> = {};
    for (const doc_type of Object.keys(home.series) as DocType[]) {
      const validation_code = `CODE${doc_type}XXXX`;
      made[doc_type] = (await home.company.series.create({ doc_type, code: "C", validation_code })).id;
    }
    return { ...home, series: made as Home["series"] };
  }

  /** Verifies the signatures of a series, document by document, from the file alone. */
  function verifies(documents: Element[], number: string, date: string): boolean[] {
    let previous = "";
    return documents.map((element) => {
      const text = [
        element[date],
        element.SystemEntryDate,
        element[number],
        element.DocumentTotals.GrossTotal,
        previous,
      ].join(";");
      previous = element.Hash;
      return createVerify("RSA-SHA1").update(text).verify(createPublicKey(TEST_SIGNING_KEY), element.Hash, "base64");
    });
  }

  test("of a certified installation verify from the file alone", async () => {
    const home = await strict();
    const customer_id = (await aCustomer(home, { city: "Mafra" })).id;
    const documents = await oneOfEach(home, customer_id);
    await anInvoice(home, { customer_id });
    await home.company.documents.cancel({ id: documents.FS.id });
    const { tables } = await anExport(home);
    const { SalesInvoices, MovementOfGoods, WorkingDocuments } = tables;
    const invoices = SalesInvoices.Invoice.filter(({ InvoiceType }: Element) => InvoiceType === "FT");
    expect(verifies(invoices, "InvoiceNo", "InvoiceDate")).toEqual([true, true]);
    expect(verifies(WorkingDocuments.WorkDocument, "DocumentNumber", "WorkDate")).toEqual([true]);
    for (const element of SalesInvoices.Invoice.filter(({ InvoiceType }: Element) => InvoiceType !== "FT")) {
      expect(verifies([element], "InvoiceNo", "InvoiceDate")).toEqual([true]);
    }
    for (const element of MovementOfGoods.StockMovement) {
      expect(verifies([element], "DocumentNumber", "MovementDate")).toEqual([true]);
    }
    expect(invoices[0]).toMatchObject({ HashControl: "1", ATCUD: "CODEFTXXXX-1" });
    invoices[0].DocumentTotals.GrossTotal = "123.01";
    expect(verifies(invoices, "InvoiceNo", "InvoiceDate")).toEqual([false, true]);
  });

  test("from before an installation was certified are left out", async () => {
    const home = await anInstance(driver);
    await anInvoice(home);
    await home.past("update installation set certificate_number = 9999");
    const { documents, header } = await anExport(home);
    expect(documents.get("FT 2026A/1")).toMatchObject({ Hash: "0", HashControl: "0", ATCUD: "0" });
    expect(header.SoftwareCertificateNumber).toBe("9999");
  });
});

describe("a long export", () => {
  /** Enough documents for several batches in each pass and several pieces of the file. */
  async function busy(): Promise<Instance & { readonly customer_id: string; readonly issued: Document[] }> {
    const home = await anInstanceOnFile(driver);
    const customer_id = (await aCustomer(home)).id;
    const issued = [];
    for (let i = 0; i < 100; i++) issued.push(await anInvoice(home, { customer_id }));
    return { ...home, customer_id, issued };
  }

  test("agrees with itself whatever is issued and cancelled while it is written", async () => {
    const home = await busy();
    const quotation = await anInvoice(home, { doc_type: "OR", customer_id: home.customer_id });
    const { report, file } = await home.company.saft.export();
    const pieces = [];
    for await (const piece of file) {
      pieces.push(piece);
      const victim = home.issued[100 - pieces.length];
      if (victim) await home.company.documents.cancel({ id: victim.id });
      await anInvoice(home, { customer_id: home.customer_id, references: [{ document_id: quotation.id }] });
      await anInvoice(home);
    }
    expect(pieces.length).toBeGreaterThan(3);
    mustBeValid(Buffer.concat(pieces));
    expect(report.sales_invoices).toMatchObject({ documents: 100, cancelled: 0, total_credit: "10000" });
    const text = Buffer.concat(pieces).toString("latin1");
    expect(text.match(/<InvoiceStatus>N</g)).toHaveLength(100);
    expect(text).toContain("<WorkStatus>N<");
    expect(text).toContain("<TotalCredit>10000</TotalCredit>");
    // The next file has what happened meanwhile.
    expect((await anExport(home)).report.sales_invoices.cancelled).toBe(pieces.length);
  });

  test("contains each document cancelled during the first pass as cancelled or as valid, everywhere the same", async () => {
    const home = await busy();
    const exporting = home.company.saft.export();
    let isDone = false;
    void exporting.then(() => {
      isDone = true;
    });
    let meanwhile = 0;
    for (let i = 0; !isDone && i < 100; i++) {
      await home.company.documents.cancel({ id: (home.issued[i] as Document).id });
      await anInvoice(home, { customer_id: home.customer_id });
      await setImmediate();
      meanwhile++;
    }
    const { report, file } = await exporting;
    const bytes = await bytesOf(file);
    mustBeValid(bytes);
    const cancelled = bytes.toString("latin1").match(/<InvoiceStatus>A</g) ?? [];
    expect(meanwhile).toBeGreaterThan(0);
    expect(cancelled).toHaveLength(report.sales_invoices.cancelled);
    expect(report.sales_invoices.documents).toBe(100);
    expect(report.sales_invoices.total_credit).toBe(String((100 - cancelled.length) * 100));
  });

  test("has the same bytes when it is read again", async () => {
    const home = await busy();
    const { file } = await home.company.saft.export();
    const [first, second] = [await bytesOf(file), await bytesOf(file)];
    expect(first.equals(second)).toBe(true);
  });

  test("may be abandoned in the middle", async () => {
    const home = await busy();
    const { file } = await home.company.saft.export();
    for await (const piece of file) {
      expect(piece.length).toBeGreaterThan(0);
      break;
    }
    await anInvoice(home);
    expect((await anExport(home)).report.sales_invoices.documents).toBe(101);
  });
});

test("a document of a thousand lines with a hundred references each is written in pieces", async () => {
  const home = await open();
  const customer_id = (await aCustomer(home)).id;
  const references = [];
  for (let i = 0; i < 100; i++) {
    references.push({ document_id: (await anInvoice(home, { doc_type: "OR", customer_id })).id });
  }
  await anInvoice(home, {
    customer_id,
    references,
    lines: Array.from({ length: 1_000 }, () => aLine({ unit_price_net: 1 })),
  });
  const { file } = await home.company.saft.export();
  let [largest, size] = [0, 0];
  for await (const piece of file) {
    largest = Math.max(largest, piece.length);
    size += piece.length;
  }
  expect(size).toBeGreaterThan(10_000_000);
  expect(largest).toBeLessThan(100_000);
});

describe("exports at the same time", () => {
  test("are all made except the one whose caller leaves", async () => {
    const home = await open();
    await anInvoice(home);
    const left = new AbortController();
    const started = [0, 1, 2, 3].map(async (i) => {
      const { report } = await home.company.saft.export({}, i === 2 ? { signal: left.signal } : {});
      return report.sales_invoices.documents;
    });
    left.abort(new Error("left"));
    await expect(started[2]).rejects.toThrow("left");
    expect(await Promise.all([started[0], started[1], started[3]])).toEqual([1, 1, 1]);
  });

  test("end in the middle when their caller leaves", async () => {
    const home = await open();
    for (let i = 0; i < 5; i++) await anInvoice(home);
    let asked = 0;
    const leavesLater = Object.assign(new EventTarget(), {
      throwIfAborted() {
        if (++asked > 3) throw new Error("left");
      },
    });
    const call = home.company.saft.export({}, { signal: leavesLater as AbortSignal });
    await expect(call).rejects.toThrow("left");
  });

  test("have at most eight files of a company read at once", async () => {
    const home = await open();
    const readers = [];
    for (let i = 0; i < 8; i++) {
      const { file } = await home.company.saft.export();
      const reader = file[Symbol.asyncIterator]();
      await reader.next();
      readers.push(reader);
    }
    await expectRefusal(home.company.saft.export(), "unavailable", "files of this company");
    await readers[0]?.return?.();
    expect(await home.company.saft.export()).toHaveProperty("file");
  });
});

test("an export needs the permission saft:read", async () => {
  const home = await open();
  const caller = {
    company_id: home.company_id,
    actor: { kind: "host", name: "test" },
    scopes: ["documents:read"],
  } as const;
  await expect(home.lacre.run(caller, COMPANY_OPERATIONS.saft.export, {})).rejects.toThrow("saft:read");
});
