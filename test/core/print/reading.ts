/** Reads a PDF with independent tools: poppler for text and pixels, zbar for QR codes, qpdf for the file format. */
import { execFileSync } from "node:child_process";
import { hash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Runs a program on a file of these bytes and returns its standard output. */
function read(bytes: Uint8Array, program: string, args: (file: string, folder: string) => readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), "lacre-print-"));
  try {
    const file = join(folder, "document.pdf");
    writeFileSync(file, bytes);
    const stdio = ["ignore", "pipe", "ignore"] as const;
    return execFileSync(program, args(file, folder), { encoding: "utf8", stdio: [...stdio], maxBuffer: 2 ** 28 });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What pdftotext printed of each file: tests print the same document again, beside the one they are about. */
const TEXTS = new Map<string, string>();

function textFrom(bytes: Uint8Array, as: "-layout" | "-bbox"): string {
  const name = as + hash("sha256", bytes);
  const text = TEXTS.get(name) ?? read(bytes, "pdftotext", (file) => [as, file, "-"]);
  TEXTS.set(name, text);
  return text;
}

/** The text of each page in its layout, with no-break spaces as plain ones. */
export function pagesOf(bytes: Uint8Array): string[] {
  const text = textFrom(bytes, "-layout");
  return text.replaceAll("\u00a0", " ").split("\f").slice(0, -1);
}

/** The text of all pages, with every run of white space as one space. */
export const textOf = (bytes: Uint8Array): string => pagesOf(bytes).join(" ").replace(/\s+/g, " ");

/** A word and its position, in points from the top left of its page. */
export interface Word {
  readonly page: number;
  readonly text: string;
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Every word of the file with its position. */
export function wordsOf(bytes: Uint8Array): Word[] {
  const marked = textFrom(bytes, "-bbox");
  return marked.split("<page ").flatMap((page, index) =>
    Array.from(
      page.matchAll(/<word xMin="([-\d.]+)" yMin="([-\d.]+)" xMax="([-\d.]+)" yMax="([-\d.]+)">([^<]*)</g),
      ([, left, top, right, bottom, text]) => ({
        page: index,
        text: text as string,
        left: Number(left),
        top: Number(top),
        right: Number(right),
        bottom: Number(bottom),
      }),
    ),
  );
}

/** The size of each sheet, in points. */
export const sheetsOf = (bytes: Uint8Array): { readonly width: number; readonly height: number }[] =>
  Array.from(textFrom(bytes, "-bbox").matchAll(/<page width="([\d.]+)" height="([\d.]+)">/g), ([, width, height]) => ({
    width: Number(width),
    height: Number(height),
  }));

/** ImageMagick, by which zbar reads a picture, takes no higher one. */
const MAX_ROWS = 16_000;

/** The texts of the QR codes on one page, scanned at 150 dots per inch, or fewer where it is long; the first is 1. */
export function codesOf(bytes: Uint8Array, page: number): string[] {
  const { height } = sheetsOf(bytes)[page - 1] as { readonly height: number };
  const dpi = Math.min(150, Math.floor((MAX_ROWS * 72) / height));
  const text = read(bytes, "bash", (file, folder) => [
    "-c",
    'pdftoppm -r "$1" -f "$2" -l "$2" -gray -singlefile "$3" "$4" && zbarimg --quiet --raw "$4.pgm" || [ $? = 4 ]',
    "zbar",
    String(dpi),
    String(page),
    file,
    join(folder, "page"),
  ]);
  return text.split("\n").filter(Boolean);
}

/** Where the QR code of the first page begins and ends, in points from the top; its left edge must be at `left`. */
export function heightsOfCode(bytes: Uint8Array, left: number): readonly [top: number, bottom: number] {
  // One column of pixels, 2 to a point: the corners of the code are its longest black runs.
  const column = String(2 * left + 2);
  const text = read(bytes, "bash", (file) => [
    "-c",
    'pdftoppm -r 144 -l 1 -gray -x "$1" -y 0 -W 1 -H 1684 "$2" | tail -c 1684 | od -An -v -tu1 -w1',
    "column",
    column,
    file,
  ]);
  const dark = text
    .trim()
    .split(/\s+/)
    .map((value) => Number(value) < 128);
  const runs = Array.from(
    dark
      .map((is) => (is ? "#" : " "))
      .join("")
      .matchAll(/#{20,}/g),
    (run) => [run.index / 2, (run.index + run[0].length) / 2],
  );
  return [runs[0]?.[0] ?? Number.NaN, runs.at(-1)?.[1] ?? Number.NaN];
}

/** The report of `qpdf --check`. Throws if it finds an error. */
export const checkFile = (bytes: Uint8Array): string => read(bytes, "qpdf", (file) => ["--check", file]);
