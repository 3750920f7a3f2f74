/** The totals that the page shows while a document is written are those the server gives it, to the cent. */
import { readFileSync } from "node:fs";
import { openInMemory } from "lacre/testing";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type * as Input from "../../src/web/document/input.ts";
import type * as Page from "../../src/web/document/writing.ts";
import type * as Prices from "../../src/web/prices.ts";
import { chanceOf } from "../support/chance.ts";
import { day } from "../support/days.ts";
import { ownStore } from "./support/store.ts";

const BASKETS = 10_000;
const DAY = day("2026-11-02");

let page: typeof Page;
let input: typeof Input;
let prices: typeof Prices;
let server: Awaited<ReturnType<typeof openInMemory>>;

beforeAll(async () => {
  ownStore();
  page = await import("../../src/web/document/writing.ts");
  input = await import("../../src/web/document/input.ts");
  prices = await import("../../src/web/prices.ts");
  (await import("../../src/web/words/language.ts")).language.value = "pt";
  server = await openInMemory({ now: () => new Date(`${DAY}T12:00:00Z`), checkContracts: false });
});
afterAll(async () => {
  vi.unstubAllGlobals();
  await server.lacre.close();
});

interface Typed {
  readonly qty: string;
  readonly price: string;
  readonly rate: number;
  readonly discount: string;
}

/** What page and server make of the same lines, typed as people type them. */
async function bothOf(lines: readonly Typed[], discount: string, withVat: boolean) {
  prices.pricesWithVat.value = withVat;
  const company = await server.lacre.companies.get({ id: server.company_id });
  const writing = page.newWriting(company, "FT", DAY);
  writing.discount.value = discount;
  for (const { qty, price, rate, discount } of lines) {
    const line = page.addFreeLine(writing, "Pão de Mafra", rate);
    line.rate.value = rate;
    line.exemption.value = rate === 0 ? "M07" : "";
    line.qty.value = qty;
    line.typedPrice.value = { text: price, withVat, rate };
    line.discount.value = discount;
  }
  const { total_net_cents, total_tax_cents, total_gross_cents } = page.totalsOfWriting(writing);
  const series = { id: server.series.FT, cash_vat: false };
  const draft = await server.company.documents.create(input.inputOf(writing, series, await customer()));
  expect(draft.lines).toHaveLength(lines.length);
  await server.company.documents.discard({ id: draft.id });
  return [
    [total_net_cents, total_tax_cents, total_gross_cents],
    [draft.total_net, draft.total_tax, draft.total_gross].map((eur) => Math.round((eur ?? 0) * 100)),
  ];
}

let known: Promise<string> | undefined;
const customer = () => (known ??= server.company.customers.create({ name: "Ana" }).then(({ id }) => id));

const typed = (value: number) => String(value).replace(".", ",");

test("of every published vector", async () => {
  const { vectors } = JSON.parse(readFileSync("test/vectors/totals.json", "utf8")) as {
    vectors: {
      lines: { qty: number; unit_price_net: number; tax_rate: number; discount_pct?: number }[];
      global_discount_pct?: number;
      expected: { total_gross: number };
    }[];
  };
  const shown = vectors.filter(
    ({ lines }) => lines.length > 0 && lines.every(({ qty, unit_price_net }) => isTypable(qty, unit_price_net)),
  );
  expect(shown.length).toBeGreaterThan(vectors.length / 2);
  for (const { lines, global_discount_pct = 0, expected } of shown) {
    const rows = lines.map(({ qty, unit_price_net, tax_rate, discount_pct = 0 }) => ({
      qty: typed(qty),
      price: typed(unit_price_net),
      rate: tax_rate,
      discount: typed(discount_pct),
    }));
    const [ours, theirs] = await bothOf(rows, typed(global_discount_pct), false);
    expect(ours).toEqual(theirs);
    expect(ours?.[2]).toBe(Math.round(expected.total_gross * 100));
  }
});

/** Numbers that are written without an exponent. */
const isTypable = (...values: number[]) => values.every((value) => !String(value).includes("e"));

test(`of ${BASKETS} random baskets, with and without VAT`, async () => {
  const chance = chanceOf(Number(process.env.LACRE_SEED ?? 1));
  console.log(`baskets from seed ${chance.seed}`);
  for (let basket = 0; basket < BASKETS; basket++) {
    const lines = Array.from({ length: 1 + chance.below(5) }, () => ({
      qty: typed(chance.oneOf([1, 1, 2, 3, 12, 0.335, 1.5, 1 + chance.below(500)])),
      price: typed((1 + chance.below(20_000)) / 100),
      rate: chance.oneOf([23, 23, 13, 6, 0]),
      discount: chance.oneOf(["", "", "5", "12,5"]),
    }));
    const [ours, theirs] = await bothOf(lines, chance.oneOf(["", "", "", "10"]), basket % 2 === 0);
    expect(ours, `basket ${basket} of seed ${chance.seed}: ${JSON.stringify(lines)}`).toEqual(theirs);
  }
});
