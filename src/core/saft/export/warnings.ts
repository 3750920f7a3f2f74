/** The warnings of an export: for a person to look at before sending the file. */
import * as z from "zod";
import type { Row } from "../../database/tables.ts";
import type { CustomerSnapshot } from "../../documents/document.ts";
import { parseTransport } from "../../documents/frozen.ts";
import { countryCode, UNKNOWN_COUNTRY } from "../../fiscal/countries.ts";
import { DOCUMENT_TYPES, isReceipt } from "../../fiscal/document-types.ts";
import { NO_REASON } from "../../fiscal/exemptions.ts";
import { codeOfNumber, isInEarlierYear, seriesOfNumber } from "../../fiscal/numbering.ts";
import { isInCodePage } from "../windows-1252.ts";
import { TAXES_PER_CENT, taxDifference } from "./amounts.ts";
import { textIndex } from "./columns.ts";
import type { ExportedLine } from "./lines.ts";
import type { ExportedDocument } from "./types.ts";

/** Every warning an export may give, with its sentence. */
const WARNINGS = {
  not_certified:
    "Documents of a program without a certificate number: the law obliges most businesses to use a certified one.",
  without_atcud: "Documents of series without a validation code of AT; their ATCUD is 0.",
  exemption_by_default: "Documents with lines at 0 % and the exemption code M99, because no reason was given.",
  receipt_without_origin: "Receipts that reference no document; their OriginatingON is Desconhecido.",
  correction_without_reference: "Credit or debit notes that do not reference the document they correct.",
  correction_without_line:
    "Credit notes with lines that name neither a line nor a product of what they correct: no quantity was compared.",
  dated_before_series: "Documents dated before the day their series was registered or, without a code, opened.",
  series_of_earlier_year: "Documents in a series of an earlier year than their own.",
  country_unknown: "Customers and places whose country is not an ISO code; the file has Desconhecido instead.",
  rate_not_lawful: "Documents with lines at a rate of VAT that was none of their region's on that day.",
  tax_differs: "Documents whose tax differs from the sum of the taxes of their lines by more than 0.01.",
  text_replaced: "Texts with characters that Windows-1252 lacks; the file has similar letters, or ?, instead.",
} as const;

type WarningCode = keyof typeof WARNINGS;

/** Examples kept per warning. */
const EXAMPLES = 10;

export const SaftWarning = z.strictObject({
  code: z.enum(Object.keys(WARNINGS) as [WarningCode, ...WarningCode[]]),
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
    list: () => Array.from(found, ([code, { latest: _, ...rest }]) => ({ code, message: WARNINGS[code], ...rest })),
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

/**
 * Warns about a document, its lines as the file shows them included; `began` is the day from which its series counts.
 */
export function warnAboutDocument(
  { row, lines, references }: ExportedDocument,
  exported: readonly ExportedLine[],
  began: string,
  warnings: Warnings,
): void {
  const { warn } = warnings;
  const series = seriesOfNumber(row.number);
  if (row.certificate_number === 0 && row.training === 0) warn("not_certified", series);
  if (row.atcud === null && row.training === 0) warn("without_atcud", series);
  if (row.issue_date < began) warn("dated_before_series", row.number);
  if (isInEarlierYear(codeOfNumber(row.number), row.issue_date)) warn("series_of_earlier_year", row.number);
  if (references.length === 0 && isReceipt(row)) warn("receipt_without_origin", row.number);
  if (references.length === 0 && DOCUMENT_TYPES[row.doc_type].corrects)
    warn("correction_without_reference", row.number);
  const isByDefault = row.certificate_number === 0 && exported.some(({ tax }) => tax?.exemption_code === NO_REASON);
  if (isByDefault) warn("exemption_by_default", row.number);
  if (exported.some(({ tax }) => tax?.tax_code === "OUT")) warn("rate_not_lawful", row.number);
  if (taxDifference(row.total_tax_cents, exported) > TAXES_PER_CENT) warn("tax_differs", row.number);
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
