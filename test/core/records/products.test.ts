import { describe, expect, test } from "vitest";
import type { NewProduct, Product } from "../../../src/core/records/products.ts";
import { DATABASES } from "../../support/databases.ts";
import { NOW, UNKNOWN_ID } from "../../support/drivers.ts";
import { aDraft, aLine, anInvoice, aProduct, asRead } from "../../support/factories.ts";
import { anInstance, type Instance } from "../../support/instance.ts";
import { expectRefusal } from "../../support/refusals.ts";

const FULL = {
  name: "Pão de Mafra",
  sku: "PM-1",
  unit: "kg",
  unit_price_net: 1.234567,
  tax_rate: 6.5,
  stock: 12.5,
  type: "S",
  exemption_code: "M07",
  till_number: 17,
  external_id: "shop-1",
  metadata: { shelf: "4" },
} as const satisfies Required<Omit<NewProduct, "unit_price_gross">>;

describe.each(DATABASES)("products over $name", (driver) => {
  test("name, price and rate are enough", async () => {
    const { company } = await anInstance(driver);
    const created = await company.products.create({ name: "Pão", unit_price_net: 0, tax_rate: 0 });
    expect(created).toEqual({
      id: expect.any(String),
      name: "Pão",
      sku: null,
      unit: "un",
      unit_price_net: 0,
      unit_price_gross: null,
      tax_rate: 0,
      stock: null,
      type: "P",
      exemption_code: null,
      till_number: null,
      external_id: null,
      metadata: {},
      created_at: NOW,
      updated_at: NOW,
      notices: [],
    });
    expect(await company.products.get({ id: created.id })).toEqual(asRead(created));
  });

  test("every field comes back as sent", async () => {
    const { company } = await anInstance(driver);
    const created = await company.products.create(FULL);
    expect(created).toMatchObject(FULL);
    expect(await company.products.get({ id: created.id })).toEqual(asRead(created));
  });

  test.each([
    [{ stock: -5 }],
    [{ stock: 0 }],
    [{ unit_price_net: 1_000_000_000 }],
    [{ unit_price_net: 0.000001 }],
    [{ tax_rate: 100 }],
    [{ tax_rate: 22.99 }],
  ])("%o is taken exactly", async (fields) => {
    const instance = await anInstance(driver);
    expect(await aProduct(instance, fields)).toMatchObject(fields);
  });

  test.each<[string, Record<string, unknown>, string]>([
    ["no name", { name: undefined }, "name: is required"],
    ["no price", { unit_price_net: undefined }, "unit_price_net: is required"],
    ["no rate", { tax_rate: undefined }, "tax_rate: is required"],
    ["a negative price", { unit_price_net: -0.01 }, "unit_price_net: must be at least 0"],
    ["seven decimals", { unit_price_net: 0.0000001 }, "unit_price_net: must have at most 6 decimals"],
    ["a price above a thousand million", { unit_price_net: 1_000_000_000.01 }, "unit_price_net: must be at most"],
    ["sixteen digits", { unit_price_net: 123456789.1234567 }, "unit_price_net: must have at most"],
    ["a rate above 100", { tax_rate: 101 }, "tax_rate: must be at most 100"],
    ["a rate of three decimals", { tax_rate: 0.001 }, "tax_rate: must have at most 2 decimals"],
    ["text for a price", { unit_price_net: "1" }, "unit_price_net: must be a number"],
    ["null for a price", { unit_price_net: null }, "unit_price_net: must be a number"],
    ["infinity", { unit_price_net: Number.POSITIVE_INFINITY }, "unit_price_net: "],
    ["an unknown type", { type: "X" }, "type: must be one of P, S"],
    ["an empty unit", { unit: "" }, "unit: must not be empty"],
    ["null for the unit", { unit: null }, "unit: must be a string"],
    ["too long an sku", { sku: "x".repeat(101) }, "sku: must have at most 100 characters"],
    ["a misspelt field", { price: 1 }, "price: is not a known field"],
  ])("%s is refused", async (_, fields, message) => {
    const instance = await anInstance(driver);
    const { company } = instance;
    await expectRefusal(company.products.create({ ...FULL, ...fields } as never), "invalid_request", message);
    expect((await company.products.list()).pagination.total).toBe(0);
    const { id } = await company.products.create(FULL);
    if (Object.values(fields)[0] === undefined) return;
    await expectRefusal(company.products.change({ id, ...fields } as never), "invalid_request", message);
    expect(await company.products.get({ id })).toMatchObject(FULL);
  });

  test("a change keeps every field it does not send, unit and type too, and null clears sku and stock", async () => {
    const { company } = await anInstance(driver);
    const before = await company.products.create(FULL);
    const { id } = before;
    expect(await company.products.change({ id, name: "Broa" })).toEqual({ ...before, name: "Broa" });
    const cleared = { ...before, name: "Broa", sku: null, stock: null };
    expect(await company.products.change({ id, sku: null, stock: null })).toEqual(cleared);
    expect(await company.products.change({ id })).toEqual(cleared);
    const priced = { ...cleared, unit_price_net: 0, tax_rate: 23, unit: "cx", type: "P" };
    expect(await company.products.change({ id, unit_price_net: 0, tax_rate: 23, unit: "cx", type: "P" })).toEqual(
      priced,
    );
  });

  test("an archived product is in no read or list; documents that name it stay unchanged", async () => {
    const instance = await anInstance(driver);
    const { company } = instance;
    const { id } = await aProduct(instance);
    const lines = [aLine({ product_id: id })];
    const [draft, issued] = [await aDraft(instance, { lines }), await anInvoice(instance, { lines })];
    expect(await company.products.archive({ id })).toBeUndefined();
    for (const call of ["get", "change", "archive"] as const) {
      await expectRefusal(company.products[call]({ id }), "not_found");
    }
    expect((await company.products.list()).data).toEqual([]);
    expect((await company.documents.get({ id: issued.id })).lines).toEqual(issued.lines);
    expect((await company.documents.issue({ id: draft.id })).lines).toEqual(
      draft.lines.map((line) => ({ ...line, type: "P" })),
    );
    expect(await company.series.verify()).toMatchObject({ whole: true });
  });

  test("a line takes the product's unit unless it has its own, and never the product's price or rate", async () => {
    const instance = await anInstance(driver);
    const { id } = await aProduct(instance, { unit: "kg", unit_price_net: 9, tax_rate: 6 });
    const { lines } = await anInvoice(instance, {
      lines: [aLine({ product_id: id }), aLine({ product_id: id, unit: "saco" })],
    });
    expect(lines).toMatchObject([
      { unit: "kg", unit_price_net: 100, tax_rate: 23 },
      { unit: "saco", unit_price_net: 100, tax_rate: 23 },
    ]);
  });

  test("in strict mode the name of a product with documents is fixed", async () => {
    const instance = await anInstance(driver);
    const { lacre, company } = instance;
    const { id } = await aProduct(instance);
    const change = (fields: object) => company.products.change({ id, ...fields });
    const lines = [aLine({ product_id: id })];
    const training = await company.series.create({ doc_type: "FT", code: "FORM", training: true });
    await anInvoice(instance, { lines, series_id: training.id });
    await aDraft(instance, { lines });
    await lacre.signer.setCertificate({ certificate_number: 9999 });
    await change({ name: "Broa" });
    await lacre.signer.setCertificate({ certificate_number: 0 });
    await anInvoice(instance, { lines });
    await change({ name: "Pão" });
    await lacre.signer.setCertificate({ certificate_number: 9999 });
    const rule = "its name is fixed (Despacho 8632/2014, 3.3.5). Create another product.";
    await expectRefusal(change({ name: "Broa" }), "invalid_state", rule);
    const changes = { name: "Pão", sku: "P-2", unit: "kg", unit_price_net: 2, type: "S", stock: 1 };
    expect(await change(changes)).toMatchObject(changes);
  });

  test("search looks at name and sku", async () => {
    const instance = await anInstance(driver);
    await aProduct(instance, { name: "Pão de Água", sku: "ÁG-7", unit: "kilo" });
    const found = async (search: string) => (await instance.company.products.list({ search })).pagination.total;
    for (const term of ["agua", "ÁGUA", "ag-7", "7", "o d"]) expect([term, await found(term)]).toEqual([term, 1]);
    for (const term of ["kilo", "agua\u0301x", "água ag"]) expect([term, await found(term)]).toEqual([term, 0]);
  });

  test("an unknown product is not found", async () => {
    const { company } = await anInstance(driver);
    for (const call of ["get", "change", "archive"] as const) {
      await expectRefusal(company.products[call]({ id: UNKNOWN_ID }), "not_found");
    }
  });

  describe("the code a document shows", () => {
    /** The product codes of the lines of an invoice over these products. */
    async function codesOn(instance: Instance, products: readonly Product[]): Promise<unknown[]> {
      const lines = products.map(({ id }) => aLine({ product_id: id }));
      const { id, issue_date } = await anInvoice(instance, { lines });
      const { file } = await instance.company.saft.export({ from: issue_date, to: issue_date });
      let xml = "";
      for await (const piece of file) xml += Buffer.from(piece).toString("latin1");
      const [, invoice = ""] = xml.split(`<InvoiceNo>${(await instance.company.documents.get({ id })).number}<`);
      const [own = ""] = invoice.split("</Invoice>");
      return Array.from(own.matchAll(/<ProductCode>([^<]*)</g), ([, code]) => code);
    }

    test("is its sku, and without one a short code of ours, assigned once", async () => {
      const instance = await anInstance(driver);
      const [bread, roll] = [await aProduct(instance), await aProduct(instance, { sku: "PM-1" })];
      await instance.company.products.archive({ id: (await aProduct(instance)).id });
      const cake = await aProduct(instance);
      expect(await codesOn(instance, [bread, roll, cake])).toEqual(["P1", "PM-1", "P4"]);
      await instance.company.products.change({ id: bread.id, sku: "B" });
      expect(await codesOn(instance, [bread, cake])).toEqual(["B", "P4"]);
    });

    test("is never that of another product, however its sku is spelled", async () => {
      const instance = await anInstance(driver);
      const first = await aProduct(instance);
      const posing = await aProduct(instance, { sku: "P1" });
      const ahead = await aProduct(instance, { sku: "P7" });
      const next = await aProduct(instance);
      expect(await codesOn(instance, [first, posing, ahead, next])).toEqual(["P1", "P2", "P7", "P9"]);
      // An sku that is gone may be on paper: nothing else gets it as its code.
      await instance.company.products.change({ id: ahead.id, sku: "P40" });
      await instance.company.products.change({ id: ahead.id, sku: null });
      const last = await aProduct(instance);
      expect(await codesOn(instance, [ahead, last])).toEqual(["P8", "P41"]);
    });

    test("is skipped if an sku once spelled it, and verifying knows why", async () => {
      const instance = await anInstance(driver);
      const product = await aProduct(instance);
      for (const sku of ["P50", "P20", null]) {
        await instance.company.products.change({ id: product.id, sku });
        expect(await instance.company.series.verify()).toMatchObject({ whole: true, findings: [] });
      }
      expect(await codesOn(instance, [await aProduct(instance)])).toEqual(["P51"]);
      expect(await instance.company.series.verify()).toMatchObject({ whole: true, findings: [] });
    });

    test("may be spelled like the product's own code", async () => {
      const instance = await anInstance(driver);
      const product = await aProduct(instance);
      await instance.company.products.change({ id: product.id, sku: "P1" });
      expect(await codesOn(instance, [product, await aProduct(instance)])).toEqual(["P1", "P2"]);
    });
  });
});
