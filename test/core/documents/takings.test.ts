import { describe, expect, test } from "vitest";
import { DATABASES } from "../../support/databases.ts";
import { TODAY } from "../../support/drivers.ts";
import { aCreditNote, aLineOf } from "../../support/factories.ts";
import { anInstance } from "../../support/instance.ts";
import { expectRefusal } from "../../support/refusals.ts";
import { anInvoiceOf, aRefund, CASH } from "../../support/settling.ts";

describe.each(DATABASES)("takings over $name", (driver) => {
  test("sum a day's payments and refunds by means, and by who recorded them", async () => {
    const home = await anInstance(driver);
    const { company, lacre, company_id } = home;
    const maria = lacre.as(company_id, { actor: "Maria" });
    await anInvoiceOf(home, 30, { doc_type: "FS", payments: [{ ...CASH, amount: 30 }] });
    const invoice = await anInvoiceOf(home, 100);
    await maria.payments.record({ id: invoice.id, ...CASH, method_code: "MB", amount: 60 });
    await company.payments.record({ id: invoice.id, ...CASH, payment_date: "2026-11-20", amount: 40 });
    const wrong = await anInvoiceOf(home, 1_000, { doc_type: "FS", payments: [{ ...CASH, amount: 1_000 }] });
    const { payments } = await company.documents.get({ id: wrong.id });
    await company.payments.void({ id: payments[0]?.id ?? "" });
    await anInvoiceOf(home, 12, { doc_type: "FR", payments: [{ ...CASH, amount: 5 }] });
    await aCreditNote(home, invoice, { lines: [aLineOf(10)] });
    await aRefund(home, invoice, 10);
    const takings = await company.payments.takings();
    expect(takings).toMatchObject({
      date: TODAY,
      ...{ received: 102, refunded: 10, total: 92, payments: 4, refunds: 1 },
      means: [
        { method_code: "MB", received: 60, refunded: 0, total: 60, payments: 1, refunds: 0 },
        { method_code: "NU", received: 35, refunded: 10, total: 25, payments: 2, refunds: 1 },
        { method_code: null, received: 7, refunded: 0, total: 7, payments: 1, refunds: 0 },
      ],
    });
    expect(takings.actors.map(({ actor, total }) => [actor.code, actor.name, total])).toEqual([
      ["H1", "Lacre", 32],
      ["H2", "Maria", 60],
    ]);
    expect(takings.actors[1]?.means).toMatchObject([{ method_code: "MB", total: 60 }]);
    expect(await company.payments.takings({ date: "2026-11-20" })).toMatchObject({ total: 40, payments: 1 });
    expect(await company.payments.takings({ date: "2026-11-19" })).toMatchObject({ total: 0, means: [], actors: [] });
    await expectRefusal(company.payments.takings({ date: "ontem" }), "invalid_request", "date: must be a date");
  });
});
