/** Which pictures are accepted as a logo: those pdfkit prints, and none that would crash or hang it. */

import { deflateSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isPrintablePicture } from "../../../src/core/print/picture.ts";
import { printDocument } from "../../../src/core/print/print.ts";
import { chunk, JPEG, pngOf } from "../../support/pictures.ts";
import { runsOf } from "../../support/sampled.ts";
import { checkFile, textOf } from "./reading.ts";
import { sample } from "./samples.ts";

const size = { width: 21, height: 9 };
const palette = (entries: number) => chunk("PLTE", Buffer.alloc(3 * entries, 100));
const alphas = (entries: number) => chunk("tRNS", Buffer.alloc(entries, 100));

const GOOD: Readonly<Record<string, Buffer>> = {
  "true colour": pngOf(size),
  "true colour with alpha": pngOf({ ...size, type: 6 }),
  "true colour of 16 bits with alpha": pngOf({ ...size, type: 6, depth: 16 }),
  "a million pixels": pngOf({ width: 2000, height: 500, type: 0 }),
  grey: pngOf({ ...size, type: 0 }),
  "grey of one bit": pngOf({ ...size, type: 0, depth: 1 }),
  "grey with alpha": pngOf({ ...size, type: 4 }),
  "a palette": pngOf({ ...size, type: 3, before: [palette(256)] }),
  "a palette of 16": pngOf({ ...size, type: 3, depth: 4, before: [palette(16)] }),
  "a palette with alpha": pngOf({ ...size, type: 3, before: [palette(256), alphas(256)] }),
  "a short text inside": pngOf({ ...size, before: [chunk("tEXt", Buffer.from("Title\0Logo"))] }),
  JPEG,
};

const BAD: Readonly<Record<string, Uint8Array>> = {
  nothing: new Uint8Array(),
  "something else": Buffer.from("<svg/>"),
  "an interlaced PNG": pngOf({ ...size, interlace: 1 }),
  "an animated PNG": pngOf({ ...size, before: [chunk("acTL", Buffer.alloc(8))] }),
  "a bit depth that does not exist": pngOf({ ...size, depth: 4 }),
  "a PNG without width": pngOf({ ...size, width: 0 }),
  "a PNG wider than 4000": pngOf({ width: 4001, height: 1, type: 0 }),
  "a PNG of more than a million pixels": pngOf({ width: 1001, height: 1000, type: 0 }),
  "a missing palette": pngOf({ ...size, type: 3 }),
  "a palette too large": pngOf({ ...size, type: 3, depth: 4, before: [palette(17)] }),
  "a palette beside colours": pngOf({ ...size, before: [palette(2)] }),
  "transparency by one colour": pngOf({ ...size, before: [alphas(6)] }),
  "alphas for a palette of 16": pngOf({ ...size, type: 3, depth: 4, before: [palette(16), alphas(16)] }),
  "more alphas than colours": pngOf({ ...size, type: 3, before: [palette(2), alphas(3)] }),
  "an unknown critical chunk": pngOf({ ...size, before: [chunk("ABCD", Buffer.alloc(1))] }),
  "a second header": pngOf({ ...size, before: [pngOf(size).subarray(8, 33)] }),
  "too few pixels": pngOf({ ...size, pixels: deflateSync(Buffer.alloc(63 * 9)) }),
  "too many pixels": pngOf({ ...size, pixels: deflateSync(Buffer.alloc(65 * 9)) }),
  "pixels that do not inflate": pngOf({ ...size, pixels: Buffer.alloc(40, 1) }),
  "pixels that inflate to far more than the picture holds": pngOf({
    ...size,
    pixels: deflateSync(Buffer.alloc(2 ** 24)),
  }),
  "an unknown filter type": pngOf({ ...size, pixels: deflateSync(Buffer.alloc(64 * 9, 5)) }),
  "a text of 100 KB": pngOf({ ...size, before: [chunk("tEXt", Buffer.alloc(100_000, 65))] }),
  "more than 512 KB": Buffer.concat([pngOf(size), Buffer.alloc(512 * 1024)]),
  "a PNG with trailing bytes": Buffer.concat([pngOf(size), Buffer.alloc(1)]),
  "a JPEG without an end marker": JPEG.subarray(0, -2),
  "a JPEG of four colours": changed(JPEG, JPEG.indexOf(Buffer.from([0xff, 0xc0])) + 9, 4),
  "a JPEG of twelve bits": changed(JPEG, JPEG.indexOf(Buffer.from([0xff, 0xc0])) + 4, 12),
  "a lossless JPEG": changed(JPEG, JPEG.indexOf(Buffer.from([0xff, 0xc0])) + 1, 0xc3),
};

function changed(bytes: Uint8Array, at: number, byte: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = byte;
  return copy;
}

test.each(Object.entries(GOOD))("%s is printed", async (_, logo) => {
  expect(isPrintablePicture(logo)).toBe(true);
  const bytes = await printDocument(sample({ logo }));
  expect(Buffer.from(bytes).toString("latin1")).toContain("/Subtype /Image");
  expect(checkFile(bytes)).toContain("No syntax or stream encoding errors found");
});

test.each(Object.entries(BAD))("%s is refused, and left out of the page if it was stored", async (_, logo) => {
  expect(isPrintablePicture(logo)).toBe(false);
  const bytes = await printDocument(sample({ logo }));
  expect(Buffer.from(bytes).toString("latin1")).not.toContain("/Subtype /Image");
});

describe("a mutated picture", () => {
  const mutation = fc.record({
    picture: fc.constantFrom(...Object.values(GOOD)),
    cut: fc.option(fc.nat(400), { nil: 0, freq: 3 }),
    changes: fc.array(fc.tuple(fc.nat(1000), fc.nat(255)), { maxLength: 4 }),
  });

  test("is refused or printed; nothing hangs and nothing throws", async () => {
    let accepted = 0;
    await fc.assert(
      fc.asyncProperty(mutation, async ({ picture, cut, changes }) => {
        let logo: Buffer = Buffer.from(picture.subarray(0, Math.max(0, picture.length - cut)));
        for (const [at, byte] of changes) logo = changed(logo, at % Math.max(1, logo.length), byte);
        if (!isPrintablePicture(logo)) return;
        accepted++;
        const bytes = await printDocument(sample({ logo }));
        expect(textOf(bytes)).toContain("FT 2026A/17");
        // A JPEG is copied into the file as it is; qpdf may find its damaged scans, which viewers tolerate.
        if (logo[0] !== JPEG[0]) expect(checkFile(bytes)).toContain("No syntax or stream encoding errors found");
      }),
      { numRuns: runsOf(300) },
    );
    expect(accepted).toBeGreaterThan(0);
  });

  test("a PNG with one changed byte is never accepted", () => {
    const logo = GOOD["true colour with alpha"] as Buffer;
    fc.assert(
      fc.property(fc.nat(logo.length - 1), fc.integer({ min: 1, max: 255 }), (at, difference) => {
        expect(isPrintablePicture(changed(logo, at, ((logo[at] as number) + difference) % 256))).toBe(false);
      }),
    );
  });
});
