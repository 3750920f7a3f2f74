/**
 * Balances: what is owed on a document. The rule is here; triggers apply it to a table, by which lists are filtered,
 * and `faultOfBalance` compares the two.
 */
import type { ExpressionBuilder, InferResult, SelectQueryBuilder } from "kysely";
import { mustFindCompany } from "../company/companies.ts";
import type { Soon } from "../database/executor.ts";
import { preparedSelect } from "../database/prepared.ts";
import type { Reader, Row, Tables } from "../database/tables.ts";
import { alsoHas, inOneText, isAboveZero, isBelowZero, isJust } from "../database/words.ts";
import type { Day } from "../fields.ts";
import { DOCUMENT_TYPES } from "../fiscal/document-types.ts";
import type { PaymentStatus } from "../fiscal/lifecycle.ts";
import { fromCents } from "../fiscal/money.ts";
import type { PaymentKind } from "../fiscal/payment-means.ts";
import { type Page, type PageRequest, preparedPage } from "../runtime/page.ts";
import type { ReadScope } from "../runtime/scope.ts";

/** The outstanding amount of a document, in cents, and how far it is paid. */
export type Balance = Pick<Row<"balances">, "outstanding_cents" | "payment_status">;

/** Payments, refunds and credits on a document since it was issued. */
export interface Settlement {
  readonly paid_cents: number;
  readonly refunded_cents: number;
  /** Live credit notes. */
  readonly credited_cents: number;
}

type Charged = Pick<Row<"documents">, "doc_type" | "total_gross_cents">;
type Owed = Charged & Pick<Row<"documents">, "status" | "training">;

/** Whether money can be owed on a document: it is issued, not for training, and of a type that takes payments. */
export function hasBalance({ doc_type, status, training }: Owed): boolean {
  return status === "issued" && training === 0 && DOCUMENT_TYPES[doc_type].takes_payments;
}

/**
 * The cents that are left to pay of a document; below 0, what is in the customer's favour. An FR was paid by its issue:
 * its payments only state the means.
 */
export function leftOf({ doc_type, total_gross_cents }: Charged, settled: Settlement): number {
  const paid_cents = DOCUMENT_TYPES[doc_type].paid_by_nature ? total_gross_cents : settled.paid_cents;
  return total_gross_cents - paid_cents + settled.refunded_cents - settled.credited_cents;
}

/** The balance of a document; null if it has none. That of an FR stays 0, whatever is credited on it. */
export function balanceOf(row: Owed, settled: Settlement): Balance | null {
  if (!hasBalance(row)) return null;
  const outstanding_cents = DOCUMENT_TYPES[row.doc_type].paid_by_nature ? 0 : leftOf(row, settled);
  const isUntouched = settled.paid_cents === 0 && settled.credited_cents === 0;
  return { outstanding_cents, payment_status: outstanding_cents <= 0 ? "paid" : isUntouched ? "unpaid" : "partial" };
}

type OfDocuments = ExpressionBuilder<Tables, "documents">;

/** The sum of the live payments, or refunds, of documents, in cents; up to a day if one is given. */
export function moneyColumn({ selectFrom }: OfDocuments, kind: PaymentKind, to?: Day) {
  return selectFrom("payments")
    .select(({ fn, val }) => fn.coalesce(fn.sum<number>("payments.amount_cents"), val(0)).as("cents"))
    .whereRef("payments.document_id", "=", "documents.id")
    .where(isJust("payments.kind", kind))
    .where("payments.voided_at", "is", null)
    .$if(to !== undefined, (found) => found.where("payments.payment_date", "<=", to as Day))
    .$asScalar()
    .$notNull();
}

/** What is settled of documents: their live payments, refunds and credit notes, up to a day if one is given. */
export function settledColumns(eb: OfDocuments, to?: Day) {
  const credited = eb
    .selectFrom("document_references as reference")
    .innerJoin("documents as credit", "credit.id", "reference.document_id")
    .select(({ fn, val }) => fn.coalesce(fn.sum<number>("reference.amount_cents"), val(0)).as("cents"))
    .whereRef("reference.referenced_id", "=", "documents.id")
    .where(alsoHas("credit.doc_type", "NC"))
    .where(alsoHas("credit.status", "issued"))
    .$if(to !== undefined, (found) => found.where("credit.issue_date", "<=", to as Day))
    .$asScalar()
    .$notNull();
  return [
    moneyColumn(eb, "payment", to).as("paid_cents"),
    moneyColumn(eb, "refund", to).as("refunded_cents"),
    credited.as("credited_cents"),
  ] as const;
}

/** The stored balance of a document in one column, so that a list looks for it once: its status, a space, its cents. */
export const KEPT_BALANCE = inOneText("payment_status", "outstanding_cents");

/** The balance that `KEPT_BALANCE` holds. */
export function keptBalance(kept: string): Balance {
  const space = kept.indexOf(" ");
  return {
    outstanding_cents: Number(kept.slice(space + 1)),
    payment_status: kept.slice(0, space) as PaymentStatus,
  };
}

/** A customer's debt, in cents, and the number of its documents. */
export interface Debt {
  readonly customer_id: string;
  readonly outstanding_cents: number;
  readonly documents: number;
}

/** The debts of customers, the largest first. */
export async function pageOfDebts(scope: ReadScope, page: PageRequest): Promise<Page<Debt>> {
  const { db, company_id } = scope;
  return pageBySize(db, { company_id }, page, (await mustFindCompany(scope)).debtor_count);
}

const pageBySize = preparedPage(debtsLike, {
  order: ["outstanding_cents", "customer_id"],
  select: (found) => found.select(["customer_id", "outstanding_cents", "documents"]),
});

/** The debt of one customer; undefined for none. */
export async function debtOf({ db, company_id }: ReadScope, customer_id: string): Promise<Debt | undefined> {
  return (await debtOfOne(db, { company_id, customer_id }))[0];
}

const debtOfOne = preparedSelect((db, { company_id, customer_id }: { company_id: string; customer_id: string }) =>
  debtsLike(db, { company_id })
    .select(["customer_id", "outstanding_cents", "documents"])
    .where("customer_id", "=", customer_id),
);

function debtsLike(db: Reader, { company_id }: { company_id: string }) {
  return db.selectFrom("customer_debts").where("company_id", "=", company_id).where(isAboveZero("outstanding_cents"));
}

/** Credits on paid documents, which belong to the customers or to one customer, in cents, and on how many documents. */
export async function sumInFavour(
  { db, company_id }: ReadScope,
  customer_id?: string,
): Promise<{ cents: number; documents: number }> {
  const [sum] = await inFavour(db, { company_id, customer_id });
  return { cents: 0 - (sum?.outstanding_cents ?? 0), documents: sum?.documents ?? 0 };
}

interface InFavour {
  readonly company_id: string;
  readonly customer_id: string | undefined;
}

const inFavour = preparedSelect((db, { company_id, customer_id }: InFavour) =>
  db
    .selectFrom("balances")
    .select(({ fn }) => [
      fn.sum<number | null>("outstanding_cents").as("outstanding_cents"),
      fn.countAll<number>().as("documents"),
    ])
    .where("company_id", "=", company_id)
    .where(isBelowZero("outstanding_cents"))
    .$if(customer_id !== undefined, (found) => found.where("customer_id", "=", customer_id as string)),
);

/** The documents that were credited after they were paid, the newest first; at most this many. */
export function latestInFavour(
  { db, company_id }: ReadScope,
  limit: number,
): Soon<Pick<Row<"balances">, "document_id" | "customer_id" | "outstanding_cents">[]> {
  return documentsInFavour(db, { company_id, limit });
}

const documentsInFavour = preparedSelect((db, { company_id, limit }: { company_id: string; limit: number }) =>
  db
    .selectFrom("balances")
    .select(["document_id", "customer_id", "outstanding_cents"])
    .where("company_id", "=", company_id)
    .where(isBelowZero("outstanding_cents"))
    .orderBy("document_id", "desc")
    .limit(limit),
);

/** The unpaid document of a customer that was issued first. */
export async function oldestUnpaid(
  { db, company_id }: ReadScope,
  customer_id: string,
): Promise<Pick<Row<"documents">, "id" | "number" | "issue_date" | "due_date"> | undefined> {
  return (await unpaidOf(db, { company_id, customer_id }))[0];
}

const unpaidOf = preparedSelect((db, { company_id, customer_id }: { company_id: string; customer_id: string }) =>
  db
    .selectFrom("balances")
    .innerJoin("documents", "documents.id", "balances.document_id")
    .select(["documents.id", "documents.number", "documents.issue_date", "documents.due_date"])
    .where(alsoHas("balances.company_id", company_id))
    .where("balances.customer_id", "=", customer_id)
    .where(isAboveZero("balances.outstanding_cents"))
    .orderBy("balances.issue_date")
    .orderBy("balances.document_id")
    .limit(1),
);

/** The columns that a balance copies from its document. */
const REPEATED = ["company_id", "doc_type", "series_id", "customer_id", "issue_date"] as const;

/** Documents, each with its stored balance, its payments, refunds and credits, as of one moment. */
export function withKeptBalance<Columns>(documents: SelectQueryBuilder<Tables, "documents", Columns>) {
  return documents
    .leftJoin("balances as kept", "kept.document_id", "documents.id")
    .select(({ and, eb, ref }) => [
      and(REPEATED.map((column) => eb(`kept.${column}`, "=", ref(`documents.${column}`)))).as("kept_as_document"),
      "kept.total_cents as kept_total_cents",
      "kept.outstanding_cents as kept_outstanding_cents",
      "kept.refunded_cents as kept_refunded_cents",
      "kept.payment_status as kept_payment_status",
    ])
    .select((eb) => settledColumns(eb));
}

type KeptBalance = InferResult<ReturnType<typeof withKeptBalance<object>>>[number];

/** What is wrong with a document's stored balance; null if nothing is. */
export function faultOfBalance(row: Owed & KeptBalance): string | null {
  const { kept_as_document, kept_outstanding_cents, kept_payment_status, kept_refunded_cents, kept_total_cents } = row;
  const due = balanceOf(row, row);
  if (due === null) return kept_total_cents === null ? null : "A balance is kept, and nothing is owed.";
  if (kept_total_cents === null) return "Its balance is missing.";
  if (!kept_as_document) return "Its balance has another company, type, series, customer or day.";
  const { paid_by_nature } = DOCUMENT_TYPES[row.doc_type];
  const due_total = paid_by_nature ? 0 : row.total_gross_cents;
  // Payments, refunds and credits change nothing in the stored balance of an FR, or of a document of 0.00.
  const due_refunded = due_total > 0 ? row.refunded_cents : 0;
  if (
    kept_outstanding_cents === due.outstanding_cents &&
    kept_payment_status === due.payment_status &&
    kept_refunded_cents === due_refunded &&
    kept_total_cents === due_total
  ) {
    return null;
  }
  const kept = `${fromCents(kept_outstanding_cents ?? 0)} of ${fromCents(kept_total_cents)} (${kept_payment_status})`;
  const right = `${fromCents(due.outstanding_cents)} of ${fromCents(due_total)} (${due.payment_status})`;
  const [given, given_back] = [kept_refunded_cents ?? 0, due_refunded].map(refundText);
  return `The balance kept is ${kept}${given}, and comes to ${right}${given_back}.`;
}

const refundText = (cents: number) => (cents === 0 ? "" : `, ${fromCents(cents)} given back`);
