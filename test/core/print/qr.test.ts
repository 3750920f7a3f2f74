/** The printed QR code, for short and long texts. */
import { describe, expect, test } from "vitest";
import { PAPERS } from "../../../src/core/print/paper.ts";
import { printDocument } from "../../../src/core/print/print.ts";
import { qrMatrix } from "../../../src/core/print/qr-matrix.ts";
import { codesOf, heightsOfCode, wordsOf } from "./reading.ts";
import { sample } from "./samples.ts";

const MM = 72 / 25.4;

/** The longest text the tax authority's format allows: all three regions with every field. */
const LONGEST = `A:509442013*B:${"9".repeat(30)}*C:PT*D:FR*E:N*F:20261121*G:FR ${"A".repeat(20)}/999999999*H:CSDF7T5H-999999999${[
  "I",
  "J",
  "K",
]
  .map((field) => `*${field}1:PT-AC${[2, 3, 4, 5, 6, 7, 8].map((part) => `*${field}${part}:999999999.99`).join("")}`)
  .join(
    "",
  )}*L:999999999.99*M:999999999.99*N:999999999.99*O:999999999.99*P:999999999.99*Q:AKUe*R:9999*S:TB;PT50003506510000000000001`;

describe.each(PAPERS)("on %s a QR code scans to its exact text at 150 dots per inch:", (paper) => {
  test.each([
    ["a few letters", "A:1"],
    ["all fields", LONGEST],
    ["a tax id in Greek and Polish letters", sample().qr_code.replace("B:501442600", "B:ΑΦΜ-żółć-0123456789")],
  ])("%s", async (_, qr_code) => {
    expect(codesOf(await printDocument(sample({ qr_code }), { paper }), 1)).toEqual([qr_code]);
  });
});

test("even a short text gets version 9, a longer one the version it needs", () => {
  const version = (text: string) => (qrMatrix(text).side - 17) / 4;
  expect(version("A:1")).toBe(9);
  expect(version(sample().qr_code)).toBe(9);
  expect(version(LONGEST)).toBeGreaterThan(9);
});

test("the ATCUD is printed just above the QR code, at its left edge", async () => {
  const bytes = await printDocument(sample());
  const word = wordsOf(bytes).find(({ text }) => text.startsWith("ATCUD:"));
  expect(word?.left).toBeCloseTo(51, 0);
  const gap = heightsOfCode(bytes, 51)[0] - (word?.bottom ?? 0);
  expect(gap).toBeGreaterThan(2 * MM);
  expect(gap).toBeLessThan(5 * MM);
});

test("the QR code of a short invoice is near its total, at least 30 mm high", async () => {
  const bytes = await printDocument(sample());
  const total = wordsOf(bytes).find(({ text }) => text === "(EUR)");
  const [top, bottom] = heightsOfCode(bytes, 51);
  expect(top - (total?.bottom ?? 0)).toBeLessThan(20 * MM);
  expect(bottom - top).toBeGreaterThanOrEqual(29.8 * MM);
});
