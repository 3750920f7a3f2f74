/** Crediting in one call: lines, prices, references and series are the document's own, to the last cent. */
import { describe, expect, test } from "vitest";
import { chanceOf } from "../../support/chance.ts";
import { DATABASES } from "../../support/databases.ts";
import { TODAY } from "../../support/drivers.ts";
import { aCreditNote, aDraft, aLine, anInvoice, aPayment } from "../../support/factories.ts";
import { anInstance, type Home } from "../../support/instance.ts";
import { expectRefusal } from "../../support/refusals.ts";

const totals = ({ total_net, total_tax, total_gross }: Record<"total_net" | "total_tax" | "total_gross", number>) => ({
  total_net,
  total_tax,
  total_gross,
});

const credit = ({ company }: Pick<Home, "company">, id: string, fields: object = {}) =>
  company.documents.credit({ id, issue: true, ...fields });

describe.each(DATABASES)("crediting over $name", (driver) => {
  test("all of a document copies it: lines, prices as given, references, discounts, and exactly its totals", async () => {
    const home = await anInstance(driver);
    for (const fields of [{ global_discount_pct: 7.5 }, { global_discount_amount: 3.21 }]) {
      const gross = { unit_price_net: undefined, unit_price_gross: 19.99 };
      const sold = await anInvoice(home, {
        lines: [
          aLine({ ...gross, qty: 3, discount_pct: 5 }),
          aLine({ ...gross, unit_price_gross: 0.333, qty: 7, tax_rate: 6 }),
          aLine({ ...gross, discount_amount: 1.5 }),
        ],
        ...fields,
      });
      const note = await credit(home, sold.id, { reason: "Devolução" });
      expect(note).toMatchObject({ doc_type: "NC", status: "issued", issue_date: TODAY, ...totals(sold), ...fields });
      expect(note.references).toEqual([{ document_id: sold.id, amount: sold.total_gross, reason: "Devolução" }]);
      expect(note.lines).toEqual(sold.lines.map((line, i) => ({ ...line, reference_line: i + 1 })));
      expect(await home.company.documents.get({ id: sold.id })).toMatchObject({ outstanding: 0 });
      await expectRefusal(credit(home, sold.id), "credit_exceeds_original", "is left to credit.");
    }
  });

  test("part of it, then all that is left, to the cent", async () => {
    const home = await anInstance(driver);
    const sold = await anInvoice(home, {
      lines: [aLine({ qty: 3, unit_price_net: 0.333 }), aLine({ unit_price_net: 5 })],
    });
    const first = await credit(home, sold.id, { lines: [{ line: 1, qty: 1 }] });
    expect(first.lines).toMatchObject([{ qty: 1, unit_price_net: 0.333, reference_line: 1 }]);
    await credit(home, sold.id, { lines: [{ line: 1, qty: 1 }, { line: 2 }] });
    await credit(home, sold.id);
    expect(await home.company.documents.get({ id: sold.id })).toMatchObject({ outstanding: 0, payment_status: "paid" });
  });

  test("of random baskets any parts come to the whole in the end", async () => {
    const home = await anInstance(driver);
    const seed = Math.floor(Math.random() * 2 ** 31);
    const { below } = chanceOf(seed);
    const whole = (from: number, to: number) => from + below(to - from + 1);
    for (let round = 0; round < 12; round++) {
      const isGross = whole(0, 1) === 1;
      const lines = Array.from({ length: whole(1, 4) }, () => {
        const price = whole(100_000, 9_000_000) / 1_000_000;
        return aLine({
          qty: whole(2, 6),
          tax_rate: [6, 13, 23][whole(0, 2)] as number,
          ...(isGross ? { unit_price_net: undefined, unit_price_gross: price } : { unit_price_net: price }),
          ...[{ discount_pct: whole(0, 3000) / 100 }, { discount_amount: whole(1, 9) / 100 }, {}][whole(0, 2)],
        });
      });
      const off = [{ global_discount_pct: 10 }, { global_discount_amount: 0.07 }, {}][whole(0, 2)];
      const sold = await anInvoice(home, { lines, ...off });
      for (const [i] of lines.entries()) await credit(home, sold.id, { lines: [{ line: i + 1, qty: 1 }] });
      await credit(home, sold.id);
      const after = await home.company.documents.get({ id: sold.id });
      expect(after.outstanding, `seed ${seed}, round ${round}`).toBe(0);
    }
  });

  test("a refund is one request: the money goes back with it", async () => {
    const home = await anInstance(driver);
    const sold = await anInvoice(home);
    await aPayment(home, sold, 100);
    const note = await credit(home, sold.id, { refund: { method_code: "MB" } });
    const { refunds } = await home.company.documents.get({ id: note.id });
    expect(refunds).toMatchObject([{ amount: 100, method_code: "MB", payment_date: TODAY, document_id: sold.id }]);
    expect(await home.company.documents.get({ id: sold.id })).toMatchObject({ outstanding: 0 });
    const unpaid = await anInvoice(home);
    await expectRefusal(
      credit(home, unpaid.id, { refund: { method_code: "MB" } }),
      "payment_exceeds_balance",
      "There is nothing to give back.",
    );
    const receipt = await anInvoice(home, {
      doc_type: "FR",
      payments: [{ amount: 123, method_code: "NU", payment_date: TODAY }],
    });
    const back = await credit(home, receipt.id, { refund: { method_code: "NU", amount: 20 } });
    expect((await home.company.documents.get({ id: back.id })).refunds).toMatchObject([{ amount: 20 }]);
  });

  test("it has the caller's id and metadata that are sent with it, and none of its document's", async () => {
    const home = await anInstance(driver);
    const sold = await anInvoice(home, { external_id: "order-7", metadata: { till: "2" } });
    expect(await credit(home, sold.id, { lines: [{ line: 1, qty: 0.5 }] })).toMatchObject({
      external_id: null,
      metadata: {},
    });
    const note = await credit(home, sold.id, { external_id: "order-7", metadata: { refund: "3" } });
    expect(note).toMatchObject({ external_id: "order-7", metadata: { refund: "3" } });
    const { data } = await home.company.documents.list({ external_id: "order-7" });
    expect(data.map(({ id }) => id)).toEqual([note.id, sold.id]);
  });

  test("a draft of it is stored where issue is left out", async () => {
    const home = await anInstance(driver);
    const sold = await anInvoice(home);
    const draft = await home.company.documents.credit({ id: sold.id });
    expect(draft).toMatchObject({ status: "draft", doc_type: "NC", number: null, ...totals(sold) });
    expect(await home.company.documents.issue({ id: draft.id })).toMatchObject({ number: "NC 2026A/1" });
  });

  test("is refused in words", async () => {
    const home = await anInstance(driver);
    const sold = await anInvoice(home);
    const lines = (...given: object[]) => credit(home, sold.id, { lines: given });
    await expectRefusal(
      lines({ line: 2 }),
      "invalid_request",
      "lines[0].line: is not the number of a line of the document",
    );
    await expectRefusal(lines({ line: 1 }, { line: 1 }), "invalid_request", "lines[1].line: is repeated");
    await expectRefusal(lines(), "invalid_request", "lines: must not be empty");
    await expectRefusal(lines({ line: 1, qty: 2 }), "credit_exceeds_original", "Only 1 of Pão de Mafra on FT 2026A/1");
    await expectRefusal(credit(home, (await aDraft(home)).id), "invalid_state", "A draft cannot be credited.");
    const quote = await anInvoice(home, { doc_type: "OR" });
    await expectRefusal(credit(home, quote.id), "invalid_state", "A document of type OR is not credited.");
    await aCreditNote(home, sold, { lines: [aLine({ unit_price_net: 50 })] });
    await expectRefusal(credit(home, sold.id), "credit_exceeds_original", "Only 61.50");
    await home.company.series.change({ id: home.series.NC, status: "closed" });
    await expectRefusal(credit(home, sold.id), "invalid_state", "No series takes NC of 2026");
  });
});
