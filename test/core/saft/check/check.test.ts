/** Checking SAF-T files: the tax authority's own is accepted, and each error put into it is found with its place. */
import { generateKeyPairSync } from "node:crypto";
import { checkSaft, type SaftFinding, type SaftRule } from "lacre";
import { describe, expect, test } from "vitest";
import { expectRefusal } from "../../../support/refusals.ts";
import { check, DEMO_KEY, opened, replaced, sample, sampleText } from "../samples.ts";

const DEMO = sampleText("at-demo-2018-full.xml");
const INVOICES = "AuditFile/SourceDocuments/SalesInvoices/Invoice";

describe("the demonstration file", () => {
  test("is accepted with 35 valid signatures, and its own mistake in a control total is a warning", async () => {
    expect(await check(sample("at-demo-2018-full.xml"))).toEqual({
      accepted: true,
      customers: 11,
      products: 12,
      documents: 37,
      signatures_verified: 35,
      signatures_unverifiable: 0,
      errors: [],
      error_count: 0,
      warnings: [
        {
          rule: "control_total",
          line: 5630,
          path: "AuditFile/SourceDocuments/WorkingDocuments/TotalCredit",
          document: null,
          reason: "TotalCredit of WorkingDocuments is 1475.85; its entries add up to 1655.85.",
        },
      ],
      warning_count: 1,
    });
  });

  test("without its ledger is accepted without a warning", async () => {
    const report = await check(sample("at-demo-2018-no-ledger.xml"));
    expect(report).toMatchObject({ accepted: true, signatures_verified: 35, errors: [], warnings: [] });
  });

  test("is accepted without a key by the form of its signatures, and refused under another key", async () => {
    const open = opened(DEMO);
    expect(await checkSaft(open)).toMatchObject({ accepted: true, signatures_verified: 0 });
    const { publicKey } = generateKeyPairSync("rsa", { modulusLength: 1024 });
    const public_key = publicKey.export({ type: "spki", format: "pem" }) as string;
    expect(await checkSaft(open, { public_key })).toMatchObject({ accepted: false, error_count: 35 });
  });

  test("gives the same report in chunks of one byte and in one chunk", async () => {
    const header = `${DEMO.slice(0, DEMO.indexOf("<GeneralLedgerAccounts>"))}</MasterFiles></AuditFile>`;
    const [byBytes, whole] = [await checkSaft(opened(header, 1)), await checkSaft(opened(header, header.length))];
    expect(byBytes).toEqual(whole);
    expect(whole.accepted).toBe(true);
  });
});

describe("a broken copy is refused with reason and place", () => {
  test.each<[string, SaftFinding]>([
    [
      "bad-signature.xml",
      {
        rule: "signature",
        line: 468,
        path: `${INVOICES}/Hash`,
        document: "1T 1/1",
        reason: "The signature of 1T 1/1 is not valid.",
      },
    ],
    [
      "bad-number-gap.xml",
      {
        rule: "sequence",
        line: 542,
        path: `${INVOICES}/InvoiceNo`,
        document: "1T 1/4",
        reason: "1T 1/2 to 1T 1/3 are missing between 1T 1/1 and 1T 1/4.",
      },
    ],
    [
      "bad-repeated-internal-code.xml",
      {
        rule: "internal_code",
        line: 554,
        path: `${INVOICES}/InvoiceType`,
        document: "1T 1/2",
        reason: "The internal code 1T is used for FT and for FR; a code has only one type.",
      },
    ],
    [
      "bad-missing-customer.xml",
      {
        rule: "key",
        line: 1926,
        path: `${INVOICES}/CustomerID`,
        document: "1IECTR EC/5",
        reason: "CustomerID is CB23999, but no Customer has this CustomerID.",
      },
    ],
  ])("%s", async (name, finding) => {
    const { accepted, errors } = await check(sample(name));
    expect([accepted, errors[0]]).toEqual([false, finding]);
  });
});

/** A change to the demonstration file, the rule that finds it, and its sentence. */
const BREAKS: readonly (readonly [string, string | RegExp, string, SaftRule, string])[] = [
  ["an element left out", /<City>Lisboa<\/City>/, "", "structure", "CompanyAddress lacks City before PostalCode."],
  [
    "the last element left out",
    "<ProductNumberCode>3LR12</ProductNumberCode>",
    "",
    "structure",
    "Product lacks ProductNumberCode.",
  ],
  [
    "two elements in the wrong order",
    /(<TaxPayable>.*?<\/TaxPayable>)(\s*)(<NetTotal>.*?<\/NetTotal>)/,
    "$3$2$1",
    "structure",
    "DocumentTotals lacks TaxPayable before NetTotal.",
  ],
  [
    "a repeated element",
    /<FiscalYear>2017<\/FiscalYear>/,
    "$&$&",
    "structure",
    "Header may contain only one FiscalYear.",
  ],
  [
    "an unknown element",
    "<FiscalYear>",
    "<Colour>red</Colour><FiscalYear>",
    "structure",
    "Header may not contain Colour.",
  ],
  ["an element of another namespace", "<City>", '<City xmlns="urn:x">', "structure", "may not contain {urn:x}City."],
  ["an attribute", "<City>", '<City kind="x">', "structure", "City has an attribute; SAF-T elements have none."],
  ["text beside elements", "<Header>", "<Header>x", "structure", "Header contains text; it may contain only elements."],
  [
    "an element in a text",
    "<City>Lisboa",
    "<City><b/>Lisboa",
    "structure",
    "City contains elements; it may contain only text.",
  ],
  ["an empty text", "<City>Lisboa</City>", "<City/>", "structure", "City is empty."],
  ["a text too long", "<City>Lisboa", `<City>${"x".repeat(51)}`, "structure", "City has 51 characters; at most 50"],
  ["an unknown code", "<InvoiceType>ND<", "<InvoiceType>XX<", "structure", 'InvoiceType is "XX", not one of FT, FS,'],
  ["an unknown country", "<Country>PT<", "<Country>XX<", "structure", "not one of the codes of the schema."],
  ["a wrong number", "<InvoiceNo>1N 8/00001", "<InvoiceNo>1N-8/00001", "structure", "not a code, a space, a series,"],
  ["a negative amount", "<UnitPrice>", "<UnitPrice>-", "structure", "amounts are never negative."],
  ["a decimal comma", "<NetTotal>23.39", "<NetTotal>23,39", "structure", 'NetTotal is "23,39", not a decimal number.'],
  [
    "25 digits",
    "<NetTotal>23.39",
    `<NetTotal>23.39${"0".repeat(21)}`,
    "structure",
    "NetTotal has more than 24 digits.",
  ],
  ["no such day", "<InvoiceDate>2017-03-10", "<InvoiceDate>2017-02-30", "structure", "not a date."],
  ["no such time", "T15:58:01<", "T25:58:01<", "structure", "not a date and time."],
  ["a year too early", "<StartDate>2017", "<StartDate>1999", "structure", "the schema begins in the year 2000."],
  ["a period too many", /<Period>\d+</, "<Period>17<", "structure", "Period is 17; at most 16 is allowed."],
  ["a version to come", "1.04_01</Audit", "1.05_01</Audit", "structure", 'AuditFileVersion is "1.05_01", not 1.04_01.'],
  [
    "an unknown product",
    /<ProductCode>[^<]*<\/ProductCode>(?=\s*<ProductDescription>[^<]*<\/ProductDescription>\s*<Quantity>)/,
    "<ProductCode>none</ProductCode>",
    "key",
    "ProductCode is none, but no Product has this ProductCode.",
  ],
  [
    "an unknown account",
    "<GroupingCode>11<",
    "<GroupingCode>99x<",
    "key",
    "GroupingCode is 99x, but no Account has this AccountID.",
  ],
  ["a repeated customer", /<Customer>[\s\S]*?<\/Customer>/, "$&$&", "key", "More than one Customer has the CustomerID"],
  ["a repeated document", "<InvoiceNo>1T 1/2<", "<InvoiceNo>1T 1/1<", "key", "1T 1/1 is repeated."],
  [
    "a taxonomy code where none belongs",
    /<GroupingCategory>GM<(?=[\s\S]{0,200}<TaxonomyCode>)/,
    "<GroupingCategory>GA<",
    "assert",
    "An account has a TaxonomyCode if and only if its GroupingCategory is GM.",
  ],
  ["a first account in a group", "<GroupingCategory>GA<", "<GroupingCategory>GR<", "assert", "unless its Grouping"],
  [
    "an exemption on a taxed line",
    /<TaxPercentage>20(.00)?<\/TaxPercentage>\s*<\/Tax>/,
    "$&<TaxExemptionReason>Artigo 13</TaxExemptionReason><TaxExemptionCode>M04</TaxExemptionCode>",
    "assert",
    "The line has a TaxExemptionReason but a TaxPercentage other than 0.",
  ],
  [
    "a line at 0 % without a reason",
    /<TaxExemptionReason>[^<]*<\/TaxExemptionReason>\s*<TaxExemptionCode>[^<]*<\/TaxExemptionCode>/,
    "",
    "assert",
    "of 0 but no TaxExemptionReason.",
  ],
  [
    "a reason without its code",
    /<TaxExemptionCode>[^<]*<\/TaxExemptionCode>/,
    "",
    "assert",
    "The line has a TaxExemptionReason without TaxExemptionCode.",
  ],
  [
    "a tax base beside a price",
    /<UnitPrice>0(.00)?<\/UnitPrice>(?=\s*<TaxBase>)/,
    "<UnitPrice>1</UnitPrice>",
    "assert",
    "The line has a TaxBase and a UnitPrice other than 0.",
  ],
  [
    "a number below the one before",
    "<InvoiceNo>1T 1/6<",
    "<InvoiceNo>1T 1/0<",
    "sequence",
    "1T 1/0 comes after 1T 1/5.",
  ],
  ["a date that was not signed", "<InvoiceDate>2017-12-03<", "<InvoiceDate>2017-12-02<", "signature", "is not valid."],
  [
    "a date before the one before",
    "<InvoiceDate>2017-10-21<",
    "<InvoiceDate>2017-09-28<",
    "date",
    "before 2017-09-29, the date of",
  ],
  [
    "an entry time before the one before",
    "2017-10-21T11:32:09</Sys",
    "2017-09-21T11:32:09</Sys",
    "date",
    "the entry time of 1T 1/5.",
  ],
  ["a hash cut short", /<Hash>vfin/, "<Hash>vfi", "signature", "is neither 0 nor a signature of 172 characters."],
  ["a hash taken away", /<Hash>vfin[^<]*/, "<Hash>0", "signature", "1T 1/1 has the hash 0 but the HashControl 1."],
  [
    "a wrong net total",
    "<NetTotal>195.96<",
    "<NetTotal>195.98<",
    "sum",
    "NetTotal is 195.98; the lines add up to 195.96.",
  ],
  [
    "a wrong tax",
    "<TaxPayable>39.19<",
    "<TaxPayable>39.21<",
    "sum",
    "TaxPayable is 39.21; the taxes of the lines add up to 39.192",
  ],
  ["a wrong gross total", "<GrossTotal>235.15<", "<GrossTotal>235.16<", "sum", "add up to 235.15."],
  [
    "a receipt of 7,000 whose lines come to 2,000",
    /(<PaymentRefNo>PGT 1T1\/1<[\s\S]*?<CreditAmount>)5000</,
    "$11000<",
    "sum",
    "NetTotal is 6000 and GrossTotal 7000.00; the lines add up to 2000.",
  ],
  [
    "a receipt with another tax than its lines",
    /<TaxPayable>1000<\/TaxPayable>\s*<NetTotal>6000<\/NetTotal>/,
    "<TaxPayable>999</TaxPayable><NetTotal>6001</NetTotal>",
    "sum",
    "TaxPayable is 999; the taxes of the lines add up to 1000",
  ],
  [
    "a receipt whose discount is not that of its lines",
    /<SettlementAmount>100<(?=\/SettlementAmount>\s*<\/Settlement>)/,
    "<SettlementAmount>90<",
    "sum",
    "SettlementAmount is 90; the discounts of the lines add up to 100.",
  ],
  [
    "a receipt of an invoice that is not there",
    "<OriginatingON>1T 1/4</OriginatingON>",
    "<OriginatingON>1T 1/40</OriginatingON>",
    "reference",
    "OriginatingON is 1T 1/40, but the file has no such document in that series.",
  ],
  [
    "a receipt that dates its invoice otherwise",
    /(<SourceDocumentID>\s*<OriginatingON>1T 1\/4<\/OriginatingON>\s*<InvoiceDate>)2017-09-17/,
    "$12017-09-18",
    "date",
    "InvoiceDate is 2017-09-18, but 1T 1/4 is dated 2017-09-17.",
  ],
  [
    "a sale whose line is a debit",
    /(<InvoiceNo>1T 1\/6<[\s\S]*?)<CreditAmount>([^<]*)<\/CreditAmount>/,
    "$1<DebitAmount>$2</DebitAmount>",
    "sum",
    "the lines add up to -",
  ],
];

describe("one error in the demonstration file is found", () => {
  test.each(BREAKS)("%s", async (_, what, by, rule, reason) => {
    const { accepted, errors } = await check(replaced(DEMO, what, by));
    expect(accepted).toBe(false);
    const same = errors.filter((one) => one.rule === rule && one.reason.includes(reason));
    expect(same, JSON.stringify(errors.slice(0, 3))).not.toEqual([]);
    for (const { line, path } of same) expect([line > 1, path]).toEqual([true, expect.stringMatching(/^AuditFile\//)]);
  });

  test.each([
    ["NumberOfEntries", "<NumberOfEntries>24<", "<NumberOfEntries>23<", "its entries add up to 24."],
    ["TotalDebit", "<TotalDebit>2201.7838<", "<TotalDebit>2201.79<", "its entries add up to 2201.7838"],
    ["NumberOfMovementLines", "<NumberOfMovementLines>13<", "<NumberOfMovementLines>14<", "its entries add up to 13."],
    ["TotalQuantityIssued", "<TotalQuantityIssued>3295.92<", "<TotalQuantityIssued>3295.93<", "3295.922006."],
  ])("a wrong %s is a warning, and the file is accepted", async (name, what, by, reason) => {
    const { accepted, warnings } = await check(replaced(DEMO, what, by));
    expect(accepted).toBe(true);
    expect(warnings.map((one) => one.reason)).toContainEqual(expect.stringMatching(`^${name} of .*${reason}`));
  });
});

/** Fields of documents that nothing else in the file proves, each with the reason. */
const UNPROVEN = new Map([
  ["SettlementAmount", "of an invoice's line: UnitPrice is already less it"],
  ["WithholdingTaxAmount", "is in no total"],
  ["IECAmount", "is part of the price"],
  ["PaymentAmount", "of an invoice: it may be paid in part"],
]);

test("an amount changed in any field of any kind of document is found", async () => {
  const plain = sampleText("at-demo-2018-no-ledger.xml").replace(/<!--[\s\S]*?-->/g, "");
  const kinds = /<(?:Invoice|StockMovement|WorkDocument|Payment)>(?=\s*<(?:InvoiceNo|DocumentNumber|PaymentRefNo))/g;
  const starts = Array.from(plain.matchAll(kinds), ({ 0: tag, index }) => [tag, index] as const);
  const unfound = new Set<string>();
  const tried = new Set<string>();
  const amounts =
    /<(\w*(?:Amount|Total|Payable|Price|Quantity|Percentage|Base|Rate|Entries|Lines|Issued))>(\d+(?:\.\d+)?)</g;
  for (const { 0: all, 1: name = "", 2: value, index } of plain.matchAll(amounts)) {
    const [tag] = starts.findLast(([, start]) => start < index) ?? [];
    if (tag === undefined || tried.has(tag + name)) continue;
    tried.add(tag + name);
    const changed = `<${name}>${Number(value) + 7}<`;
    // No key is given: a signature would find a changed total by itself.
    const file = opened(plain.slice(0, index) + changed + plain.slice(index + all.length), plain.length);
    const { error_count, warning_count } = await checkSaft(file);
    if (error_count + warning_count === 0) unfound.add(name);
  }
  expect(tried.size).toBeGreaterThan(30);
  expect([...unfound].filter((name) => !UNPROVEN.has(name))).toEqual([]);
});

test.each([
  ["a price that does not give its line", "<UnitPrice>", "<UnitPrice>1", "Quantity times UnitPrice is"],
  [
    "means that do not come to the receipt",
    "<PaymentAmount>5500<",
    "<PaymentAmount>5400<",
    "The means of payment add up to 6900; GrossTotal is 7000.00.",
  ],
  [
    "a currency's total at another rate",
    /<ExchangeRate>0\.7407\d*</,
    "<ExchangeRate>0.75<",
    "GrossTotal is 235.15; CurrencyAmount times ExchangeRate is 238.0875.",
  ],
])("%s is a warning", async (_, what, by, reason) => {
  const { accepted, warnings } = await check(replaced(DEMO, what, by));
  expect(accepted).toBe(true);
  expect(warnings.map((one) => one.reason)).toContainEqual(expect.stringContaining(reason));
});

describe("asserts over more than one element", () => {
  test("each line of a cash-VAT receipt needs its tax; lines of other receipts do not", async () => {
    const taxless = replaced(DEMO, /<Payments>[\s\S]*/, (rest) => rest.replace(/<Tax>[\s\S]*?<\/Tax>/g, ""));
    expect((await check(taxless)).accepted).toBe(true);
    const { errors } = await check(taxless.replaceAll("<PaymentType>RG<", "<PaymentType>RC<"));
    const reason = "A line of a receipt of type RC has no Tax.";
    expect(errors).toContainEqual(expect.objectContaining({ rule: "assert", reason, document: "PGT 1T1/1" }));
  });

  test("a transaction of the ledger needs a debit and a credit", async () => {
    const oneSided = replaced(DEMO, /<Lines>[\s\S]*?<\/Lines>/, (lines) =>
      lines.replace(/<CreditLine>[\s\S]*?<\/CreditLine>/g, ""),
    );
    const reason = "A transaction needs a DebitLine and a CreditLine.";
    expect((await check(oneSided)).errors).toMatchObject([{ rule: "assert", reason }]);
  });
});

describe("signatures", () => {
  test("in a file that begins in the middle of a series the first signature cannot be verified, the next can", async () => {
    const start = DEMO.lastIndexOf("<Invoice>", DEMO.indexOf("<InvoiceNo>1T 1/1<"));
    const later = DEMO.slice(0, start) + DEMO.slice(DEMO.indexOf("<Invoice>", start + 1));
    expect(await check(later)).toMatchObject({ accepted: true, signatures_verified: 33, signatures_unverifiable: 1 });
    const broken = replaced(later, "<InvoiceDate>2017-09-17<", "<InvoiceDate>2017-09-18<");
    expect((await check(broken)).errors[0]).toMatchObject({ rule: "signature", document: "1T 1/4" });
  });

  test("the signature of a program with another certificate cannot be verified", async () => {
    const foreign = replaced(DEMO, "<HashControl>9999.1<", "<HashControl>1234.1<");
    expect(await check(foreign)).toMatchObject({ accepted: true, signatures_verified: 34, signatures_unverifiable: 1 });
  });

  test("a program without certificate is accepted with Hash 0 and HashControl 0", async () => {
    const unsigned = DEMO.replace(/<Hash>[^<]*/g, "<Hash>0").replace(/<HashControl>[^<]*/g, "<HashControl>0");
    expect(await check(unsigned)).toMatchObject({ accepted: true, signatures_verified: 0 });
  });

  test("a PEM that is not a public key is refused", async () => {
    const public_key = DEMO_KEY.replace("PUBLIC", "PRIVATE");
    await expectRefusal(checkSaft(opened(DEMO), { public_key }), "invalid_request", "public_key: is not a public key");
  });
});

test("missing, misplaced and repeated numbers are distinguished", async () => {
  const numbers = [3, 4, 8, 6, 7, 6, 4, 9];
  const invoices = numbers.map((number) => `<Invoice><InvoiceNo>FT A/${number}</InvoiceNo></Invoice>`).join("");
  const root = '<AuditFile xmlns="urn:OECD:StandardAuditFile-Tax:PT_1.04_01"><SourceDocuments><SalesInvoices>';
  const { errors } = await check(`${root}${invoices}</SalesInvoices></SourceDocuments></AuditFile>`);
  expect(errors.filter(({ path }) => path.endsWith("InvoiceNo")).map(({ reason }) => reason)).toEqual([
    "FT A/5 to FT A/7 are missing between FT A/4 and FT A/8.",
    "FT A/6 comes after FT A/8.",
    "FT A/7 comes after FT A/8.",
    "FT A/6 is repeated.",
    "FT A/4 is repeated.",
  ]);
});

test("the first hundred findings are kept and all are counted", async () => {
  const { errors, error_count } = await check(DEMO.replaceAll("<SystemEntryDate>", "<SystemEntryDate>x"));
  expect(errors.length).toBe(100);
  expect(error_count).toBeGreaterThan(150);
});
