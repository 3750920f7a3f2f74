import { expect, test } from "vitest";
import { parseCustomer } from "../../../src/core/documents/frozen.ts";

const FULL = {
  id: "019b78c9-0a80-7069-96da-4f3c20ab9b8f",
  code: "C17",
  name: "Célia Conceição 😀, {}[]:null",
  tax_id: "123456789",
  address: "Rua da Prata 1",
  postal_code: "1100-001",
  city: "Lisboa",
  country: "PT",
  email: "celia@example.pt",
  phone: "",
};
const { name: _, ...NAMELESS } = FULL;

test.each([
  ["all fields", FULL],
  ["fields left out", { ...FULL, tax_id: null, address: null, city: null, email: null, phone: null }],
  ["a quote", { ...FULL, name: 'Ana "da Esquina"' }],
  ["a backslash at the end", { ...FULL, address: "C:\\" }],
  ["a line break and a lone surrogate", { ...FULL, city: "Vila\nNova\ud83d" }],
  ["another order", { ...NAMELESS, name: FULL.name }],
  ["a field more", { ...FULL, since: 2026 }],
])("a snapshot of a customer is read as JSON.parse reads it: %s", (_name, customer) => {
  const json = JSON.stringify(customer);
  expect(parseCustomer(json)).toStrictEqual(JSON.parse(json));
});

test.each(['{"id":"1"', JSON.stringify(FULL).slice(0, -2)])("what is no JSON is refused: %j", (json) => {
  expect(() => parseCustomer(json)).toThrow(SyntaxError);
});
