/** The warnings of an export: for a person to look at before sending the file. */
import * as z from "zod";
import type { Row } from "../../database/tables.ts";
import type { CustomerSnapshot } from "../../documents/document.ts";
import { parseCustomer, parseTransport } from "../../documents/frozen.ts";
import { civilDate, type Day, monthOf } from "../../fiscal/civil-time.ts";
import { countryCode, UNKNOWN_COUNTRY } from "../../fiscal/countries.ts";
import { lastDayToInvoice, lastDayToInvoiceAbroad } from "../../fiscal/deadlines.ts";
import { DOCUMENT_TYPES, isReceipt, salesSign } from "../../fiscal/document-types.ts";
import { exemptionOf, NO_REASON, unmetDemand } from "../../fiscal/exemptions.ts";
import { sumOfCents } from "../../fiscal/money.ts";
import { codeOfNumber, isInEarlierYear, seriesOfNumber } from "../../fiscal/numbering.ts";
import { CASH, CASH_LIMIT_CENTS } from "../../fiscal/payment-means.ts";
import { meets } from "../../fiscal/tax-id.ts";
import { readsLikeWithholding } from "../../fiscal/withholding.ts";
import { SAFT_WARNINGS } from "../../texts/saft.ts";
import { isInCodePage } from "../windows-1252.ts";
import { TAXES_PER_CENT, taxDifference } from "./amounts.ts";
import { textIndex } from "./columns.ts";
import type { ExportedLine } from "./lines.ts";
import type { ExportedDocument, ReferencedDocument } from "./types.ts";

type WarningCode = keyof typeof SAFT_WARNINGS;

/** Examples kept per warning. */
const EXAMPLES = 10;

export const SaftWarning = z.strictObject({
  code: z.enum(Object.keys(SAFT_WARNINGS) as [WarningCode, ...WarningCode[]]),
  message: z.string(),
  count: z.int(),
  examples: z.array(z.string()).describe("The first few: numbers of documents, series, codes of customers."),
  more: z.int().describe("How many more there are to look at than these examples."),
});

/** Collects warnings in memory that does not grow with their number. */
export interface Warnings {
  /** Adds `count` to a warning; `example` is kept while there are few. */
  warn(code: WarningCode, example: string, count?: number): void;
  list(): z.output<typeof SaftWarning>[];
}

/** An empty collection. */
export function newWarnings(): Warnings {
  const found = new Map<WarningCode, { count: number; examples: string[]; more: number; latest: string }>();
  return {
    warn(code, example, count = 1) {
      const warning = found.get(code) ?? { count: 0, examples: [], more: 0, latest: "" };
      warning.count += count;
      if (example !== warning.latest && warning.examples.length < EXAMPLES) warning.examples.push(example);
      else if (example !== warning.latest) warning.more++;
      warning.latest = example;
      found.set(code, warning);
    },
    list: () =>
      Array.from(found, ([code, { latest: _, ...rest }]) => ({ code, message: SAFT_WARNINGS[code].in("en"), ...rest })),
  };
}

/** Warns of the texts of the header that must be written with other letters. */
export function warnAboutCompany({ name, address, city, postal_code }: Row<"companies">, warnings: Warnings): void {
  warnOfReplaced([name, address, city, postal_code], "Header", warnings);
}

/** Warns about the entry `id` of a customer: once for each snapshot, however many documents carry it. */
export function customerWarnings(warnings: Warnings) {
  const warned = textIndex();
  return (id: string, { country, ...customer }: CustomerSnapshot, snapshot: string): void => {
    const texts = [customer.name, customer.tax_id, customer.address, customer.postal_code, customer.city];
    const isUnknown = countryCode(country) === UNKNOWN_COUNTRY;
    const known = warned.size();
    if ((!isUnknown && countReplaced(texts) === 0) || warned.indexOf(snapshot) < known) return;
    if (isUnknown) warnings.warn("country_unknown", id);
    warnOfReplaced(texts, id, warnings);
  };
}

/** Facts about a document that the file does not show but warnings need. */
export interface Surroundings {
  /** The day from which the document's series counts. */
  readonly began: Day;
  readonly time_zone: string;
  /** Cents paid in cash on it, as far as recorded. */
  readonly cash_cents: number;
  /** Whether a finding of `verify` about it was answered for. */
  readonly is_answered_for: boolean;
}

/** A document, its lines as the file shows them, and its surroundings. */
interface Told extends ExportedDocument, Surroundings {
  readonly exported: readonly ExportedLine[];
}

/** When each warning of one document is given, its number being the example. */
const OF_DOCUMENT: Partial<Record<WarningCode, (told: Told) => boolean>> = {
  dated_before_series: ({ row, began }) => row.issue_date < began,
  series_of_earlier_year: ({ row }) => isInEarlierYear(codeOfNumber(row.number), row.issue_date),
  receipt_without_origin: ({ row, references }) => references.length === 0 && isReceipt(row),
  correction_without_reference: ({ row, references }) =>
    references.length === 0 && DOCUMENT_TYPES[row.doc_type].corrects,
  exemption_by_default: ({ row, exported }) =>
    row.certificate_number === 0 && exported.some(({ tax }) => tax?.exemption_code === NO_REASON),
  rate_not_lawful: ({ exported }) => exported.some(({ tax }) => tax?.tax_code === "OUT"),
  tax_differs: ({ row, exported }) => taxDifference(row.total_tax_cents, exported) > TAXES_PER_CENT,
  // Lisbon's day is compared first: converting an instant to another zone costs much more.
  backdated: ({ row, time_zone }) =>
    row.issue_date < row.system_entry_date.slice(0, 10) && row.issue_date < civilDate(row.issued_at, time_zone),
  changed_outside: ({ is_answered_for }) => is_answered_for,
  issued_late: (told) => isLive(told) && isIssuedLate(told),
  exemption_unlike_customer: (told) => isLive(told) && salesSign(told.row.doc_type) > 0 && hasUnmetDemand(told),
  means_incomplete: ({ row, payments }) =>
    row.status === "issued" &&
    DOCUMENT_TYPES[row.doc_type].paid_by_nature &&
    sumOfCents(payments) < row.total_gross_cents,
  cash_above_limit: (told) => isLive(told) && cashOf(told) >= CASH_LIMIT_CENTS,
  paid_before_supply: ({ row, references, payments }) =>
    isReceipt(row) &&
    references.length > 0 &&
    payments.some(({ payment_date }) => references.every(isAfter(payment_date))),
  withholding_as_line: ({ lines }) => lines.some(({ description }) => readsLikeWithholding(description)),
};

const TESTS = Object.entries(OF_DOCUMENT) as [WarningCode, (told: Told) => boolean][];

const isLive = ({ row }: Told) => row.status === "issued";

const cashOf = ({ row, payments, cash_cents }: Told) =>
  isReceipt(row) ? sumOfCents(payments.filter(({ method_code }) => method_code === CASH)) : cash_cents;

const isAfter = (date: Day) => (reference: ReferencedDocument) =>
  reference.issue_date > date && (reference.supply_date ?? reference.issue_date) > date;

/** An invoice of one month counts from the last supply: it may be a global invoice. */
function isIssuedLate({ row, lines, exported }: Told): boolean {
  const { doc_type, issue_date, supply_date } = row;
  if (salesSign(doc_type) <= 0 || DOCUMENT_TYPES[doc_type].corrects) return false;
  const dates = lines.map((line) => line.supply_date ?? supply_date ?? issue_date).toSorted();
  const [first = issue_date, last = first] = [dates[0], dates.at(-1)];
  const supplied = monthOf(first) === monthOf(last) ? last : first;
  if (supplied >= issue_date) return false;
  const isAbroad =
    exported.every(({ tax }) => tax?.exemption_code === "M40") &&
    meets("number_of_other_state", parseCustomer(row.customer));
  return issue_date > (isAbroad ? lastDayToInvoiceAbroad : lastDayToInvoice)(supplied);
}

function hasUnmetDemand({ row, exported }: Told): boolean {
  return exported.some(({ tax }) => {
    const reason = exemptionOf(tax?.exemption_code ?? "");
    return reason?.demands != null && unmetDemand(reason, parseCustomer(row.customer)) !== null;
  });
}

/** Warns about a document, its lines as the file shows them included. */
export function warnAboutDocument(
  document: ExportedDocument,
  exported: readonly ExportedLine[],
  surroundings: Surroundings,
  warnings: Warnings,
): void {
  const { row, lines, references } = document;
  const { warn } = warnings;
  const series = seriesOfNumber(row.number);
  if (row.certificate_number === 0 && row.training === 0) warn("not_certified", series);
  if (row.atcud === null && row.training === 0) warn("without_atcud", series);
  const told = { ...document, ...surroundings, exported };
  for (const [code, isGiven] of TESTS) if (isGiven(told)) warn(code, row.number);
  const transport = row.transport === null ? null : parseTransport(row.transport);
  const places = [transport?.from, transport?.to].filter((place) => place != null);
  const isCountryUnknown = places.some(({ country }) => countryCode(country ?? null) === UNKNOWN_COUNTRY);
  if (isCountryUnknown) warn("country_unknown", row.number);
  const texts = [
    row.cancel_reason,
    ...lines.flatMap((line) => [line.description, line.unit, line.product_code, line.product_name]),
    ...references.map(({ reason }) => reason),
    ...places.flatMap(({ address, city, postal_code }) => [address, city, postal_code]),
  ];
  warnOfReplaced(texts, row.number, warnings);
}

type Texts = readonly (string | null | undefined)[];

function warnOfReplaced(texts: Texts, example: string, { warn }: Warnings): void {
  const replaced = countReplaced(texts);
  if (replaced > 0) warn("text_replaced", example, replaced);
}

/** How many of the texts have characters that the code page lacks. */
function countReplaced(texts: Texts): number {
  return texts.filter((text) => text != null && !isInCodePage(text)).length;
}
