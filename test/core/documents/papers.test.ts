/** The papers that are no documents, read as a person reads them: their sums add up, in both languages. */
import { describe, expect, test } from "vitest";
import { DATABASES } from "../../support/databases.ts";
import { TODAY, UNKNOWN_ID } from "../../support/drivers.ts";
import { aCreditNote, aCustomer, aLineOf, anInvoice, aPayment } from "../../support/factories.ts";
import { anInstance } from "../../support/instance.ts";
import { expectRefusal } from "../../support/refusals.ts";
import { anInvoiceOf, aReceipt, aRefund, CASH } from "../../support/settling.ts";
import { pagesOf, sheetsOf, textOf } from "../print/reading.ts";

const YEAR = { from: "2026-01-01", to: TODAY };
const LONG_NAME = "Associação Humanitária dos Bombeiros Voluntários de Vila Nova de Famalicão e Arredores, S.A.";

/** Cents of an amount in Portuguese: `-1 234,56`. */
const centsIn = (text: string) => Number(text.replace(/[ ,]/g, ""));
const AMOUNT = String.raw`-?\d[\d ]*,\d\d`;
/** The amounts at the ends of the lines that begin so. */
const endsOf = (text: string, label: string) =>
  Array.from(text.matchAll(new RegExp(`^ *${label}.*?  +(${AMOUNT})$`, "gm")), ([, amount = ""]) => centsIn(amount));
const sumOf = (cents: readonly number[]) => cents.reduce((sum, one) => sum + one, 0);

describe.each(DATABASES)("a statement on paper over $name", (driver) => {
  test("a statement of many pages has a balance on each, and what is open adds up to the last", async () => {
    const home = await anInstance(driver);
    const { company } = home;
    const { id } = await aCustomer(home, { name: LONG_NAME });
    for (let at = 1; at <= 25; at++) {
      const invoice = await anInvoiceOf(home, at * 1_000, { customer_id: id });
      await aPayment(home, invoice, at);
    }
    const last = await anInvoiceOf(home, 100, { customer_id: id });
    await aReceipt(home, [[last, 100]]);
    await aRefund(home, await aCreditNote(home, last, { lines: [aLineOf(40)] }), 10);
    await anInvoice(home, { doc_type: "NC", customer_id: id, lines: [aLineOf(5)] });
    const { closing_balance } = await company.customers.statement({ id, ...YEAR });
    const { name, pdf } = await company.customers.statementPdf({ id, ...YEAR });
    expect(name).toBe(`extrato-C1-2026-01-01-${TODAY}.pdf`);
    const pages = pagesOf(pdf);
    expect(pages.length).toBeGreaterThan(2);
    expect(sheetsOf(pdf).every(({ width, height }) => width < 596 && height > 841)).toBe(true);
    for (const [index, page] of pages.entries()) {
      expect(page).toContain("Este documento não serve de fatura");
      expect(page).toContain(`Página ${index + 1} de ${pages.length}`);
    }
    const carried = (index: number, label: string) => pages[index]?.match(new RegExp(`${label} +(${AMOUNT})`))?.[1];
    expect(carried(0, "A transportar")).toBe(carried(1, "Transporte"));
    expect(carried(0, "A transportar")).toBeDefined();

    const end = pages.at(-1) ?? "";
    const open = ["Por vencer", "Vencido há", "A favor do cliente", "Notas de crédito por imputar"];
    const amounts = open.flatMap((label) =>
      Array.from(end.matchAll(new RegExp(`${label}.*?  +(${AMOUNT})$`, "gm")), ([, amount = ""]) => centsIn(amount)),
    );
    expect(amounts).toHaveLength(7);
    expect(sumOf(amounts)).toBe(Math.round(closing_balance * 100));
    expect(end).toMatch(/Saldo em 21-11-2026 \(EUR\) +324 640,00/);
    expect(textOf(pdf)).toContain("Recibo RG 2026A/1 · 100,00 €");
  });

  test("a statement is in the language that was asked for, else the customer's, else the company's", async () => {
    const home = await anInstance(driver);
    const { company, lacre, company_id } = home;
    const { id } = await aCustomer(home);
    const titleOf = async (input: object = {}) =>
      /Statement of account|Extrato de conta/.exec(
        textOf((await company.customers.statementPdf({ id, ...YEAR, ...input })).pdf),
      )?.[0];
    expect(await titleOf()).toBe("Extrato de conta");
    await lacre.companies.change({ id: company_id, language: "en" });
    expect(await titleOf()).toBe("Statement of account");
    await company.customers.change({ id, language: "pt" });
    expect(await titleOf()).toBe("Extrato de conta");
    expect(await titleOf({ lang: "en" })).toBe("Statement of account");
  });

  test("an empty period has its opening balance and zeros", async () => {
    const home = await anInstance(driver);
    const { id } = await aCustomer(home);
    const { pdf } = await home.company.customers.statementPdf({ id, ...YEAR });
    expect(pagesOf(pdf)).toHaveLength(1);
    expect(textOf(pdf)).toMatch(/Saldo anterior 0,00 Por vencer 0,00 .* Saldo em 21-11-2026 \(EUR\) 0,00/);
  });

  test("what the statement refuses its paper refuses", async () => {
    const { company } = await anInstance(driver);
    const refused = company.customers.statementPdf({ id: UNKNOWN_ID, from: TODAY, to: "2026-11-20" });
    await expectRefusal(refused, "invalid_request", "to: ");
    await expectRefusal(company.customers.statementPdf({ id: UNKNOWN_ID, ...YEAR }), "not_found");
  });
});

describe.each(DATABASES)("the head of a statement over $name", (driver) => {
  test("a statement names its customer, and a tax number where it is known, but no Consumidor final", async () => {
    const home = await anInstance(driver);
    const headOf = async (input: { name: string; tax_id: string | null }) => {
      const { id } = await aCustomer(home, input);
      return textOf((await home.company.customers.statementPdf({ id, ...YEAR, lang: "en" })).pdf);
    };
    expect(await headOf({ name: "Ana Reis", tax_id: "501442600" })).toContain("Tax ID 501442600");
    for (const tax_id of [null, "999999990"]) {
      const head = await headOf({ name: "Rui Melo", tax_id });
      expect(head).toContain("Rui Melo");
      expect(head).not.toContain("Consumidor final");
      expect(head.match(/Tax ID/g)).toHaveLength(1);
    }
  });
});

describe.each(DATABASES)("takings on paper over $name", (driver) => {
  test("the takings of a day are 80 mm wide, and add up by means and by who recorded them", async () => {
    const home = await anInstance(driver);
    const { company, lacre, company_id } = home;
    const invoice = await anInvoiceOf(home, 100);
    await aPayment(home, invoice, 60);
    await aRefund(home, await aCreditNote(home, invoice, { lines: [aLineOf(50)] }), 10);
    await anInvoiceOf(home, 7, { doc_type: "FR" });
    const maria = lacre.as(company_id, { actor: "Maria" });
    await maria.payments.record({ id: (await anInvoiceOf(home, 1_500)).id, ...CASH, amount: 1_234.56 });
    const { name, pdf } = await company.payments.takingsPdf();
    expect(name).toBe(`apuro-${TODAY}.pdf`);
    expect(sheetsOf(pdf)).toHaveLength(1);
    expect(sheetsOf(pdf)[0]?.width).toBeCloseTo(226.77, 1);
    const [page = ""] = pagesOf(pdf);
    expect(page).toContain("Este documento não tem valor fiscal");
    const [byMeans = "", byActor = ""] = page.split("Por quem registou");
    const total = endsOf(byMeans, String.raw`Total \(EUR\)`);
    expect(total).toEqual([129_156]);
    const means = ["Numerário", "autorizado", "Sem meio indicado"];
    const summed = (text: string) => sumOf(means.flatMap((label) => endsOf(text, label)));
    expect([summed(byMeans), summed(byActor)]).toEqual([...total, ...total]);
    expect(sumOf(endsOf(byMeans, String.raw`(?:Recebido|Devolvido) \(\d+\)`))).toBe(total[0]);
    expect(sumOf([...endsOf(byActor, "Lacre"), ...endsOf(byActor, "Maria")])).toBe(total[0]);
  });

  test("the takings of a day without money are zeros, in the company's language", async () => {
    const { company, lacre, company_id } = await anInstance(driver);
    const { pdf } = await company.payments.takingsPdf();
    expect(textOf(pdf)).toMatch(
      /Sem recebimentos nem devoluções Recebido \(0\) 0,00 Devolvido \(0\) 0,00 Total \(EUR\) 0,00/,
    );
    await lacre.companies.change({ id: company_id, language: "en" });
    const english = await company.payments.takingsPdf();
    expect(english.name).toBe(`takings-${TODAY}.pdf`);
    expect(textOf(english.pdf)).toContain("Este documento não tem valor fiscal (this is not a fiscal document)");
    expect((await company.payments.takingsPdf({ lang: "pt" })).name).toBe(`apuro-${TODAY}.pdf`);
    await expectRefusal(company.payments.takingsPdf({ date: "ontem" }), "invalid_request", "date: must be a date");
  });

  test("a paper that waits ends when its caller leaves", async () => {
    const { company } = await anInstance(driver);
    const leaves = new AbortController();
    const papers = Array.from({ length: 10 }, () => company.payments.takingsPdf({}, { signal: leaves.signal }));
    const ended = Promise.allSettled(papers);
    leaves.abort(new Error("left"));
    for (const one of await ended) expect(one).toMatchObject({ status: "rejected", reason: { message: "left" } });
  });
});
