/** The turn of the year: the series that follow those in use. `yearOfCode` decides the year of a series. */
import * as z from "zod";
import { mustFindCompany } from "../company/companies.ts";
import type { Row } from "../database/tables.ts";
import { civilDate, yearOf } from "../fiscal/civil-time.ts";
import type { DocType } from "../fiscal/document-types.ts";
import { codeInYear, yearOfCode } from "../fiscal/numbering.ts";
import { problem, refuseInput } from "../runtime/errors.ts";
import { command } from "../runtime/operation.ts";
import { common } from "../runtime/refusals.ts";
import { allSeries, isReal, openSeries, Series, toSeries } from "./series.ts";

export const openYear = command(
  {
    id: "openYear",
    summary: "Open the series of a year after those in use: `2027A` after `2026A`",
    needs: "series:write",
    input: z.strictObject({ year: z.int().describe("This year or the next.") }),
    output: z.strictObject({
      year: z.int(),
      opened: z.array(Series).describe("Not registered yet: AT gives each its validation code."),
      existing: z.array(Series).describe("Those that were there already."),
    }),
    fails: [],
  },
  async (scope, { year }) => {
    const company = await mustFindCompany(scope);
    const today = yearOf(civilDate(scope.now, company.time_zone));
    if (year !== today && year !== today + 1) {
      refuseInput([problem("year", common.must_be_one_of({ values: [today, today + 1] }))]);
    }
    const opened: Row<"series">[] = [];
    const existing: Row<"series">[] = [];
    for (const { doc_type, code, cash_vat, series } of successors(await allSeries(scope), year)) {
      if (series) existing.push(series);
      else opened.push(await openSeries(scope, { doc_type, code, cash_vat }));
    }
    return { year, opened: opened.map(toSeries), existing: existing.map(toSeries) };
  },
);

/** The series of a year that follows one of an earlier year; `series` is set once it is open. */
interface Successor {
  readonly doc_type: DocType;
  readonly code: string;
  readonly cash_vat: boolean;
  readonly series: Row<"series"> | undefined;
}

/**
 * The series of `year` that follow those in use or, if no series is in use yet, all. A type's only series may be
 * followed by a series of any code.
 */
function successors(all: readonly Row<"series">[], year: number): Successor[] {
  const used = seriesInUse(all, year);
  const followed = used.length > 0 ? used : earlierSeries(all, year);
  const kindOf = ({ doc_type, cash_vat }: Row<"series">) => `${doc_type} ${cash_vat}`;
  return [...Map.groupBy(followed, kindOf).values()].flatMap((rows) => {
    const { doc_type, cash_vat } = rows[0] as Row<"series">;
    const ofType = all.filter((row) => row.doc_type === doc_type);
    const ofKind = ofType.filter((row) => row.cash_vat === cash_vat);
    const codes = new Set(rows.map(({ code }) => codeInYear(code, year)));
    return [...codes].map((code) => {
      const sameCode = ofType.find(({ code_folded }) => code_folded === code.toLowerCase());
      const active = codes.size === 1 ? seriesOfYear(ofKind, year).at(-1) : undefined;
      return {
        doc_type,
        code,
        cash_vat: cash_vat === 1,
        series: sameCode?.closed_at === null ? sameCode : (active ?? sameCode),
      };
    });
  });
}

/** The active series of years before this one. */
function earlierSeries(all: readonly Row<"series">[], year: number): Row<"series">[] {
  return all.filter((row) => isReal(row) && (yearOfCode(row.code) ?? year) < year);
}

/** The earlier series in use: they have documents or a validation code. */
export function seriesInUse(all: readonly Row<"series">[], year: number): Row<"series">[] {
  return earlierSeries(all, year).filter((row) => row.next_number > 1 || row.validation_code !== null);
}

/** The active series of this year, oldest first. */
export function seriesOfYear(all: readonly Row<"series">[], year: number): Row<"series">[] {
  return all.filter((row) => isReal(row) && yearOfCode(row.code) === year);
}
