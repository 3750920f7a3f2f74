import fc from "fast-check";
import { expect, test } from "vitest";
import { countryOfVatNumber, exportedTaxId, normalTaxId } from "../../../src/core/fiscal/tax-id.ts";
import vectors from "../../vectors/tax-ids.json" with { type: "json" };

test.each(vectors.valid)("$tax_id of $country is $normal", ({ tax_id, country, normal }) => {
  expect(normalTaxId(tax_id, country)).toBe(normal);
});

test.each(vectors.invalid)("$tax_id of $country is invalid: $why", ({ tax_id, country }) => {
  expect(normalTaxId(tax_id, country)).toBeUndefined();
});

test("the final consumer is accepted", () => {
  expect(normalTaxId("999999990", "PT")).toBe("999999990");
});

const nifs = vectors.valid.map(({ normal }) => normal).filter((normal) => /^\d{9}$/.test(normal));

test("a stored NIF with PT in front is stored as the same NIF", () => {
  for (const nif of nifs) expect(normalTaxId(`PT${nif}`, null)).toBe(nif);
});

test("one mistyped digit is found, except where remainders 0 and 1 share the check digit 0", () => {
  fc.assert(
    fc.property(fc.constantFrom(...nifs), fc.nat(8), fc.integer({ min: 1, max: 9 }), (nif, place, shift) => {
      const digit = (Number(nif[place]) + shift) % 10;
      const mistyped = nif.slice(0, place) + digit + nif.slice(place + 1);
      if (nif.endsWith("0") && mistyped.endsWith("0")) return;
      expect(normalTaxId(mistyped, "PT")).toBeUndefined();
    }),
  );
});

test("outside Portugal any number is taken as given", () => {
  fc.assert(
    fc.property(fc.string(), fc.constantFrom("ES", "Portugal", "P T", "PTX"), (tax_id, country) => {
      expect(normalTaxId(tax_id, country)).toBe(tax_id);
    }),
  );
});

test.each([
  ["ESB12345678", "ES", "B12345678"],
  ["es B12345678", "ES", "B12345678"],
  ["FRXX123456789", "FR", "XX123456789"],
  ["ATU12345678", "AT", "U12345678"],
  ["EL123456789", "GR", "123456789"],
  ["GR123456789", "GR", "123456789"],
  ["GB123456789", "GB", "123456789"],
  ["XI123456789", "GB", "123456789"],
  ["BR12.345.678/0001-90", "BR", "12.345.678/0001-90"],
])("%s of %s is exported without its country's prefix", (tax_id, country, exported) => {
  expect(exportedTaxId(tax_id, country)).toBe(exported);
});

test.each([
  ["B12345678", "ES", "it has no prefix"],
  ["DE123456789", "ES", "the prefix is another country's"],
  ["ES", "ES", "nothing would be left"],
  ["MXC010101AB1", "MX", "a company's number there may begin with any letters"],
  ["CHE-123.456.789", "CH", "CHE is part of the number"],
  ["ESB12345678", "Espanha", "the country is not known"],
])("%s of %s is exported as it is, as %s", (tax_id, country) => {
  expect(exportedTaxId(tax_id, country)).toBe(tax_id);
});

test("a customer without number is exported as the final consumer", () => {
  expect(exportedTaxId(null, null)).toBe("999999990");
});

test.each([
  ["FR40303265045", "FR"],
  ["el 123 456 789", "GR"],
  ["XI123456789", "GB"],
  ["NL123456789B01", "NL"],
  ["ESB12345678", "ES"],
  ["PT500000000", undefined], // Not foreign.
  ["BR12345678000190", undefined], // No prefix of VAT numbers.
  ["DE Lda. 2020", undefined],
  ["DE123", undefined],
])("%s is a VAT number of %s", (text, country) => {
  expect(countryOfVatNumber(text)).toBe(country);
});
