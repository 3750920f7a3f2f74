/**
 * What a document is sent with in place of ids (the current series, a customer's fields, a product's own code) becomes
 * ids before the draft is prepared; nothing after it knows of these fields. All of it is read inside the transaction of
 * the call: of parallel sales to one new customer the first creates it, and one clock decides day and series.
 */
import type * as z from "zod";
import { mustFindCompany } from "../company/companies.ts";
import { civilDate, type Day, yearOf } from "../fiscal/civil-time.ts";
import type { DocType } from "../fiscal/document-types.ts";
import { type CustomerPlan, planCustomer, storePlanned } from "../records/customer-within.ts";
import { collecting, type Problem, refuseInput } from "../runtime/errors.ts";
import type { ReadScope, WriteScope } from "../runtime/scope.ts";
import { currentSeriesOf, problemWithoutSeries } from "../series/series.ts";
import type { NewDocument } from "./document.ts";

/** A document as it is sent, or a draft with the changes that are sent. */
export type Given = Omit<z.output<typeof NewDocument>, "issue" | "email">;

/** What may stand in for ids. */
type StandIn = "series" | "customer";

/** A document that names everything by id. */
export type DraftInput = Omit<Given, StandIn | "series_id" | "issue_date" | "customer_id"> & {
  readonly series_id: string;
  readonly issue_date: Day;
  readonly customer_id: string;
};

/** A document whose ids are read, and what is to be stored before it. */
export interface Resolved {
  /** Without its customer's id while the customer is only planned. */
  readonly input: Omit<DraftInput, "customer_id"> & { readonly customer_id: string | undefined };
  /** The customer that it was sent with; undefined if it names one by id. */
  readonly customer: CustomerPlan | undefined;
}

/** Reads what stands in for ids, and refuses with every problem found. Nothing is stored. */
export async function resolve(scope: ReadScope, { series, customer, ...given }: Given): Promise<Resolved> {
  const problems: Problem[] = [];
  const { doc_type, issue_date } = given;
  const day = series && (await collecting(problems, "", () => currentSeries(scope, doc_type, issue_date)));
  const plan = customer && (await collecting(problems, "customer", () => planCustomer(scope, customer)));
  if (problems.length > 0) refuseInput(problems);
  // Its schema requires the ids that nothing stands in for.
  return { input: { ...given, ...day } as Resolved["input"], customer: plan };
}

/** The same document by ids alone: its customer is stored as planned. */
export async function resolved(scope: WriteScope, given: Given): Promise<DraftInput> {
  const { input, customer } = await resolve(scope, given);
  if (!customer) return input as DraftInput;
  return { ...input, customer_id: (await storePlanned(scope, customer)).id };
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
