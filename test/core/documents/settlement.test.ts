import fc from "fast-check";
import type { NewDocument } from "lacre";
import { describe, expect, test } from "vitest";
import { atScale, SEED } from "../../durability/scale.ts";
import { DATABASES } from "../../support/databases.ts";
import { TODAY, UNKNOWN_ID } from "../../support/drivers.ts";
import { aCreditNote, aDraft, aLineOf, aPayment } from "../../support/factories.ts";
import { aCompany, anInstance, type Home, openInstance } from "../../support/instance.ts";
import { expectRefusal } from "../../support/refusals.ts";
import { runsOf } from "../../support/sampled.ts";
import { anInvoiceOf, aReceipt, aRefund, CASH, REFUND, settlesAsModelled } from "../../support/settling.ts";

const outstandingOn = async ({ company }: Home, { id }: { id: string }) =>
  (await company.documents.get({ id })).outstanding;

describe.each(DATABASES)("a refund over $name", (driver) => {
  test("gives back what was paid and then credited; it is no payment, in no list of them", async () => {
    const home = await anInstance(driver);
    const { company } = home;
    const invoice = await anInvoiceOf(home, 100);
    const payment = await aPayment(home, invoice, 100);
    await aCreditNote(home, invoice, { lines: [aLineOf(40)] });
    expect(await outstandingOn(home, invoice)).toBe(-40);
    const refund = await aRefund(home, invoice, 30);
    expect(refund).toMatchObject({ document_id: invoice.id, amount: 30, kind: "refund", credit_note_id: null });
    expect(await company.documents.get({ id: invoice.id })).toMatchObject({
      outstanding: -10,
      payment_status: "paid",
      payments: [payment],
      refunds: [refund],
    });
    expect((await company.payments.list()).data).toEqual([payment]);
    expect(await company.payments.list({ kind: "refund" })).toMatchObject({
      data: [refund],
      pagination: { total: 1 },
    });
    expect((await company.payments.list({ kind: "refund", document_id: invoice.id, from: TODAY })).data).toEqual([
      refund,
    ]);
    expect((await company.payments.list({ kind: "refund", from: "2026-12-01" })).data).toEqual([]);
    await expectRefusal(aRefund(home, invoice, 10.01), "payment_exceeds_balance", "Only 10.00");
    await company.payments.void({ id: refund.id });
    expect(await outstandingOn(home, invoice)).toBe(-40);
    await expectRefusal(company.payments.void({ id: refund.id }), "not_found");
    const { data } = await company.events.list({ resource_id: invoice.id });
    expect(data.map(({ action }) => action)).toContain("refund.voided");
    expect(data.find(({ action }) => action === "refund.recorded")).toMatchObject({
      resource_id: refund.id,
      detail: { document_id: invoice.id, amount: 30 },
    });
    expect(await company.series.verify()).toMatchObject({ whole: true });
  });

  test("of an FR is bounded by what was credited on it, which stays at 0", async () => {
    const home = await anInstance(driver);
    const invoice = await anInvoiceOf(home, 100, { doc_type: "FR" });
    await expectRefusal(aRefund(home, invoice, 0.01), "payment_exceeds_balance", "There is nothing to give back.");
    await aCreditNote(home, invoice, { lines: [aLineOf(25)] });
    await aRefund(home, invoice, 25);
    await expectRefusal(aRefund(home, invoice, 0.01), "payment_exceeds_balance");
    expect(await home.company.documents.get({ id: invoice.id })).toMatchObject({
      outstanding: 0,
      payment_status: "paid",
    });
    expect(await home.company.series.verify()).toMatchObject({ whole: true });
  });

  test("of a credit note counts on the one document that it references", async () => {
    const home = await anInstance(driver);
    const { company } = home;
    const invoice = await anInvoiceOf(home, 100);
    await aPayment(home, invoice, 100);
    const credit = await aCreditNote(home, invoice, { lines: [aLineOf(40)] });
    const refund = await aRefund(home, credit, 40);
    expect(refund).toMatchObject({
      document_id: invoice.id,
      document_number: "FT 2026A/1",
      credit_note_id: credit.id,
    });
    for (const { id } of [invoice, credit]) {
      expect((await company.documents.get({ id })).refunds).toEqual([refund]);
      expect((await company.payments.list({ kind: "refund", document_id: id })).data).toEqual([refund]);
      const { data } = await company.events.list({ resource_id: id });
      expect(data.map(({ action }) => action)).toContain("refund.recorded");
    }
    expect(await outstandingOn(home, invoice)).toBe(0);
    await expectRefusal(company.documents.cancel({ id: credit.id }), "document_settled", "refunds; void them");
    await company.payments.void({ id: refund.id });
    await company.documents.cancel({ id: credit.id });
    expect(await outstandingOn(home, invoice)).toBe(0);
  });
});

describe.each(DATABASES)("a refund of a credit note over $name", (driver) => {
  test("is taken neither by a credit note of several documents, nor by one of none", async () => {
    const home = await anInstance(driver);
    const [one, two] = [await anInvoiceOf(home, 10, { doc_type: "FR" }), await anInvoiceOf(home, 10)];
    const customer_id = one.customer_id;
    const other = await anInvoiceOf(home, 10, { doc_type: "FR", customer_id });
    const several = {
      references: [one, other].map(({ id }) => ({ document_id: id, amount: 5 })),
      lines: [one, other].map(({ id }) => ({ ...aLineOf(5), reference_id: id })),
    };
    const credit = await aCreditNote(home, one, several);
    await expectRefusal(aRefund(home, credit, 1), "invalid_state", "record the refund on those");
    const payments = [{ ...REFUND, amount: 1 }];
    await expectRefusal(aCreditNote(home, one, { ...several, payments }), "invalid_state", "on those");
    const bare = await anInvoiceOf(home, 10, { doc_type: "NC" });
    await expectRefusal(aRefund(home, bare, 1), "invalid_state", "references no document");
    for (const doc_type of ["GT", "OR", "RC", "NDV", "GR"] as const) {
      const { id } = await anInvoiceOf(home, 10, { doc_type });
      await expectRefusal(aRefund(home, { id }, 1), "invalid_state", `type ${doc_type} takes no refunds`);
    }
    await expectRefusal(aRefund(home, two, 1), "payment_exceeds_balance");
    await expectRefusal(aRefund(home, { id: UNKNOWN_ID }, 1), "not_found");
    await expectRefusal(aRefund(home, await aDraft(home), 1), "invalid_state", "A draft cannot be refunded");
    const stranger = await aCompany(home.lacre);
    await expectRefusal(aRefund(stranger, one, 1), "not_found");
  });

  test("is sent with a credit note, frozen with it, and counts from its issue on", async () => {
    const home = await anInstance(driver);
    const { company } = home;
    const invoice = await anInvoiceOf(home, 100, { doc_type: "FS", payments: [{ ...CASH, amount: 100 }] });
    const payments = [{ ...REFUND, amount: 60 }];
    const draft = await aCreditNote(home, invoice, { lines: [aLineOf(60)], payments, issue: false });
    expect(await company.documents.get({ id: draft.id })).toMatchObject({ payments: [], refunds: payments });
    expect((await company.payments.list({ kind: "refund" })).data).toEqual([]);
    await company.documents.change({ id: draft.id, notes: "Devolvido" });
    await company.documents.issue({ id: draft.id });
    const { refunds } = await company.documents.get({ id: draft.id });
    expect(refunds).toMatchObject([
      { ...payments[0], document_id: invoice.id, credit_note_id: draft.id, recorded_by: "H1" },
    ]);
    expect(await outstandingOn(home, invoice)).toBe(0);
    const more = { lines: [aLineOf(40)], payments: [{ ...REFUND, amount: 41 }] };
    await expectRefusal(aCreditNote(home, invoice, more), "payment_exceeds_balance", "The refunds sum to 41");
    const { file } = await company.saft.export({ from: "2026-11-01", to: "2026-11-30" });
    const chunks: Uint8Array[] = [];
    for await (const chunk of file) chunks.push(chunk);
    const xml = Buffer.concat(chunks).toString("latin1");
    expect(xml.match(/<InvoiceType>NC.*?<\/Invoice>/s)?.[0]).toContain(
      "<Payment><PaymentMechanism>NU</PaymentMechanism><PaymentAmount>60.00</PaymentAmount>",
    );
    expect(await company.series.verify()).toMatchObject({ whole: true });
  });
});

describe.each(DATABASES)("a refund that nobody may make over $name", (driver) => {
  test("is refused with other types, and a payment with a credit note, as ever", async () => {
    const home = await anInstance(driver);
    const payments = [{ ...REFUND, amount: 1 }];
    await expectRefusal(aDraft(home, { payments }), "invalid_request", "payments[0].kind: a refund is sent with a");
    await expectRefusal(
      aDraft(home, { doc_type: "NC", payments: [{ ...CASH, amount: 1 }] }),
      "invalid_request",
      "payments: a document of type NC is not paid at issue",
    );
    const call = home.company.payments.record({ id: UNKNOWN_ID, ...CASH, amount: 1, kind: "gift" } as never);
    await expectRefusal(call, "invalid_request", "kind: must be one of payment, refund");
  });
});

describe.each(DATABASES)("a receipt that records over $name", (driver) => {
  test("pays its documents in their order, in the one act, and its payment is voided with it alone", async () => {
    const home = await anInstance(driver);
    const { company } = home;
    const one = await anInvoiceOf(home, 70);
    const two = await anInvoiceOf(home, 50, { customer_id: one.customer_id });
    const payments = [
      { ...CASH, amount: 60 },
      { ...CASH, method_code: "MB" as const, amount: 50 },
    ];
    const receipt = await aReceipt(
      home,
      [
        [one, 70],
        [two, 40],
      ],
      { payments },
    );
    expect(receipt.record_payments).toBe(true);
    const recorded = (await company.payments.list()).data.toReversed();
    expect(
      recorded.map(({ document_id, amount, method_code, receipt_id }) => [
        document_id,
        amount,
        method_code,
        receipt_id,
      ]),
    ).toEqual([
      [one.id, 60, "NU", receipt.id],
      [one.id, 10, "MB", receipt.id],
      [two.id, 40, "MB", receipt.id],
    ]);
    expect([await outstandingOn(home, one), await outstandingOn(home, two)]).toEqual([0, 10]);
    expect((await company.documents.get({ id: receipt.id })).payments).toMatchObject(payments);
    const [first] = recorded;
    const call = company.payments.void({ id: first?.id ?? "" });
    await expectRefusal(call, "invalid_state", "recorded by the receipt RG 2026A/1");
    const cancel = company.documents.cancel;
    await expectRefusal(cancel({ id: receipt.id }), "document_settled", "say in payments");
    await cancel({ id: receipt.id, payments: "void" });
    expect([await outstandingOn(home, one), await outstandingOn(home, two)]).toEqual([70, 50]);
    expect((await company.payments.list()).data).toEqual([]);
    expect(await company.series.verify()).toMatchObject({ whole: true });
  });

  test("leaves its payments where it is asked to; then they are voided like any other", async () => {
    const home = await anInstance(driver);
    const { company } = home;
    const invoice = await anInvoiceOf(home, 70);
    const receipt = await aReceipt(home, [[invoice, 70]]);
    await company.documents.cancel({ id: receipt.id, payments: "keep" });
    const [payment] = (await company.payments.list()).data;
    expect(payment).toMatchObject({ amount: 70, receipt_id: receipt.id });
    expect(await outstandingOn(home, invoice)).toBe(0);
    await company.payments.void({ id: payment?.id ?? "" });
    expect(await outstandingOn(home, invoice)).toBe(70);
  });

  test("records what a credit note has left of its document", async () => {
    const home = await anInstance(driver);
    const invoice = await anInvoiceOf(home, 100);
    const credit = await aCreditNote(home, invoice, { lines: [aLineOf(20)] });
    const references = [
      { document_id: credit.id, amount: 20 },
      { document_id: invoice.id, amount: 80 },
    ];
    const fields = { lines: [aLineOf(60)], payments: [{ ...CASH, amount: 60 }], references };
    await aReceipt(home, [[invoice, 60]], fields);
    expect(await outstandingOn(home, invoice)).toBe(20);
  });
});

describe.each(DATABASES)("a receipt that cannot record over $name", (driver) => {
  test("refuses what its documents do not take, and what it does not come to", async () => {
    const home = await anInstance(driver);
    const { company } = home;
    const invoice = await anInvoiceOf(home, 100);
    await aPayment(home, invoice, 60);
    const over = "exceed what can still be paid, which is 40.00 EUR of FT 2026A/1";
    await expectRefusal(aReceipt(home, [[invoice, 41]]), "payment_exceeds_balance", over);
    const wrong = (fields: Partial<NewDocument>, says: string) =>
      expectRefusal(aReceipt(home, [[invoice, 40]], fields), "invalid_request", says);
    await wrong({ payments: [{ ...CASH, amount: 39 }] }, "payments: must come to the total of the receipt");
    await wrong({ payments: [] }, "payments: must come to the total of the receipt");
    await wrong({ references: [] }, "references: is required when the receipt records payments");
    const paid = await anInvoiceOf(home, 100);
    await aPayment(home, paid, 100);
    await expectRefusal(aReceipt(home, [[paid, 40]]), "payment_exceeds_balance", "Nothing is left to pay.");
    await wrong({ doc_type: "FT", series_id: home.series.FT, references: [] }, "record_payments: is for receipts");
    const credit = await aCreditNote(home, invoice, { lines: [aLineOf(50)] });
    const given = {
      references: [{ document_id: credit.id }],
      lines: [aLineOf(50)],
      payments: [{ ...CASH, amount: 50 }],
    };
    await wrong(given, "references: comes to money to give back");
    expect((await company.payments.list()).pagination.total).toBe(2);
    expect((await company.documents.list({ doc_type: "RC" })).data).toEqual([]);
    const plain = await aReceipt(home, [[invoice, 10]], { record_payments: false });
    const cancel = company.documents.cancel({ id: plain.id, payments: "void" });
    await expectRefusal(cancel, "invalid_request", "payments: is only for cancelling a receipt that recorded");
    await company.documents.cancel({ id: plain.id });
    expect(await outstandingOn(home, invoice)).toBe(-10);
  });
});

describe.each(DATABASES)("balances over $name", (driver) => {
  test("whatever is paid, receipted, refunded, credited and cancelled, each balance is that of a plain model", async () => {
    const home = await openInstance(driver);
    try {
      await fc.assert(settlesAsModelled(home), { numRuns: atScale(runsOf(25), 1_000), seed: SEED });
      expect(await home.company.series.verify()).toMatchObject({ whole: true });
    } finally {
      await home.lacre.close();
    }
  });
});
