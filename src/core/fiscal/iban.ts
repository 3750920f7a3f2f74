/** IBAN: the international number of a bank account (ISO 13616). */

/** A country, check digits from 02 to 98, and a national number of at least 11 and at most 30 characters. */
const IBAN = /^[A-Z]{2}(?:0[2-9]|[1-8]\d|9[0-8])[A-Z0-9]{11,30}$/;

/** The length of Portuguese ones. */
const OF_PORTUGAL = 25;

/**
 * An IBAN as it is stored, in capitals and without spaces; undefined if it is invalid. With the first four characters
 * moved to its end and each letter as a number from A = 10, it is 1 modulo 97 (ISO 7064).
 */
export function normalIban(given: string): string | undefined {
  const iban = given.replaceAll(/\s/g, "").toUpperCase();
  if (!IBAN.test(iban) || (iban.startsWith("PT") && iban.length !== OF_PORTUGAL)) return undefined;
  const digits = Array.from(iban.slice(4) + iban.slice(0, 4), (character) => Number.parseInt(character, 36)).join("");
  return BigInt(digits) % 97n === 1n ? iban : undefined;
}

/** An IBAN as people read it, in groups of four. */
export const spacedIban = (iban: string): string => iban.replaceAll(/.{4}(?=.)/g, "$& ");
