/** Importing the customers and products of another program's file: all of them or none. */
import { importSaft } from "lacre";
import { describe, expect, test } from "vitest";
import type { TaxRegion } from "../../../../src/core/fiscal/vat-rates.ts";
import { DATABASE, DATABASES } from "../../../support/databases.ts";
import { anInstance } from "../../../support/instance.ts";
import { expectRefusal } from "../../../support/refusals.ts";
import { opened, replaced, sample, sampleText } from "../samples.ts";

const DEMO = sampleText("at-demo-2018-full.xml");
const NOTHING = { created: 0, existing: 0, unusable: 0 };

/** A file with these master files and lines, and little else. */
function fileOf({ customers = "", products = "", lines = "" }): string {
  return `<?xml version="1.0" encoding="Windows-1252"?><AuditFile xmlns="urn:OECD:StandardAuditFile-Tax:PT_1.04_01">
<MasterFiles>${customers}${products}</MasterFiles>
<SourceDocuments><SalesInvoices><Invoice>${lines}</Invoice></SalesInvoices></SourceDocuments></AuditFile>`;
}

function customerXml(fields: Record<string, string> = {}): string {
  const { CustomerTaxID = "501964843", CompanyName = "Padaria", Country = "PT", Email, ...address } = fields;
  const places = { AddressDetail: "Rua 1", City: "Lisboa", PostalCode: "1000-001", ...address, Country };
  return `<Customer><CustomerID>C1</CustomerID><CustomerTaxID>${CustomerTaxID}</CustomerTaxID><CompanyName>${CompanyName}</CompanyName>
<BillingAddress>${Object.entries(places)
    .map(([name, text]) => `<${name}>${text}</${name}>`)
    .join("")}</BillingAddress>${Email === undefined ? "" : `<Email>${Email}</Email>`}</Customer>`;
}

function productXml(type = "P", description = "Broa"): string {
  return `<Product><ProductType>${type}</ProductType><ProductCode>P1</ProductCode><ProductDescription>${description}</ProductDescription><ProductNumberCode>5601</ProductNumberCode></Product>`;
}

function lineXml(price: string, rate: string, unit = "kg", TaxCode = ""): string {
  return `<Line><ProductCode>P1</ProductCode><UnitOfMeasure>${unit}</UnitOfMeasure><UnitPrice>${price}</UnitPrice><Tax>${TaxCode && `<TaxCode>${TaxCode}</TaxCode>`}<TaxPercentage>${rate}</TaxPercentage></Tax></Line>`;
}

describe.each(DATABASES)("an import over $name", (driver) => {
  test("imports the demonstration file, and finds everything there the second time", async () => {
    const { company } = await anInstance(driver);
    const first = await importSaft(company, opened(sample("at-demo-2018-full.xml")));
    expect(first).toMatchObject({
      dry_run: false,
      customers: { created: 10, existing: 0, unusable: 1 },
      products: { created: 12, existing: 0, unusable: 0 },
    });
    expect(first.notes).toContainEqual({
      record: "Customer CA1",
      line: 1279,
      code: "final_consumer",
      field: null,
      given: null,
      max: null,
      became: null,
      note: "is the final consumer; not imported",
    });
    const customers = await company.customers.list({ limit: 200 });
    const products = await company.products.list({ limit: 200 });
    expect([customers.pagination.total, products.pagination.total]).toEqual([10, 12]);

    const again = await importSaft(company, opened(DEMO));
    expect(again.customers).toMatchObject({ created: 0, existing: 10, unusable: 1 });
    expect(again.products).toMatchObject({ created: 0, existing: 12, unusable: 0 });
    expect(await company.customers.list({ limit: 200 })).toEqual(customers);
    expect(await company.products.list({ limit: 200 })).toEqual(products);
    expect((await company.documents.list()).pagination.total).toBe(0);
  });

  test("a dry run gives the same report and writes nothing, not even an event", async () => {
    const { company } = await anInstance(driver);
    await company.clock.confirm();
    const before = await company.events.list();
    const dry = await importSaft(company, opened(DEMO), { dry_run: true });
    expect(await company.events.list()).toEqual(before);
    expect((await company.customers.list()).pagination.total).toBe(0);
    expect({ ...(await importSaft(company, opened(DEMO))), dry_run: true }).toEqual(dry);
  });

  test("its rows are the new ones and the existing ones, the first 200 of each", async () => {
    const { company } = await anInstance(driver);
    await company.customers.create({ name: "Cliente 7", tax_id: "501964843" });
    const customers = Array.from({ length: 250 }, (_, i) => customerXml({ CompanyName: `Cliente ${i}` })).join("");
    const file = fileOf({ customers: customers + customerXml({ CompanyName: "Cliente 3" }), products: productXml() });
    const { customers: shown, products, ...report } = await importSaft(company, opened(file), { dry_run: true });
    expect(shown).toMatchObject({ created: 249, existing: 2, unusable: 0 });
    expect(shown.rows.created).toHaveLength(200);
    expect(shown.rows.created[0]).toEqual({ name: "Cliente 0", tax_id: "501964843" });
    expect(shown.rows.existing.map(({ name }) => name)).toEqual(["Cliente 7", "Cliente 3"]);
    expect(products.rows.created).toEqual([{ name: "Broa", sku: "P1", unit_price_net: 0, tax_rate: 23 }]);
    expect(report).toMatchObject({ dry_run: true, more_notes: 0, notes: [{ record: "Product P1" }, {}] });
    const nameless = Array.from({ length: 250 }, () => customerXml({ CompanyName: "" })).join("");
    const noted = await importSaft(company, opened(fileOf({ customers: nameless })), { dry_run: true });
    expect([noted.customers.unusable, noted.notes.length, noted.more_notes]).toEqual([250, 200, 50]);
  });

  test("a third does not begin before one of two is stored", async () => {
    const { company, company_id, lacre } = await anInstance(driver);
    let opened = 0;
    const file = async function* () {
      opened++;
      yield Buffer.from(fileOf({ customers: customerXml() }));
    };
    const begun = Promise.withResolvers<void>();
    const leave = Promise.withResolvers<void>();
    const held = lacre.transaction(company_id, async () => {
      begun.resolve();
      await leave.promise;
    });
    await begun.promise;
    const imports = [1, 2, 3].map(() => company.saft.importMasterFiles({ file }));
    while (opened < 2) await new Promise((resolve) => setImmediate(resolve));
    for (let turn = 0; turn < 200; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(opened).toBe(2);
    leave.resolve();
    await held;
    expect((await Promise.all(imports)).map(({ customers }) => customers.created).sort()).toEqual([0, 0, 1]);
    expect(opened).toBe(3);
  });

  test("if one record fails nothing is imported", async () => {
    const { company, past } = await anInstance(driver);
    await past(`create trigger fails before insert on products\nwhen new.name = 'Bolo'
begin\n  select raise(abort, 'the disk is full');\nend;`);
    const products = productXml() + productXml("P", "Bolo").replace("P1", "P2").replace("5601", "5602");
    const file = fileOf({ customers: customerXml(), products });
    await expect(importSaft(company, opened(file))).rejects.toThrow();
    for (const list of [company.customers, company.products]) expect((await list.list()).pagination.total).toBe(0);
    await past("drop trigger fails");
    expect((await importSaft(company, opened(file))).products.created).toBe(2);
  });

  test.each([
    ["not well-formed", DEMO.slice(0, -2000), "The XML is not well-formed"],
    ["not SAF-T", "<html></html>", "This is not a SAF-T (PT) file"],
    ["with a DOCTYPE", DEMO.replace("<AuditFile", "<!DOCTYPE a><AuditFile"), "has a document type (DOCTYPE)"],
  ])("a file that is %s imports nothing", async (_, file, reason) => {
    const { company } = await anInstance(driver);
    await expectRefusal(importSaft(company, opened(file)), "invalid_request", reason);
    expect((await company.customers.list()).pagination.total).toBe(0);
  });

  test("a file with other errors is imported nevertheless", async () => {
    const { company } = await anInstance(driver);
    const broken = replaced(DEMO, /<TaxTable>[\s\S]*?<\/TaxTable>/, "").replaceAll("<Hash>", "<Hash>x");
    expect((await importSaft(company, opened(broken))).customers.created).toBe(10);
  });
});

const driver = DATABASE;

/** Imports one file into a new company, and returns the result. */
async function imported(parts: Parameters<typeof fileOf>[0], tax_region: TaxRegion = "PT") {
  const { lacre, company, company_id } = await anInstance(driver as (typeof DATABASES)[number]);
  await lacre.companies.change({ id: company_id, tax_region });
  const { notes, customers, products } = await importSaft(company, opened(fileOf(parts)));
  const countsOf = ({ created, existing, unusable }: typeof customers | typeof products) => ({
    created,
    existing,
    unusable,
  });
  const counts = { dry_run: false, customers: countsOf(customers), products: countsOf(products) };
  const [customer] = (await company.customers.list()).data;
  const [product] = (await company.products.list()).data;
  return { counts, customer, product, notes: notes.map(({ note }) => note) };
}

describe("a customer", () => {
  test("is imported with every field that Lacre has", async () => {
    const { customer, notes } = await imported({ customers: customerXml({ Email: "a@b.pt" }) });
    expect(customer).toMatchObject({
      ...{ name: "Padaria", tax_id: "501964843", email: "a@b.pt", phone: null },
      ...{ address: "Rua 1", city: "Lisboa", postal_code: "1000-001", country: "PT" },
    });
    expect(notes).toEqual([]);
  });

  test.each<[string, Record<string, string>, object, string[]]>([
    ["unknown fields stay empty", { City: "Desconhecido", Country: "Desconhecido" }, { city: null, country: null }, []],
    ["the final consumer's tax number is none", { CustomerTaxID: "999999990" }, { name: "Padaria", tax_id: null }, []],
    [
      "an invalid NIF is dropped with a note",
      { CustomerTaxID: "501964844" },
      { tax_id: null },
      ['the tax id "501964844" is not a valid Portuguese tax number (NIF); imported without it'],
    ],
    [
      "a foreign tax number is kept unchanged",
      { CustomerTaxID: "B-12", Country: "ES" },
      { tax_id: "B-12", country: "ES" },
      [],
    ],
    [
      "a long address is cut with a note",
      { AddressDetail: "x".repeat(120) },
      { address: "x".repeat(100) },
      [`AddressDetail is cut to 100 characters: "${"x".repeat(40)}…"`],
    ],
    [
      "an invalid e-mail address is dropped with a note",
      { Email: "none" },
      { email: null },
      ['Email "none" is not accepted here; left out'],
    ],
    ["line breaks and runs of spaces become one space", { CompanyName: " A\n  B " }, { name: "A B" }, []],
  ])("%s", async (_, fields, expected, expectedNotes) => {
    const { customer, notes } = await imported({ customers: customerXml(fields) });
    expect(customer).toMatchObject(expected);
    expect(notes).toEqual(expectedNotes);
  });

  test.each([
    ["is the final consumer", { CustomerTaxID: "999999990", CompanyName: "CONSUMIDOR FINAL" }],
    ["has no name", { CompanyName: "Desconhecido" }],
  ])("that %s is not imported", async (reason, fields) => {
    const { counts, notes } = await imported({ customers: customerXml(fields) });
    expect(counts.customers).toEqual({ ...NOTHING, unusable: 1 });
    expect(notes).toEqual([`${reason}; not imported`]);
  });

  test("that is repeated in the file is imported once; one with another name is another customer", async () => {
    const customers = customerXml() + customerXml() + customerXml({ CompanyName: "Outra" });
    expect((await imported({ customers })).counts.customers).toEqual({ ...NOTHING, created: 2, existing: 1 });
  });
});

describe("a product", () => {
  test("takes price, unit and rate from the last line that sold it", async () => {
    const lines = lineXml("1.10", "6") + lineXml("2.50", "13", "un") + lineXml("0", "13", "cx");
    const { product, notes } = await imported({ products: productXml("S"), lines });
    expect(product).toMatchObject({
      name: "Broa",
      sku: "P1",
      type: "S",
      unit: "cx",
      unit_price_net: 2.5,
      tax_rate: 13,
    });
    expect(notes).toEqual([]);
  });

  test.each<readonly [TaxRegion, string, string, number]>([
    ["PT", "20", "NOR", 23],
    ["PT", "5", "RED", 6],
    ["PT", "12", "INT", 13],
    ["PT", "16", "NOR", 23], // the Azores' own
    ["PT-AC", "23", "NOR", 16],
    ["PT-MA", "5", "RED", 4],
  ])("in %s at %s %% of the class %s is taxed at today's %d %%, with a note", async (region, rate, code, today) => {
    const lines = lineXml("1", rate, "kg", code);
    const { product, notes } = await imported({ products: productXml(), lines }, region);
    expect(product).toMatchObject({ tax_rate: today });
    expect(notes).toEqual([
      `the rate of ${rate} % is none of today's; imported at ${today} %, today's rate of its class`,
    ]);
  });

  test.each([
    ["23", "NOR", 0],
    ["0", "ISE", 0],
    ["20", "OUT", 1],
    ["20", "", 1],
    ["20", "constructor", 1],
  ])(
    "at %s %% of the class %j keeps its rate, with a note where that is none of today's",
    async (rate, code, count) => {
      const { product, notes } = await imported({ products: productXml(), lines: lineXml("1", rate, "kg", code) });
      expect(product).toMatchObject({ tax_rate: Number(rate) });
      expect(notes).toHaveLength(count);
    },
  );

  test("that was never sold costs 0 at the normal rate of the company's region, with notes", async () => {
    const { product, notes } = await imported({ products: productXml() }, "PT-MA");
    expect(product).toMatchObject({ unit: "un", unit_price_net: 0, tax_rate: 22, type: "P" });
    expect(notes).toEqual([
      "no document in the file shows its price; imported at 0",
      "no document in the file shows its tax rate; imported at the normal rate of the company's region",
    ]);
  });

  test("of another type becomes goods, and a price with more than six decimals is rounded, with notes", async () => {
    const { product, notes } = await imported({ products: productXml("E"), lines: lineXml("0.12345650", "23") });
    expect(product).toMatchObject({ type: "P", unit_price_net: 0.123457 });
    expect(notes).toEqual(['the type "E" is imported as P', "the price is rounded to 6 decimals"]);
  });

  test("without a description is not imported", async () => {
    const { counts } = await imported({ products: productXml("P", " ") });
    expect(counts.products).toEqual({ ...NOTHING, unusable: 1 });
  });
});
