/** What goes into a file: which documents of which series, and each one's place among them. */
import type { Row } from "../../database/tables.ts";
import { DOCUMENT_TYPES } from "../../fiscal/document-types.ts";
import { giveWay } from "../../runtime/ports.ts";
import type { ReadScope } from "../../runtime/scope.ts";
import { allSeries } from "../../series/series.ts";
import type { SaftTable } from "../vocabulary.ts";
import { customersAt, linesAt, placeOf, type Run, runIn } from "./reader.ts";
import type { Asked } from "./report.ts";

/** What a file is made of: the series that are real, or for training, and of each the documents that go into it. */
export interface Filing {
  /** As they were when the export began. */
  readonly series: readonly Row<"series">[];
  readonly runs: readonly Run[];
}

/** The documents that go into the file. Heads are read once, all at the same moment. */
export async function filingOf(scope: ReadScope, { training, ...period }: Asked): Promise<Filing> {
  const series = (await allSeries(scope)).filter((row) => (row.training === 1) === training);
  const runs: Run[] = [];
  let before = 0;
  for (const row of series) {
    const run = await runIn(scope, row, period);
    runs.push({ ...run, before });
    before += run.end - run.first;
    await giveWay();
  }
  return { series, runs };
}

/** The runs of a table, in order. */
export function runsOf({ runs }: Filing, table: SaftTable): Run[] {
  return runs.filter(({ series }) => DOCUMENT_TYPES[series.doc_type].saft_table === table);
}

/** The customers' snapshots on the documents at these places, as stored, in the order of the places. */
export async function snapshotsAt(scope: ReadScope, filing: Filing, places: readonly number[]): Promise<string[]> {
  const found = new Map<number, string>();
  for (const [run, sequences] of sequencesByRun(filing, places)) {
    for (const row of await customersAt(scope, run, sequences)) found.set(placeOf(run, row), row.customer);
  }
  return places.map((place) => found.get(place) as string);
}

/** A line of the document at a place. */
export interface LineSpot {
  readonly place: number;
  readonly line_number: number;
}

/** A line as a product's entry is made of it. */
export type ProductLine = Awaited<ReturnType<typeof linesAt>>[number];

/** The lines at these spots, in their order. */
export async function linesAtSpots(
  scope: ReadScope,
  filing: Filing,
  spots: readonly LineSpot[],
): Promise<ProductLine[]> {
  const found = new Map<string, ProductLine>();
  const nameOf = ({ place, line_number }: LineSpot) => `${place} ${line_number}`;
  const places = spots.map(({ place }) => place);
  const numbers = [...new Set(spots.map(({ line_number }) => line_number))];
  for (const [run, sequences] of sequencesByRun(filing, places)) {
    for (const line of await linesAt(scope, run, sequences, numbers)) {
      found.set(nameOf({ place: placeOf(run, line), line_number: line.line_number }), line);
    }
  }
  return spots.map((spot) => found.get(nameOf(spot)) as ProductLine);
}

function sequencesByRun({ runs }: Filing, places: readonly number[]): ReadonlyMap<Run, number[]> {
  const sequences = new Map<Run, number[]>();
  for (const place of new Set(places)) {
    const run = runs.findLast(({ before }) => before <= place) as Run;
    const known = sequences.get(run) ?? [];
    known.push(place - run.before + run.first);
    sequences.set(run, known);
  }
  return sequences;
}
