/** A table over as many pages as it needs. Columns are as wide as their content; the description takes the rest. */

import { decimalsOf } from "../texts/format.ts";
import { type Align, lineHeight, type Steps } from "./canvas.ts";
import { ACCENT, fitsPage, LEFT, makeRoom, PALE, type Pages, RIGHT, STYLES, WIDTH, writeText } from "./layout.ts";

/** A column of a table of such lines. */
export interface Column<Line> {
  readonly label: string;
  /** One column is the description; a code may be left out where its description's `bare` cell has it. */
  readonly role?: "code" | "description";
  readonly align: Align;
  readonly cell: (line: Line) => string;
  /** The cell of a description without a column of codes. */
  readonly bare?: (line: Line) => string;
  /** The widest it may be, in points; longer text is wrapped. */
  readonly limit: number;
  /** Whether numbers stand with their decimal points below each other. */
  readonly byPoint: boolean;
}

/** The space a column's content needs: before the decimal point and from it on, where numbers stand by it. */
interface Measure {
  whole: number;
  decimals: number;
}

interface PlacedColumn<Line> extends Column<Line> {
  readonly x: number;
  readonly width: number;
  /** The width kept for decimals. */
  readonly decimals: number;
}

/** The columns; `isSpread` where the description has rows of its own above the others. */
interface Table<Line> {
  readonly columns: readonly PlacedColumn<Line>[];
  readonly isSpread: boolean;
}

const PADDING = 3.4;
const STYLE = STYLES.text;

/** The narrowest description beside other columns: it bounds the height of a line. */
const MIN_DESCRIPTION = 130;

/** A column of text, at most `limit` wide. */
export const textColumn = <Line>(label: string, cell: Column<Line>["cell"], limit: number): Column<Line> => ({
  ...{ label, cell, limit, align: "left", byPoint: false },
});

/** The column of the description. */
export const descriptionColumn = <Line>(label: string, cell: Column<Line>["cell"], bare = cell): Column<Line> => ({
  ...textColumn(label, cell, WIDTH),
  role: "description",
  bare,
});

/** A column of numbers. */
export const numberColumn = <Line>(label: string, cell: Column<Line>["cell"], byPoint = false): Column<Line> => ({
  ...{ label, cell, byPoint, align: "right", limit: WIDTH },
});

/**
 * Writes the lines. After each `carry` tells from what was carried over before it, and the line, what a page that ends
 * there carries over.
 */
export function* writeTable<Line>(
  layout: Pages,
  columns: readonly Column<Line>[],
  lines: readonly Line[],
  carry: (carried: number | null, line: Line) => number | null,
): Steps {
  const measures = columns.map(
    ({ label }): Measure => ({ whole: layout.canvas.widthOf(label, STYLES.label), decimals: 0 }),
  );
  for (const line of lines) {
    widen(layout, columns, measures, line);
    yield;
  }
  const table = tableOf(layout, columns, measures);
  for (const [index, line] of lines.entries()) {
    const rows = rowsOf(layout, table, line);
    if (index === 0) {
      makeRoom(layout, TABLE_HEADER_HEIGHT + heightOf(rows));
      writeTableHeader(layout, table);
    }
    yield* writeRows(layout, table, rows);
    layout.carried = carry(layout.carried, line);
    yield;
  }
}

const isCode = ({ role }: { readonly role?: string }) => role === "code";
const isDescription = ({ role }: { readonly role?: string }) => role === "description";

/** Makes the measures large enough for a line. */
function widen<Line>(
  { canvas, lang }: Pages,
  columns: readonly Column<Line>[],
  measures: readonly Measure[],
  line: Line,
): void {
  columns.forEach((column, index) => {
    if (isDescription(column)) return;
    const measure = measures[index] as Measure;
    const text = column.cell(line);
    const decimals = column.byPoint ? canvas.widthOf(decimalsOf(text, lang), STYLE) : 0;
    measure.decimals = Math.max(measure.decimals, decimals);
    measure.whole = Math.max(measure.whole, canvas.widthOf(text, STYLE) - decimals);
  });
}

/**
 * The table in the first form that leaves the description enough room: with the codes in a column or below, and closer.
 */
function tableOf<Line>(layout: Pages, columns: readonly Column<Line>[], measures: readonly Measure[]): Table<Line> {
  const sized = columns.map((column, index) => {
    const { whole, decimals } = measures[index] as Measure;
    const label = layout.canvas.widthOf(column.label, STYLES.label);
    const width = Math.min(column.limit, Math.max(whole + decimals, label));
    return { ...column, decimals, width: isDescription(column) ? 0 : width };
  });
  const bare = sized
    .filter((column) => !isCode(column))
    .map((column) => ({ ...column, cell: column.bare ?? column.cell }));
  const rest = (some: typeof sized, gap: number) =>
    some.reduce((left, { width }) => left - width, WIDTH - gap * (some.length - 1));
  const forms = [
    { some: sized, gap: 12 },
    { some: sized, gap: 8 },
    { some: bare, gap: 12 },
    { some: bare, gap: 6 },
  ];
  const form = forms.find(({ some, gap }) => rest(some, gap) >= MIN_DESCRIPTION);
  const { some, gap } = form ?? { some: bare, gap: 6 };
  let right = RIGHT;
  const placed = some.toReversed().map((column): PlacedColumn<Line> => {
    if (isDescription(column)) return { ...column, x: LEFT, width: form ? right - LEFT : WIDTH };
    const x = right - column.width;
    right = x - gap;
    return { ...column, x };
  });
  return { columns: placedFromLeft(placed.toReversed(), gap), isSpread: form === undefined };
}

/** Moves the columns left of the description to the left margin. */
function placedFromLeft<Line>(columns: readonly PlacedColumn<Line>[], gap: number): PlacedColumn<Line>[] {
  const end = columns.findIndex(isDescription);
  let x = LEFT;
  return columns.map((column, index) => {
    if (index > end) return column;
    const placed = { ...column, x, width: index < end ? column.width : column.x + column.width - x };
    x += column.width + gap;
    return placed;
  });
}

const TABLE_HEADER_HEIGHT = lineHeight(STYLES.label) + 6;

function writeTableHeader<Line>(layout: Pages, { columns }: Table<Line>): void {
  for (const { label, x, width, align } of columns) {
    writeText(layout, { text: label, x, y: layout.y, width, style: STYLES.label, align });
  }
  layout.canvas.rule(LEFT, layout.y + TABLE_HEADER_HEIGHT - 2, WIDTH, ACCENT, 0.9);
  layout.y += TABLE_HEADER_HEIGHT;
}

const ROWS_IN_A_STEP = 16;

/** One row of print: the text of each column, if any. */
type Row = readonly (string | undefined)[];

const heightOf = (rows: readonly Row[]) => rows.length * lineHeight(STYLE) + 2 * PADDING;

function rowsOf<Line>(layout: Pages, { columns, isSpread }: Table<Line>, line: Line): Row[] {
  const cells = columns.map(({ cell, width, limit }) =>
    limit < WIDTH || width > MIN_DESCRIPTION ? layout.canvas.wrap(cell(line), STYLE, width) : [cell(line)],
  );
  const description = columns.findIndex((column) => isDescription(column));
  const isBeside = (index: number) => !isSpread || index !== description;
  const beside = cells.map((cell, index) => (isBeside(index) ? cell : []));
  const above = isSpread ? (cells[description] ?? []) : [];
  return [
    ...above.map((text) => columns.map((_, index) => (index === description ? text : undefined))),
    ...Array.from({ length: Math.max(...beside.map(({ length }) => length)) }, (_, at) =>
      beside.map((cell) => cell[at]),
    ),
  ];
}

/** Writes the rows of a line on one page, or over several if they are higher than a page. */
function* writeRows<Line>(layout: Pages, table: Table<Line>, rows: readonly Row[]): Steps {
  const height = heightOf(rows);
  const reserve = (room: number) => {
    if (makeRoom(layout, room)) writeTableHeader(layout, table);
  };
  reserve(fitsPage(height) ? height : 0);
  layout.y += PADDING;
  for (const [index, row] of rows.entries()) {
    if (index % ROWS_IN_A_STEP === ROWS_IN_A_STEP - 1) yield;
    reserve(lineHeight(STYLE));
    for (const [index, column] of table.columns.entries()) writeCell(layout, column, row[index]);
    layout.y += lineHeight(STYLE);
  }
  layout.y += PADDING;
  layout.canvas.rule(LEFT, layout.y, WIDTH, PALE, 0.4);
}

function writeCell<Line>({ canvas, lang, y }: Pages, column: PlacedColumn<Line>, text: string | undefined): void {
  if (!text) return;
  const { x, width, align, byPoint, decimals } = column;
  const beyond = byPoint ? decimals - canvas.widthOf(decimalsOf(text, lang), STYLE) : 0;
  const indent = align === "right" ? width - beyond - canvas.widthOf(text, STYLE) : 0;
  canvas.write(text, x + indent, y + STYLE.size, STYLE);
}
