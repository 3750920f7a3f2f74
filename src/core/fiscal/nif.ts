/** The Portuguese tax number (NIF): its form, prefix and check digit. */

/**
 * Nine digits with a prefix in use: 1 2 3 and 45 persons, 5 companies, 6 public bodies, 70–72 74 75 77–79 estates,
 * funds and foreign companies, 8 old sole traders, 90 91 condominiums, 98 99 non-residents and civil companies.
 */
const NIF = /^(?:[123568]\d|45|7[01245789]|9[0189])\d{7}$/;

/**
 * The nine digits of a NIF, or undefined if it is none: surrounding spaces and one leading `PT` are dropped, and the
 * rest must have a prefix in use and the right check digit. Whether anybody has that number, only the tax authority
 * knows.
 *
 * ```ts
 * import { nifOf } from "lacre/totals";
 *
 * nifOf("PT501442600"); // => "501442600"
 * nifOf("501442601"); // => undefined
 * ```
 */
export function nifOf(text: string): string | undefined {
  const nif = text.trim().replace(/^PT/i, "");
  return NIF.test(nif) && hasCheckDigit(nif) ? nif : undefined;
}

/**
 * The first eight digits are weighted 9 to 2 and summed. The ninth is 11 minus the sum modulo 11, or 0 where that gives
 * 10 or 11.
 */
function hasCheckDigit(nif: string): boolean {
  const digits = Array.from(nif, Number);
  const check = digits.pop();
  const remainder = digits.reduce((sum, digit, index) => sum + digit * (9 - index), 0) % 11;
  return check === (remainder < 2 ? 0 : 11 - remainder);
}
