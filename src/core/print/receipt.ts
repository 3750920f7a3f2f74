/** A document on a roll of 80 mm: the facts of the A4 page in one column, as a receipt printer prints them. */

import { amount, quantity } from "../texts/format.ts";
import { lineHeight, type Steps, type Style } from "./canvas.ts";
import {
  cancellation,
  certificate,
  customerLines,
  customerName,
  dateRows,
  descriptionOf,
  type Item,
  issuerLines,
  lineCents,
  lineDiscount,
  lineRate,
  mentionsCashVat,
  paymentItems,
  paymentsHeading,
  reasonsOf,
  referenceItems,
  referencesLabel,
  summaryRows,
  type Told,
  totalRows,
  transportRows,
  unitPrice,
} from "./facts.ts";
import { typeName } from "./labels.ts";
import { type Copy, MM, ROLL } from "./paper.ts";
import type { Canvas, PreparedPicture } from "./pdf-canvas.ts";
import type { PrintableLine } from "./printable.ts";
import { qrMatrix, qrSize } from "./qr-matrix.ts";
import {
  addSheets,
  closeRoll,
  GAP,
  LEFT,
  leaveCopyLine,
  makeRoom,
  openRoll,
  RIGHT,
  type Roll,
  STYLES,
  WIDTH,
  writeAtRight,
  writeIssuer,
  writeMarks,
  writeMention,
  writePair,
  writeRows,
  writeRule,
  writeText,
} from "./roll.ts";
import { isPriced, isTaxed, showsGrossPrices } from "./traits.ts";

/** Writes the document once, and adds the sheets of each copy. */
export function* writeReceipt(
  canvas: Canvas,
  told: Told,
  logo: PreparedPicture | undefined,
  sets: readonly Copy[],
): Steps {
  const roll = openRoll(canvas, told);
  yield* writeHead(roll, logo);
  yield* writeLines(roll);
  if (isPriced(roll.document)) yield* writeAmounts(roll);
  yield* writeFoot(roll);
  closeRoll(roll);
  yield* addSheets(roll, sets);
}

// ——— Above the lines ———

function* writeHead(roll: Roll, logo: PreparedPicture | undefined): Steps {
  const { document, labels, lang } = roll;
  writeIssuer(roll, issuerLines(roll), logo);
  leaveCopyLine(roll);
  writeText(roll, typeName(document.doc_type, lang), STYLES.title);
  writeText(roll, document.number, STYLES.title);
  writeMention(roll);
  writeMarks(roll);
  const cancelled = cancellation(roll);
  if (cancelled !== null) writeText(roll, cancelled, STYLES.text);
  roll.y += 3;
  for (const [label, text] of dateRows(roll, true)) writePair(roll, label, text, STYLES.text);
  writeRule(roll);
  writeText(roll, labels.customer, STYLES.small);
  const name = customerName(document.customer);
  if (name !== null) writeText(roll, name, STYLES.strong);
  for (const line of customerLines(document.customer, roll)) writeText(roll, line, STYLES.text);
  writeRule(roll);
  yield;
  const journey = transportRows(roll);
  for (const [label, text] of journey) {
    writeText(roll, label, STYLES.small);
    writeText(roll, text, STYLES.text);
  }
  if (journey.length > 0) writeRule(roll);
  yield* writeItems(roll, referencesLabel(roll), referenceItems(roll));
}

/** Writes a heading and items below it, and a rule; nothing without items. */
function* writeItems(roll: Roll, label: string, items: readonly Item[]): Steps {
  if (items.length === 0) return;
  writeText(roll, label, STYLES.small);
  for (const { text, cents } of items) {
    if (cents === null) writeText(roll, text, STYLES.text);
    else writePair(roll, text, amount(cents, roll.lang), STYLES.text);
    yield;
  }
  writeRule(roll);
}

// ——— The lines ———

/** The widths of the columns at the right of a line: its rate, if any is shown, and its amount. */
interface Columns {
  readonly rate: number;
  readonly amount: number;
}

const ROWS_IN_A_STEP = 16;

function* writeLines(roll: Roll): Steps {
  const { document, canvas } = roll;
  const columns = { rate: 0, amount: 0 };
  const widen = (texts: ReturnType<typeof columnTexts>, style: Style) => {
    columns.rate = Math.max(columns.rate, canvas.widthOf(texts.rate, style));
    columns.amount = Math.max(columns.amount, canvas.widthOf(texts.amount, style));
  };
  if (isPriced(document)) widen(headings(roll), STYLES.small);
  for (const line of document.lines) {
    widen(columnTexts(roll, line), STYLES.text);
    yield;
  }
  const writeHeadings = () => {
    if (!isPriced(document)) return;
    writeRow(roll, headings(roll), columns, STYLES.small);
    roll.y += 2;
  };
  writeHeadings();
  for (const line of document.lines) {
    const description = [descriptionOf(roll, line, true), line.product_code].filter(Boolean).join("  ·  ");
    const rows = canvas.wrap(description, STYLES.text, WIDTH);
    const height = (rows.length + 2) * lineHeight(STYLES.text);
    if (makeRoom(roll, Math.min(height, ROLL.longest / 2))) writeHeadings();
    for (let at = 0; at < rows.length; at += ROWS_IN_A_STEP) {
      writeRows(roll, rows.slice(at, at + ROWS_IN_A_STEP), STYLES.text);
      yield;
    }
    writeRow(roll, columnTexts(roll, line), columns, STYLES.text);
    roll.y += 4;
    if (isPriced(document)) roll.carried = (roll.carried ?? 0) + lineCents(document, line);
    yield;
  }
}

/** The headings of the row below a description. */
function headings({ document, labels }: Roll) {
  const isGross = showsGrossPrices(document);
  return {
    text: `${labels.quantity} × ${isGross ? labels.price_gross : labels.price}`,
    rate: isTaxed(document) ? labels.tax : "",
    amount: isGross ? labels.gross : labels.net,
  };
}

/** The row below a description: quantity, price and discount; the rate; the amount. */
function columnTexts(roll: Roll, line: PrintableLine) {
  const { document, labels, lang } = roll;
  const count = `${quantity(line.qty_micros, lang)} ${line.unit}`;
  if (!isPriced(document)) return { text: count, rate: "", amount: "" };
  const off = lineDiscount(roll, line);
  const discount = off && `  ·  ${labels.discount} ${off}`;
  return {
    text: `${count} × ${unitPrice(roll, line)}${discount}`,
    rate: isTaxed(document) ? lineRate(roll, line) : "",
    amount: amount(lineCents(document, line), lang),
  };
}

/** Writes a row of columns; a text that would leave the columns no room gets rows of its own. */
function writeRow(
  roll: Roll,
  { text, rate, amount }: ReturnType<typeof columnTexts>,
  columns: Columns,
  style: Style,
): void {
  if (columns.amount === 0) {
    writeText(roll, text, style);
    return;
  }
  const right = columns.amount + (columns.rate > 0 ? columns.rate + GAP : 0);
  writeBeside(roll, text, WIDTH - right - GAP, style);
  const y = roll.y - lineHeight(style);
  writeAtRight(roll, rate, RIGHT - columns.amount - GAP, y, style);
  writeAtRight(roll, amount, RIGHT, y, style);
}

/** Writes a text in one row of `width`, else in rows above a free one. */
function writeBeside(roll: Roll, text: string, width: number, style: Style): void {
  const [row = "", ...more] = roll.canvas.wrap(text, style, width);
  if (more.length > 0) writeText(roll, text, style);
  writeRows(roll, [more.length > 0 ? "" : row], style);
}

// ——— Below the lines ———

function* writeAmounts(roll: Roll): Steps {
  const { rows, total } = totalRows(roll);
  makeRoom(roll, (rows.length + 4) * lineHeight(STYLES.text));
  roll.carried = null;
  writeRule(roll);
  for (const [label, text] of rows) writePair(roll, label, text, STYLES.text);
  roll.y += 2;
  writePair(roll, total[0], total[1], STYLES.strong, STYLES.total);
  writeRule(roll);
  yield* writeItems(roll, paymentsHeading(roll), paymentItems(roll));
  if (isTaxed(roll.document)) yield* writeSummary(roll);
  for (const reason of reasonsOf(roll)) writeText(roll, reason, STYLES.small);
  if (mentionsCashVat(roll)) writeText(roll, roll.labels.cash_vat, STYLES.strong);
  if (isTaxed(roll.document) || mentionsCashVat(roll)) writeRule(roll);
}

/** Writes tax by rate: the name, and at the right base and tax; if these are too wide, the name stands above them. */
function* writeSummary(roll: Roll): Steps {
  const { canvas, labels } = roll;
  const heading = { name: labels.summary, base: labels.base, tax: labels.tax };
  const rows = summaryRows(roll).map(([name, rate, base = "", tax = ""]) => ({ name: `${name} ${rate}`, base, tax }));
  const width = (texts: readonly string[]) => Math.max(...texts.map((text) => canvas.widthOf(text, STYLES.text)));
  const taxes = width([...rows.map(({ tax }) => tax), heading.tax]);
  const right = taxes + GAP + width([...rows.map(({ base }) => base), heading.base]);
  for (const [index, { name, base, tax }] of [heading, ...rows].entries()) {
    const style = index === 0 ? STYLES.small : STYLES.text;
    writeBeside(roll, name, WIDTH - right - GAP, style);
    const y = roll.y - lineHeight(style);
    writeAtRight(roll, base, RIGHT - taxes - GAP, y, style);
    writeAtRight(roll, tax, RIGHT, y, style);
    yield;
  }
}

/** The rows of footer text that are printed; any more are dropped. */
const MAX_FOOTER_ROWS = 20;

/** A module of five dots: 33 mm for most codes, and no dot is half black. */
const MODULE = 5 * ROLL.dot;

/** Writes payments, notes, certificate, the ATCUD with the QR code just below it, and the company's own text. */
function* writeFoot(roll: Roll): Steps {
  const { document, labels, canvas } = roll;
  if (!isPriced(document)) {
    writeRule(roll);
    yield* writeItems(roll, paymentsHeading(roll), paymentItems(roll));
  }
  if (document.notes) {
    writeText(roll, labels.notes, STYLES.small);
    writeText(roll, document.notes, STYLES.text);
    writeRule(roll);
  }
  const matrix = qrMatrix(document.qr_code);
  const size = Math.min(qrSize(matrix, MODULE), WIDTH);
  const text = canvas.wrap(document.footer_text ?? "", STYLES.text, WIDTH).slice(0, MAX_FOOTER_ROWS);
  makeRoom(roll, size + 30 * MM + text.length * lineHeight(STYLES.text));
  // Again: the end of a long receipt is read alone, or torn off.
  writeMarks(roll);
  writeText(roll, certificate(roll), STYLES.small, "center");
  roll.y += 4;
  if (document.atcud !== null) writeText(roll, `ATCUD:${document.atcud}`, STYLES.strong, "center");
  roll.y += 2.5 * MM;
  const free = WIDTH - size;
  canvas.qrCode(matrix, LEFT + (free - (free % (2 * ROLL.dot))) / 2, roll.y, size);
  roll.y += size + 2.5 * MM;
  if (document.footer_text) writeRows(roll, text, STYLES.text, "center");
}
