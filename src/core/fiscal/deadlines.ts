/** How late an invoice may come, and how long tax may be assessed. Days are `YYYY-MM-DD`. */
import { type Day, dayOf, yearOf } from "./civil-time.ts";

/** A day some days later. */
export function daysAfter(date: Day, days: number): Day {
  const [year = 0, month = 0, day = 0] = date.split("-").map(Number);
  return dayOf(year, month, day + days);
}

/** National holidays of a fixed day, `MM-DD` (Código do Trabalho, article 234). */
const FIXED_HOLIDAYS: ReadonlySet<string> = new Set(
  "01-01 04-25 05-01 06-10 08-15 10-05 11-01 12-01 12-08 12-25".split(" "),
);

/** Good Friday and Corpus Christi, as days from Easter Sunday. */
const MOVABLE_HOLIDAYS = [-2, 60];

/** Whole quotient of two positive numbers. */
const quotient = (dividend: number, divisor: number): number => (dividend - (dividend % divisor)) / divisor;

/** Easter Sunday of a year of the Gregorian calendar, by the computus of Meeus, Jones and Butcher. */
export function easterOf(year: number): Day {
  const golden = year % 19;
  const century = quotient(year, 100);
  const moon = (19 * golden + century - quotient(century, 4) - quotient(8 * century + 13, 25) + 15) % 30;
  const weekday = (32 + 2 * (century % 4) + 2 * quotient(year % 100, 4) - moon - (year % 4)) % 7;
  const correction = quotient(golden + 11 * moon + 22 * weekday, 451);
  return dayOf(year, 3, 22 + moon + weekday - 7 * correction);
}

/** Whether a day is neither on a weekend nor a national holiday of Portugal. */
export function isWorkingDay(date: Day): boolean {
  if ([0, 6].includes(new Date(date).getUTCDay()) || FIXED_HOLIDAYS.has(date.slice(5))) return false;
  const easter = easterOf(yearOf(date));
  return !MOVABLE_HOLIDAYS.some((days) => daysAfter(easter, days) === date);
}

/** The last day to invoice a supply: the fifth working day after (CIVA, 36/1 a). */
export function lastDayToInvoice(supply_date: Day): Day {
  let date = supply_date;
  for (let left = 5; left > 0; ) {
    date = daysAfter(date, 1);
    if (isWorkingDay(date)) left--;
  }
  return date;
}

/** The same for services to a taxable person of another EU state: the 15th of the next month (CIVA, 36/1 b). */
export function lastDayToInvoiceAbroad(supply_date: Day): Day {
  const [year = 0, month = 0] = supply_date.split("-").map(Number);
  return dayOf(year, month + 1, 15);
}

/**
 * Whether tax on a supply can no longer be assessed: after four years, counted for VAT from the year after (Lei Geral
 * Tributária, article 45/1 and 45/4).
 */
export function isOutOfTime(supply_date: Day, date: Day): boolean {
  return yearOf(date) > yearOf(supply_date) + 4;
}
