/** Tax numbers of companies, none twice. */

let nifs = 0;

/** A NIF of a company that no other call gives: an installation takes one company of each. */
export function aNif(): string {
  nifs++;
  const digits = String(51_000_000 + (nifs % 900_000));
  const sum = [...digits].reduce((sum, digit, i) => sum + Number(digit) * (9 - i), 0);
  const rest = 11 - (sum % 11);
  return `${digits}${rest > 9 ? 0 : rest}`;
}
