/** The number of a document, its ATCUD, and the patterns of a series' two codes. */
import { type Day, yearOf } from "./civil-time.ts";
import { atType, DOC_TYPES, type DocType } from "./document-types.ts";

/**
 * A series code: 1 to 20 ASCII letters and digits with single `.`, `_` or `-` between them. It never begins with `AT`,
 * in any case, as the tax authority reserves that (docs/law.md, "Numbers and series codes").
 */
export const SERIES_CODE = /^(?![Aa][Tt])(?=.{1,20}$)[A-Za-z0-9](?:[._-]?[A-Za-z0-9])*$/;

/**
 * The tax authority's validation code for a series: 8 or more of `0-9 A-Z` (Portaria 195/2020, 3). At most 53, so that
 * the hyphen and the largest sequence (16 digits) fit the 70 characters of the QR code's ATCUD field.
 */
export const VALIDATION_CODE = /^[0-9A-Z]{8,53}$/;

/**
 * The number of a document as signed, exported and printed: `FT 2026A/17` (SAF-T (PT), InvoiceNo). `at_type` is the tax
 * authority's code for the type; `sequence` counts from 1 in the series.
 */
export function numberOf(at_type: string, series_code: string, sequence: number): string {
  return `${at_type} ${series_code}/${sequence}`;
}

/** A number taken apart. */
export interface NumberParts {
  readonly doc_type: DocType;
  readonly at_type: string;
  readonly series_code: string;
  readonly sequence: number;
}

/** The parts of a number, or undefined for any other text. */
export function partsOfNumber(number: string): NumberParts | undefined {
  const [, at_type = "", series_code = "", sequence] = /^([A-Z]{2}) ([^ /]{1,20})\/([0-9]{1,15})$/.exec(number) ?? [];
  const doc_type = docTypeOf(at_type);
  if (!doc_type || !SERIES_CODE.test(series_code)) return undefined;
  return { doc_type, at_type, series_code, sequence: Number(sequence) };
}

/** A number as people type it; missing parts are null. */
export interface TypedNumber {
  /** In capitals. */
  readonly at_type: string | null;
  /** In small letters: no two series of a type differ in case alone. */
  readonly code_folded: string | null;
  readonly sequence: number;
}

/**
 * Reads a number as people type it, in capital or small letters: `FT 2026A/17`, `2026a/17`, `ft 17` or `17`. The
 * sequence is always complete: `FT 2026A/1` is document 1, not the beginning of 17. Undefined for any other text.
 */
export function typedNumber(text: string): TypedNumber | undefined {
  const [, type, code, sequence] = /^(?:([a-z]{2}) +)?(?:([^ /]{1,20})\/)?([0-9]{1,15})$/i.exec(text.trim()) ?? [];
  if (sequence === undefined || (code !== undefined && !SERIES_CODE.test(code))) return undefined;
  const at_type = type?.toUpperCase() ?? null;
  if (at_type !== null && docTypeOf(at_type) === undefined) return undefined;
  return { at_type, code_folded: code?.toLowerCase() ?? null, sequence: Number(sequence) };
}

/** The document type whose numbers begin like this. */
export function docTypeOf(at_type: string): DocType | undefined {
  return DOC_TYPES.find((type) => [false, true].some((cash_vat) => atType(type, cash_vat) === at_type));
}

/**
 * The unique code of a document, `CSDF7T5H-17` (Portaria 195/2020, 2), without the printed prefix `ATCUD:`. Null when
 * the series has no validation code.
 */
export function atcudOf(validation_code: string | null, sequence: number): string | null {
  return validation_code === null ? null : `${validation_code}-${sequence}`;
}

/** A year within a series code: four digits from 2022, when AT began to register series, with no digit beside them. */
const YEAR = /(?<!\d)20(?:2[2-9]|[3-9]\d)(?!\d)/g;

/**
 * The year that a series code names: 2026 for `2026A` and `LOJA2-2026`. Null for a code without a year (`A`, `20261`)
 * or with two different ones: such a series has no year, and continues.
 */
export function yearOfCode(series_code: string): number | null {
  const years = new Set(series_code.match(YEAR));
  const [year] = years;
  return years.size === 1 ? Number(year) : null;
}

/** Whether a document of this day is in a series of an earlier year than its own. */
export function isInEarlierYear(series_code: string, issue_date: Day): boolean {
  return (yearOfCode(series_code) ?? Number.POSITIVE_INFINITY) < yearOf(issue_date);
}

/** The same series code in another year: `LOJA2-2027` for `LOJA2-2026`. A code without a year stays as it is. */
export function codeInYear(series_code: string, year: number): string {
  return yearOfCode(series_code) === null ? series_code : series_code.replace(YEAR, String(year));
}

/** A series as people name it: `FT 2026A`. */
export function nameOfSeries({ doc_type, code }: { readonly doc_type: string; readonly code: string }): string {
  return `${doc_type} ${code}`;
}

/** The series within a number: `FT 2026A` of `FT 2026A/17`. */
export function seriesOfNumber(number: string): string {
  return number.slice(0, number.lastIndexOf("/"));
}

/** The series code within a number: `2026A` of `FT 2026A/17`. */
export function codeOfNumber(number: string): string {
  return number.slice(number.indexOf(" ") + 1, number.lastIndexOf("/"));
}

/**
 * The number with which an open build rehearses strict mode: the highest, which AT has not assigned. Its documents say
 * on every page that they are a rehearsal.
 */
export const REHEARSAL_NUMBER = 9_999;
