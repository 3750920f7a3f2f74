/**
 * Checks which pictures can be printed. pdfkit trusts its input, and a broken PNG can crash or hang the program, so
 * every logo is checked to its last byte before it is stored. Pictures that pdfkit prints wrongly are refused too:
 * interlaced and animated PNGs, and transparency by one colour.
 */
import { crc32, inflateSync } from "node:zlib";

/** The largest file, in bytes. */
const MAX_BYTES = 512 * 1024;
/** The longest side, in pixels. */
const MAX_SIDE = 4_000;
/** The most pixels of a PNG, about 8 cm × 8 cm at 300 dots per inch. Each print decodes them one by one. */
const MAX_PIXELS = 1_000_000;

/** Width and height in pixels. */
export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

/**
 * Whether these are the bytes of a printable PNG or JPEG: at most 512 KB, at most 4000 pixels on each side, and for a
 * PNG at most a million pixels in all.
 */
export function isPrintablePicture(bytes: Uint8Array): boolean {
  return pictureSize(bytes) !== undefined;
}

/** The size of a printable picture; undefined for any other bytes. */
export function pictureSize(bytes: Uint8Array): PictureSize | undefined {
  if (bytes.length > MAX_BYTES) return undefined;
  const size = startsWith(bytes, PNG) ? pngSize(bytes) : jpegSize(bytes);
  if (!size || size.width === 0 || size.height === 0) return undefined;
  return size.width <= MAX_SIDE && size.height <= MAX_SIDE ? size : undefined;
}

const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

const startsWith = (bytes: Uint8Array, start: readonly number[]) => start.every((byte, at) => bytes[at] === byte);

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

// ——— PNG (ISO/IEC 15948) ———

interface Chunk {
  readonly type: string;
  readonly data: Uint8Array;
}

/** All chunks of the file; undefined if one is cut short or fails its checksum. */
function pngChunks(bytes: Uint8Array): Chunk[] | undefined {
  const view = viewOf(bytes);
  const chunks: Chunk[] = [];
  let at = PNG.length;
  while (at < bytes.length) {
    if (at + 12 > bytes.length) return undefined;
    const end = at + 8 + view.getUint32(at);
    if (end + 4 > bytes.length) return undefined;
    if (crc32(bytes.subarray(at + 4, end)) !== view.getUint32(end)) return undefined;
    const type = String.fromCharCode(...bytes.subarray(at + 4, at + 8));
    chunks.push({ type, data: bytes.subarray(at + 8, end) });
    at = end + 4;
  }
  return chunks;
}

/** For each colour type, the samples per pixel and the bit depths allowed. */
const COLOURS: Readonly<Record<number, { readonly samples: number; readonly depths: readonly number[] }>> = {
  0: { samples: 1, depths: [1, 2, 4, 8, 16] },
  2: { samples: 3, depths: [8, 16] },
  3: { samples: 1, depths: [1, 2, 4, 8] },
  4: { samples: 2, depths: [8, 16] },
  6: { samples: 4, depths: [8, 16] },
};
const INDEXED = 3;

function pngSize(bytes: Uint8Array): PictureSize | undefined {
  const chunks = pngChunks(bytes);
  const header = chunks?.[0];
  if (!chunks || header?.type !== "IHDR" || header.data.length !== 13) return undefined;
  const view = viewOf(header.data);
  const [width, height, depth, type] = [view.getUint32(0), view.getUint32(4), view.getUint8(8), view.getUint8(9)];
  const plain = view.getUint8(10) === 0 && view.getUint8(11) === 0 && view.getUint8(12) === 0;
  const colour = COLOURS[type];
  if (!plain || !colour?.depths.includes(depth) || width * height > MAX_PIXELS) return undefined;
  if (!hasRightChunks(chunks, type, depth)) return undefined;
  const row = 1 + Number((BigInt(width) * BigInt(depth * colour.samples) + 7n) / 8n);
  return hasPixels(chunks, row, height) ? { width, height } : undefined;
}

/** Whether the chunks are valid in order: header, palette if required, consecutive pixel data, end. */
function hasRightChunks(chunks: readonly Chunk[], type: number, depth: number): boolean {
  const order = chunks.map((chunk) => chunk.type);
  const count = (name: string) => order.filter((other) => other === name).length;
  const first = order.indexOf("IDAT");
  const span = order.lastIndexOf("IDAT") - first + 1;
  if (first < 0 || span !== count("IDAT") || count("IHDR") !== 1) return false;
  if (order.at(-1) !== "IEND" || chunks.at(-1)?.data.length !== 0 || count("IEND") !== 1) return false;
  return hasPalette(chunks, type, depth, first) && chunks.every(isKnown);
}

function hasPalette(chunks: readonly Chunk[], type: number, depth: number, pixels: number): boolean {
  const order = chunks.map((chunk) => chunk.type);
  const palettes = chunks.filter((chunk) => chunk.type === "PLTE");
  const transparencies = chunks.filter((chunk) => chunk.type === "tRNS");
  if (type !== INDEXED) return palettes.length === 0 && transparencies.length === 0;
  const length = palettes[0]?.data.length ?? 0;
  if (palettes.length !== 1 || length === 0 || length % 3 !== 0 || length / 3 > 2 ** depth) return false;
  if (order.indexOf("PLTE") > pixels) return false;
  const [transparency, second] = transparencies;
  if (!transparency) return true;
  const at = order.indexOf("tRNS");
  const inPlace = order.indexOf("PLTE") < at && at < pixels;
  return !second && depth === 8 && inPlace && transparency.data.length > 0 && transparency.data.length <= length / 3;
}

const CRITICAL = ["IHDR", "PLTE", "IDAT", "IEND"];
const ANIMATION = ["acTL", "fcTL", "fdAT"];
/** In bytes: pdfkit passes each byte of a text as an argument of one call, which overflows the stack for long texts. */
const MAX_TEXT = 10_000;

/** Whether a chunk belongs to a still picture or can be ignored. */
function isKnown({ type, data }: Chunk): boolean {
  if (CRITICAL.includes(type)) return true;
  if (type === "tEXt" && data.length > MAX_TEXT) return false;
  return /^[a-z][A-Za-z]{3}$/.test(type) && !ANIMATION.includes(type);
}

/** Whether the pixel data inflates to exactly `rows` rows of `row` bytes, each with a valid filter type. */
function hasPixels(chunks: readonly Chunk[], row: number, rows: number): boolean {
  const packed = Buffer.concat(chunks.filter((chunk) => chunk.type === "IDAT").map((chunk) => chunk.data));
  let pixels: Uint8Array;
  try {
    pixels = inflateSync(packed, { maxOutputLength: row * rows + 1 });
  } catch {
    return false;
  }
  if (pixels.length !== row * rows) return false;
  for (let at = 0; at < pixels.length; at += row) if ((pixels[at] as number) > 4) return false;
  return true;
}

// ——— JPEG (ITU-T T.81) ———

/** Frame headers with Huffman coding: baseline, extended, progressive. */
const FRAMES = [0xc0, 0xc1, 0xc2];
/** Segments ignored before the first scan: tables, restart interval, application data, comments. */
const isIgnored = (marker: number) => [0xc4, 0xdb, 0xdd, 0xfe].includes(marker) || (marker >= 0xe0 && marker <= 0xef);
const START_OF_SCAN = 0xda;

/**
 * The size from the single frame header, which must come before the first scan of a file with an end marker. The scans
 * are not checked: pdfkit copies them unread, and PDF viewers tolerate damage in them.
 */
function jpegSize(bytes: Uint8Array): PictureSize | undefined {
  if (!startsWith(bytes, [0xff, 0xd8]) || bytes.at(-2) !== 0xff || bytes.at(-1) !== 0xd9) return undefined;
  let size: PictureSize | undefined;
  for (const { marker, content } of segmentsOf(bytes)) {
    if (marker === START_OF_SCAN) return size;
    if (isIgnored(marker)) continue;
    if (size || !FRAMES.includes(marker)) return undefined;
    size = frameSize(content);
    if (!size) return undefined;
  }
  return undefined;
}

/** The segments after the two bytes that begin a file, up to bytes that are no segment. */
function* segmentsOf(bytes: Uint8Array): Generator<{ readonly marker: number; readonly content: Uint8Array }> {
  const view = viewOf(bytes);
  let at = 2;
  while (at + 4 <= bytes.length && bytes[at] === 0xff) {
    const end = at + 2 + view.getUint16(at + 2);
    if (end < at + 4 || end > bytes.length) return;
    yield { marker: view.getUint8(at + 1), content: bytes.subarray(at + 4, end) };
    at = end;
  }
}

/** The size of an 8-bit grey or three-colour frame with valid sampling factors and tables; undefined for others. */
function frameSize(frame: Uint8Array): PictureSize | undefined {
  const components = frame[5] ?? 0;
  if (frame[0] !== 8 || ![1, 3].includes(components) || frame.length !== 6 + 3 * components) return undefined;
  for (let at = 6; at < frame.length; at += 3) {
    const [factors = 0, table = 0] = frame.subarray(at + 1);
    if (![factors >> 4, factors & 15].every((factor) => factor >= 1 && factor <= 4) || table > 3) return undefined;
  }
  const view = viewOf(frame);
  return { width: view.getUint16(3), height: view.getUint16(1) };
}
