/**
 * The cases of AT's test script for the certification of a program, each in the tax file and on the printed page. One
 * instance, one file, everything read by independent tools.
 */
import { createPublicKey, createVerify } from "node:crypto";
import { checkSaft, type DocType } from "lacre";
import { afterAll, describe, expect, test } from "vitest";
import type { Document } from "../../src/core/documents/document.ts";
import { checkFile, codesOf, pagesOf, textOf } from "../core/print/reading.ts";
import { openApi } from "../support/http.ts";
import { type Element, mustAddUp, mustBeValid, NUMBERS, readBack, statusOf } from "../support/saft.ts";
import { playScript } from "./certification.ts";
import script from "./certification-test-script.json" with { type: "json" };

const api = await openApi();
afterAll(() => api.lacre.close());
const shown = await playScript(api);
const { bytes } = await api.call("GET", "/v1/saft?from=2026-01-01&to=2026-12-31");
const file = readBack(bytes);
const { public_key } = await api.lacre.signer.get();

/** The SourceID of the two people at the till: the codes of their keys; K1 is the instance's own. */
const [ANA, RUI] = ["K2", "K3"];

/** Every document of the scenario, once. */
const documents = [...new Map([...shown.values()].flat().map((one) => [one.id, one])).values()];

/** The first document of a case, or the one of this type. */
function documentOf(name: string, doc_type?: DocType): Document {
  const found = (shown.get(name) ?? []).find((one) => doc_type === undefined || one.doc_type === doc_type);
  if (!found) throw new Error(`Case ${name} shows no ${doc_type ?? "document"}.`);
  return found;
}

/** Its entry in the tax file. */
function filed(name: string, doc_type?: DocType): Element {
  const { number } = documentOf(name, doc_type);
  return file.documents.get(number ?? "");
}

const customerOf = ({ CustomerID }: Element) => file.customers.find((one) => one.CustomerID === CustomerID);
const totals = (net: string, tax: string, gross: string) => ({ NetTotal: net, TaxPayable: tax, GrossTotal: gross });
const numberOf = (name: string, doc_type?: DocType) => documentOf(name, doc_type).number;
const pdfOf = async ({ id }: Document) => (await api.call("GET", `/v1/documents/${id}/pdf`)).bytes;
const originalOf = async ({ id }: Document, copies: number) =>
  (await api.call("POST", `/v1/documents/${id}/prints`, { body: { copies } })).bytes;
/** A date as it is printed. */
const printed = (date: string) => date.split("-").reverse().join("-");

/** Named, but without a NIF: an entry of its own with the final consumer's number. */
function mustBeAPersonWithoutNumber(name: string): void {
  const customer = customerOf(filed(name));
  expect(customer).toMatchObject({
    CustomerTaxID: "999999990",
    CompanyName: documentOf(name).customer?.name,
    BillingAddress: { AddressDetail: "Desconhecido", City: "Desconhecido", PostalCode: "Desconhecido" },
  });
  expect(file.customers.filter(({ CustomerID }) => CustomerID === customer.CustomerID)).toHaveLength(1);
}

/** What must be true of the documents of a case; or why Lacre has none (docs/law.md has it too). */
const CASES: Readonly<Record<string, string | (() => void | Promise<void>)>> = {
  "5.1": () => {
    expect(filed("5.1")).toMatchObject({ InvoiceType: "FS" });
    expect(customerOf(filed("5.1"))).toMatchObject({ CustomerTaxID: "501442600" });
  },
  "5.2": async () => {
    expect(documentOf("5.2")).toMatchObject({ status: "cancelled", cancel_reason: "Cliente errado" });
    expect(filed("5.2")).toMatchObject({ DocumentStatus: { InvoiceStatus: "A", Reason: "Cliente errado" } });
    expect(textOf(await pdfOf(documentOf("5.2")))).toContain("ANULADO");
  },
  "5.3": () => {
    const billed = filed("5.4").SystemEntryDate;
    expect(filed("5.3")).toMatchObject({ WorkType: "OR", DocumentStatus: { WorkStatus: "F", WorkStatusDate: billed } });
  },
  "5.4": () => {
    const { WorkDate } = filed("5.3");
    expect(filed("5.4").Line[0].OrderReferences).toEqual([{ OriginatingON: numberOf("5.3"), OrderDate: WorkDate }]);
  },
  "5.5": () => {
    expect(filed("5.5").Line[0].References).toEqual([{ Reference: numberOf("5.4"), Reason: "Devolução" }]);
    expect(filed("5.5").Line[0]).toMatchObject({ DebitAmount: "4.6", Quantity: "4" });
  },
  "5.6": () => {
    const lines: Element[] = filed("5.6").Line;
    expect(lines.map(({ Tax }) => [Tax.TaxCode, Tax.TaxPercentage])).toEqual([
      ["RED", "6"],
      ["ISE", "0"],
      ["INT", "13"],
      ["NOR", "23"],
    ]);
    expect(lines.map(({ TaxExemptionCode }) => TaxExemptionCode)).toEqual([undefined, "M07", undefined, undefined]);
    expect(lines[1].TaxExemptionReason).toBe("Isento artigo 9.º do CIVA");
  },
  "5.7": () => {
    const [first, second] = filed("5.7").Line;
    // 55.00 less 8.8 % is 50.16; less 5 % of that.
    expect(first).toMatchObject({ Quantity: "100", UnitPrice: "0.47652", SettlementAmount: "7.348" });
    expect(second).toMatchObject({ Quantity: "1", UnitPrice: "11.4", SettlementAmount: "0.6" });
  },
  "5.8": "foreign currency is not supported",
  "5.9": () => {
    mustBeAPersonWithoutNumber("5.9");
    expect(filed("5.9").SystemEntryDate < "2026-11-23T10:00:00").toBe(true);
    expect(filed("5.9").DocumentTotals.GrossTotal).toBe("0.86");
  },
  "5.10": () => {
    mustBeAPersonWithoutNumber("5.10");
    expect(filed("5.10").CustomerID).not.toBe(filed("5.9").CustomerID);
  },
  "5.11": () => {
    expect(filed("5.11", "GT").DocumentTotals).toEqual(totals("34.50", "2.07", "36.57"));
    expect(filed("5.11", "GR").DocumentTotals).toEqual(totals("0.00", "0.00", "0.00"));
    expect(filed("5.11", "GR").Line[0]).not.toHaveProperty("Tax");
    expect(documentOf("5.11", "GR").qr_code).toContain("*I1:0*N:0.00*O:0.00*");
  },
  "5.12": () => expect(filed("5.12")).toMatchObject({ WorkType: "OR", DocumentStatus: { WorkStatus: "N" } }),
  "5.13": () => {
    expect(filed("5.13", "FR").DocumentTotals.Payment).toEqual([
      { PaymentMechanism: "CD", PaymentAmount: "3.66", PaymentDate: "2026-11-23" },
    ]);
    const debited = { Reference: numberOf("5.6"), Reason: "Portes em falta" };
    expect(filed("5.13", "ND").Line[0]).toMatchObject({ CreditAmount: "5", References: [debited] });
    const followed = { OriginatingON: numberOf("5.11", "GT"), OrderDate: "2026-11-23" };
    expect(filed("5.13", "NDV")).toMatchObject({ MovementType: "GD", Line: [{ OrderReferences: [followed] }] });
    const settled = { OriginatingON: numberOf("5.6"), InvoiceDate: "2026-11-23" };
    expect(filed("5.13", "RC")).toMatchObject({ PaymentType: "RG", Line: [{ SourceDocumentID: [settled] }] });
  },
  "6": () => {
    expect(customerOf(filed("6"))).toMatchObject({
      CustomerTaxID: "500829993",
      CompanyName: "Desconhecido",
      BillingAddress: { AddressDetail: "Desconhecido" },
    });
  },
  "7": async () => {
    const { SourceID, DocumentStatus } = filed("7");
    expect([SourceID, DocumentStatus.SourceID]).toEqual([ANA, RUI]);
    expect(DocumentStatus).toMatchObject({ InvoiceStatus: "A", Reason: "Quantidade errada" });
    expect(textOf(await pdfOf(documentOf("7")))).toContain("ANULADO em 23-11-2026 14:03:00 · Quantidade errada");
  },
  "8": () => expect(filed("8")).toMatchObject({ WorkType: "OR", SourceID: ANA }),
  "9": async () => {
    expect(filed("9")).toMatchObject({ MovementType: "GT", MovementStartTime: "2026-11-23T16:30:00" });
    const pages = pagesOf(await originalOf(documentOf("9"), 4));
    expect(pages).toHaveLength(4);
    for (const [i, mark] of ["Original", "Duplicado", "Triplicado", "Quadruplicado"].entries()) {
      expect(pages[i]).toContain(mark);
      for (const place of ["Rua do Forno, 12", "Rua Nova, 3"]) expect(pages[i]).toContain(place);
    }
  },
  "10": () => {
    const invoice = filed("10");
    expect(invoice).toMatchObject({ InvoiceDate: "2026-11-25", SourceID: RUI });
    expect(invoice.Line[0]).toMatchObject({
      OrderReferences: [{ OriginatingON: numberOf("9"), OrderDate: "2026-11-23" }],
      TaxPointDate: "2026-11-23",
    });
    expect(statusOf(filed("9"))).toBe("F");
  },
  "11": () => {
    expect(filed("11").Line[0].References).toEqual([{ Reference: numberOf("10"), Reason: "Lata amolgada" }]);
  },
  "12": () => {
    expect(filed("12")).toMatchObject({
      InvoiceDate: "2026-11-25",
      DocumentTotals: { Settlement: { PaymentTerms: "2026-12-25" } },
    });
  },
  "13": async () => {
    const { SpecialRegimes, Line, DocumentTotals } = filed("13");
    expect(SpecialRegimes.CashVATSchemeIndicator).toBe("1");
    expect(filed("12").SpecialRegimes.CashVATSchemeIndicator).toBe("0");
    const codes = Line.map(({ Tax, TaxExemptionCode }: Element) => TaxExemptionCode ?? Tax.TaxCode);
    expect(codes).toEqual(["RED", "M07", "INT", "NOR", "M13"]);
    expect(file.products.find(({ ProductCode }) => ProductCode === Line[3].ProductCode).ProductType).toBe("S");
    expect(DocumentTotals).toEqual(expectedTotals("13"));
    expect(textOf(await pdfOf(documentOf("13")))).toContain("IVA - regime de caixa");
  },
  "14": () => {
    expect(filed("14").DocumentTotals.Payment).toEqual([
      { PaymentMechanism: "MB", PaymentAmount: "29.52", PaymentDate: "2026-11-25" },
    ]);
  },
  "15": () => {
    const { DocumentTotals, Line } = filed("15");
    expect(DocumentTotals).toEqual(expectedTotals("15"));
    for (const { References } of Line) expect(References[0].Reference).toBe(numberOf("13"));
  },
  "16": () => {
    const expected = caseOf("16").expected as { lines: { saftUnitPrice: string; settlementAmount: string }[] };
    const exported = filed("16").Line.map(({ UnitPrice, SettlementAmount }: Element) => [UnitPrice, SettlementAmount]);
    expect(exported).toEqual(expected.lines.map((line) => [line.saftUnitPrice, line.settlementAmount]));
    expect(exported).toEqual([
      ["0.45144", "9.856"],
      ["3.105", "1.2075"],
    ]);
    expect(filed("16").DocumentTotals).toEqual(expectedTotals("16"));
    expect(filed("16").DocumentTotals).toEqual(totals("56.01", "12.88", "68.89"));
  },
  "17": () => {
    expect(filed("17").DocumentTotals.Payment).toEqual([
      { PaymentMechanism: "NU", PaymentAmount: "50.00", PaymentDate: "2026-11-25" },
      { PaymentMechanism: "MB", PaymentAmount: "38.56", PaymentDate: "2026-11-25" },
    ]);
    expect(documentOf("17").payment_status).toBe("paid");
  },
  "18": "foreign currency is not supported",
  "19": () => {
    mustBeAPersonWithoutNumber("19");
    expect(filed("19").DocumentTotals.GrossTotal).toBe("0.62");
  },
  "20": () => {
    mustBeAPersonWithoutNumber("20");
    // Even of the same name: another person.
    expect(customerOf(filed("20")).CompanyName).toBe(customerOf(filed("19")).CompanyName);
    expect(filed("20").CustomerID).not.toBe(filed("19").CustomerID);
  },
  "21": () => {
    expect(filed("21").Line[0]).toMatchObject({ Quantity: "2000", UnitPrice: "0.001", CreditAmount: "2" });
    expect(filed("21").DocumentTotals).toEqual(expectedTotals("21"));
  },
  "22": () => expect(filed("22").SystemEntryDate).toBe("2026-11-26T09:05:00"),
  "23": async () => {
    const pages = pagesOf(await pdfOf(documentOf("23")));
    expect(pages).toHaveLength(2);
    const carried = pages.map((page) => /(?:A transportar|Transporte) +([\d ]+,\d\d)/.exec(page)?.[1]);
    expect(carried[0]).toBeDefined();
    expect(carried[1]).toBe(carried[0]);
  },
  "24": "a correction of the tax alone (TaxBase) is not supported: Lacre corrects amounts",
  "25": "serial numbers of units (SerialNumber) are not supported",
  "26": "excise (IEC) is not supported, and with it the e-DA",
  "27": "excise (IEC) is not supported",
  "28": "recovery of paper documents is not supported",
  "29": "recovery of documents lost in a restore is not supported",
  "30": "documents integrated from other programs are not supported",
  "31": () => {
    expect(filed("31").Line).toEqual([
      {
        LineNumber: "1",
        SourceDocumentID: [{ OriginatingON: numberOf("10"), InvoiceDate: "2026-11-25" }],
        CreditAmount: "50",
      },
    ]);
    expect(filed("31")).not.toHaveProperty("Hash");
    expect(documentOf("31").qr_code?.endsWith("*Q:0*R:9999")).toBe(true);
  },
  "32": "withholding is not supported; a partial receipt of the cash-VAT scheme is among those of case 33",
  "33": () => {
    const receipt = filed("33", "RC");
    expect(receipt).toMatchObject({ PaymentType: "RC", DocumentTotals: { GrossTotal: "30.00" } });
    for (const line of receipt.Line) {
      expect(line.SourceDocumentID[0].OriginatingON).toBe(numberOf("13"));
      expect(line.Tax).toBeDefined();
    }
    expect(new Set(documents.map(({ doc_type }) => doc_type)).size).toBe(10);
  },
};

const caseOf = (name: string) => {
  const found = script.cases.find((one) => one.case === name);
  if (!found) throw new Error(`The script has no case ${name}.`);
  return found;
};

function expectedTotals(name: string): object {
  const { net, tax, gross } = caseOf(name).expected as { net: string; tax: string; gross: string };
  return totals(net, tax, gross);
}

describe("the certification script", () => {
  test("is covered: each case has its documents, or a reason to have none", () => {
    expect(Object.keys(CASES).sort()).toEqual(script.cases.map((one) => one.case).sort());
    const claimed = Object.keys(CASES).filter((name) => typeof CASES[name] !== "string");
    expect([...shown.keys()].sort()).toEqual(claimed.sort());
  });

  for (const { case: name, what, types } of script.cases) {
    const answer = CASES[name];
    if (typeof answer === "string") test.skip(`${name}: ${what} (${answer})`);
    else {
      test(`${name}: ${what}`, async () => {
        if (!types.includes("*")) expect(types).toContain(filed(name).PaymentType ?? atTypeOf(documentOf(name)));
        await answer?.();
      });
    }
  }
});

const atTypeOf = ({ number }: Document) => number?.slice(0, 2);

describe("the tax file of the same days", () => {
  test("is valid, adds up in an independent reader, and our own check accepts it with its signatures", async () => {
    mustBeValid(bytes);
    mustAddUp(file);
    const report = await checkSaft(
      async function* () {
        yield bytes;
      },
      { public_key: public_key ?? "" },
    );
    const signed = documents.filter(({ doc_type }) => doc_type !== "RC").length;
    expect(report).toMatchObject({ accepted: true, errors: [], warnings: [], signatures_unverifiable: 0 });
    expect(report.signatures_verified).toBe(signed);
    expect(report.documents).toBe(documents.length);
  });

  test("holds every document once, in the table of its type", async () => {
    const listed = await api.call<{ data: Document[]; pagination: object }>("GET", "/v1/documents?limit=200");
    expect(listed.body.pagination).toMatchObject({ total: documents.length });
    const tableOf: Readonly<Record<string, string>> = {
      ...{ FT: "SalesInvoices", FS: "SalesInvoices", FR: "SalesInvoices", NC: "SalesInvoices", ND: "SalesInvoices" },
      ...{ GT: "MovementOfGoods", GR: "MovementOfGoods", NDV: "MovementOfGoods" },
      ...{ OR: "WorkingDocuments", RC: "Payments" },
    };
    const due = listed.body.data.map(({ doc_type, number }) => `${tableOf[doc_type]} ${number}`);
    const held = Object.entries(NUMBERS).flatMap(([table, [element, number]]) =>
      file.tables[table][element].map((one: Element) => `${table} ${one[number]}`),
    );
    expect(held.sort()).toEqual(due.sort());
  });

  test("has the same facts of each document as the API", () => {
    for (const { number, total_net, total_tax, total_gross, atcud, hash, doc_type, status, ...one } of documents) {
      const element = file.documents.get(number ?? "");
      const exported = [total_net, total_tax, total_gross].map((amount) => amount.toFixed(2)) as [
        string,
        string,
        string,
      ];
      expect(element.DocumentTotals, `${number}`).toMatchObject(totals(...exported));
      expect(element).toMatchObject({ ATCUD: atcud, SystemEntryDate: one.system_entry_date });
      expect(element.Hash).toBe(doc_type === "RC" ? undefined : hash);
      expect(statusOf(element) === "A").toBe(status === "cancelled");
    }
  });

  test("is signed, document after document of each series, as the file alone shows", () => {
    const signed = [...file.documents.values()].filter(({ Hash }) => Hash !== undefined);
    expect(verified(signed)).toBe(signed.length);
    expect(signed.length).toBeGreaterThan(30);
  });

  test("control: with any cent, date or order changed, its signatures fail", () => {
    const signed = [...file.documents.values()].filter(({ Hash }) => Hash !== undefined);
    const altered = structuredClone(signed);
    altered[3].DocumentTotals.GrossTotal = "48.77";
    expect(verified(altered)).toBe(signed.length - 1);
    const [first, second, ...rest] = signed as [Element, Element, ...Element[]];
    expect(verified([second, first, ...rest])).toBe(signed.length - 3);
  });
});

/** How many of these documents have a valid signature, each chained to the one before it in its series. */
function verified(signed: readonly Element[]): number {
  const key = createPublicKey(public_key ?? "");
  const heads = new Map<string, string>();
  return signed.filter((element) => {
    const number = element.InvoiceNo ?? element.DocumentNumber;
    const date = element.InvoiceDate ?? element.MovementDate ?? element.WorkDate;
    const [series] = number.split("/");
    const { SystemEntryDate, DocumentTotals, Hash } = element;
    const text = [date, SystemEntryDate, number, DocumentTotals.GrossTotal, heads.get(series) ?? ""].join(";");
    heads.set(series, Hash);
    return createVerify("RSA-SHA1").update(text).verify(key, Hash, "base64");
  }).length;
}

describe("on paper", () => {
  test.each(documents.map((one) => [one.number, one] as const))("%s shows everything it must", async (_, document) => {
    const pdf = await pdfOf(document);
    const pages = pagesOf(pdf);
    const text = pages.join(" ").replace(/\s+/g, " ");
    for (const mention of mentionsOf(document)) expect(text).toContain(mention);
    for (const foreign of foreignTo(document)) expect(text).not.toContain(foreign);
    for (const page of pages) expect(page).toContain(`ATCUD:${document.atcud}`);
    expect(codesOf(pdf, pages.length)).toEqual([document.qr_code]);
    expect(checkFile(pdf)).toContain("No syntax or stream encoding errors found");
  });
});

const NO_INVOICE = "Este documento não serve de fatura";
const euros = (amount: number) => amount.toFixed(2).replace(".", ",");
const isInvoice = ({ doc_type }: Document) => ["FT", "FS", "FR", "NC", "ND"].includes(doc_type);
const showsTime = ({ doc_type }: Document) => ["OR", "GT", "GR", "NDV"].includes(doc_type);
const hasNumber = ({ customer }: Document) => customer?.tax_id != null;

/** The texts the law requires on this document. */
function mentionsOf(document: Document): string[] {
  const { number, customer, issue_date, system_entry_date, hash, status, lines, total_gross } = document;
  const characters = [0, 10, 20, 30].map((at) => hash?.charAt(at)).join("");
  const program = "por programa certificado n.º 9999/AT";
  const isUnpriced = lines.every(({ unit_price_net }) => unit_price_net === 0);
  return [
    ...[number ?? "", printed(issue_date), "2.ª via", "Padaria Central, Lda.", "NIF 500000000", "Rua do Forno, 12"],
    ...[customer?.name ?? "", hasNumber(document) ? `NIF ${customer?.tax_id}` : "NIF Consumidor final"],
    document.doc_type === "RC" ? `Emitido ${program}` : `${characters}-Processado ${program}`,
    ...(isInvoice(document) ? [] : [NO_INVOICE]),
    ...(showsTime(document) ? [`${printed(issue_date)} ${system_entry_date?.slice(11)}`] : []),
    ...(status === "cancelled" ? ["ANULADO", document.cancel_reason ?? ""] : []),
    ...(isUnpriced ? [] : [`(EUR) ${euros(total_gross)}`]),
    ...lines.flatMap(({ description, exemption_code }) => [description, ...(exemption_code ? [exemption_code] : [])]),
  ];
}

/** The texts it must not have. */
function foreignTo(document: Document): string[] {
  return [
    ...(isInvoice(document) ? [NO_INVOICE] : []),
    ...(document.status === "cancelled" ? [] : ["ANULADO"]),
    ...(hasNumber(document) ? ["Consumidor final"] : ["999999990"]),
    ...(document.doc_type === "RC" ? ["Processado por programa"] : ["Emitido por programa"]),
    "Original",
    "Formação)",
  ];
}
