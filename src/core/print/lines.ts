/** The table of lines. Columns are as wide as their content needs; the description takes the rest. */
import { totalsOf } from "../fiscal/totals.ts";
import { yieldToOthers } from "../runtime/ports.ts";
import type { Align } from "./canvas.ts";
import { amount, percentage, price, quantity } from "./format.ts";
import { ACCENT, fitsPage, type Layout, LEFT, lineHeight, makeRoom, PALE, STYLES, WIDTH, writeText } from "./layout.ts";
import type { PrintableLine } from "./printable.ts";
import { isPriced, isTaxed } from "./traits.ts";

interface Column {
  readonly label: string;
  readonly align: Align;
  readonly cell: (line: PrintableLine) => string;
  /** The widest it may be, in points; longer text is wrapped. */
  readonly limit: number;
}

interface PlacedColumn extends Column {
  readonly x: number;
  readonly width: number;
}

const PADDING = 3.4;

/** A line's net amount in cents, after its own discount and before the global one. */
export const netCents = (line: PrintableLine): number => totalsOf([line]).total_net_cents;

/**
 * Writes the lines, over as many pages as they need, and leaves their sum in `carried`. A thousand long lines take
 * seconds, so other work gets a turn after each.
 */
export async function writeLines(layout: Layout): Promise<void> {
  const columns = placedColumns(layout);
  for (const [index, line] of layout.document.lines.entries()) {
    const row = rowOf(layout, columns, line);
    if (index === 0) {
      makeRoom(layout, TABLE_HEADER_HEIGHT + row.height);
      writeTableHeader(layout, columns);
    }
    writeRow(layout, columns, row);
    await yieldToOthers();
  }
}

function tableColumns({ document, labels, lang }: Layout, hasCode: boolean): Column[] {
  const { lines } = document;
  const number = (label: string, cell: Column["cell"]): Column => ({ label, align: "right", cell, limit: WIDTH });
  const text = (label: string, cell: Column["cell"], limit: number): Column => ({ label, align: "left", cell, limit });
  const columns = [
    ...(hasCode ? [text(labels.code, (line) => line.product_code ?? "", 62)] : []),
    text(labels.description, (line) => descriptionOf(line, hasCode), WIDTH),
    number(labels.quantity, (line) => quantity(line.qty_micros, lang)),
    text(labels.unit, (line) => line.unit, 34),
  ];
  if (!isPriced(document)) return columns;
  columns.push(number(labels.price, (line) => price(line.unit_price_micros, lang)));
  if (lines.some((line) => line.discount_bps > 0)) {
    columns.push(number(labels.discount, (line) => (line.discount_bps ? percentage(line.discount_bps, lang) : "")));
  }
  if (isTaxed(document)) {
    const reason = (line: PrintableLine) => (line.exemption_code ? `${line.exemption_code}\u00a0\u00a0` : "");
    columns.push(number(labels.tax, (line) => `${reason(line)}${percentage(line.tax_rate_bps, lang)}`));
  }
  columns.push(number(labels.net, (line) => amount(netCents(line), lang)));
  return columns;
}

/** The description, the product's name unless the description contains it, and the code where it has no column. */
function descriptionOf({ description, product_name, product_code }: PrintableLine, hasCode: boolean): string {
  const name = product_name && !description.includes(product_name) ? product_name : null;
  return [description, name, hasCode ? null : product_code].filter(Boolean).join("\n");
}

/** The columns with their positions: first with a code column and wide gaps, then without, then with narrow gaps. */
function placedColumns(layout: Layout): readonly PlacedColumn[] {
  const hasCode = layout.document.lines.some((line) => line.product_code);
  const preferred = withWidths(layout, tableColumns(layout, hasCode), 12);
  if (preferred) return preferred;
  const columns = tableColumns(layout, false);
  return withWidths(layout, columns, 12) ?? withWidths(layout, columns, 5, 0) ?? [];
}

/** Gives each column its width and the description the rest; undefined where that is less than `minRest`. */
function withWidths(
  layout: Layout,
  columns: readonly Column[],
  gap: number,
  minRest = 130,
): PlacedColumn[] | undefined {
  const { canvas, document, labels } = layout;
  const isElastic = ({ label }: Column) => label === labels.description;
  const widest = ({ label, cell }: Column) =>
    document.lines.reduce(
      (width, line) => Math.max(width, canvas.widthOf(cell(line), STYLES.text)),
      canvas.widthOf(label, STYLES.label),
    );
  const widths = columns.map((column) => (isElastic(column) ? 0 : Math.min(column.limit, widest(column) + 1)));
  const rest = widths.reduce((left, width) => left - width, WIDTH - gap * (columns.length - 1));
  if (rest < minRest) return undefined;
  let x = LEFT;
  return columns.map((column, index) => {
    const width = isElastic(column) ? rest : (widths[index] as number);
    const place = { ...column, x, width };
    x += width + gap;
    return place;
  });
}

const TABLE_HEADER_HEIGHT = lineHeight(STYLES.label) + 6;

function writeTableHeader(layout: Layout, columns: readonly PlacedColumn[]): void {
  for (const { label, x, width, align } of columns) {
    writeText(layout, { text: label, x, y: layout.y, width, style: STYLES.label, align });
  }
  layout.canvas.rule(LEFT, layout.y + TABLE_HEADER_HEIGHT - 2, WIDTH, ACCENT, 0.9);
  layout.y += TABLE_HEADER_HEIGHT;
}

/** A line ready to write: the wrapped text of each column, and the row's height. */
interface Row {
  readonly line: PrintableLine;
  readonly cells: readonly (readonly string[])[];
  readonly height: number;
}

function rowOf(layout: Layout, columns: readonly PlacedColumn[], line: PrintableLine): Row {
  const cells = columns.map(({ cell, width }) => layout.canvas.wrap(cell(line), STYLES.text, width));
  const rows = Math.max(...cells.map((cell) => cell.length));
  return { line, cells, height: rows * lineHeight(STYLES.text) + 2 * PADDING };
}

/** Writes a row on one page, or over several if it is higher than a page. */
function writeRow(layout: Layout, columns: readonly PlacedColumn[], { line, cells, height }: Row): void {
  const step = lineHeight(STYLES.text);
  const reserve = (room: number) => {
    if (makeRoom(layout, room)) writeTableHeader(layout, columns);
  };
  reserve(fitsPage(height) ? height : 0);
  layout.y += PADDING;
  for (let at = 0; cells.some((cell) => at < cell.length); at++) {
    reserve(step);
    columns.forEach(({ x, width, align }, index) => {
      const text = cells[index]?.[at];
      if (text) writeText(layout, { text, x, y: layout.y, width: width + 1, style: STYLES.text, align });
    });
    layout.y += step;
  }
  layout.y += PADDING;
  if (isPriced(layout.document)) layout.carried = (layout.carried ?? 0) + netCents(line);
  layout.canvas.rule(LEFT, layout.y, WIDTH, PALE, 0.4);
}
