/** Everything below the lines: tax by rate, exemption reasons, totals, payments, notes and the QR code. */
import { lineHeight, type Steps, type Style } from "./canvas.ts";
import {
  mentionsCashVat,
  paymentItems,
  paymentsHeading,
  reasonsOf,
  summaryRows,
  type TotalRows,
  totalRows,
} from "./facts.ts";
import {
  ACCENT,
  fitsPage,
  ITEM_WIDTH,
  type Layout,
  LEFT,
  makeRoom,
  PALE,
  type Pages,
  RIGHT,
  STYLES,
  WIDTH,
  writeItem,
  writeParagraph,
  writeText,
} from "./layout.ts";
import { MM } from "./paper.ts";
import { type QrMatrix, qrMatrix, qrSize } from "./qr-matrix.ts";
import { isPriced, isTaxed } from "./traits.ts";

/** Writes everything below the lines, the QR code last. */
export function* writeTotals(layout: Layout): Steps {
  const code = qrBox(layout);
  if (isPriced(layout.document)) yield* writeAmounts(layout, heightAfterAmounts(layout) + code.height);
  else layout.y += GAP;
  yield* writePayments(layout);
  yield* writeNotes(layout);
  writeQr(layout, code);
}

/** The least width of summary and totals, and the gap between them. */
const SUMMARY_WIDTH = 262;
const TOTALS_WIDTH = 190;
const BETWEEN = 28;
const ROW_HEIGHT = 14;
const GAP = 14;
/** The gap between the columns of the summary, and between a label and its amount. */
const COLUMN_GAP = 12;

/**
 * Writes tax by rate and exemption reasons at the left, totals at the right, or below if the amounts are too wide. They
 * share the last page with the texts after them, which take `after` points, unless that does not fit on one page.
 */
function* writeAmounts(layout: Layout, after: number): Steps {
  const { document, labels, canvas } = layout;
  const summary = isTaxed(document) ? summaryOf(layout) : null;
  const reasons = reasonsOf(layout);
  const totals = sizedTotals(layout, totalRows(layout));
  const isBeside = !summary || summary.width + BETWEEN + totals.width <= WIDTH;
  const rows = summary ? summary.rows.length + 2 : 0;
  const wrapped = reasons.flatMap((reason) => canvas.wrap(reason, STYLES.small, SUMMARY_WIDTH));
  const left = rows * ROW_HEIGHT + (wrapped.length + 1) * lineHeight(STYLES.small);
  const height = isBeside ? Math.max(left, totals.height) : left + totals.height;
  makeRoom(layout, GAP + ([height + after, height].find(fitsPage) ?? totals.height));
  layout.y += GAP;
  layout.carried = null;

  const page = layout.pages.length;
  const bottom = isBeside ? writeTotalRows(layout, totals) : 0;
  if (summary) yield* writeSummary(layout, summary);
  for (const reason of reasons) writeParagraph(layout, reason, STYLES.small, LEFT, SUMMARY_WIDTH);
  if (mentionsCashVat(layout)) writeParagraph(layout, labels.cash_vat, STYLES.mention, LEFT, SUMMARY_WIDTH);
  if (layout.pages.length === page) layout.y = Math.max(layout.y, bottom);
  if (!isBeside) {
    makeRoom(layout, GAP + totals.height);
    layout.y = writeTotalRows(layout, totals);
  }
  layout.y += GAP;
}

/** The rows of tax by rate, with the width of each column and of all. */
interface Summary {
  readonly rows: readonly (readonly string[])[];
  readonly columns: readonly number[];
  readonly width: number;
}

function summaryOf(layout: Layout): Summary {
  const { canvas } = layout;
  const rows = summaryRows(layout);
  const columns = [0, 1, 2, 3].map((at) =>
    rows.reduce((width, row) => Math.max(width, canvas.widthOf(row[at] ?? "", STYLES.text)), 28),
  );
  const natural = columns.reduce((sum, width) => sum + width, (columns.length - 1) * COLUMN_GAP);
  return { rows, columns, width: Math.max(natural, SUMMARY_WIDTH) };
}

function* writeSummary(layout: Layout, { rows, columns, width }: Summary): Steps {
  const { labels, canvas } = layout;
  const write = ([name = "", ...numbers]: readonly string[], style: Style) => {
    writeText(layout, { text: name, x: LEFT, y: layout.y, width, style });
    let right = LEFT + width;
    for (const [index, text] of [...numbers.entries()].toReversed()) {
      const own = columns[index + 1] as number;
      writeText(layout, { text, x: right - own, y: layout.y, width: own, style, align: "right" });
      right -= own + COLUMN_GAP;
    }
  };
  write([labels.summary, "", labels.base, labels.tax], STYLES.label);
  layout.y += ROW_HEIGHT - 1;
  canvas.rule(LEFT, layout.y, width, PALE, 0.6);
  layout.y += 4;
  for (const row of rows) {
    makeRoom(layout, ROW_HEIGHT);
    write(row, STYLES.text);
    layout.y += ROW_HEIGHT;
    yield;
  }
  layout.y += 6;
}

/** The rows of the totals, and the space they take. */
interface Totals extends TotalRows {
  readonly width: number;
  readonly height: number;
}

/** Rows and a total with the space they take. */
export function sizedTotals({ canvas }: Pages, { rows, total }: TotalRows): Totals {
  const widthOf = ([label, text]: readonly [string, string], styles: readonly [Style, Style]) =>
    canvas.widthOf(label, styles[0]) + COLUMN_GAP + canvas.widthOf(text, styles[1]);
  const widths = rows.map((row) => widthOf(row, [STYLES.quiet, STYLES.text]));
  const width = Math.max(TOTALS_WIDTH, widthOf(total, [STYLES.strong, STYLES.total]), ...widths);
  return { rows, total, width, height: rows.length * ROW_HEIGHT + 8 + lineHeight(STYLES.total) };
}

/** Writes the totals at the right without moving `y`. Returns where they end. */
export function writeTotalRows(layout: Pages, { rows, total, width }: Totals): number {
  const x = RIGHT - width;
  let y = layout.y;
  const write = (text: string, style: Style, at: number, align: "left" | "right" = "left") =>
    writeText(layout, { text, x, y: at, width, style, align });
  for (const [label, text] of rows) {
    write(label, STYLES.quiet, y);
    write(text, STYLES.text, y, "right");
    y += ROW_HEIGHT;
  }
  if (rows.length > 0) {
    layout.canvas.rule(x, y + 2, width, ACCENT, 0.9);
    y += 8;
  }
  const [label, text] = total;
  write(label, STYLES.strong, y + 3);
  write(text, STYLES.total, y - 1, "right");
  return y + lineHeight(STYLES.total);
}

/** The height of payments and notes. */
function heightAfterAmounts(layout: Layout): number {
  const { document, canvas } = layout;
  const heightOf = (texts: readonly string[], width: number) =>
    texts.reduce((sum, text) => sum + canvas.wrap(text, STYLES.text, width).length, 2) * lineHeight(STYLES.text) + GAP;
  const payments = paymentItems(layout).map(({ text }) => text);
  return (
    (payments.length > 0 ? heightOf(payments, ITEM_WIDTH) : 0) +
    (document.notes === null ? 0 : heightOf([document.notes], WIDTH))
  );
}

function* writePayments(layout: Layout): Steps {
  if (layout.document.payments.length === 0) return;
  writeHeading(layout, paymentsHeading(layout));
  for (const { text, cents } of paymentItems(layout)) {
    writeItem(layout, text, cents);
    yield;
  }
  layout.y += GAP;
}

function* writeNotes(layout: Layout): Steps {
  const { document, labels } = layout;
  if (!document.notes) return;
  writeHeading(layout, labels.notes);
  writeParagraph(layout, document.notes, STYLES.text);
  layout.y += GAP;
  yield;
}

/** Writes a small heading, never as the last text of a page. */
function writeHeading(layout: Layout, label: string): void {
  makeRoom(layout, lineHeight(STYLES.label) + 2 + lineHeight(STYLES.text));
  writeParagraph(layout, label, STYLES.label);
  layout.y += 2;
}

const QR_MARGIN = 2.5 * MM;

/** The QR code, its side in points, the height of the ATCUD above it, and the height of both with margins. */
interface QrBox {
  readonly matrix: QrMatrix;
  readonly size: number;
  readonly above: number;
  readonly height: number;
}

function qrBox({ document }: Layout): QrBox {
  const matrix = qrMatrix(document.qr_code);
  const size = qrSize(matrix);
  const above = document.atcud === null ? 0 : lineHeight(STYLES.strong);
  return { matrix, size, above, height: above + size + 2 * QR_MARGIN };
}

/** Writes the ATCUD with the QR code just below it (Portaria 195/2020), and the company's footer text beside them. */
function writeQr(layout: Layout, { matrix, size, above, height }: QrBox): void {
  const { document, canvas } = layout;
  makeRoom(layout, height);
  const top = layout.y;
  if (document.atcud !== null) {
    writeText(layout, { text: `ATCUD:${document.atcud}`, x: LEFT, y: top, width: WIDTH, style: STYLES.strong });
  }
  const y = top + above + QR_MARGIN;
  canvas.qrCode(matrix, LEFT, y, size);
  if (document.footer_text) writeFooterText(layout, document.footer_text, LEFT + size + 2 * QR_MARGIN, y + size);
}

/** The lines of footer text that fit beside the QR code; any more are dropped. */
const MAX_FOOTER_LINES = 9;

function writeFooterText(layout: Layout, text: string, x: number, bottom: number): void {
  const width = RIGHT - x;
  const lines = layout.canvas.wrap(text, STYLES.footer, width).slice(0, MAX_FOOTER_LINES);
  const y = bottom - lines.length * lineHeight(STYLES.footer);
  writeText(layout, { text: lines.join("\n"), x, y, width, style: STYLES.footer });
}
