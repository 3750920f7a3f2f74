import { DOC_TYPES, type DocType } from "lacre";
import { describe, expect, test } from "vitest";
import { DATABASE, DATABASES } from "../../support/databases.ts";
import { aCreditNote, aCustomer, aDraft, aLine, aLineOf, anInvoice, aPayment } from "../../support/factories.ts";
import { anInstance, type Instance } from "../../support/instance.ts";
import { expectRefusal } from "../../support/refusals.ts";

/** Which types each type may reference (docs/law.md). */
const MAY_REFERENCE: Record<DocType, readonly DocType[]> = {
  FT: ["OR", "GT", "GR"],
  FS: ["OR", "GT", "GR"],
  FR: ["OR", "GT", "GR"],
  NC: ["FT", "FS", "FR", "ND"],
  ND: ["FT", "FS", "FR", "ND"],
  RC: ["FT", "FS", "ND", "NC"],
  GT: ["OR"],
  GR: ["OR"],
  NDV: ["GT", "GR", "FT", "FS", "FR"],
  OR: [],
};

/** One issued document of each type, all to one customer. */
async function oneOfEach(instance: Instance, customer_id: string) {
  const ids: Partial<Record<DocType, string>> = {};
  for (const doc_type of DOC_TYPES) ids[doc_type] = (await anInvoice(instance, { doc_type, customer_id })).id;
  return ids as Record<DocType, string>;
}

describe.each(DATABASES)("references over $name", (driver) => {
  test("each type may reference the types in the table and no others", async () => {
    const instance = await anInstance(driver);
    const customer_id = (await aCustomer(instance)).id;
    for (const doc_type of DOC_TYPES) {
      for (const referenced of DOC_TYPES) {
        const references = [{ document_id: (await anInvoice(instance, { doc_type: referenced, customer_id })).id }];
        const call = anInvoice(instance, { doc_type, customer_id, references });
        if (MAY_REFERENCE[doc_type].includes(referenced)) expect((await call).status).toBe("issued");
        else await expectRefusal(call, "invalid_request", "references[0].document_id: ");
      }
    }
  });

  test("only NC, ND and RC must be of the same customer", async () => {
    const instance = await anInstance(driver);
    const ids = await oneOfEach(instance, (await aCustomer(instance)).id);
    for (const doc_type of DOC_TYPES) {
      const [referenced] = MAY_REFERENCE[doc_type];
      if (!referenced) continue;
      const call = anInvoice(instance, { doc_type, references: [{ document_id: ids[referenced] }] });
      if (["NC", "ND", "RC"].includes(doc_type)) {
        await expectRefusal(call, "invalid_request", "references[0].document_id: is of another customer");
      } else expect((await call).status).toBe("issued");
    }
  });

  test("a referenced document must be issued", async () => {
    const instance = await anInstance(driver);
    const draft = await aDraft(instance);
    const correction = await aDraft(instance, {
      doc_type: "NC",
      customer_id: draft.customer_id,
      references: [{ document_id: draft.id }],
    });
    const issue = () => instance.company.documents.issue({ id: correction.id });
    await expectRefusal(issue(), "invalid_state", "this one is a draft");
    await instance.company.documents.issue({ id: draft.id });
    await instance.company.documents.cancel({ id: draft.id });
    await expectRefusal(issue(), "invalid_state", "FT 2026A/1 is cancelled");
  });

  test("a referenced document must not be dated later", async () => {
    const instance = await anInstance(driver);
    const invoice = await anInvoice(instance);
    const { customer_id } = invoice;
    const references = [{ document_id: invoice.id }];
    const call = anInvoice(instance, { doc_type: "NC", customer_id, references, issue_date: "2026-11-20" });
    await expectRefusal(call, "invalid_request", "references[0].document_id: is dated later");
    instance.travel("2026-11-22T12:00:00Z");
    const next = { doc_type: "NC", customer_id, references, issue_date: "2026-11-22" } as const;
    expect((await anInvoice(instance, next)).status).toBe("issued");
  });

  test("a document is referenced at most once, and not by itself", async () => {
    const instance = await anInstance(driver);
    const invoice = await anInvoice(instance);
    const twice = [
      { document_id: invoice.id, amount: 1 },
      { document_id: invoice.id.toUpperCase(), amount: 122 },
    ];
    const call = aDraft(instance, { doc_type: "NC", customer_id: invoice.customer_id, references: twice });
    await expectRefusal(call, "invalid_request", "references[1].document_id: is repeated");
    const note = await aDraft(instance, { doc_type: "ND", customer_id: invoice.customer_id });
    const { company } = instance;
    await company.documents.change({ id: note.id, references: [{ document_id: note.id }] });
    await expectRefusal(company.documents.issue({ id: note.id }), "invalid_state");
    await company.documents.discard({ id: note.id });
  });

  test.each(["NC", "RC"] as const)(
    "the only reference of an %s takes its whole gross when it has no amount",
    async (doc_type) => {
      const instance = await anInstance(driver);
      const invoice = await anInvoice(instance);
      const { customer_id } = invoice;
      const references = [{ document_id: invoice.id, reason: "Devolução" }];
      const draft = await aDraft(instance, { doc_type, customer_id, references });
      expect(draft.references).toEqual([{ document_id: invoice.id, amount: null, reason: "Devolução" }]);
      const issued = await instance.company.documents.issue({ id: draft.id });
      expect(issued.references).toEqual([{ document_id: invoice.id, amount: 123, reason: "Devolução" }]);
      const wrong = { doc_type, customer_id, references: [{ document_id: invoice.id, amount: 122.99 }] };
      await expectRefusal(anInvoice(instance, wrong), "invalid_request", "references: amounts sum to 122.99");
    },
  );

  test.each(["NC", "RC"] as const)("several references of an %s split the total to the cent", async (doc_type) => {
    const instance = await anInstance(driver);
    const first = await anInvoice(instance);
    const { customer_id } = first;
    const second = await anInvoice(instance, { customer_id });
    const split = (...amounts: (number | null)[]) => ({
      doc_type,
      customer_id,
      lines: [
        aLine({ unit_price_net: 18.7, reference_id: first.id }),
        aLine({ unit_price_net: 81.3, reference_id: second.id }),
      ],
      references: [first, second].map(({ id }, i) => ({ document_id: id, amount: amounts[i] ?? null })),
    });
    const missing = anInvoice(instance, split(23));
    await expectRefusal(missing, "invalid_request", "references[1].amount: is required with several references");
    const wrong = anInvoice(instance, split(23, 99.99));
    await expectRefusal(wrong, "invalid_request", "amounts sum to 122.99 EUR, the document's total is 123.00 EUR");
    expect((await anInvoice(instance, split(23, 100))).references.map(({ amount }) => amount)).toEqual([23, 100]);
  });

  test("the amount of a reference is the sum of its lines, up to the cents of rounding", async () => {
    const instance = await anInstance(driver);
    const first = await anInvoice(instance);
    const { customer_id } = first;
    const second = await anInvoice(instance, { customer_id });
    const credit = (prices: number[], amounts: number[]) =>
      anInvoice(instance, {
        doc_type: "NC",
        customer_id,
        lines: prices.map((unit_price_net, i) => aLine({ unit_price_net, reference_id: [first, second][i]?.id ?? "" })),
        references: [first, second].map(({ id }, i) => ({ document_id: id, amount: amounts[i] ?? 0 })),
      });
    await expectRefusal(
      credit([10, 50], [61.5, 12.3]),
      "invalid_request",
      "references[0].amount: must be the sum of its lines, 12.3",
      "references[1].amount: must be the sum of its lines, 61.5",
    );
    const without = credit([10], [12.29, 0.01]);
    await expectRefusal(without, "invalid_request", "references[1].amount: must be the sum of its lines, 0");
    // Each line is 0.04 alone, and together they are 0.07.
    const rounded = await credit([0.03, 0.03], [0.04, 0.03]);
    expect(rounded).toMatchObject({ total_gross: 0.07 });
  });

  test("types without split totals need no amount", async () => {
    const instance = await anInstance(driver);
    const guides = [await anInvoice(instance, { doc_type: "GT" }), await anInvoice(instance, { doc_type: "GR" })];
    const references = guides.map(({ id }) => ({ document_id: id }));
    const invoice = await anInvoice(instance, { references });
    expect(invoice.references).toEqual(guides.map(({ id }) => ({ document_id: id, amount: null, reason: null })));
  });

  test("an NC or RC without references is issued", async () => {
    const instance = await anInstance(driver);
    for (const doc_type of ["NC", "RC"] as const) {
      expect(await anInvoice(instance, { doc_type })).toMatchObject({ status: "issued", references: [] });
    }
  });

  test("all faults of the references are reported at once", async () => {
    const instance = await anInstance(driver);
    const [theirs, quotation] = [await anInvoice(instance), await anInvoice(instance, { doc_type: "OR" })];
    const references = [theirs, quotation].map(({ id }) => ({ document_id: id, amount: 61.5 }));
    const call = anInvoice(instance, { doc_type: "NC", references });
    await expectRefusal(call, "invalid_request", "references[0].document_id: is of another", "references[1].document_");
  });

  describe("credit and balance", () => {
    test("an issued credit note lowers the outstanding amount; cancelling it restores it", async () => {
      const instance = await anInstance(driver);
      const { company } = instance;
      const invoice = await anInvoice(instance, { lines: [aLineOf(100)] });
      const balance = async () => {
        const { outstanding, payment_status } = await company.documents.get({ id: invoice.id });
        return [outstanding, payment_status];
      };
      expect(await balance()).toEqual([100, "unpaid"]);
      const draft = await aDraft(instance, {
        doc_type: "NC",
        customer_id: invoice.customer_id,
        references: [{ document_id: invoice.id }],
        lines: [aLineOf(30)],
      });
      expect(await balance()).toEqual([100, "unpaid"]);
      await company.documents.issue({ id: draft.id });
      expect(await balance()).toEqual([70, "partial"]);
      await aPayment(instance, invoice, 70);
      expect(await balance()).toEqual([0, "paid"]);
      await company.documents.cancel({ id: draft.id });
      expect(await balance()).toEqual([30, "partial"]);
    });

    test("a credit note after full payment leaves a negative balance, and the document paid", async () => {
      const instance = await anInstance(driver);
      const invoice = await anInvoice(instance, { lines: [aLineOf(100)] });
      await aPayment(instance, invoice, 100);
      await aCreditNote(instance, invoice, { lines: [aLineOf(40)] });
      const after = await instance.company.documents.get({ id: invoice.id });
      expect(after).toMatchObject({ outstanding: -40, payment_status: "paid" });
    });

    test("only its share of a credit note counts for each document", async () => {
      const instance = await anInstance(driver);
      const first = await anInvoice(instance, { lines: [aLineOf(100)] });
      const second = await anInvoice(instance, { lines: [aLineOf(50)], customer_id: first.customer_id });
      await anInvoice(instance, {
        doc_type: "NC",
        customer_id: first.customer_id,
        lines: [
          { ...aLineOf(40), reference_id: first.id },
          { ...aLineOf(20), reference_id: second.id },
        ],
        references: [
          { document_id: first.id, amount: 40 },
          { document_id: second.id, amount: 20 },
        ],
      });
      const get = async (id: string) => (await instance.company.documents.get({ id })).outstanding;
      expect([await get(first.id), await get(second.id)]).toEqual([60, 30]);
    });

    test("receipts, debit notes and returns change no balance", async () => {
      const instance = await anInstance(driver);
      const invoice = await anInvoice(instance);
      const { customer_id } = invoice;
      for (const doc_type of ["RC", "ND", "NDV"] as const) {
        await anInvoice(instance, { doc_type, customer_id, references: [{ document_id: invoice.id }] });
      }
      const after = await instance.company.documents.get({ id: invoice.id });
      expect(after).toMatchObject({ outstanding: 123, payment_status: "unpaid" });
    });
  });
});

describe("documents of many lines", () => {
  const lines = (count: number) => Array.from({ length: count }, (_, i) => aLine({ qty: 100, reference_line: i + 1 }));
  const sold = (count: number) => lines(count).map(({ reference_line: _, ...line }) => line);

  test("a correction names documents of at most 20,000 lines in all", async () => {
    const instance = await anInstance(DATABASE);
    const { customer_id, id } = await anInvoice(instance, { lines: sold(1_000) });
    const references = [{ document_id: id, amount: 123 }];
    for (let i = 1; i < 20; i++) {
      references.push({
        document_id: (await anInvoice(instance, { customer_id, lines: sold(1_000) })).id,
        amount: 123,
      });
    }
    const input = () => ({
      doc_type: "NC" as const,
      customer_id,
      references,
      lines: references.map(({ document_id }) => aLine({ reference_id: document_id, reference_line: 1 })),
    });
    expect(await anInvoice(instance, input())).toMatchObject({ total_gross: 2_460 });
    references.push({ document_id: (await anInvoice(instance, { customer_id })).id, amount: 123 });
    await expectRefusal(
      aDraft(instance, input()),
      "invalid_request",
      "references: the documents have more than 20,000 lines",
    );
  });

  test("a credit note is compared with others of at most 20,000 lines", async () => {
    const instance = await anInstance(DATABASE);
    const { company } = instance;
    const invoice = await anInvoice(instance, { lines: sold(1_000) });
    const part = (count: number) => ({ lines: lines(count).map((line) => ({ ...line, qty: 1 })) });
    for (let i = 0; i < 20; i++) await aCreditNote(instance, invoice, part(1_000));
    const last = await aCreditNote(instance, invoice, part(1));
    await expectRefusal(aCreditNote(instance, invoice, part(1)), "invalid_state", "more than 20,000 lines");
    await company.documents.cancel({ id: last.id });
    expect(await aCreditNote(instance, invoice, part(1))).toMatchObject({ status: "issued" });
  });
});
