/** Everything below the lines: tax by rate, exemption reasons, totals, payments, notes and the QR code. */
import { isReceipt } from "../fiscal/document-types.ts";
import { EXEMPTIONS } from "../fiscal/exemptions.ts";
import { totalsOf } from "../fiscal/totals.ts";
import type { Style } from "./canvas.ts";
import { amount, type Lang, percentage } from "./format.ts";
import { paymentName, rateName, regionName } from "./labels.ts";
import {
  ACCENT,
  BOTTOM,
  fitsPage,
  ITEM_WIDTH,
  type Layout,
  LEFT,
  lineHeight,
  makeRoom,
  PALE,
  RIGHT,
  STYLES,
  WIDTH,
  writeItem,
  writeParagraph,
  writeText,
} from "./layout.ts";
import { netCents } from "./lines.ts";
import type { PrintableDocument, PrintablePayment } from "./printable.ts";
import { type QrMatrix, qrMatrix } from "./qr-matrix.ts";
import { isDelivery, isPriced, isTaxed } from "./traits.ts";

const MM = 72 / 25.4;

/** Writes everything below the lines and ends the last page with the QR code. */
export function writeTotals(layout: Layout): void {
  const code = qrBox(layout);
  if (isPriced(layout.document)) writeAmounts(layout, heightAfterAmounts(layout) + code.height);
  else layout.y += GAP;
  writePayments(layout);
  writeNotes(layout);
  writeQr(layout, code);
}

const SUMMARY_WIDTH = 262;
const TOTALS_WIDTH = 190;
const ROW_HEIGHT = 14;
const GAP = 14;

/**
 * Writes tax by rate and exemption reasons at the left, totals at the right. They share the last page with what
 * follows them, which takes `after` points, unless one page cannot hold all that.
 */
function writeAmounts(layout: Layout, after: number): void {
  const { document, labels, canvas } = layout;
  const summary = isTaxed(document) ? summaryOf(layout) : [];
  const reasons = reasonsOf(document);
  const totals = totalRows(layout);
  const left = (summary.length + 2) * ROW_HEIGHT + (reasons.length + 1) * lineHeight(STYLES.label) * 1.5;
  const right = totals.length * ROW_HEIGHT + 40;
  const height = Math.max(left, right);
  makeRoom(layout, GAP + ([height + after, height].find(fitsPage) ?? right));
  layout.y += GAP;
  layout.carried = null;

  const page = canvas.pageCount();
  const bottom = writeTotalRows(layout, totals);
  if (summary.length > 0) writeSummary(layout, summary);
  for (const reason of reasons) writeParagraph(layout, reason, STYLES.small, LEFT, SUMMARY_WIDTH);
  if (document.issuer.cash_vat && !isDelivery(document))
    writeParagraph(layout, labels.cash_vat, STYLES.mention, LEFT, SUMMARY_WIDTH);
  layout.y = (canvas.pageCount() === page ? Math.max(layout.y, bottom) : layout.y) + GAP;
}

/** The rows of tax by rate, from the same groups as the totals; the law requires base and tax of each rate. */
function summaryOf({ document, lang }: Layout): string[][] {
  const { groups } = totalsOf(document.lines, document.global_discount_bps);
  const taxed = groups.filter(({ tax_code }) => tax_code !== "");
  // Regions stay in order of appearance; rates ascend within a region.
  const rows = taxed.toSorted((a, b) => (a.tax_region === b.tax_region ? a.tax_rate_bps - b.tax_rate_bps : 0));
  return rows.map((group) => [
    `${regionName(group.tax_region, lang)} · ${rateName(group.tax_code, lang)}`,
    percentage(group.tax_rate_bps, lang),
    amount(group.net_cents, lang),
    amount(group.tax_cents, lang),
  ]);
}

function writeSummary(layout: Layout, rows: readonly (readonly string[])[]): void {
  const { labels, canvas } = layout;
  const [rate, base, tax] = [1, 2, 3].map((at) =>
    rows.reduce((width, row) => Math.max(width, canvas.widthOf(row[at] ?? "", STYLES.text)), 28),
  ) as [number, number, number];
  const ends = [SUMMARY_WIDTH - base - tax - 24, SUMMARY_WIDTH - tax - 12, SUMMARY_WIDTH];
  const write = (cells: readonly string[], style: Style) => {
    const [name = "", ...numbers] = cells;
    writeText(layout, { text: name, x: LEFT, y: layout.y, width: (ends[0] as number) - rate - 4, style });
    numbers.forEach((text, index) => {
      const width = ends[index] as number;
      writeText(layout, { text, x: LEFT, y: layout.y, width, style, align: "right" });
    });
  };
  write([labels.summary, "", labels.base, labels.tax], STYLES.label);
  layout.y += ROW_HEIGHT - 1;
  canvas.rule(LEFT, layout.y, SUMMARY_WIDTH, PALE, 0.6);
  layout.y += 4;
  for (const row of rows) {
    makeRoom(layout, ROW_HEIGHT);
    write(row, STYLES.text);
    layout.y += ROW_HEIGHT;
  }
  layout.y += 6;
}

/** The exemption reasons in use, each with the code that its lines show. */
function reasonsOf(document: PrintableDocument): string[] {
  const used = new Set(isTaxed(document) ? document.lines.map((line) => line.exemption_code) : []);
  return EXEMPTIONS.filter(({ code }) => used.has(code)).map(({ code, mention }) => `${code}   ${mention}`);
}

/** Every step from the sum of the printed lines to the total, so that a reader who adds them up gets the same. */
function totalRows({ document, labels, lang }: Layout): (readonly [label: string, cents: number])[] {
  const { lines, global_discount_bps, total_net_cents, total_tax_cents } = document;
  const sum = lines.reduce((cents, line) => cents + netCents(line), 0);
  const full = totalsOf(lines).total_net_cents;
  const rows: (readonly [string, number])[] = [];
  if (sum !== total_net_cents) rows.push([labels.sum, sum]);
  if (full !== sum) rows.push([labels.rounding, full - sum]);
  if (global_discount_bps > 0) {
    rows.push([`${labels.global_discount} ${percentage(global_discount_bps, lang)}`, total_net_cents - full]);
  }
  if (isTaxed(document)) rows.push([labels.total_net, total_net_cents], [labels.total_tax, total_tax_cents]);
  return rows;
}

/** Writes the totals at the right without moving `y`. Returns where they end. */
function writeTotalRows(layout: Layout, rows: ReturnType<typeof totalRows>): number {
  const { document, labels, lang, canvas } = layout;
  const x = RIGHT - TOTALS_WIDTH;
  let y = layout.y;
  for (const [label, cents] of rows) {
    writeText(layout, { text: label, x, y, width: TOTALS_WIDTH, style: STYLES.quiet });
    writeText(layout, { text: amount(cents, lang), x, y, width: TOTALS_WIDTH, style: STYLES.text, align: "right" });
    y += ROW_HEIGHT;
  }
  if (rows.length > 0) {
    canvas.rule(x, y + 2, TOTALS_WIDTH, ACCENT, 0.9);
    y += 8;
  }
  const label = isReceipt(document) ? labels.received : labels.total;
  writeText(layout, { text: `${label} (EUR)`, x, y: y + 3, width: TOTALS_WIDTH, style: STYLES.strong });
  const total = { text: amount(document.total_gross_cents, lang), x, y: y - 1, width: TOTALS_WIDTH };
  writeText(layout, { ...total, style: STYLES.total, align: "right" });
  return y + lineHeight(STYLES.total);
}

const paymentText = ({ method_code, payment_date }: PrintablePayment, lang: Lang) =>
  `${paymentName(method_code, lang)}  ·  ${payment_date}`;

/** The height of payments and notes. */
function heightAfterAmounts({ document, canvas, lang }: Layout): number {
  const heightOf = (texts: readonly string[], width: number) =>
    texts.reduce((sum, text) => sum + canvas.wrap(text, STYLES.text, width).length, 2) * lineHeight(STYLES.text) + GAP;
  const payments = document.payments.map((payment) => paymentText(payment, lang));
  return (
    (payments.length > 0 ? heightOf(payments, ITEM_WIDTH) : 0) +
    (document.notes === null ? 0 : heightOf([document.notes], WIDTH))
  );
}

function writePayments(layout: Layout): void {
  const { document, labels, lang } = layout;
  if (document.payments.length === 0) return;
  writeHeading(layout, labels.payments);
  for (const payment of document.payments) {
    writeItem(layout, paymentText(payment, lang), payment.amount_cents);
  }
  layout.y += GAP;
}

function writeNotes(layout: Layout): void {
  const { document, labels } = layout;
  if (!document.notes) return;
  writeHeading(layout, labels.notes);
  writeParagraph(layout, document.notes, STYLES.text);
  layout.y += GAP;
}

/** Writes a small heading, never as the last text of a page. */
function writeHeading(layout: Layout, label: string): void {
  makeRoom(layout, lineHeight(STYLES.label) + 2 + lineHeight(STYLES.text));
  writeParagraph(layout, label, STYLES.label);
  layout.y += 2;
}

/** The smallest module that a scanner still reads at 150 dots per inch. */
const MIN_MODULE = 0.56 * MM;
const MIN_QR = 30 * MM;
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
  const size = Math.max(MIN_QR, matrix.side * MIN_MODULE);
  const above = document.atcud === null ? 0 : lineHeight(STYLES.strong);
  return { matrix, size, above, height: above + size + 2 * QR_MARGIN };
}

/** Writes the ATCUD with the QR code just below it (Portaria 195/2020), and the company's footer text beside them. */
function writeQr(layout: Layout, { matrix, size, above, height }: QrBox): void {
  const { document, canvas } = layout;
  makeRoom(layout, height);
  const top = BOTTOM - height;
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
  writeText(layout, { text: lines.join("\n"), x, y, width: width + 1, style: STYLES.footer });
}
