/** The documents that go into one file, and the position of each among them. */
import type { Row } from "../../database/tables.ts";
import { DOCUMENT_TYPES } from "../../fiscal/document-types.ts";
import { yieldToOthers } from "../../runtime/ports.ts";
import type { ReadScope } from "../../runtime/scope.ts";
import { allSeries } from "../../series/series.ts";
import type { SaftTable } from "../vocabulary.ts";
import type { ExportPeriod } from "./period.ts";
import { customersAt, linesAt, positionOf, rangeWithin } from "./reader.ts";
import type { EntryReader, LinePosition, ProductLine, SeriesRange } from "./types.ts";

/** The documents of one file: a range of each real series, or of each training series. */
export interface Selection {
  /** As they were when the export began. */
  readonly series: readonly Row<"series">[];
  readonly ranges: readonly SeriesRange[];
}

/** Selects the documents of a period. All series are read at the same moment. */
export async function selectDocuments(scope: ReadScope, { training, ...period }: ExportPeriod): Promise<Selection> {
  const series = (await allSeries(scope)).filter((row) => (row.training === 1) === training);
  const ranges: SeriesRange[] = [];
  let before = 0;
  for (const row of series) {
    const range = await rangeWithin(scope, row, period);
    ranges.push({ ...range, before });
    before += range.end - range.first;
    await yieldToOthers();
  }
  return { series, ranges };
}

/** The ranges whose documents belong to a table, in order. */
export function rangesOf({ ranges }: Selection, table: SaftTable): SeriesRange[] {
  return ranges.filter(({ series }) => DOCUMENT_TYPES[series.doc_type].saft_table === table);
}

/** Reads documents of a selection again by their positions. */
export function entryReader(scope: ReadScope, selection: Selection): EntryReader {
  return {
    async customers(positions) {
      const found = new Map<number, string>();
      for (const [range, sequences] of sequencesByRange(selection, positions)) {
        for (const row of await customersAt(scope, range, sequences)) found.set(positionOf(range, row), row.customer);
      }
      return positions.map((position) => found.get(position) as string);
    },
    async lines(wanted) {
      const found = new Map<string, ProductLine>();
      const keyOf = ({ position, line_number }: LinePosition) => `${position} ${line_number}`;
      const positions = wanted.map(({ position }) => position);
      const numbers = [...new Set(wanted.map(({ line_number }) => line_number))];
      for (const [range, sequences] of sequencesByRange(selection, positions)) {
        for (const line of await linesAt(scope, range, sequences, numbers)) {
          found.set(keyOf({ position: positionOf(range, line), line_number: line.line_number }), line);
        }
      }
      return wanted.map((one) => found.get(keyOf(one)) as ProductLine);
    },
  };
}

function sequencesByRange({ ranges }: Selection, positions: readonly number[]): ReadonlyMap<SeriesRange, number[]> {
  const toRange = (position: number) => ranges.findLast(({ before }) => before <= position) as SeriesRange;
  const byRange = Map.groupBy(new Set(positions), toRange);
  return new Map(
    Array.from(byRange, ([range, own]) => [range, own.map((position) => position - range.before + range.first)]),
  );
}
