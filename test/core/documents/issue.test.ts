import { DOC_TYPES, type LacreOptions, pemSigner, signedText, verifySignature } from "lacre";
import { TEST_SIGNING_KEY } from "lacre/testing";
import { describe, expect, test } from "vitest";
import { DATABASES } from "../../support/databases.ts";
import { TODAY, UNKNOWN_ID } from "../../support/drivers.ts";
import {
  aCreditNote,
  aCustomer,
  aDraft,
  aLine,
  anInvoice,
  aPayment,
  aProduct,
  aSeries,
} from "../../support/factories.ts";
import { aCompany, anInstance } from "../../support/instance.ts";
import { expectRefusal } from "../../support/refusals.ts";

const signer = pemSigner(TEST_SIGNING_KEY, 1);
const CASH = { amount: 23, method_code: "NU", payment_date: TODAY } as const;

describe.each(DATABASES)("issuing over $name", (driver) => {
  test("adds number, hash, entry time and the frozen customer; all else stays", async () => {
    const instance = await anInstance(driver);
    const customer = await aCustomer(instance, { tax_id: "PT 999999990".replace(" ", ""), city: "Évora" });
    const draft = await aDraft(instance, { customer_id: customer.id });
    instance.wait(60_000);
    const issued = await instance.company.documents.issue({ id: draft.id });
    expect(issued).toEqual({
      ...draft,
      lines: draft.lines.map((line) => ({ ...line, type: "P" })),
      status: "issued",
      number: "FT 2026A/1",
      hash: expect.stringMatching(/^[A-Za-z0-9+/]{171}=$/),
      issued_at: "2026-11-21T10:32:07.482Z",
      system_entry_date: "2026-11-21T10:32:07",
      qr_code:
        "A:500000000*B:999999990*C:PT*D:FT*E:N*F:20261121*G:FT 2026A/1*H:0*I1:PT*I7:100.00*I8:23.00*N:23.00*O:123.00*Q:0*R:0",
      payment_status: "unpaid",
      outstanding: 123,
      customer: {
        id: customer.id,
        code: "C1",
        name: "Ana Conceição",
        tax_id: "999999990",
        address: null,
        postal_code: null,
        city: "Évora",
        country: null,
        email: null,
        phone: null,
      },
    });
    expect(await instance.company.documents.get({ id: draft.id })).toEqual({ ...issued, payments: [], refunds: [] });
  });

  test("the hash is the signature over date, entry time, number, total and the hash before it", async () => {
    const instance = await anInstance(driver);
    let previous_hash = "";
    for (const unit_price_net of [100, 0.01, 0]) {
      const { issue_date, system_entry_date, number, total_gross, hash } = await anInvoice(instance, {
        lines: [aLine({ unit_price_net })],
      });
      const text = `${issue_date};${system_entry_date};${number};${total_gross.toFixed(2)};${previous_hash}`;
      expect(verifySignature(text, hash ?? "", signer.public_key)).toBe(true);
      expect(verifySignature(`${text} `, hash ?? "", signer.public_key)).toBe(false);
      expect(text).toBe(
        signedText({
          issue_date,
          system_entry_date: system_entry_date ?? "",
          number: number ?? "",
          total_gross_cents: Math.round(total_gross * 100),
          previous_hash,
        }),
      );
      previous_hash = hash ?? "";
    }
  });

  test("numbers have no gap within a series, and each type has its prefix", async () => {
    const instance = await anInstance(driver);
    const numbers: Record<string, (string | null)[]> = {};
    for (const doc_type of DOC_TYPES) {
      numbers[doc_type] = [];
      for (let i = 0; i < 3; i++) numbers[doc_type].push((await anInvoice(instance, { doc_type })).number);
    }
    const prefix: Record<string, string> = { RC: "RG", NDV: "GD" };
    expect(numbers).toEqual(
      Object.fromEntries(DOC_TYPES.map((type) => [type, [1, 2, 3].map((n) => `${prefix[type] ?? type} 2026A/${n}`)])),
    );
    const other = await aCompany(instance.lacre);
    expect((await anInvoice(other)).number).toBe("FT 2026A/1");
    const second = await aSeries(instance, { code: "LOJA-2" });
    expect((await anInvoice(instance, { series_id: second.id })).number).toBe("FT LOJA-2/1");
  });

  test("the ATCUD is the validation code and the sequence", async () => {
    const instance = await anInstance(driver);
    expect((await anInvoice(instance)).atcud).toBeNull();
    const { series, company } = instance;
    await company.series.change({ id: series.FR, validation_code: "CSDF7T5H" });
    await anInvoice(instance, { doc_type: "FR" });
    expect((await anInvoice(instance, { doc_type: "FR" })).atcud).toBe("CSDF7T5H-2");
  });

  test("creating and issuing in one call equals two calls", async () => {
    const instance = await anInstance(driver);
    const customer = await aCustomer(instance);
    const fields = { customer_id: customer.id, payments: [CASH] };
    const draft = await aDraft(instance, fields);
    const twoSteps = await instance.company.documents.issue({ id: draft.id });
    const oneStep = await anInvoice(instance, fields);
    const own = { id: "", number: "", hash: "", qr_code: "" };
    expect({ ...oneStep, ...own }).toEqual({ ...twoSteps, ...own });
    expect(oneStep.number).toBe("FT 2026A/2");
  });

  test("an issued document keeps the customer, product and company it was issued with", async () => {
    const instance = await anInstance(driver);
    const { company, lacre, company_id } = instance;
    const customer = await aCustomer(instance, { tax_id: "501964843" });
    const product = await aProduct(instance);
    const lines = [aLine({ product_id: product.id })];
    const issued = await anInvoice(instance, { customer_id: customer.id, lines });
    const before = await company.documents.get({ id: issued.id });
    await company.customers.change({ id: customer.id, name: "Outro nome", tax_id: null });
    await company.products.change({ id: product.id, name: "Outro produto", sku: "X" });
    await lacre.companies.change({ id: company_id, name: "Outra empresa", tax_region: "PT-MA" });
    await company.customers.archive({ id: customer.id });
    await company.products.archive({ id: product.id });
    expect(await company.documents.get({ id: issued.id })).toEqual(before);
    expect(before.customer).toMatchObject({ name: "Ana Conceição", tax_id: "501964843" });
    expect(await company.series.verify()).toMatchObject({ whole: true });
  });

  test("payments sent with the document become its payments", async () => {
    const instance = await anInstance(driver);
    const payments = [CASH, { ...CASH, amount: 100, method_code: "MB" }] as const;
    const draft = await aDraft(instance, { payments: [...payments] });
    expect((await instance.company.payments.list({ document_id: draft.id })).data).toEqual([]);
    const planned = (await instance.company.documents.get({ id: draft.id })).payments;
    const issued = await instance.company.documents.issue({ id: draft.id });
    expect(issued).toMatchObject({ payment_status: "paid", outstanding: 0 });
    const { data } = await instance.company.payments.list({ document_id: draft.id });
    expect(data.map(({ id }) => id).sort()).toEqual(planned.map(({ id }) => id).sort());
    expect(data.map(({ amount, method_code }) => `${amount} ${method_code}`).sort()).toEqual(["100 MB", "23 NU"]);
    expect((await instance.company.documents.get({ id: draft.id })).payments).toEqual(data);
  });

  test("payments above the total are refused when issuing", async () => {
    const instance = await anInstance(driver);
    const payments = [CASH, { ...CASH, amount: 100.01 }];
    const draft = await aDraft(instance, { payments });
    const call = instance.company.documents.issue({ id: draft.id });
    await expectRefusal(call, "payment_exceeds_balance", "123.01");
    expect((await anInvoice(instance)).number).toBe("FT 2026A/1");
  });

  test.each(["issued", "cancelled"] as const)(
    "a document that is %s is not issued again, and nothing changes",
    async (status) => {
      const instance = await anInstance(driver);
      const { company } = instance;
      const { id } = await anInvoice(instance);
      if (status === "cancelled") await company.documents.cancel({ id });
      const before = await company.documents.get({ id });
      await expectRefusal(company.documents.issue({ id }), "invalid_state", `${status} document cannot be issued`);
      expect(await company.documents.get({ id })).toEqual(before);
      expect((await company.series.get({ id: instance.series.FT })).next_number).toBe(2);
    },
  );

  test("an unknown document is not found", async () => {
    const { company } = await anInstance(driver);
    await expectRefusal(company.documents.issue({ id: UNKNOWN_ID }), "not_found");
    await expectRefusal(company.documents.issue({ id: "nonsense" }), "not_found");
  });

  test("a closed series takes no more documents", async () => {
    const instance = await anInstance(driver);
    const { company, series } = instance;
    const draft = await aDraft(instance);
    await company.series.change({ id: series.FT, status: "closed" });
    await expectRefusal(company.documents.issue({ id: draft.id }), "series_closed", "2026A");
    await expectRefusal(anInvoice(instance), "series_closed");
    expect((await company.documents.list()).data).toHaveLength(1); // the refused one left no draft
    const open = await aSeries(instance);
    await company.documents.change({ id: draft.id, series_id: open.id });
    expect((await company.documents.issue({ id: draft.id })).number).toBe("FT LOJA/1");
  });

  test("refusals come in the order state, input, customer, payments, clock, series", async () => {
    const instance = await anInstance(driver);
    const { company, series } = instance;
    const later = await anInvoice(instance); // so that clock and dates can be behind it
    const customer = await aCustomer(instance);
    const draft = await aDraft(instance, {
      customer_id: customer.id,
      issue_date: "2026-11-22",
      payments: [{ ...CASH, amount: 500 }],
    });
    await company.customers.archive({ id: customer.id });
    await company.series.change({ id: series.FT, status: "closed" });
    instance.wait(-10_000);
    const issue = () => company.documents.issue({ id: draft.id });

    await expectRefusal(company.documents.issue({ id: later.id }), "invalid_state", "issued");
    await expectRefusal(issue(), "invalid_request", "issue_date: is later than today, 2026-11-21");
    await company.documents.change({ id: draft.id, issue_date: "2026-11-20" });
    await expectRefusal(issue(), "invalid_state", "customer");
    await company.documents.change({ id: draft.id, customer_id: later.customer_id });
    await expectRefusal(issue(), "payment_exceeds_balance");
    await company.documents.change({ id: draft.id, payments: [] });
    await expectRefusal(issue(), "unavailable", "clock");
    instance.wait(10_000);
    await expectRefusal(issue(), "series_closed");
    const open = await aSeries(instance);
    await anInvoice(instance, { series_id: open.id });
    await company.documents.change({ id: draft.id, series_id: open.id });
    await expectRefusal(issue(), "date_out_of_order", TODAY);
    await company.documents.change({ id: draft.id, issue_date: TODAY });
    expect((await issue()).number).toBe("FT LOJA/2");
  });

  describe("to an archived customer", () => {
    test.each(["FT", "FS", "FR", "GT", "GR", "OR"] as const)("no %s is issued", async (doc_type) => {
      const instance = await anInstance(driver);
      const draft = await aDraft(instance, { doc_type });
      await instance.company.customers.archive({ id: draft.customer_id });
      await expectRefusal(instance.company.documents.issue({ id: draft.id }), "invalid_state", "customer");
    });

    test.each(["NC", "ND", "RC", "NDV"] as const)(
      "a %s is issued only for documents the customer already has",
      async (doc_type) => {
        const instance = await anInstance(driver);
        const { company } = instance;
        const invoice = await anInvoice(instance);
        const { customer_id } = invoice;
        await company.customers.archive({ id: customer_id });
        const references = [{ document_id: invoice.id }];
        expect((await anInvoice(instance, { doc_type, customer_id, references })).status).toBe("issued");
        await expectRefusal(anInvoice(instance, { doc_type, customer_id }), "invalid_state", "customer");
      },
    );

    test("a return of another customer's goods is refused", async () => {
      const instance = await anInstance(driver);
      const theirs = await anInvoice(instance);
      const hidden = await aCustomer(instance);
      await instance.company.customers.archive({ id: hidden.id });
      const references = [{ document_id: theirs.id }];
      const call = anInvoice(instance, { doc_type: "NDV", customer_id: hidden.id, references });
      await expectRefusal(call, "invalid_state", "customer");
    });
  });

  describe("when the signer fails", () => {
    /** A signer that fails on demand; `async`, as a remote one is. */
    function fickleSigner() {
      const switchable = { fails: false };
      const fickle: LacreOptions["signer"] = {
        ...signer,
        sign: async (text) => {
          if (switchable.fails) throw new Error("no line to the signer");
          return signer.sign(text);
        },
      };
      return { switchable, fickle };
    }

    test("the number is free again and nothing is stored", async () => {
      const { switchable, fickle } = fickleSigner();
      const instance = await anInstance(driver, { signer: fickle });
      const { company, series } = instance;
      await anInvoice(instance);
      const customer = await aCustomer(instance);
      const draft = await aDraft(instance, { customer_id: customer.id, payments: [CASH] });
      const before = await company.documents.get({ id: draft.id });
      const events = (await company.events.list()).pagination.total;
      switchable.fails = true;
      await expectRefusal(company.documents.issue({ id: draft.id }), "unavailable", "could not be signed");
      await expectRefusal(anInvoice(instance, { customer_id: customer.id }), "unavailable");
      expect(await company.documents.get({ id: draft.id })).toEqual(before);
      expect((await company.series.get({ id: series.FT })).next_number).toBe(2);
      expect((await company.payments.list()).pagination.total).toBe(0);
      expect((await company.documents.list()).pagination.total).toBe(2);
      expect((await company.events.list()).pagination.total).toBe(events);
      switchable.fails = false;
      expect((await company.documents.issue({ id: draft.id })).number).toBe("FT 2026A/2");
      expect(await company.series.verify()).toMatchObject({ whole: true, documents: 2 });
    });
  });

  test("payments and credits change the outstanding amount and nothing else", async () => {
    const instance = await anInstance(driver);
    const invoice = await anInvoice(instance);
    await aPayment(instance, invoice, 50);
    await aCreditNote(instance, invoice, { lines: [aLine({ unit_price_net: 10 })] });
    const { payments, refunds: _, ...after } = await instance.company.documents.get({ id: invoice.id });
    expect(after).toEqual({ ...invoice, payment_status: "partial", outstanding: 60.7 });
    expect(payments).toHaveLength(1);
  });
});
