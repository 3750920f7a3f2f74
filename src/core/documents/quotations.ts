/** Quotations: what became of each, which is told and refuses nothing. */
import { mustFindCompany } from "../company/companies.ts";
import { preparedSelect } from "../database/prepared.ts";
import type { Row } from "../database/tables.ts";
import { type List, listOf, valuesOf } from "../database/words.ts";
import { civilDate } from "../fiscal/civil-time.ts";
import { type DocType, isQuotation } from "../fiscal/document-types.ts";
import type { QuoteStatus } from "../fiscal/lifecycle.ts";
import type { ReadScope } from "../runtime/scope.ts";

type Quoted = Pick<Row<"documents">, "id" | "doc_type" | "status" | "valid_until" | "total_gross_cents">;

/** The types of document that invoice a quotation. */
const INVOICES: readonly DocType[] = ["FT", "FS", "FR"];

const isIssuedQuotation = (row: Quoted): boolean => isQuotation(row) && row.status === "issued";

/** What became of the issued quotations among some documents, by id. Without any it reads nothing. */
export async function quoteStatuses(
  scope: ReadScope,
  rows: readonly Quoted[],
): Promise<ReadonlyMap<string, QuoteStatus>> {
  const quotations = rows.filter(isIssuedQuotation);
  if (quotations.length === 0) return new Map();
  const sums = await invoicedOn(scope.db, { documents: listOf(quotations.map(({ id }) => id)) });
  const invoiced = new Map(sums.map(({ referenced_id, cents }) => [referenced_id, cents]));
  const company = await mustFindCompany(scope);
  return new Map(quotations.map((row) => [row.id, statusOf(scope, row, company, invoiced.get(row.id))]));
}

/** What became of a document in the call that issues it, when nothing can name it yet; null if it is no quotation. */
export function quoteStatusAtIssue(
  scope: ReadScope,
  row: Quoted,
  company: Pick<Row<"companies">, "time_zone">,
): QuoteStatus | null {
  return isIssuedQuotation(row) ? statusOf(scope, row, company) : null;
}

/** What became of a quotation, by the cents that its live invoices come to, if there are any. */
function statusOf(
  { now }: ReadScope,
  { valid_until, total_gross_cents }: Quoted,
  { time_zone }: Pick<Row<"companies">, "time_zone">,
  invoiced_cents?: number,
): QuoteStatus {
  if (invoiced_cents !== undefined) return invoiced_cents >= total_gross_cents ? "invoiced" : "partly_invoiced";
  return valid_until !== null && valid_until < civilDate(now, time_zone) ? "expired" : "open";
}

/** The cents of each document that live invoices name: the amount that a reference states, else the whole invoice. */
const invoicedOn = preparedSelect((db, { documents }: { documents: List }) =>
  db
    .selectFrom("document_references as reference")
    .innerJoin("documents as invoice", "invoice.id", "reference.document_id")
    .select(({ fn }) => [
      "reference.referenced_id",
      fn.sum<number>(fn.coalesce("reference.amount_cents", "invoice.total_gross_cents")).as("cents"),
    ])
    .where("reference.referenced_id", "in", valuesOf(documents))
    .where("invoice.doc_type", "in", INVOICES)
    .where("invoice.status", "=", "issued")
    .groupBy("reference.referenced_id"),
);
