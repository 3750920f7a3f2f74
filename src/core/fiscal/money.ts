/**
 * Exact decimals. Inside Lacre a decimal is an integer with a known scale: cents (2), basis points (2), micros (6).
 * JSON numbers enter by `scaled` and leave by `unscaled`; nowhere else does money meet a binary fraction.
 */

/** What `String()` prints for a finite double: `12.5`, `1e-7`, `1.5e+21`. */
const DECIMAL = /^(-?\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/;

/**
 * The door in: `value × 10^decimals` as an exact integer, where the value of a double is its shortest decimal
 * (the one JSON writes), so 0.1 is one tenth. Undefined when that needs more decimals than `decimals`, when the
 * integer is not safe (2^53 and beyond), and for NaN and infinities. Nothing is ever rounded.
 */
export function scaled(value: number, decimals: number): number | undefined {
  const match = DECIMAL.exec(String(value));
  if (!match) return undefined;
  const [, whole = "", fraction = "", exponent = "0"] = match;
  // The shortest decimal has no trailing zeros after its point: a negative count is a digit that would be lost.
  const zeros = decimals + Number(exponent) - fraction.length;
  if (zeros < 0) return undefined;
  // Reading digits back is exact up to 2^53, and what lies beyond never reads as a safe integer.
  const integer = Number(whole + fraction + "0".repeat(zeros));
  return Number.isSafeInteger(integer) ? integer : undefined;
}

/**
 * How many digits the shortest decimal of a finite double has, zeros at either end not counted: 1 for 1000 and
 * 0.001, none for 0. Up to 15, what a client wrote and what a double holds are the same decimal; from 16 on they
 * may differ unseen, which is why more is refused.
 */
export function significantDigits(value: number): number {
  const [mantissa = ""] = String(Math.abs(value)).split("e");
  const digits = mantissa.replace(".", "").replace(/^0+/, "");
  let end = digits.length;
  while (digits[end - 1] === "0") end--;
  return end;
}

/**
 * The door out: the double nearest to `integer / 10^decimals`, for `decimals` from 0 to 15. Both operands are exact
 * doubles and IEEE 754 rounds their quotient correctly, so this is the double that reading the decimal gives. Two
 * decimals of at most 15 digits never share a double, so none shorter names this one, and JSON writes back exactly
 * the decimal that is meant. Stored values have at most 15 significant digits.
 */
export function unscaled(integer: number, decimals: number): number {
  return integer / 10 ** decimals;
}

/** EUR as given to integer cents. Throws RangeError for more than 2 decimals: fields refuse that first. */
export const toCents = (eur: number): number => mustScale(eur, 2);
/** Integer cents to EUR. */
export const fromCents = (cents: number): number => unscaled(cents, 2);

/** What amounts come to, in cents; one that is not known adds nothing. */
export function sumOfCents(amounts: readonly { readonly amount_cents: number | null }[]): number {
  return amounts.reduce((sum, { amount_cents }) => sum + (amount_cents ?? 0), 0);
}

/** A quantity or unit price as given to integer micros. Throws RangeError for more than 6 decimals. */
export const toMicros = (value: number): number => mustScale(value, 6);
/** Integer micros to a quantity or unit price. */
export const fromMicros = (micros: number): number => unscaled(micros, 6);

/** A percentage as given to integer basis points. Throws RangeError for more than 2 decimals. */
export const toBps = (percentage: number): number => mustScale(percentage, 2);
/** Integer basis points to a percentage. */
export const fromBps = (bps: number): number => unscaled(bps, 2);

function mustScale(value: number, decimals: number): number {
  const integer = scaled(value, decimals);
  if (integer === undefined) throw new RangeError(`${value} has more than ${decimals} decimals or is too large.`);
  return integer;
}

/**
 * The only rounding: the integer nearest to `numerator / denominator`, a half goes up, which for amounts is away
 * from zero. Both must be non-negative and `denominator` at least 1; amounts in Lacre never are negative, a credit
 * is a document type.
 */
export function halfUp(numerator: bigint, denominator: bigint): bigint {
  return (2n * numerator + denominator) / (2n * denominator);
}

/**
 * Cents as text with a point and two decimals: `12.30`, `0.00`. This one string is signed, sealed, exported and
 * printed (Despacho 8632/2014, 2.1.7). Throws RangeError for anything but a safe integer.
 */
export function formatCents(cents: number): string {
  if (!Number.isSafeInteger(cents)) throw new RangeError(`${cents} is not an amount in whole cents.`);
  return decimalText(cents, 2, 2);
}

/** `integer / 10^decimals` in full, with at least `least` decimals and no zeros after those: `0.45144`, `100`, `12.30`. */
export function decimalText(integer: number | bigint, decimals: number, least = 0): string {
  const sign = integer < 0 ? "-" : "";
  const digits = String(integer)
    .slice(sign.length)
    .padStart(decimals + 1, "0");
  const point = digits.length - decimals;
  let end = digits.length;
  while (end > point + least && digits[end - 1] === "0") end--;
  const whole = sign + digits.slice(0, point);
  return end === point ? whole : `${whole}.${digits.slice(point, end)}`;
}
