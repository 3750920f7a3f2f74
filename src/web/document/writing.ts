/** The document being written: its fields, its totals, and how it is filled from another document. */
import { batch, computed, type Signal, signal } from "@preact/signals";
import type { Company, Customer, DocumentSummary, Product } from "../../core/face.ts";
import { type Day, isCivilDate } from "../../core/fiscal/civil-time.ts";
import { DOCUMENT_TYPES, type DocType, type DocumentType, signOnReceipt } from "../../core/fiscal/document-types.ts";
import { fromCents, scaled, toBps, toCents } from "../../core/fiscal/money.ts";
import { FINAL_CONSUMER_NAME } from "../../core/fiscal/tax-id.ts";
import { lawfulRates, reasonInForce, type TaxPlace, taxationOf, UNTAXED } from "../../core/fiscal/taxation.ts";
import {
  type AmountLine,
  MAX_PERCENTAGE,
  MAX_TOTAL_CENTS,
  mostOff,
  sharedDiscount,
  type Totals,
  totalsOf,
} from "../../core/fiscal/totals.ts";
import { today } from "../clock.ts";
import { pricesWithVat } from "../prices.ts";
import { money, percent, typedNumber } from "../words/decimals.ts";
import { texts } from "../words/texts.ts";
import { type Line, type LineField, lineOf, newLine, problemOf, readNumber } from "./line.ts";
import type { Payment } from "./till.ts";

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
  bad_line: ["Há um erro numa linha.", "One line has an error."],
  bad_lines: ["Há erros em {count} linhas.", "{count} lines have errors."],
  lacks_reason: ["Escolha o motivo de não levar IVA.", "Choose why there is no VAT."],
  unlawful: [
    "{rate} já não é uma taxa de IVA: escolha a de hoje.",
    "{rate} is no longer a rate of VAT: choose today's.",
  ],
  bad_reference: ["Valor do documento referido", "Amount of the document named"],
  beyond_simplified: [
    "Uma fatura simplificada vai até {eur}: mude para Fatura (F4).",
    "A simplified invoice goes up to {eur}: change it to Invoice (F4).",
  ],
  unlike_prices: [
    "O desconto de {off} pede que todas as linhas tenham o preço sem IVA, ou todas com IVA.",
    "The discount of {off} needs prices that are all without VAT, or all with it.",
  ],
  discount_exceeds: ["O desconto de {off} passa do valor das linhas.", "The discount of {off} is more than the lines."],
  too_large: ["O total é demasiado grande.", "The total is too large."],
});

/** The fields of a document as people call them. */
export const fieldNames = texts({
  due_date: ["Vencimento", "Due date"],
  valid_until: ["Válido até", "Valid until"],
  supply_date: ["Data do fornecimento", "Date of supply"],
  series_id: ["Série", "Series"],
  global_discount_pct: ["Desconto global", "Discount on everything"],
  references: ["Documentos referidos", "Documents named"],
  lines: ["Linhas", "Lines"],
  payments: ["Pagamentos", "Payments"],
  payment_date: ["Data do pagamento", "Date of the payment"],
  transport: ["Transporte", "Transport"],
  from: ["Local de carga", "Place of loading"],
  to: ["Local de descarga", "Place of unloading"],
});

/** A customer known by tax number alone; found or created when the document is sent. */
export interface Nameless {
  readonly tax_id: string;
}

/** A chosen customer; the final consumer and whoever gave only a tax number need not be stored yet. */
export type Chosen = Customer | Nameless | "final_consumer";

/** The customer as stored; undefined for those that need not be. */
export const storedOf = (chosen: Chosen | undefined): Customer | undefined =>
  typeof chosen === "object" && "id" in chosen ? chosen : undefined;

export const nameOf = (chosen: Chosen | undefined): string =>
  chosen === undefined ? "" : (storedOf(chosen)?.name ?? FINAL_CONSUMER_NAME);

/** The tax number of a customer; null for one without, and for the final consumer. */
export const taxIdOf = (chosen: Chosen | undefined): string | null =>
  typeof chosen === "object" ? chosen.tax_id : null;

/** A reference, with the amount and the reason as typed; only receipts use the amount. */
export const referenceTo = (document: DocumentSummary, amount = "", reason = "") => ({
  document,
  amount: signal(amount),
  reason: signal(reason),
});

/** A reference of this document. */
export type Reference = Readonly<ReturnType<typeof referenceTo>>;

export const PLACE = ["address", "postal_code", "city"] as const;
export type TypedPlace = Readonly<Record<(typeof PLACE)[number], Signal<string>>>;

type Address = Readonly<Record<(typeof PLACE)[number], string>>;
const NOWHERE: Address = { address: "", postal_code: "", city: "" };

const typedPlace = (): TypedPlace => ({ address: signal(""), postal_code: signal(""), city: signal("") });

/** An empty document. */
export function newWriting(company: Company, doc_type: DocType, issue_date: Day) {
  const type = signal(doc_type);
  return {
    company,
    doc_type: type,
    /** The facts of the type. */
    type: computed<DocumentType>(() => DOCUMENT_TYPES[type.value]),
    customer: signal(usualCustomer(doc_type)),
    lines: signal<readonly Line[]>([]),
    references: signal<readonly Reference[]>([]),
    issue_date: signal<string>(issue_date),
    due_date: signal(""),
    valid_until: signal(""),
    supply_date: signal(""),
    discount: signal(""),
    /** An amount off all lines, which a program set: it stays until a percentage is typed. */
    discount_amount: signal<number | null>(null),
    notes: signal(""),
    /** Empty for the usual one. */
    series_id: signal(""),
    transport: {
      /** Whether goods travel with an invoice; with a guide they always do. */
      travels: signal(false),
      start_at: signal(""),
      end_at: signal(""),
      vehicle: signal(""),
      from: typedPlace(),
      to: typedPlace(),
      /** The places as filled from the parties; a person's own text stays. */
      filled: { from: NOWHERE, to: NOWHERE },
    },
    /** The payments a draft was saved with. */
    payments: signal<readonly Payment[]>([]),
    /** The draft that is being changed. */
    draft_id: signal<string | undefined>(undefined),
    /** The text in the field that adds products. */
    entry: signal(""),
    /** Searches under way for what was typed: products in their order, and the customer. Issuing waits for them. */
    pending: { products: Promise.resolve<unknown>(undefined), customer: Promise.resolve<unknown>(undefined) },
    /** The server's refusals, by field; under the empty path those that no field shows. */
    refused: signal<Readonly<Record<string, string>>>({}),
    /** The document as it was last stored or filled: leaving loses nothing while it is unchanged. */
    saved: signal(""),
  };
}

/** The document being written. */
export type Writing = Readonly<ReturnType<typeof newWriting>>;

/** Whether it acknowledges a payment, and so has no lines to write. */
export const writesReceipt = ({ type }: Writing): boolean => type.value.cap === "receipt";

/** Whether it says when it is due: what is paid at once does not. */
export const hasDueDate = ({ type: { value } }: Writing): boolean =>
  value.takes_payments && !value.paid_by_nature && !value.is_simplified;

/** The default customer: over the counter the final consumer. */
export const usualCustomer = (doc_type: DocType): Chosen | undefined =>
  DOCUMENT_TYPES[doc_type].is_simplified ? "final_consumer" : undefined;

/** Changes the document's type, keeping what the new type can have. */
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

// ——— Transport ———

const addressOf = (party: Company | Customer | undefined): Address => ({
  address: party?.address?.split(/[\r\n]+/).join(", ") ?? "",
  postal_code: party?.postal_code ?? "",
  city: party?.city ?? "",
});

/** Fills both places from the parties, unless somebody typed another one. */
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

/** The place that a transport document lacks (DL 147/2003, article 4): the name of a street or of a town. */
function lackingPlace(writing: Writing): "from" | "to" | undefined {
  const { transport } = writing;
  if (!hasJourney(writing)) return undefined;
  return (["from", "to"] as const).find((end) =>
    [transport[end].address, transport[end].city].every(({ value }) => value.trim() === ""),
  );
}

// ——— Lines ———

/** Adds a quantity of a product: to its line, unless somebody changed that line's price, else as a new one. */
export function addProduct(writing: Writing, product: Product, qty: number): Line {
  const same = writing.lines.value.find(
    ({ start, typedPrice, discount }) =>
      start.product_id === product.id &&
      !start.of &&
      typedPrice.value === undefined &&
      discount.value === "" &&
      start.discount_amount == null,
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

/** Adds a line without product, at the normal rate or that of the line before. */
export function addFreeLine(writing: Writing, description: string, usualRate: number): Line {
  const tax_rate = writing.lines.value.at(-1)?.rate.value ?? usualRate;
  const line = newLine({ description, qty: 1, price: { value: 0, withVat: pricesWithVat.value }, tax_rate });
  writing.lines.value = [...writing.lines.value, line];
  return line;
}

// ——— Taxation ———

/** The region and day whose rates apply: for a correction, those of the corrected document. */
export function taxPlaceOf({ company, type, references, issue_date }: Writing): TaxPlace {
  const corrected = type.value.corrects ? references.value[0]?.document.issue_date : undefined;
  const { value } = issue_date;
  return { region: company.tax_region, date: corrected ?? (isCivilDate(value) ? value : today(company.time_zone)) };
}

/** The amount off all lines that applies, in EUR; null for none, or a percentage. */
export const globalAmount = (writing: Writing): number | null =>
  writing.discount.value.trim() === "" && !writesReceipt(writing) ? writing.discount_amount.value : null;

/** Each line with its tax, as the server will tax it. Lines with unreadable numbers are left out. */
function amountLines(writing: Writing): AmountLine[] {
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

/** The totals of the document. The server computes the same from the same lines. */
export function totalsOfWriting(writing: Writing): Totals {
  return totalsOfLines(writing, () => true);
}

/** The totals of some of its lines, as parts of the document. */
export function totalsOfLines(writing: Writing, isCounted: (line: Line) => boolean): Totals {
  if (writesReceipt(writing)) {
    const cents = Math.abs(receiptCents(writing));
    const taxed = { total_net_cents: cents, total_tax_cents: 0, total_gross_cents: cents };
    return { ...taxed, groups: [] };
  }
  const discount = readNumber(writing.discount.value, { decimals: 2, max: MAX_PERCENTAGE, empty: 0 });
  const amount = globalAmount(writing);
  const lines = sharedDiscount(amountLines(writing), amount === null ? null : toCents(amount));
  const readable = writing.lines.value.filter(({ checked }) => checked.value.amounts);
  const counted = lines.filter((_, i) => isCounted(readable[i] as Line));
  return totalsOf(counted, "scaled" in discount ? discount.scaled : 0);
}

/**
 * The sum before the discount on everything, and the amount of that discount: as prices are shown, with VAT or without
 * it. Undefined without a discount.
 */
export function discountOf(writing: Writing, { total_gross_cents, total_net_cents }: Totals) {
  const read = readNumber(writing.discount.value, { decimals: 2, max: MAX_PERCENTAGE, empty: 0 });
  const amount = globalAmount(writing);
  if (amount === null && (!("value" in read) || read.value === 0)) return undefined;
  const full = totalsOf(amountLines(writing));
  const withVat = pricesWithVat.value;
  const lines_cents = withVat ? full.total_gross_cents : full.total_net_cents;
  const off_cents = lines_cents - (withVat ? total_gross_cents : total_net_cents);
  return {
    lines_cents,
    off_cents,
    name: amount === null && "value" in read ? percent(read.value) : money(amount ?? 0),
  };
}

/** Whether no line bears tax: on guides and quotations, where none has a price. */
const isUntaxed = ({ type, lines }: Writing): boolean =>
  type.value.untaxed === "unpriced" &&
  lines.value.every(({ checked }) => (checked.value.amounts?.unit_price_micros ?? 0) === 0);

/** Whether a line at 0 % still needs a reason. The program would write that nothing was taxed, which is rarely true. */
export const lacksReason = (writing: Writing, line: Line): boolean =>
  line.rate.value === 0 && line.exemption.value === "" && !usualExemption(writing, line) && !isUntaxed(writing);

/** Whether the rate of a line is not in force at that place and date; a correction keeps the corrected document's. */
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

/** Whether anything is wrong with a line, except the server's refusals: those are asked again. */
const isWrong = (writing: Writing, line: Line): boolean =>
  Object.keys(line.checked.value.problems).length > 0 || lacksReason(writing, line) || isUnlawful(writing, line);

/** The reason that a line at 0 % gets if it has none of its own. */
export function usualExemption(writing: Writing, { start }: Line): string | undefined {
  return reasonInForce([start.usual_exemption, writing.company.default_exemption_code], taxPlaceOf(writing).date);
}

// ——— Receipts ———

export function receiptCents({ references }: Writing): number {
  return references.value.reduce(
    (sum, reference) => sum + signOnReceipt(reference.document.doc_type) * (amountCents(reference) ?? 0),
    0,
  );
}

const AMOUNT = { decimals: 2, max: fromCents(MAX_TOTAL_CENTS), isMoreThanZero: true };

/** What is wrong with the amount of a reference. */
export function amountProblem({ amount }: Reference): string | undefined {
  const read = readNumber(amount.value, AMOUNT);
  return "problem" in read ? read.problem : undefined;
}

export function amountCents({ amount }: Reference): number | undefined {
  const read = readNumber(amount.value, AMOUNT);
  return "scaled" in read ? read.scaled : undefined;
}

// ——— Checks before sending ———

/** What prevents sending the document, in words; undefined if nothing does. */
export function problemWith(writing: Writing, hasSeries: boolean): string | undefined {
  if (!hasSeries) return t.no_series;
  const content = writesReceipt(writing) ? problemOfDebts(writing) : problemOfLines(writing);
  return content ?? problemOfDiscount(writing) ?? problemOfCustomer(writing) ?? problemOfRest(writing);
}

function problemOfDebts({ references }: Writing): string | undefined {
  if (references.value.length === 0) return t.no_references;
  return references.value.some((reference) => amountProblem(reference)) ? t.bad_reference : undefined;
}

function problemOfLines(writing: Writing): string | undefined {
  const lines = writing.lines.value;
  if (lines.length === 0) return t.no_lines;
  const count = lines.filter((line) => isWrong(writing, line)).length;
  if (count === 0) return undefined;
  return count === 1 ? t.bad_line : t.bad_lines({ count });
}

function problemOfDiscount(writing: Writing): string | undefined {
  const problem = discountProblem(writing);
  return problem && `${fieldNames.global_discount_pct}: ${problem}`;
}

function problemOfCustomer({ customer, type }: Writing): string | undefined {
  if (customer.value === undefined) return t.no_customer;
  return isNameless(customer.value) && !type.value.is_simplified ? t.no_name : undefined;
}

function problemOfRest(writing: Writing): string | undefined {
  const { type, references, company } = writing;
  const place = lackingPlace(writing);
  if (place) return place === "from" ? t.no_loading : t.no_unloading;
  if (type.value.must_reference && references.value.length === 0) return t.no_references;
  return problemOfTotal(totalsOfWriting(writing).total_gross_cents, type.value, company);
}

/** What is wrong with a total for this type. */
function problemOfTotal(cents: number, type: DocumentType, { simplified_limit }: Company): string | undefined {
  if (type.cap === "receipt" && cents === 0) return t.no_amounts;
  if (type.is_simplified && simplified_limit !== null && cents > simplified_limit * 100) {
    return t.beyond_simplified({ eur: money(simplified_limit) });
  }
  return cents > MAX_TOTAL_CENTS ? t.too_large : undefined;
}

export function discountProblem(writing: Writing): string | undefined {
  const read = readNumber(writing.discount.value, { decimals: 2, max: MAX_PERCENTAGE, empty: 0 });
  if ("problem" in read) return read.problem;
  const amount = globalAmount(writing);
  const lines = amountLines(writing);
  if (amount === null || lines.length === 0) return undefined;
  const isGross = (line: AmountLine | undefined) => line?.unit_price_gross_micros != null;
  if (lines.some((line) => isGross(line) !== isGross(lines[0]))) return t.unlike_prices({ off: money(amount) });
  return toCents(amount) > mostOff(lines) ? t.discount_exceeds({ off: money(amount) }) : undefined;
}

/** Whether only a tax number is known of the customer, and no record has it. */
export const isNameless = (chosen: Chosen | undefined): chosen is Nameless =>
  typeof chosen === "object" && storedOf(chosen) === undefined;
