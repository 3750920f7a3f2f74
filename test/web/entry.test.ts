/** What is typed into the field that adds products, and into the form of a product. */
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import type * as Entry from "../../src/web/document/entry.ts";
import type * as Products from "../../src/web/fields/typed-product.ts";
import type { language as Language } from "../../src/web/words/language.ts";
import { ownStore } from "./support/store.ts";

let entry: typeof Entry;
let products: typeof Products;
let language: typeof Language;

beforeAll(async () => {
  ownStore();
  entry = await import("../../src/web/document/entry.ts");
  products = await import("../../src/web/fields/typed-product.ts");
  ({ language } = await import("../../src/web/words/language.ts"));
});

beforeEach(() => {
  language.value = "pt";
});

describe("an entry", () => {
  test.each([
    ["pão", 1, "pão"],
    [" pão de forma ", 1, "pão de forma"],
    ["3*pão", 3, "pão"],
    ["1,5 * queijo", 1.5, "queijo"],
    ["2x café", 2, "café"],
    ["2 × café", 2, "café"],
    ["2xícaras", 1, "2xícaras"],
    ["3*", 3, ""],
    ["5600000000001", 1, "5600000000001"],
    ["0*pão", undefined, "pão"],
    ["-2*pão", undefined, "pão"],
    ["−2*pão", undefined, "pão"],
  ])("%s", (text, qty, wanted) => {
    expect(entry.readEntry(text)).toEqual({ qty, wanted });
  });

  test("finds first the product with this name or code, then those that begin with it, the shorter name before the longer", () => {
    const found = [
      { name: "Torrada com pão de centeio", sku: null },
      { name: "Pão de Mafra", sku: "P1" },
      { name: "Pão de milho", sku: null },
      { name: "Bolo", sku: "pão-2" },
      { name: "PÃO", sku: null },
      { name: "Broa", sku: "PÃO" },
    ];
    expect(entry.byFit(found, "pão").map(({ name }) => name)).toEqual([
      "PÃO",
      "Broa",
      "Bolo",
      "Pão de Mafra",
      "Pão de milho",
      "Torrada com pão de centeio",
    ]);
  });
});

describe("a product", () => {
  const FILLED = {
    name: " Pão ",
    price: "1,15",
    tax_rate: "6",
    exemption_code: "M07",
    unit: "",
    sku: " ",
    type: "P",
    stock: "",
  };
  const known = { withVat: true, rates: [23, 13, 6, 0] };

  test("is sent with the typed values, and with the defaults of empty fields", () => {
    expect(products.readProduct(FILLED, known)).toEqual({
      product: { name: "Pão", tax_rate: 6, exemption_code: null, unit: "un", sku: null, type: "P", stock: null },
      price: { unit_price_gross: 1.15 },
    });
  });

  test("names its price without VAT where prices are typed so, and keeps its reason at 0 %", () => {
    const read = products.readProduct(
      { ...FILLED, tax_rate: "0", stock: "-1,5", unit: "kg", sku: "P1" },
      { ...known, withVat: false },
    );
    expect(read).toMatchObject({
      product: { tax_rate: 0, exemption_code: "M07", unit: "kg", sku: "P1", stock: -1.5 },
      price: { unit_price_net: 1.15 },
    });
  });

  test("is not sent with a price, a stock or a rate that mean nothing: each is said at its field", () => {
    expect(products.readProduct({ ...FILLED, price: "", stock: "x", tax_rate: "21" }, known)).toEqual({
      problems: {
        unit_price_gross: "Escreva o preço em euros, como 1,15.",
        stock: "Escreva um número, como 12 ou 1,5.",
        tax_rate: "Já não é uma taxa de IVA: escolha a de hoje.",
      },
    });
  });

  test("keeps its stored price while nobody touches it; at another rate the price with VAT stays instead", () => {
    const stored = { tax_rate: 6 };
    expect(products.keepsPrice(FILLED, "1,15", stored, true)).toBe(true);
    expect(products.keepsPrice(FILLED, "1,16", stored, true)).toBe(false);
    expect(products.keepsPrice({ ...FILLED, tax_rate: "13" }, "1,15", stored, true)).toBe(false);
    expect(products.keepsPrice({ ...FILLED, tax_rate: "13" }, "1,15", stored, false)).toBe(true);
    expect(products.keepsPrice({ ...FILLED, price: "" }, undefined, undefined, true)).toBe(false);
  });
});
