/** A customer's statement: what was charged, credited, paid and given back in a period, and what is owed at its end. */
import * as z from "zod";
import { preparedSelect } from "../database/prepared.ts";
import type { Reader, Row } from "../database/tables.ts";
import { Day, Id, Money, PathId } from "../fields.ts";
import { daysBetween } from "../fiscal/civil-time.ts";
import { DOCUMENT_TYPES, type DocType, salesSign } from "../fiscal/document-types.ts";
import { fromCents } from "../fiscal/money.ts";
import { PAYMENT_KINDS, type PaymentKind } from "../fiscal/payment-means.ts";
import { findCustomer } from "../records/customers.ts";
import { t as records } from "../records/refusals.ts";
import { problem, refuse, refuseInput } from "../runtime/errors.ts";
import { query } from "../runtime/operation.ts";
import type { ReadScope } from "../runtime/scope.ts";
import { DocTypeField } from "../series/series.ts";
import { leftOf, type Settlement, settledColumns } from "./balances.ts";
import { MethodCode } from "./payments.ts";
import { t } from "./refusals.ts";

/** The most rows of one statement. */
const MAX_ROWS = 5_000;

/** The types of document that a statement lists: those that charge, that credit, and receipts. */
const LISTED = ["FT", "FS", "FR", "NC", "ND", "RC"] as const satisfies readonly DocType[];

/** The types on which something may be open. */
const CHARGING = LISTED.filter((doc_type) => DOCUMENT_TYPES[doc_type].takes_payments);

const StatementRow = z.strictObject({
  date: Day,
  kind: z.enum(["document", ...PAYMENT_KINDS]),
  document_id: Id.describe("The document, or that on which the payment or refund counts."),
  document_number: z.string(),
  doc_type: DocTypeField,
  due_date: Day.nullable(),
  method_code: MethodCode.nullable().describe("Of a payment or refund."),
  amount: Money.describe("Of the document, payment or refund; always positive."),
  debit: Money.describe("What it adds to the balance."),
  credit: Money.describe("What it takes off: an FR is both, a receipt neither."),
  balance: Money.describe("The balance after it."),
});

const Ages = z.strictObject({
  not_due: Money,
  days_1_30: Money,
  days_31_60: Money,
  days_61_90: Money,
  over_90: Money,
});

export const Statement = z
  .strictObject({
    customer: z.strictObject({ id: Id, name: z.string(), tax_id: z.string().nullable() }),
    from: Day,
    to: Day,
    opening_balance: Money.describe("Of all before `from`."),
    rows: z.array(StatementRow).describe("Oldest first."),
    closing_balance: Money.describe("What is open by age, less `in_favour` and `unallocated`."),
    unallocated: Money.describe("What credit notes without reference take off, up to `to`."),
    in_favour: Money.describe(
      "What was credited on documents beyond what was left to pay, or paid before their `issue_date`, and not given back.",
    ),
    ages: Ages.describe("What is open at `to`, by days after `due_date`, else `issue_date`."),
  })
  .meta({ id: "Statement", description: "The account of a customer in a period. It is no invoice." });
export type Statement = z.infer<typeof Statement>;

/** The customer and the period of a statement. */
export const StatementInput = z.strictObject({
  id: PathId,
  from: Day.describe("First day, inclusive."),
  to: Day.describe("Last day, inclusive."),
});

export const getStatement = query(
  {
    id: "getStatement",
    summary: "A customer's statement of a period",
    needs: "documents:read",
    input: StatementInput,
    output: Statement,
    fails: ["not_found"],
  },
  statementOf,
);

/** The statement of a customer. Refuses a period that ends before it begins, or that has too many rows. */
export async function statementOf(
  scope: ReadScope,
  { id, from, to }: z.output<typeof StatementInput>,
): Promise<Statement> {
  if (to < from) refuseInput([problem("to", t.ends_before_it_begins)]);
  const customer = await findCustomer(scope, id);
  if (!customer) return refuse("not_found", records.no_such_customer);
  const found = { company_id: scope.company_id, customer_id: customer.id, from, to };
  const opening_cents = await openingOf(scope.db, found);
  const { rows, closing_cents } = withBalances(await movesOf(scope.db, found), opening_cents);
  const [unallocated] = await unallocatedOf(scope.db, found);
  const { ages, in_favour } = aged(await openAt(scope.db, found), to);
  return {
    customer: { id: customer.id, name: customer.name, tax_id: customer.tax_id },
    from,
    to,
    opening_balance: fromCents(opening_cents),
    rows,
    closing_balance: fromCents(closing_cents),
    unallocated: fromCents(unallocated?.cents ?? 0),
    in_favour,
    ages,
  };
}

interface Found {
  readonly company_id: string;
  readonly customer_id: string;
  readonly from: Day;
  readonly to: Day;
}

/** What a document or money adds to the balance, and takes off, in cents. */
interface Effect {
  readonly debit: number;
  readonly credit: number;
}

/** An invoice charges, and an FR is paid by its issue; a credit note takes off; a receipt does neither. */
function effectOfDocument(doc_type: DocType, cents: number): Effect {
  const sign = salesSign(doc_type);
  const { paid_by_nature } = DOCUMENT_TYPES[doc_type];
  return { debit: sign > 0 ? cents : 0, credit: sign < 0 || paid_by_nature ? cents : 0 };
}

/** A payment takes off, unless it only states the means of an FR; a refund adds. */
function effectOfMoney(kind: PaymentKind, doc_type: DocType, cents: number): Effect {
  if (kind === "refund") return { debit: cents, credit: 0 };
  return { debit: 0, credit: DOCUMENT_TYPES[doc_type].paid_by_nature ? 0 : cents };
}

async function openingOf(db: Reader, found: Found): Promise<number> {
  const documents = await documentsBefore(db, found);
  const money = await moneyBefore(db, found);
  return [
    ...documents.map(({ doc_type, cents }) => effectOfDocument(doc_type, cents)),
    ...money.map(({ kind, doc_type, cents }) => effectOfMoney(kind, doc_type, cents)),
  ].reduce((sum, { debit, credit }) => sum + debit - credit, 0);
}

/** The issued documents of a customer that are no training, found by the customer. */
function documentsTo(db: Reader, { company_id, customer_id }: Pick<Found, "company_id" | "customer_id">) {
  return db
    .selectFrom("documents")
    .where("documents.company_id", "=", company_id)
    .where("documents.customer_id", "=", customer_id)
    .where("documents.status", "=", "issued")
    .where("documents.training", "=", 0);
}

/** The live payments and refunds on these documents. */
const moneyTo = (db: Reader, found: Pick<Found, "company_id" | "customer_id">) =>
  documentsTo(db, found)
    .innerJoin("payments", "payments.document_id", "documents.id")
    .where("payments.voided_at", "is", null);

const documentsBefore = preparedSelect((db, found: Found) =>
  documentsTo(db, found)
    .select(["documents.doc_type", ({ fn }) => fn.sum<number>("total_gross_cents").as("cents")])
    .where("documents.issue_date", "<", found.from)
    .where("documents.doc_type", "in", LISTED)
    .groupBy("documents.doc_type"),
);

const moneyBefore = preparedSelect((db, found: Found) =>
  moneyTo(db, found)
    .select(["payments.kind", "documents.doc_type", ({ fn }) => fn.sum<number>("payments.amount_cents").as("cents")])
    .where("payments.payment_date", "<", found.from)
    .groupBy("payments.kind")
    .groupBy("documents.doc_type"),
);

/** A row of a statement before its balance is known, with the id by which rows of one day are in order. */
type Move = Omit<z.infer<typeof StatementRow>, "debit" | "credit" | "balance" | "amount"> &
  Effect & { readonly id: string; readonly cents: number };

/** What happened in the period, oldest first. */
async function movesOf(db: Reader, found: Found): Promise<Move[]> {
  const documents = await documentsWithin(db, { ...found, most: MAX_ROWS + 1 });
  const money = await moneyWithin(db, { ...found, most: MAX_ROWS + 1 });
  const moves = [
    ...documents.map(({ id, doc_type, number, issue_date, due_date, total_gross_cents: cents }) => ({
      ...{ id, date: issue_date, kind: "document" as const, document_id: id, document_number: number ?? "", doc_type },
      ...{ due_date, method_code: null, cents, ...effectOfDocument(doc_type, cents) },
    })),
    ...money.map(({ id, kind, document_id, number, doc_type, payment_date, method_code, amount_cents: cents }) => ({
      ...{ id, date: payment_date, kind, document_id, document_number: number ?? "", doc_type, due_date: null },
      ...{ method_code, cents, ...effectOfMoney(kind, doc_type, cents) },
    })),
  ];
  if (moves.length > MAX_ROWS) refuseInput([problem("from", t.has_too_many_rows({ max: MAX_ROWS }))]);
  const place = ({ date, id }: Pick<Move, "date" | "id">) => `${date} ${id}`;
  return moves.sort((a, b) => (place(a) < place(b) ? -1 : 1));
}

interface Limited extends Found {
  readonly most: number;
}

const documentsWithin = preparedSelect((db, found: Limited) =>
  documentsTo(db, found)
    .select(["id", "doc_type", "number", "issue_date", "due_date", "total_gross_cents"])
    .where("issue_date", ">=", found.from)
    .where("issue_date", "<=", found.to)
    .where("doc_type", "in", LISTED)
    .limit(found.most),
);

/** The payments of an FR are no rows: it is paid by its issue. */
const moneyWithin = preparedSelect((db, found: Limited) =>
  moneyTo(db, found)
    .select(["payments.id", "payments.kind", "payments.document_id", "payments.payment_date", "payments.method_code"])
    .select(["payments.amount_cents", "documents.number", "documents.doc_type"])
    .where("payments.payment_date", ">=", found.from)
    .where("payments.payment_date", "<=", found.to)
    .where(({ eb, or }) => or([eb("documents.doc_type", "<>", "FR"), eb("payments.kind", "=", "refund")]))
    .limit(found.most),
);

function withBalances(moves: readonly Move[], opening_cents: number) {
  let closing_cents = opening_cents;
  const rows = moves.map(({ id: _, cents, debit, credit, ...move }) => {
    closing_cents += debit - credit;
    return {
      ...move,
      amount: fromCents(cents),
      debit: fromCents(debit),
      credit: fromCents(credit),
      balance: fromCents(closing_cents),
    };
  });
  return { rows, closing_cents };
}

/** The sum of a customer's credit notes that reference nothing. */
const unallocatedOf = preparedSelect((db, found: Found) =>
  documentsTo(db, found)
    .select(({ fn }) => fn.sum<number | null>("total_gross_cents").as("cents"))
    .where("doc_type", "=", "NC")
    .where("issue_date", "<=", found.to)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("document_references")
            .select("position")
            .whereRef("document_references.document_id", "=", "documents.id"),
        ),
      ),
    ),
);

/** A document that charged the customer, with what was settled of it up to a day. */
type Charged = Pick<Row<"documents">, "doc_type" | "issue_date" | "due_date" | "total_gross_cents"> & Settlement;

/** The documents that charge, issued up to a day or with money up to it: a payment may be dated before its document. */
const openAt = preparedSelect((db, found: Found) =>
  documentsTo(db, found)
    .select(["doc_type", "issue_date", "due_date", "total_gross_cents"])
    .select((eb) => settledColumns(eb, found.to))
    .where(({ eb, exists, or, selectFrom }) =>
      or([
        eb("issue_date", "<=", found.to),
        exists(
          selectFrom("payments")
            .select("payments.id")
            .whereRef("payments.document_id", "=", "documents.id")
            .where("voided_at", "is", null)
            .where("payment_date", "<=", found.to),
        ),
      ]),
    )
    .where("doc_type", "in", CHARGING),
);

/** What is open on documents at a day, by how long it is due; and what is in the customer's favour on others. */
function aged(charged: readonly Charged[], to: Day): Pick<Statement, "ages" | "in_favour"> {
  const cents = { not_due: 0, days_1_30: 0, days_31_60: 0, days_61_90: 0, over_90: 0 };
  let favour_cents = 0;
  for (const { doc_type, issue_date, due_date, ...row } of charged) {
    const total_gross_cents = issue_date <= to ? row.total_gross_cents : 0;
    const open = leftOf({ doc_type, total_gross_cents }, row);
    if (open < 0) favour_cents -= open;
    else cents[ageOf(daysBetween(due_date ?? issue_date, to))] += open;
  }
  const { not_due, days_1_30, days_31_60, days_61_90, over_90 } = cents;
  return {
    ages: {
      not_due: fromCents(not_due),
      days_1_30: fromCents(days_1_30),
      days_31_60: fromCents(days_31_60),
      days_61_90: fromCents(days_61_90),
      over_90: fromCents(over_90),
    },
    in_favour: fromCents(favour_cents),
  };
}

function ageOf(days: number): keyof z.infer<typeof Ages> {
  if (days <= 0) return "not_due";
  if (days <= 30) return "days_1_30";
  if (days <= 60) return "days_31_60";
  return days <= 90 ? "days_61_90" : "over_90";
}
