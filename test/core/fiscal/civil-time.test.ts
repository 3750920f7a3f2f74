import fc from "fast-check";
import type { DocumentFilter } from "lacre";
import { describe, expect, test } from "vitest";
import type { Row } from "../../../src/core/database/tables.ts";
import {
  civilDate,
  type Day,
  dayOf,
  entryTime,
  instantAt,
  isCivilDate,
  isInstant,
  isTimeZone,
} from "../../../src/core/fiscal/civil-time.ts";
import { dateTime } from "../../../src/core/texts/format.ts";
import { day, instant } from "../../support/days.ts";

describe("entry time", () => {
  test.each([
    ["2026-01-15T12:00:00Z", "2026-01-15T12:00:00", "winter is UTC"],
    ["2026-07-15T12:00:00Z", "2026-07-15T13:00:00", "summer is an hour ahead"],
    ["2026-03-29T00:59:59Z", "2026-03-29T00:59:59", "the last second of winter"],
    ["2026-03-29T01:00:00Z", "2026-03-29T02:00:00", "the hour that does not exist is skipped"],
    ["2026-10-25T00:30:00Z", "2026-10-25T01:30:00", "the repeated hour, for the first time"],
    ["2026-10-25T01:30:00Z", "2026-10-25T01:30:00", "the repeated hour, for the second time"],
    ["2026-10-25T02:00:00Z", "2026-10-25T02:00:00", "after the repeated hour"],
    ["2026-12-31T23:59:59.999Z", "2026-12-31T23:59:59", "fractions are dropped, not rounded"],
    ["2026-06-30T23:00:00Z", "2026-07-01T00:00:00", "midnight is 00, of the next day"],
  ])("%s is %s: %s", (instant, expected) => {
    expect(entryTime(new Date(instant))).toBe(expected);
  });

  test("it is UTC or an hour later, and moves on by the second", () => {
    const instant = fc.date({ min: new Date("2000-01-01"), max: new Date("2100-01-01"), noInvalidDate: true });
    fc.assert(
      fc.property(instant, (at) => {
        const ahead = Date.parse(`${entryTime(at)}Z`) - Math.floor(at.getTime() / 1000) * 1000;
        expect([0, 3_600_000]).toContain(ahead);
      }),
    );
  });
});

describe("civil date", () => {
  test.each([
    ["2026-06-30T23:30:00Z", "Europe/Lisbon", "2026-07-01"],
    ["2026-06-30T23:30:00Z", "Atlantic/Azores", "2026-06-30"],
    ["2026-06-30T23:30:00Z", "Atlantic/Madeira", "2026-07-01"],
    ["2026-12-31T23:30:00Z", "Europe/Lisbon", "2026-12-31"],
    ["2026-12-31T23:30:00Z", "Asia/Tokyo", "2027-01-01"],
    ["2028-02-29T12:00:00Z", "UTC", "2028-02-29"],
  ])("%s in %s is %s", (instant, time_zone, expected) => {
    expect(civilDate(new Date(instant), time_zone)).toBe(expected);
  });

  test.each([
    ["2026-01-15", "Europe/Lisbon", "2026-01-15T09:00:00.000Z", "winter"],
    ["2026-07-15", "Europe/Lisbon", "2026-07-15T08:00:00.000Z", "summer"],
    ["2026-07-15", "Atlantic/Azores", "2026-07-15T09:00:00.000Z", "an hour behind"],
    ["2026-03-29", "Europe/Lisbon", "2026-03-29T08:00:00.000Z", "the morning after the hour that does not exist"],
    ["2026-10-25", "Europe/Lisbon", "2026-10-25T09:00:00.000Z", "the morning after the repeated hour"],
    ["2026-10-25", "Pacific/Auckland", "2026-10-24T20:00:00.000Z", "a day that began on the one before, in UTC"],
    ["2026-03-08", "America/Los_Angeles", "2026-03-08T16:00:00.000Z", "far behind, on a day of a change"],
    ["2026-07-15", "Asia/Kathmandu", "2026-07-15T03:15:00.000Z", "a quarter of an hour"],
  ])("nine o'clock on %s in %s is %s: %s", (date, time_zone, expected) => {
    expect(instantAt(day(date), 9, time_zone)).toBe(expected);
    expect(civilDate(instant(expected), time_zone)).toBe(date);
  });

  test("an unknown zone and an invalid instant throw", () => {
    expect(() => civilDate(new Date(0), "Europe/Nowhere")).toThrow(RangeError);
    expect(() => civilDate(new Date(Number.NaN), "UTC")).toThrow(RangeError);
  });
});

describe("to the compiler", () => {
  const at = instant("2026-06-30T23:30:00.000Z"); // half past midnight in Lisbon

  test("an instant is no day, nor are its first ten characters, which are another day than Lisbon's", () => {
    const days: readonly Day[] = [
      civilDate(at, "Europe/Lisbon"),
      // @ts-expect-error an instant is no day
      at,
      // @ts-expect-error ten characters of an instant are no day
      at.slice(0, 10),
      // @ts-expect-error nor is the day of UTC that a date writes
      new Date(at).toISOString().slice(0, 10),
    ];
    expect(days).toEqual(["2026-07-01", at, "2026-06-30", "2026-06-30"]);
  });

  test("a day is no instant, and an entry time, which is Lisbon's, is neither", () => {
    // @ts-expect-error a day is no instant
    expect(civilDate(day("2026-07-01"), "UTC")).toBe("2026-07-01");
    // @ts-expect-error nor is an entry time
    expect(civilDate(entryTime(at), "UTC")).not.toBe(civilDate(at, "UTC"));
    // @ts-expect-error and an instant is no entry time
    expect(dateTime(at, "en")).not.toBe(dateTime(entryTime(at), "en"));
  });

  test("a row takes each in its column, and a caller writes both as plain text", () => {
    const document: Pick<Row<"documents">, "issue_date" | "cancelled_at"> = {
      // @ts-expect-error a row has a day here
      issue_date: at,
      // @ts-expect-error and an instant here
      cancelled_at: day("2026-07-01"),
    };
    const from: DocumentFilter = { from: "2026-07-01" };
    expect([document, from]).toHaveLength(2);
  });
});

describe("instants", () => {
  test.each(["2026-11-21T10:31:07.482Z", "1900-01-01T00:00:00.000Z"])("%s is one", (text) =>
    expect(isInstant(text)).toBe(true),
  );

  test.each(["2026-11-21T10:31:07Z", "2026-11-21T10:31:07.482+00:00", "2026-11-21", "2026-02-29T10:31:07.482Z", ""])(
    "%j is none in this form",
    (text) => expect(isInstant(text)).toBe(false),
  );
});

describe("days of the calendar", () => {
  test.each([
    [2026, 2, 1, "2026-02-01"],
    [2028, 3, 0, "2028-02-29"],
    [2026, 13, 5, "2027-01-05"],
    [2026, 0, 1, "2025-12-01"],
    [2026, 3, 36, "2026-04-05"],
  ])("the numbers %i, %i, %i are %s", (year, month, ofMonth, expected) => {
    expect(dayOf(year, month, ofMonth)).toBe(expected);
  });

  test.each(["1900-01-01", "2026-11-21", "2024-02-29", "2000-02-29", "2026-12-31", "9999-12-31"])(
    "%s is a day",
    (text) => {
      expect(isCivilDate(text)).toBe(true);
    },
  );

  test.each([
    ...["", "2026-02-29", "1900-02-29", "2026-02-30", "2026-04-31", "2026-00-10", "2026-13-01", "2026-01-00"],
    ...["2026-01-32", "0026-11-21", "1899-12-31", "10000-01-01", "2026-1-1", "20261121", "2026-11-21T00:00:00Z"],
    ...[" 2026-11-21", "2026-11-21\n", "+002026-11-21", "٢٠٢٦-١١-٢١"],
  ])("%j is not a day", (text) => {
    expect(isCivilDate(text)).toBe(false);
  });

  test("of all texts of a year exactly 365 or 366 are days", () => {
    for (const [year, days] of [
      [1900, 365],
      [2000, 366],
      [2024, 366],
      [2026, 365],
      [2100, 365],
    ] as const) {
      let found = 0;
      for (let month = 0; month <= 99; month++) {
        for (let day = 0; day <= 99; day++) {
          if (isCivilDate(`${year}-${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}`)) found++;
        }
      }
      expect(found).toBe(days);
    }
  });
});

describe("time zones", () => {
  test.each(["Europe/Lisbon", "Atlantic/Azores", "UTC", "Asia/Kolkata"])("%s is a time zone", (text) => {
    expect(isTimeZone(text)).toBe(true);
  });

  test.each(["", "Europe/Nowhere", "+01:00", "-0100", "Lisboa", "__proto__", " UTC"])(
    "%j is not a time zone",
    (text) => {
      expect(isTimeZone(text)).toBe(false);
    },
  );
});
