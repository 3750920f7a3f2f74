/** Names in any script and texts of any shape: printable characters are printed, others become a visible box. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DOC_TYPES } from "../../../src/core/fiscal/document-types.ts";
import { sharedDiscount, totalsOf } from "../../../src/core/fiscal/totals.ts";
import { COVERED } from "../../../src/core/print/fonts/noto-sans.ts";
import { legible } from "../../../src/core/print/legible.ts";
import { printDocument } from "../../../src/core/print/print.ts";
import type { PrintableDocument } from "../../../src/core/print/printable.ts";
import { LANGS } from "../../../src/core/texts/languages.ts";
import { day } from "../../support/days.ts";
import { runsOf } from "../../support/sampled.ts";
import { pagesOf, sheetsOf, textOf, wordsOf } from "./reading.ts";
import { line, sample, transport } from "./samples.ts";

const MM = 72 / 25.4;

const named = (name: string) => printDocument(sample({ customer: { ...sample().customer, name } }));

describe("a name is printed as it is written:", () => {
  test.each([
    "Zażółć gęślą jaźń",
    "Ζαχαροπλαστείο Αθηνών",
    "Київська пекарня «Хліб»",
    "Þórður Ægisson",
    "İğdır Çay Ltd. Şti.",
  ])("%s", async (name) => expect(textOf(await named(name))).toContain(name));
});

describe("each character the font lacks becomes one box:", () => {
  test.each([
    ["日本 Lda.", "□□ Lda."],
    ["Café 👩‍👩‍👧 & 🇵🇹", "Café □ & □"],
    ["مخبز", "□□□□"],
    ["1️⃣ Um", "1□ Um"],
    ["\ud800 só", "□ só"],
    ["a\u200bb\u00adc\ufe0f", "abc"],
    ["e\u0301\u20e3", "e\u0301□"],
    ["tab\tbell\u0007", "tab bell "],
  ])("%j is %j", async (name, shown) => {
    expect(legible(name)).toBe(shown);
    expect(textOf(await named(`Nome ${name} fim`))).toContain(`Nome ${shown.replace("\u0301", "")} fim`.slice(0, 6));
  });
});

test("both weights of the font have every character listed as covered", async () => {
  const characters = COVERED.flatMap(([first, last]) =>
    Array.from({ length: last - first + 1 }, (_, index) => String.fromCodePoint(first + index)),
  ).filter((character) => /[\p{L}\p{N}\p{Sc}]/u.test(character));
  expect(characters.length).toBeGreaterThan(1200);
  const chunks = Array.from({ length: Math.ceil(characters.length / 50) }, (_, index) =>
    characters.slice(50 * index, 50 * index + 50).join(" "),
  );
  const lines = chunks.map((description) => line({ description, product_name: null, product_code: null }));
  const regular = textOf(await printDocument(sample({ lines })));
  expect(characters.filter((character) => !regular.includes(character))).toEqual([]);
  for (let at = 0; at < characters.length; at += 200) {
    const some = characters.slice(at, at + 200);
    const bold = textOf(await named(some.join(" ")));
    expect(some.filter((character) => !bold.includes(character))).toEqual([]);
  }
});

test("a description of five hundred letters without a space is split, not cut off", async () => {
  const description = "Wm".repeat(250);
  const words = wordsOf(await printDocument(sample({ lines: [line({ description })] })));
  const pieces = words.filter(({ text }) => /^[Wm]+$/.test(text));
  expect(pieces.map(({ text }) => text).join("")).toBe(description);
});

test("a row higher than a page continues on the next, and counts once in the subtotal", async () => {
  const description = Array.from({ length: 250 }, (_, index) => `linha-${index}`).join("\n");
  const text = textOf(await printDocument(sample({ lines: [line({ description }), line()] })));
  expect(text.match(/linha-\d+/g)).toEqual(Array.from({ length: 250 }, (_, index) => `linha-${index}`));
  expect(text).toContain("Total (EUR) 9,10");
});

test("the largest numbers fit side by side without touching", async () => {
  const huge = line({
    qty_micros: 123_456_789_123_456,
    unit_price_micros: 999_999_999,
    discount_bps: 1234,
    tax_rate_bps: 9999,
    tax_code: "OUT",
    product_code: "X".repeat(100),
    unit: "caixa".repeat(20),
  });
  const text = textOf(await printDocument(sample({ lines: [huge, huge] })));
  expect(text).toContain("123 456 789,123456");
  expect(text).toContain("999,999999");
  expect(text).toContain("12,34 %");
  const word = text.match(/X+/g)?.join("");
  expect(word).toBe("X".repeat(200));
});

const scripts = fc.oneof(
  fc.string({ maxLength: 60 }),
  fc.string({ unit: "grapheme", maxLength: 60 }),
  fc.string({ unit: "binary", maxLength: 60 }),
  fc.stringMatching(/^[W .,\n]{0,500}$/),
  fc.constantFrom("", "Ж".repeat(200), "ﷺ".repeat(80), "e\u0301\u0302\u0303".repeat(60), "👩‍👩‍👧‍👦".repeat(30)),
);
const maybe = <T>(some: fc.Arbitrary<T>) => fc.option(some, { nil: null });
const places = fc.oneof(scripts, fc.constant("W\n".repeat(50)));
const address = { address: maybe(places), postal_code: maybe(scripts), city: maybe(scripts), country: maybe(scripts) };
const bps = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 10_000 }));

const printableLine = fc.record({
  product_code: maybe(scripts),
  product_name: maybe(scripts),
  description: scripts,
  qty_micros: fc.integer({ min: 1, max: 10 ** 12 }),
  unit: scripts,
  unit_price_micros: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 10 ** 12 })),
  unit_price_gross_micros: fc.option(fc.integer({ min: 0, max: 10 ** 12 })),
  discount_bps: bps,
  discount_cents: maybe(fc.integer({ min: 1, max: 10 ** 11 })),
  global_discount_micros: fc.constant(null),
  tax_rate_bps: bps,
  tax_region: fc.constantFrom("PT", "PT-AC", "PT-MA", "ES"),
  tax_code: fc.constantFrom("NOR", "RED", "INT", "ISE", "NS", "OUT"),
  exemption_code: maybe(fc.constantFrom("M01", "M15", "M21", "M99")),
  supply_date: maybe(fc.constant(day("2026-11-20"))),
});

const printable: fc.Arbitrary<PrintableDocument> = fc
  .record({
    doc_type: fc.constantFrom(...DOC_TYPES),
    lines: fc.array(printableLine, { minLength: 1, maxLength: 60, size: "max" }),
    issuer: fc.record({ name: scripts, tax_id: scripts, cash_vat: fc.boolean(), ...address }),
    customer: fc.record({ code: fc.string({ maxLength: 30 }), name: scripts, tax_id: maybe(scripts), ...address }),
    atcud: maybe(fc.constant("CSDF7T5H-17")),
    status: fc.constantFrom("issued" as const, "cancelled" as const),
    cancel_reason: maybe(scripts),
    training: fc.boolean(),
    certificate_number: fc.constantFrom(0, 9999),
    global_discount_bps: bps,
    global_discount_cents: maybe(fc.integer({ min: 1, max: 10 ** 11 })),
    references: fc.array(
      fc.record({
        number: scripts,
        issue_date: fc.constant(day("2026-11-21")),
        amount_cents: maybe(fc.nat()),
        reason: maybe(scripts),
      }),
      { maxLength: 5 },
    ),
    notes: maybe(scripts),
    footer_text: maybe(scripts),
    transport: maybe(fc.record({ from: fc.record(address), to: fc.record(address), vehicle: maybe(scripts) })),
  })
  .map(({ transport: journey, ...given }) => {
    const { global_discount_bps, global_discount_cents } = given;
    const lines = sharedDiscount(given.lines, global_discount_cents);
    const { groups: _, ...totals } = totalsOf(lines, global_discount_bps);
    return sample({ ...given, ...totals, transport: journey && { ...transport, ...journey } });
  });

test("no document throws, crosses the margins, or takes more pages than its text needs", async () => {
  await fc.assert(
    fc.asyncProperty(printable, fc.constantFrom(...LANGS), async (document, lang) => {
      const bytes = await printDocument(document, { lang });
      const pages = pagesOf(bytes);
      const rows = document.lines.reduce((sum, one) => sum + 3 + one.description.length / 4 + one.unit.length, 0);
      expect(pages.length).toBeLessThan(4 + rows / 20);
      for (const word of wordsOf(bytes)) {
        if (word.bottom - word.top > 50) continue; // the watermark of a cancelled document
        expect(word, JSON.stringify(word)).toSatisfy(() => word.left > 46 && word.right < 549);
        expect(word, JSON.stringify(word)).toSatisfy(() => word.top > 40 && word.bottom < 822);
      }
    }),
    { numRuns: runsOf(40), endOnFailure: true }, // Shrinking such a document takes longer than reading it.
  );
});

test("on a receipt no document throws, and no text leaves the 72 mm that printers reach or the end of its sheet", async () => {
  await fc.assert(
    fc.asyncProperty(printable, fc.constantFrom(...LANGS), async (document, lang) => {
      const bytes = await printDocument(document, { lang, paper: "80mm" });
      const sheets = sheetsOf(bytes);
      expect(sheets.length).toBeLessThan(3);
      for (const word of wordsOf(bytes)) {
        const { height } = sheets[word.page - 1] as (typeof sheets)[number];
        expect(word, JSON.stringify(word)).toSatisfy(() => word.left >= 4 * MM - 0.1 && word.right <= 76 * MM + 0.1);
        expect(word, JSON.stringify(word)).toSatisfy(() => word.top >= 0 && word.bottom <= height);
      }
    }),
    { numRuns: runsOf(40), endOnFailure: true },
  );
});
