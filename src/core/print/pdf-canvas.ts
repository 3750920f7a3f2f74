/**
 * The drawing surface: the pages of a PDF, which take text, rules and pictures. Only this file imports pdfkit; the first print loads it, as that takes longer than loading the
 * rest of Lacre. Text is wrapped here and not by pdfkit, so that any input keeps to its width.
 */
import PDFDocument from "pdfkit";
import { PAGE, type Style } from "./canvas.ts";
import { BOLD, REGULAR } from "./fonts/noto-sans.ts";
import { legible } from "./legible.ts";
import { pictureSize } from "./picture.ts";
import type { QrMatrix } from "./qr-matrix.ts";

const FONTS: Readonly<Record<Style["font"], Uint8Array>> = {
  regular: Buffer.from(REGULAR, "base64"),
  bold: Buffer.from(BOLD, "base64"),
};

/** Kerning may make a piece of a split word a little wider than the sum of its letters, in points. */
const TOLERANCE = 0.5;

/** The metadata of the file. */
interface FileInfo {
  readonly title: string;
  readonly author: string;
  /** The language of the text, as a BCP 47 tag. */
  readonly lang: string;
  readonly created: Date;
}

/** A document being drawn, page by page. */
export type Canvas = ReturnType<typeof openCanvas>;

/**
 * Opens an empty document. The same sequence of calls always gives the same bytes. Positions and sizes are in points,
 * from the top left.
 */
export function openCanvas({ title, author, lang, created }: FileInfo) {
  const pdf = new PDFDocument({
    size: [PAGE.width, PAGE.height],
    margin: 0,
    autoFirstPage: false,
    bufferPages: true,
    font: "", // No standard font: pdfkit would read it from a file.
    pdfVersion: "1.7",
    lang,
    displayTitle: true,
    info: {
      Title: legible(title),
      Author: legible(author),
      Creator: "Lacre",
      Producer: "Lacre",
      CreationDate: created,
    },
  });
  const chunks: Uint8Array[] = [];
  pdf.on("data", (chunk: Uint8Array) => chunks.push(chunk));
  const ended = new Promise<void>((resolve, reject) => {
    pdf.on("end", resolve);
    pdf.on("error", reject);
  });
  pdf.registerFont("regular", FONTS.regular);
  pdf.registerFont("bold", FONTS.bold);

  const set = ({ font, size, color }: Style) => pdf.font(font).fontSize(size).fillColor(color);
  const measure = (text: string, { font, size }: Style) => pdf.font(font).fontSize(size).widthOfString(text);

  return {
    /** Adds a page and makes it the current one. */
    addPage: () => pdf.addPage(),
    /** Makes an earlier page the current one; the first is 0. */
    switchToPage: (page: number) => pdf.switchToPage(page),
    /** The number of pages so far. */
    pageCount: () => {
      const { start, count } = pdf.bufferedPageRange();
      return start + count;
    },
    /** Writes all pages so far to the file; none of them can be the current page again. */
    flushPages: () => pdf.flushPages(),
    /** The width of a text without line breaks. */
    widthOf: (text: string, style: Style) => measure(legible(text), style),
    /** Wraps a text into lines no wider than `width`, at least one. Words too long for a line are split. */
    wrap: (text: string, style: Style, width: number) =>
      legible(text)
        .split("\n")
        .flatMap((paragraph) => wrapParagraph(paragraph, width - TOLERANCE, (word) => measure(word, style))),
    /** Writes one line of text with its baseline at `y`. */
    write: (line: string, x: number, y: number, style: Style) => {
      set(style).text(legible(line), x, y, { lineBreak: false, baseline: "alphabetic" });
    },
    /** Writes a large pale text diagonally across the page. */
    watermark: (line: string, style: Style) => {
      const width = measure(line, style);
      const middle: [number, number] = [PAGE.width / 2, PAGE.height / 2];
      pdf.save().rotate(-45, { origin: middle });
      set(style).fillOpacity(0.16);
      pdf.text(line, middle[0] - width / 2, middle[1] + style.size / 3, { lineBreak: false, baseline: "alphabetic" });
      pdf.restore();
    },
    /** Draws a horizontal line. */
    rule: (x: number, y: number, width: number, color: string, thickness: number) => {
      pdf
        .moveTo(x, y)
        .lineTo(x + width, y)
        .lineWidth(thickness)
        .strokeColor(color)
        .stroke();
    },
    /** Draws the dark modules of a QR code in a square of `size` with its top left corner at `x`, `y`. */
    qrCode: ({ side, isDark }: QrMatrix, x: number, y: number, size: number) => {
      const module = size / side;
      for (let row = 0; row < side; row++) {
        for (let column = 0; column < side; column++) {
          if (!isDark(row, column)) continue;
          const first = column;
          while (column + 1 < side && isDark(row, column + 1)) column++;
          pdf.rect(x + first * module, y + row * module, (column + 1 - first) * module, module);
        }
      }
      pdf.fill("#000000");
    },
    /** Draws a picture as large as the box allows, at its top left. Returns its height; 0 if it cannot be printed. */
    picture: (bytes: Uint8Array, x: number, y: number, width: number, height: number) => {
      const size = pictureSize(bytes);
      if (!size) return 0;
      const scale = Math.min(width / size.width, height / size.height);
      const scaled = { width: size.width * scale, height: size.height * scale, ignoreOrientation: true };
      // pdfkit caches pictures by data URL, so the file holds the logo once for all copies.
      pdf.image(`data:image;base64,${Buffer.from(bytes).toString("base64")}`, x, y, scaled);
      return scaled.height;
    },
    /** Ends the file and returns its bytes. */
    finish: async () => {
      pdf.end();
      await ended;
      return Buffer.concat(chunks);
    },
  };
}

/** Wraps one paragraph at its spaces into lines no wider than `width`. */
function wrapParagraph(paragraph: string, width: number, measure: (text: string) => number): string[] {
  const lines: string[] = [];
  let line = "";
  let used = 0;
  const space = measure(" ");
  for (const word of paragraph.split(/[ \t]+/)) {
    for (const [index, piece] of splitWord(word, width, measure).entries()) {
      const added = measure(piece);
      if (index > 0 || (line !== "" && used + space + added > width)) {
        lines.push(line);
        line = "";
        used = 0;
      }
      used += (line === "" ? 0 : space) + added;
      line = line === "" ? piece : `${line} ${piece}`;
    }
  }
  return [...lines, line];
}

/** A letter with the combining marks that follow it. */
const LETTERS = /\P{M}\p{M}*|\p{M}+/gu;

/** Splits a word wider than `width` into pieces that fit. */
function splitWord(word: string, width: number, measure: (text: string) => number): string[] {
  if (measure(word) <= width) return [word];
  const pieces: string[] = [];
  let piece = "";
  let used = 0;
  for (const letter of word.match(LETTERS) ?? []) {
    const added = measure(letter);
    if (piece !== "" && used + added > width) {
      pieces.push(piece);
      piece = "";
      used = 0;
    }
    piece += letter;
    used += added;
  }
  return [...pieces, piece];
}
