/** Discounts of an amount: kept, refused, frozen, and counted wherever what a line comes to is counted. */
import type { NewDocument } from "lacre";
import { describe, expect, test } from "vitest";
import { DATABASES } from "../../support/databases.ts";
import { TODAY } from "../../support/drivers.ts";
import { aCustomer, aDraft, aLine, anInvoice, invoiceInput } from "../../support/factories.ts";
import { anInstance } from "../../support/instance.ts";
import { expectRefusal } from "../../support/refusals.ts";
import { anExport } from "../../support/saft.ts";
import { sampleOf } from "../../support/sampled.ts";
import vectors from "../../vectors/discounts.json" with { type: "json" };

const NET = [
  aLine({ qty: 2, unit_price_net: 10 }),
  aLine({ qty: 3, unit_price_net: 3.33, tax_rate: 6 }),
  aLine({ qty: 1, unit_price_net: 4.99, tax_rate: 13 }),
];
const gross = (unit_price_gross: number, more: object = {}) => {
  const { unit_price_net: _, ...line } = aLine(more);
  return { ...line, unit_price_gross };
};

describe.each(DATABASES)("discounts of an amount over $name", (driver) => {
  test("a draft and the document that it becomes come to what the published vectors say", async () => {
    const instance = await anInstance(driver);
    const input = await invoiceInput(instance);
    for (const { name, lines, expected, ...given } of sampleOf("discounts", 5, vectors.vectors)) {
      const { expected_lines: _, ...discount } = given;
      const described = lines.map((line) => ({ description: "x", ...line }));
      const draft = await instance.company.documents.create({ ...input, ...discount, lines: described } as NewDocument);
      const { total_net, total_tax, total_gross } = expected;
      const shown = {
        ...{ total_net, total_tax, total_gross, global_discount_amount: null, ...discount },
        lines: lines.map((line) => ({ discount_amount: null, ...line })),
      };
      expect(draft, name).toMatchObject(shown);
      expect(await instance.company.documents.issue({ id: draft.id }), name).toMatchObject(shown);
      expect(await instance.company.documents.get({ id: draft.id }), name).toMatchObject(shown);
    }
    expect((await instance.company.series.verify()).whole).toBe(true);
  });

  test("of percentage and amount off all lines, the one that is sent takes the other's place", async () => {
    const instance = await anInstance(driver);
    const { id } = await aDraft(instance, { lines: NET, global_discount_pct: 10 });
    const change = async (fields: object) => {
      const { global_discount_pct, global_discount_amount, total_gross } = await instance.company.documents.change({
        ...{ id, ...fields },
      });
      return [global_discount_pct, global_discount_amount, total_gross];
    };
    expect(await change({ global_discount_amount: 5 })).toEqual([0, 5, 34.99]);
    expect(await change({ notes: "Obrigado" })).toEqual([0, 5, 34.99]);
    expect(await change({ global_discount_pct: 0 })).toEqual([0, 5, 34.99]);
    expect(await change({ global_discount_pct: 10 })).toEqual([10, null, 36.74]);
    expect(await change({ global_discount_amount: null })).toEqual([10, null, 36.74]);
    expect(await change({ global_discount_amount: 5, global_discount_pct: 0 })).toEqual([0, 5, 34.99]);
    expect(await change({ global_discount_amount: null })).toEqual([0, null, 40.83]);
    const both = { global_discount_amount: 5, global_discount_pct: 1 };
    await expectRefusal(change(both), "invalid_request", "global_discount_amount: must not be sent with global_disc");
  });

  test("a change of one field keeps the amounts off the lines", async () => {
    const instance = await anInstance(driver);
    const lines = [aLine({ discount_amount: 5 }), aLine({ discount_pct: 5 })];
    const { id, lines: before } = await aDraft(instance, { lines });
    expect((await instance.company.documents.change({ id, notes: "Olá" })).lines).toEqual(before);
    expect(before.map(({ discount_pct, discount_amount }) => [discount_pct, discount_amount])).toEqual([
      [0, 5],
      [5, null],
    ]);
  });
});

describe.each(DATABASES)("a discount of an amount over $name", (driver) => {
  test.each<[string, object, string]>([
    ["0 off a line", { lines: [aLine({ discount_amount: 0 })] }, "lines[0].discount_amount: must be more than 0"],
    ["half cents", { lines: [aLine({ discount_amount: 0.005 })] }, "lines[0].discount_amount: must have at most 2"],
    ["more than 10^9", { global_discount_amount: 1e9 + 1 }, "global_discount_amount: must be at most 1,000,000,000"],
    [
      "more than the line",
      { lines: [aLine(), aLine({ qty: 3, unit_price_net: 0.335, discount_amount: 1.01 })] },
      "lines[1].discount_amount: must be at most what the line comes to, 1.00 EUR",
    ],
    [
      "percentage and amount off a line",
      { lines: [aLine({ discount_pct: 5, discount_amount: 1 })] },
      "lines[0].discount_amount: must not be sent with discount_pct",
    ],
    [
      "percentage and amount off all lines",
      { global_discount_pct: 5, global_discount_amount: 1 },
      "global_discount_amount: must not be sent with global_discount_pct",
    ],
    [
      "more than all lines",
      { lines: NET, global_discount_amount: 34.99 },
      "global_discount_amount: must be at most what the lines come to, 34.98 EUR",
    ],
    [
      "an amount off lines that are priced net and with VAT",
      { lines: [aLine(), gross(10)], global_discount_amount: 1 },
      "global_discount_amount: needs lines that are all priced net, or all with VAT",
    ],
    [
      "an amount off a receipt",
      { doc_type: "RC", lines: [aLine({ discount_amount: 1 })], global_discount_amount: 1 },
      "lines[0].discount_amount: a document of type RC takes no discount of an amount",
    ],
    ["a text", { global_discount_amount: "1" }, "global_discount_amount: must be a number"],
  ])("%s is refused, naming the field", async (_, fields, message) => {
    const instance = await anInstance(driver);
    const { doc_type = "FT" } = fields as Partial<NewDocument>;
    const input = { ...(await invoiceInput(instance)), series_id: instance.series[doc_type], ...fields };
    await expectRefusal(instance.company.documents.create(input as NewDocument), "invalid_request", message);
    expect((await instance.company.documents.list()).data).toEqual([]);
  });
});

describe.each(DATABASES)("what an amount off leaves, over $name", (driver) => {
  test("the tax file states the net by the quantity, and all that came off", async () => {
    const instance = await anInstance(driver);
    const { number } = await anInvoice(instance, {
      lines: [aLine({ unit_price_net: 100, discount_pct: 10 }), aLine({ unit_price_net: 50, discount_amount: 7.5 })],
      global_discount_amount: 8.69,
    });
    const priced = await anInvoice(instance, { lines: [gross(33.33, { qty: 3, discount_amount: 5 })] });
    const { documents } = await anExport(instance);
    const amounts = (of: string | null) =>
      documents
        .get(of ?? "")
        .Line.map((line: Record<string, string>) => [line.UnitPrice, line.CreditAmount, line.SettlementAmount]);
    expect(amounts(number)).toEqual([
      ["84.097358", "84.097358", "15.902642"],
      ["39.712642", "39.712642", "10.287358"],
    ]);
    // (99.99 − 5) ÷ 1.23 = 77.227642…, and 5 ÷ 1.23 = 4.065041 came off.
    expect(amounts(priced.number)).toEqual([["25.74254742547425", "77.227642", "4.065041"]]);
  });

  test("a credit note of all is allowed once, and of a cent more it is not", async () => {
    const instance = await anInstance(driver);
    const sale = await anInvoice(instance, { lines: NET, global_discount_amount: 5 });
    const credit = (fields: object) =>
      anInvoice(instance, {
        ...{ doc_type: "NC", customer_id: sale.customer_id, references: [{ document_id: sale.id }] },
        ...{ lines: NET.map((line, i) => ({ ...line, reference_line: i + 1 })), ...fields },
      });
    await expectRefusal(credit({}), "credit_exceeds_original", "");
    await expectRefusal(credit({ global_discount_amount: 4.99 }), "credit_exceeds_original", "");
    const whole = await credit({ global_discount_amount: 5 });
    expect(whole.total_gross).toBe(34.99);
    expect((await instance.company.documents.get({ id: sale.id })).outstanding).toBe(0);
    await expectRefusal(credit({ global_discount_amount: 34.97 }), "credit_exceeds_original", "");
    await instance.company.documents.cancel({ id: whole.id });
    const [first] = NET;
    const part = (discount_amount: number) => ({ lines: [{ ...first, reference_line: 1, discount_amount }] });
    await expectRefusal(credit(part(2.85)), "credit_exceeds_original", "23");
    expect((await credit(part(2.86))).total_net).toBe(17.14);
  });

  test("a receipt under cash VAT states what the discount left at each rate", async () => {
    const instance = await anInstance(driver);
    const { lacre, company, company_id } = instance;
    await lacre.companies.change({ id: company_id, cash_vat: true });
    const [ft, rc] = [
      await company.series.create({ doc_type: "FT", code: "2026C", cash_vat: true }),
      await company.series.create({ doc_type: "RC", code: "2026C", cash_vat: true }),
    ];
    const { id: customer_id } = await aCustomer(instance, { tax_id: "501964843" });
    const lines = [gross(19.99), gross(1.15, { qty: 2, tax_rate: 6 }), gross(2.35, { qty: 3, tax_rate: 13 })];
    const sale = await anInvoice(instance, { series_id: ft.id, customer_id, lines, global_discount_amount: 2 });
    const receipt = await anInvoice(instance, {
      ...{ doc_type: "RC", series_id: rc.id, customer_id, lines: [], references: [{ document_id: sale.id }] },
    });
    expect(receipt.lines.map(({ tax_rate, unit_price_gross }) => [tax_rate, unit_price_gross]).toSorted()).toEqual([
      [13, 6.57],
      [23, 18.63],
      [6, 2.14],
    ]);
    expect([sale.total_gross, receipt.total_gross]).toEqual([27.34, 27.34]);
  });

  test("figures count what is left", async () => {
    const instance = await anInstance(driver);
    await anInvoice(instance, { lines: NET, global_discount_amount: 5 });
    const { id } = await anInvoice(instance, { lines: NET, global_discount_amount: 5 });
    await instance.company.documents.cancel({ id });
    const { sales } = await instance.company.figures.get({ year: Number(TODAY.slice(0, 4)) });
    expect(JSON.stringify(sales)).toContain("29.98");
    expect((await instance.company.series.verify()).whole).toBe(true);
  });
});
