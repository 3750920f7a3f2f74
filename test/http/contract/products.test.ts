/** Products: create, read, change, archive. */
import { expect } from "vitest";
import type { Product } from "../../../src/core/records/products.ts";
import { apiTest, type Json, LINE, NOW, nothing, type Scenario, scenarios, UNKNOWN_ID } from "../../support/http.ts";
import { UUID_V7 } from "../../support/shapes.ts";

const BREAD = { name: "Pão de Mafra", unit_price_net: 1.15, tax_rate: 6 };
const FULL = { ...BREAD, sku: "P-1", unit: "kg", stock: 12.5, type: "P" };

const refusedInput = (name: string, body: Json, says: string | readonly string[]): Scenario<undefined> => ({
  name,
  request: "POST /v1/products",
  body,
  status: 400,
  code: "invalid_request",
  says,
});

scenarios("POST /v1/products", nothing, [
  {
    name: "name, price and rate are enough",
    request: "POST /v1/products",
    body: BREAD,
    status: 201,
    shows: { id: expect.stringMatching(UUID_V7), ...BREAD, sku: null, unit: "un", stock: null, type: "P" },
  },
  {
    name: "every field comes back as sent",
    request: "POST /v1/products",
    body: FULL,
    status: 201,
    shows: FULL,
  },
  {
    name: "a product may be a service",
    request: "POST /v1/products",
    body: { ...BREAD, type: "S" },
    status: 201,
    shows: { type: "S" },
  },
  {
    name: "price and rate may be zero",
    request: "POST /v1/products",
    body: { ...BREAD, unit_price_net: 0, tax_rate: 0 },
    status: 201,
    shows: { unit_price_net: 0, tax_rate: 0 },
  },
  {
    name: "sku and stock may be null",
    request: "POST /v1/products",
    body: { ...BREAD, sku: null, stock: null },
    status: 201,
    shows: { sku: null, stock: null },
  },
  ...Object.keys(BREAD).map((field) =>
    refusedInput(`${field} is required`, { ...BREAD, [field]: undefined }, `${field}: is required`),
  ),
  ...["name", "unit", "unit_price_net", "tax_rate", "type"].map((field) =>
    refusedInput(`${field} is not null`, { ...FULL, [field]: null }, field),
  ),
  ...Object.keys(FULL).map((field) =>
    refusedInput(`${field} of another kind is refused`, { ...FULL, [field]: [] }, field),
  ),
  ...["unit_price_net", "tax_rate", "stock"].map((field) =>
    refusedInput(`${field} is a number, not text`, { ...FULL, [field]: "1" }, field),
  ),
  refusedInput("a type is P or S", { ...BREAD, type: "X" }, ["type", "P", "S"]),
  ...["id", "created_at", "company_id", "price", "vat"].map((field) =>
    refusedInput(`${field} is not a product's to send`, { ...BREAD, [field]: 1 }, field),
  ),
  refusedInput("every problem is named at once", { unit_price_net: -1, tax_rate: 101, x: 1 }, [
    "name: is required",
    "unit_price_net: ",
    "tax_rate: ",
    "x: ",
  ]),
]);

scenarios("/v1/products/{id}", (api) => api.product(FULL), [
  { name: "GET reads it", request: ({ id }) => `GET /v1/products/${id}`, status: 200, is: (bread) => bread },
  { name: "HEAD finds it", request: ({ id }) => `HEAD /v1/products/${id}`, status: 200, is: "" },
  {
    name: "GET takes no query",
    request: ({ id }) => `GET /v1/products/${id}?lang=pt`,
    status: 400,
    code: "invalid_request",
    says: "lang",
  },
  ...Object.entries({
    name: "Broa",
    sku: "B-1",
    unit: "un",
    unit_price_net: 2,
    tax_rate: 23,
    stock: -1,
    type: "S",
  }).map(
    ([field, value]): Scenario<Product> => ({
      name: `PATCH changes ${field} alone and answers with the whole product`,
      request: ({ id }) => `PATCH /v1/products/${id}`,
      body: { [field]: value },
      status: 200,
      is: (bread) => ({ ...bread, [field]: value, notices: [] }),
      after: async (bread, api) => {
        expect((await api.call("GET", `/v1/products/${bread.id}`)).body).toEqual({ ...bread, [field]: value });
      },
    }),
  ),
  ...["sku", "stock"].map(
    (field): Scenario<Product> => ({
      name: `PATCH clears ${field} with null`,
      request: ({ id }) => `PATCH /v1/products/${id}`,
      body: { [field]: null },
      status: 200,
      is: (bread) => ({ ...bread, [field]: null, notices: [] }),
    }),
  ),
  {
    name: "PATCH with nothing changes nothing",
    request: ({ id }) => `PATCH /v1/products/${id}`,
    body: {},
    status: 200,
    is: (bread) => ({ ...bread, notices: [] }),
  },
  ...[
    { name: null },
    { unit: null },
    { unit_price_net: null },
    { unit_price_net: -0.01 },
    { tax_rate: 100.01 },
    { type: "p" },
    { id: UNKNOWN_ID },
    { created_at: NOW },
    { preco: 1 },
  ].map(
    (body): Scenario<Product> => ({
      name: `PATCH refuses ${JSON.stringify(body)} and changes nothing`,
      request: ({ id }) => `PATCH /v1/products/${id}`,
      body,
      status: 400,
      code: "invalid_request",
      says: Object.keys(body),
      after: async (bread, api) => {
        expect((await api.call("GET", `/v1/products/${bread.id}`)).body).toEqual(bread);
      },
    }),
  ),
  {
    name: "DELETE answers without a body, and succeeds once",
    request: ({ id }) => `DELETE /v1/products/${id}`,
    status: 204,
    is: "",
    after: async ({ id }, api) => {
      for (const method of ["GET", "PATCH", "DELETE"]) {
        const sent = method === "PATCH" ? { body: { name: "Broa" } } : {};
        const { status, body } = await api.call(method, `/v1/products/${id}`, sent);
        expect({ status, body }).toMatchObject({ status: 404, body: { error: { code: "not_found" } } });
      }
      expect((await api.call("GET", "/v1/products")).body).toMatchObject({ data: [], pagination: { total: 0 } });
    },
  },
]);

apiTest("a document's lines have their own price and rate, whatever the product has", async (api) => {
  const bread = await api.product({ unit: "kg" });
  const line = { ...LINE, product_id: bread.id, unit_price_net: 9.99, tax_rate: 13 };
  const { id, lines } = await api.issued({ lines: [line, { ...line, unit: "saco" }, LINE] });
  expect(lines).toMatchObject([
    { unit_price_net: 9.99, tax_rate: 13, unit: "kg", product_id: bread.id },
    { unit: "saco", product_id: bread.id },
    { unit: "un", product_id: null },
  ]);
  await api.call("PATCH", `/v1/products/${bread.id}`, { body: { unit_price_net: 1, tax_rate: 23, unit: "un" } });
  await api.call("DELETE", `/v1/products/${bread.id}`);
  expect((await api.call("GET", `/v1/documents/${id}`)).body).toMatchObject({ lines });
});
