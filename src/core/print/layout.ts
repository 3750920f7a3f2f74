/**
 * The pages of a paper, and the position where writing continues: down the page and on to the next one. Each page
 * has a footer that names the document; each page after the first begins with its title and the subtotal so far. Copies
 * share their pages, but each copy's name is on a layer of its own.
 */

import { amount } from "../texts/format.ts";
import { type Align, lineHeight, type Steps, type Style } from "./canvas.ts";
import type { Told } from "./facts.ts";
import { type Framed, frameOf } from "./frame.ts";
import { A4, type Copy } from "./paper.ts";
import type { Canvas, Layer, PreparedPicture } from "./pdf-canvas.ts";

/** The left margin, the width between the margins, and the right margin. */
export const LEFT = 51;
export const WIDTH = A4.width - 2 * LEFT;
export const RIGHT = LEFT + WIDTH;

/** The top and the bottom of a page's content; the footer is below. */
export const TOP = 51;
export const BOTTOM = A4.height - 96;

const INK = "#1b1d21";
const GREY = "#6c7078";
export const PALE = "#d9dbdf";
export const ACCENT = "#1f3f63";
const ALARM = "#b3261e";

const style = (size: number, color = INK, font: Style["font"] = "regular"): Style => ({ font, size, color });

/** Every text style on the page. */
export const STYLES = {
  title: style(21, ACCENT, "bold"),
  number: style(11, INK, "bold"),
  name: style(10, INK, "bold"),
  strong: style(8.2, INK, "bold"),
  text: style(8.2),
  quiet: style(8.2, GREY),
  label: style(6.8, GREY),
  small: style(7),
  footer: style(7, GREY),
  mention: style(7, INK, "bold"),
  total: style(13, ACCENT, "bold"),
  alarm: style(8.2, ALARM, "bold"),
  watermark: style(118, ALARM, "bold"),
} as const;

/** A paper being laid out on the pages of a canvas. */
export interface Pages extends Framed {
  readonly canvas: Canvas;
  /** The pages that are full. */
  readonly pages: Layer[];
  readonly logo: PreparedPicture | undefined;
  /** The top of the next text. */
  y: number;
  /** The subtotal of the lines so far, in cents, carried over at a page break; null when there is nothing to carry. */
  carried: number | null;
}

/** A document being laid out. */
export interface Layout extends Pages, Told {}

/** Begins the first page of a document. */
export function openLayout(canvas: Canvas, told: Told, logo: PreparedPicture | undefined): Layout {
  return openPages(canvas, { ...told, frame: frameOf(told) }, logo);
}

/** Begins the first page of a paper. */
export function openPages<Of extends Framed>(canvas: Canvas, paper: Of, logo: PreparedPicture | undefined): Of & Pages {
  const layout = { ...paper, canvas, pages: [], logo, y: TOP, carried: null };
  beginPage(layout);
  return layout;
}

/** Ends the last page. */
function closePage({ canvas, pages }: Pages): void {
  pages.push(canvas.end());
}

function beginPage({ canvas, frame, labels }: Pages): void {
  canvas.begin();
  if (frame.isCancelled) canvas.watermark(labels.cancelled, STYLES.watermark, A4);
}

/** Adds a page unless `height` fits on the current one. Returns whether it did. */
export function makeRoom(layout: Pages, height: number): boolean {
  if (layout.y + height <= bottom(layout)) return false;
  const { canvas, frame, labels } = layout;
  if (layout.carried !== null) writeCarried(layout, labels.carried_out, layout.carried);
  closePage(layout);
  beginPage(layout);
  layout.y = TOP;
  writeLine(layout, frame.title, STYLES.strong);
  writeLine(layout, frame.issuer, STYLES.quiet);
  if (frame.mention !== null) writeLine(layout, frame.mention, STYLES.mention);
  for (const alarm of frame.alarms) writeLine(layout, alarm, STYLES.alarm);
  layout.y += 5;
  canvas.rule(LEFT, layout.y, WIDTH, PALE, 0.6);
  layout.y += 14;
  if (layout.carried !== null) writeCarried(layout, labels.carried_in, layout.carried);
  return true;
}

/** Writes as much of a text as fits on one line beside the name of the copy. */
function writeLine(layout: Pages, text: string, style: Style): void {
  const [line = "", more] = layout.canvas.wrap(text, style, WIDTH - COPY_WIDTH);
  layout.canvas.write(more === undefined ? line : `${line}…`, LEFT, layout.y + style.size, style);
  layout.y += lineHeight(style);
}

/** The height of a subtotal carried over. While there is one, this much stays free at the bottom of the page. */
const CARRIED_HEIGHT = 20;

/** Where writing ends on the current page. */
const bottom = ({ carried }: Pages) => (carried === null ? BOTTOM : BOTTOM - CARRIED_HEIGHT);

/** Whether `height` fits on a single new page. */
export const fitsPage = (height: number): boolean => height <= BOTTOM - TOP - 2 * CARRIED_HEIGHT - 80;

function writeCarried(layout: Pages, label: string, cents: number): void {
  const { lang } = layout;
  const sum = amount(cents, lang);
  const row = { x: LEFT, y: layout.y + 4, align: "right" } as const;
  const beside = WIDTH - layout.canvas.widthOf(sum, STYLES.strong) - 14;
  writeText(layout, { ...row, text: label, width: beside, style: STYLES.quiet });
  writeText(layout, { ...row, text: sum, width: WIDTH, style: STYLES.strong });
  layout.y += CARRIED_HEIGHT;
}

/** A text and its position. */
interface PlacedText {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly style: Style;
  readonly align?: Align;
}

/** Writes a text wrapped to `width` at a fixed position, without page breaks. Returns its height. */
export function writeText(layout: Pages, { text, x, y, width, style, align = "left" }: PlacedText): number {
  const lines = layout.canvas.wrap(text, style, width);
  lines.forEach((line, index) => {
    const indent = align === "right" ? width - layout.canvas.widthOf(line, style) : 0;
    layout.canvas.write(line, x + indent, y + style.size + index * lineHeight(style), style);
  });
  return lines.length * lineHeight(style);
}

/** Writes a paragraph, over several pages where necessary. */
export function writeParagraph(layout: Pages, text: string, style: Style, x = LEFT, width = WIDTH): void {
  for (const line of layout.canvas.wrap(text, style, width)) {
    makeRoom(layout, lineHeight(style));
    layout.canvas.write(line, x, layout.y + style.size, style);
    layout.y += lineHeight(style);
  }
}

/** The width of an item's text; the rest is for its amount. */
export const ITEM_WIDTH = WIDTH - 120;

/** Writes a text with an optional amount at the right of its first line. Both stay on one page. */
export function writeItem(layout: Pages, text: string, cents: number | null): void {
  makeRoom(layout, lineHeight(STYLES.text) * layout.canvas.wrap(text, STYLES.text, ITEM_WIDTH).length);
  const place = { x: LEFT, y: layout.y, style: STYLES.text };
  if (cents !== null) writeText(layout, { ...place, text: amount(cents, layout.lang), width: WIDTH, align: "right" });
  layout.y += writeText(layout, { ...place, text, width: ITEM_WIDTH });
}

const COPY_WIDTH = 130;

/** Draws the name of a copy at the top right of each of its pages, and its mention in the margin above. */
function copyLayer(layout: Pages, { name, mention }: Copy): Layer {
  const { canvas } = layout;
  canvas.begin();
  const place = { x: RIGHT - COPY_WIDTH, y: TOP, width: COPY_WIDTH, align: "right" } as const;
  writeText(layout, { ...place, text: name, style: STYLES.strong });
  if (mention !== null) {
    const height = canvas.wrap(mention, STYLES.mention, WIDTH).length * lineHeight(STYLES.mention);
    const above = { x: LEFT, y: TOP - 6 - height, width: WIDTH, align: "right" } as const;
    writeText(layout, { ...above, text: mention, style: STYLES.mention });
  }
  return layout.canvas.end();
}

/**
 * Draws the footer of a page: certificate, title and page number. The certificate is not in the last line, nor near the
 * edge (Despacho 8632/2014, 2.2.12).
 */
function footerLayer(layout: Pages, page: number): Layer {
  const { canvas, labels, pages } = layout;
  const { title, certificate, atcud } = layout.frame;
  // On the last page the ATCUD is printed above the QR code instead.
  const text = page < pages.length && atcud !== null ? `${title}  ·  ATCUD:${atcud}` : title;
  canvas.begin();
  const y = BOTTOM + 18;
  canvas.rule(LEFT, y - 7, WIDTH, PALE, 0.6);
  const left = { x: LEFT, width: WIDTH - 90, style: STYLES.footer };
  if (certificate !== null) writeText(layout, { ...left, text: certificate, y });
  writeText(layout, { ...left, text, y: y + 12 });
  const number = { text: labels.page({ page, pages: pages.length }), x: LEFT, y: y + 12, width: WIDTH };
  writeText(layout, { ...number, style: STYLES.footer, align: "right" });
  return canvas.end();
}

/** Ends the last page, and adds the sheets of each set: its pages, drawn once, with a footer and its name. */
export function* addPages(layout: Pages, sets: readonly Copy[]): Steps {
  const { canvas, pages } = layout;
  closePage(layout);
  const footers: Layer[] = [];
  for (const index of pages.keys()) {
    footers.push(footerLayer(layout, index + 1));
    yield;
  }
  for (const set of sets) {
    const label = copyLayer(layout, set);
    for (const [index, page] of pages.entries()) {
      canvas.addSheet([page, footers[index] as Layer, label], A4);
      if (index % 100 === 0) yield;
    }
  }
}
