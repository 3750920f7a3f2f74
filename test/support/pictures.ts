/** Generated pictures, valid or broken in a chosen way. */
import { crc32, deflateSync } from "node:zlib";

/** One PNG chunk with its length and checksum. */
export function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const frame = Buffer.alloc(body.length + 8);
  frame.writeUInt32BE(data.length, 0);
  body.copy(frame, 4);
  frame.writeUInt32BE(crc32(body), body.length + 4);
  return frame;
}

interface PngOptions {
  readonly width: number;
  readonly height: number;
  readonly depth?: number;
  readonly type?: 0 | 2 | 3 | 4 | 6;
  readonly interlace?: 0 | 1;
  /** Chunks between header and pixels. */
  readonly before?: readonly Buffer[];
  /** The packed pixels, when they must differ from the header. */
  readonly pixels?: Uint8Array;
}

const SAMPLES = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 } as const;

/** Grey stripes, as a PNG. */
export function pngOf(options: PngOptions): Buffer {
  const { width, height, depth = 8, type = 2, interlace = 0, before = [] } = options;
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, depth, type, 0, 0, interlace]);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  const row = 1 + Math.ceil((width * depth * SAMPLES[type]) / 8);
  const raw = Buffer.alloc(row * height);
  for (let at = 0; at < raw.length; at++) raw[at] = at % row === 0 ? 0 : (at * 7) % 256;
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", header),
    ...before,
    chunk("IDAT", options.pixels ?? deflateSync(raw)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** Sixteen by sixteen of one grey, as a JPEG made by libjpeg. */
export const JPEG = Buffer.from(
  "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAgGBgcGBQgHBwcJCQgKDBQNDAsLDBkSEw8UHRofHh0aHBwgJC4nICIsIxwcKDcpLDAxNDQ0Hyc5PTgyPC4zNDL/wAALCAAQABABAREA/8QAFAABAAAAAAAAAAAAAAAAAAAAAP/EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AAP/Z",
  "base64",
);
