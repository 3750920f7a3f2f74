import fc from "fast-check";
import { DOC_TYPES } from "lacre";
import { describe, expect, test } from "vitest";
import { DATABASES } from "../../support/databases.ts";
import { NOW, TODAY, UNKNOWN_ID } from "../../support/drivers.ts";
import { aCreditNote, aDraft, aLine, aLineOf, anInvoice, aPayment } from "../../support/factories.ts";
import { aCompany, anInstance, openInstance } from "../../support/instance.ts";
import { expectRefusal } from "../../support/refusals.ts";
import { runsOf } from "../../support/sampled.ts";

const PAYMENT = { amount: 10, method_code: "TB", payment_date: TODAY } as const;
const TAKES_PAYMENTS: readonly string[] = ["FT", "FS", "FR", "ND"];

describe.each(DATABASES)("payments over $name", (driver) => {
  test("a payment comes back as it was sent, and lowers the outstanding amount", async () => {
    const instance = await anInstance(driver);
    const { company } = instance;
    const { id, number } = await anInvoice(instance);
    const payment = await company.payments.record({ id, ...PAYMENT });
    const recorded = { document_number: number, recorded_at: NOW, recorded_by: "H1" };
    const alone = { kind: "payment", receipt_id: null, credit_note_id: null };
    expect(payment).toEqual({ id: expect.any(String), document_id: id, ...PAYMENT, ...alone, ...recorded });
    expect(await company.documents.get({ id })).toMatchObject({
      outstanding: 113,
      payment_status: "partial",
      payments: [payment],
    });
    expect((await company.payments.list()).data).toEqual([payment]);
    const summary = (await company.documents.list()).data[0];
    expect(summary).toMatchObject({ outstanding: 113, payment_status: "partial" });
  });

  test.each(DOC_TYPES)("an issued %s takes payments exactly when its type does", async (doc_type) => {
    const instance = await anInstance(driver);
    const { id } = await anInvoice(instance, { doc_type });
    const call = instance.company.payments.record({ id, ...PAYMENT });
    if (TAKES_PAYMENTS.includes(doc_type)) expect((await call).amount).toBe(10);
    else {
      await expectRefusal(call, "invalid_state", `type ${doc_type} takes no payments`);
      const { outstanding, payment_status } = await instance.company.documents.get({ id });
      expect([outstanding, payment_status]).toEqual([null, null]);
    }
  });

  test("drafts and cancelled documents take none, unknown ones are not found", async () => {
    const instance = await anInstance(driver);
    const { company } = instance;
    const record = (id: string) => company.payments.record({ id, ...PAYMENT });
    await expectRefusal(record((await aDraft(instance)).id), "invalid_state", "draft cannot be paid");
    const { id } = await anInvoice(instance);
    await company.documents.cancel({ id });
    await expectRefusal(record(id), "invalid_state", "cancelled document cannot be paid");
    await expectRefusal(record(UNKNOWN_ID), "not_found");
    const other = await aCompany(instance.lacre);
    await expectRefusal(record((await anInvoice(other)).id), "not_found");
  });

  test("a payment of one cent more than is outstanding is refused", async () => {
    const instance = await anInstance(driver);
    const invoice = await anInvoice(instance);
    await expectRefusal(aPayment(instance, invoice, 123.01), "payment_exceeds_balance", "Only 123");
    await aPayment(instance, invoice, 22.99);
    await aCreditNote(instance, invoice, { lines: [aLine({ unit_price_net: 0.02 })] });
    await expectRefusal(aPayment(instance, invoice, 100), "payment_exceeds_balance", "Only 99.99");
    await aPayment(instance, invoice, 99.99);
    expect(await instance.company.documents.get({ id: invoice.id })).toMatchObject({
      outstanding: 0,
      payment_status: "paid",
    });
    await expectRefusal(aPayment(instance, invoice, 0.01), "payment_exceeds_balance", "Nothing is left to pay.");
  });

  test("a document with a total of zero is paid from the start", async () => {
    const instance = await anInstance(driver);
    expect(await anInvoice(instance, { lines: [aLineOf(0)] })).toMatchObject({
      outstanding: 0,
      payment_status: "paid",
    });
  });

  test("an FR is always paid; its payments only state the means, up to its gross", async () => {
    const instance = await anInstance(driver);
    const cash = { amount: 23, method_code: "NU", payment_date: TODAY } as const;
    const receipt = await anInvoice(instance, { doc_type: "FR", payments: [cash] });
    expect(receipt).toMatchObject({ payment_status: "paid", outstanding: 0 });
    await aCreditNote(instance, receipt, { lines: [aLine({ qty: 0.5 })] });
    await aPayment(instance, receipt, 100); // a credit note does not limit what was paid on the spot
    await expectRefusal(aPayment(instance, receipt, 0.01), "payment_exceeds_balance", "Nothing is left to pay.");
    const after = await instance.company.documents.get({ id: receipt.id });
    expect(after).toMatchObject({ payment_status: "paid", outstanding: 0 });
    expect(await anInvoice(instance, { doc_type: "FR" })).toMatchObject({ payment_status: "paid", outstanding: 0 });
  });

  test.each<[Record<string, unknown>, string]>([
    [{ amount: 0 }, "amount: must be more than 0"],
    [{ amount: -1 }, "amount: must be more than 0"],
    [{ amount: 0.001 }, "amount: must have at most 2 decimals"],
    [{ amount: "10" }, "amount: must be a number"],
    [{ amount: undefined }, "amount: is required"],
    [{ method_code: "XX" }, "method_code: must be one of CC, CD, CH, CI, CO, CS, DE, LC, MB, NU, OU, PR, TB, TR"],
    [{ method_code: "tb" }, "method_code: must be one of"],
    [{ method_code: undefined }, "method_code: is required"],
    [{ payment_date: "21-11-2026" }, "payment_date: must be a date"],
    [{ payment_date: undefined }, "payment_date: is required"],
    [{ document_id: UNKNOWN_ID }, "document_id: is not a known field"],
  ])("%o is refused, before the document is looked for", async (fields, message) => {
    const { company } = await anInstance(driver);
    const call = company.payments.record({ id: UNKNOWN_ID, ...PAYMENT, ...fields } as never);
    await expectRefusal(call, "invalid_request", message);
  });

  test("a voided payment is in no read and no sum, and its row stays", async () => {
    const instance = await anInstance(driver);
    const { company } = instance;
    const invoice = await anInvoice(instance);
    const [kept, wrong] = [await aPayment(instance, invoice, 3), await aPayment(instance, invoice, 120)];
    instance.wait(1_000);
    expect(await company.payments.void({ id: wrong.id })).toBeUndefined();
    expect((await company.payments.list()).data).toEqual([kept]);
    expect(await company.documents.get({ id: invoice.id })).toMatchObject({ outstanding: 120, payments: [kept] });
    await expectRefusal(company.payments.void({ id: wrong.id }), "not_found");
    await expectRefusal(company.payments.void({ id: UNKNOWN_ID }), "not_found");
    const other = await aCompany(instance.lacre);
    await expectRefusal(other.company.payments.void({ id: kept.id }), "not_found");
    const [row] = await instance.past(`select amount_cents, voided_at from payments where id = '${wrong.id}'`);
    expect(row).toEqual({ amount_cents: 12_000, voided_at: "2026-11-21T10:31:08.482Z" });
    await aPayment(instance, invoice, 120);
  });

  test("payments are listed for one document or for all, newest first, and an unknown document has none", async () => {
    const instance = await anInstance(driver);
    const { company } = instance;
    const [one, two] = [await anInvoice(instance), await anInvoice(instance)];
    const payments = [
      await aPayment(instance, one, 1),
      await aPayment(instance, two, 2),
      await aPayment(instance, one, 3),
    ];
    expect((await company.payments.list()).data).toEqual(payments.toReversed());
    const ofOne = await company.payments.list({ document_id: one.id.toUpperCase() });
    expect(ofOne.data.map(({ amount }) => amount)).toEqual([3, 1]);
    expect(ofOne.pagination).toMatchObject({ limit: 50, offset: 0, total: 2 });
    expect((await company.payments.list({ document_id: UNKNOWN_ID })).data).toEqual([]);
    await expectRefusal(company.payments.list({ document_id: "7" }), "invalid_request", "document_id: must be a UUID");
  });

  describe("of a period", () => {
    /** Payments over two documents, recorded in another order than they are dated; one of them is voided. */
    async function aBook() {
      const instance = await anInstance(driver);
      const { company } = instance;
      const [one, two] = [await anInvoice(instance), await anInvoice(instance)];
      const pay = (id: string, amount: number, payment_date: string) =>
        company.payments.record({ id, amount, method_code: "TB", payment_date });
      await pay(one.id, 1, "2026-10-31");
      await pay(two.id, 2, "2026-09-30");
      await pay(one.id, 3, "2026-10-01");
      await pay(two.id, 4, "2026-11-01");
      await pay(two.id, 5, "2026-10-31");
      await company.payments.void({ id: (await pay(one.id, 6, "2026-10-15")).id });
      const amounts = async (filter: Parameters<typeof company.payments.list>[0]) => {
        const { data, pagination } = await company.payments.list(filter);
        return { amounts: data.map(({ amount }) => amount), total: pagination.total };
      };
      return { instance, one, two, amounts };
    }

    test("both days are included, the newest day comes first, and voided ones are left out", async () => {
      const { amounts } = await aBook();
      expect(await amounts({ from: "2026-10-01", to: "2026-10-31" })).toEqual({ amounts: [5, 1, 3], total: 3 });
      expect(await amounts({ from: "2026-10-02", to: "2026-10-30" })).toEqual({ amounts: [], total: 0 });
      expect(await amounts({ from: "2026-10-31", to: "2026-10-31" })).toEqual({ amounts: [5, 1], total: 2 });
      expect(await amounts({ from: "2026-10-31" })).toEqual({ amounts: [4, 5, 1], total: 3 });
      expect(await amounts({ to: "2026-10-01" })).toEqual({ amounts: [3, 2], total: 2 });
      expect(await amounts({})).toEqual({ amounts: [5, 4, 3, 2, 1], total: 5 });
    });

    test("a period that is empty, or ends before it begins, has none", async () => {
      const { amounts, instance } = await aBook();
      expect(await amounts({ from: "2025-10-01", to: "2025-10-31" })).toEqual({ amounts: [], total: 0 });
      expect(await amounts({ from: "2026-10-31", to: "2026-10-01" })).toEqual({ amounts: [], total: 0 });
      const other = await aCompany(instance.lacre);
      expect((await other.company.payments.list({ from: "2026-10-01" })).pagination.total).toBe(0);
    });

    test("a document narrows it further", async () => {
      const { amounts, one, two } = await aBook();
      const october = { from: "2026-10-01", to: "2026-10-31" };
      expect(await amounts({ ...october, document_id: one.id })).toEqual({ amounts: [1, 3], total: 2 });
      expect(await amounts({ ...october, document_id: two.id })).toEqual({ amounts: [5], total: 1 });
      expect(await amounts({ from: "2026-10-31", document_id: two.id })).toEqual({ amounts: [4, 5], total: 2 });
      expect(await amounts({ ...october, document_id: UNKNOWN_ID })).toEqual({ amounts: [], total: 0 });
    });

    test("another company's document has none", async () => {
      const { instance, one } = await aBook();
      const { company } = await aCompany(instance.lacre);
      const list = await company.payments.list({ from: "2026-10-01", document_id: one.id });
      expect(list).toMatchObject({ data: [], pagination: { limit: 50, offset: 0, total: 0 } });
    });

    test("its pages follow one another, and each tells the total of the period", async () => {
      const { amounts } = await aBook();
      const pages = [];
      for (let offset = 0; offset < 5; offset++) {
        pages.push(await amounts({ from: "2026-10-01", to: "2026-11-01", limit: 1, offset }));
      }
      expect(pages.flatMap((page) => page.amounts)).toEqual([4, 5, 1, 3]);
      expect(pages.map(({ total }) => total)).toEqual([4, 4, 4, 4, 4]);
    });

    test.each([
      ["from", "2026-02-30"],
      ["from", ""],
      ["to", "31-10-2026"],
      ["to", "2026-10"],
    ])("%s: %j is no day", async (name, day) => {
      const { company } = await anInstance(driver);
      await expectRefusal(company.payments.list({ [name]: day }), "invalid_request", `${name}: must be a date`);
    });
  });

  test("whatever the order of payments, credits, cancellations and voids, the balance is their sum", async () => {
    const instance = await openInstance(driver);
    const { company } = instance;
    const step = fc.oneof(
      fc.record({ do: fc.constant("pay" as const), cents: fc.integer({ min: 1, max: 6_000 }) }),
      fc.record({ do: fc.constant("credit" as const), cents: fc.integer({ min: 1, max: 6_000 }) }),
      fc.record({ do: fc.constant("void" as const), which: fc.nat(9) }),
      fc.record({ do: fc.constant("cancel credit" as const), which: fc.nat(9) }),
    );
    const property = fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
      const invoice = await anInvoice(instance, { lines: [aLineOf(100)] });
      const paid = new Map<string, number>();
      const credited = new Map<string, number>();
      const sum = (amounts: Map<string, number>) => [...amounts.values()].reduce((a, b) => a + b, 0);
      const left = () => 10_000 - sum(paid) - sum(credited);
      for (const { do: doing, ...how } of steps) {
        if (doing === "pay" && "cents" in how) {
          const call = aPayment(instance, invoice, how.cents / 100);
          if (how.cents > left()) await expectRefusal(call, "payment_exceeds_balance");
          else paid.set((await call).id, how.cents);
        } else if (doing === "credit" && "cents" in how) {
          const call = aCreditNote(instance, invoice, { lines: [aLineOf(how.cents / 100)] });
          if (how.cents > 10_000 - sum(credited)) await expectRefusal(call, "credit_exceeds_original");
          else credited.set((await call).id, how.cents);
        } else if ("which" in how) {
          const amounts = doing === "void" ? paid : credited;
          const id = [...amounts.keys()][how.which];
          if (id === undefined) continue;
          await (doing === "void" ? company.payments.void({ id }) : company.documents.cancel({ id }));
          amounts.delete(id);
        }
        const untouched = paid.size + credited.size === 0;
        expect(await company.documents.get({ id: invoice.id })).toMatchObject({
          outstanding: left() / 100,
          payment_status: left() <= 0 ? "paid" : untouched ? "unpaid" : "partial",
        });
      }
      const settled = paid.size + credited.size > 0;
      const cancelling = company.documents.cancel({ id: invoice.id });
      if (settled) await expectRefusal(cancelling, "document_settled");
      else expect((await cancelling).status).toBe("cancelled");
    });
    try {
      await fc.assert(property, { numRuns: runsOf(40) });
      expect(await company.series.verify()).toMatchObject({ whole: true });
    } finally {
      await instance.lacre.close();
    }
  });
});
