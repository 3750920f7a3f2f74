import { describe, expect, test } from "vitest";
import {
  easterOf,
  isOutOfTime,
  isWorkingDay,
  lastDayToInvoice,
  lastDayToInvoiceAbroad,
} from "../../../src/core/fiscal/deadlines.ts";
import { day } from "../../support/days.ts";

test.each([
  "1961-04-02",
  "2000-04-23",
  "2008-03-23",
  "2011-04-24",
  "2024-03-31",
  "2025-04-20",
  "2026-04-05",
  "2027-03-28",
  "2038-04-25",
  "2049-04-18",
  "2076-04-19",
])("%s was or will be Easter", (date) => expect(easterOf(Number(date.slice(0, 4)))).toBe(date));

describe("a day of work", () => {
  test.each([
    ["2026-11-24", true], // a Tuesday
    ["2026-11-28", false], // a Saturday
    ["2026-11-29", false], // a Sunday
    ["2026-12-01", false], // Restoration of Independence
    ["2026-12-08", false], // Immaculate Conception
    ["2026-12-25", false], // Christmas
    ["2026-04-03", false], // Good Friday
    ["2026-04-06", true], // Easter Monday
    ["2026-06-04", false], // Corpus Christi
    ["2026-02-17", true], // Carnival, which is no national holiday
    ["2026-06-24", true], // Porto's own holiday
  ])("%s: %s", (date, is) => expect(isWorkingDay(day(date))).toBe(is));
});

test.each([
  ["2026-11-16", "2026-11-23"], // over one weekend
  ["2026-11-25", "2026-12-03"], // over a weekend and 1 December
  ["2026-12-23", "2026-12-31"], // over Christmas and a weekend
  ["2026-03-30", "2026-04-07"], // over Easter
])("what was supplied on %s may be invoiced until %s", (supplied, last) =>
  expect(lastDayToInvoice(day(supplied))).toBe(last),
);

test.each([
  ["2026-11-01", "2026-12-15"],
  ["2026-12-31", "2027-01-15"],
])("what was done abroad on %s may be invoiced until %s", (supplied, last) =>
  expect(lastDayToInvoiceAbroad(day(supplied))).toBe(last),
);

test("tax on a year's supplies can be assessed until the end of the fourth year after", () => {
  expect([
    isOutOfTime(day("2022-01-01"), day("2026-12-31")),
    isOutOfTime(day("2022-12-31"), day("2027-01-01")),
  ]).toEqual([false, true]);
});
