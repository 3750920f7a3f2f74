/** Rules for the texts of elements: the simple types of the schema. */
import { isCivilDate } from "../../fiscal/civil-time.ts";
import { decimalOf } from "../decimal.ts";
import { quoted } from "../read.ts";

/**
 * Checks the text of an element. Returns what is wrong, to be read after the element's name ("is empty"), or
 * undefined.
 */
export type ValueRule = (text: string) => string | undefined;

/** From `min` to `max` characters. */
export function text(max: number, min = 1): ValueRule {
  return (given) => {
    const { length } = Array.from(given);
    if (length > max) return `has ${length} characters; at most ${max} are allowed`;
    if (length >= min) return undefined;
    return length === 0 ? "is empty" : `has ${length} characters; at least ${min} are needed`;
  };
}

/** A text that matches a pattern; `form` describes it in words. */
export function shaped(pattern: RegExp, form: string, max: number, min = 1): ValueRule {
  const fits = text(max, min);
  return (given) => fits(given) ?? (pattern.test(given) ? undefined : `is ${quoted(given)}, not ${form}`);
}

/** One of the words of a list. */
export function oneOf(list: string): ValueRule {
  const words: ReadonlySet<string> = new Set(list.trim().split(/\s+/));
  const shown = words.size > 20 ? "one of the codes of the schema" : `one of ${[...words].join(", ")}`;
  return (given) => (words.has(given) ? undefined : `is ${quoted(given)}, not ${shown}`);
}

/** A whole number from `min` to `max`. As in XML Schema, spaces around numbers and dates do not count. */
export function integer(min: bigint, max?: bigint): ValueRule {
  return (given) => {
    const digits = given.trim();
    if (!/^[+-]?\d{1,24}$/.test(digits)) return `is ${quoted(given)}, not a whole number`;
    const value = BigInt(digits.replace("+", ""));
    if (value < min) return `is ${digits}; at least ${min} is needed`;
    return max !== undefined && value > max ? `is ${digits}; at most ${max} is allowed` : undefined;
  };
}

/** A decimal with a point, not negative, of at most 24 digits: readers of XML Schema hold no more. */
export const decimal: ValueRule = (given) => {
  const value = decimalOf(given);
  if (!value) return `is ${quoted(given)}, not a decimal number`;
  if (given.replace(/\D/g, "").length > 24) return "has more than 24 digits";
  return value.units < 0n ? `is ${given.trim()}; amounts are never negative` : undefined;
};

const ZONE = /(?:Z|[+-](?:0\d|1[0-3]):[0-5]\d|[+-]14:00)$/;
const TIME = /^(?:(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,12})?|24:00:00(?:\.0{1,12})?)$/;

/** `YYYY-MM-DD`; the schema allows a time zone after it. */
export const day: ValueRule = (given) => (isDay(given.trim()) ? undefined : `is ${quoted(given)}, not a date`);

/** A day from the year 2000 on. */
export const dayFrom2000: ValueRule = (given) =>
  day(given) ?? (given.trim() < "2000" ? `is ${given.trim()}; the schema begins in the year 2000` : undefined);

/** `YYYY-MM-DDThh:mm:ss`. */
export const moment: ValueRule = (given) => {
  const [date = "", time = "", ...more] = given.trim().split("T");
  const valid = more.length === 0 && isCivilDate(date) && TIME.test(time.replace(ZONE, ""));
  return valid ? undefined : `is ${quoted(given)}, not a date and time`;
};

function isDay(given: string): boolean {
  return isCivilDate(given.slice(0, 10)) && (given.length === 10 || (ZONE.test(given) && given.search(ZONE) === 10));
}
