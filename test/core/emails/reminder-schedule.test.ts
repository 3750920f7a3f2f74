import { describe, expect, test } from "vitest";
import {
  fromNextMorning,
  isHourOfReminders,
  placeIn,
  spansOf,
  storedPlace,
} from "../../../src/core/emails/reminder-schedule.ts";
import { daysAfter } from "../../../src/core/fiscal/deadlines.ts";
import { day } from "../../support/days.ts";

const TODAY = day("2026-11-21");

describe("the days on which documents were due that are reminded of today", () => {
  test("are one for each step, a day after the last time", () => {
    expect(spansOf([3, 10], day("2026-11-20"), TODAY)).toEqual([
      { step: 10, from: "2026-11-11", to: "2026-11-11" },
      { step: 3, from: "2026-11-18", to: "2026-11-18" },
    ]);
  });

  test.each([1, 2, 7, 30, 400])("belong to the latest step alone, %s days after the last time", (off) => {
    const steps = [1, 3, 10, 30];
    const until = daysAfter(TODAY, -off);
    const found = spansOf(steps, until, TODAY);
    for (let late = 0; late <= 450; late++) {
      const due = daysAfter(TODAY, -late);
      const latest = steps.findLast((step) => step <= late);
      const isNew = latest !== undefined && late - latest < off;
      const spans = found.filter(({ from, to }) => from <= due && due <= to);
      expect(
        spans.map(({ step }) => step),
        `${late} days`,
      ).toEqual(isNew ? [latest] : []);
    }
  });

  test("are none before a step, and none twice a day", () => {
    expect(spansOf([], day("2026-11-01"), TODAY)).toEqual([]);
    expect(spansOf([3, 10], TODAY, TODAY)).toEqual([]);
  });
});

test.each([
  ["2026-11-21T08:59:59.999Z", "Europe/Lisbon", "2026-11-21T09:00:00.000Z", "2026-11-20", false],
  ["2026-11-21T09:00:00.000Z", "Europe/Lisbon", "2026-11-22T09:00:00.000Z", "2026-11-21", true],
  ["2026-11-21T19:59:59.999Z", "Europe/Lisbon", "2026-11-22T09:00:00.000Z", "2026-11-21", true],
  ["2026-11-21T20:00:00.000Z", "Europe/Lisbon", "2026-11-22T09:00:00.000Z", "2026-11-21", false],
  ["2026-07-31T23:30:00.000Z", "Europe/Lisbon", "2026-08-01T08:00:00.000Z", "2026-07-31", false],
  ["2026-10-24T22:30:00.000Z", "Europe/Lisbon", "2026-10-25T09:00:00.000Z", "2026-10-24", false],
  ["2026-11-21T09:30:00.000Z", "Atlantic/Azores", "2026-11-21T10:00:00.000Z", "2026-11-20", false],
])("after %s in %s reminders go out at %s, of what passed since %s", (now, time_zone, at, until, isHour) => {
  const next = { remind_at: at, reminded_until: until, remind_after: null };
  expect(fromNextMorning(new Date(now), time_zone)).toEqual(next);
  expect(isHourOfReminders(new Date(now), time_zone)).toBe(isHour);
});

test("how far it is holds for its day alone", () => {
  const place = { due_date: day("2026-11-18"), id: "0199d3a0-5b7e-7cc1-9c3b-2f6a4d1e8b70" };
  const stored = storedPlace(place, TODAY);
  expect(placeIn(stored, TODAY)).toEqual(place);
  expect(placeIn(stored, day("2026-11-22"))).toBeUndefined();
  expect(placeIn(null, TODAY)).toBeUndefined();
});
