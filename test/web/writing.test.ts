/** What is typed into a document that is being written, and what it means. */
import { beforeAll, describe, expect, test } from "vitest";
import type * as Lines from "../../src/web/document/line.ts";
import type * as Prices from "../../src/web/prices.ts";
import { instant } from "../support/days.ts";
import { ownStore } from "./support/store.ts";

beforeAll(() => {
  ownStore();
});

describe("a text typed for a customer", () => {
  test.each([
    ["234567899", { tax_id: "234567899" }],
    [" 234 567 899 ", { tax_id: "234567899" }],
    ["PT234567899", { tax_id: "234567899" }],
    ["500.000.000", { tax_id: "500000000" }],
    ["FR40303265045", { tax_id: "FR40303265045", country: "FR" }],
    ["el 123456789", { tax_id: "EL123456789", country: "GR" }],
    ["ana@padaria.pt", { email: "ana@padaria.pt" }],
    ["912345678", { phone: "912345678" }],
    ["+351 912 345 678", { phone: "+351 912 345 678" }],
    ["213 456 780", { phone: "213 456 780" }],
    ["500000001", { tax_id: "500000001" }], // Mistyped: its field says so.
    ["Rosa Lima", { name: "Rosa Lima" }],
    ["Rosa @ Lisboa", { name: "Rosa @ Lisboa" }],
    ["Café 1900", { name: "Café 1900" }],
    ["DE Lda. 2020", { name: "DE Lda. 2020" }],
  ])("%s goes where it belongs", async (text, field) => {
    const { partyOf } = await import("../../src/web/party.ts");
    expect(partyOf(text)).toEqual(field);
  });
});

describe("the price of a line whose rate changes", () => {
  let lines: typeof Lines;
  let prices: typeof Prices;
  beforeAll(async () => {
    lines = await import("../../src/web/document/line.ts");
    prices = await import("../../src/web/prices.ts");
    const { language } = await import("../../src/web/words/language.ts");
    language.value = "pt";
    prices.pricesWithVat.value = true;
  });
  const product = (unit_price_net: number, tax_rate: number) => {
    const own = { id: "p", name: "Mesa", unit_price_net, tax_rate, unit: "un", exemption_code: null, sku: null };
    const kept = { stock: null, till_number: null, external_id: null, metadata: {}, unit_price_gross: null };
    const at = instant("2026-11-02T12:00:00.000Z");
    return lines.lineOf({ ...own, ...kept, type: "P", created_at: at, updated_at: at }, 2);
  };

  test("a stored net price stays the same at 0 %, and its amount with VAT can be kept", () => {
    const line = product(250, 23);
    expect(line.price.value).toBe("307,50");
    expect(line.checked.value.input).toMatchObject({ unit_price_gross: 307.5, tax_rate: 23 });
    line.rate.value = 0;
    expect(line.price.value).toBe("250,00");
    expect(line.checked.value).toMatchObject({ problems: {}, input: { unit_price_net: 250, tax_rate: 0 } });
    line.atZero.value = "keep";
    expect(line.checked.value.input).toMatchObject({ unit_price_gross: 307.5, tax_rate: 0 });
    line.rate.value = 13;
    expect(line.checked.value.input).toMatchObject({ unit_price_net: 250, tax_rate: 13 });
    line.rate.value = 23;
    expect(line.checked.value.input).toMatchObject({ unit_price_gross: 307.5, tax_rate: 23 });
  });

  test("a price on the shelf stays that price at another rate, and is asked about at 0 %", () => {
    const line = product(0.934959, 23); // 1.15 with VAT
    line.rate.value = 6;
    expect(line.checked.value.input).toMatchObject({ unit_price_gross: 1.15, tax_rate: 6 });
    line.rate.value = 0;
    expect(line.checked.value.problems).toEqual({ price: "Escolha o preço a 0 %." });
    line.atZero.value = "strip";
    expect(line.checked.value).toMatchObject({ problems: {}, input: { unit_price_net: 0.934959 } });
    line.atZero.value = "keep";
    expect(line.checked.value).toMatchObject({ problems: {}, input: { unit_price_gross: 1.15, tax_rate: 0 } });
  });

  test("a typed price is asked about like one on the shelf, but not if it was typed without VAT", () => {
    const line = lines.newLine({ description: "Obra", qty: 1, price: { value: 0, withVat: true }, tax_rate: 23 });
    line.rate.value = 0;
    expect(line.checked.value.problems).toEqual({}); // Nothing costs nothing either way.
    line.rate.value = 23;
    line.typedPrice.value = { text: "123", withVat: true, rate: 23 };
    line.rate.value = 0;
    expect(line.checked.value.problems).toEqual({ price: "Escolha o preço a 0 %." });
    line.atZero.value = "strip";
    expect(line.price.value).toBe("100,00");
    line.typedPrice.value = { text: "100", withVat: false, rate: 23 };
    line.atZero.value = undefined;
    expect(line.checked.value).toMatchObject({ problems: {}, input: { unit_price_net: 100, tax_rate: 0 } });
    line.typedPrice.value = { text: "80", withVat: true, rate: 0 };
    expect(line.checked.value).toMatchObject({ problems: {}, input: { unit_price_gross: 80, tax_rate: 0 } });
  });
});
