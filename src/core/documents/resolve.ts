/**
 * What a document is sent with in place of ids (the current series, a customer's fields, a product's own code) becomes
 * ids before the draft is prepared; nothing after it knows of these fields. All of it is read inside the transaction of
 * the call: of parallel sales to one new customer the first creates it, and one clock decides day and series.
 */
import type * as z from "zod";
import { mustFindCompany } from "../company/companies.ts";
import type { Row } from "../database/tables.ts";
import { civilDate, type Day, yearOf } from "../fiscal/civil-time.ts";
import type { DocType } from "../fiscal/document-types.ts";
import { fromBps, fromMicros, toBps } from "../fiscal/money.ts";
import { type CustomerPlan, planCustomer, storePlanned } from "../records/customer-within.ts";
import { keyOf, productsByCode } from "../records/product-within.ts";
import { hasPrice } from "../records/unit-prices.ts";
import { collecting, type Problem, problem, refuseInput } from "../runtime/errors.ts";
import type { Noticed } from "../runtime/notices.ts";
import type { ReadScope, WriteScope } from "../runtime/scope.ts";
import { currentSeriesOf, problemWithoutSeries } from "../series/series.ts";
import type { NewDocument } from "./document.ts";
import { t } from "./refusals.ts";

/** A document as it is sent, or a draft with the changes that are sent. */
export type Given = Omit<z.output<typeof NewDocument>, "issue" | "email">;
type GivenLine = Given["lines"][number];

/** A line that names its product by id, and says what it charges. */
export type LineInput = Omit<GivenLine, "product" | "description" | "tax_rate"> & {
  readonly description: string;
  readonly tax_rate: number;
};

type GivenPayment = NonNullable<Given["payments"]>[number];

/** A document that names everything by id, and its days. */
export type DraftInput = Omit<
  Given,
  "series" | "customer" | "series_id" | "issue_date" | "customer_id" | "lines" | "payments"
> & {
  readonly series_id: string;
  readonly issue_date: Day;
  readonly customer_id: string;
  lines: LineInput[];
  payments?: (GivenPayment & { readonly payment_date: Day })[] | undefined;
};

/** A document whose ids are read, and the customer to be stored before it. */
export interface Resolved {
  /** Without its customer's id while the customer is only planned. */
  readonly input: Omit<DraftInput, "customer_id"> & { readonly customer_id: string | undefined };
  /** Undefined for a document that names its customer by id. */
  readonly customer: CustomerPlan | undefined;
}

/** Reads what stands in for ids, and refuses with every problem found. Nothing is stored. */
export async function resolve(scope: ReadScope, { series, customer, ...given }: Given): Promise<Resolved> {
  const problems: Problem[] = [];
  const { doc_type, issue_date } = given;
  const day = series && (await collecting(problems, "", () => currentSeries(scope, doc_type, issue_date)));
  const plan = customer && (await collecting(problems, "customer", () => planCustomer(scope, customer)));
  const isOfProducts = given.lines.some(({ product }) => product !== undefined);
  const payments =
    day && given.payments?.map(({ payment_date = day.issue_date, ...payment }) => ({ ...payment, payment_date }));
  const lines = isOfProducts ? await collecting(problems, "", () => withProducts(scope, given.lines)) : given.lines;
  if (problems.length > 0) refuseInput(problems);
  // Its schema requires what nothing stands in for.
  return { input: { ...given, ...(payments && { payments }), lines, ...day } as Resolved["input"], customer: plan };
}

/** The same document by ids alone, its customer stored as planned, and what there is to know about that. */
export async function resolved(
  scope: WriteScope,
  given: Given,
): Promise<{ readonly input: DraftInput; readonly notices: readonly Noticed[] }> {
  const { input, customer } = await resolve(scope, given);
  if (!customer) return { input: input as DraftInput, notices: [] };
  const { row, notices } = await storePlanned(scope, customer);
  return { input: { ...input, customer_id: row.id }, notices };
}

type SeriesAndDay = Pick<DraftInput, "series_id" | "issue_date">;

/** The current series of a type and the day of its document, by default today in the company's time zone. */
async function currentSeries(scope: ReadScope, doc_type: DocType, day: Day | undefined): Promise<SeriesAndDay> {
  const issue_date = day ?? civilDate(scope.now, (await mustFindCompany(scope)).time_zone);
  const year = yearOf(issue_date);
  const found = await currentSeriesOf(scope, doc_type, year);
  if (!found) return refuseInput([await problemWithoutSeries(scope, doc_type, year)]);
  return { series_id: found.id, issue_date };
}

/** The lines with the ids of their products, and what those lines leave to them. */
async function withProducts(scope: ReadScope, lines: readonly GivenLine[]): Promise<GivenLine[]> {
  const products = await productsByCode(
    scope,
    lines.flatMap(({ product }) => product ?? []),
  );
  const problems: Problem[] = [];
  const filled = lines.map(({ product, ...line }, i) => {
    if (!product) return line;
    const [found, ...others] = products.get(keyOf(product)) ?? [];
    if (!found) problems.push(problem(`lines[${i}].product`, t.is_unknown));
    if (others.length > 0) problems.push(problem(`lines[${i}].product`, t.names_several_products));
    return found ? filledFrom(found, line) : line;
  });
  return problems.length > 0 ? refuseInput(problems) : filled;
}

/** A line with what it leaves to its product; the price with VAT counts at the product's rate alone. */
function filledFrom(product: Row<"products">, line: Omit<GivenLine, "product">): GivenLine {
  const { unit_price_micros, unit_price_gross_micros: gross_micros } = product;
  const { description = product.name, tax_rate = fromBps(product.tax_rate_bps) } = line;
  const isGross = gross_micros !== null && toBps(tax_rate) === product.tax_rate_bps;
  const price = isGross
    ? { unit_price_gross: fromMicros(gross_micros) }
    : { unit_price_net: fromMicros(unit_price_micros) };
  return { ...line, ...(!hasPrice(line) && price), description, tax_rate, product_id: product.id };
}
