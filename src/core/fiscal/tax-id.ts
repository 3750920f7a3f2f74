/** Portuguese tax numbers (NIF): form, prefix and check digit. */

/** The tax number of a customer who gave none: the final consumer (Portaria 302/2016, 2.2.3). */
export const FINAL_CONSUMER = "999999990";

/**
 * Nine digits with a prefix in use: 1 2 3 and 45 persons, 5 companies, 6 public bodies, 70–72 74 75 77–79 estates,
 * funds and foreign companies, 8 old sole traders, 90 91 condominiums, 98 99 non-residents and civil companies.
 */
const NIF = /^(?:[123568]\d|45|7[01245789]|9[0189])\d{7}$/;

/**
 * A tax number as it is stored, or undefined when it is invalid. For Portugal (`PT` in any case, or no country)
 * surrounding spaces and one leading `PT` are dropped, and the rest must be a NIF without spaces or dots. For any other
 * country, free text such as `Portugal` included, the number is kept exactly as given and never invalid.
 */
export function normalTaxId(tax_id: string, country: string | null): string | undefined {
  if (!isPortugal(country)) return tax_id;
  const nif = tax_id.trim().replace(/^PT/i, "");
  return NIF.test(nif) && hasCheckDigit(nif) ? nif : undefined;
}

function isPortugal(country: string | null): boolean {
  return ["", "PT"].includes((country ?? "").trim().toUpperCase());
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
