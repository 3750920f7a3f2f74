/** Documents of several pages: subtotals carried over, and totals kept together on the last page. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mostOff, mostOffLine, totalsOf } from "../../../src/core/fiscal/totals.ts";
import { printDocument } from "../../../src/core/print/print.ts";
import type { PrintableDocument } from "../../../src/core/print/printable.ts";
import { day } from "../../support/days.ts";
import { runsOf } from "../../support/sampled.ts";
import { codesOf, pagesOf, textOf } from "./reading.ts";
import { exempt, line, sample } from "./samples.ts";

/** `1 234,56` as cents. */
const cents = (text: string) => Number(text.replace(/[ ,]/g, ""));

const AMOUNT = /-?\d{1,3}(?: \d{3})*,\d{2}$/;

/** The amounts at the right end of those rows of a page that contain `words`. */
const amountsOf = (page: string, words: string) =>
  page.split("\n").flatMap((row) => (row.includes(words) ? [cents(AMOUNT.exec(row.trim())?.[0] ?? "")] : []));

const eighty = Array.from({ length: 80 }, (_, index) =>
  line({
    product_code: `ART-${index}`,
    description: index % 7 ? `Artigo ${index}` : `Artigo ${index}, que tem uma descrição longa e quebra, `.repeat(3),
    product_name: null,
    unit_price_micros: 1_234_560 + 77_777 * index,
  }),
);

describe("eighty lines", () => {
  test("carry the sum of the printed amounts over from page to page", async () => {
    const pages = pagesOf(await printDocument(sample({ lines: eighty })));
    expect(pages.length).toBeGreaterThan(2);
    let sum = 0;
    for (const [index, page] of pages.entries()) {
      expect(amountsOf(page, "Transporte")).toEqual(index === 0 ? [] : [sum]);
      sum += amountsOf(page, "ART-").reduce((total, amount) => total + amount, 0);
      expect(amountsOf(page, "A transportar")).toEqual(index === pages.length - 1 ? [] : [sum]);
    }
    expect(sum).toBe(eighty.reduce((total, one) => total + totalsOf([one]).total_net_cents, 0));
  });

  test("show number, page and ATCUD on every page; QR code, VAT summary and total only on the last", async () => {
    const bytes = await printDocument(sample({ lines: eighty }));
    const pages = pagesOf(bytes);
    for (const [index, page] of pages.entries()) {
      const last = index === pages.length - 1;
      expect(page).toContain("Fatura FT 2026A/17");
      expect(page).toContain(`Página ${index + 1} de ${pages.length}`);
      expect(page.match(/ATCUD:CSDF7T5H-17/g)).toHaveLength(1);
      expect([page.includes("Resumo do IVA"), page.includes("Total (EUR)")]).toEqual([last, last]);
      expect(codesOf(bytes, index + 1)).toEqual(last ? [sample().qr_code] : []);
    }
  });

  test("number their pages from 1 in each copy", async () => {
    const single = pagesOf(await printDocument(sample({ lines: eighty }))).length;
    const pages = pagesOf(await printDocument(sample({ lines: eighty }), { copies: 2 }));
    expect(pages).toHaveLength(2 * single);
    for (const [index, page] of pages.entries()) expect(page).toContain(`Página ${(index % single) + 1} de ${single}`);
  });
});

test("total and QR code share a page and the subtotal is right, wherever on a page the lines end", async () => {
  for (let count = 20; count < 50; count += 1) {
    const pages = pagesOf(await printDocument(sample({ lines: eighty.slice(0, count) })));
    const last = pages.at(-1) as string;
    expect(last).toContain("Total (EUR)");
    expect(last).toContain("ATCUD:");
    const before = eighty.slice(0, count).reduce((sum, one) => sum + totalsOf([one]).total_net_cents, 0);
    const shown = pages.length > 1 ? amountsOf(last, "Transporte") : [0];
    expect(amountsOf(last, "ART-").reduce((sum, amount) => sum + amount, shown[0] as number)).toBe(before);
  }
});

describe("a document without prices", () => {
  const unpriced = sample({ doc_type: "GR", lines: eighty.map((one) => ({ ...one, unit_price_micros: 0 })) });

  test("shows no subtotals and no amounts", async () => {
    const text = textOf(await printDocument(unpriced));
    for (const word of ["Transporte", "transportar", "0,00", "Total", "IVA"]) expect(text).not.toContain(word);
    expect(text).toContain("Artigo 79");
  });

  test("shows amounts nevertheless if it is an invoice: free goods are invoiced at 0", async () => {
    const text = textOf(await printDocument({ ...unpriced, doc_type: "FT" }));
    for (const words of ["Preço unit.", "Total de IVA 0,00", "Total (EUR) 0,00"]) expect(text).toContain(words);
  });
});

test("the printed lines, rounding and discount add up to the total, and so do the rows of the VAT summary", async () => {
  const rates = fc.constantFrom({ tax_rate_bps: 2300, tax_code: "NOR" }, { tax_rate_bps: 600, tax_code: "RED" });
  const lines = fc.array(
    fc.record({
      qty_micros: fc.integer({ min: 1, max: 10 ** 9 }),
      unit_price_micros: fc.integer({ min: 1, max: 10 ** 9 }),
      discount_bps: fc.integer({ min: 0, max: 10_000 }),
      isAmount: fc.boolean(),
      rate: rates,
    }),
    { minLength: 1, maxLength: 12 },
  );
  const discount = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 10_000 }));
  /** A discount in basis points, or the amount that it comes to. */
  const either = (bps: number, isAmount: boolean, most_cents: number) => ({
    bps: isAmount ? 0 : bps,
    cents: (isAmount && Math.floor((most_cents * bps) / 10_000)) || null,
  });
  await fc.assert(
    fc.asyncProperty(lines, discount, fc.boolean(), async (given, off_bps, isAmount) => {
      const all = given.map(({ rate, isAmount, discount_bps, ...one }) => {
        const full = line({ product_code: "ART-1", ...rate, ...one });
        const { bps, cents } = either(discount_bps, isAmount, mostOffLine(full));
        return { ...full, discount_bps: bps, discount_cents: cents };
      });
      const off = either(off_bps, isAmount, mostOff([...all, exempt()]));
      const document = sample({
        lines: [...all, exempt()],
        ...{ global_discount_bps: off.bps, global_discount_cents: off.cents },
      });
      const page = pagesOf(await printDocument(document)).join("\n");
      const printed = (words: string) => amountsOf(page, words).reduce((sum, amount) => sum + amount, 0);
      const lines = printed("ART-1") + totalsOf([exempt()]).total_net_cents;
      expect(lines + printed("Arredondamento") + printed("Desconto global")).toBe(document.total_net_cents);
      expect(printed("Total (EUR)")).toBe(document.total_gross_cents);
      expect(summaryOf(page)).toEqual([document.total_net_cents, document.total_tax_cents]);
    }),
    { numRuns: runsOf(40) },
  );
});

/** The sums of base and tax over the rows of the VAT summary. */
function summaryOf(page: string): [number, number] {
  const rows = Array.from(
    page.matchAll(/Continente · [^\d]+\d+ ?% +(\d[\d ]*,\d\d) +(\d[\d ]*,\d\d)/g),
    ([, base = "", tax = ""]) => [cents(base), cents(tax)] as const,
  );
  return [rows.reduce((sum, [base]) => sum + base, 0), rows.reduce((sum, [, tax]) => sum + tax, 0)];
}

/** A document with everything that can follow the lines. */
const full = (notes: string): PrintableDocument =>
  sample({
    notes,
    lines: eighty.slice(0, 20),
    payments: Array.from({ length: 40 }, () => ({
      amount_cents: 100,
      method_code: "TR",
      payment_date: day("2026-11-21"),
    })),
  });

test("long payments and notes continue over pages, and nothing is lost", async () => {
  const text = textOf(await printDocument(full("Nota.\n".repeat(120))));
  expect(text.match(/Nota\./g)).toHaveLength(120);
  expect(text.match(/Títulos de compensação/g)).toHaveLength(40);
  expect(text).toContain("Total (EUR)");
});

test("other work gets a turn after each line", async () => {
  const lines = Array.from({ length: 300 }, () => line());
  await printDocument(sample());
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns++;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  await printDocument(sample({ lines }));
  isDone = true;
  expect(turns).toBeGreaterThanOrEqual(lines.length);
});
