/**
 * The roll of a receipt printer: writing continues down the paper, which is as long as its content. A document too long
 * for a driver continues on another sheet, which says so as a second page of A4 does. All is black: receipt printers
 * have no grey.
 */

import { amount } from "../texts/format.ts";
import { lineHeight, type Style } from "./canvas.ts";
import type { Told } from "./facts.ts";
import { type Framed, frameOf } from "./frame.ts";
import { type Copy, MM, ROLL } from "./paper.ts";
import type { Canvas, Layer, PreparedPicture } from "./pdf-canvas.ts";

/** The left margin, the printed width, and the right margin. */
export const LEFT = (ROLL.width - ROLL.printable) / 2;
export const WIDTH = ROLL.printable;
export const RIGHT = LEFT + WIDTH;

const TOP = 4 * MM;
/** The paper below the last text: room to tear it off. */
const TAIL = 8 * MM;

/** The lowest end of content: a subtotal, the foot of the sheet and the mention of a copy still follow. */
const BOTTOM = ROLL.longest - 55 * MM;

const BLACK = "#000000";
const style = (size: number, font: Style["font"] = "regular"): Style => ({ font, size, color: BLACK });

/** Every text style on a receipt. */
export const STYLES = {
  issuer: style(11, "bold"),
  title: style(12, "bold"),
  text: style(8.5),
  strong: style(8.5, "bold"),
  small: style(7.4),
  total: style(14, "bold"),
  alarm: style(12, "bold"),
} as const;

/** A written sheet: its content and where that ends. */
interface Sheet {
  readonly layer: Layer;
  /** Where its copy's name goes. */
  readonly copy_y: number;
  readonly end: number;
}

/** A paper being written on a roll. */
export interface Strip extends Framed {
  readonly canvas: Canvas;
  readonly sheets: Sheet[];
  /** The top of the next text. */
  y: number;
  copy_y: number;
  /** Where the sheet must end. */
  bottom: number;
  /** Where the last rule ends, if nothing follows it: no second one is drawn there. */
  ruled_y: number;
  /** The subtotal of the lines so far, in cents, carried over to the next sheet; null while there is none. */
  carried: number | null;
}

/** A document being written on a roll. */
export interface Roll extends Strip, Told {}

/** Begins the first sheet of a document. */
export function openRoll(canvas: Canvas, told: Told): Roll {
  return openStrip(canvas, { ...told, frame: frameOf(told) });
}

/** Begins the first sheet of a paper. */
export function openStrip<Of extends Framed>(canvas: Canvas, paper: Of): Of & Strip {
  canvas.begin();
  return { ...paper, canvas, sheets: [], y: TOP, copy_y: TOP, bottom: BOTTOM, ruled_y: 0, carried: null };
}

/** Ends the last sheet. */
export function closeRoll({ canvas, sheets, copy_y, y }: Strip): void {
  sheets.push({ layer: canvas.end(), copy_y, end: y });
}

/** Continues on another sheet unless `height` fits on the current one. Returns whether it did. */
export function makeRoom(roll: Strip, height: number): boolean {
  if (roll.y + height <= roll.bottom) return false;
  const { frame, labels, lang } = roll;
  roll.bottom = ROLL.longest;
  if (roll.carried !== null) writePair(roll, labels.carried_out, amount(roll.carried, lang), STYLES.strong);
  closeRoll(roll);
  roll.canvas.begin();
  roll.y = TOP;
  roll.bottom = BOTTOM;
  leaveCopyLine(roll);
  writeText(roll, frame.title, STYLES.strong);
  writeText(roll, frame.issuer, STYLES.text);
  writeMention(roll);
  writeMarks(roll);
  writeRule(roll);
  if (roll.carried !== null) writePair(roll, labels.carried_in, amount(roll.carried, lang), STYLES.strong);
  return true;
}

/** Leaves a line free for the name of the copy. */
export function leaveCopyLine(roll: Strip): void {
  roll.copy_y = roll.y;
  roll.y += lineHeight(STYLES.strong);
}

/** Writes what it is not, an invoice or a fiscal document, unless it is one. */
export function writeMention(roll: Strip): void {
  if (roll.frame.mention !== null) writeText(roll, roll.frame.mention, STYLES.strong);
}

/** Writes between thick rules that it was cancelled, is a rehearsal or is for training. */
export function writeMarks(roll: Strip): void {
  const { isCancelled, alarms } = roll.frame;
  if (!isCancelled && alarms.length === 0) return;
  writeRule(roll, 1.6);
  if (isCancelled) writeText(roll, roll.labels.cancelled, STYLES.alarm, "center");
  for (const alarm of alarms) writeText(roll, alarm, STYLES.strong, "center");
  writeRule(roll, 1.6);
}

/** The box of the logo. */
const LOGO = { width: 46 * MM, height: 20 * MM } as const;

/** Writes who the paper is from, and a rule. */
export function writeIssuer(roll: Strip, lines: readonly string[], logo: PreparedPicture | undefined): void {
  if (logo) {
    const scale = Math.min(LOGO.width / logo.width, LOGO.height / logo.height);
    const x = LEFT + (WIDTH - logo.width * scale) / 2;
    roll.y += roll.canvas.picture(logo, x, roll.y, LOGO.width, LOGO.height) + 6;
  }
  writeText(roll, roll.frame.issuer, STYLES.issuer, "center");
  for (const line of lines) writeText(roll, line, STYLES.text, "center");
  writeRule(roll);
}

/** The room above and below a rule. */
const BESIDE_RULE = 4;

/** Draws a rule over the whole width; right below another, it at most makes that one thicker. */
export function writeRule(roll: Strip, thickness = 0.7): void {
  if (roll.y === roll.ruled_y) roll.y -= 2 * BESIDE_RULE;
  roll.canvas.rule(LEFT, roll.y + BESIDE_RULE, WIDTH, BLACK, thickness);
  roll.y += 2 * BESIDE_RULE;
  roll.ruled_y = roll.y;
}

/** Writes a text wrapped to the width, over several sheets where necessary. */
export function writeText(roll: Strip, text: string, style: Style, align: RollAlign = "left"): void {
  writeRows(roll, roll.canvas.wrap(text, style, WIDTH), style, align);
}

type RollAlign = "left" | "center" | "right";

/** Writes rows that were wrapped, over several sheets where necessary. */
export function writeRows(roll: Strip, rows: readonly string[], style: Style, align: RollAlign = "left"): void {
  const { canvas } = roll;
  for (const line of rows) {
    makeRoom(roll, lineHeight(style));
    const free = align === "left" ? 0 : WIDTH - canvas.widthOf(line, style);
    canvas.write(line, LEFT + (align === "center" ? free / 2 : free), roll.y + style.size, style);
    roll.y += lineHeight(style);
  }
}

/** The gap between texts in one row. */
export const GAP = 12;

/** Writes a text, and another at the right: in its last row if there is room, else in rows of its own. */
export function writePair(roll: Strip, text: string, right: string, style: Style, strong = style): void {
  const { canvas } = roll;
  const ends = canvas.wrap(right, strong, (2 * WIDTH) / 3 - GAP);
  if (ends.length > 1) {
    writeText(roll, text, style);
    writeText(roll, right, strong, "right");
    return;
  }
  const rows = canvas.wrap(text, style, WIDTH - canvas.widthOf(right, strong) - GAP);
  makeRoom(roll, rows.length * lineHeight(strong));
  for (const row of rows) {
    canvas.write(row, LEFT, roll.y + strong.size, style);
    roll.y += lineHeight(strong);
  }
  writeAtRight(roll, right, RIGHT, roll.y - lineHeight(strong), strong);
}

/** Writes a short text that ends at `x`, with its top at `y`. */
export function writeAtRight({ canvas }: Strip, text: string, x: number, y: number, style: Style): void {
  const [line = ""] = canvas.wrap(text, style, WIDTH);
  canvas.write(line, x - canvas.widthOf(line, style), y + style.size, style);
}

/** Writes the foot of a sheet, and adds the sheets of each copy. */
export function* addSheets(roll: Strip, sets: readonly Copy[]): Generator<void, void, void> {
  const { canvas, labels, sheets } = roll;
  const { title, certificate, atcud } = roll.frame;
  const feet = sheets.map(({ end }, index) => {
    if (sheets.length === 1) return { layers: [], height: end + TAIL };
    canvas.begin();
    roll.y = end;
    roll.bottom = ROLL.longest;
    writeRule(roll);
    // On the last sheet both are above the QR code instead.
    if (index < sheets.length - 1) {
      if (certificate !== null) writeText(roll, certificate, STYLES.small);
      if (atcud !== null) writeText(roll, `ATCUD:${atcud}`, STYLES.small);
    }
    writeText(roll, `${title}  ·  ${labels.page({ page: index + 1, pages: sheets.length })}`, STYLES.small);
    // The certificate is not near the edge (Despacho 8632/2014, 2.2.12).
    return { layers: [canvas.end()], height: roll.y + 2 * TAIL };
  });
  for (const { name, mention } of sets) {
    const rows = canvas.wrap(mention ?? "", STYLES.small, WIDTH);
    for (const [index, { layer, copy_y }] of sheets.entries()) {
      canvas.begin();
      canvas.write(name, LEFT, copy_y + STYLES.strong.size, STYLES.strong);
      const { layers, height } = feet[index] as (typeof feet)[number];
      // Below everything else, before the paper to tear off.
      roll.y = height - TAIL;
      roll.bottom = ROLL.longest;
      if (mention !== null) writeRows(roll, rows, STYLES.small);
      canvas.addSheet([layer, ...layers, canvas.end()], { width: ROLL.width, height: roll.y + TAIL });
      yield;
    }
  }
}
