/**
 * Exact decimals. Inside Lacre a decimal is an integer with a known scale: cents (2), basis points (2), micros (6).
 * JSON numbers enter through `scaled` and leave through `unscaled`; nowhere else is money a binary fraction.
 */

/** The text `String()` gives for a finite double: `12.5`, `1e-7`, `1.5e+21`. */
const DECIMAL = /^(-?\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/;

/**
 * Reads a JSON number as the exact integer `value × 10^decimals`. A double counts as its shortest decimal (the one JSON
 * writes), so 0.1 is one tenth. Undefined when the value has more decimals than that, when the integer is not safe
 * (2^53 and beyond), and for NaN and infinities. Nothing is rounded.
 */
export function scaled(value: number, decimals: number): number | undefined {
  const match = DECIMAL.exec(String(value));
  if (!match) return undefined;
  const [, whole = "", fraction = "", exponent = "0"] = match;
  // The shortest decimal has no trailing zeros after its point, so a negative count means digits would be lost.
  const zeros = decimals + Number(exponent) - fraction.length;
  if (zeros < 0) return undefined;
  // `Number` reads digits exactly up to 2^53, and never reads a larger number as a safe integer.
  const integer = Number(whole + fraction + "0".repeat(zeros));
  return Number.isSafeInteger(integer) ? integer : undefined;
}

/**
 * The number of digits in the shortest decimal of a finite double, without zeros at either end: 1 for 1000 and 0.001,
 * 0 for 0. Up to 15 digits a double is the decimal its sender wrote; from 16 on it may differ unseen, and is refused.
 */
export function significantDigits(value: number): number {
  const [mantissa = ""] = String(Math.abs(value)).split("e");
  const digits = mantissa.replace(".", "").replace(/^0+/, "");
  let end = digits.length;
  while (digits[end - 1] === "0") end--;
  return end;
}

/**
 * The JSON number for a stored integer: the double nearest to `integer
 * 10^decimals`, with 0 to 15 decimals. Both operands are exact and IEEE 754 rounds their quotient correctly, so it is
 * the double that parsing the decimal gives. Stored values have at most 15 significant digits, and no two such decimals
 * share a double, so JSON writes exactly that decimal.
 */
export function unscaled(integer: number, decimals: number): number {
  return integer / 10 ** decimals;
}

/** EUR to integer cents. Throws RangeError for more than 2 decimals, which the API's fields have already refused. */
export const toCents = (eur: number): number => mustScale(eur, 2);
/** Integer cents to EUR. */
export const fromCents = (cents: number): number => unscaled(cents, 2);

/** The sum of amounts, in cents; null counts as 0. */
export function sumOfCents(amounts: readonly { readonly amount_cents: number | null }[]): number {
  return amounts.reduce((sum, { amount_cents }) => sum + (amount_cents ?? 0), 0);
}

/** A quantity or unit price to integer micros. Throws RangeError for more than 6 decimals. */
export const toMicros = (value: number): number => mustScale(value, 6);
/** Integer micros to a quantity or unit price. */
export const fromMicros = (micros: number): number => unscaled(micros, 6);

/** A percentage to integer basis points. Throws RangeError for more than 2 decimals. */
export const toBps = (percentage: number): number => mustScale(percentage, 2);
/** Integer basis points to a percentage. */
export const fromBps = (bps: number): number => unscaled(bps, 2);

function mustScale(value: number, decimals: number): number {
  const integer = scaled(value, decimals);
  if (integer === undefined) throw new RangeError(`${value} has more than ${decimals} decimals or is too large.`);
  return integer;
}

/**
 * The only rounding: the integer nearest to `numerator / denominator`, with a half rounded up. `numerator` must be at
 * least 0, as amounts in Lacre always are (a credit is a document type), and `denominator` at least 1.
 */
export function halfUp(numerator: bigint, denominator: bigint): bigint {
  return (2n * numerator + denominator) / (2n * denominator);
}

/**
 * Cents as text with a point and two decimals: `12.30`, `0.00`. This same text is signed, exported and put in the QR
 * code (Despacho 8632/2014, 2.1.7 and 2.6.7). Throws RangeError for anything but a safe integer.
 */
export function formatCents(cents: number): string {
  if (!Number.isSafeInteger(cents)) throw new RangeError(`${cents} is not an amount in whole cents.`);
  return decimalText(cents, 2, 2);
}

/** `integer / 10^decimals` as text: `0.45144`, `100`. Zeros at the end are dropped beyond `least` decimals: `12.30`. */
export function decimalText(integer: number | bigint, decimals: number, least = 0): string {
  const sign = integer < 0 ? "-" : "";
  // A bigint saves memory: docs/architecture.md, "The tax file in two passes".
  const digits = String(BigInt(integer))
    .slice(sign.length)
    .padStart(decimals + 1, "0");
  const point = digits.length - decimals;
  let end = digits.length;
  while (end > point + least && digits[end - 1] === "0") end--;
  const whole = sign + digits.slice(0, point);
  return end === point ? whole : `${whole}.${digits.slice(point, end)}`;
}
