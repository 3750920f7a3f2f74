/** Caps: payments at issue, live credit notes and receipts on a document never exceed its total. */
import type { Row } from "../database/tables.ts";
import { DOCUMENT_TYPES } from "../fiscal/document-types.ts";
import { fromBps, sumOfCents } from "../fiscal/money.ts";
import { grossByGroup, groupKey, lineNet, netInCents, totalsOf } from "../fiscal/totals.ts";
import { type Check, type Problem, problem, refuse } from "../runtime/errors.ts";
import type { ReadScope } from "../runtime/scope.ts";
import type { CorrectedDocument } from "./context.ts";
import { type DocumentParts, linesAbout } from "./parts.ts";
import { acknowledgedCentsByDocument, creditedCentsByDocument, liveDocumentsOn } from "./references.ts";
import { t } from "./refusals.ts";

type Line = Row<"document_lines">;
type AmountReference = Pick<Row<"document_references">, "referenced_id" | "amount_cents">;

/** The part of a credit note that the caps need, whether it is being issued or live. */
interface Credit {
  readonly global_discount_bps: number;
  readonly lines: readonly Line[];
  readonly references: readonly AmountReference[];
}

/**
 * A check for each corrected document: refuses with `credit_exceeds_original` if its credit notes, including this one,
 * exceed it: in total, per region, tax code and rate, or in the quantity of a line or product they name, in strict mode
 * also in its value (Despacho 8632/2014, 3.2.7, 3.3.7).
 */
export async function checksOfCredit(
  scope: ReadScope,
  credit: Credit,
  corrected: readonly CorrectedDocument[],
  isStrict: boolean,
): Promise<Check[]> {
  const ids = corrected.map(({ row }) => row.id);
  const credited = await creditedCentsByDocument(scope, ids);
  const live = await liveDocumentsOn(scope, ids, "NC");
  return corrected.map((original) => () => {
    const { id, number, total_gross_cents } = original.row;
    const amount_cents = amountFor(id, credit.references);
    const room_cents = total_gross_cents - (credited.get(id) ?? 0);
    const exceedsTotal = () =>
      refuse("credit_exceeds_original", t.room_for_credit({ room_cents, number: number ?? "" }));
    if (room_cents === 0 && total_gross_cents > 0) exceedsTotal();
    // Product names come first: a total says least about what to change.
    const earlier = live.get(id) ?? [];
    mustFitInLines(original, earlier, credit, isStrict);
    mustFitPerRate(original, earlier, credit);
    if (amount_cents > room_cents) exceedsTotal();
  });
}

/**
 * Problems with the lines that a correction's lines name; a credit has the rate of its line. In strict mode each line
 * of a credit note names a line or a product of the corrected document: otherwise quantities cannot be compared
 * (Despacho 8632/2014, 3.2.7).
 */
export function problemsWithCorrectedLines(
  { doc_type }: Row<"documents">,
  lines: DocumentParts["lines"],
  corrected: readonly CorrectedDocument[],
  isStrict: boolean,
): Problem[] {
  const isCredit = DOCUMENT_TYPES[doc_type].cap === "credit";
  return lines.flatMap((line, i) => {
    const { reference_id, reference_line, product_id } = line;
    const original = corrected.length > 1 ? corrected.find(({ row }) => row.id === reference_id) : corrected[0];
    if (reference_line !== null) {
      const named = original?.lines.find(({ line_number }) => line_number === reference_line);
      const problems = problemsWithNamedLine(line, i, named);
      return named && isCredit && problems.length === 0 ? problemsWithRate(line, i, [named]) : problems;
    }
    if (!isStrict || !isCredit || !original) return [];
    const sold = product_id === null ? [] : original.lines.filter((one) => one.product_id === product_id);
    if (sold.length > 0) return problemsWithRate(line, i, sold);
    return [problem(`lines[${i}].reference_line`, t.needs_corrected_line({ number: String(original.row.number) }))];
  });
}

function problemsWithNamedLine({ product_id }: Line, i: number, named: Line | undefined): Problem[] {
  const path = `lines[${i}].reference_line`;
  if (!named) return [problem(path, t.names_no_corrected_line)];
  const isOther = product_id !== null && named.product_id !== null && named.product_id !== product_id;
  return isOther ? [problem(path, t.names_line_of_other_product)] : [];
}

/** A sale at one rate is not credited at another. */
function problemsWithRate({ tax_rate_bps }: Line, i: number, sold: readonly Line[]): Problem[] {
  const rates_bps = [...new Set(sold.map((line) => line.tax_rate_bps))];
  return rates_bps.includes(tax_rate_bps)
    ? []
    : [problem(`lines[${i}].tax_rate`, t.must_be_corrected_rate({ rates: rates_bps.map(fromBps) }))];
}

/** A check for each document: refuses with `receipt_exceeds_documents` when its receipts exceed gross less credits. */
export async function checksOfReceipt(
  scope: ReadScope,
  references: readonly AmountReference[],
  acknowledged: ReadonlyMap<string, Row<"documents">>,
): Promise<Check[]> {
  const ids = [...acknowledged.keys()];
  const receipts = await acknowledgedCentsByDocument(scope, ids);
  const credited = await creditedCentsByDocument(scope, ids);
  return Array.from(acknowledged, ([id, { number, total_gross_cents }]) => () => {
    const room_cents = total_gross_cents - (credited.get(id) ?? 0) - (receipts.get(id) ?? 0);
    if (amountFor(id, references) <= room_cents) return;
    refuse(
      "receipt_exceeds_documents",
      t.room_for_receipt({ room_cents: Math.max(room_cents, 0), number: number ?? "" }),
    );
  });
}

/** Refuses with `payment_exceeds_balance` if the payments or refunds at issue exceed the document's gross. */
export function mustNotOverpay(payments: DocumentParts["payments"], document: Row<"documents">): void {
  const { doc_type, total_gross_cents: gross_cents } = document;
  const paid_cents = sumOfCents(payments);
  if (paid_cents <= gross_cents) return;
  const exceeds = DOCUMENT_TYPES[doc_type].takes_refunds_at_issue ? t.refunds_exceed_total : t.payments_exceed_total;
  refuse("payment_exceeds_balance", exceeds({ paid_cents, gross_cents }));
}

/** What can still be credited of a document in each group of its totals: cents with tax, by `groupKey`. */
export function roomByGroup(
  { row, lines }: Pick<CorrectedDocument, "row" | "lines">,
  earlier: readonly Credit[],
): ReadonlyMap<string, number> {
  const room = grossByGroup(lines, row.global_discount_bps);
  for (const one of earlier) {
    const credited = grossByGroup(linesAbout(row.id, one), one.global_discount_bps);
    for (const [key, cents] of credited) room.set(key, (room.get(key) ?? 0) - cents);
  }
  return room;
}

function mustFitPerRate(original: CorrectedDocument, earlier: readonly Credit[], credit: Credit): void {
  const { row } = original;
  const room = roomByGroup(original, earlier);
  const own = linesAbout(row.id, credit);
  for (const group of totalsOf(own, credit.global_discount_bps).groups) {
    const room_cents = room.get(groupKey(group)) ?? 0;
    const credited_cents = group.net_cents + group.tax_cents;
    if (credited_cents <= room_cents) continue;
    const { tax_rate_bps: rate_bps } = group;
    const same = own.filter((line) => groupKey(line) === groupKey(group));
    const names = [...new Set(same.map(nameOf))].slice(0, NAMES);
    const values = { number: row.number ?? "", room_cents: Math.max(room_cents, 0), credited_cents, rate_bps, names };
    refuse("credit_exceeds_original", t.room_for_credit_at_rate(values));
  }
}

/**
 * Compares credits with each line, by the credits that name it, and with each product, by all its credits: the
 * quantity, and in strict mode the net value.
 */
function mustFitInLines(
  { row, lines }: CorrectedDocument,
  earlier: readonly Credit[],
  credit: Credit,
  isStrict: boolean,
): void {
  const productOn = new Map(lines.map(({ line_number, product_id }) => [line_number, product_id]));
  const sold = lines.map((line) => ({ ...line, net: lineNet(line, row.global_discount_bps) }));
  const returnedIn = (one: Credit) =>
    linesAbout(row.id, one).map((line) => ({
      ...line,
      net: lineNet(line, one.global_discount_bps),
      product_id: line.product_id ?? productOn.get(line.reference_line ?? 0) ?? null,
    }));
  const [before, now] = [earlier.flatMap(returnedIn), returnedIn(credit)];
  const mustFit = (keyOfSold: KeyOf, keyOfReturned: KeyOf) =>
    mustFitByKey(row, sums(sold, keyOfSold), sums(before, keyOfReturned), sums(now, keyOfReturned), isStrict);
  mustFit(byProduct, byProduct);
  mustFit(
    ({ line_number }) => line_number,
    ({ reference_line }) => reference_line,
  );
}

function mustFitByKey({ number }: Row<"documents">, sold: Sums, before: Sums, now: Sums, isStrict: boolean): void {
  for (const [key, { qty_micros, net }] of now) {
    const most = sold.get(key);
    if (most === undefined) continue;
    const sale = { number: number ?? "", name: most.name };
    const gone = before.get(key) ?? NOTHING;
    const room_micros = Number(most.qty_micros - gone.qty_micros);
    if (qty_micros > room_micros) {
      const amounts = { room_micros: Math.max(room_micros, 0), credited_micros: Number(qty_micros) };
      refuse("credit_exceeds_original", t.room_for_quantity({ ...sale, ...amounts }));
    }
    const room_cents = netInCents(most.net) - netInCents(gone.net);
    if (isStrict && netInCents(gone.net + net) > netInCents(most.net)) {
      const amounts = { room_cents: Math.max(room_cents, 0), credited_cents: netInCents(net) };
      refuse("credit_exceeds_original", t.room_for_value({ ...sale, ...amounts }));
    }
  }
}

/** The most names a refusal lists. */
const NAMES = 3;

type Key = string | number;
/** The key by which lines are grouped; null leaves one out. */
type KeyOf = (line: Line) => Key | null;
const byProduct: KeyOf = ({ product_id }) => product_id;
/** A group of lines. */
interface Sum {
  readonly qty_micros: bigint;
  readonly net: bigint;
  readonly name: string;
}
type Sums = ReadonlyMap<Key, Sum>;

const NOTHING = { qty_micros: 0n, net: 0n } as const;

const nameOf = ({ product_name, description }: Line): string => product_name ?? description;

/** Quantities and nets by a key; lines without it are left out. */
function sums(lines: readonly (Line & Pick<Sum, "net">)[], keyOf: KeyOf): Sums {
  const byKey = new Map<Key, Sum>();
  for (const line of lines) {
    const key = keyOf(line);
    if (key === null) continue;
    const { qty_micros, net } = byKey.get(key) ?? NOTHING;
    byKey.set(key, { qty_micros: qty_micros + BigInt(line.qty_micros), net: net + line.net, name: nameOf(line) });
  }
  return byKey;
}

function amountFor(id: string, references: readonly AmountReference[]): number {
  return references.find(({ referenced_id }) => referenced_id === id)?.amount_cents ?? 0;
}
