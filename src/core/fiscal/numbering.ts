/** The number of a document, its ATCUD, and the patterns of a series' two codes. */

/**
 * A series code: 1 to 20 ASCII letters and digits with single `.`, `_` or `-` between them. It never begins with `AT`,
 * in any case, as the tax authority reserves that (docs/law.md, "Numbers and series codes").
 */
export const SERIES_CODE = /^(?![Aa][Tt])(?=.{1,20}$)[A-Za-z0-9](?:[._-]?[A-Za-z0-9])*$/;

/**
 * The validation code the tax authority gives a series: 8 or more of `0-9 A-Z` (Portaria 195/2020, 3). At most 53, so
 * that the hyphen and the largest sequence (16 digits) fit the 70 characters of the QR code's ATCUD field.
 */
export const VALIDATION_CODE = /^[0-9A-Z]{8,53}$/;

/**
 * The number of a document as signed, exported and printed: `FT 2026A/17` (SAF-T (PT), InvoiceNo). `at_type` is the tax
 * authority's code for the type; `sequence` counts from 1 in the series.
 */
export function numberOf(at_type: string, series_code: string, sequence: number): string {
  return `${at_type} ${series_code}/${sequence}`;
}

/**
 * The unique code of a document, `CSDF7T5H-17` (Portaria 195/2020, 2), without the printed prefix `ATCUD:`. Null when
 * the series has no validation code.
 */
export function atcudOf(validation_code: string | null, sequence: number): string | null {
  return validation_code === null ? null : `${validation_code}-${sequence}`;
}
