/// <reference path="./date.d.ts" />
/**
 * Days and instants, and conversions between them. Pure: the caller passes the instant; the runtime's IANA data have
 * the rules of each zone, with both clock changes of the year.
 */
import { memoized } from "./memoized.ts";

/**
 * A civil day, `YYYY-MM-DD`, in the years 1900 to 9999. `kindOfTime` is for the compiler alone: the first ten
 * characters of an instant are a day of UTC, not of a company.
 */
export type Day = string & { readonly kindOfTime: "day" };

/** An instant in UTC with milliseconds (RFC 3339): `2026-11-21T10:31:07.482Z`, as `Date.toISOString` writes it. */
export type Instant = string & { readonly kindOfTime: "instant" };

/** Lisbon's wall time, `YYYY-MM-DDThh:mm:ss`, without zone or fraction: SystemEntryDate, as it is signed. */
export type EntryTime = string & { readonly kindOfTime: "entry time" };

/** The zone of all entry times, those of the islands included (docs/law.md, "Time"). */
const LISBON = "Europe/Lisbon";

/** Years 1900 to 9999: a mistyped `0026` must not become the first date of a series. */
const CIVIL_DATE = /^(?:19|[2-9]\d)\d{2}-\d{2}-\d{2}$/;

/** The day in `time_zone` at this instant. Throws RangeError for an unknown zone. */
export function civilDate(at: Date | Instant, time_zone: string): Day {
  return wallClock(new Date(at), time_zone).date;
}

/**
 * Lisbon's wall time at this instant (Portaria 302/2016). In the hour that repeats each October, two instants have the
 * same text.
 */
export function entryTime(at: Date | Instant): EntryTime {
  const { date, time } = wallClock(new Date(at), LISBON);
  return `${date}T${time}` as EntryTime;
}

/** The instant at which a day's wall clock in `time_zone` shows a full hour, which no change of the clock touches. */
export function instantAt(day: Day, hour: number, time_zone: string): Instant {
  const shown = Date.parse(`${day}T00:00:00Z`) + hour * HOUR_MS;
  const late = (ms: number) => {
    const { date, time } = wallClock(new Date(ms), time_zone);
    return Date.parse(`${date}T${time}Z`) - shown;
  };
  const near = shown - late(shown); // on the other side of a change of the clock at most
  return new Date(near - late(near)).toISOString();
}

/** A day by its numbers. As in `Date`, months and days go on: day 0 is the last of the month before. */
export function dayOf(year: number, month: number, day: number): Day {
  return new Date(Date.UTC(year, month - 1, day)).toISOString().slice(0, 10) as Day;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** How many days a day comes after another; negative before it. */
export const daysBetween = (one: Day, other: Day): number => (Date.parse(other) - Date.parse(one)) / DAY_MS;

export const yearOf = (date: Day): number => Number(date.slice(0, 4));

/** The month of a day, `YYYY-MM`. */
export const monthOf = (date: Day): string => date.slice(0, 7);

/** Whether this is a day of the calendar. */
export function isCivilDate(text: string): text is Day {
  if (!CIVIL_DATE.test(text)) return false;
  // 30 February is parsed as an invalid date or as a day in March; neither formats back to the text.
  const midnight = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(text);
}

/** RFC 3339 with seconds and a zone. */
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/i;

/**
 * An RFC 3339 instant rewritten in UTC with milliseconds: `2026-11-21T10:30:00.000Z`. Undefined for a text with no
 * zone, with a date that does not exist, or outside the years 1900 to 9999.
 */
export function instantOf(text: string): Instant | undefined {
  if (!INSTANT.test(text) || !isCivilDate(text.slice(0, 10))) return undefined;
  const at = new Date(text);
  if (Number.isNaN(at.getTime())) return undefined;
  const utc = at.toISOString();
  return isCivilDate(utc.slice(0, 10)) ? utc : undefined;
}

/** Whether this is an instant as `instantOf` writes it. */
export const isInstant = (text: string): text is Instant => instantOf(text) === text;

/** Whether this is a time zone of the IANA database. An offset such as `+01:00` is not: it has no rules. */
export function isTimeZone(text: string): boolean {
  if (!/^[A-Za-z]/.test(text)) return false;
  try {
    formatter(text);
    return true;
  } catch {
    return false;
  }
}

interface WallClock {
  /** The instant in milliseconds, rounded down to the second. */
  readonly second: number;
  readonly date: Day;
  readonly time: string;
}

/** The last result for each zone: many documents share a second, and formatting costs as much as storing one. */
const readings = new Map<string, WallClock>();

function wallClock(at: Date, time_zone: string): WallClock {
  const second = at.getTime() - at.getUTCMilliseconds();
  const known = readings.get(time_zone);
  if (known?.second === second) return known;
  const now = readClock(at, time_zone, second);
  readings.set(time_zone, now);
  return now;
}

function readClock(at: Date, time_zone: string, second: number): WallClock {
  const parts: Partial<Record<Intl.DateTimeFormatPartTypes, string>> = {};
  for (const { type, value } of formatter(time_zone).formatToParts(at)) parts[type] = value;
  return {
    second,
    date: `${parts.year}-${parts.month}-${parts.day}` as Day,
    time: `${parts.hour}:${parts.minute}:${parts.second}`,
  };
}

/** A formatter takes a hundred times longer to make than to use. */
const formatter = memoized(
  (timeZone) =>
    new Intl.DateTimeFormat("en-u-ca-gregory-nu-latn", {
      timeZone,
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
      hourCycle: "h23",
    }),
);
