/** The document that is being written: its fields, what they come to, and how it is filled from another document. */
import { batch, computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type {
  Company,
  Customer,
  Document,
  DocumentSummary,
  NewDocument,
  Place,
  Product,
  Series,
} from "../../core/face.ts";
import {
  DOCUMENT_TYPES,
  type DocType,
  type DocumentType,
  hasSupplyDate,
  isReceipt,
} from "../../core/fiscal/document-types.ts";
import { fromCents, scaled, toBps } from "../../core/fiscal/money.ts";
import { FINAL_CONSUMER_NAME } from "../../core/fiscal/tax-id.ts";
import { lawfulRates, reasonInForce, type TaxPlace, taxationOf, UNTAXED } from "../../core/fiscal/taxation.ts";
import { type AmountLine, MAX_PERCENTAGE, MAX_TOTAL_CENTS, type Totals, totalsOf } from "../../core/fiscal/totals.ts";
import { pricesWithVat } from "../prices.ts";
import { lacre } from "../reading/api.ts";
import { isFinalConsumer } from "../reading/customer-names.ts";
import { money, percent, typedMoney, typedNumber } from "../words/decimals.ts";
import { texts } from "../words/texts.ts";
import { type Line, type LineField, type LineStart, lineOf, newLine, problemOf, readNumber } from "./line.ts";
import { receiptable, referringTo } from "./standing.ts";
import { type Payment, settlementOf } from "./till.ts";

const t = texts({
  no_customer: ["Escolha o cliente.", "Choose the customer."],
  no_name: [
    "Só uma fatura simplificada dispensa o nome: escreva o do cliente, em «Alterar».",
    "Only a simplified invoice needs no name: write the customer's, under “Change”.",
  ],
  no_loading: ["Escreva o local de carga.", "Write the place of loading."],
  no_unloading: ["Escreva o local de descarga.", "Write the place of unloading."],
  no_lines: ["Junte pelo menos uma linha.", "Add at least one line."],
  no_references: ["Indique o documento a que diz respeito.", "Name the document it is about."],
  no_series: ["Não há série para este tipo de documento.", "There is no series for this type of document."],
  no_amounts: ["Os valores não dão um total maior do que 0.", "The amounts do not come to more than 0."],
  bad_lines: ["Há erros em {count} {count|linha|linhas}.", "{count} {count|line has an error|lines have errors}."],
  lacks_reason: ["Escolha o motivo de não levar IVA.", "Choose why there is no VAT."],
  unlawful: [
    "{rate} já não é uma taxa de IVA: escolha a de hoje.",
    "{rate} is no longer a rate of VAT: choose today's.",
  ],
  bad_discount: ["Desconto global", "Discount on everything"],
  bad_reference: ["Valor do documento referido", "Amount of the document named"],
  beyond_simplified: [
    "Uma fatura simplificada vai até {eur}: mude para Fatura (F4).",
    "A simplified invoice goes up to {eur}: change it to Fatura (F4).",
  ],
  too_large: ["O total é demasiado grande.", "The total is too large."],
  receipt_line: ["Recebimento: {numbers}", "Receipt: {numbers}"],
});

/** A customer of whom nothing but the tax number is known: stored, or found again, once the document is sent. */
export interface Nameless {
  readonly tax_id: string;
}

/** A customer that was chosen; the final consumer and whoever gave only a tax number need not be stored yet. */
export type Chosen = Customer | Nameless | "final_consumer";

/** The customer as it is stored; undefined for those that need not be. */
export const storedOf = (chosen: Chosen | undefined): Customer | undefined =>
  typeof chosen === "object" && "id" in chosen ? chosen : undefined;

export const nameOf = (chosen: Chosen | undefined): string =>
  chosen === undefined ? "" : (storedOf(chosen)?.name ?? FINAL_CONSUMER_NAME);

/** The tax number of a customer; null for one without, and for the final consumer. */
export const taxIdOf = (chosen: Chosen | undefined): string | null =>
  typeof chosen === "object" ? chosen.tax_id : null;

/** A document that this one names. */
export interface Reference {
  readonly document: DocumentSummary;
  /** As typed; used by receipts alone. */
  readonly amount: Signal<string>;
  readonly reason: Signal<string>;
}

const PLACE = ["address", "postal_code", "city"] as const;
type TypedPlace = Readonly<Record<(typeof PLACE)[number], Signal<string>>>;

type Address = Readonly<Record<(typeof PLACE)[number], string>>;
const NOWHERE: Address = { address: "", postal_code: "", city: "" };

const typedPlace = (): TypedPlace => ({ address: signal(""), postal_code: signal(""), city: signal("") });

export interface Writing {
  readonly company: Company;
  readonly doc_type: Signal<DocType>;
  /** The facts of the type. */
  readonly type: ReadonlySignal<DocumentType>;
  readonly customer: Signal<Chosen | undefined>;
  readonly lines: Signal<readonly Line[]>;
  readonly references: Signal<readonly Reference[]>;
  readonly issue_date: Signal<string>;
  readonly due_date: Signal<string>;
  readonly supply_date: Signal<string>;
  readonly discount: Signal<string>;
  readonly notes: Signal<string>;
  /** Empty for the one that is usual. */
  readonly series_id: Signal<string>;
  readonly transport: {
    /** Whether goods travel with an invoice; with a guide they always do. */
    readonly travels: Signal<boolean>;
    readonly start_at: Signal<string>;
    readonly end_at: Signal<string>;
    readonly vehicle: Signal<string>;
    readonly from: TypedPlace;
    readonly to: TypedPlace;
    /** The places as they were filled from the parties; what a person typed over them stays. */
    filled: { readonly from: Address; readonly to: Address };
  };
  /** The payments a draft was saved with. */
  readonly payments: Signal<readonly Payment[]>;
  /** The draft that is being changed. */
  readonly draft_id: Signal<string | undefined>;
  /** What stands in the field that adds products. */
  readonly entry: Signal<string>;
  /** What is still being found for what was typed: products, in their order, and the customer. Issuing waits for it. */
  readonly pending: { products: Promise<unknown>; customer: Promise<unknown> };
  /** What the server refused, by field; under the empty path what no field shows. */
  readonly refused: Signal<Readonly<Record<string, string>>>;
  /** The document as it was last stored or filled: leaving loses nothing while it is this. */
  readonly saved: Signal<string>;
}

/** An empty document. */
export function newWriting(company: Company, doc_type: DocType, issue_date: string): Writing {
  const type = signal(doc_type);
  return {
    company,
    doc_type: type,
    type: computed(() => DOCUMENT_TYPES[type.value]),
    customer: signal(usualCustomer(doc_type)),
    lines: signal([]),
    references: signal([]),
    issue_date: signal(issue_date),
    due_date: signal(""),
    supply_date: signal(""),
    discount: signal(""),
    notes: signal(""),
    series_id: signal(""),
    transport: {
      travels: signal(false),
      start_at: signal(""),
      end_at: signal(""),
      vehicle: signal(""),
      from: typedPlace(),
      to: typedPlace(),
      filled: { from: NOWHERE, to: NOWHERE },
    },
    payments: signal([]),
    draft_id: signal(undefined),
    entry: signal(""),
    pending: { products: Promise.resolve(), customer: Promise.resolve() },
    refused: signal({}),
    saved: signal(""),
  };
}

/** The customer of a document that names none: over the counter the final consumer. */
export const usualCustomer = (doc_type: DocType): Chosen | undefined =>
  DOCUMENT_TYPES[doc_type].is_simplified ? "final_consumer" : undefined;

/** Makes it a document of another type, keeping what that type can keep. */
export function changeType(writing: Writing, doc_type: DocType): void {
  batch(() => {
    const { customer, references } = writing;
    if (customer.value === undefined || customer.value === "final_consumer") {
      customer.value = usualCustomer(doc_type) ?? (writing.lines.value.length > 0 ? customer.value : undefined);
    }
    const { may_reference } = DOCUMENT_TYPES[doc_type];
    references.value = references.value.filter(({ document }) => may_reference.includes(document.doc_type));
    writing.series_id.value = "";
    writing.doc_type.value = doc_type;
  });
}

// ——— Where goods travel ———

const addressOf = (party: Company | Customer | undefined): Address => ({
  address: party?.address?.split(/[\r\n]+/).join(", ") ?? "",
  postal_code: party?.postal_code ?? "",
  city: party?.city ?? "",
});

/** Fills both places from the parties, wherever nobody typed another one. */
export function fillPlaces({ company, customer, type, transport }: Writing): void {
  const parties = [addressOf(company), addressOf(storedOf(customer.value))];
  const [from = NOWHERE, to = NOWHERE] = type.value.brings_back ? parties.reverse() : parties;
  batch(() => {
    for (const [end, address] of [
      ["from", from],
      ["to", to],
    ] as const) {
      const before = transport.filled[end];
      if (PLACE.some((field) => transport[end][field].peek() !== before[field])) continue;
      for (const field of PLACE) transport[end][field].value = address[field];
      transport.filled = { ...transport.filled, [end]: address };
    }
  });
}

/** Whether goods travel with it. */
export const hasJourney = ({ type, transport }: Writing): boolean =>
  type.value.has_transport || (type.value.takes_transport && transport.travels.value);

/** Which place a document of transport lacks (DL 147/2003, article 4): a name of a street or of a town. */
function lackingPlace(writing: Writing): "from" | "to" | undefined {
  const { transport } = writing;
  if (!hasJourney(writing)) return undefined;
  return (["from", "to"] as const).find((end) =>
    [transport[end].address, transport[end].city].every(({ value }) => value.trim() === ""),
  );
}

// ——— Lines ———

/** Adds a quantity of a product: to its line, where nobody changed that line's price, else as a new one. */
export function addProduct(writing: Writing, product: Product, qty: number): Line {
  const same = writing.lines.value.find(
    ({ start, typedPrice, discount }) =>
      start.product_id === product.id && !start.of && typedPrice.value === undefined && discount.value === "",
  );
  const counted = same && readNumber(same.qty.value, { decimals: 6, max: Number.MAX_SAFE_INTEGER });
  if (same && counted && "scaled" in counted) {
    const more = scaled(qty, 6);
    same.qty.value = typedNumber(more === undefined ? counted.value + qty : (counted.scaled + more) / 1_000_000);
    return same;
  }
  const line = lineOf(product, qty);
  writing.lines.value = [...writing.lines.value, line];
  return line;
}

/** Adds a line that names no product, at the normal rate or that of the line before. */
export function addFreeLine(writing: Writing, description: string, usualRate: number): Line {
  const tax_rate = writing.lines.value.at(-1)?.rate.value ?? usualRate;
  const line = newLine({ description, qty: 1, price: { value: 0, withVat: pricesWithVat.value }, tax_rate });
  writing.lines.value = [...writing.lines.value, line];
  return line;
}

// ——— Where and how it is taxed ———

/** The region and day whose rates count: of a correction, those of what it corrects. */
export function taxPlaceOf({ company, type, references, issue_date }: Writing): TaxPlace {
  const corrected = type.value.corrects ? references.value[0]?.document.issue_date : undefined;
  return { region: company.tax_region, date: corrected ?? issue_date.value };
}

/** Each line with its tax, as the server will tax it. Lines whose numbers mean nothing are left out. */
export function amountLines(writing: Writing): AmountLine[] {
  const lines = writing.lines.value.flatMap((line) => {
    const { amounts } = line.checked.value;
    return amounts ? [{ line, amounts }] : [];
  });
  const isUnpriced = isUntaxed(writing);
  const place = taxPlaceOf(writing);
  return lines.map(({ line, amounts }) => {
    if (isUnpriced) return { ...amounts, ...UNTAXED };
    const reason =
      amounts.tax_rate_bps === 0
        ? reasonInForce(
            [line.exemption.value, line.start.usual_exemption, writing.company.default_exemption_code],
            place.date,
          )
        : undefined;
    return { ...amounts, ...taxationOf(amounts.tax_rate_bps, reason, place) };
  });
}

/** What the document comes to. The server computes the same from the same lines. */
export function totalsOfWriting(writing: Writing): Totals {
  if (isReceipt({ doc_type: writing.doc_type.value })) {
    const cents = Math.abs(receiptCents(writing));
    const taxed = { total_net_cents: cents, total_tax_cents: 0, total_gross_cents: cents };
    return { ...taxed, groups: [] };
  }
  const discount = readNumber(writing.discount.value, { decimals: 2, max: MAX_PERCENTAGE, empty: 0 });
  return totalsOf(amountLines(writing), "scaled" in discount ? discount.scaled : 0);
}

/**
 * What the lines come to before the discount on everything, and what that takes off: as prices are shown, with VAT or
 * without it. Undefined where there is none.
 */
export function discountOf(writing: Writing, { total_gross_cents, total_net_cents }: Totals) {
  const read = readNumber(writing.discount.value, { decimals: 2, max: MAX_PERCENTAGE, empty: 0 });
  if (!("value" in read) || read.value === 0) return undefined;
  const full = totalsOf(amountLines(writing));
  const withVat = pricesWithVat.value;
  const lines_cents = withVat ? full.total_gross_cents : full.total_net_cents;
  return { lines_cents, off_cents: lines_cents - (withVat ? total_gross_cents : total_net_cents), percent: read.value };
}

/** Whether no line bears tax: on guides and quotations, where none has a price. */
const isUntaxed = ({ type, lines }: Writing): boolean =>
  type.value.untaxed === "unpriced" &&
  lines.value.every(({ checked }) => (checked.value.amounts?.unit_price_micros ?? 0) === 0);

/** Whether a line at 0 % still has to say why. The program would write that nothing was taxed, which is seldom true. */
export const lacksReason = (writing: Writing, line: Line): boolean =>
  line.rate.value === 0 && line.exemption.value === "" && !usualExemption(writing, line) && !isUntaxed(writing);

/** Whether a line bears a rate that is not in force there and then; a correction keeps that of what it corrects. */
export const isUnlawful = (writing: Writing, { rate, start }: Line): boolean =>
  !(writing.type.value.corrects && start.of) && !lawfulRates(taxPlaceOf(writing)).includes(toBps(rate.value));

/** What is wrong with a field of a line: by itself, as the server refused it, or in this document. */
export function problemIn(writing: Writing, line: Line, field: LineField): string | undefined {
  const own = problemOf(line, field);
  if (own !== undefined) return own;
  if (field === "exemption_code" && lacksReason(writing, line)) return t.lacks_reason;
  if (field === "tax_rate" && isUnlawful(writing, line)) return t.unlawful({ rate: percent(line.rate.value) });
  return undefined;
}

/** Whether anything is wrong with a line, but for what the server refused: that is asked again. */
const isWrong = (writing: Writing, line: Line): boolean =>
  Object.keys(line.checked.value.problems).length > 0 || lacksReason(writing, line) || isUnlawful(writing, line);

/** The reason that a line at 0 % would have without one of its own. */
export function usualExemption(writing: Writing, { start }: Line): string | undefined {
  return reasonInForce([start.usual_exemption, writing.company.default_exemption_code], taxPlaceOf(writing).date);
}

// ——— Receipts ———

function receiptCents({ references }: Writing): number {
  return references.value.reduce((sum, reference) => sum + signOf(reference) * (amountCents(reference) ?? 0), 0);
}

/** A receipt takes off what it acknowledges of a credit note. */
const signOf = ({ document }: Reference): number => (DOCUMENT_TYPES[document.doc_type].line_side === "debit" ? -1 : 1);

const AMOUNT = { decimals: 2, max: fromCents(MAX_TOTAL_CENTS), isMoreThanZero: true };

/** What is wrong with the amount of a reference. */
export function amountProblem({ amount }: Reference): string | undefined {
  const read = readNumber(amount.value, AMOUNT);
  return "problem" in read ? read.problem : undefined;
}

function amountCents({ amount }: Reference): number | undefined {
  const read = readNumber(amount.value, AMOUNT);
  return "scaled" in read ? read.scaled : undefined;
}

/** The payments that a receipt acknowledges and nobody recorded: what is given goes to what is owed, in order. */
export function paymentsToRecord(
  writing: Writing,
  payments: readonly Payment[],
): { id: string; amount: number; method_code: Payment["method_code"]; payment_date: string }[] {
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
 * The lines of a receipt: one per document, or one for all where a credit note takes something off. Under cash VAT
 * none: the server makes them, by the rates of the invoices.
 */
function receiptLines(writing: Writing, { cash_vat }: InSeries): NewDocument["lines"] {
  if (cash_vat) return [];
  const references = writing.references.value;
  const line = { qty: 1, tax_rate: 0 };
  if (references.some((reference) => signOf(reference) < 0)) {
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

// ——— What is sent ———

/** What keeps the document from being sent, in words; undefined when it may go. */
export function problemWith(writing: Writing, hasSeries: boolean): string | undefined {
  const { lines, references, customer, type, doc_type } = writing;
  if (!hasSeries) return t.no_series;
  const receipt = isReceipt({ doc_type: doc_type.value });
  if (receipt && references.value.length === 0) return t.no_references;
  if (!receipt && lines.value.length === 0) return t.no_lines;
  const wrong = receipt ? 0 : lines.value.filter((line) => isWrong(writing, line)).length;
  if (wrong > 0) return t.bad_lines({ count: wrong });
  if (receipt && references.value.some((reference) => amountProblem(reference))) return t.bad_reference;
  const discount = discountProblem(writing);
  if (discount) return `${t.bad_discount}: ${discount}`;
  if (customer.value === undefined) return t.no_customer;
  if (isNameless(customer.value) && !type.value.is_simplified) return t.no_name;
  const place = lackingPlace(writing);
  if (place) return place === "from" ? t.no_loading : t.no_unloading;
  if (type.value.must_reference && references.value.length === 0) return t.no_references;
  const { total_gross_cents } = totalsOfWriting(writing);
  if (receipt && total_gross_cents === 0) return t.no_amounts;
  const { simplified_limit } = writing.company;
  if (type.value.is_simplified && simplified_limit !== null && total_gross_cents > simplified_limit * 100) {
    return t.beyond_simplified({ eur: money(simplified_limit) });
  }
  return total_gross_cents > MAX_TOTAL_CENTS ? t.too_large : undefined;
}

export function discountProblem({ discount }: Writing): string | undefined {
  const read = readNumber(discount.value, { decimals: 2, max: MAX_PERCENTAGE, empty: 0 });
  return "problem" in read ? read.problem : undefined;
}

/** The series that a document is sent into. */
type InSeries = Pick<Series, "id" | "cash_vat">;

/** The document as it is sent; its lines must be right. */
export function inputOf(writing: Writing, series: InSeries, customer_id: string): NewDocument {
  const { doc_type, type, issue_date, due_date, supply_date, discount, notes, transport } = writing;
  const references = writing.references.value;
  const receipt = isReceipt({ doc_type: doc_type.value });
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
    due_date: due_date.value || null,
    supply_date: (hasSupplyDate({ doc_type: doc_type.value }) && supply_date.value) || null,
    notes: notes.value.trim() || null,
    transport: hasJourney(writing) ? transportInput(transport) : null,
  };
}

/** What each reference takes of the total, in cents: typed on receipts; on a credit of several, what its lines are. */
function referenceAmounts(writing: Writing): readonly (number | undefined)[] {
  const references = writing.references.value;
  const { cap } = writing.type.value;
  if (cap === null || references.length === 0) return [];
  if (isReceipt({ doc_type: writing.doc_type.value })) return references.map(amountCents);
  if (references.length === 1) return [];
  const all = totalsOfWriting(writing).total_gross_cents;
  const own = references.map(({ document }) => {
    const lines = writing.lines.value.filter(({ start }) => start.of?.document_id === document.id);
    return totalsOfWriting({ ...writing, lines: signal(lines) }).total_gross_cents;
  });
  // Each share is rounded by itself; the last takes the cent that is left.
  const others = own.slice(0, -1).reduce((sum, cents) => sum + cents, 0);
  return [...own.slice(0, -1), all - others];
}

/** An instant of a field of date and time, which is in the time of this device. */
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

/** The fields of lines under the names the API gives them. */
const LINE_FIELDS: Readonly<Record<string, LineField>> = {
  unit_price_net: "price",
  unit_price_gross: "price",
  description: "description",
  qty: "qty",
  unit: "unit",
  discount_pct: "discount_pct",
  tax_rate: "tax_rate",
  exemption_code: "exemption_code",
};

/** Puts a refusal where it belongs: at the field of its line, else above the button. */
export function showRefusal(writing: Writing, byField: Readonly<Record<string, string>>): void {
  const lines = writing.lines.value;
  const others: Record<string, string> = {};
  batch(() => {
    for (const line of lines) line.refused.value = {};
    for (const [path, sentence] of Object.entries(byField)) {
      const [, index = "", name = ""] = /^lines\[(\d+)\]\.(\w+)/.exec(path) ?? [];
      const line = lines[Number(index)];
      const field = LINE_FIELDS[name] ?? (line && index ? "description" : undefined);
      if (index && line && field) line.refused.value = { ...line.refused.value, [field]: sentence };
      else others[path] = sentence;
    }
    writing.refused.value = others;
  });
}

// ——— Filling it from another document ———

/** What can be copied: a document as it is read, or as it was sent. */
type Source = Pick<NewDocument, "global_discount_pct" | "due_date" | "supply_date" | "notes" | "transport"> & {
  readonly lines: NewDocument["lines"];
};

function startOf(line: Source["lines"][number], products: ReadonlyMap<string, Product>): LineStart {
  const product = products.get(line.product_id ?? "");
  return {
    description: line.description,
    qty: line.qty,
    price:
      line.unit_price_gross == null
        ? { value: line.unit_price_net ?? 0, withVat: false }
        : { value: line.unit_price_gross, withVat: true },
    tax_rate: line.tax_rate,
    discount_pct: line.discount_pct ?? 0,
    unit: line.unit ?? "",
    product_id: line.product_id ?? null,
    exemption_code: line.exemption_code ?? null,
    usual_exemption: product?.exemption_code ?? null,
    sku: product?.sku ?? null,
    rest: {
      ...(line.type && !line.product_id && { type: line.type }),
      ...(line.supply_date && { supply_date: line.supply_date }),
    },
  };
}

/** The most products that are read to fill a document; beyond, lines are shown without their codes. */
const MAX_PRODUCTS = 60;

async function productsOf(lines: Source["lines"]): Promise<ReadonlyMap<string, Product>> {
  const ids = [...new Set(lines.flatMap(({ product_id }) => product_id ?? []))].slice(0, MAX_PRODUCTS);
  const found = await Promise.all(ids.map((id) => lacre.products.get({ id }).catch(() => undefined)));
  return new Map(found.flatMap((product) => (product ? [[product.id, product]] : [])));
}

/** A customer as a document names them; undefined where they cannot be read. */
export async function customerOf(id: string): Promise<Chosen | undefined> {
  const customer = await lacre.customers.get({ id }).catch(() => undefined);
  return customer && isFinalConsumer(customer) ? "final_consumer" : customer;
}

/** Fills it with a draft, or with a document that was sent and refused. */
export async function fill(writing: Writing, source: NewDocument | Document): Promise<void> {
  const lines = source.lines;
  const [products, customer, references] = await Promise.all([
    productsOf(lines),
    customerOf(source.customer_id),
    Promise.all((source.references ?? []).map(({ document_id }) => lacre.documents.get({ id: document_id }))),
  ]);
  batch(() => {
    writing.doc_type.value = source.doc_type;
    writing.customer.value = customer;
    writing.references.value = references.map((document, index) => {
      const { amount, reason } = source.references?.[index] ?? {};
      return { document, amount: signal(amount ? typedMoney(amount) : ""), reason: signal(reason ?? "") };
    });
    writing.lines.value = isReceipt(source)
      ? []
      : lines.map((line) =>
          newLine({
            ...startOf(line, products),
            of:
              line.reference_id && line.reference_line
                ? { document_id: line.reference_id, line: line.reference_line }
                : undefined,
          }),
        );
    fillDetails(writing, source);
    writing.issue_date.value = source.issue_date;
    writing.series_id.value = source.series_id;
    writing.payments.value = "payments" in source ? (source.payments ?? []) : [];
  });
}

function fillDetails(writing: Writing, source: NewDocument | Document): void {
  writing.discount.value = source.global_discount_pct ? typedNumber(source.global_discount_pct) : "";
  writing.due_date.value = source.due_date ?? "";
  writing.supply_date.value = source.supply_date ?? "";
  writing.notes.value = source.notes ?? "";
  const { start_at, end_at, vehicle, from, to } = source.transport ?? {};
  writing.transport.travels.value = source.transport != null;
  writing.transport.start_at.value = localTime(start_at);
  writing.transport.end_at.value = localTime(end_at);
  writing.transport.vehicle.value = vehicle ?? "";
  for (const field of PLACE) {
    writing.transport.from[field].value = from?.[field] ?? "";
    writing.transport.to[field].value = to?.[field] ?? "";
  }
}

/** Fills it with the content of another document, of today and under no reference. */
export async function copy(writing: Writing, source: Document): Promise<void> {
  const { doc_type, issue_date } = writing;
  const [type, today] = [doc_type.value, issue_date.value];
  await fill(writing, { ...source, references: [], due_date: null, supply_date: null, transport: null });
  batch(() => {
    doc_type.value = type;
    issue_date.value = today;
    writing.series_id.value = "";
    writing.payments.value = [];
    writing.lines.value = writing.lines.value.map(({ start: { of: _, rest: __, ...start } }) => newLine(start));
  });
}

/** An instant as a field of date and time takes it. */
function localTime(instant: string | null | undefined): string {
  if (!instant) return "";
  const at = new Date(instant);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/**
 * Names another document, and takes over its customer and its lines where there are none yet. A receipt takes what no
 * receipt acknowledges yet, by the means that were recorded last.
 */
export async function addReference(writing: Writing, summary: DocumentSummary): Promise<void> {
  if (writing.references.value.some(({ document }) => document.id === summary.id)) return;
  const isAcknowledged = isReceipt({ doc_type: writing.doc_type.value });
  const found = lacre.documents.get({ id: summary.id });
  const left = isAcknowledged ? receiptable(summary, await referringTo(summary.id)) : summary.total_gross;
  const reference = { document: summary, amount: signal(typedMoney(left)), reason: signal("") };
  const { payments } = await found;
  const source = isAcknowledged ? undefined : await found;
  const products = await productsOf(source?.lines ?? []);
  const customer = await customerOf(summary.customer_id);
  batch(() => {
    const { customer: chosen, lines, references, type, discount } = writing;
    if (references.value.length === 0 || chosen.value === undefined) chosen.value = customer;
    const isFirst = lines.value.length === 0;
    references.value = [...references.value, reference];
    const [latest] = payments;
    if (isAcknowledged && latest && writing.payments.value.length === 0) {
      writing.payments.value = [{ method_code: latest.method_code, amount: left }];
    }
    if (!source || addsOnly(type.value)) return;
    if (isFirst && source.global_discount_pct) discount.value = typedNumber(source.global_discount_pct);
    const prices = type.value.has_transport || source.total_gross > 0 ? undefined : products;
    const copied = source.lines.map((line, index) => {
      const start = startOf(line, products);
      // A guide without prices says what was delivered, not what it costs.
      const product = prices?.get(line.product_id ?? "");
      return newLine({
        ...start,
        ...(product && { price: { value: product.unit_price_net, withVat: false }, tax_rate: product.tax_rate }),
        of: { document_id: summary.id, line: index + 1 },
      });
    });
    lines.value = [...lines.value, ...copied];
  });
}

/** Whether it only adds to what it corrects: a debit note begins empty, or all would be charged again. */
const addsOnly = ({ corrects, line_side }: DocumentType): boolean => corrects && line_side === "credit";

/** No longer names a document; the lines that came from it go with it. */
export function removeReference(writing: Writing, { document }: Reference): void {
  batch(() => {
    writing.references.value = writing.references.value.filter((one) => one.document.id !== document.id);
    writing.lines.value = writing.lines.value.filter(({ start }) => start.of?.document_id !== document.id);
  });
}

/** Whether nothing but a tax number is known of the customer, and no record says it. */
export const isNameless = (chosen: Chosen | undefined): chosen is Nameless =>
  typeof chosen === "object" && storedOf(chosen) === undefined;

/** Everything that is written, to tell whether it changed. */
export const snapshotOf = (writing: Writing): string =>
  JSON.stringify([
    writing.doc_type.value,
    [nameOf(writing.customer.value), taxIdOf(writing.customer.value)],
    writing.lines.value.map(({ description, qty, unit, price, discount, rate, exemption }) => [
      description.value,
      qty.value,
      unit.value,
      price.value,
      discount.value,
      rate.value,
      exemption.value,
    ]),
    writing.references.value.map(({ document, amount, reason }) => [document.id, amount.value, reason.value]),
    [writing.due_date.value, writing.supply_date.value, writing.discount.value, writing.notes.value],
  ]);
