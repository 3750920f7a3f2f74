import { describe, expect, test } from "vitest";
import type { Statement } from "../../../src/core/documents/statement.ts";
import { chanceOf } from "../../support/chance.ts";
import { DATABASES } from "../../support/databases.ts";
import { TODAY, UNKNOWN_ID } from "../../support/drivers.ts";
import { aCreditNote, aCustomer, aLineOf, anInvoice, aPayment } from "../../support/factories.ts";
import { aHistory } from "../../support/history.ts";
import { aCompany, anInstance } from "../../support/instance.ts";
import { expectRefusal } from "../../support/refusals.ts";
import { anInvoiceOf, aReceipt, aRefund } from "../../support/settling.ts";

const YEAR = { from: "2026-01-01", to: TODAY };

const cents = (eur: number) => Math.round(eur * 100);
const ageSum = ({ ages }: Statement) => Object.values(ages).reduce((sum, age) => sum + cents(age), 0);

describe.each(DATABASES)("a statement over $name", (driver) => {
  test("lists what was charged, credited, paid and given back, with the balance after each", async () => {
    const home = await anInstance(driver);
    const customer = await aCustomer(home, { name: "Ana", tax_id: "999999990" });
    const customer_id = customer.id;
    const before = { issue_date: "2026-11-18", due_date: "2026-11-19", customer_id };
    const old = await anInvoiceOf(home, 100, before);
    await anInvoiceOf(home, 7, { doc_type: "FR", customer_id });
    await aPayment(home, old, 100);
    const credit = await aCreditNote(home, old, { lines: [aLineOf(40)] });
    await aRefund(home, credit, 10);
    const fresh = await anInvoiceOf(home, 50, { customer_id });
    await aReceipt(home, [[fresh, 20]]);
    await anInvoice(home, { doc_type: "NC", customer_id, lines: [aLineOf(5)] });
    const cancelled = await anInvoiceOf(home, 1_000, { customer_id });
    await home.company.documents.cancel({ id: cancelled.id });
    const statement = await home.company.customers.statement({ id: customer_id, from: "2026-11-19", to: TODAY });
    expect(statement).toMatchObject({
      customer: { id: customer_id, name: "Ana", tax_id: "999999990" },
      opening_balance: 100,
      closing_balance: -5,
      unallocated: 5,
      in_favour: 30,
      ages: { not_due: 30, days_1_30: 0 },
    });
    expect(statement.rows.map((row) => [row.document_number, row.kind, row.debit, row.credit, row.balance])).toEqual([
      ["FR 2026A/1", "document", 7, 7, 100],
      ["FT 2026A/1", "payment", 0, 100, 0],
      ["NC 2026A/1", "document", 0, 40, -40],
      ["FT 2026A/1", "refund", 10, 0, -30],
      ["FT 2026A/2", "document", 50, 0, 20],
      ["RG 2026A/1", "document", 0, 0, 20],
      ["FT 2026A/2", "payment", 0, 20, 0],
      ["NC 2026A/2", "document", 0, 5, -5],
    ]);
    const first = await home.company.customers.statement({ id: customer_id, from: "2026-01-01", to: "2026-11-20" });
    expect(first).toMatchObject({ opening_balance: 0, closing_balance: 100, ages: { not_due: 0, days_1_30: 100 } });
  });

  test.each(["FT", "FR"] as const)(
    "has money dated before its %s in the customer's favour until then",
    async (doc_type) => {
      const home = await anInstance(driver);
      const { id } = await aCustomer(home);
      const sold = await anInvoiceOf(home, 100, { doc_type, customer_id: id, issue_date: "2026-02-10" });
      await home.company.payments.record({ id: sold.id, amount: 30, method_code: "TB", payment_date: "2026-01-20" });
      await anInvoiceOf(home, 7, { customer_id: id, issue_date: "2026-02-11" });
      const early = doc_type === "FT" ? 30 : 0;
      const january = await home.company.customers.statement({ id, from: "2026-01-01", to: "2026-01-31" });
      expect(january).toMatchObject({ closing_balance: 0 - early, in_favour: early, unallocated: 0 });
      expect(ageSum(january)).toBe(0);
      const february = await home.company.customers.statement({ id, from: "2026-02-01", to: "2026-02-28" });
      const open = doc_type === "FT" ? 77 : 7;
      expect(february).toMatchObject({ opening_balance: 0 - early, closing_balance: open, in_favour: 0 });
      expect(ageSum(february)).toBe(cents(open));
    },
  );

  test("ages what is open by the days after it was due", async () => {
    const home = await anInstance(driver);
    const { id } = await aCustomer(home);
    for (const [issue_date, due_date] of [
      ["2026-11-21", null],
      ["2026-01-01", "2026-11-20"],
      ["2026-10-22", null],
      ["2026-10-21", null],
      ["2026-09-22", null],
      ["2026-08-23", null],
      ["2026-08-22", null],
    ].toReversed() as [string, string | null][]) {
      const series = await home.company.series.create({ doc_type: "FT", code: `S${issue_date}` });
      await anInvoiceOf(home, 1, { customer_id: id, series_id: series.id, issue_date, due_date });
    }
    const { ages } = await home.company.customers.statement({ id, ...YEAR });
    expect(ages).toEqual({ not_due: 1, days_1_30: 2, days_31_60: 2, days_61_90: 1, over_90: 1 });
  });
});

describe.each(DATABASES)("any statement over $name", (driver) => {
  test("after any history it closes at what is owed, and each period opens where the last one closed", async () => {
    const chance = chanceOf(Number(process.env.LACRE_SEED));
    const said = `LACRE_SEED=${chance.seed}`;
    const home = await anInstance(driver);
    await aHistory(home, chance, { acts: 80 });
    const { data: all } = await home.company.documents.list({ limit: 200, status: "issued" });
    for (const { id } of (await home.company.customers.list()).data) {
      const statement = (from: string, to: string) => home.company.customers.statement({ id, from, to });
      const whole = await statement("2026-01-01", TODAY);
      const owed = all
        .filter(({ customer_id }) => customer_id === id)
        .map(({ outstanding }) => cents(outstanding ?? 0));
      const onFr = await creditLeftOnFr(home, id);
      const sum = owed.reduce((a, b) => a + b, 0) - onFr;
      expect(cents(whole.closing_balance), said).toBe(sum - cents(whole.unallocated));
      expect(cents(whole.closing_balance), said).toBe(
        ageSum(whole) - cents(whole.in_favour) - cents(whole.unallocated),
      );
      const first = await statement("2026-01-01", "2026-11-19");
      const second = await statement("2026-11-20", "2026-11-20");
      const third = await statement("2026-11-21", TODAY);
      expect([second.opening_balance, third.opening_balance], said).toEqual([
        first.closing_balance,
        second.closing_balance,
      ]);
      expect([first.opening_balance, third.closing_balance], said).toEqual([0, whole.closing_balance]);
      expect([...first.rows, ...second.rows, ...third.rows], said).toEqual(whole.rows);
    }
  });

  test("is refused of nobody, of another company's customer, and of no period", async () => {
    const home = await anInstance(driver);
    const { id } = await aCustomer(home);
    const { statement } = home.company.customers;
    await expectRefusal(statement({ id: UNKNOWN_ID, ...YEAR }), "not_found");
    const stranger = await aCompany(home.lacre);
    await expectRefusal(stranger.company.customers.statement({ id, ...YEAR }), "not_found");
    await expectRefusal(statement({ id, from: TODAY, to: "2026-11-20" }), "invalid_request", "to: must not be before");
    await expectRefusal(statement({ id } as never), "invalid_request", "from: is required");
    expect(await statement({ id, ...YEAR })).toMatchObject({ rows: [], opening_balance: 0, closing_balance: 0 });
  });
});

/** What was credited on a customer's FRs and not given back: it takes off the account; their outstanding stays 0. */
async function creditLeftOnFr(home: Awaited<ReturnType<typeof anInstance>>, customer_id: string): Promise<number> {
  const list = (filter: object) =>
    home.company.documents.list({ limit: 200, customer_id, status: "issued", ...filter });
  const frs = new Set((await list({ doc_type: "FR" })).data.map(({ id }) => id));
  const notes = (await list({ doc_type: "NC" })).data.flatMap(({ references }) => references);
  const credited = notes.filter(({ document_id }) => frs.has(document_id));
  const refunds = (await home.company.payments.list({ kind: "refund", limit: 200 })).data;
  const refunded = refunds.filter(({ document_id }) => frs.has(document_id));
  const sum = (amounts: readonly { readonly amount: number | null }[]) =>
    amounts.reduce((all, { amount }) => all + cents(amount ?? 0), 0);
  return sum(credited) - sum(refunded);
}
