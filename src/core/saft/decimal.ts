/** Exact decimals of any scale, so that the numbers of a file are compared without rounding. */
import { decimalText } from "../fiscal/money.ts";

/** The value is `units / 10^scale`. */
export interface Decimal {
  readonly units: bigint;
  readonly scale: number;
}

export const ZERO: Decimal = { units: 0n, scale: 0 };

/** The longest text that is read as a number. */
const MAX_LENGTH = 40;

/** The decimal that a text holds, without the spaces around it; undefined when it holds none. */
export function decimalOf(text: string | undefined): Decimal | undefined {
  if (text === undefined || text.length > MAX_LENGTH) return undefined;
  const match = /^([+-]?)(\d*)(?:\.(\d*))?$/.exec(text.trim());
  const [, sign, whole = "", fraction = ""] = match ?? [];
  if (whole + fraction === "") return undefined;
  const units = BigInt(whole + fraction);
  return { units: sign === "-" ? -units : units, scale: fraction.length };
}

/** The number as text, with as many decimals as its scale. */
export function formatDecimal({ units, scale }: Decimal): string {
  return decimalText(units, scale, scale);
}

export function plus(a: Decimal, b: Decimal): Decimal {
  const scale = a.scale > b.scale ? a.scale : b.scale;
  return { units: unitsAt(a, scale) + unitsAt(b, scale), scale };
}

export function minus(a: Decimal, b: Decimal): Decimal {
  return plus(a, { ...b, units: -b.units });
}

export function times(a: Decimal, b: Decimal): Decimal {
  return { units: a.units * b.units, scale: a.scale + b.scale };
}

/** The absolute value. */
export function magnitude(a: Decimal): Decimal {
  return a.units < 0n ? { ...a, units: -a.units } : a;
}

/** Whether two numbers differ by at most `tolerance`. */
export function isNear(a: Decimal, b: Decimal, tolerance: Decimal): boolean {
  return minus(magnitude(minus(a, b)), tolerance).units <= 0n;
}

export function isZero(a: Decimal): boolean {
  return a.units === 0n;
}

/** The number in cents; undefined for a fraction of a cent, and beyond 2^53. */
export function centsOf(a: Decimal): number | undefined {
  const power = 10n ** BigInt(a.scale);
  const cents = a.units * 100n;
  return cents % power === 0n && Number.isSafeInteger(Number(cents / power)) ? Number(cents / power) : undefined;
}

function unitsAt({ units, scale }: Decimal, target: number): bigint {
  return units * 10n ** BigInt(target - scale);
}
