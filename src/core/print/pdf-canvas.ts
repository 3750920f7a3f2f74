/**
 * Paper as a PDF. The one file that knows pdfkit, and it is loaded by the first print: that takes longer than all the
 * rest of Lacre. Text is measured and broken here, and never by pdfkit, which knows no hostile words.
 */
import PDFDocument from "pdfkit";
import { PAGE, type Paper, type PaperInfo, type Style } from "./canvas.ts";
import { BOLD, REGULAR } from "./fonts/noto-sans.ts";
import { legible } from "./legible.ts";
import { pictureSize } from "./picture.ts";

const FONTS: Readonly<Record<Style["font"], Uint8Array>> = {
  regular: Buffer.from(REGULAR, "base64"),
  bold: Buffer.from(BOLD, "base64"),
};

/** Kerning inside a broken word may make it a little wider than its letters. */
const TOLERANCE = 0.5;

/** Opens an empty document. The same calls on it give the same bytes. */
export function openPaper({ title, author, lang, created }: PaperInfo): Paper {
  const pdf = new PDFDocument({
    size: [PAGE.width, PAGE.height],
    margin: 0,
    autoFirstPage: false,
    bufferPages: true,
    font: "", // None of the standard ones: they would be read from files.
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
    turnTo: (page) => pdf.switchToPage(page),
    pages: () => {
      const { start, count } = pdf.bufferedPageRange();
      return start + count;
    },
    closePages: () => pdf.flushPages(),
    widthOf: (text, style) => measure(legible(text), style),
    broken: (text, style, width) =>
      legible(text)
        .split("\n")
        .flatMap((paragraph) => brokenWords(paragraph, width - TOLERANCE, (word) => measure(word, style))),
    write: (line, x, y, style) => {
      set(style).text(legible(line), x, y, { lineBreak: false, baseline: "alphabetic" });
    },
    stamp: (line, style) => {
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
    squares: (side, isDark, x, y, size) => {
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
      // As a text it is kept by pdfkit, and goes into the file once for all copies.
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

/** One paragraph as lines no wider than `width`, by its words. */
function brokenWords(paragraph: string, width: number, measure: (text: string) => number): string[] {
  const lines: string[] = [];
  let line = "";
  let taken = 0;
  const space = measure(" ");
  for (const word of paragraph.split(/[ \t]+/)) {
    for (const [index, piece] of brokenLetters(word, width, measure).entries()) {
      const wide = measure(piece);
      if (index > 0 || (line !== "" && taken + space + wide > width)) {
        lines.push(line);
        line = "";
        taken = 0;
      }
      taken += (line === "" ? 0 : space) + wide;
      line = line === "" ? piece : `${line} ${piece}`;
    }
  }
  return [...lines, line];
}

/** A mark belongs to the letter before it. */
const LETTERS = /\P{M}\p{M}*|\p{M}+/gu;

/** A word in pieces no wider than `width`: itself, unless it is wider. */
function brokenLetters(word: string, width: number, measure: (text: string) => number): string[] {
  if (measure(word) <= width) return [word];
  const pieces: string[] = [];
  let piece = "";
  let taken = 0;
  for (const letter of word.match(LETTERS) ?? []) {
    const wide = measure(letter);
    if (piece !== "" && taken + wide > width) {
      pieces.push(piece);
      piece = "";
      taken = 0;
    }
    piece += letter;
    taken += wide;
  }
  return [...pieces, piece];
}
