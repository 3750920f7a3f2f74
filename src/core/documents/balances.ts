/**
 * Balances: what is owed on a document. The rule is here; triggers follow it in a table, by which lists are filtered, and
 * `faultOfBalances` compares the two.
 */
import { type List, listOf, preparedSelect, valuesOf } from "../database/prepared.ts";
import type { Row } from "../database/tables.ts";
import { DOCUMENT_TYPES } from "../fiscal/document-types.ts";
import type { PaymentStatus } from "../fiscal/lifecycle.ts";
import { fromCents } from "../fiscal/money.ts";
import { yieldToOthers } from "../runtime/ports.ts";
import type { ReadScope } from "../runtime/scope.ts";

/** What is left to pay of a document, in cents, and how far it is paid. */
export type Balance = Pick<Row<"balances">, "outstanding_cents" | "payment_status">;

/** Payments and credits on a document since it was issued. */
export interface Settlement {
  readonly paid_cents: number;
  /** Live credit notes. */
  readonly credited_cents: number;
}

type Owed = Pick<Row<"documents">, "doc_type" | "status" | "training" | "total_gross_cents">;

/** Whether money can be owed on a document: it is issued, not for training, and of a type that takes payments. */
export function hasBalance({ doc_type, status, training }: Owed): boolean {
  return status === "issued" && training === 0 && DOCUMENT_TYPES[doc_type].takes_payments;
}

/** The balance of a document, null where none is owed. */
export function balanceOf(row: Owed, { paid_cents, credited_cents }: Settlement): Balance | null {
  if (!hasBalance(row)) return null;
  // Issuing an FR means that it was paid: its payments only state by which means.
  const { paid_by_nature } = DOCUMENT_TYPES[row.doc_type];
  const outstanding_cents = paid_by_nature ? 0 : row.total_gross_cents - paid_cents - credited_cents;
  const isUntouched = paid_cents === 0 && credited_cents === 0;
  return { outstanding_cents, payment_status: outstanding_cents <= 0 ? "paid" : isUntouched ? "unpaid" : "partial" };
}

/** The balances of several documents, by document; those without one are absent. */
export async function balancesOf({ db }: ReadScope, ids: readonly string[]): Promise<ReadonlyMap<string, Balance>> {
  const rows = await balancesByIds(db, { documents: listOf(ids) });
  return new Map(rows.map(({ document_id, ...balance }) => [document_id, balance]));
}

const balancesByIds = preparedSelect((db, { documents }: { documents: List }) =>
  db
    .selectFrom("balances")
    .select(["document_id", "outstanding_cents", "payment_status"])
    .where("document_id", "in", valuesOf(documents)),
);

/**
 * The first balance of the company that differs from its document, payments and credit notes, in words; null when all are
 * right. Each statement sees one moment, so that it can run beside a server.
 */
export async function faultOfBalances(scope: Pick<ReadScope, "db" | "company_id">): Promise<string | null> {
  const { db, company_id } = scope;
  for (let last = { day: "", id: "" }; ; ) {
    const batch = await documentsAndBalances(db, { company_id, ...last });
    for (const row of batch) {
      const fault = faultOf(row);
      if (fault) return `${row.number ?? `The draft ${row.id}`}: ${fault}`;
    }
    const end = batch.at(-1);
    if (!end) break;
    last = { day: end.issue_date, id: end.id };
    await yieldToOthers();
  }
  for (let last: Place = { payment_status: "", issue_date: "", document_id: "" }; ; ) {
    const batch = await balancesAndDocuments(db, { company_id, ...last });
    const orphan = batch.find(({ id }) => id === null);
    if (orphan) return `A balance is kept of the document ${orphan.document_id}, which does not exist.`;
    const end = batch.at(-1);
    if (!end) return null;
    last = end;
    await yieldToOthers();
  }
}

/** Rows read at once: few enough to give way often, enough that queries cost little. */
const AT_ONCE = 256;

/** Columns that a balance repeats of its document. */
const REPEATED = ["company_id", "doc_type", "series_id", "issue_date"] as const;

/** The next documents by day and id, each with its balance and with what was paid and credited, as of one moment. */
const documentsAndBalances = preparedSelect(
  (db, { company_id, day, id }: { company_id: string; day: string; id: string }) =>
    db
      .selectFrom("documents as document")
      .leftJoin("balances as kept", "kept.document_id", "document.id")
      .select(({ selectFrom }) => [
        ...(["id", "number", "status", "training", "total_gross_cents", ...REPEATED] as const).map(
          (column) => `document.${column}` as const,
        ),
        ...REPEATED.map((column) => `kept.${column} as kept_${column}` as const),
        "kept.total_cents",
        "kept.outstanding_cents",
        "kept.payment_status",
        selectFrom("payments as payment")
          .select(({ fn }) => fn.sum<number | null>("payment.amount_cents").as("cents"))
          .whereRef("payment.document_id", "=", "document.id")
          .where("payment.voided_at", "is", null)
          .as("paid_cents"),
        selectFrom("document_references as reference")
          .innerJoin("documents as credit", "credit.id", "reference.document_id")
          .select(({ fn }) => fn.sum<number | null>("reference.amount_cents").as("cents"))
          .whereRef("reference.referenced_id", "=", "document.id")
          .where("credit.doc_type", "=", "NC")
          .where("credit.status", "=", "issued")
          .as("credited_cents"),
      ])
      .where("document.company_id", "=", company_id)
      .where(({ eb, refTuple, tuple }) => eb(refTuple("document.issue_date", "document.id"), ">", tuple(day, id)))
      .orderBy("document.issue_date")
      .orderBy("document.id")
      .limit(AT_ONCE),
);

type Compared = Awaited<ReturnType<typeof documentsAndBalances>>[number];

function faultOf(row: Compared): string | null {
  const { kept_company_id, outstanding_cents, payment_status, total_cents } = row;
  const due = balanceOf(row, { paid_cents: row.paid_cents ?? 0, credited_cents: row.credited_cents ?? 0 });
  if (due === null) return kept_company_id === null ? null : "a balance is kept, and nothing is owed.";
  if (kept_company_id === null) return "its balance is missing.";
  const differs = REPEATED.find((column) => row[`kept_${column}`] !== row[column]);
  if (differs) return `its balance has another ${differs}.`;
  const due_total = DOCUMENT_TYPES[row.doc_type].paid_by_nature ? 0 : row.total_gross_cents;
  if (
    outstanding_cents === due.outstanding_cents &&
    payment_status === due.payment_status &&
    total_cents === due_total
  ) {
    return null;
  }
  const kept = `${fromCents(outstanding_cents ?? 0)} of ${fromCents(total_cents ?? 0)} (${payment_status})`;
  return `the balance kept is ${kept}, and comes to ${fromCents(due.outstanding_cents)} of ${fromCents(due_total)} (${due.payment_status}).`;
}

/** The place of a balance in its index. */
interface Place {
  readonly payment_status: string;
  readonly issue_date: string;
  readonly document_id: string;
}

/** The next balances, each with the id of its document if there is one. */
const balancesAndDocuments = preparedSelect(
  (db, { company_id, payment_status, issue_date, document_id }: Place & { company_id: string }) =>
    db
      .selectFrom("balances as kept")
      .leftJoin("documents as document", "document.id", "kept.document_id")
      .select(["kept.payment_status", "kept.issue_date", "kept.document_id", "document.id"])
      .where("kept.company_id", "=", company_id)
      .where(({ eb, refTuple, tuple }) =>
        eb(
          refTuple("kept.payment_status", "kept.issue_date", "kept.document_id"),
          ">",
          tuple(payment_status as PaymentStatus, issue_date, document_id),
        ),
      )
      .orderBy("kept.payment_status")
      .orderBy("kept.issue_date")
      .orderBy("kept.document_id")
      .limit(AT_ONCE),
);
