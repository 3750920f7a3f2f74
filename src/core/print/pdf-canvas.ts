/**
 * The drawing surface: a PDF of layers, which take text, rules and pictures, and of sheets, each a stack of layers. A
 * layer is written out when it ends, so that only the one being drawn is in memory; sheets that look alike share
 * layers. Only this file imports pdfkit, for the file format; the first print loads it, as that takes longer than
 * loading the rest of Lacre. Text is wrapped here, so that any input keeps to its width.
 */
import { hash } from "node:crypto";
import PDFDocument from "pdfkit";
import type { Style } from "./canvas.ts";
import { BOLD, COVERED, REGULAR } from "./fonts/noto-sans.ts";
import { legible } from "./legible.ts";
import type { SheetSize } from "./paper.ts";
import { pictureSize } from "./picture.ts";
import type { QrMatrix } from "./qr-matrix.ts";
import { type FontProgram, typefaceOf } from "./typeface.ts";

/** A reference to an object of the file; a stream takes content until it ends. */
interface Reference {
  data?: unknown;
  write(content: string | Uint8Array): void;
  end(content?: string | Uint8Array): void;
}

/** The parts of pdfkit that its types leave out. */
interface FileFormat {
  readonly _root: { readonly data: { readonly Pages: Reference & { data: { Kids: Reference[]; Count: number } } } };
  readonly _font: { readonly font: FontProgram };
  ref(data?: Readonly<Record<string, unknown>>): Reference;
  openImage(bytes: Uint8Array): { readonly obj: unknown; embed(file: { ref: unknown }): void };
}

type Weight = Style["font"];

/** Both weights, read from their files once per process. */
const typefaces = new Map<Weight, ReturnType<typeof typefaceOf>>();

function typeface(weight: Weight): ReturnType<typeof typefaceOf> {
  const known = typefaces.get(weight);
  if (known) return known;
  const source = Buffer.from(weight === "bold" ? BOLD : REGULAR, "base64");
  const reader = new PDFDocument({ font: "", autoFirstPage: false }).font(source as unknown as string);
  const covered = COVERED.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, at) => first + at));
  const read = typefaceOf((reader as unknown as FileFormat)._font.font, new Set(covered));
  typefaces.set(weight, read);
  return read;
}

/** A picture as it is put into files: pdfkit's objects for it, the picture itself last. */
export interface PreparedPicture {
  readonly width: number;
  readonly height: number;
  /** In the order they end; a value may be an earlier one. */
  readonly parts: readonly {
    readonly data: Readonly<Record<string, unknown>>;
    readonly content: Uint8Array | undefined;
  }[];
}

/** Prepared pictures, the latest last: decoding one takes longer than a print. */
const prepared = new Map<string, Promise<PreparedPicture | undefined>>();
const MAX_PREPARED = 8;

/** Prepares a logo for `picture`; undefined if it cannot be printed. */
export function preparePicture(bytes: Uint8Array): Promise<PreparedPicture | undefined> {
  const name = hash("sha256", bytes);
  const known = prepared.get(name) ?? prepare(bytes);
  prepared.delete(name);
  prepared.set(name, known);
  for (const oldest of prepared.keys()) if (prepared.size > MAX_PREPARED) prepared.delete(oldest);
  return known;
}

/** Lets pdfkit put a picture into a file that only records the objects. */
async function prepare(bytes: Uint8Array): Promise<PreparedPicture | undefined> {
  const size = pictureSize(bytes);
  if (!size) return undefined;
  const parts: { data: Record<string, unknown>; content: Uint8Array | undefined }[] = [];
  const image = (new PDFDocument({ font: "", autoFirstPage: false }) as unknown as FileFormat).openImage(bytes);
  await new Promise<void>((resolve) => {
    const ref = (data: Record<string, unknown> = {}) => {
      const part = {
        data,
        content: undefined as Uint8Array | undefined,
        end(content?: Uint8Array) {
          part.content = content;
          parts.push(part);
          if (part === image.obj) resolve();
        },
      };
      return part;
    };
    image.embed({ ref });
  });
  return { ...size, parts };
}

/** The metadata of the file. */
interface FileInfo {
  readonly title: string;
  readonly author: string;
  /** The language of the text, as a BCP 47 tag. */
  readonly lang: string;
  readonly created: Date;
}

/** The drawing between the begin and the end of a layer, as sheets refer to it. */
export type Layer = Reference;

/** A file being drawn. */
export type Canvas = ReturnType<typeof openCanvas>;

/** A number as content streams take it. */
const number = (value: number) => String(Math.round(value * 1000) / 1000);

/** `#rrggbb` as three parts from 0 to 1. */
const colorOf = (color: string) =>
  [1, 3, 5].map((at) => number(Number.parseInt(color.slice(at, at + 2), 16) / 255)).join(" ");

/** A height from the top as PDF counts it: from the bottom, which `addSheet` moves down by the height of the sheet. */
const up = (y: number) => number(-y);

/**
 * Opens an empty file. The same sequence of calls always gives the same bytes. Positions and sizes are in points, from
 * the top left.
 */
export function openCanvas({ title, author, lang, created }: FileInfo) {
  const pdf = new PDFDocument({
    autoFirstPage: false,
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
  const file = pdf as unknown as FileFormat;
  const written = blocks();
  pdf.on("data", (chunk: Uint8Array) => written.add(chunk));
  const ended = new Promise<void>((resolve, reject) => {
    pdf.on("end", resolve);
    pdf.on("error", reject);
  });

  const added = (data: Readonly<Record<string, unknown>>, content?: string | Uint8Array): Reference => {
    const reference = file.ref(data);
    reference.end(content);
    reference.data = undefined; // Written: now only its number is needed.
    return reference;
  };
  const objects = {
    object: added,
    stream: (content: string | Uint8Array) => added({}, content),
    text: (value: string) => new String(value),
  };

  // Every sheet has the same resources; they are complete when the file ends.
  const fonts: Record<string, unknown> = {};
  const pictures: { Logo?: Reference } = {};
  const states: { Pale?: unknown } = {};
  const origins = new Map<number, Reference>();
  const used = new Map<string, readonly [Weight, number]>();
  const resources = file.ref({ Font: fonts, XObject: pictures, ExtGState: states });
  let layer: Layer | undefined;
  let isBlank = true;

  /** Adds the objects of a picture, and returns the last, which is the picture. */
  function embedded({ parts }: PreparedPicture): Reference {
    const references = new Map<unknown, Reference>();
    for (const part of parts) {
      const known = (value: unknown): unknown =>
        Array.isArray(value) ? value.map(known) : (references.get(value) ?? value);
      const data = Object.fromEntries(Object.entries(part.data).map(([name, value]) => [name, known(value)]));
      references.set(part, added(data, part.content));
    }
    return references.get(parts.at(-1)) as Reference;
  }

  const put = (content: string) => {
    layer?.write(content);
    isBlank = false;
  };
  const measure = (text: string, { font, size }: Style) => (typeface(font).widthOf(text) * size) / 1000;

  /** The operators that show a text at the current position. */
  function shown(text: string, { font, size, color }: Style): string {
    const runs = typeface(font).runsOf(text);
    const operators = runs.map(({ piece, operand }) => {
      const name = `${font === "bold" ? "B" : "R"}${piece}`;
      used.set(name, [font, piece]);
      return `/${name} ${number(size)} Tf ${operand} TJ`;
    });
    return `${colorOf(color)} rg ${operators.join(" ")}`;
  }

  return {
    /** Begins a layer; everything is drawn on it until it ends. */
    begin: () => {
      layer = file.ref();
      isBlank = true;
    },
    /** Ends the layer and writes it to the file. */
    end: (): Layer => {
      const ended = layer as Layer;
      if (isBlank) put(""); // Without content pdfkit writes no stream, and a sheet would refer to none.
      ended.end();
      layer = undefined;
      return ended;
    },
    /** Adds a sheet of paper that shows these layers, the first at the bottom. */
    addSheet: (layers: readonly Layer[], { width, height }: SheetSize) => {
      const { Pages } = file._root.data;
      const origin = origins.get(height) ?? added({}, `1 0 0 1 0 ${number(height)} cm\n`);
      origins.set(height, origin);
      const [MediaBox, Contents] = [
        [0, 0, width, height],
        [origin, ...layers],
      ];
      Pages.data.Kids.push(added({ Type: "Page", Parent: Pages, MediaBox, Contents, Resources: resources }));
      Pages.data.Count++;
    },
    /** The width of a text, which is that of its longest line. */
    widthOf: (text: string, style: Style) =>
      Math.max(
        ...legible(text)
          .split("\n")
          .map((line) => measure(line, style)),
      ),
    /** Wraps a text into lines no wider than `width`, at least one. Words too long for a line are split. */
    wrap: (text: string, style: Style, width: number) =>
      legible(text)
        .split("\n")
        .flatMap((paragraph) => wrapParagraph(paragraph, width, (word) => measure(word, style))),
    /** Writes one line from `wrap`, with its baseline at `y`. */
    write: (line: string, x: number, y: number, style: Style) => {
      if (line !== "") put(`BT 1 0 0 1 ${number(x)} ${up(y)} Tm ${shown(line, style)} ET`);
    },
    /** Writes a large pale text diagonally across the page. */
    watermark: (line: string, style: Style, { width, height }: SheetSize) => {
      states.Pale ??= { Type: "ExtGState", ca: 0.16 };
      const [across, down] = [measure(line, style) / 2, style.size / 3];
      const [x, y] = [width / 2, height / 2];
      const turn = number(Math.SQRT1_2);
      put(`q /Pale gs ${turn} ${turn} -${turn} ${turn} ${number(x)} ${up(y)} cm`);
      put(`BT 1 0 0 1 ${number(-across)} ${number(-down)} Tm ${shown(line, style)} ET Q`);
    },
    /** Draws a horizontal line. */
    rule: (x: number, y: number, width: number, color: string, thickness: number) => {
      put(`${colorOf(color)} RG ${number(thickness)} w ${number(x)} ${up(y)} m ${number(x + width)} ${up(y)} l S`);
    },
    /** Draws the dark modules of a QR code in a square of `size` with its top left corner at `x`, `y`. */
    qrCode: ({ side, isDark }: QrMatrix, x: number, y: number, size: number) => {
      const module = size / side;
      put("0 0 0 rg");
      for (let row = 0; row < side; row++) {
        for (let column = 0; column < side; column++) {
          if (!isDark(row, column)) continue;
          const first = column;
          while (column + 1 < side && isDark(row, column + 1)) column++;
          const width = (column + 1 - first) * module;
          put(`${number(x + first * module)} ${up(y + (row + 1) * module)} ${number(width)} ${number(module)} re`);
        }
      }
      put("f");
    },
    /** Draws a picture as large as the box allows, at its top left. Returns its height. */
    picture: (picture: PreparedPicture, x: number, y: number, width: number, height: number) => {
      pictures.Logo = embedded(picture);
      const scale = Math.min(width / picture.width, height / picture.height);
      const [wide, high] = [picture.width * scale, picture.height * scale];
      put(`q ${number(wide)} 0 0 ${number(high)} ${number(x)} ${up(y + high)} cm /Logo Do Q`);
      return high;
    },
    /** Ends the file and returns its bytes; `turn` is awaited between its parts. */
    finish: async (turn: () => Promise<void>) => {
      for (const [name, [weight, piece]] of used) {
        fonts[name] = typeface(weight).embed(objects, piece);
        await turn();
      }
      resources.end();
      pdf.end();
      await ended;
      return written.all();
    },
  };
}

/** Bytes that are collected in large blocks: a file of many small objects would take several times its size. */
function blocks() {
  const full: Buffer[] = [];
  let block = Buffer.allocUnsafe(BLOCK);
  let used = 0;
  return {
    add(bytes: Uint8Array): void {
      if (used + bytes.length > block.length) {
        full.push(block.subarray(0, used));
        block = Buffer.allocUnsafe(Math.max(BLOCK, bytes.length));
        used = 0;
      }
      block.set(bytes, used);
      used += bytes.length;
    },
    all: () => Buffer.concat([...full, block.subarray(0, used)]),
  };
}

const BLOCK = 64 * 1024;

/** Wraps one paragraph at its spaces into lines no wider than `width`. */
function wrapParagraph(paragraph: string, width: number, measure: (text: string) => number): string[] {
  const lines: string[] = [];
  let line = "";
  let used = 0;
  const space = measure(" ");
  for (const word of paragraph.split(/[ \t]+/)) {
    for (const [index, piece] of splitWord(word, width, measure).entries()) {
      const added = measure(piece);
      // The words together may take less room than each by itself: letters stand closer across a space.
      const isOver = () => used + space + added > width && measure(`${line} ${piece}`) > width;
      if (index > 0 || (line !== "" && isOver())) {
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
