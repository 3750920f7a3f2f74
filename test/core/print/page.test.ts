/** Where things stand on the page: margins, columns, decimal points, the certificate, and amounts of any size. */
import { describe, expect, test } from "vitest";
import { printDocument } from "../../../src/core/print/print.ts";
import type { PrintableDocument } from "../../../src/core/print/printable.ts";
import { textOf, type Word, wordsOf } from "./reading.ts";
import { line, sample } from "./samples.ts";

const HEIGHT = 841.89;
const MM = 72 / 25.4;
/** The right margin, where amounts end. */
const RIGHT = 544.28;

const wordsOn = async (more: Partial<PrintableDocument>) => wordsOf(await printDocument(sample(more)));

const find = (words: readonly Word[], text: string): Word => {
  const found = words.find((word) => word.text === text);
  if (!found) throw new Error(`There is no ${text} on the page.`);
  return found;
};

test("amounts of lines, their heading and the totals end at the right margin", async () => {
  const words = await wordsOn({});
  for (const text of ["Valor", "4,55"]) expect(find(words, text).right, text).toBeCloseTo(RIGHT, 0);
  const nets = words.filter(({ text, left }) => text === "3,70" && left > 400);
  expect(nets).toHaveLength(2);
  for (const { right } of nets) expect(Math.abs(right - RIGHT)).toBeLessThan(0.3);
});

test("prices and quantities stand with their decimal points below each other", async () => {
  const lines = [
    line({ unit_price_micros: 1_850_000, qty_micros: 2_000_000 }),
    line({ unit_price_micros: 14_234_567, qty_micros: 1_250_000 }),
  ];
  const words = await wordsOn({ lines });
  const digit = 0.572 * 8.2;
  expect(find(words, "14,234567").right - find(words, "1,85").right).toBeCloseTo(4 * digit, 1);
  const point = 0.268 * 8.2;
  expect(find(words, "1,25").right - find(words, "2").right).toBeCloseTo(2 * digit + point, 1);
});

describe("the certificate line", () => {
  for (const [name, certificate_number] of [
    ["with a certificate", 9999],
    ["without", 0],
  ] as const) {
    test(`is neither the last line nor near the edge, ${name}`, async () => {
      const words = await wordsOn({ certificate_number });
      const certificate = words.find(({ text }) => text === "certificado") as Word;
      expect(certificate.bottom).toBeLessThan(HEIGHT - 20 * MM);
      expect(words.filter(({ top }) => top > certificate.bottom).length).toBeGreaterThan(0);
    });
  }
});

test.each(["pt", "en"] as const)("that it is a rehearsal stands on every page, whole, in %s", async (lang) => {
  const lines = Array.from({ length: 80 }, () => line());
  const bytes = await printDocument(sample({ certificate_number: 9999, lines }), { lang });
  const pages = [...new Set(wordsOf(bytes).map(({ page }) => page))];
  expect(pages.length).toBeGreaterThan(2);
  const said = lang === "pt" ? "fiscal" : "(rehearsal)";
  for (const word of ["ENSAIO:", said]) {
    expect(wordsOf(bytes).flatMap(({ text, page }) => (text === word ? [page] : []))).toEqual(pages);
  }
  const real = wordsOf(await printDocument(sample({ certificate_number: 42, lines }), { lang }));
  expect(real.some(({ text }) => text === "ENSAIO:")).toBe(false);
});

test("the statement that it is no invoice stands at the title, far from the page number, and on each later page too", async () => {
  const lines = Array.from({ length: 80 }, () => line());
  const bytes = await printDocument(sample({ doc_type: "OR", number: "OR 2026A/3", lines }));
  const words = wordsOf(bytes);
  const mentions = words.filter(({ text }) => text === "serve");
  expect(mentions.map(({ page }) => page)).toEqual([...new Set(words.map(({ page }) => page))]);
  for (const { bottom } of mentions) expect(bottom).toBeLessThan(150);
});

test("a heading of two words stays on its row", async () => {
  const gross = { unit_price_gross_micros: 2_275_500 };
  const bytes = await printDocument(sample({ doc_type: "FS", lines: [line(gross)] }), { lang: "en" });
  const words = wordsOf(bytes);
  const heading = find(words, "Incl.");
  const [vat] = words.filter(({ text, left }) => text === "VAT" && left > heading.left);
  expect(vat?.top).toBe(heading.top);
});

test("no two words overlap, however large the amounts", async () => {
  const lines = [
    line({ qty_micros: 999_999_999_000_000, unit_price_micros: 100_000_000 }),
    line({ qty_micros: 1_000_000, unit_price_micros: 999_999_999_999_999, discount_bps: 1234, unit: "caixa" }),
    line({ qty_micros: 123_456_789_123_456, unit_price_micros: 999_999_999, tax_rate_bps: 9999, tax_code: "OUT" }),
    line({ tax_region: "PT-AC", tax_code: "RED", tax_rate_bps: 400 }),
  ];
  const words = await wordsOn({ lines, global_discount_bps: 1 });
  for (const [index, one] of words.entries()) {
    for (const other of words.slice(index + 1)) {
      const isSideways = one.right <= other.left + 0.1 || other.right <= one.left + 0.1;
      const isAbove = one.bottom <= other.top + 4 || other.bottom <= one.top + 4; // boxes are higher than letters
      expect(isSideways || isAbove, `${one.text} and ${other.text}`).toBe(true);
    }
  }
});

test("notes of a thousand characters flow over lines and pages, and none is lost", async () => {
  const notes = Array.from({ length: 125 }, (_, index) => `nota-${String(index).padStart(3, "0")}`)
    .join(" ")
    .slice(0, 1_000);
  const lines = Array.from({ length: 26 }, () => line());
  const text = textOf(await printDocument(sample({ notes, lines })));
  expect(text.match(/nota-\d\d\d/g)).toHaveLength(notes.match(/nota-\d\d\d/g)?.length ?? 0);
});
