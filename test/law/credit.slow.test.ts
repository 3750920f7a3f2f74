/**
 * Random baskets are credited in random parts: each comes to its share of the lines, by plain fractions, and all of
 * them to the whole, to the cent; under a certificate number to it or a few cents less, and none is refused.
 */
import { expect, test } from "vitest";
import type { Document, DocumentLine } from "../../src/core/documents/document.ts";
import { computeLines } from "../../src/core/fiscal/computed-totals.ts";
import { atScale, figuresOf, SEED } from "../durability/scale.ts";
import { aBasket, cents } from "../support/baskets.ts";
import { type Chance, chanceOf } from "../support/chance.ts";
import { DATABASE } from "../support/databases.ts";
import { aCustomer, anInvoice, aProduct } from "../support/factories.ts";
import { type Home, openInstance } from "../support/instance.ts";
import { expectRefusal } from "../support/refusals.ts";
import { certify } from "../support/strict-month.ts";

const BASKETS = atScale(60, 3_000);
const RATES = [23, 23, 13, 6, 0];

/** A sale, its credit notes, and how many tenths are left of each line. */
interface Sale {
  readonly sold: Document;
  readonly tenths: number[];
  readonly notes: Document[];
}

/** The customer of all sales, and the product of half of their lines. */
interface Names {
  readonly customer_id: string;
  readonly product_id: string;
}

/** A sale of lines of a euro or more each, so that no tenth of one rounds to nothing. */
async function aSale(home: Home, chance: Chance, names: Names): Promise<Sale> {
  const { basket } = aBasket(chance, RATES, 6);
  const off = basket.global_discount_amount === undefined && chance.below(2) === 0 ? { global_discount_pct: 12.5 } : {};
  if (computeLines({ ...basket, ...off }).some(({ net }) => net < 1)) return aSale(home, chance, names);
  const lines = basket.lines.map((line) => ({
    ...{ description: "Pão", ...line, ...(line.tax_rate === 0 && { exemption_code: "M07" }) },
    ...(chance.below(2) === 0 && { product_id: names.product_id }),
  }));
  const sold = await anInvoice(home, { customer_id: names.customer_id, ...basket, ...off, lines });
  return { sold, tenths: lines.map(() => 10), notes: [] };
}

/** What a tenth of each line comes to with VAT, in cents and their fractions. */
function tenthsOf({ lines, global_discount_pct, global_discount_amount }: Document): number[] {
  const amounts = lines.map((line) => {
    const { qty, unit_price_gross, unit_price_net, discount_pct, discount_amount } = line;
    return qty * (unit_price_gross ?? unit_price_net) * (1 - discount_pct / 100) - (discount_amount ?? 0);
  });
  const all = amounts.reduce((sum, amount) => sum + amount, 0);
  const kept = (1 - global_discount_pct / 100) * (1 - (global_discount_amount ?? 0) / all);
  return lines.map((line, i) => (amounts[i] as number) * kept * withVat(line) * 10);
}

const withVat = ({ unit_price_gross, tax_rate }: DocumentLine) => (unit_price_gross === null ? 1 + tax_rate / 100 : 1);

/** Some tenths of some lines, or all that is left of them. */
function aPart({ tenths }: Sale, chance: Chance): { at: number; taken: number }[] {
  return tenths.flatMap((left, at) =>
    left === 0 || chance.below(3) === 0 ? [] : [{ at, taken: chance.oneOf([left, 1 + chance.below(left)]) }],
  );
}

/** Credits a part. Returns the cents between the note and the part's share. */
async function creditPart(home: Home, { sold, tenths, notes }: Sale, part: ReturnType<typeof aPart>): Promise<number> {
  const shares = tenthsOf(sold);
  const lines = part.map(({ at, taken }) => {
    const { qty } = sold.lines[at] as DocumentLine;
    return { line: at + 1, qty: Math.round(qty * taken * 1e5) / 1e6 };
  });
  const note = await home.company.documents.credit({ id: sold.id, lines, issue: true });
  notes.push(note);
  for (const { at, taken } of part) tenths[at] = (tenths[at] as number) - taken;
  expect(note.lines.map(({ reference_line, qty }) => ({ line: reference_line, qty }))).toEqual(lines);
  const due = part.reduce((sum, { at, taken }) => sum + (shares[at] as number) * taken, 0);
  return Math.abs(cents(note.total_gross) - due);
}

const sumOf = (notes: readonly Document[], name: "total_tax" | "total_gross") =>
  notes.reduce((sum, note) => sum + cents(note[name]), 0);

test.each([false, true])("parts come to the whole, with a certificate number: %s", async (isStrict) => {
  const chance = chanceOf(SEED);
  const counted = { baskets: 0, notes: 0, most_off_share: 0, most_off_tax: 0, short: 0, most_short: 0 };
  figuresOf(`credits${isStrict ? " under a certificate number" : ""}`, counted);
  const home = await openInstance(DATABASE, { at: "2026-11-21T08:00:00Z" });
  try {
    if (isStrict) await certify(home);
    const address = { address: "Rua Direita, 1", city: "Lisboa", postal_code: "1100-148" };
    const names = { customer_id: (await aCustomer(home, address)).id, product_id: (await aProduct(home)).id };
    for (let at = 0; at < BASKETS; at++) {
      const sale = await aSale(home, chance, names);
      const { sold, tenths, notes } = sale;
      const told = `basket ${at} of seed ${SEED}: ${JSON.stringify(sold)}`;
      for (let times = chance.below(4); times > 0; times--) {
        const part = aPart(sale, chance);
        if (part.length === 0) continue;
        const off = await creditPart(home, sale, part);
        // Each line and rate of this note, and of those whose remainders it takes, is rounded by less than a cent.
        expect(off, told).toBeLessThan(2 * notes.length * sold.lines.length);
        counted.most_off_share = Math.max(counted.most_off_share, off);
      }
      if (tenths.some((left) => left > 0))
        notes.push(await home.company.documents.credit({ id: sold.id, issue: true }));
      const short = cents(sold.total_gross) - sumOf(notes, "total_gross");
      counted.short += Number(short > 0);
      counted.most_short = Math.max(counted.most_short, short);
      counted.most_off_tax = Math.max(
        counted.most_off_tax,
        Math.abs(sumOf(notes, "total_tax") - cents(sold.total_tax)),
      );
      // Under a certificate number no line is credited beyond its value, so that a rounding of each may stay open.
      expect(short, told).toBeLessThanOrEqual(isStrict ? notes.length * sold.lines.length : 0);
      expect(short, told).toBeGreaterThanOrEqual(0);
      expect((await home.company.documents.get({ id: sold.id })).outstanding, told).toBe(short / 100);
      await expectRefusal(home.company.documents.credit({ id: sold.id }), "credit_exceeds_original");
      counted.baskets++;
      counted.notes += notes.length;
    }
    expect(await home.company.series.verify()).toMatchObject({ whole: true });
  } finally {
    await home.lacre.close();
  }
});
