/**
 * A typeface cut into pieces of 128 code points, each a font of its own in the file. A piece is cut once per process,
 * as cutting takes longer than printing, so that a character has the same code in every document.
 */
/** The part of fontkit's font that is used here. Measures are in units of the font. */
export interface FontProgram {
  readonly unitsPerEm: number;
  readonly postscriptName: string;
  readonly ascent: number;
  readonly descent: number;
  readonly capHeight: number;
  readonly xHeight: number;
  readonly italicAngle: number;
  readonly bbox: { readonly minX: number; readonly minY: number; readonly maxX: number; readonly maxY: number };
  glyphForCodePoint(point: number): { readonly id: number; readonly advanceWidth: number };
  layout(text: string): { readonly positions: readonly { readonly xAdvance: number }[] };
  createSubset(): { includeGlyph(id: number): number; encode(): Uint8Array };
}

/** Adds objects to a file; each call returns a reference to the new object. */
export interface PdfObjects {
  readonly object: (data: Readonly<Record<string, unknown>>) => unknown;
  readonly stream: (content: string | Uint8Array) => unknown;
  /** A value that is text and not a name. */
  readonly text: (value: string) => unknown;
}

/** A character as it is written: the piece it is in, its code there in hexadecimal, and its width in thousandths. */
interface Glyph {
  readonly piece: number;
  readonly code: string;
  readonly width: number;
}

/** A piece: by code, from 1, the character and its width; and the font program. */
interface Piece {
  readonly points: readonly number[];
  readonly widths: readonly number[];
  readonly program: Uint8Array;
}

const PIECE_BITS = 7;
const PIECE = 1 << PIECE_BITS;

/** Pairs are kerned up to here; elsewhere few pairs have a kern, and each takes long to look up. */
const LAST_KERNED = 0x7e;

/** The measures and pieces of a font; `covered` are the code points it has. */
export function typefaceOf(font: FontProgram, covered: ReadonlySet<number>) {
  const glyphs = new Map<number, Glyph>();
  const pieces = new Map<number, Piece>();
  const kerns = new Map<number, number>();
  const scale = 1000 / font.unitsPerEm;

  function cut(piece: number): Piece {
    const subset = font.createSubset();
    const points: number[] = [];
    const widths: number[] = [];
    for (let point = piece * PIECE; point < (piece + 1) * PIECE; point++) {
      if (!covered.has(point)) continue;
      const { id, advanceWidth } = font.glyphForCodePoint(point);
      const code = subset.includeGlyph(id); // from 1; characters that look alike share one
      const width = advanceWidth * scale;
      glyphs.set(point, { piece, code: code.toString(16).padStart(4, "0"), width });
      points[code - 1] ??= point;
      widths[code - 1] = width;
    }
    return { points, widths, program: subset.encode() };
  }

  /** The glyph of a covered character; its piece is cut first. */
  function glyphOf(point: number): Glyph {
    const piece = point >> PIECE_BITS;
    if (!pieces.has(piece)) pieces.set(piece, cut(piece));
    return glyphs.get(point) as Glyph;
  }

  /** The kerning between two characters, in thousandths. */
  function kern(left: number, right: number): number {
    if (left > LAST_KERNED || right > LAST_KERNED) return 0;
    const pair = left * PIECE + right;
    const known = kerns.get(pair);
    if (known !== undefined) return known;
    const [first] = font.layout(String.fromCharCode(left, right)).positions;
    const value = first ? first.xAdvance * scale - glyphOf(left).width : 0;
    kerns.set(pair, value);
    return value;
  }

  return {
    /** The width of a text of covered characters, in thousandths of the font size. */
    widthOf(text: string): number {
      let width = 0;
      let before = Number.POSITIVE_INFINITY;
      for (const character of text) {
        const point = character.codePointAt(0) as number;
        width += glyphOf(point).width + kern(before, point);
        before = point;
      }
      return width;
    },
    /** The runs of a text of covered characters: for each the piece it is in, and the operand of `TJ`. */
    runsOf(text: string): { readonly piece: number; readonly operand: string }[] {
      const runs: { piece: number; operand: string }[] = [];
      let before = Number.POSITIVE_INFINITY;
      for (const character of text) {
        const point = character.codePointAt(0) as number;
        const { piece, code } = glyphOf(point);
        const added = kern(before, point);
        let run = runs.at(-1);
        if (run?.piece !== piece) {
          run = { piece, operand: "" };
          runs.push(run);
        }
        run.operand += added === 0 ? code : `> ${-added} <${code}`;
        before = point;
      }
      return runs.map(({ piece, operand }) => ({ piece, operand: `[<${operand}>]` }));
    },
    /** Adds a piece to a file as a font. */
    embed: (objects: PdfObjects, piece: number): unknown => embedded(font, piece, pieces.get(piece) as Piece, objects),
  };
}

/** Adds a piece of a font to a file. Its `index` tells it from others. */
function embedded(
  font: FontProgram,
  index: number,
  { points, widths, program }: Piece,
  { object, stream, text }: PdfObjects,
): unknown {
  const scale = 1000 / font.unitsPerEm;
  const { minX, minY, maxX, maxY } = font.bbox;
  // Six capitals mark a font that was cut, and tell its pieces apart.
  const tag = Array.from({ length: 6 }, (_, at) => String.fromCharCode(65 + ((index >> (4 * at)) & 15))).join("");
  const BaseFont = `${tag}+${font.postscriptName}`;
  const descriptor = object({
    Type: "FontDescriptor",
    FontName: BaseFont,
    Flags: 4,
    FontBBox: [minX, minY, maxX, maxY].map((value) => value * scale),
    ItalicAngle: font.italicAngle,
    Ascent: font.ascent * scale,
    Descent: font.descent * scale,
    CapHeight: font.capHeight * scale,
    XHeight: font.xHeight * scale,
    StemV: 0,
    FontFile2: stream(program),
  });
  const descendant = object({
    Type: "Font",
    Subtype: "CIDFontType2",
    BaseFont,
    CIDSystemInfo: { Registry: text("Adobe"), Ordering: text("Identity"), Supplement: 0 },
    FontDescriptor: descriptor,
    W: [1, widths],
    CIDToGIDMap: "Identity",
  });
  return object({
    Type: "Font",
    Subtype: "Type0",
    BaseFont,
    Encoding: "Identity-H",
    DescendantFonts: [descendant],
    ToUnicode: stream(unicodeMap(points)),
  });
}

/** Tells readers which character each code is (PDF 32000-1, 9.10.3), so that text can be searched and copied. */
function unicodeMap(points: readonly number[]): string {
  const codes = points.map(
    (point) => `<${Buffer.from(String.fromCodePoint(point), "utf16le").swap16().toString("hex")}>`,
  );
  return `/CIDInit /ProcSet findresource begin
12 dict begin
begincmap
/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def
/CMapName /Adobe-Identity-UCS def
/CMapType 2 def
1 begincodespacerange
<0000><ffff>
endcodespacerange
1 beginbfrange
<0001> <${points.length.toString(16).padStart(4, "0")}> [${codes.join(" ")}]
endbfrange
endcmap
CMapName currentdict /CMap defineresource pop
end
end`;
}
