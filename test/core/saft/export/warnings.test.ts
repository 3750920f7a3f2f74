/** The warnings of the law: each with documents that deserve it and documents that do not. */

import { readFileSync } from "node:fs";
import type { NewDocument } from "lacre";
import { expect, test } from "vitest";
import { SaftWarning } from "../../../../src/core/saft/export/warnings.ts";
import { DATABASE } from "../../../support/databases.ts";
import { TODAY } from "../../../support/drivers.ts";
import { aCustomer, aLine, anInvoice, aPayment } from "../../../support/factories.ts";
import { anInstance, type Instance } from "../../../support/instance.ts";

const open = () => anInstance(DATABASE);

/** The numbers that a warning names. */
async function warnedOf({ company }: Instance, code: string): Promise<readonly string[]> {
  const { warnings } = await company.saft.report({});
  return warnings.find((warning) => warning.code === code)?.examples ?? [];
}

/** Issues a document for each of these fields, and expects a warning of those that are marked. */
async function expectWarnings(code: string, given: readonly (readonly [boolean, Partial<NewDocument>])[]) {
  const home = await open();
  const due: string[] = [];
  for (const [isDue, fields] of given) {
    const { number } = await anInvoice(home, fields);
    if (isDue) due.push(number ?? "");
  }
  expect(await warnedOf(home, code)).toEqual(due);
}

test("a document dated before the day of its entry is backdated, in the company's own zone", async () => {
  await expectWarnings("backdated", [
    [true, { issue_date: "2026-11-19" }],
    [true, { issue_date: "2026-11-20" }],
    [false, {}],
  ]);
  const home = await open();
  await home.lacre.companies.change({ id: home.company_id, time_zone: "Atlantic/Azores" });
  home.travel("2026-11-22T00:30:00Z"); // Still the 21st there.
  await anInvoice(home, { issue_date: "2026-11-21" });
  expect(await warnedOf(home, "backdated")).toEqual([]);
});

test("an invoice is late after the fifth working day from its supply", async () => {
  await expectWarnings("issued_late", [
    [false, {}],
    [false, { supply_date: "2026-11-16" }],
    [true, { supply_date: "2026-08-01" }],
    [true, { supply_date: "2010-01-01" }],
    [true, { doc_type: "FS", lines: [aLine({ supply_date: "2026-10-30" }), aLine({ supply_date: "2026-11-20" })] }],
    // A global invoice counts from the end of its month.
    [false, { lines: [aLine({ supply_date: "2026-11-02" }), aLine({ supply_date: "2026-11-20" })] }],
    [false, { doc_type: "OR", supply_date: "2026-08-01" }],
  ]);
});

test("services to a business of another EU state have until the 15th of the next month", async () => {
  const home = await open();
  const lines = [aLine({ tax_rate: 0, exemption_code: "M40" })];
  const { id: there } = await aCustomer(home, { tax_id: "ESB12345678", country: "ES" });
  const { id: elsewhere } = await aCustomer(home, { tax_id: "12-3456789", country: "US" });
  const issue = (customer_id: string, supply_date: string) => anInvoice(home, { customer_id, supply_date, lines });
  await issue(there, "2026-11-01");
  const late = [await issue(there, "2026-09-30"), await issue(elsewhere, "2026-11-01")];
  expect(await warnedOf(home, "issued_late")).toEqual(late.map(({ number }) => number));
});

test("a cancelled invoice is no longer late", async () => {
  const home = await open();
  const { id } = await anInvoice(home, { supply_date: "2026-08-01" });
  expect(await warnedOf(home, "issued_late")).toEqual(["FT 2026A/1"]);
  await home.company.documents.cancel({ id });
  expect(await warnedOf(home, "issued_late")).toEqual([]);
});

test("an exemption reason that does not fit the customer gives a warning, M05 too", async () => {
  const home = await open();
  const sold = async (exemption_code: string, customer: Record<string, unknown>) => {
    const { id: customer_id } = await aCustomer(home, customer);
    return (await anInvoice(home, { customer_id, lines: [aLine({ tax_rate: 0, exemption_code })] })).number;
  };
  const due = [
    await sold("M16", { tax_id: "501964843" }),
    await sold("M30", { name: "Consumidor final" }),
    await sold("M05", { tax_id: "501964843" }),
    await sold("M05", { country: "ES" }),
  ];
  await sold("M16", { tax_id: "ESB12345678", country: "ES" });
  await sold("M30", { tax_id: "501964843" });
  await sold("M05", { country: "US" });
  await sold("M07", { name: "Consumidor final" });
  expect(await warnedOf(home, "exemption_unlike_customer")).toEqual(due);
});

test("an FR whose payments differ from its total gives a warning", async () => {
  const pay = (amount: number) => ({ payments: [{ amount, method_code: "TB" as const, payment_date: TODAY }] });
  await expectWarnings("means_incomplete", [
    [true, { doc_type: "FR" }],
    [true, { doc_type: "FR", ...pay(120) }],
    [false, { doc_type: "FR", ...pay(123) }],
    [false, { doc_type: "FR", lines: [aLine({ unit_price_net: 0 })] }],
    [false, { doc_type: "FT", ...pay(120) }],
  ]);
});

test("3,000 EUR in cash give a warning, at once or in parts, on an invoice or a receipt; voided payments do not", async () => {
  const home = await open();
  const large = { lines: [aLine({ unit_price_net: 4_000 })] };
  const cash = (amount: number) => ({ amount, method_code: "NU" as const, payment_date: TODAY });
  const atOnce = await anInvoice(home, { ...large, doc_type: "FR", payments: [cash(4_920)] });
  await anInvoice(home, { ...large, payments: [cash(2_999.99), { ...cash(1_000), method_code: "TB" }] });
  const inParts = await anInvoice(home, { ...large, payments: [cash(1_500)] });
  await home.company.payments.record({ id: inParts.id, ...cash(1_500) });
  const voided = await anInvoice(home, large);
  const { id } = await home.company.payments.record({ id: voided.id, ...cash(3_000) });
  await home.company.payments.void({ id });
  const byTransfer = await anInvoice(home, large);
  await aPayment(home, byTransfer, 4_920);
  const { number } = await anInvoice(home, { ...large, doc_type: "RC", payments: [cash(3_000)] });
  expect(await warnedOf(home, "cash_above_limit")).toEqual([inParts.number, atOnce.number, number]);
});

test("a receipt's payment from before its documents gives a warning", async () => {
  const home = await open();
  const { id: document_id, customer_id } = await anInvoice(home, { supply_date: "2026-11-18" });
  const receipt = (payment_date: string) =>
    anInvoice(home, {
      doc_type: "RC",
      customer_id,
      lines: [aLine({ unit_price_net: 1, tax_rate: 0 })],
      references: [{ document_id }],
      payments: [{ amount: 1, method_code: "TB", payment_date }],
    });
  const early = await receipt("2026-01-01");
  await receipt("2026-11-18");
  expect(await warnedOf(home, "paid_before_supply")).toEqual([early.number]);
});

test("a line that pretends to be a withholding gives a warning", async () => {
  await expectWarnings("withholding_as_line", [
    [true, { lines: [aLine(), aLine({ description: "Retenção na fonte 25 %" })] }],
    [false, { lines: [aLine({ description: "Válvula de retenção" })] }],
  ]);
});

test("operating.md explains each warning, and no other", () => {
  const [, table = ""] = readFileSync("docs/operating.md", "utf8").split("| warning | what it means |");
  const rows = Array.from(table.split("\n\n")[0]?.matchAll(/^\| `(\w+)` \| /gm) ?? [], ([, code]) => code);
  expect(rows.toSorted()).toEqual(SaftWarning.shape.code.options.toSorted());
  expect(new Set(rows).size).toBe(rows.length);
});
