/** Numbers as people write and read them. A typed number becomes a JSON number only where it can mean one thing. */
import type { Day, Instant } from "../../core/fiscal/civil-time.ts";
import { language } from "./language.ts";

/**
 * The number in a text such as `1234,5`, `1234.5`, `1.234,50` or `12 345,67`; undefined for an empty or unreadable one.
 * If both signs occur, the last is the decimal one. A lone point or comma before exactly three digits is unreadable if
 * the language uses that sign for thousands: 1.234 must not become an invoice of the wrong size.
 */
export function parseDecimal(text: string): number | undefined {
  const bare = text.replaceAll(/[\s\u00a0\u202f€%]/g, "");
  const thousands = language.value === "pt" ? "." : ",";
  const last = Math.max(bare.lastIndexOf(","), bare.lastIndexOf("."));
  const signs = bare.replaceAll(/[^.,]/g, "");
  if (signs.length === 1 && bare[last] === thousands && /[.,]\d{3}$/.test(bare) && !/^0?[.,]/.test(bare))
    return undefined;
  const whole = last === -1 ? bare : bare.slice(0, last);
  if (signs.length > 1 && !/^\d{1,3}([.,])\d{3}(?:\1\d{3})*$/.test(whole)) return undefined;
  if (signs.length > 1 && whole.includes(bare[last] ?? "")) return undefined;
  const plain = last === -1 ? bare : `${whole.replaceAll(/[.,]/g, "")}.${bare.slice(last + 1)}`;
  return /^\d+(?:\.\d*)?$|^\.\d+$/.test(plain) ? Number(plain) : undefined;
}

/** The same for a number that may be negative: `-3`, `−1,5`. */
export function signedDecimal(text: string): number | undefined {
  const [, sign, digits = ""] = /^\s*([-−]?)(.*)$/s.exec(text) ?? [];
  const value = parseDecimal(digits);
  return value !== undefined && sign ? -value : value;
}

const locale = () => (language.value === "pt" ? "pt-PT" : "en-IE");

const formats = new Map<string, Intl.NumberFormat>();

function format(options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = locale() + JSON.stringify(options);
  const known = formats.get(key) ?? new Intl.NumberFormat(locale(), options);
  formats.set(key, known);
  return known;
}

/** Euros with two decimals: `85,65 €`, `€85.65`. */
export const money = (eur: number): string => format({ style: "currency", currency: "EUR" }).format(eur);

/** A price of one unit, with as many decimals as it has: `0,934959 €`. */
export const unitPrice = (eur: number): string =>
  format({ style: "currency", currency: "EUR", maximumFractionDigits: 6 }).format(eur);

/** Euros as they are typed into a field: `85,65`, with more decimals if the price has them. */
export const typedMoney = (eur: number): string =>
  format({ minimumFractionDigits: 2, maximumFractionDigits: 6, useGrouping: false }).format(eur);

/** A number as it is typed into a field: `1,5`. */
export const typedNumber = (value: number): string =>
  format({ maximumFractionDigits: 6, useGrouping: false }).format(value);

/** A count or quantity: `1 234,5`. */
export const number = (value: number): string => format({ maximumFractionDigits: 6 }).format(value);

/** A percentage: `23 %`, `23%`. */
export const percent = (value: number): string =>
  language.value === "pt" ? `${number(value)}\u00a0%` : `${number(value)}%`;

/** A day: `22/11/2026`. */
export function day(date: Day): string {
  const [year, month, ofMonth] = date.split("-");
  return `${ofMonth}/${month}/${year}`;
}

/** An instant in the reader's own time: `22/11/2026, 15:04`. */
export const moment = (instant: Instant): string =>
  new Intl.DateTimeFormat(language.value === "pt" ? "pt-PT" : "en-GB", {
    day: "2-digit",
    month: "2-digit",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
  }).format(new Date(instant));

/** An instant in the reader's own time, spelled out: `quarta-feira, 25 de novembro de 2026 às 15:04`. */
export const spelledMoment = (instant: Instant): string =>
  new Intl.DateTimeFormat(language.value === "pt" ? "pt-PT" : "en-GB", {
    dateStyle: "full",
    timeStyle: "short",
  }).format(new Date(instant));

/** A month: `novembro de 2026`, `November 2026`; with `short`, `nov.`. */
export function month(yearAndMonth: string, length: "long" | "short" = "long"): string {
  const [year = "", ofYear = ""] = yearAndMonth.split("-");
  const first = new Date(Number(year), Number(ofYear) - 1, 1);
  return new Intl.DateTimeFormat(
    language.value === "pt" ? "pt-PT" : "en-GB",
    length === "long" ? { month: "long", year: "numeric" } : { month: "short" },
  ).format(first);
}
