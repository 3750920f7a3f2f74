/** Figures of a company: sales, their VAT, debtors, and a customer's account. All read stored sums. */
import * as z from "zod";
import type { Row } from "../database/tables.ts";
import { type Debt, debtOf, latestInFavour, oldestUnpaid, pageOfDebts, sumInFavour } from "../documents/balances.ts";
import { countMonths } from "../documents/counts.ts";
import { latestPaymentsOf, PAID_AMONG, Payment } from "../documents/payments.ts";
import { findDocuments } from "../documents/rows.ts";
import { type Sales, salesBetween } from "../documents/sales.ts";
import { Day, Id, Money, PathId, TaxRate, wholeNumber } from "../fields.ts";
import { civilDate, monthOf, yearOf } from "../fiscal/civil-time.ts";
import { fromBps, fromCents } from "../fiscal/money.ts";
import { groupKey } from "../fiscal/totals.ts";
import { TAX_CODES, TAX_REGIONS } from "../fiscal/vat-rates.ts";
import { findCustomer } from "../records/customers.ts";
import { t } from "../records/refusals.ts";
import { refuse } from "../runtime/errors.ts";
import { query } from "../runtime/operation.ts";
import { type Page, PageInput, type PageRequest, pageOf } from "../runtime/page.ts";
import type { ReadScope } from "../runtime/scope.ts";
import { mustFindCompany } from "./companies.ts";

const LARGEST = 10;

const SalesOfMonth = z.strictObject({
  month: z.string().meta({ example: "2026-03" }),
  net: Money,
  tax: Money,
  gross: Money,
});
const sales = z.array(SalesOfMonth).describe("Twelve months, January first.");

const Owing = {
  outstanding: Money,
  documents: z.int().describe("How many documents it is outstanding on."),
  oldest: z
    .strictObject({
      document_id: Id,
      number: z.string(),
      issue_date: Day,
      due_date: Day.nullable(),
    })
    .describe("The first issued of these."),
};
const Debtor = z.strictObject({ customer_id: Id, name: z.string(), tax_id: z.string().nullable(), ...Owing });

/**
 * Sales are the documents issued as FT, FS, FR and ND less those issued as NC, in the month of their `issue_date`;
 * cancelled ones are left out of that month, and training documents of everything.
 */
export const Figures = z
  .strictObject({
    year: z.int(),
    sales,
    sales_of_year_before: sales,
    vat: z
      .array(
        z.strictObject({
          quarter: z.int().describe("1 to 4."),
          rates: z.array(
            z.strictObject({
              tax_region: z.enum(TAX_REGIONS),
              tax_code: z.enum(TAX_CODES),
              tax_rate: TaxRate,
              net: Money.describe("The base, less credit notes; negative where they exceed it."),
              tax: Money,
            }),
          ),
        }),
      )
      .describe("The four quarters of the year, by region, code and rate, as invoiced."),
    cash_vat: z.boolean().describe("The cash-VAT scheme: VAT falls due as it is paid, not as invoiced."),
    this_month: z.strictObject({
      month: z.string().describe("The present one, whatever the year that is asked for."),
      documents: z.int().describe("Documents of any type issued in it and not cancelled, training left out."),
    }),
    owed: z.strictObject({
      total: Money.describe("What is outstanding on all documents."),
      customers: z.int().describe("How many customers owe."),
      largest: z
        .array(Debtor)
        .describe(
          `The customers who owe most, the largest first, and of two who owe the same the newer customer; at most ${LARGEST}.`,
        ),
    }),
    in_favour: z
      .strictObject({
        total: Money,
        documents: z.int().describe("How many documents it is on."),
        latest: z
          .array(
            z.strictObject({
              document_id: Id,
              number: z.string(),
              customer_id: Id,
              name: z.string(),
              amount: Money,
            }),
          )
          .describe(`The newest of these documents; at most ${LARGEST}.`),
      })
      .describe("What was credited after it was paid, and so is the customers'. It takes nothing off what others owe."),
  })
  .describe("What a company sold, its VAT, and who owes.");
export type Figures = z.infer<typeof Figures>;

export const getFigures = query(
  {
    id: "getFigures",
    summary: "Sales by month, VAT by quarter, and who owes",
    needs: "figures:read",
    input: z.strictObject({
      year: wholeNumber(1, 9999).optional().describe("The present one when left out."),
    }),
    output: Figures,
    fails: [],
  },
  async (scope, input) => {
    const company = await mustFindCompany(scope);
    const today = civilDate(scope.now, company.time_zone);
    const year = input.year ?? yearOf(today);
    const [months, monthsBefore] = [monthsOf(year), monthsOf(year - 1)];
    const kept = await salesBetween(scope, monthsBefore[0] as string, months.at(-1) as string);
    return {
      year,
      sales: byMonth(kept, months),
      sales_of_year_before: byMonth(kept, monthsBefore),
      vat: [1, 2, 3, 4].map((quarter) => ({
        quarter,
        rates: byRate(kept, months.slice(quarter * 3 - 3, quarter * 3)),
      })),
      cash_vat: company.cash_vat === 1,
      this_month: { month: monthOf(today), documents: await issuedIn(scope, monthOf(today)) },
      owed: await owed(scope, company),
      in_favour: await inFavour(scope),
    };
  },
);

function monthsOf(year: number): string[] {
  return Array.from({ length: 12 }, (_, i) => `${String(year).padStart(4, "0")}-${String(i + 1).padStart(2, "0")}`);
}

interface Cents {
  net_cents: number;
  tax_cents: number;
}

function add(sum: Cents, { net_cents, tax_cents }: Cents): void {
  sum.net_cents += net_cents;
  sum.tax_cents += tax_cents;
}

function byMonth(kept: readonly Sales[], months: readonly string[]): z.infer<typeof sales> {
  const sums = new Map(months.map((month) => [month, { net_cents: 0, tax_cents: 0 }]));
  for (const sum of kept) {
    const own = sums.get(sum.month);
    if (own) add(own, sum);
  }
  return [...sums].map(([month, { net_cents, tax_cents }]) => ({
    month,
    net: fromCents(net_cents),
    tax: fromCents(tax_cents),
    gross: fromCents(net_cents + tax_cents),
  }));
}

/** By region, code and rate, in the order of the law's own tables. */
function byRate(kept: readonly Sales[], months: readonly string[]): Figures["vat"][number]["rates"] {
  const sums = new Map<string, Pick<Sales, "tax_region" | "tax_code" | "tax_rate_bps"> & Cents>();
  for (const sum of kept) {
    if (!months.includes(sum.month)) continue;
    const { tax_region, tax_code, tax_rate_bps } = sum;
    const key = groupKey(sum);
    const own = sums.get(key) ?? { tax_region, tax_code, tax_rate_bps, net_cents: 0, tax_cents: 0 };
    sums.set(key, own);
    add(own, sum);
  }
  const place = ({ tax_region, tax_code }: Pick<Sales, "tax_region" | "tax_code">) =>
    TAX_REGIONS.indexOf(tax_region) * TAX_CODES.length + TAX_CODES.indexOf(tax_code);
  return [...sums.values()]
    .filter(({ net_cents, tax_cents }) => net_cents !== 0 || tax_cents !== 0)
    .sort((a, b) => place(a) - place(b) || a.tax_rate_bps - b.tax_rate_bps)
    .map(({ tax_region, tax_code, tax_rate_bps, net_cents, tax_cents }) => ({
      tax_region,
      tax_code,
      tax_rate: fromBps(tax_rate_bps),
      net: fromCents(net_cents),
      tax: fromCents(tax_cents),
    }));
}

/** The documents issued in a month and not cancelled. */
async function issuedIn(scope: ReadScope, month: string): Promise<number> {
  const own = (await countMonths(scope, month)).find((one) => one.month === month);
  return own ? own.documents - own.cancelled : 0;
}

async function owed(scope: ReadScope, company: Row<"companies">): Promise<Figures["owed"]> {
  const { data, pagination } = await debtors(scope, { limit: LARGEST });
  return { total: fromCents(company.outstanding_cents), customers: pagination.total, largest: data };
}

/** The customers who owe, the largest debt first; of two equal debts, the newer customer first. */
async function debtors(scope: ReadScope, page: PageRequest): Promise<Page<z.infer<typeof Debtor>>> {
  const { data, pagination } = await pageOfDebts(scope, page);
  const found = [];
  for (const debt of data) found.push(await toDebtor(scope, debt));
  return { data: found, pagination };
}

export const listDebts = query(
  {
    id: "listDebts",
    summary: "List the customers who owe, the largest debt first; those that were archived, too",
    needs: "figures:read",
    input: z.strictObject(PageInput),
    output: pageOf(Debtor),
    fails: [],
  },
  debtors,
);

export const CustomerFigures = z
  .strictObject({
    owed: z.strictObject(Owing).nullable().describe("Null where nothing is outstanding."),
    in_favour: z
      .strictObject({ total: Money, documents: z.int() })
      .describe("What was credited after it was paid. It takes nothing off what is owed."),
    payments: z
      .array(Payment)
      .describe(`The latest by payment_date, at most ${LARGEST}, on the customer's newest ${PAID_AMONG} documents.`),
  })
  .describe("How a company stands with one customer.");
export type CustomerFigures = z.infer<typeof CustomerFigures>;

export const getCustomerFigures = query(
  {
    id: "getCustomerFigures",
    summary: "What a customer owes, what is in their favour, and what they paid last",
    needs: "figures:read",
    input: z.strictObject({ id: PathId }),
    output: CustomerFigures,
    fails: ["not_found"],
  },
  async (scope, { id }) => {
    if (!(await findCustomer(scope, id))) refuse("not_found", t.no_such_customer);
    const debt = await debtOf(scope, id);
    const { cents, documents } = await sumInFavour(scope, id);
    return {
      owed: debt ? await owing(scope, debt) : null,
      in_favour: { total: fromCents(cents), documents },
      payments: await latestPaymentsOf(scope, id, LARGEST),
    };
  },
);

async function inFavour(scope: ReadScope): Promise<Figures["in_favour"]> {
  const { cents, documents } = await sumInFavour(scope);
  const rows = await latestInFavour(scope, LARGEST);
  const found = await findDocuments(
    scope,
    rows.map(({ document_id }) => document_id),
  );
  const latest = [];
  for (const { document_id, customer_id, outstanding_cents } of rows) {
    const number = found.get(document_id)?.number;
    const customer = await findCustomer(scope, customer_id);
    if (!customer || number == null) throw new Error(`The balance of document ${document_id} is of no document.`);
    latest.push({ document_id, number, customer_id, name: customer.name, amount: fromCents(-outstanding_cents) });
  }
  return { total: fromCents(cents), documents, latest };
}

async function toDebtor(scope: ReadScope, debt: Debt): Promise<z.infer<typeof Debtor>> {
  const { customer_id } = debt;
  const customer = await findCustomer(scope, customer_id);
  if (!customer) throw new Error(`What customer ${customer_id} owes is of no customer.`);
  return { customer_id, name: customer.name, tax_id: customer.tax_id, ...(await owing(scope, debt)) };
}

async function owing(scope: ReadScope, { customer_id, outstanding_cents, documents }: Debt) {
  const oldest = await oldestUnpaid(scope, customer_id);
  if (oldest?.number == null) throw new Error(`What customer ${customer_id} owes is of no document.`);
  const { id: document_id, number, issue_date, due_date } = oldest;
  return {
    outstanding: fromCents(outstanding_cents),
    documents,
    oldest: { document_id, number, issue_date, due_date },
  };
}
