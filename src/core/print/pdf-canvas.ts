/**
 * The canvas as a PDF. Only this file imports pdfkit; the first print loads it, as that takes longer than loading the
 * rest of Lacre. Text is wrapped here and not by pdfkit, so that any input keeps to its width.
 */
import PDFDocument from "pdfkit";
import { type Canvas, type FileInfo, PAGE, type Style } from "./canvas.ts";
import { BOLD, REGULAR } from "./fonts/noto-sans.ts";
import { legible } from "./legible.ts";
import { pictureSize } from "./picture.ts";

const FONTS: Readonly<Record<Style["font"], Uint8Array>> = {
  regular: Buffer.from(REGULAR, "base64"),
  bold: Buffer.from(BOLD, "base64"),
};

/** Kerning may make a piece of a split word a little wider than the sum of its letters, in points. */
const TOLERANCE = 0.5;

/** Opens an empty document. The same sequence of calls always gives the same bytes. */
export function openCanvas({ title, author, lang, created }: FileInfo): Canvas {
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
    addPage: () => pdf.addPage(),
    switchToPage: (page) => pdf.switchToPage(page),
    pageCount: () => {
      const { start, count } = pdf.bufferedPageRange();
      return start + count;
    },
    flushPages: () => pdf.flushPages(),
    widthOf: (text, style) => measure(legible(text), style),
    wrap: (text, style, width) =>
      legible(text)
        .split("\n")
        .flatMap((paragraph) => wrapParagraph(paragraph, width - TOLERANCE, (word) => measure(word, style))),
    write: (line, x, y, style) => {
      set(style).text(legible(line), x, y, { lineBreak: false, baseline: "alphabetic" });
    },
    watermark: (line, style) => {
      const width = measure(line, style);
      const middle: [number, number] = [PAGE.width / 2, PAGE.height / 2];
      pdf.save().rotate(-45, { origin: middle });
      set(style).fillOpacity(0.16);
      pdf.text(line, middle[0] - width / 2, middle[1] + style.size / 3, { lineBreak: false, baseline: "alphabetic" });
      pdf.restore();
    },
    rule: (x, y, width, color, thickness) => {
      pdf
        .moveTo(x, y)
        .lineTo(x + width, y)
        .lineWidth(thickness)
        .strokeColor(color)
        .stroke();
    },
    qrCode: ({ side, isDark }, x, y, size) => {
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
    picture: (bytes, x, y, width, height) => {
      const size = pictureSize(bytes);
      if (!size) return 0;
      const scale = Math.min(width / size.width, height / size.height);
      const fitted = { width: size.width * scale, height: size.height * scale, ignoreOrientation: true };
      // pdfkit caches pictures by data URL, so the file holds the logo once for all copies.
      pdf.image(`data:image;base64,${Buffer.from(bytes).toString("base64")}`, x, y, fitted);
      return fitted.height;
    },
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
