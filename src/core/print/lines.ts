/** The table of lines: its columns as wide as their figures need, the rest for the description. */
import { totalsOf } from "../fiscal/totals.ts";
import { giveWay } from "../runtime/ports.ts";
import type { Align } from "./canvas.ts";
import { amount, percentage, price, quantity } from "./format.ts";
import { ACCENT, fitsPage, LEFT, leading, makeRoom, PALE, type Sheet, STYLES, WIDTH, writeAt } from "./layout.ts";
import type { PrintableLine } from "./printable.ts";
import { isPriced, isTaxed } from "./traits.ts";

interface Column {
  readonly label: string;
  readonly align: Align;
  readonly cell: (line: PrintableLine) => string;
  /** The most it takes for itself, in points; a longer text is broken. */
  readonly most: number;
}

interface PlacedColumn extends Column {
  readonly x: number;
  readonly width: number;
}

const PADDING = 3.4;

/** A line's net in cents, its own discount taken off and the global one not. */
export const netCents = (line: PrintableLine): number => totalsOf([line]).total_net_cents;

/**
 * Writes the lines, over as many pages as they need. After it `carried` is what they come to. A thousand long lines
 * take seconds: others have their turn after each.
 */
export async function writeLines(sheet: Sheet): Promise<void> {
  const columns = placed(sheet);
  for (const [index, line] of sheet.document.lines.entries()) {
    const row = rowOf(sheet, columns, line);
    if (index === 0) {
      makeRoom(sheet, HEAD + row.height);
      writeHead(sheet, columns);
    }
    writeRow(sheet, columns, row);
    await giveWay();
  }
}

function columnsOf({ document, texts, lang }: Sheet, with_code: boolean): Column[] {
  const { lines } = document;
  const figure = (label: string, cell: Column["cell"]): Column => ({ label, align: "right", cell, most: WIDTH });
  const words = (label: string, cell: Column["cell"], most: number): Column => ({ label, align: "left", cell, most });
  const columns = [
    ...(with_code ? [words(texts.code, (line) => line.product_code ?? "", 62)] : []),
    words(texts.description, (line) => goods(line, with_code), WIDTH),
    figure(texts.quantity, (line) => quantity(line.qty_micros, lang)),
    words(texts.unit, (line) => line.unit, 34),
  ];
  if (!isPriced(document)) return columns;
  columns.push(figure(texts.price, (line) => price(line.unit_price_micros, lang)));
  if (lines.some((line) => line.discount_bps > 0)) {
    columns.push(figure(texts.discount, (line) => (line.discount_bps ? percentage(line.discount_bps, lang) : "")));
  }
  if (isTaxed(document)) {
    const mark = (line: PrintableLine) => (line.exemption_code ? `${line.exemption_code}\u00a0\u00a0` : "");
    columns.push(figure(texts.tax, (line) => `${mark(line)}${percentage(line.tax_rate_bps, lang)}`));
  }
  columns.push(figure(texts.net, (line) => amount(netCents(line), lang)));
  return columns;
}

/** What was sold: the line's text, then the product's name where that says more, then the code without a column. */
function goods({ description, product_name, product_code }: PrintableLine, with_code: boolean): string {
  const name = product_name && !description.includes(product_name) ? product_name : null;
  return [description, name, with_code ? null : product_code].filter(Boolean).join("\n");
}

/** The columns in their places, as airy as the figures allow. */
function placed(sheet: Sheet): readonly PlacedColumn[] {
  const coded = sheet.document.lines.some((line) => line.product_code);
  const airy = spread(sheet, columnsOf(sheet, coded), 12);
  if (airy) return airy;
  const columns = columnsOf(sheet, false);
  return spread(sheet, columns, 12) ?? spread(sheet, columns, 5, 0) ?? [];
}

/** Figures are never broken, the description takes what the others leave; undefined where that is less than `least`. */
function spread(sheet: Sheet, columns: readonly Column[], gap: number, least = 130): PlacedColumn[] | undefined {
  const { paper, document, texts } = sheet;
  const isElastic = ({ label }: Column) => label === texts.description;
  const widest = ({ label, cell }: Column) =>
    document.lines.reduce(
      (width, line) => Math.max(width, paper.widthOf(cell(line), STYLES.text)),
      paper.widthOf(label, STYLES.label),
    );
  const widths = columns.map((column) => (isElastic(column) ? 0 : Math.min(column.most, widest(column) + 1)));
  const rest = widths.reduce((left, width) => left - width, WIDTH - gap * (columns.length - 1));
  if (rest < least) return undefined;
  let x = LEFT;
  return columns.map((column, index) => {
    const width = isElastic(column) ? rest : (widths[index] as number);
    const place = { ...column, x, width };
    x += width + gap;
    return place;
  });
}

const HEAD = leading(STYLES.label) + 6;

function writeHead(sheet: Sheet, columns: readonly PlacedColumn[]): void {
  for (const { label, x, width, align } of columns) {
    writeAt(sheet, { text: label, x, y: sheet.y, width, style: STYLES.label, align });
  }
  sheet.paper.rule(LEFT, sheet.y + HEAD - 2, WIDTH, ACCENT, 0.9);
  sheet.y += HEAD;
}

/** A line as it will stand: the texts of each column, broken, and how high that is. */
interface Row {
  readonly line: PrintableLine;
  readonly cells: readonly (readonly string[])[];
  readonly height: number;
}

function rowOf(sheet: Sheet, columns: readonly PlacedColumn[], line: PrintableLine): Row {
  const cells = columns.map(({ cell, width }) => sheet.paper.broken(cell(line), STYLES.text, width));
  const texts = Math.max(...cells.map((cell) => cell.length));
  return { line, cells, height: texts * leading(STYLES.text) + 2 * PADDING };
}

/** A row stays on one page, unless it is higher than a page. */
function writeRow(sheet: Sheet, columns: readonly PlacedColumn[], { line, cells, height }: Row): void {
  const step = leading(STYLES.text);
  const turn = (room: number) => {
    if (makeRoom(sheet, room)) writeHead(sheet, columns);
  };
  turn(fitsPage(height) ? height : 0);
  sheet.y += PADDING;
  for (let at = 0; cells.some((cell) => at < cell.length); at++) {
    turn(step);
    columns.forEach(({ x, width, align }, index) => {
      const text = cells[index]?.[at];
      if (text) writeAt(sheet, { text, x, y: sheet.y, width: width + 1, style: STYLES.text, align });
    });
    sheet.y += step;
  }
  sheet.y += PADDING;
  if (isPriced(sheet.document)) sheet.carried = (sheet.carried ?? 0) + netCents(line);
  sheet.paper.rule(LEFT, sheet.y, WIDTH, PALE, 0.4);
}
