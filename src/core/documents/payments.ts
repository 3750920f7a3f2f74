/** Payment: money received for a document. documents/balances.ts computes what it leaves outstanding. */
import * as z from "zod";
import { mustFindCompany } from "../company/companies.ts";
import type { Soon } from "../database/executor.ts";
import { preparedSelect, preparedWrite } from "../database/prepared.ts";
import type { Reader, Row } from "../database/tables.ts";
import { alsoHas, type List, listOf, valuesOf } from "../database/words.ts";
import { recordEvent } from "../events/events.ts";
import { Amount, Day, Id, Instant, PathId } from "../fields.ts";
import { civilDate } from "../fiscal/civil-time.ts";
import { DOCUMENT_TYPES } from "../fiscal/document-types.ts";
import { fromCents, toCents } from "../fiscal/money.ts";
import { CASH, PAYMENT_CODES } from "../fiscal/payment-means.ts";
import { findActors } from "../people/actors.ts";
import { problem, refuse, refuseInput } from "../runtime/errors.ts";
import { command, query } from "../runtime/operation.ts";
import {
  type Page,
  PageInput,
  type PageRequest,
  pageOf,
  preparedCount,
  preparedPage,
  totalOf,
} from "../runtime/page.ts";
import { common } from "../runtime/refusals.ts";
import type { ReadScope, WriteScope } from "../runtime/scope.ts";
import { creditedCentsOn } from "./references.ts";
import { t } from "./refusals.ts";
import { claimDocument, findDocuments, newestTo } from "./rows.ts";

export const MethodCode = z
  .enum(PAYMENT_CODES)
  .meta({ id: "MethodCode", description: "SAF-T (PT) PaymentMechanism code.", example: "TB" });

const fields = { amount: Amount, method_code: MethodCode, payment_date: Day };

export const Payment = z
  .strictObject({
    id: Id,
    document_id: Id,
    document_number: z.string().nullable().meta({ description: "Null on a draft.", example: "FT 2026A/17" }),
    ...fields,
    recorded_at: Instant.nullable().describe("Null where a draft plans it, or a receipt states it."),
    recorded_by: z.string().nullable().meta({ description: "Code of the actor that recorded it.", example: "K3" }),
  })
  .meta({ id: "Payment", description: "Money received for a document." });
export type Payment = z.infer<typeof Payment>;

export const NewPayment = z.strictObject(fields).meta({ id: "PaymentInput", description: "A payment to record." });
export type NewPayment = z.input<typeof NewPayment>;

export const listPayments = query(
  {
    id: "listPayments",
    summary: "List payments, newest first",
    needs: "payments:read",
    input: z.strictObject({
      ...PageInput,
      document_id: Id.optional().describe("Only payments of this document; one that is unknown has none."),
      from: Day.optional().describe("First payment_date, inclusive."),
      to: Day.optional().describe("Last payment_date, inclusive."),
    }),
    output: pageOf(Payment),
    fails: [],
  },
  async (scope, { limit, offset, ...filter }) => {
    const { data, pagination } = await pageOfRows(scope, filter, { limit, offset });
    const documents = await findDocuments(
      scope,
      data.map((row) => row.document_id),
    );
    return { data: await showPayments(scope, data, (row) => documents.get(row.document_id)), pagination };
  },
);

interface Filter {
  readonly document_id?: string | undefined;
  readonly from?: Day | undefined;
  readonly to?: Day | undefined;
}

interface CompanyFilter extends Filter {
  readonly company_id: string;
}

/** The rows of a page: with a period by their date, otherwise by when they were recorded. */
async function pageOfRows(scope: ReadScope, filter: Filter, page: PageRequest): Promise<Page<Row<"payments">>> {
  const { db, company_id } = scope;
  const found = { company_id, ...filter };
  if (filter.from !== undefined || filter.to !== undefined) {
    return pageByDate(db, found, page, await countRows(db, found));
  }
  const isOfOne = filter.document_id !== undefined;
  return pageById(db, found, page, isOfOne ? await countRows(db, found) : await totalOf(scope, "payments"));
}

/**
 * The payments of a company that were not voided and pass the filters. With a document and a period they are found by
 * the document, which has few, and sorted.
 */
function livePaymentsLike(db: Reader, { company_id, document_id, from, to }: CompanyFilter) {
  let live = db.selectFrom("payments").where("voided_at", "is", null);
  if (document_id) live = live.where("document_id", "=", document_id);
  if (from) live = live.where("payment_date", ">=", from);
  if (to) live = live.where("payment_date", "<=", to);
  return document_id && (from || to)
    ? live.where(alsoHas("company_id", company_id))
    : live.where("company_id", "=", company_id);
}

const pageById = preparedPage(livePaymentsLike);
const pageByDate = preparedPage(livePaymentsLike, { order: ["payment_date", "id"] });
const countRows = preparedCount(livePaymentsLike);

/** How many of a customer's newest documents are searched for their latest payments. */
export const PAID_AMONG = 1_000;

/** The payments on a customer's newest documents, the latest by day first; at most this many. */
export async function latestPaymentsOf(scope: ReadScope, customer_id: string, limit: number): Promise<Payment[]> {
  const ids = listOf(await newestTo(scope, customer_id, PAID_AMONG));
  const rows = await latestOf(scope.db, { company_id: scope.company_id, ids, limit });
  const documents = await findDocuments(
    scope,
    rows.map((row) => row.document_id),
  );
  return showPayments(scope, rows, (row) => documents.get(row.document_id));
}

interface OfDocuments {
  readonly company_id: string;
  readonly ids: List;
  readonly limit: number;
}

const latestOf = preparedSelect((db, { company_id, ids, limit }: OfDocuments) =>
  db
    .selectFrom("payments")
    .selectAll()
    .where("document_id", "in", valuesOf(ids))
    .where(alsoHas("company_id", company_id))
    .where("voided_at", "is", null)
    .orderBy("payment_date", "desc")
    .orderBy("id", "desc")
    .limit(limit),
);

export const recordPayment = command(
  {
    id: "recordPayment",
    summary: "Record a payment on an issued document",
    needs: "payments:write",
    input: z.strictObject({ id: PathId, ...NewPayment.shape }),
    output: Payment,
    fails: ["not_found", "invalid_state", "payment_exceeds_balance"],
  },
  async (scope, { id, amount, method_code, payment_date }) => {
    const { time_zone } = await mustFindCompany(scope);
    const today = civilDate(scope.now, time_zone);
    if (payment_date > today) refuseInput([problem("payment_date", common.is_after_today({ today }))]);
    const document = await claimDocument(scope, id, "pay");
    const type = DOCUMENT_TYPES[document.doc_type];
    if (!type.takes_payments) refuse("invalid_state", t.takes_no_payments({ doc_type: document.doc_type }));
    if (document.training) refuse("invalid_state", t.training_takes_no_payments);
    const amount_cents = toCents(amount);
    const credited = type.paid_by_nature ? 0 : await creditedCentsOn(scope, document.id);
    const room = document.total_gross_cents - credited - (await paidCentsOn(scope, document.id));
    if (amount_cents > room) refuse("payment_exceeds_balance", t.room_for_payment({ room_cents: Math.max(room, 0) }));
    const payment = { id: scope.newId(), amount_cents, method_code, payment_date };
    const recorded = await insertPayment(scope, document.id, payment);
    const [shown] = await showPayments(scope, [recorded], () => document);
    return shown as Payment;
  },
);

export const voidPayment = command(
  {
    id: "voidPayment",
    summary: "Void a mistyped payment; its row stays, reads and sums leave it out",
    needs: "payments:void",
    input: z.strictObject({ id: PathId }),
    output: z.void(),
    fails: ["not_found"],
  },
  async (scope, { id }) => {
    const voided = await scope.db
      .updateTable("payments")
      .set({ voided_at: scope.now.toISOString(), voided_by: scope.actor_id })
      .where("id", "=", id)
      .where("company_id", "=", scope.company_id)
      .where("voided_at", "is", null)
      .returning(["id", "document_id"])
      .executeTakeFirst();
    if (!voided) return refuse("not_found", t.no_such_payment);
    await recordEvent(scope, "payment.voided", voided.id, { document_id: voided.document_id });
  },
);

/** Stores a payment; the caller has checked that it does not exceed the balance. */
export async function insertPayment(
  scope: WriteScope,
  document_id: string,
  payment: Pick<Row<"payments">, "id" | "amount_cents" | "method_code" | "payment_date">,
): Promise<Row<"payments">> {
  const row: Row<"payments"> = {
    ...payment,
    company_id: scope.company_id,
    document_id,
    created_at: scope.now.toISOString(),
    created_by: scope.actor_id,
    voided_at: null,
    voided_by: null,
  };
  await insertRow(scope.db, row);
  await recordEvent(scope, "payment.recorded", row.id, { document_id, amount: fromCents(row.amount_cents) });
  return row;
}

const insertRow = preparedWrite((db, row: Row<"payments">) => db.insertInto("payments").values(row));

/** The live payments of a document, newest first. */
export function livePaymentsOf({ db, company_id }: ReadScope, document_id: string): Soon<Row<"payments">[]> {
  return livePayments(db, { company_id, document_id });
}

const livePayments = preparedSelect((db, found: { company_id: string; document_id: string }) =>
  livePaymentsLike(db, found).selectAll().orderBy("id", "desc"),
);

/** Cents paid on a document, voided payments left out. */
export async function paidCentsOn({ db, company_id }: ReadScope, document_id: string): Promise<number> {
  const [sum] = await paidOn(db, { company_id, document_id });
  return sum?.cents ?? 0;
}

const paidOn = preparedSelect((db, found: { company_id: string; document_id: string }) =>
  livePaymentsLike(db, found).select((eb) => eb.fn.sum<number | null>("amount_cents").as("cents")),
);

/** Cents paid in cash on each of these documents, voided payments left out; documents without any are absent. */
export async function cashPaidCentsOn({ db }: ReadScope, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
  if (ids.length === 0) return new Map();
  const rows = await cashPaidOn(db, { documents: listOf(ids) });
  return new Map(rows.map(({ document_id, cents }) => [document_id, cents]));
}

const cashPaidOn = preparedSelect((db, { documents }: { documents: List }) =>
  db
    .selectFrom("payments")
    .select(["document_id", (eb) => eb.fn.sum<number>("amount_cents").as("cents")])
    .where("document_id", "in", valuesOf(documents))
    .where("method_code", "=", CASH)
    .where("voided_at", "is", null)
    .groupBy("document_id"),
);

/** Recorded payments as callers see them. */
export async function showPayments(
  scope: ReadScope,
  rows: readonly Row<"payments">[],
  documentOf: (row: Row<"payments">) => Pick<Row<"documents">, "number"> | undefined,
): Promise<Payment[]> {
  if (rows.length === 0) return [];
  const actors = await findActors(
    scope,
    rows.map(({ created_by }) => created_by),
  );
  return rows.map((row) => ({
    ...showPlanned(row, documentOf(row)?.number ?? null),
    recorded_at: row.created_at,
    recorded_by: actors.get(row.created_by)?.code ?? null,
  }));
}

/** A payment that a draft plans or a receipt states. */
export function showPlanned(
  row: Pick<Row<"payments">, "id" | "document_id" | "amount_cents" | "method_code" | "payment_date">,
  document_number: string | null,
): Payment {
  return {
    id: row.id,
    document_id: row.document_id,
    document_number,
    amount: fromCents(row.amount_cents),
    method_code: row.method_code,
    payment_date: row.payment_date,
    recorded_at: null,
    recorded_by: null,
  };
}
