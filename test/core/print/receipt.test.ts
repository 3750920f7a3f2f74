/** The receipt of 80 mm: its size, its columns, prices with VAT, and what is too long for one sheet. */
import { describe, expect, test } from "vitest";
import { netMicrosOfGross } from "../../../src/core/fiscal/gross-prices.ts";
import { type PrintOptions, printDocument } from "../../../src/core/print/print.ts";
import type { PrintableDocument, PrintableLine } from "../../../src/core/print/printable.ts";
import { amount } from "../../../src/core/texts/format.ts";
import { day, instant } from "../../support/days.ts";
import { pngOf } from "../../support/pictures.ts";
import { checkFile, codesOf, pagesOf, sheetsOf, textOf, type Word, wordsOf } from "./reading.ts";
import { line, sample } from "./samples.ts";

const MM = 72 / 25.4;
const [LEFT, RIGHT] = [4 * MM, 76 * MM];

const printed = (more: Partial<PrintableDocument> = {}, options: PrintOptions = {}) =>
  printDocument(sample(more), { paper: "80mm", ...options });

/** A line priced with VAT. */
const shelf = (cents: number, more: Partial<PrintableLine> = {}): PrintableLine => {
  const unit_price_gross_micros = cents * 10_000;
  const { tax_rate_bps } = line(more);
  return line({
    unit_price_gross_micros,
    unit_price_micros: netMicrosOfGross(unit_price_gross_micros, tax_rate_bps),
    ...more,
  });
};

const find = (words: readonly Word[], text: string): Word => {
  const found = words.find((word) => word.text === text);
  if (!found) throw new Error(`There is no ${text} on the receipt.`);
  return found;
};

/** As many lines as a till of a do-it-yourself shop prints at once. */
const sixty = Array.from({ length: 60 }, (_, index) =>
  line({ description: `Artigo ${index}: ${"chaves de fendas com ponta isolada ".repeat(3)}`, product_name: null }),
);

describe("the sheet", () => {
  test("is 80 mm wide and as long as its content", async () => {
    const [short, long] = [await printed(), await printed({ lines: sixty })];
    for (const bytes of [short, long]) {
      const [sheet, ...others] = sheetsOf(bytes);
      expect(others).toEqual([]);
      expect(sheet?.width).toBeCloseTo(80 * MM, 1);
      const end = Math.max(...wordsOf(bytes).map(({ bottom }) => bottom));
      // The QR code of 33 mm and the tail follow the last word.
      expect((sheet?.height ?? 0) - end).toBeLessThan(50 * MM);
      expect(checkFile(bytes)).toContain("No syntax or stream encoding errors found");
    }
    expect(sheetsOf(short)[0]?.height).toBeLessThan(220 * MM);
  });

  test("has all of sixty long lines, and its QR code can be read", async () => {
    const bytes = await printed({ lines: sixty });
    expect(textOf(bytes).match(/Artigo \d+:/g)).toHaveLength(60);
    expect(codesOf(bytes, 1)).toEqual([sample().qr_code]);
  });

  test("names a buyer without name and number once, and one with a number by both", async () => {
    const customer = { ...sample().customer, name: "Consumidor final", address: null, postal_code: null, city: null };
    const bought = async (tax_id: string | null) => textOf(await printed({ customer: { ...customer, tax_id } }));
    for (const tax_id of [null, "999999990"]) {
      const text = await bought(tax_id);
      expect(text).toContain("Cliente NIF Consumidor final ");
      expect(text.match(/Consumidor final|———/g)).toHaveLength(1);
    }
    expect(await bought("234567899")).toContain("Cliente Consumidor final NIF 234567899");
  });

  test("the cash handed over stands with the change below the paid amount, if it is known", async () => {
    const paid = (method_code: string, amount_cents: number) => ({
      method_code,
      amount_cents,
      payment_date: day("2026-11-21"),
    });
    const text = async (options: PrintOptions) =>
      textOf(await printed({ payments: [paid("CD", 155), paid("NU", 300)] }, options));
    expect(await text({ cash_given: 20 })).toContain(
      "Numerário · 21-11-2026 3,00 Entregue em numerário 20,00 Troco 17,00",
    );
    expect(await text({ cash_given: 3, lang: "en" })).toContain("3.00 Cash given 3.00 Change 0.00");
    expect(await text({})).not.toContain("Troco");
  });

  test("amounts end at the right edge of the printable width, texts begin at the left", async () => {
    const words = wordsOf(await printed());
    for (const text of ["Valor", "4,55", "K3"]) expect(find(words, text).right, text).toBeCloseTo(RIGHT, 0);
    for (const text of ["Original", "Fatura", "Cliente", "Total"]) {
      expect(find(words, text).left, text).toBeCloseTo(LEFT, 0);
    }
  });

  test("no two words overlap, however large the amounts", async () => {
    const lines = [
      line({ qty_micros: 999_999_999_000_000, unit_price_micros: 100_000_000 }),
      line({ qty_micros: 1_000_000, unit_price_micros: 999_999_999_999_999, discount_bps: 1234, unit: "caixa" }),
      line({ qty_micros: 123_456_789_123_456, unit_price_micros: 999_999_999, tax_rate_bps: 9999, tax_code: "OUT" }),
      line({ tax_region: "PT-AC", tax_code: "RED", tax_rate_bps: 400 }),
    ];
    const payments = [{ amount_cents: 99_999_999_999_999, method_code: "TB", payment_date: day("2026-11-21") }];
    const words = wordsOf(await printed({ lines, payments, global_discount_bps: 1 }));
    for (const [index, one] of words.entries()) {
      for (const other of words.slice(index + 1)) {
        const isSideways = one.right <= other.left + 0.1 || other.right <= one.left + 0.1;
        const isAbove = one.bottom <= other.top + 4 || other.bottom <= one.top + 4; // boxes are higher than letters
        expect(isSideways || isAbove, `${one.text} and ${other.text}`).toBe(true);
      }
    }
  });

  test("nothing on it is grey or coloured: receipt printers have only black", async () => {
    const bytes = await printed({
      status: "cancelled",
      cancelled_at: instant("2026-11-21T11:02:03.000Z"),
      training: true,
    });
    const content = Buffer.from(bytes).toString("latin1");
    expect(content.match(/[\d.]+ [\d.]+ [\d.]+ (?:rg|RG)/g)?.filter((color) => !/^0 0 0 /.test(color)) ?? []).toEqual(
      [],
    );
  });

  test("shows the logo, but not on a training document", async () => {
    const logo = pngOf({ width: 400, height: 100 });
    const pictures = (bytes: Uint8Array) => Buffer.from(bytes).toString("latin1").includes("/Subtype /Image");
    expect(pictures(await printed({ logo }))).toBe(true);
    expect(pictures(await printed({ logo, training: true }))).toBe(false);
  });
});

describe("marks", () => {
  test("of a cancelled or a training document stand at its beginning and again above the QR code", async () => {
    const cancelled = { status: "cancelled", cancelled_at: instant("2026-11-21T11:02:03.000Z") } as const;
    expect(textOf(await printed(cancelled)).match(/ANULADO(?! em)/g)).toHaveLength(2);
    expect(textOf(await printed({ training: true })).match(/para fins de Formação/g)).toHaveLength(2);
    expect(textOf(await printed({ certificate_number: 9999 })).match(/ENSAIO/g)).toHaveLength(2);
    expect(textOf(await printed())).not.toMatch(/ANULADO|Formação/);
  });

  test("copies are sheets of their own, each with its name", async () => {
    const pages = pagesOf(await printed({}, { copies: 4 }));
    const names = ["Original", "Duplicado", "Triplicado", "Quadruplicado"];
    expect(pages.map((page) => names.filter((name) => page.includes(name)))).toEqual(names.map((name) => [name]));
    expect(textOf(await printed({}, { copy: true }))).toContain("2.ª via");
  });
});

describe("a receipt too long for any driver", () => {
  const lines = Array.from({ length: 400 }, (_, index) =>
    line({ description: `Artigo ${index}`, product_name: null, product_code: null }),
  );

  test("is continued on a second sheet, with number, subtotal and page on both", async () => {
    const bytes = await printed({ lines, doc_type: "ND", certificate_number: 9999 });
    const sheets = sheetsOf(bytes);
    expect(sheets).toHaveLength(2);
    for (const { height } of sheets) expect(height).toBeLessThanOrEqual(3276 * MM);
    const [first = "", second = ""] = pagesOf(bytes).map((page) => page.replace(/\s+/g, " "));
    const before = first.match(/Artigo \d+/g)?.length ?? 0;
    const subtotal = amount(before * 370, "pt").replaceAll("\u00a0", " ");
    expect(first).toContain(`A transportar ${subtotal}`);
    expect(first).toMatch(/Processado por programa certificado n.º 9999\/AT ATCUD:CSDF7T5H-17 .*Página 1 de 2 $/);
    expect(first).not.toContain("Total (EUR)");
    expect(second).toContain(`Original Nota de débito FT 2026A/17 Padaria Central, Lda. ENSAIO: `);
    expect(second).toContain(`Transporte ${subtotal}`);
    expect(second).toMatch(/Página 2 de 2 $/);
    expect(before + (second.match(/Artigo \d+/g)?.length ?? 0)).toBe(400);
    expect([codesOf(bytes, 1), codesOf(bytes, 2)]).toEqual([[], [sample().qr_code]]);
  });

  test("a description higher than a sheet continues, and nothing of it is lost", async () => {
    const description = Array.from({ length: 900 }, (_, index) => `linha-${index}`).join("\n");
    const bytes = await printed({ lines: [line({ description, product_name: null })] });
    expect(sheetsOf(bytes).length).toBe(2);
    expect(textOf(bytes).match(/linha-\d+/g)).toHaveLength(900);
    expect(textOf(bytes)).toContain("Total (EUR) 4,55");
  });
});

describe.each(["80mm", "A4"] as const)("prices with VAT on %s", (paper) => {
  const lines = [shelf(115, { qty_micros: 3_000_000 }), shelf(2490, { qty_micros: 1_000_000 })];

  test("are shown with VAT on a simplified invoice, and the total is that of its lines", async () => {
    const text = textOf(await printDocument(sample({ doc_type: "FS", lines }), { paper }));
    for (const words of [
      "Preço c/ IVA",
      "Valor c/ IVA",
      "1,15",
      "3,45",
      "24,90",
      "Total (EUR) 28,35",
      "23,05",
      "5,30",
    ]) {
      expect(text).toContain(words);
    }
    expect(text).not.toContain("Soma das linhas");
  });

  test("every step from the lines to the total is shown: rounding and a global discount", async () => {
    const weighed = [shelf(299, { qty_micros: 735_000 }), shelf(299, { qty_micros: 735_000 })];
    const text = textOf(
      await printDocument(sample({ doc_type: "FS", lines: weighed, global_discount_bps: 1000 }), { paper }),
    );
    // 2 × 2.19765 is 4.3953, 4.40; less 10 % 3.95577, 3.96.
    for (const words of ["Soma das linhas 4,40", "Desconto global 10 % -0,44", "Total (EUR) 3,96"]) {
      expect(text).toContain(words);
    }
  });

  test.each([
    ["another type", sample({ doc_type: "FT", lines })],
    ["a line that was priced without", sample({ doc_type: "FS", lines: [...lines, line()] })],
  ])("are shown without VAT on %s", async (_, document) => {
    const text = textOf(await printDocument(document, { paper }));
    expect(text).toContain("Preço unit.");
    expect(text).toContain("0,934959");
    expect(text).not.toContain("c/ IVA");
  });
});
