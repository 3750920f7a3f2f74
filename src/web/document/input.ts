/** The document as it is sent, and where to show a refusal. */
import { batch } from "@preact/signals";
import type { NewDocument, Place, Series } from "../../core/face.ts";
import { DOCUMENT_TYPES, hasSupplyDate, isQuotation, signOnReceipt } from "../../core/fiscal/document-types.ts";
import { fromCents, scaled } from "../../core/fiscal/money.ts";
import { MAX_PERCENTAGE } from "../../core/fiscal/totals.ts";
import { texts } from "../words/texts.ts";
import { type LineField, readNumber } from "./line.ts";
import type { NewPaymentOn, SentDocument } from "./submission.ts";
import { type Payment, settlementOf } from "./till.ts";
import {
  amountCents,
  fieldNames,
  globalAmount,
  hasDueDate,
  hasJourney,
  PLACE,
  receiptCents,
  type TypedPlace,
  totalsOfLines,
  totalsOfWriting,
  type Writing,
  writesReceipt,
} from "./writing.ts";

const t = texts({ receipt_line: ["Recebimento: {numbers}", "Receipt: {numbers}"] });

/** The series that a document is sent into. */
type InSeries = Pick<Series, "id" | "cash_vat">;

/** The document as it is sent; its lines must be valid. */
export function inputOf(writing: Writing, series: InSeries, customer_id: string): SentDocument {
  const { doc_type, type, issue_date, due_date, valid_until, supply_date, discount, notes, transport } = writing;
  const references = writing.references.value;
  const receipt = writesReceipt(writing);
  const lines = receipt
    ? receiptLines(writing, series)
    : writing.lines.value.flatMap(({ checked, start: { of } }) => {
        const { input } = checked.value;
        if (!input) return [];
        const names = type.value.corrects && references.some(({ document }) => document.id === of?.document_id);
        return [of && names ? { ...input, reference_id: of.document_id, reference_line: of.line } : input];
      });
  const amounts = referenceAmounts(writing);
  const percentage = readNumber(discount.value, { decimals: 2, max: MAX_PERCENTAGE, empty: 0 });
  return {
    doc_type: doc_type.value,
    series_id: series.id,
    issue_date: issue_date.value,
    customer_id,
    lines,
    references: references.map(({ document, reason }, index) => ({
      document_id: document.id,
      ...(amounts[index] !== undefined && { amount: fromCents(amounts[index]) }),
      ...(type.value.corrects && reason.value.trim() && { reason: reason.value.trim() }),
    })),
    global_discount_pct: !receipt && "value" in percentage ? percentage.value : 0,
    global_discount_amount: globalAmount(writing),
    due_date: (hasDueDate(writing) && due_date.value) || null,
    valid_until: (isQuotation({ doc_type: doc_type.value }) && valid_until.value) || null,
    supply_date: (hasSupplyDate({ doc_type: doc_type.value }) && supply_date.value) || null,
    notes: notes.value.trim() || null,
    transport: hasJourney(writing) ? transportInput(transport) : null,
  };
}

/**
 * The share of each reference in the total, in cents: typed on receipts; on a credit note with several, the sum of its
 * lines.
 */
function referenceAmounts(writing: Writing): readonly (number | undefined)[] {
  const references = writing.references.value;
  const { cap } = writing.type.value;
  if (cap === null || references.length === 0) return [];
  if (writesReceipt(writing)) return references.map(amountCents);
  if (references.length === 1) return [];
  const all = totalsOfWriting(writing).total_gross_cents;
  const own = references.map(
    ({ document }) => totalsOfLines(writing, ({ start }) => start.of?.document_id === document.id).total_gross_cents,
  );
  // Each share is rounded by itself; the last one gets the remaining cent.
  const others = own.slice(0, -1).reduce((sum, cents) => sum + cents, 0);
  return [...own.slice(0, -1), all - others];
}

/** The instant in a date and time field, which is in this device's time zone. */
const instantOf = (text: string) => (text ? new Date(text).toISOString() : undefined);

function transportInput({ start_at, end_at, vehicle, from, to }: Writing["transport"]): NewDocument["transport"] {
  const [start, end] = [instantOf(start_at.value), instantOf(end_at.value)];
  const [origin, destination] = [placeInput(from), placeInput(to)];
  return {
    ...(start && { start_at: start }),
    ...(end && { end_at: end }),
    ...(origin && { from: origin }),
    ...(destination && { to: destination }),
    ...(vehicle.value.trim() && { vehicle: vehicle.value.trim().toUpperCase() }),
  };
}

function placeInput(typed: TypedPlace): Place | undefined {
  const filled = PLACE.map((field) => [field, typed[field].value.trim()] as const).filter(([, text]) => text);
  return filled.length > 0 ? Object.fromEntries(filled) : undefined;
}

/** A discount is shown in one field, a percentage or an amount. */
const inPlaceOf = (name: string): string => name.replace(/discount_amount$/, "discount_pct");

/** The fields of lines under the names the API gives them. */
const lineField = (name: string): LineField | undefined =>
  name.startsWith("unit_price_") ? "price" : LINE_FIELDS.find((field) => field === inPlaceOf(name));
const LINE_FIELDS = ["description", "qty", "unit", "discount_pct", "tax_rate", "exemption_code"] as const;

/** Shows a refusal at its field: in its line, else above the button. */
export function showRefusal(writing: Writing, byField: Readonly<Record<string, string>>): void {
  const lines = writing.lines.value;
  const others: Record<string, string> = {};
  batch(() => {
    for (const line of lines) line.refused.value = {};
    for (const [path, sentence] of Object.entries(byField)) {
      const [, index = "", name = ""] = /^lines\[(\d+)\]\.(\w+)/.exec(path) ?? [];
      const line = lines[Number(index)];
      const field = lineField(name) ?? (line && index ? "description" : undefined);
      if (index && line && field) line.refused.value = { ...line.refused.value, [field]: sentence };
      else others[inPlaceOf(path)] = sentence;
    }
    writing.refused.value = others;
  });
}

const JOURNEY = ["start_at", "end_at", "vehicle", ...PLACE.flatMap((of) => [`from.${of}`, `to.${of}`])];

/** The fields on the screen, with so many series to choose from: each shows what was refused of it. */
function drawnFields(writing: Writing, series: number): readonly (string | false)[] {
  return [
    ...["", "customer_id", "issue_date", "notes"],
    series > 1 && "series_id",
    hasDueDate(writing) && "due_date",
    isQuotation({ doc_type: writing.doc_type.value }) && "valid_until",
    hasSupplyDate({ doc_type: writing.doc_type.value }) && "supply_date",
    !writesReceipt(writing) && "global_discount_pct",
    ...(hasJourney(writing) ? JOURNEY.map((of) => `transport.${of}`) : []),
  ];
}

/** The refusals of fields that are not on the screen, each with the name of its field. */
export function otherRefusals(writing: Writing, series: number): readonly string[] {
  const drawn = drawnFields(writing, series);
  const mayReference = writing.type.value.may_reference.length > 0;
  return Object.entries(writing.refused.value)
    .filter(([path]) => !(drawn.includes(path) || (mayReference && path.startsWith("references"))))
    .map(([path, sentence]) => {
      const name = path.split(/\W+/).findLast((of) => of in fieldNames) as keyof typeof fieldNames | undefined;
      return name && path !== "lines" ? `${fieldNames[name]}: ${sentence}` : sentence;
    });
}

/** The payments on a receipt's documents that nobody has recorded: the money goes to what is owed, in order. */
export function paymentsToRecord(writing: Writing, payments: readonly Payment[]): readonly NewPaymentOn[] {
  const debts = writing.references.value
    .filter(({ document }) => DOCUMENT_TYPES[document.doc_type].takes_payments)
    .map((reference) => ({
      id: reference.document.id,
      open_cents: Math.min(amountCents(reference) ?? 0, scaled(reference.document.outstanding ?? 0, 2) ?? 0),
    }));
  const payment_date = writing.issue_date.value;
  return settlementOf(debts, payments).map((payment) => ({ ...payment, payment_date }));
}

/**
 * The lines of a receipt: one per document, or one for all if a credit note reduces it. None under cash VAT: the server
 * makes them, by the rates of the invoices.
 */
function receiptLines(writing: Writing, { cash_vat }: InSeries): SentDocument["lines"] {
  if (cash_vat) return [];
  const references = writing.references.value;
  const line = { qty: 1, tax_rate: 0 };
  if (references.some((reference) => signOnReceipt(reference.document.doc_type) < 0)) {
    const numbers = references.map(({ document }) => document.number).join(", ");
    const unit_price_net = fromCents(Math.abs(receiptCents(writing)));
    return [{ ...line, description: t.receipt_line({ numbers }), unit_price_net }];
  }
  return references.map(({ document, ...reference }) => ({
    ...line,
    description: document.number ?? "",
    unit_price_net: fromCents(amountCents({ document, ...reference }) ?? 0),
    reference_id: document.id,
  }));
}
