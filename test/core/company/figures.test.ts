/** The figures of the home screen, against the documents themselves, after random histories. */
import { computeTotals } from "lacre";
import { describe, expect, test } from "vitest";
import { databaseOf } from "../../../src/core/database/executor.ts";
import { type Recounted, salesRecount } from "../../../src/core/documents/sales.ts";
import { type Chance, chanceOf } from "../../support/chance.ts";
import { DATABASES } from "../../support/databases.ts";
import { type Database, TODAY } from "../../support/drivers.ts";
import { aCreditNote, aCustomer, aLine, aLineOf, anInvoice, aPayment } from "../../support/factories.ts";
import { aHistory, fault } from "../../support/history.ts";
import { aCompany, anInstance, type Instance } from "../../support/instance.ts";
import { expectRefusal } from "../../support/refusals.ts";

const cents = (eur: number) => Math.round(eur * 100);
const SIGNS: Readonly<Record<string, number>> = { FT: 1, FS: 1, FR: 1, ND: 1, NC: -1 };

/** Every document that counts, with its lines, read one by one. */
async function liveDocuments({ company }: Instance) {
  const { data: series } = await company.series.list({ limit: 200 });
  const training = new Set(series.filter((one) => one.training).map(({ id }) => id));
  const all = [];
  for (let offset = 0; ; offset += 200) {
    const { data, pagination } = await company.documents.list({ status: "issued", limit: 200, offset });
    for (const { id, series_id } of data) if (!training.has(series_id)) all.push(await company.documents.get({ id }));
    if (offset + 200 >= pagination.total) return all;
  }
}

/** The figures, recomputed from the documents. */
async function expected(home: Instance, year: number, month: string) {
  const live = await liveDocuments(home);
  const sold = live.filter(({ doc_type }) => SIGNS[doc_type] !== undefined);
  const sales = (ofYear: number) =>
    Array.from({ length: 12 }, (_, i) => `${ofYear}-${String(i + 1).padStart(2, "0")}`).map((of) => {
      const own = sold.filter(({ issue_date }) => issue_date.startsWith(of));
      const sum = (name: "total_net" | "total_tax" | "total_gross") =>
        own.reduce((total, one) => total + (SIGNS[one.doc_type] ?? 0) * cents(one[name]), 0) / 100;
      return { month: of, net: sum("total_net"), tax: sum("total_tax"), gross: sum("total_gross") };
    });
  const vat = [1, 2, 3, 4].map((quarter) => {
    const rates = new Map<number, { net: number; tax: number }>();
    for (const { doc_type, issue_date, lines, global_discount_pct } of sold) {
      if (Number(issue_date.slice(0, 4)) !== year || Math.ceil(Number(issue_date.slice(5, 7)) / 3) !== quarter)
        continue;
      for (const { tax_rate, net, tax } of computeTotals({ lines, global_discount_pct }).groups) {
        const own = rates.get(tax_rate) ?? { net: 0, tax: 0 };
        const sign = SIGNS[doc_type] ?? 0;
        rates.set(tax_rate, { net: own.net + sign * cents(net), tax: own.tax + sign * cents(tax) });
      }
    }
    const known = [...rates].filter(([, { net, tax }]) => net !== 0 || tax !== 0);
    return { quarter, rates: known.map(([tax_rate, { net, tax }]) => ({ tax_rate, net: net / 100, tax: tax / 100 })) };
  });
  const debts = Map.groupBy(
    live.filter(({ outstanding }) => (outstanding ?? 0) > 0),
    ({ customer_id }) => customer_id,
  );
  const owed = [...debts].map(([customer_id, own]) => {
    const [oldest] = own.toSorted((a, b) => (a.issue_date + a.id < b.issue_date + b.id ? -1 : 1));
    const outstanding = own.reduce((sum, one) => sum + cents(one.outstanding ?? 0), 0) / 100;
    return { customer_id, outstanding, documents: own.length, oldest: oldest?.id };
  });
  return {
    sales: sales(year),
    sales_of_year_before: sales(year - 1),
    vat,
    this_month: live.filter(({ issue_date }) => issue_date.startsWith(month)).length,
    owed: owed.sort((a, b) => b.outstanding - a.outstanding || (a.customer_id < b.customer_id ? 1 : -1)),
  };
}

/** The same of the answer, in an order of its own where the answer's says nothing. */
async function answered({ company }: Instance, year: number) {
  const figures = await company.figures.get({ year });
  const { sales, sales_of_year_before, vat, this_month, owed } = figures;
  expect(owed.customers).toBe(owed.largest.length);
  expect(cents(owed.total)).toBe(owed.largest.reduce((sum, { outstanding }) => sum + cents(outstanding), 0));
  return {
    sales,
    sales_of_year_before,
    vat: vat.map(({ quarter, rates }) => ({
      quarter,
      rates: rates.map(({ tax_rate, net, tax }) => ({ tax_rate, net, tax })),
    })),
    this_month: this_month.documents,
    owed: owed.largest.map(({ customer_id, outstanding, documents, oldest }) => ({
      customer_id,
      outstanding,
      documents,
      oldest: oldest.document_id,
    })),
  };
}

const byRate = (figures: Awaited<ReturnType<typeof expected>>) => ({
  ...figures,
  vat: figures.vat.map(({ quarter, rates }) => ({ quarter, rates: rates.sort((a, b) => a.tax_rate - b.tax_rate) })),
});

/** Three times a year, a history of its own. */
async function threeSeasons(home: Instance, chance: Chance): Promise<void> {
  const line = (amount: number) => aLine({ unit_price_net: amount, qty: 1.5, tax_rate: chance.oneOf([6, 13, 23, 23]) });
  for (const month of ["2025-11", "2026-02", "2026-11"]) {
    home.travel(`${month}-21T12:00:00Z`);
    await home.company.clock.confirm();
    await aHistory(home, chance, { acts: 60, days: ["19", "20", "21"].map((day) => `${month}-${day}`), line });
  }
}

describe.each(DATABASES)("the figures over $name", (driver) => {
  test("are those of the documents, whatever happened to them, and verifying confirms them", async () => {
    const chance = chanceOf(Number(process.env.LACRE_SEED));
    for (let round = 0; round < 3; round++) {
      const home = await anInstance(driver);
      await threeSeasons(home, chance);
      const said = `LACRE_SEED=${chance.seed}, round ${round}`;
      expect(await fault(home), said).toBeNull();
      for (const year of [2025, 2026, 2027]) {
        const due = byRate(await expected(home, year, "2026-11"));
        expect(byRate(await answered(home, year)), said).toEqual(due);
      }
      const { sales } = await home.company.figures.get();
      expect(sales.filter(({ net }) => net !== 0).length, said).toBeGreaterThan(0);
    }
  });

  test("of a company without documents are zeros, of this year when none is asked for", async () => {
    const { company } = await anInstance(driver);
    const none = (year: number) =>
      Array.from({ length: 12 }, (_, i) => ({
        month: `${year}-${String(i + 1).padStart(2, "0")}`,
        net: 0,
        tax: 0,
        gross: 0,
      }));
    expect(await company.figures.get()).toEqual({
      year: 2026,
      sales: none(2026),
      sales_of_year_before: none(2025),
      vat: [1, 2, 3, 4].map((quarter) => ({ quarter, rates: [] })),
      cash_vat: false,
      this_month: { month: "2026-11", documents: 0 },
      owed: { total: 0, customers: 0, largest: [] },
      in_favour: { total: 0, documents: 0, latest: [] },
    });
    for (const year of [0, 10_000, 2026.5, "2026"]) {
      await expectRefusal(company.figures.get({ year: year as number }), "invalid_request", "year");
    }
  });

  test("a credit note subtracts in its own month, and a cancelled document in its month of issue", async () => {
    const home = await anInstance(driver, { at: "2026-03-31T12:00:00Z" });
    const invoice = await anInvoice(home, { issue_date: "2026-03-31" });
    const mistake = await anInvoice(home, { issue_date: "2026-03-31" });
    home.travel("2026-04-01T12:00:00Z");
    await aCreditNote(home, invoice, { issue_date: "2026-04-01", lines: [aLine({ qty: 0.5 })] });
    await home.company.documents.cancel({ id: mistake.id });
    const { sales, vat } = await home.company.figures.get();
    expect(sales[2]).toEqual({ month: "2026-03", net: 100, tax: 23, gross: 123 });
    expect(sales[3]).toEqual({ month: "2026-04", net: -50, tax: -11.5, gross: -61.5 });
    expect(vat[0]?.rates).toEqual([{ tax_region: "PT", tax_code: "NOR", tax_rate: 23, net: 100, tax: 23 }]);
    expect(vat[1]?.rates).toEqual([{ tax_region: "PT", tax_code: "NOR", tax_rate: 23, net: -50, tax: -11.5 }]);
  });

  test("the ten largest debtors are named, with what they owe since when; paid and credited amounts are no debt", async () => {
    const home = await anInstance(driver);
    const { company } = home;
    const customers: string[] = [];
    for (let i = 1; i <= 12; i++) {
      const tax_id = i === 12 ? "123456789" : null;
      customers.push((await aCustomer(home, { name: `Cliente ${i}`, tax_id })).id);
    }
    for (const issue_date of ["2026-11-20", TODAY]) {
      for (const [i, customer_id] of customers.entries()) {
        await anInvoice(home, { customer_id, issue_date, due_date: "2026-12-21", lines: [aLineOf(i + 1)] });
      }
    }
    const { owed } = await company.figures.get();
    expect(owed).toMatchObject({ total: 156, customers: 12 });
    expect(owed.largest.map(({ name }) => name)).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3].map((i) => `Cliente ${i}`));
    expect(owed.largest.map(({ tax_id }) => tax_id)).toEqual(["123456789", ...Array(9).fill(null)]);
    expect(owed.largest[0]).toMatchObject({
      outstanding: 24,
      documents: 2,
      oldest: { number: "FT 2026A/12", issue_date: "2026-11-20", due_date: "2026-12-21" },
    });
  });

  test("all debtors are listed over pages, the largest debt first, also those archived since", async () => {
    const home = await anInstance(driver);
    const { company } = home;
    for (const [i, amount] of [3, 1, 2, 5, 4].entries()) {
      const { id: customer_id } = await aCustomer(home, { name: `Cliente ${i}` });
      await anInvoice(home, { customer_id, lines: [aLineOf(amount)] });
    }
    const listed = async (page: object) => {
      const { data, pagination } = await company.figures.debts(page);
      return [data.map(({ outstanding }) => outstanding), pagination];
    };
    expect(await listed({})).toEqual([[5, 4, 3, 2, 1], { limit: 50, offset: 0, total: 5 }]);
    expect(await listed({ limit: 2, offset: 1 })).toEqual([[4, 3], { limit: 2, offset: 1, total: 5 }]);
    expect(await listed({ limit: 2, offset: 4 })).toEqual([[1], { limit: 2, offset: 4, total: 5 }]);
    const { data } = await company.figures.debts();
    expect(data).toEqual((await company.figures.get()).owed.largest);
    await company.customers.archive({ id: data[0]?.customer_id as string });
    expect((await company.figures.debts()).data).toEqual(data);
    await expectRefusal(company.figures.debts({ limit: 0 }), "invalid_request", "limit");
  });

  test("a customer's account: their debt, the amount in their favour, and their last payment", async () => {
    const home = await anInstance(driver);
    const { company } = home;
    const first = await anInvoice(home, { issue_date: "2026-11-20", lines: [aLineOf(30)] });
    const { customer_id } = first;
    const paid = await anInvoice(home, { customer_id, lines: [aLineOf(100)] });
    const other = await anInvoice(home, { lines: [aLineOf(50)] });
    const payments = [];
    for (const [of, amount] of [
      [paid, 100],
      [first, 2],
      [other, 50],
    ] as const) {
      payments.push(await aPayment(home, of, amount));
    }
    const mistyped = await aPayment(home, first, 1);
    await company.payments.void({ id: mistyped.id });
    for (const of of [paid, other]) await aCreditNote(home, of, { lines: [aLineOf(of === paid ? 100 : 50)] });
    expect(await company.figures.customer({ id: customer_id })).toEqual({
      owed: {
        outstanding: 28,
        documents: 1,
        oldest: { document_id: first.id, number: first.number, issue_date: "2026-11-20", due_date: null },
      },
      in_favour: { total: 100, documents: 1 },
      payments: [payments[1], payments[0]],
    });
    const { id } = await aCustomer(home);
    const nothing = { owed: null, in_favour: { total: 0, documents: 0 }, payments: [] };
    expect(await company.figures.customer({ id })).toEqual(nothing);
    await company.customers.archive({ id });
    expect(await company.figures.customer({ id })).toEqual(nothing);
    const stranger = await aCompany(home.lacre);
    await expectRefusal(stranger.company.figures.customer({ id: customer_id }), "not_found");
  });

  test("a credit on a paid amount is owed to the customer, and reduces no other debt", async () => {
    const home = await anInstance(driver);
    const paid = await anInvoice(home, { lines: [aLineOf(100)] });
    await aPayment(home, paid, 100);
    await anInvoice(home, { customer_id: paid.customer_id, lines: [aLineOf(30)] });
    const credit = await aCreditNote(home, paid, { lines: [aLineOf(100)] });
    const figures = async () => home.company.figures.get();
    const owed = async () => (await figures()).owed;
    expect(await owed()).toMatchObject({ total: 30, customers: 1 });
    const { id: document_id, number, customer_id } = paid;
    const latest = [{ document_id, number, customer_id, name: "Ana Conceição", amount: 100 }];
    expect((await figures()).in_favour).toEqual({ total: 100, documents: 1, latest });
    await home.company.documents.cancel({ id: credit.id });
    expect(await owed()).toMatchObject({ total: 30, customers: 1 });
    expect((await figures()).in_favour).toEqual({ total: 0, documents: 0, latest: [] });
    expect(await fault(home)).toBeNull();
  });

  test("training documents are in no figure", async () => {
    const home = await anInstance(driver);
    const { id } = await home.company.series.create({ doc_type: "FT", code: "TREINO", training: true });
    const before = await home.company.figures.get();
    await anInvoice(home, { series_id: id });
    expect(await home.company.figures.get()).toEqual(before);
  });

  test.each([
    ["update sales_sums set net_cents = net_cents + 1", "The sales kept of FT in 2026-11 (PT NOR, 23 %) are not"],
    ["update sales_sums set tax_cents = tax_cents - 1", "The sales kept of FT in 2026-11 (PT NOR, 23 %) are not"],
    ["delete from sales_sums", "The sales kept of FT in 2026-11 (PT NOR, 23 %) are not"],
    ["update sales_sums set tax_region = 'PT-MA'", "The sales kept of FT in 2026-11 (PT NOR, 23 %) are not"],
    [
      "insert into sales_sums select company_id, '2026-12', doc_type, tax_region, tax_code, 0, 1, 0 from sales_sums",
      "The sales kept of FT in 2026-12 (PT NOR, 0 %) are not",
    ],
    ["update customer_debts set outstanding_cents = outstanding_cents + 1", "is not kept as its documents have it."],
    ["update customer_debts set documents = 2", "is not kept as its documents have it."],
    ["delete from customer_debts", "is not kept as its documents have it."],
    ["update companies set outstanding_cents = outstanding_cents + 1", "is not kept as their documents have it."],
    ["update companies set debtor_count = 2", "is not kept as their documents have it."],
    ["drop trigger customer_debts_begin", "is not kept as their documents have it."],
    ["drop trigger debts_begin", "is not kept as its documents have it."],
  ])("%s: verifying names it", async (sql, says) => {
    const home = await anInstance(driver);
    if (!sql.startsWith("drop")) await anInvoice(home);
    await home.past(sql);
    if (sql.startsWith("drop")) await anInvoice(home);
    expect(await fault(home)).toContain(says);
  });

  test("the recount is as of its event, whatever is issued and cancelled meanwhile", async () => {
    const home = await anInstance(driver);
    const { loose: db } = databaseOf(home.dialect);
    const recounted = async (begun: number, kept: Kept): Promise<string | null> => {
      const recount = salesRecount({ db, company_id: home.company_id }, begun);
      await recount.add(await everyDocument(home));
      return recount.faultOf(kept);
    };
    const [first, second] = [await anInvoice(home), await anInvoice(home)];
    const { begun, kept } = await keptIn(home);
    await home.company.documents.cancel({ id: first.id });
    await anInvoice(home, { lines: [aLine({ tax_rate: 6 })] });
    expect(await recounted(begun, kept)).toBeNull();
    // The control: without the events since then, what happened meanwhile looks like a fault.
    expect(await recounted((await keptIn(home)).begun, kept)).not.toBeNull();
    await home.company.documents.cancel({ id: second.id });
    expect(await recounted(begun, kept)).toBeNull();
    const now = await keptIn(home);
    expect(await recounted(now.begun, now.kept)).toBeNull();
  });

  test("verifying finds nothing while documents are issued and cancelled", async () => {
    const home = await aBusyInstance(driver);
    const verifying = home.company.series.verify();
    const { data } = await home.company.documents.list({ limit: 20 });
    for (const { id } of data) {
      await home.company.documents.cancel({ id });
      await anInvoice(home, { customer_id: data[0]?.customer_id as string });
    }
    expect(await verifying).toMatchObject({ whole: true, findings: [] });
  });
});

type Kept = Parameters<ReturnType<typeof salesRecount>["faultOf"]>[0];

/** The kept sums, and the last event then. */
async function keptIn({ past, company_id }: Instance): Promise<{ begun: number; kept: Kept }> {
  const [head] = await past<{ event_position: number }>(
    `select event_position from companies where id = '${company_id}'`,
  );
  const kept = await past(
    "select *, cast(net_cents as text) as net_cents, cast(tax_cents as text) as tax_cents from sales_sums",
  );
  return { begun: head?.event_position as number, kept: kept as unknown as Kept };
}

async function everyDocument({ past }: Instance): Promise<Recounted[]> {
  const lines = await past<{ document_id: string }>("select * from document_lines");
  const rows = await past<{ id: string }>("select * from documents where sequence is not null");
  return rows.map((row) => ({
    row,
    lines: lines.filter(({ document_id }) => document_id === row.id),
  })) as unknown as Recounted[];
}

async function aBusyInstance(driver: Database): Promise<Instance> {
  const home = await anInstance(driver);
  const customer_id = (await aCustomer(home)).id;
  for (let i = 0; i < 200; i++) await anInvoice(home, { customer_id, issue_date: TODAY });
  return home;
}
