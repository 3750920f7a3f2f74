/**
 * Payments and refunds: money received for a document, and given back. They share a table and a shape, never a list.
 * documents/balances.ts computes what they leave outstanding.
 */
import * as z from "zod";
import { mustFindCompany } from "../company/companies.ts";
import type { Soon } from "../database/executor.ts";
import { preparedSelect, preparedWrite } from "../database/prepared.ts";
import type { Reader, Row } from "../database/tables.ts";
import { alsoHas, isJust, type List, listOf, valuesOf } from "../database/words.ts";
import { recordEvent } from "../events/events.ts";
import { Amount, Day, Id, Instant, PathId } from "../fields.ts";
import { civilDate } from "../fiscal/civil-time.ts";
import { DOCUMENT_TYPES } from "../fiscal/document-types.ts";
import { fromCents, toCents } from "../fiscal/money.ts";
import { CASH, PAYMENT_CODES, PAYMENT_KINDS, type PaymentKind } from "../fiscal/payment-means.ts";
import { findActors } from "../people/actors.ts";
import { problem, refuse, refuseInput } from "../runtime/errors.ts";
import { command, query } from "../runtime/operation.ts";
import {
  CursorPageInput,
  cursorPageOf,
  followedAs,
  lastDayFrom,
  type PageOfRows,
  type PageRequest,
  preparedCount,
  preparedPage,
  startOf,
  totalOf,
} from "../runtime/page.ts";
import { common } from "../runtime/refusals.ts";
import type { ReadScope, WriteScope } from "../runtime/scope.ts";
import { findContent } from "./parts.ts";
import { t } from "./refusals.ts";
import { claimDocument, findDocuments, newestTo } from "./rows.ts";
import { type Money, mustBeInFavour, mustCorrectOne, roomForPayment, settlementOf } from "./settlement.ts";

export const MethodCode = z
  .enum(PAYMENT_CODES)
  .meta({ id: "MethodCode", description: "SAF-T (PT) PaymentMechanism code.", example: "TB" });

const fields = { amount: Amount, method_code: MethodCode, payment_date: Day };

const PaymentKindField = z.enum(PAYMENT_KINDS);

/** `refund` in what is sent: money given back; a payment when left out. */
export const NewPaymentKind = PaymentKindField.optional().describe(
  "`refund` for money given back, which needs the scope `payments:refund`; a payment when left out.",
);

export const Payment = z
  .strictObject({
    id: Id,
    document_id: Id.describe("The document on whose balance it counts."),
    document_number: z.string().nullable().meta({ description: "Null on a draft.", example: "FT 2026A/17" }),
    kind: PaymentKindField.describe("Money received, or given back."),
    ...fields,
    receipt_id: Id.nullable().describe("The RC that recorded the payment."),
    credit_note_id: Id.nullable().describe("The NC with which the money was given back."),
    recorded_at: Instant.nullable().describe("Null where a draft plans it, or a receipt states it."),
    recorded_by: z.string().nullable().meta({ description: "Code of the actor that recorded it.", example: "K3" }),
  })
  .meta({ id: "Payment", description: "Money received for a document, or given back." });
export type Payment = z.infer<typeof Payment>;

export const NewPayment = z
  .strictObject({ ...fields, kind: NewPaymentKind })
  .meta({ id: "PaymentInput", description: "A payment or refund to record." });
export type NewPayment = z.input<typeof NewPayment>;

export const listPayments = query(
  {
    id: "listPayments",
    summary: "List payments, or refunds, newest first",
    needs: "payments:read",
    input: z.strictObject({
      ...CursorPageInput,
      document_id: Id.optional().describe("Only payments of this document; one that is unknown has none."),
      from: Day.optional().describe("First payment_date, inclusive."),
      to: Day.optional().describe("Last payment_date, inclusive."),
      kind: PaymentKindField.optional().describe(
        "`refund` for refunds, of a credit note those that were given with it; payments when left out.",
      ),
    }),
    output: cursorPageOf(Payment),
    fails: [],
  },
  async (scope, { limit, offset, cursor, kind = "payment", ...filter }) => {
    const filters = { list: "payments", kind, ...filter };
    const after = startOf({ cursor, offset }, isByDate(filter) ? 2 : 1, filters);
    const page = await pageOfRows(scope, kind, filter, { limit, offset, after });
    const { data, pagination } = followedAs(page, (row) => row, {
      filters,
      after: ({ payment_date, id }) => (isByDate(filter) ? [payment_date, id] : [id]),
    });
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

/** Whether the list is in the order of the payments' days. */
const isByDate = ({ from, to }: Filter) => from !== undefined || to !== undefined;

/** The rows of a page: with a period by their date, otherwise by when they were recorded. */
async function pageOfRows(
  scope: ReadScope,
  kind: PaymentKind,
  filter: Filter,
  page: PageRequest,
): Promise<PageOfRows<Row<"payments">>> {
  const { db, company_id } = scope;
  const { pageByDate, pageById, countRows } = LISTS[kind];
  const found = { company_id, ...filter };
  if (isByDate(filter)) {
    const to = lastDayFrom(filter.to, page.after);
    return pageByDate(db, { ...found, to }, page, await countRows(db, found));
  }
  const isCounted = filter.document_id === undefined && kind === "payment";
  return pageById(db, found, page, isCounted ? await totalOf(scope, "payments") : await countRows(db, found));
}

/**
 * Finds the payments, or the refunds, of a company that were not voided and pass the filters. With a document and a
 * period they are found by the document, which has few, and sorted. The refunds of a credit note are those given with
 * it.
 */
function liveOf(kind: PaymentKind) {
  return (db: Reader, { company_id, document_id, from, to }: CompanyFilter) => {
    let live = db.selectFrom("payments").where("voided_at", "is", null).where(isJust("kind", kind));
    if (document_id && kind === "payment") live = live.where("document_id", "=", document_id);
    if (document_id && kind === "refund") {
      live = live.where(({ eb, or }) =>
        or([eb("document_id", "=", document_id), eb("recorded_with", "=", document_id)]),
      );
    }
    if (from) live = live.where("payment_date", ">=", from);
    if (to) live = live.where("payment_date", "<=", to);
    return document_id && (from || to || kind === "refund")
      ? live.where(alsoHas("company_id", company_id))
      : live.where("company_id", "=", company_id);
  };
}

const LISTS = { payment: listsOf("payment"), refund: listsOf("refund") };

function listsOf(kind: PaymentKind) {
  const live = liveOf(kind);
  return {
    pageById: preparedPage(live),
    pageByDate: preparedPage(live, { order: ["payment_date", "id"] }),
    countRows: preparedCount(live),
  };
}

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
    .where(isJust("kind", "payment"))
    .orderBy("payment_date", "desc")
    .orderBy("id", "desc")
    .limit(limit),
);

export const recordPayment = command(
  {
    id: "recordPayment",
    summary: "Record a payment on an issued document, or a refund",
    needs: "payments:write",
    alsoNeeds: (input) => ((input as { kind?: unknown } | null)?.kind === "refund" ? ["payments:refund"] : []),
    input: z.strictObject({ id: PathId, ...NewPayment.shape }),
    output: Payment,
    fails: ["not_found", "invalid_state", "payment_exceeds_balance"],
  },
  async (scope, { id, amount, method_code, payment_date, kind = "payment" }) => {
    const { time_zone } = await mustFindCompany(scope);
    const today = civilDate(scope.now, time_zone);
    if (payment_date > today) refuseInput([problem("payment_date", common.is_after_today({ today }))]);
    const amount_cents = toCents(amount);
    const counted = await (kind === "refund" ? mustTakeRefund : mustTakePayment)(scope, id, amount_cents);
    const recorded_with = counted.id === id ? null : id;
    const money = { id: null, document_id: counted.id, kind, amount_cents, method_code, payment_date, recorded_with };
    const recorded = await recordMoney(scope, money);
    const [shown] = await showPayments(scope, [recorded], () => counted);
    return shown as Payment;
  },
);

/** The document with this id, which takes a payment of these cents; refuses otherwise. */
async function mustTakePayment(scope: WriteScope, id: string, amount_cents: number): Promise<Row<"documents">> {
  const document = await claimDocument(scope, id, "pay");
  const { doc_type } = document;
  if (!DOCUMENT_TYPES[doc_type].takes_payments) refuse("invalid_state", t.takes_no_payments({ doc_type }));
  if (document.training) refuse("invalid_state", t.training_takes_no_payments);
  const room = roomForPayment(document, await settlementOf(scope, document.id));
  if (amount_cents > room) refuse("payment_exceeds_balance", t.room_for_payment({ room_cents: Math.max(room, 0) }));
  return document;
}

/** The document on which a refund of these cents counts: that with this id, or the one that a credit note corrects. */
async function mustTakeRefund(scope: WriteScope, id: string, amount_cents: number): Promise<Row<"documents">> {
  const document = await claimDocument(scope, id, "refund");
  const { doc_type } = document;
  const { takes_payments, takes_refunds_at_issue } = DOCUMENT_TYPES[doc_type];
  if (!takes_payments && !takes_refunds_at_issue) refuse("invalid_state", t.takes_no_refunds({ doc_type }));
  if (document.training) refuse("invalid_state", t.training_takes_no_refunds);
  const counted = takes_payments ? document : await mustFindCorrected(scope, document);
  mustBeInFavour(counted, await settlementOf(scope, counted.id), amount_cents);
  return counted;
}

async function mustFindCorrected(scope: WriteScope, credit: Row<"documents">): Promise<Row<"documents">> {
  const { references } = await findContent(scope, credit);
  const ids = references.map(({ referenced_id }) => referenced_id);
  return mustCorrectOne(references, await findDocuments(scope, ids));
}

export const voidPayment = command(
  {
    id: "voidPayment",
    summary: "Void a mistyped payment or refund; its row stays, reads and sums leave it out",
    needs: "payments:void",
    input: z.strictObject({ id: PathId }),
    output: z.void(),
    fails: ["not_found", "invalid_state"],
  },
  async (scope, { id }) => {
    const [payment] = await livePayment(scope.db, { company_id: scope.company_id, id });
    if (!payment) return refuse("not_found", t.no_such_payment);
    if (payment.kind === "payment" && payment.recorder_status === "issued") {
      refuse("invalid_state", t.is_voided_with_receipt({ number: payment.recorder_number ?? "" }));
    }
    await voidMoney(scope, payment);
  },
);

const livePayment = preparedSelect((db, { company_id, id }: { company_id: string; id: string }) =>
  db
    .selectFrom("payments")
    .leftJoin("documents as recorder", "recorder.id", "payments.recorded_with")
    .selectAll("payments")
    .select(["recorder.status as recorder_status", "recorder.number as recorder_number"])
    .where("payments.id", "=", id)
    .where("payments.company_id", "=", company_id)
    .where("payments.voided_at", "is", null),
);

/** Voids a payment or refund that is not voided. */
export async function voidMoney(
  scope: WriteScope,
  { id, document_id, kind }: Pick<Row<"payments">, "id" | "document_id" | "kind">,
): Promise<void> {
  await scope.db
    .updateTable("payments")
    .set({ voided_at: scope.now.toISOString(), voided_by: scope.actor_id })
    .where("id", "=", id)
    .where("voided_at", "is", null)
    .returning("id")
    .executeTakeFirstOrThrow();
  await recordEvent(scope, `${kind}.voided`, id, { document_id });
}

/** Stores a payment or refund; the caller has checked that the document takes it. */
export async function recordMoney(scope: WriteScope, money: Money): Promise<Row<"payments">> {
  const row: Row<"payments"> = {
    ...money,
    id: money.id ?? scope.newId(),
    company_id: scope.company_id,
    created_at: scope.now.toISOString(),
    created_by: scope.actor_id,
    voided_at: null,
    voided_by: null,
  };
  await insertRow(scope.db, row);
  const { receipt_id, credit_note_id } = recorderOf(row);
  await recordEvent(scope, `${row.kind}.recorded`, row.id, {
    document_id: row.document_id,
    amount: fromCents(row.amount_cents),
    ...(receipt_id !== null && { receipt_id }),
    ...(credit_note_id !== null && { credit_note_id }),
  });
  return row;
}

const insertRow = preparedWrite((db, row: Row<"payments">) => db.insertInto("payments").values(row));

/** The live payments and refunds on a document, newest first. */
export function liveMoneyOn({ db, company_id }: ReadScope, document_id: string): Soon<Row<"payments">[]> {
  return liveOn(db, { company_id, document_id });
}

const liveOn = preparedSelect((db, { company_id, document_id }: { company_id: string; document_id: string }) =>
  db
    .selectFrom("payments")
    .selectAll()
    .where("voided_at", "is", null)
    .where("document_id", "=", document_id)
    .where("company_id", "=", company_id)
    .orderBy("id", "desc"),
);

/** The live payments that a receipt recorded, or the live refunds given with a credit note, newest first. */
export function liveMoneyWith({ db, company_id }: ReadScope, recorded_with: string): Soon<Row<"payments">[]> {
  return liveWith(db, { company_id, recorded_with });
}

const liveWith = preparedSelect((db, { company_id, recorded_with }: { company_id: string; recorded_with: string }) =>
  db
    .selectFrom("payments")
    .selectAll()
    .where("voided_at", "is", null)
    .where("recorded_with", "=", recorded_with)
    .where(alsoHas("company_id", company_id))
    .orderBy("id", "desc"),
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
    .where(isJust("kind", "payment"))
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

/** The receipt or credit note that recorded a payment or refund, under the name of its kind. */
function recorderOf({
  kind,
  recorded_with,
}: Pick<Row<"payments">, "kind" | "recorded_with">): Pick<Payment, "receipt_id" | "credit_note_id"> {
  return {
    receipt_id: kind === "payment" ? recorded_with : null,
    credit_note_id: kind === "refund" ? recorded_with : null,
  };
}

/** A payment or refund that a draft plans, or a payment that a receipt states. */
export function showPlanned(row: Omit<Money, "id"> & { readonly id: string }, document_number: string | null): Payment {
  return {
    id: row.id,
    document_id: row.document_id,
    document_number,
    kind: row.kind,
    amount: fromCents(row.amount_cents),
    method_code: row.method_code,
    payment_date: row.payment_date,
    ...recorderOf(row),
    recorded_at: null,
    recorded_by: null,
  };
}
