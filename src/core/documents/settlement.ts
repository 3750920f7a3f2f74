/**
 * What documents still take: how much more can be paid on each, how much can be given back, and on which of them a
 * receipt records its payments.
 */
import type { ExpressionBuilder } from "kysely";
import { preparedSelect } from "../database/prepared.ts";
import type { Reader, Row, Tables } from "../database/tables.ts";
import { type List, listOf, valuesOf } from "../database/words.ts";
import { DOCUMENT_TYPES } from "../fiscal/document-types.ts";
import { sumOfCents } from "../fiscal/money.ts";
import { type Problem, problem, refuse } from "../runtime/errors.ts";
import { mustHave } from "../runtime/permissions.ts";
import type { ReadScope } from "../runtime/scope.ts";
import type { Text } from "../texts/texts.ts";
import { leftOf, type Settlement } from "./balances.ts";
import type { DocumentParts } from "./parts.ts";
import { creditedCentsByDocument, creditedCentsOn, namedCents } from "./references.ts";
import { t } from "./refusals.ts";

/** The payments and refunds among some rows, in cents. */
export function moneyIn(
  rows: readonly Pick<Row<"payments">, "kind" | "amount_cents">[],
): Omit<Settlement, "credited_cents"> {
  return {
    paid_cents: sumOfCents(rows.filter(({ kind }) => kind === "payment")),
    refunded_cents: sumOfCents(rows.filter(({ kind }) => kind === "refund")),
  };
}

/** The live payments and refunds on a document, in cents. */
export async function moneyOn({ db }: ReadScope, document_id: string): Promise<Omit<Settlement, "credited_cents">> {
  const [money = NO_MONEY] = await sumsOn(db, { document_id });
  return money;
}

/** Live payments, refunds and credit notes on a document, in cents. */
export async function settlementOf(scope: ReadScope, document_id: string): Promise<Settlement> {
  return { ...(await moneyOn(scope, document_id)), credited_cents: await creditedCentsOn(scope, document_id) };
}

/** The same of several documents, as a function of their ids. */
async function settlementsOf(scope: ReadScope, ids: readonly string[]): Promise<(document_id: string) => Settlement> {
  const credited = await creditedCentsByDocument(scope, ids);
  const money = await moneyByDocument(scope, ids);
  return (id) => ({ ...money(id), credited_cents: credited.get(id) ?? 0 });
}

const NO_MONEY = { paid_cents: 0, refunded_cents: 0 };

async function moneyByDocument(
  { db }: ReadScope,
  ids: readonly string[],
): Promise<(document_id: string) => Omit<Settlement, "credited_cents">> {
  const sums = await sumsByDocument(db, { documents: listOf(ids) });
  const byId = new Map(sums.map(({ document_id, ...money }) => [document_id, money]));
  return (id) => byId.get(id) ?? NO_MONEY;
}

const sumsOn = preparedSelect((db, { document_id }: { document_id: string }) =>
  sumsOfLive(db).where("document_id", "=", document_id),
);

const sumsByDocument = preparedSelect((db, { documents }: { documents: List }) =>
  sumsOfLive(db).select("document_id").where("document_id", "in", valuesOf(documents)).groupBy("document_id"),
);

/** The sums of the live payments and refunds among rows that a further condition finds. */
function sumsOfLive(db: Reader) {
  return db
    .selectFrom("payments")
    .select((eb) => [sumOfKind(eb, "payment").as("paid_cents"), sumOfKind(eb, "refund").as("refunded_cents")])
    .where("voided_at", "is", null);
}

/** The sum of the rows of one kind; grouping by the kind, too, would sort them. */
function sumOfKind({ fn, val }: ExpressionBuilder<Tables, "payments">, kind: Row<"payments">["kind"]) {
  return fn.coalesce(fn.sum<number>("amount_cents").filterWhere("kind", "=", kind), val(0));
}

type Owed = Pick<Row<"documents">, "doc_type" | "total_gross_cents">;

/** The cents that can still be paid on a document: all of an FR, whose payments only state the means. */
export function roomForPayment(document: Owed, settled: Settlement): number {
  const { doc_type, total_gross_cents } = document;
  return DOCUMENT_TYPES[doc_type].paid_by_nature ? total_gross_cents - settled.paid_cents : leftOf(document, settled);
}

/** The cents that can still be given back on a document: what was paid and credited beyond its total. */
const roomForRefund = (document: Owed, settled: Settlement): number => 0 - leftOf(document, settled);

/**
 * The cents that can be given back of a new credit on a document, once it is issued. Refuses with
 * `payment_exceeds_balance` where there are none.
 */
export async function refundableAfter(
  scope: ReadScope,
  document: Row<"documents">,
  credit_cents: number,
): Promise<number> {
  const { credited_cents, ...money } = await settlementOf(scope, document.id);
  const room = roomForRefund(document, { ...money, credited_cents: credited_cents + credit_cents });
  if (room <= 0) refuse("payment_exceeds_balance", t.room_for_refund({ room_cents: 0 }));
  return Math.min(room, credit_cents);
}

/** Refuses with `payment_exceeds_balance` when more is given back on a document than is in the customer's favour. */
export function mustBeInFavour(document: Owed, settled: Settlement, amount_cents: number): void {
  const room = roomForRefund(document, settled);
  if (amount_cents > room) refuse("payment_exceeds_balance", t.room_for_refund({ room_cents: Math.max(room, 0) }));
}

type Planned = DocumentParts["payments"][number];

/** Money to be recorded when a document is issued. */
export type Money = Pick<
  Row<"payments">,
  "document_id" | "kind" | "amount_cents" | "method_code" | "payment_date" | "recorded_with"
> & {
  /** The id of the payment that the document plans; a receipt's has ids of its own. */
  readonly id: string | null;
};

/**
 * What issuing a document records: the payments of an invoice, the refunds of a credit note, and the payments of a
 * receipt that records them. Refuses with `invalid_state` or `payment_exceeds_balance` what its documents do not take.
 */
export async function moneyAtIssue(
  scope: ReadScope,
  document: Row<"documents">,
  { payments, references }: Pick<DocumentParts, "payments" | "references">,
  referenced: ReadonlyMap<string, Row<"documents">>,
): Promise<readonly Money[]> {
  if (document.training === 1 || payments.length === 0) return [];
  const type = DOCUMENT_TYPES[document.doc_type];
  if (type.takes_payments) return payments.map((payment) => moneyOf(payment, document.id, "payment"));
  if (type.takes_refunds_at_issue) {
    mustHave(scope.caller, "payments:refund");
    const original = mustCorrectOne(references, referenced);
    const { credited_cents, ...money } = await settlementOf(scope, original.id);
    const settled = { ...money, credited_cents: credited_cents + document.total_gross_cents };
    mustBeInFavour(original, settled, sumOfCents(payments));
    return payments.map((payment) => moneyOf(payment, original.id, "refund", document.id));
  }
  if (document.record_payments === 0) return [];
  const rooms = await roomsOf(scope, references, referenced);
  return shareOut(payments, rooms).map((money) => ({ ...money, id: null, recorded_with: document.id }));
}

/** The one document that a credit note corrects, on which its refunds count; refuses with `invalid_state` otherwise. */
export function mustCorrectOne(
  references: readonly Pick<Row<"document_references">, "referenced_id">[],
  referenced: ReadonlyMap<string, Row<"documents">>,
): Row<"documents"> {
  const [first, ...others] = references;
  if (!first) return refuse("invalid_state", t.credits_no_document);
  if (others.length > 0) refuse("invalid_state", t.credits_several_documents);
  return referenced.get(first.referenced_id) as Row<"documents">;
}

function moneyOf(
  { payment_id, amount_cents, method_code, payment_date }: Planned,
  document_id: string,
  kind: Row<"payments">["kind"],
  recorded_with: string | null = null,
): Money {
  return { id: payment_id, document_id, kind, amount_cents, method_code, payment_date, recorded_with };
}

/** How much a receipt may record on a document. */
interface Room {
  readonly document_id: string;
  readonly number: string;
  readonly cents: number;
}

/** What is outstanding on each document that a receipt names, in its order, and at most what it says of each. */
async function roomsOf(
  scope: ReadScope,
  references: DocumentParts["references"],
  referenced: ReadonlyMap<string, Row<"documents">>,
): Promise<Room[]> {
  const settled = await settlementsOf(scope, [...referenced.keys()]);
  return references.flatMap(({ referenced_id, amount_cents }) => {
    const document = referenced.get(referenced_id);
    if (!document || !DOCUMENT_TYPES[document.doc_type].takes_payments) return [];
    const open_cents = Math.max(roomForPayment(document, settled(document.id)), 0);
    const cents = Math.min(amount_cents ?? open_cents, open_cents);
    return [{ document_id: document.id, number: document.number ?? "", cents }];
  });
}

/**
 * Shares payments out over documents, both in order: a document takes payments until it has no room, and a payment that
 * does not fit goes on with the next one. Refuses with `payment_exceeds_balance` what none has room for.
 */
function shareOut(payments: readonly Planned[], rooms: readonly Room[]): Omit<Money, "id" | "recorded_with">[] {
  const shares: Omit<Money, "id" | "recorded_with">[] = [];
  const left = rooms.map((room) => ({ ...room }));
  for (const { amount_cents, method_code, payment_date } of payments) {
    let rest_cents = amount_cents;
    for (const room of left) {
      const cents = Math.min(rest_cents, room.cents);
      if (cents === 0) continue;
      shares.push({ document_id: room.document_id, kind: "payment", amount_cents: cents, method_code, payment_date });
      room.cents -= cents;
      rest_cents -= cents;
    }
    if (rest_cents > 0) refuse("payment_exceeds_balance", roomIn(rooms));
  }
  return shares;
}

/** The most documents that a refusal lists. */
const NAMES = 3;

function roomIn(rooms: readonly Room[]): Text {
  const open = rooms.filter(({ cents }) => cents > 0).slice(0, NAMES);
  return open.length === 0
    ? t.room_for_payment({ room_cents: 0 })
    : t.room_for_payments({ rooms: open.map(({ number, cents }) => t.room_of({ number, cents })) });
}

/** The problems of a receipt that records its payments: they come to its total, and it says what they are for. */
export function problemsWithRecording(
  document: Row<"documents">,
  { payments, references }: Pick<DocumentParts, "payments" | "references">,
  referenced: ReadonlyMap<string, Row<"documents">>,
): Problem[] {
  if (document.record_payments === 0) return [];
  const [paid_cents, gross_cents] = [sumOfCents(payments), document.total_gross_cents];
  return [
    ...(references.length === 0 ? [problem("references", t.is_required_to_record)] : []),
    ...(namedCents(document, references, referenced) < 0 ? [problem("references", t.comes_to_a_refund)] : []),
    ...(paid_cents === gross_cents ? [] : [problem("payments", t.must_come_to_receipt({ paid_cents, gross_cents }))]),
  ];
}
