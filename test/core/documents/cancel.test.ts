import { DOC_TYPES } from "lacre";
import { describe, expect, test } from "vitest";
import { DATABASES } from "../../support/databases.ts";
import { TODAY, UNKNOWN_ID } from "../../support/drivers.ts";
import { aCreditNote, aDraft, aLine, anInvoice, aPayment } from "../../support/factories.ts";
import { aCompany, anInstance } from "../../support/instance.ts";
import { expectRefusal } from "../../support/refusals.ts";

describe.each(DATABASES)("cancelling over $name", (driver) => {
  test.each(DOC_TYPES)("a cancelled %s keeps all its fields and gains time and reason", async (doc_type) => {
    const instance = await anInstance(driver);
    const issued = await anInvoice(instance, { doc_type });
    instance.wait(5_000);
    const cancelled = await instance.company.documents.cancel({ id: issued.id });
    expect(cancelled).toEqual({
      ...issued,
      status: "cancelled",
      cancelled_at: "2026-11-21T10:31:12.482Z",
      cancel_reason: "Anulado pelo emitente",
      payment_status: null,
      outstanding: null,
      quote_status: null,
    });
    expect(await instance.company.documents.get({ id: issued.id })).toEqual({
      ...cancelled,
      payments: [],
      refunds: [],
    });
    expect(await instance.company.series.verify()).toMatchObject({ whole: true, documents: 1 });
  });

  test("the reason is stored as sent, up to 50 characters", async () => {
    const instance = await anInstance(driver);
    const { company } = instance;
    const { id } = await anInvoice(instance);
    const call = company.documents.cancel({ id, reason: "x".repeat(51) });
    await expectRefusal(call, "invalid_request", "reason: must have at most 50 characters");
    await expectRefusal(company.documents.cancel({ id, reason: "" }), "invalid_request", "reason: must not be empty");
    expect((await company.documents.cancel({ id, reason: "é".repeat(50) })).cancel_reason).toBe("é".repeat(50));
  });

  test("the number is not used again", async () => {
    const instance = await anInstance(driver);
    const first = await anInvoice(instance);
    await instance.company.documents.cancel({ id: first.id });
    expect((await anInvoice(instance)).number).toBe("FT 2026A/2");
  });

  test("neither a draft nor a cancelled document can be cancelled, and nothing changes", async () => {
    const instance = await anInstance(driver);
    const { company } = instance;
    const draft = await aDraft(instance);
    await expectRefusal(company.documents.cancel({ id: draft.id }), "invalid_state", "draft cannot be cancelled");
    const { id } = await anInvoice(instance);
    const cancelled = await company.documents.cancel({ id, reason: "primeira" });
    instance.wait(1_000);
    await expectRefusal(company.documents.cancel({ id, reason: "segunda" }), "invalid_state", "cancelled document");
    expect(await company.documents.get({ id })).toEqual({ ...cancelled, payments: [], refunds: [] });
    await expectRefusal(company.documents.cancel({ id: UNKNOWN_ID }), "not_found");
    const other = await aCompany(instance.lacre);
    await expectRefusal(other.company.documents.cancel({ id: (await anInvoice(instance)).id }), "not_found");
  });

  test("a document with a payment is settled until the payment is voided", async () => {
    const instance = await anInstance(driver);
    const { company } = instance;
    const invoice = await anInvoice(instance);
    const payments = [await aPayment(instance, invoice, 1), await aPayment(instance, invoice, 2)];
    for (const { id } of payments) {
      await expectRefusal(company.documents.cancel({ id: invoice.id }), "document_settled", "void");
      await company.payments.void({ id });
    }
    expect((await company.documents.cancel({ id: invoice.id })).status).toBe("cancelled");
  });

  test("payments sent with the document count too", async () => {
    const instance = await anInstance(driver);
    const payments = [{ amount: 123, method_code: "NU", payment_date: TODAY } as const];
    const { id } = await anInvoice(instance, { doc_type: "FR", payments });
    await expectRefusal(instance.company.documents.cancel({ id }), "document_settled");
    const { data } = await instance.company.payments.list({ document_id: id });
    for (const payment of data) await instance.company.payments.void({ id: payment.id });
    expect((await instance.company.documents.cancel({ id })).status).toBe("cancelled");
    expect(await instance.company.series.verify()).toMatchObject({ whole: true });
  });

  test("a document is settled while an issued one references it; drafts and cancelled ones do not count", async () => {
    const instance = await anInstance(driver);
    const { company } = instance;
    const invoice = await anInvoice(instance);
    const { customer_id } = invoice;
    const references = [{ document_id: invoice.id }];
    await aDraft(instance, { doc_type: "NC", customer_id, references });
    const credit = await aCreditNote(instance, invoice, { lines: [aLine({ unit_price_net: 1 })] });
    const lines = [aLine({ unit_price_net: 1 })];
    const receipt = await anInvoice(instance, { doc_type: "RC", customer_id, references, lines });
    await expectRefusal(company.documents.cancel({ id: invoice.id }), "document_settled", "cancel it first");
    await company.documents.cancel({ id: credit.id });
    await expectRefusal(company.documents.cancel({ id: invoice.id }), "document_settled", receipt.number ?? "");
    await company.documents.cancel({ id: receipt.id });
    expect((await company.documents.cancel({ id: invoice.id })).status).toBe("cancelled");
  });

  test("a document that settles another can itself be cancelled", async () => {
    const instance = await anInstance(driver);
    const invoice = await anInvoice(instance);
    const credit = await aCreditNote(instance, invoice);
    expect(await instance.company.documents.get({ id: invoice.id })).toMatchObject({ outstanding: 0 });
    await instance.company.documents.cancel({ id: credit.id });
    expect(await instance.company.documents.get({ id: invoice.id })).toMatchObject({ outstanding: 123 });
  });

  test("the state is checked before payments and references", async () => {
    const instance = await anInstance(driver);
    const invoice = await anInvoice(instance);
    const credit = await aCreditNote(instance, invoice, { lines: [aLine({ unit_price_net: 1 })] });
    await aPayment(instance, invoice, 1);
    const cancel = () => instance.company.documents.cancel({ id: invoice.id });
    await expectRefusal(cancel(), "document_settled", credit.number ?? "");
    await instance.company.documents.cancel({ id: credit.id });
    await expectRefusal(cancel(), "document_settled", "payments");
  });

  test("cancelling works in a closed series and under a clock that went back", async () => {
    const instance = await anInstance(driver);
    const [first, second] = [await anInvoice(instance), await anInvoice(instance)];
    await instance.company.series.change({ id: instance.series.FT, status: "closed" });
    expect((await instance.company.documents.cancel({ id: first.id })).status).toBe("cancelled");
    instance.wait(-86_400_000);
    expect((await instance.company.documents.cancel({ id: second.id })).status).toBe("cancelled");
  });
});
