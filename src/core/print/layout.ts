/**
 * The frame every page of a document has, and the place where writing goes on: down the page and over to the next.
 * A page ends with what it is a page of; a next one begins with it, and with what the lines so far come to.
 */
import { hashCharacters } from "../fiscal/chain.ts";
import { entryTime } from "../fiscal/civil-time.ts";
import { type Align, PAGE, type Paper, type Style } from "./canvas.ts";
import { amount, type Lang, moment } from "./format.ts";
import { TEXTS, type Texts, titleOf } from "./labels.ts";
import type { PrintableDocument } from "./printable.ts";
import { isInvoice, isReceipt } from "./traits.ts";

/** Where writing begins and ends across the page. */
export const LEFT = 51;
export const WIDTH = PAGE.width - 2 * LEFT;
export const RIGHT = LEFT + WIDTH;

/** Where it begins on the first page, and where it ends on all. */
export const TOP = 51;
export const BOTTOM = PAGE.height - 66;

const INK = "#1b1d21";
const GREY = "#6c7078";
export const PALE = "#d9dbdf";
export const ACCENT = "#1f3f63";
const ALARM = "#b3261e";

const style = (size: number, color = INK, font: Style["font"] = "regular"): Style => ({ font, size, color });

/** The handful of ways of writing on the page. */
export const STYLES = {
  title: style(21, ACCENT, "bold"),
  number: style(11, INK, "bold"),
  name: style(10, INK, "bold"),
  strong: style(8.2, INK, "bold"),
  text: style(8.2),
  quiet: style(8.2, GREY),
  label: style(6.8, GREY),
  small: style(7),
  foot: style(7, GREY),
  mention: style(7, INK, "bold"),
  total: style(13, ACCENT, "bold"),
  alarm: style(8.2, ALARM, "bold"),
  stamp: style(118, ALARM, "bold"),
} as const;

/** From one baseline to the next, for a style. */
export const leading = ({ size }: Style): number => size * 1.36;

/** A document on its way to paper. */
export interface Sheet {
  readonly paper: Paper;
  readonly document: PrintableDocument;
  readonly lang: Lang;
  readonly texts: Texts;
  /** The top of what is written next. */
  y: number;
  /** What the lines so far come to, in cents, while a page may end among them; else null. */
  carried: number | null;
}

/** The first page of a set, with nothing on it yet. */
export function openSheet(paper: Paper, document: PrintableDocument, lang: Lang): Sheet {
  const sheet: Sheet = { paper, document, lang, texts: TEXTS[lang], y: TOP, carried: null };
  addPage(sheet);
  return sheet;
}

function addPage({ paper, document, texts }: Sheet): void {
  paper.addPage();
  if (document.status === "cancelled") paper.stamp(texts.cancelled, STYLES.stamp);
}

/** Goes on to a next page unless there is room for `height` on this one; says whether it did. */
export function makeRoom(sheet: Sheet, height: number): boolean {
  if (sheet.y + height <= bottom(sheet)) return false;
  const { paper, document, texts, lang } = sheet;
  if (sheet.carried !== null) carry(sheet, texts.carried_out, sheet.carried);
  addPage(sheet);
  sheet.y = TOP;
  const width = WIDTH / 2 - 10;
  const head = Math.max(
    writeAt(sheet, { text: issuerName(document), x: LEFT, y: sheet.y, width, style: STYLES.quiet }),
    writeAt(sheet, {
      text: titleOf(document, lang),
      x: RIGHT - width,
      y: sheet.y,
      width,
      style: STYLES.strong,
      align: "right",
    }),
  );
  sheet.y += head + 5;
  paper.rule(LEFT, sheet.y, WIDTH, PALE, 0.6);
  sheet.y += 14;
  if (document.training) block(sheet, texts.training, STYLES.alarm);
  if (sheet.carried !== null) carry(sheet, texts.carried_in, sheet.carried);
  return true;
}

/** The height of a carried total: as much is kept free while there is one to carry. */
const CARRY = 20;

/** Where writing ends on this page. */
const bottom = ({ carried }: Sheet) => (carried === null ? BOTTOM : BOTTOM - CARRY);

/** Whether all of `height` would fit a page that begins with it. */
export const fitsPage = (height: number): boolean => height <= BOTTOM - TOP - 2 * CARRY - 80;

function carry(sheet: Sheet, label: string, cents: number): void {
  const { lang } = sheet;
  const sum = amount(cents, lang);
  const row = { x: LEFT, y: sheet.y + 4, align: "right" } as const;
  const beside = WIDTH - sheet.paper.widthOf(sum, STYLES.strong) - 14;
  writeAt(sheet, { ...row, text: label, width: beside, style: STYLES.quiet });
  writeAt(sheet, { ...row, text: sum, width: WIDTH, style: STYLES.strong });
  sheet.y += CARRY;
}

/** Who issues: in training the maker of the program stands in for the company. */
export const issuerName = ({ training, producer, issuer }: PrintableDocument): string =>
  training ? producer.name : issuer.name;

/** A text and where it stands. */
interface Placed {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly style: Style;
  readonly align?: Align;
}

/** Writes a text broken to its width, whatever the page says; gives its height. */
export function writeAt(sheet: Sheet, { text, x, y, width, style, align = "left" }: Placed): number {
  const lines = sheet.paper.broken(text, style, width);
  lines.forEach((line, index) => {
    const indent = align === "right" ? width - sheet.paper.widthOf(line, style) : 0;
    sheet.paper.write(line, x + indent, y + style.size + index * leading(style), style);
  });
  return lines.length * leading(style);
}

/** Writes a paragraph down the page, over to the next one where it must. */
export function block(sheet: Sheet, text: string, style: Style, x = LEFT, width = WIDTH): void {
  for (const line of sheet.paper.broken(text, style, width)) {
    makeRoom(sheet, leading(style));
    sheet.paper.write(line, x, sheet.y + style.size, style);
    sheet.y += leading(style);
  }
}

/** How much of the page a text leaves to the amount at its right. */
export const BESIDE = WIDTH - 120;

/** Writes a text and, at the right of its first line, an amount where there is one. Both stay on one page. */
export function writeItem(sheet: Sheet, text: string, cents: number | null): void {
  makeRoom(sheet, leading(STYLES.text) * sheet.paper.broken(text, STYLES.text, BESIDE).length);
  const place = { x: LEFT, y: sheet.y, style: STYLES.text };
  if (cents !== null) writeAt(sheet, { ...place, text: amount(cents, sheet.lang), width: WIDTH, align: "right" });
  sheet.y += writeAt(sheet, { ...place, text, width: BESIDE });
}

/** The foot of each page from `first` on: what it is, which page of how many, and what the law has said there. */
export function writeFeet(sheet: Sheet, first: number): void {
  const { paper, document, texts, lang } = sheet;
  const pages = paper.pages() - first;
  const name = titleOf(document, lang);
  for (let page = 1; page <= pages; page++) {
    paper.turnTo(first + page - 1);
    // On the last page the ATCUD stands with the QR code.
    const what = page < pages && document.atcud !== null ? `${name}  ·  ATCUD:${document.atcud}` : name;
    const y = BOTTOM + 22;
    paper.rule(LEFT, y - 7, WIDTH, PALE, 0.6);
    const left = { x: LEFT, width: WIDTH - 90, style: STYLES.foot };
    const right = { x: LEFT, width: WIDTH, align: "right" } as const;
    writeAt(sheet, { ...left, text: what, y });
    writeAt(sheet, { ...right, text: texts.page(page, pages), y, style: STYLES.foot });
    writeAt(sheet, { ...left, text: certificate(document), y: y + 10 });
    if (!isInvoice(document)) {
      writeAt(sheet, { ...right, text: texts.no_invoice, y: y + 10, style: STYLES.mention });
    }
  }
}

/** The extract of the signature and the number of the certificate (Despacho 8632/2014, 2.2); nothing without one. */
function certificate(document: PrintableDocument): string {
  const { certificate_number, hash } = document;
  if (certificate_number === 0) return "";
  const program = `por programa certificado n.º ${String(certificate_number).padStart(4, "0")}/AT`;
  if (isReceipt(document)) return `Emitido ${program}`;
  return `${hashCharacters(hash)}-Processado ${program}`;
}

/** When and why it was cancelled; the instant as Lisbon's clock shows it. */
export function cancellation({ document, texts }: Sheet): string {
  const { cancelled_at, cancel_reason } = document;
  const when = cancelled_at === null ? "" : ` ${moment(entryTime(new Date(cancelled_at)))}`;
  return [`${texts.cancelled_at}${when}`, cancel_reason].filter(Boolean).join(" · ");
}
