/** What stands below the lines: the tax by rate, the totals, how it was paid, why no tax, and the QR code. */
import { EXEMPTIONS } from "../fiscal/exemptions.ts";
import { totalsOf } from "../fiscal/totals.ts";
import type { Style } from "./canvas.ts";
import { amount, type Lang, percentage } from "./format.ts";
import { paymentName, rateName, regionName } from "./labels.ts";
import {
  ACCENT,
  BESIDE,
  BOTTOM,
  block,
  fitsPage,
  LEFT,
  leading,
  makeRoom,
  PALE,
  RIGHT,
  type Sheet,
  STYLES,
  WIDTH,
  writeAt,
  writeItem,
} from "./layout.ts";
import { netCents } from "./lines.ts";
import type { PrintableDocument, PrintablePayment } from "./printable.ts";
import { type QrPicture, qrPicture } from "./qr-picture.ts";
import { isDelivery, isPriced, isReceipt, isTaxed } from "./traits.ts";

const MM = 72 / 25.4;

/** Writes all that comes after the lines; the QR code closes the last page. */
export function writeClosing(sheet: Sheet): void {
  const code = qrBox(sheet);
  if (isPriced(sheet.document)) writeAmounts(sheet, afterAmounts(sheet) + code.height);
  else sheet.y += GAP;
  writePayments(sheet);
  writeNotes(sheet);
  writeQr(sheet, code);
}

const SUMMARY = 262;
const TOTALS = 190;
const ROW = 14;
const GAP = 14;

/**
 * The tax by rate and the reasons for none at the left, the totals at the right. They stand on the last page, with
 * what comes `after` them, unless no page can hold all that.
 */
function writeAmounts(sheet: Sheet, after: number): void {
  const { document, texts, paper } = sheet;
  const summary = isTaxed(document) ? summaryOf(sheet) : [];
  const reasons = reasonsOf(document);
  const totals = totalsRows(sheet);
  const left = (summary.length + 2) * ROW + (reasons.length + 1) * leading(STYLES.label) * 1.5;
  const right = totals.length * ROW + 40;
  const height = Math.max(left, right);
  makeRoom(sheet, GAP + ([height + after, height].find(fitsPage) ?? right));
  sheet.y += GAP;
  sheet.carried = null;

  const page = paper.pages();
  const bottom = writeTotals(sheet, totals);
  if (summary.length > 0) writeSummary(sheet, summary);
  for (const reason of reasons) block(sheet, reason, STYLES.small, LEFT, SUMMARY);
  if (document.issuer.cash_vat && !isDelivery(document)) block(sheet, texts.cash_vat, STYLES.mention, LEFT, SUMMARY);
  sheet.y = (paper.pages() === page ? Math.max(sheet.y, bottom) : sheet.y) + GAP;
}

/** The groups as the totals are made of them: this is where the law wants base and tax by rate. */
function summaryOf({ document, lang }: Sheet): string[][] {
  const { groups } = totalsOf(document.lines, document.global_discount_bps);
  const taxed = groups.filter(({ tax_code }) => tax_code !== "");
  // Within a region by rate, as people look for it.
  const rows = taxed.toSorted((a, b) => (a.tax_region === b.tax_region ? a.tax_rate_bps - b.tax_rate_bps : 0));
  return rows.map((group) => [
    `${regionName(group.tax_region, lang)} · ${rateName(group.tax_code, lang)}`,
    percentage(group.tax_rate_bps, lang),
    amount(group.net_cents, lang),
    amount(group.tax_cents, lang),
  ]);
}

function writeSummary(sheet: Sheet, rows: readonly (readonly string[])[]): void {
  const { texts, paper } = sheet;
  const [rate, base, tax] = [1, 2, 3].map((at) =>
    rows.reduce((width, row) => Math.max(width, paper.widthOf(row[at] ?? "", STYLES.text)), 28),
  ) as [number, number, number];
  const ends = [SUMMARY - base - tax - 24, SUMMARY - tax - 12, SUMMARY];
  const write = (cells: readonly string[], style: Style) => {
    const [name = "", ...figures] = cells;
    writeAt(sheet, { text: name, x: LEFT, y: sheet.y, width: (ends[0] as number) - rate - 4, style });
    figures.forEach((text, index) => {
      const width = ends[index] as number;
      writeAt(sheet, { text, x: LEFT, y: sheet.y, width, style, align: "right" });
    });
  };
  write([texts.summary, "", texts.base, texts.tax], STYLES.label);
  sheet.y += ROW - 1;
  paper.rule(LEFT, sheet.y, SUMMARY, PALE, 0.6);
  sheet.y += 4;
  for (const row of rows) {
    makeRoom(sheet, ROW);
    write(row, STYLES.text);
    sheet.y += ROW;
  }
  sheet.y += 6;
}

/** Each reason for which a line bears no tax, by the code that marks the line. */
function reasonsOf(document: PrintableDocument): string[] {
  const used = new Set(isTaxed(document) ? document.lines.map((line) => line.exemption_code) : []);
  return EXEMPTIONS.filter(({ code }) => used.has(code)).map(({ code, mention }) => `${code}   ${mention}`);
}

/** From the sum of the printed lines to what is to be paid, so that a reader who adds arrives. */
function totalsRows({ document, texts, lang }: Sheet): (readonly [label: string, cents: number])[] {
  const { lines, global_discount_bps, total_net_cents, total_tax_cents } = document;
  const sum = lines.reduce((cents, line) => cents + netCents(line), 0);
  const full = totalsOf(lines).total_net_cents;
  const rows: (readonly [string, number])[] = [];
  if (sum !== total_net_cents) rows.push([texts.sum, sum]);
  if (full !== sum) rows.push([texts.rounding, full - sum]);
  if (global_discount_bps > 0) {
    rows.push([`${texts.global_discount} ${percentage(global_discount_bps, lang)}`, total_net_cents - full]);
  }
  if (isTaxed(document)) rows.push([texts.total_net, total_net_cents], [texts.total_tax, total_tax_cents]);
  return rows;
}

/** Writes the totals at the right and leaves `y` where it was; gives where they end. */
function writeTotals(sheet: Sheet, rows: ReturnType<typeof totalsRows>): number {
  const { document, texts, lang, paper } = sheet;
  const x = RIGHT - TOTALS;
  let y = sheet.y;
  for (const [label, cents] of rows) {
    writeAt(sheet, { text: label, x, y, width: TOTALS, style: STYLES.quiet });
    writeAt(sheet, { text: amount(cents, lang), x, y, width: TOTALS, style: STYLES.text, align: "right" });
    y += ROW;
  }
  if (rows.length > 0) {
    paper.rule(x, y + 2, TOTALS, ACCENT, 0.9);
    y += 8;
  }
  const label = isReceipt(document) ? texts.received : texts.total;
  writeAt(sheet, { text: `${label} (EUR)`, x, y: y + 3, width: TOTALS, style: STYLES.strong });
  const total = { text: amount(document.total_gross_cents, lang), x, y: y - 1, width: TOTALS };
  writeAt(sheet, { ...total, style: STYLES.total, align: "right" });
  return y + leading(STYLES.total);
}

const paymentText = ({ method_code, payment_date }: PrintablePayment, lang: Lang) =>
  `${paymentName(method_code, lang)}  ·  ${payment_date}`;

/** How high payments and notes will be. */
function afterAmounts({ document, paper, lang }: Sheet): number {
  const high = (texts: readonly string[], width: number) =>
    texts.reduce((sum, text) => sum + paper.broken(text, STYLES.text, width).length, 2) * leading(STYLES.text) + GAP;
  const payments = document.payments.map((payment) => paymentText(payment, lang));
  return (
    (payments.length > 0 ? high(payments, BESIDE) : 0) + (document.notes === null ? 0 : high([document.notes], WIDTH))
  );
}

function writePayments(sheet: Sheet): void {
  const { document, texts, lang } = sheet;
  if (document.payments.length === 0) return;
  writeHeading(sheet, texts.payments);
  for (const payment of document.payments) {
    writeItem(sheet, paymentText(payment, lang), payment.amount_cents);
  }
  sheet.y += GAP;
}

function writeNotes(sheet: Sheet): void {
  const { document, texts } = sheet;
  if (!document.notes) return;
  writeHeading(sheet, texts.notes);
  block(sheet, document.notes, STYLES.text);
  sheet.y += GAP;
}

/** A small heading, which does not stand alone at a page's end. */
function writeHeading(sheet: Sheet, label: string): void {
  makeRoom(sheet, leading(STYLES.label) + 2 + leading(STYLES.text));
  block(sheet, label, STYLES.label);
  sheet.y += 2;
}

/** A module smaller than this is lost at 150 dots per inch. */
const LEAST_MODULE = 0.56 * MM;
const LEAST_QR = 30 * MM;
const QR_MARGIN = 2.5 * MM;

/** The code, how large it is, and how much height it takes with its margins and the ATCUD. */
interface QrBox {
  readonly picture: QrPicture;
  readonly size: number;
  readonly above: number;
  readonly height: number;
}

function qrBox({ document }: Sheet): QrBox {
  const picture = qrPicture(document.qr_code);
  const size = Math.max(LEAST_QR, picture.side * LEAST_MODULE);
  const above = document.atcud === null ? 0 : leading(STYLES.strong);
  return { picture, size, above, height: above + size + 2 * QR_MARGIN };
}

/** At the foot of the last page: the ATCUD, just below it the code (Portaria 195/2020), and the company's own words. */
function writeQr(sheet: Sheet, { picture, size, above, height }: QrBox): void {
  const { document, paper } = sheet;
  makeRoom(sheet, height);
  const top = BOTTOM - height;
  if (document.atcud !== null) {
    writeAt(sheet, { text: `ATCUD:${document.atcud}`, x: LEFT, y: top, width: WIDTH, style: STYLES.strong });
  }
  const y = top + above + QR_MARGIN;
  paper.squares(picture.side, picture.isDark, LEFT, y, size);
  if (document.footer_text) writeFooterText(sheet, document.footer_text, LEFT + size + 2 * QR_MARGIN, y + size);
}

/** The most lines of the company's own words: what fits beside the code. */
const FOOTER_LINES = 9;

function writeFooterText(sheet: Sheet, text: string, x: number, bottom: number): void {
  const width = RIGHT - x;
  const lines = sheet.paper.broken(text, STYLES.foot, width).slice(0, FOOTER_LINES);
  const y = bottom - lines.length * leading(STYLES.foot);
  lines.forEach((line, index) => {
    sheet.paper.write(line, x, y + STYLES.foot.size + index * leading(STYLES.foot), STYLES.foot);
  });
}
