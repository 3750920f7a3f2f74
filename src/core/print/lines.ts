/** The table of lines. Columns are as wide as their content needs; the description takes the rest. */

import { amount, decimalsOf, quantity } from "../texts/format.ts";
import { type Align, lineHeight, type Steps } from "./canvas.ts";
import { descriptionOf, lineCents, lineDiscount, lineRate, unitPrice } from "./facts.ts";
import { ACCENT, fitsPage, type Layout, LEFT, makeRoom, PALE, RIGHT, STYLES, WIDTH, writeText } from "./layout.ts";
import type { PrintableLine } from "./printable.ts";
import { isPriced, isTaxed, showsGrossPrices } from "./traits.ts";

interface Column {
  readonly label: string;
  readonly align: Align;
  readonly cell: (line: PrintableLine) => string;
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

interface PlacedColumn extends Column {
  readonly x: number;
  readonly width: number;
  /** The width kept for decimals. */
  readonly decimals: number;
}

/** The columns; `isSpread` where the description has rows of its own above the others. */
interface Table {
  readonly columns: readonly PlacedColumn[];
  readonly isSpread: boolean;
}

const PADDING = 3.4;
const STYLE = STYLES.text;

/** The narrowest description beside other columns: it bounds the height of a line. */
const MIN_DESCRIPTION = 130;

/** Writes the lines, over as many pages as they need, and leaves their sum in `carried`. */
export function* writeLines(layout: Layout): Steps {
  const { lines } = layout.document;
  const columns = columnsOf(layout);
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
    if (isPriced(layout.document)) layout.carried = (layout.carried ?? 0) + lineCents(layout.document, line);
    yield;
  }
}

const isCode = (layout: Layout, { label }: Column) => label === layout.labels.code;
const isDescription = (layout: Layout, { label }: Column) => label === layout.labels.description;

/** The columns of a document, in order. */
function columnsOf(layout: Layout): Column[] {
  const { document, labels, lang } = layout;
  const { lines } = document;
  const text = (label: string, cell: Column["cell"], limit: number): Column => ({
    ...{ label, cell, limit, align: "left", byPoint: false },
  });
  const number = (label: string, cell: Column["cell"], byPoint = false): Column => ({
    ...{ label, cell, byPoint, align: "right", limit: WIDTH },
  });
  const columns = [
    ...(lines.some((line) => line.product_code) ? [text(labels.code, (line) => line.product_code ?? "", 62)] : []),
    text(labels.description, (line) => descriptionOf(layout, line, true), WIDTH),
    number(labels.quantity, (line) => quantity(line.qty_micros, lang), true),
    text(labels.unit, (line) => line.unit, 34),
  ];
  if (!isPriced(document)) return columns;
  const isGross = showsGrossPrices(document);
  columns.push(number(isGross ? labels.price_gross : labels.price, (line) => unitPrice(layout, line), true));
  if (lines.some((line) => line.discount_bps > 0 || line.discount_cents !== null)) {
    columns.push(number(labels.discount, (line) => lineDiscount(layout, line)));
  }
  if (isTaxed(document)) {
    columns.push(number(labels.tax, (line) => lineRate(layout, line)));
  }
  columns.push(number(isGross ? labels.gross : labels.net, (line) => amount(lineCents(document, line), lang)));
  return columns;
}

/** Makes the measures large enough for a line. */
function widen(layout: Layout, columns: readonly Column[], measures: readonly Measure[], line: PrintableLine): void {
  const { canvas, lang } = layout;
  columns.forEach((column, index) => {
    if (isDescription(layout, column)) return;
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
function tableOf(layout: Layout, columns: readonly Column[], measures: readonly Measure[]): Table {
  const sized = columns.map((column, index) => {
    const { whole, decimals } = measures[index] as Measure;
    const label = layout.canvas.widthOf(column.label, STYLES.label);
    const width = Math.min(column.limit, Math.max(whole + decimals, label));
    return { ...column, decimals, width: isDescription(layout, column) ? 0 : width };
  });
  const cell = (line: PrintableLine) => descriptionOf(layout, line, false);
  const bare = sized
    .filter((column) => !isCode(layout, column))
    .map((column) => (isDescription(layout, column) ? { ...column, cell } : column));
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
  const placed = some.toReversed().map((column): PlacedColumn => {
    if (isDescription(layout, column)) return { ...column, x: LEFT, width: form ? right - LEFT : WIDTH };
    const x = right - column.width;
    right = x - gap;
    return { ...column, x };
  });
  return { columns: placedFromLeft(layout, placed.toReversed(), gap), isSpread: form === undefined };
}

/** Moves the columns left of the description to the left margin. */
function placedFromLeft(layout: Layout, columns: readonly PlacedColumn[], gap: number): PlacedColumn[] {
  const [first, second, ...others] = columns;
  if (!first || !second || !isCode(layout, first)) return [...columns];
  const x = LEFT + first.width + gap;
  return [{ ...first, x: LEFT }, { ...second, x, width: second.x + second.width - x }, ...others];
}

const TABLE_HEADER_HEIGHT = lineHeight(STYLES.label) + 6;

function writeTableHeader(layout: Layout, { columns }: Table): void {
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

function rowsOf(layout: Layout, { columns, isSpread }: Table, line: PrintableLine): Row[] {
  const cells = columns.map(({ cell, width, limit }) =>
    limit < WIDTH || width > MIN_DESCRIPTION ? layout.canvas.wrap(cell(line), STYLE, width) : [cell(line)],
  );
  const description = columns.findIndex((column) => isDescription(layout, column));
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
function* writeRows(layout: Layout, table: Table, rows: readonly Row[]): Steps {
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

function writeCell({ canvas, lang, y }: Layout, column: PlacedColumn, text: string | undefined): void {
  if (!text) return;
  const { x, width, align, byPoint, decimals } = column;
  const beyond = byPoint ? decimals - canvas.widthOf(decimalsOf(text, lang), STYLE) : 0;
  const indent = align === "right" ? width - beyond - canvas.widthOf(text, STYLE) : 0;
  canvas.write(text, x + indent, y + STYLE.size, STYLE);
}
