/**
 * The content of a printed document, as words and amounts in reading order. The A4 page (header.ts, lines.ts,
 * totals.ts) and the receipt (receipt.ts) show the same facts and differ only in layout.
 */
import { hashCharacters } from "../fiscal/chain.ts";
import { entryTime } from "../fiscal/civil-time.ts";
import { DOCUMENT_TYPES, isReceipt } from "../fiscal/document-types.ts";
import { EXEMPTIONS } from "../fiscal/exemptions.ts";
import { cashCents } from "../fiscal/payment-means.ts";
import { FINAL_CONSUMER, FINAL_CONSUMER_NAME } from "../fiscal/tax-id.ts";
import { lineGrossInCents, lineNet, netInCents, totalsOf, withoutDiscount, withoutShare } from "../fiscal/totals.ts";
import { amount, date, dateTime, euros, percentage, price } from "../texts/format.ts";
import type { Lang } from "../texts/languages.ts";
import { countryName, paymentName, rateName, regionName, type Words } from "./labels.ts";
import type { PrintableAddress, PrintableCustomer, PrintableDocument, PrintableLine } from "./printable.ts";
import { isDelivery, isTaxed, showsGrossPrices } from "./traits.ts";

/** A document in the words of one language. */
export interface Told extends Words {
  readonly document: PrintableDocument;
  /** The cash that the customer handed over, for this print alone; null if unknown. */
  readonly cash_given_cents: number | null;
}

/** A label and its text. */
export type LabelledText = readonly [label: string, text: string];

const withText = (row: readonly [string, string | null]): row is LabelledText => Boolean(row[1]);

// ——— Above the lines ———

/** The issuer's name; on training documents that of the program's producer. */
export const issuerName = ({ training, producer, issuer }: PrintableDocument): string =>
  training ? producer.name : issuer.name;

/** The issuer's address and tax number; on training documents the producer's number alone. */
export function issuerLines({ document, ...words }: Told): string[] {
  const { training, issuer, producer } = document;
  return training ? [taxIdLine(producer, words)] : companyLines(issuer, words);
}

/** A company's address and tax number. */
export const companyLines = (company: PrintableAddress & { readonly tax_id: string }, words: Words): string[] => [
  ...addressLines(company, words.lang),
  taxIdLine(company, words),
];

const taxIdLine = ({ tax_id }: { readonly tax_id: string }, { labels }: Words) => `${labels.tax_id} ${tax_id}`;

/** When, in Lisbon wall time, and why the document was cancelled; null if it was not. */
export function cancellation({ document, labels, lang }: Told): string | null {
  const { status, cancelled_at, cancel_reason } = document;
  if (status !== "cancelled") return null;
  const when = cancelled_at === null ? "" : ` ${dateTime(entryTime(cancelled_at), lang)}`;
  return [`${labels.cancelled_at}${when}`, cancel_reason].filter(Boolean).join(" · ");
}

/** The customer's name; null if the line of the tax number says all that is known of them. */
export function customerName(customer: PrintableCustomer): string | null {
  const isNamed = customer.name.toLowerCase() !== FINAL_CONSUMER_NAME.toLowerCase();
  return isNamed || isKnown(customer.tax_id) ? customer.name : null;
}

/** The customer's address and tax number; words replace an unknown number (Despacho 8632/2014, 2.2.5). */
export function customerLines(customer: PrintableCustomer, { labels, lang }: Words): string[] {
  const tax_id = isKnown(customer.tax_id) ? customer.tax_id : FINAL_CONSUMER_NAME;
  return [...addressLines(customer, lang), `${labels.tax_id} ${tax_id}`];
}

/** The customer's address and tax number on a paper that is no document, which leaves out an unknown number. */
export function accountLines(customer: PrintableCustomer, words: Words): string[] {
  const { tax_id } = customer;
  return [...addressLines(customer, words.lang), ...(isKnown(tax_id) ? [taxIdLine({ tax_id }, words)] : [])];
}

const isKnown = (tax_id: string | null): tax_id is string => tax_id !== null && tax_id !== FINAL_CONSUMER;

/** An address with more lines than this is written as one text, its lines joined by commas, to save height. */
const MAX_PLACE_LINES = 4;

function compactLines(text: string | null): string {
  const lines = (text ?? "").split(/[\r\n]+/).filter((line) => line.trim() !== "");
  return lines.join(lines.length > MAX_PLACE_LINES ? ", " : "\n");
}

/** Street; postal code and city; the country by its name, unless it is Portugal. */
function addressLines({ address, postal_code, city, country }: PrintableAddress, lang: Lang): string[] {
  const isAbroad = country !== null && !["PT", "PORTUGAL"].includes(country.trim().toUpperCase());
  const town = [postal_code, city].filter(Boolean).join(" ");
  return [compactLines(address), town, isAbroad ? countryName(country, lang) : ""].filter(Boolean);
}

/**
 * The dates and codes of the document. Its time of entry is among them on deliveries, and `withTime` on all: beside the
 * date of issue if that is the same day.
 */
export function dateRows({ document, labels, lang }: Told, withTime: boolean): LabelledText[] {
  const { issue_date, system_entry_date } = document;
  const isBeside = withTime && system_entry_date.startsWith(issue_date);
  const isBelow = !isBeside && (withTime || isDelivery(document));
  const rows: readonly (readonly [string, string | null])[] = [
    [labels.issue_date, isBeside ? dateTime(system_entry_date, lang) : date(issue_date, lang)],
    [labels.entry_date, isBelow ? dateTime(system_entry_date, lang) : null],
    [labels.supply_date, document.supply_date && date(document.supply_date, lang)],
    [labels.due_date, document.due_date && date(document.due_date, lang)],
    [labels.valid_until, document.valid_until && date(document.valid_until, lang)],
    [labels.customer_code, document.customer.code],
    [labels.issued_by, document.issued_by],
    [labels.at_doc_code, document.at_doc_code],
  ];
  return rows.filter(withText);
}

/** The origin, destination, time and vehicle of a transport. */
export function transportRows({ document, labels, lang }: Told): LabelledText[] {
  const { transport } = document;
  if (!transport) return [];
  const rows: readonly (readonly [string, string | null])[] = [
    [labels.loading, addressLines(transport.from, lang).join("\n")],
    [labels.unloading, addressLines(transport.to, lang).join("\n")],
    [labels.start, dateTime(transport.start_at, lang)],
    [labels.end, transport.end_at && dateTime(transport.end_at, lang)],
    [labels.vehicle, transport.vehicle],
  ];
  return rows.filter(withText);
}

/** A text and its amount, if any. */
export interface Item {
  readonly text: string;
  readonly cents: number | null;
}

/** The label of the documents that this one refers to. */
export function referencesLabel({ document, labels }: Told): string {
  if (isReceipt(document)) return labels.settled;
  return DOCUMENT_TYPES[document.doc_type].corrects ? labels.corrected : labels.origin;
}

/** The documents that this one refers to. */
export const referenceItems = ({ document, lang }: Told): Item[] =>
  document.references.map(({ number, issue_date, reason, amount_cents }) => ({
    text: [number, issue_date && date(issue_date, lang), reason].filter(Boolean).join("  ·  "),
    cents: amount_cents,
  }));

// ——— The lines ———

/** The date of supply of a line, if it differs from the document's. */
function suppliedOn({ supply_date }: PrintableLine, { document, labels, lang }: Told): string | null {
  if (supply_date === null || supply_date === (document.supply_date ?? document.issue_date)) return null;
  return `${labels.supply_date}: ${date(supply_date, lang)}`;
}

/** The description, the product's name unless the description contains it, and the code if it has no column. */
export function descriptionOf(told: Told, line: PrintableLine, hasCodeColumn: boolean): string {
  const { description, product_name, product_code } = line;
  const name = product_name && !description.includes(product_name) ? product_name : null;
  return [description, name, hasCodeColumn ? null : product_code, suppliedOn(line, told)].filter(Boolean).join("\n");
}

/** The unit price as the document shows prices: without VAT, or with it. */
export function unitPrice({ document, lang }: Told, { unit_price_micros, unit_price_gross_micros }: PrintableLine) {
  return price((showsGrossPrices(document) && unit_price_gross_micros) || unit_price_micros, lang);
}

/** A line's amount in cents, after its own discount and before the global one; without VAT, or with it. */
export function lineCents(document: PrintableDocument, line: PrintableLine): number {
  const own = withoutShare(line);
  return showsGrossPrices(document) ? lineGrossInCents(own, 0) : netInCents(lineNet(own, 0));
}

/**
 * A line's own discount: its percentage, or its amount as the document shows prices, so that quantity × price less it
 * is the line's amount. Empty for none.
 */
export function lineDiscount({ document, lang }: Told, line: PrintableLine): string {
  if (line.discount_bps > 0) return percentage(line.discount_bps, lang);
  if (line.discount_cents === null) return "";
  return euros(lineCents(document, withoutDiscount(line)) - lineCents(document, line), lang);
}

/** The rate of a line, after the reason if it bears no tax: `M07  0 %`. */
export const lineRate = ({ lang }: Told, { exemption_code, tax_rate_bps }: PrintableLine): string =>
  `${exemption_code ? `${exemption_code}\u00a0\u00a0` : ""}${percentage(tax_rate_bps, lang)}`;

// ——— Below the lines ———

/** Tax by rate, from the same groups as the totals; the law requires base and tax of each rate. */
export function summaryRows({ document, lang }: Told): (readonly [name: string, ...numbers: string[]])[] {
  const { groups } = totalsOf(document.lines, document.global_discount_bps);
  const taxed = groups.filter(({ tax_code }) => tax_code !== "");
  // Regions stay in order of appearance; rates ascend within a region.
  const sorted = taxed.toSorted((a, b) => (a.tax_region === b.tax_region ? a.tax_rate_bps - b.tax_rate_bps : 0));
  return sorted.map((group) => [
    `${regionName(group.tax_region, lang)} · ${rateName(group.tax_code, lang)}`,
    percentage(group.tax_rate_bps, lang),
    amount(group.net_cents, lang),
    amount(group.tax_cents, lang),
  ]);
}

/** The exemption reasons in use, each with the code that its lines show. */
export function reasonsOf({ document }: Told): string[] {
  const used = new Set(isTaxed(document) ? document.lines.map((line) => line.exemption_code) : []);
  return EXEMPTIONS.filter(({ code }) => used.has(code)).map(({ code, mention }) => `${code}   ${mention}`);
}

/** Whether cash VAT is mentioned. */
export const mentionsCashVat = ({ document }: Told): boolean => document.issuer.cash_vat && !isDelivery(document);

/** The rows above the total, and the total. */
export interface TotalRows {
  readonly rows: readonly LabelledText[];
  readonly total: LabelledText;
}

/** Every step from the sum of the printed lines to the total, so that a reader who adds them up gets the same. */
export function totalRows({ document, labels, lang }: Told): TotalRows {
  const { lines, total_net_cents, total_tax_cents, total_gross_cents } = document;
  const isGross = showsGrossPrices(document);
  const centsOf = (sums: { readonly total_net_cents: number; readonly total_gross_cents: number }) =>
    isGross ? sums.total_gross_cents : sums.total_net_cents;
  const sum = lines.reduce((cents, line) => cents + lineCents(document, line), 0);
  const full = centsOf(totalsOf(lines.map(withoutShare)));
  const end = centsOf(document);
  const steps: (readonly [string, number])[] = [];
  if (sum !== end) steps.push([labels.sum, sum]);
  if (full !== sum) steps.push([labels.rounding, full - sum]);
  const discount = globalDiscount({ document, labels, lang });
  if (discount !== null) steps.push([discount, end - full]);
  if (isTaxed(document)) steps.push([labels.total_net, total_net_cents], [labels.total_tax, total_tax_cents]);
  return {
    rows: steps.map(([label, cents]) => [label, amount(cents, lang)]),
    total: [`${isReceipt(document) ? labels.received : labels.total} (EUR)`, amount(total_gross_cents, lang)],
  };
}

/**
 * The name of the discount on all lines: with its percentage, or with its amount where what it takes off the printed
 * prices is another. Null for none.
 */
function globalDiscount({ document, labels, lang }: Omit<Told, "cash_given_cents">): string | null {
  const { lines, global_discount_bps, global_discount_cents } = document;
  if (global_discount_bps > 0) return `${labels.global_discount} ${percentage(global_discount_bps, lang)}`;
  if (global_discount_cents === null) return null;
  const isWithVat = lines.some((line) => line.unit_price_gross_micros !== null) && !showsGrossPrices(document);
  if (!isWithVat) return labels.global_discount;
  return `${labels.global_discount} (${euros(global_discount_cents, lang)} ${labels.with_vat})`;
}

/** What stands over the payments: on a credit note they are refunds. */
export function paymentsHeading({ document: { doc_type }, labels }: Pick<Told, "document" | "labels">): string {
  return DOCUMENT_TYPES[doc_type].takes_refunds_at_issue ? labels.refunds : labels.payments;
}

/** The payments; then, if known, the cash handed over and the change. */
export function paymentItems({ document: { payments }, cash_given_cents, labels, lang }: Told): Item[] {
  const paid = payments.map(({ amount_cents, method_code, payment_date }) => ({
    text: `${paymentName(method_code, lang)}  ·  ${date(payment_date, lang)}`,
    cents: amount_cents,
  }));
  if (cash_given_cents === null) return paid;
  return [
    ...paid,
    { text: labels.cash_given, cents: cash_given_cents },
    { text: labels.change, cents: cash_given_cents - cashCents(payments) },
  ];
}

/**
 * Four characters of the signature and the certificate's number (Despacho 8632/2014, 2.2), or that there is no
 * certificate.
 */
export function certificate({ document, labels }: Told): string {
  const { certificate_number, hash } = document;
  if (certificate_number === 0) return labels.uncertified;
  const program = `por programa certificado n.º ${String(certificate_number).padStart(4, "0")}/AT`;
  if (isReceipt(document)) return `Emitido ${program}`;
  return `${hashCharacters(hash)}-Processado ${program}`;
}
