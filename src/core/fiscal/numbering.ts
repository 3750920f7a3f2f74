/** The number text, the ATCUD, and the forms a series' two codes may have. */

/**
 * A series code: 1 to 20 letters and digits of ASCII, single `.`, `_` or `-` between them, not beginning with `AT` in
 * any case, which the tax authority keeps for itself (decisions.md, "Series"; fiscal-facts.md 3).
 */
export const SERIES_CODE = /^(?![Aa][Tt])(?=.{1,20}$)[A-Za-z0-9](?:[._-]?[A-Za-z0-9])*$/;

/**
 * A validation code as the tax authority gives it for a series: 8 or more of `0-9 A-Z` (Portaria 195/2020, 3). The QR
 * code's ATCUD field carries 70 characters; 8 to 53 leave room for the hyphen and the largest sequence (16 digits).
 */
export const VALIDATION_CODE = /^[0-9A-Z]{8,53}$/;

/**
 * The number of a document as signed, exported and printed: `FT 2026A/17` (SAF-T (PT), InvoiceNo). `at_type` is the
 * code by which the tax authority knows the type, `sequence` counts from 1 in the series.
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
