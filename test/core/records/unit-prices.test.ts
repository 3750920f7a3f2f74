/** Prices with VAT, sent in place of prices without: what is kept, answered and counted. */
import type { NewDocumentLine } from "lacre";
import { describe, expect, test } from "vitest";
import type { Product } from "../../../src/core/records/products.ts";
import { checkSaft } from "../../../src/core/saft/check/check.ts";
import { DATABASES } from "../../support/databases.ts";
import { TODAY } from "../../support/drivers.ts";
import { aCreditNote, aDraft, aLine, anInvoice, aProduct, asRead } from "../../support/factories.ts";
import { anInstance } from "../../support/instance.ts";
import { expectRefusal } from "../../support/refusals.ts";

/** A line with a price with VAT. */
function aShelfLine(unit_price_gross: number, fields: Partial<NewDocumentLine> = {}): NewDocumentLine {
  const { unit_price_net: _, ...line } = aLine(fields);
  return { ...line, unit_price_gross };
}

const BOTH = "unit_price_gross: must not be sent with unit_price_net";

describe.each(DATABASES)("products over $name", (driver) => {
  test("the net of a price with VAT is stored", async () => {
    const { company } = await anInstance(driver);
    const created = await company.products.create({ name: "Pão", unit_price_gross: 1.15, tax_rate: 23 });
    expect(created).toMatchObject({ unit_price_net: 0.934959, unit_price_gross: 1.15 });
    expect(await company.products.get({ id: created.id })).toEqual(asRead(created));
  });

  test.each<[string, object, Partial<Product>]>([
    [
      "a price with VAT counts by the stored rate",
      { unit_price_gross: 1.15 },
      { unit_price_net: 1.084906, tax_rate: 6 },
    ],
    [
      "a price with VAT counts by the rate sent with it",
      { unit_price_gross: 1.15, tax_rate: 23 },
      { unit_price_net: 0.934959, tax_rate: 23 },
    ],
    ["a rate alone leaves the net", { tax_rate: 23 }, { unit_price_net: 1.15, tax_rate: 23 }],
    ["another field leaves the net", { name: "Broa" }, { unit_price_net: 1.15, tax_rate: 6 }],
  ])("%s", async (_, changes, expected) => {
    const instance = await anInstance(driver);
    const { id } = await aProduct(instance);
    expect(await instance.company.products.change({ id, ...changes })).toMatchObject(expected);
    expect(await instance.company.products.get({ id })).toMatchObject(expected);
  });

  test.each([
    [{ name: "Pão", tax_rate: 6 }, "unit_price_net: is required"],
    [{ name: "Pão", unit_price_net: 1, unit_price_gross: 1.06, tax_rate: 6 }, BOTH],
    [{ name: "Pão", unit_price_net: 0, unit_price_gross: 0, tax_rate: 6 }, BOTH],
    [{ name: "Pão", unit_price_gross: null, tax_rate: 6 }, "unit_price_gross: must be a number"],
    [{ name: "Pão", unit_price_net: null, unit_price_gross: 1, tax_rate: 6 }, "unit_price_net: must be a number"],
    [{ name: "Pão", unit_price_gross: 1.0000001, tax_rate: 6 }, "unit_price_gross: must have at most 6 decimals"],
    [{ name: "Pão", unit_price_gross: -1, tax_rate: 6 }, "unit_price_gross: must be at least 0"],
    [{ name: "Pão", unit_price_gross: 1000000001, tax_rate: 6 }, "unit_price_gross: must be at most 1,000,000,000"],
    [{ unit_price_net: "1", tax_rate: 6 }, "name: is required; unit_price_net: must be a number"],
    [{ tax_rate: -1 }, "name: is required; tax_rate: must be at least 0; unit_price_net: is required"],
  ])("%o is refused: %s", async (fields, message) => {
    const { company } = await anInstance(driver);
    await expectRefusal(company.products.create(fields as never), "invalid_request", message);
  });

  test.each<[string, object, number | null]>([
    ["another field", { name: "Broa" }, 1.15],
    ["its own rate", { tax_rate: 23 }, 1.15],
    ["another rate", { tax_rate: 6 }, null],
    ["a net price", { unit_price_net: 0.934959 }, null],
    ["another price with VAT", { unit_price_gross: 1.2 }, 1.2],
  ])("a price with VAT stays as it was typed until it is another: %s", async (_, changes, unit_price_gross) => {
    const { company } = await anInstance(driver);
    const { id } = await company.products.create({ name: "Pão", unit_price_gross: 1.15, tax_rate: 23 });
    expect(await company.products.change({ id, ...changes })).toMatchObject({ unit_price_gross });
    expect(await company.products.get({ id })).toMatchObject({ unit_price_gross });
  });

  test("a change takes one price", async () => {
    const instance = await anInstance(driver);
    const { id } = await aProduct(instance);
    const both = { id, unit_price_net: 1, unit_price_gross: 1.06 };
    await expectRefusal(instance.company.products.change(both), "invalid_request", BOTH);
  });
});

describe.each(DATABASES)("lines over $name", (driver) => {
  test("a price with VAT is stored with its net, and counts", async () => {
    const instance = await anInstance(driver);
    const lines = [aShelfLine(0.14, { tax_rate: 12 }), aShelfLine(85.65)];
    const draft = await aDraft(instance, { lines });
    expect(draft).toMatchObject({ total_net: 69.76, total_tax: 16.03, total_gross: 85.79 });
    expect(draft.lines).toMatchObject([
      { unit_price_net: 0.125, unit_price_gross: 0.14 },
      { unit_price_net: 69.634146, unit_price_gross: 85.65 },
    ]);
    const issued = await instance.company.documents.issue({ id: draft.id });
    expect(issued).toMatchObject({
      total_gross: 85.79,
      lines: [{ unit_price_gross: 0.14 }, { unit_price_gross: 85.65 }],
    });
    expect(issued.qr_code).toContain("*O:85.79*");
    expect((await instance.company.series.verify()).series.map(({ finding }) => finding)).not.toContainEqual(
      expect.anything(),
    );
  });

  test("a draft that is changed in another field keeps its prices with VAT", async () => {
    const instance = await anInstance(driver);
    const draft = await aDraft(instance, { lines: [aShelfLine(0.14, { tax_rate: 12 }), aLine()] });
    const changed = await instance.company.documents.change({ id: draft.id, notes: "Obrigado" });
    expect(changed).toEqual({ ...draft, notes: "Obrigado", notices: [] });
    const cheaper = await instance.company.documents.change({
      id: draft.id,
      lines: [aShelfLine(0.13, { tax_rate: 4 })],
    });
    expect(cheaper).toMatchObject({ total_gross: 0.13, lines: [{ unit_price_net: 0.125, unit_price_gross: 0.13 }] });
  });

  test("lines sent back as answered are accepted, with both prices too, where they agree", async () => {
    const instance = await anInstance(driver);
    const { lines } = await aDraft(instance, { lines: [aLine()] });
    expect((await aDraft(instance, { lines })).lines).toEqual(lines);
    const gross = await aDraft(instance, { lines: [aShelfLine(1.15)] });
    expect((await aDraft(instance, { lines: gross.lines })).lines).toEqual(gross.lines);
    const other = gross.lines.map((line) => ({ ...line, unit_price_net: line.unit_price_net + 0.01 }));
    await expectRefusal(aDraft(instance, { lines: other }), "invalid_request", `lines[0].${BOTH}`);
  });

  test.each([
    [{ unit_price_net: undefined }, "lines[1].unit_price_net: is required"],
    [{ unit_price_net: undefined, unit_price_gross: null }, "lines[1].unit_price_net: is required"],
    [{ unit_price_gross: 1 }, `lines[1].${BOTH}`],
    [{ unit_price_net: undefined, unit_price_gross: "1" }, "lines[1].unit_price_gross: must be a number"],
  ])("%o is refused: %s", async (fields, message) => {
    const instance = await anInstance(driver);
    const lines = [aLine(), aLine(fields as object)];
    await expectRefusal(aDraft(instance, { lines }), "invalid_request", message);
  });

  test("net and gross with one key are two requests", async () => {
    const { company, ...home } = await anInstance(driver);
    const draft = await aDraft({ company, ...home });
    const { customer_id, series_id } = draft;
    const create = (line: NewDocumentLine) =>
      company.documents.create(
        { doc_type: "FT", series_id, customer_id, issue_date: TODAY, lines: [line] },
        { idempotency_key: "venda-1" },
      );
    const first = await create(aShelfLine(100));
    expect(await create(aShelfLine(100))).toEqual(first);
    await expectRefusal(create(aLine()), "idempotency_key_reused");
  });

  test("a credit note over the same prices with VAT comes to the same", async () => {
    const instance = await anInstance(driver);
    const lines = [aShelfLine(0.14, { tax_rate: 12 })];
    const invoice = await anInvoice(instance, { lines });
    // By its net, the same line comes to a cent more than was invoiced.
    const net = [aLine({ unit_price_net: 0.125, tax_rate: 12 })];
    await expectRefusal(aCreditNote(instance, invoice, { lines: net }), "credit_exceeds_original");
    const credit = await aCreditNote(instance, invoice, { lines });
    expect(credit.total_gross).toBe(0.14);
    expect(await instance.company.documents.get({ id: invoice.id })).toMatchObject({ outstanding: 0 });
  });

  test("Lacre's own check of the tax file finds neither error nor warning", async () => {
    const instance = await anInstance(driver);
    const lines = [
      aShelfLine(0.05, { qty: 50_000 }),
      aShelfLine(2.99, { qty: 0.735, tax_rate: 6 }),
      aShelfLine(1.99, { discount_pct: 10, tax_rate: 13 }),
      aShelfLine(0.13, { qty: 3, tax_rate: 6 }),
      aLine({ unit_price_net: 0.333333, qty: 7 }),
    ];
    const { total_gross } = await anInvoice(instance, { lines, global_discount_pct: 2.5 });
    // 2500.00 and 7 × 0.333333 at 23 %, less 2.5 %: 2440.30; 2.58765 less 2.5 %: 2.52; 1.791 less 2.5 %: 1.75.
    expect(total_gross).toBe(2444.57);
    const { file } = await instance.company.saft.export({ from: "2026-11-01", to: "2026-11-30" });
    const chunks: Uint8Array[] = [];
    for await (const chunk of file) chunks.push(chunk);
    const report = await checkSaft(async function* () {
      yield* chunks;
    });
    expect(report.errors).toEqual([]);
    expect(report.warnings.filter(({ rule }) => rule === "sum" || rule === "control_total")).toEqual([]);
  });
});
