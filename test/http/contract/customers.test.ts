/** Customers: create, read, change, archive. Lists are in lists.test.ts, limits of text in text.test.ts. */
import { describe, expect } from "vitest";
import type { Customer } from "../../../src/core/records/customers.ts";
import { apiTest, type Json, NOW, nothing, type Scenario, scenarios, UNKNOWN_ID } from "../../support/http.ts";
import { UUID_V7 } from "../../support/shapes.ts";

const FULL = {
  name: "Ana Conceição",
  tax_id: "123456789",
  email: "ana@example.pt",
  phone: "+351 212 345 678",
  address: "Rua da Prata 1\n2.º Dt.º",
  postal_code: "1100-414",
  city: "Lisboa",
  country: "PT",
  language: "en",
  due_days: 30,
  reminders: false,
  external_id: "shop-7",
};
const EMPTY = {
  tax_id: null,
  email: null,
  phone: null,
  address: null,
  postal_code: null,
  city: null,
  country: null,
  language: null,
  due_days: null,
  external_id: null,
};

const refusedInput = (name: string, body: Json, says: string | readonly string[]): Scenario<undefined> => ({
  name,
  request: "POST /v1/customers",
  body,
  status: 400,
  code: "invalid_request",
  says,
});

scenarios("POST /v1/customers", nothing, [
  {
    name: "a name is enough",
    request: "POST /v1/customers",
    body: { name: "Ana" },
    status: 201,
    is: {
      id: expect.stringMatching(UUID_V7),
      name: "Ana",
      ...EMPTY,
      reminders: true,
      metadata: {},
      created_at: NOW,
      updated_at: NOW,
      notices: [],
    },
  },
  {
    name: "every field comes back as sent",
    request: "POST /v1/customers",
    body: FULL,
    status: 201,
    is: { id: expect.stringMatching(UUID_V7), ...FULL, metadata: {}, created_at: NOW, updated_at: NOW, notices: [] },
  },
  {
    name: "null means the same as a field left out",
    request: "POST /v1/customers",
    body: { name: "Ana", ...EMPTY },
    status: 201,
    shows: EMPTY,
  },
  refusedInput("a name is required", {}, "name: is required"),
  refusedInput("a name is not null", { name: null }, "name"),
  refusedInput("a name is not empty", { name: "" }, "name"),
  refusedInput("a name is not blank", { name: " \t " }, "name"),
  ...Object.keys(FULL).map((field) =>
    refusedInput(`${field} is of its type`, { ...FULL, [field]: field === "due_days" ? "1" : 1 }, field),
  ),
  ...["id", "created_at", "updated_at", "company_id", "code", "archived_at", "search", "nome"].map((field) =>
    refusedInput(`${field} is not a customer's to send`, { name: "Ana", [field]: "x" }, field),
  ),
  refusedInput("every problem is named at once", { email: "x", city: 7, nome: "Ana" }, [
    "name: is required",
    "email: ",
    "city: ",
    "nome: ",
  ]),
  ...[[], [{ name: "Ana" }], "Ana", 1, true, null].map((body) =>
    refusedInput(`${JSON.stringify(body)} is no customer`, body, []),
  ),
  {
    name: "a body is required",
    request: "POST /v1/customers",
    headers: { "content-type": "application/json" },
    status: 400,
    code: "invalid_request",
  },
  {
    name: "a query parameter is refused",
    request: "POST /v1/customers?name=Ana",
    body: { name: "Ana" },
    status: 400,
    code: "invalid_request",
    says: "name",
  },
  ...["x", "a@", "@b.pt", "a b@c.pt", "a@b", "ana@example..pt"].map((email) =>
    refusedInput(`${email} is no e-mail address`, { name: "Ana", email }, "email"),
  ),
]);

const taxId = (name: string, fields: object, tax_id: string): Scenario<undefined> => ({
  name,
  request: "POST /v1/customers",
  body: { name: "Ana", ...fields },
  status: 201,
  shows: { tax_id },
});

scenarios("tax ids", nothing, [
  taxId("a NIF without a country is Portuguese", { tax_id: "123456789" }, "123456789"),
  taxId("a PT in front of it is dropped", { tax_id: "PT123456789" }, "123456789"),
  taxId("with the country too", { tax_id: "PT123456789", country: "PT" }, "123456789"),
  taxId("the final consumer's is one", { tax_id: "999999990" }, "999999990"),
  taxId("another country's is kept as given", { tax_id: "ESB12345678", country: "ES" }, "ESB12345678"),
  taxId("so is that of a country in free text", { tax_id: "12 345.6", country: "Terra do Nunca" }, "12 345.6"),
  refusedInput("a wrong check digit is refused", { name: "Ana", tax_id: "123456788" }, "tax_id"),
  refusedInput("an unknown prefix is refused", { name: "Ana", tax_id: "400000007", country: "PT" }, "tax_id"),
  refusedInput("eight digits are refused", { name: "Ana", tax_id: "12345678" }, "tax_id"),
  refusedInput("ten digits are refused", { name: "Ana", tax_id: "1234567890" }, "tax_id"),
  refusedInput("letters are refused", { name: "Ana", tax_id: "ESB12345678", country: "PT" }, "tax_id"),
]);

scenarios("/v1/customers/{id}", (api) => api.customer(FULL), [
  { name: "GET reads it", request: ({ id }) => `GET /v1/customers/${id}`, status: 200, is: (ana) => ana },
  {
    name: "an id may be in capitals",
    request: ({ id }) => `GET /v1/customers/${id.toUpperCase()}`,
    status: 200,
    is: (ana) => ana,
  },
  { name: "HEAD finds it", request: ({ id }) => `HEAD /v1/customers/${id}`, status: 200, is: "" },
  { name: "HEAD is 404 if unknown", request: `HEAD /v1/customers/${UNKNOWN_ID}`, status: 404, is: "" },
  {
    name: "GET takes no query",
    request: ({ id }) => `GET /v1/customers/${id}?expand=documents`,
    status: 400,
    code: "invalid_request",
    says: "expand",
  },
  ...Object.entries({ ...FULL, name: "Rui", tax_id: "999999990", country: "Portugal" }).map(
    ([field, value]): Scenario<Customer> => ({
      name: `PATCH changes ${field} alone`,
      request: ({ id }) => `PATCH /v1/customers/${id}`,
      body: { [field]: value },
      status: 200,
      is: (ana) => ({ ...ana, [field]: value, notices: [] }),
      after: async (ana, api) => {
        const { body } = await api.call("GET", `/v1/customers/${ana.id}`);
        expect(body).toEqual({ ...ana, [field]: value });
      },
    }),
  ),
  ...Object.keys(EMPTY).map(
    (field): Scenario<Customer> => ({
      name: `PATCH clears ${field} with null`,
      request: ({ id }) => `PATCH /v1/customers/${id}`,
      body: { [field]: null },
      status: 200,
      is: (ana) => ({ ...ana, [field]: null, notices: [] }),
    }),
  ),
  {
    name: "PATCH with nothing changes nothing",
    request: ({ id }) => `PATCH /v1/customers/${id}`,
    body: {},
    status: 200,
    is: (ana) => ({ ...ana, notices: [] }),
  },
  ...[
    { name: null },
    { name: "" },
    { email: "x" },
    { phone: 1 },
    { id: UNKNOWN_ID },
    { created_at: NOW },
    { nome: "Rui" },
    { tax_id: "123456788" },
  ].map(
    (body): Scenario<Customer> => ({
      name: `PATCH refuses ${JSON.stringify(body)} and changes nothing`,
      request: ({ id }) => `PATCH /v1/customers/${id}`,
      body,
      status: 400,
      code: "invalid_request",
      says: Object.keys(body),
      after: async (ana, api) => {
        expect((await api.call("GET", `/v1/customers/${ana.id}`)).body).toEqual(ana);
      },
    }),
  ),
  {
    name: "a country that makes the tax id wrong is refused",
    request: ({ id }) => `PATCH /v1/customers/${id}`,
    body: { tax_id: "X1", country: "PT" },
    status: 400,
    code: "invalid_request",
    says: "tax_id",
  },
  {
    name: "DELETE answers without a body, and succeeds once",
    request: ({ id }) => `DELETE /v1/customers/${id}`,
    status: 204,
    is: "",
    answers: { "content-type": null },
    after: async ({ id }, api) => {
      for (const method of ["GET", "PATCH", "DELETE"]) {
        const sent = method === "PATCH" ? { body: { name: "Rui" } } : {};
        const { status, body } = await api.call(method, `/v1/customers/${id}`, sent);
        expect({ status, body }).toMatchObject({ status: 404, body: { error: { code: "not_found" } } });
      }
      const { body } = await api.call("GET", "/v1/customers");
      expect(body).toMatchObject({ data: [], pagination: { limit: 50, offset: 0, total: 0 } });
    },
  },
  {
    name: "DELETE takes no query",
    request: ({ id }) => `DELETE /v1/customers/${id}?force=true`,
    status: 400,
    code: "invalid_request",
    says: "force",
  },
]);

describe("an archived customer", () => {
  apiTest("stays complete in the documents that name it", async (api) => {
    const ana = await api.customer(FULL);
    const issued = await api.issued({ customer_id: ana.id });
    const draft = await api.draft({ customer_id: ana.id });
    await api.call("DELETE", `/v1/customers/${ana.id}`);
    const read = await api.call("GET", `/v1/documents/${issued.id}`);
    expect(read.body).toMatchObject({ customer_id: ana.id, customer: { name: FULL.name, tax_id: FULL.tax_id } });
    expect((await api.call("GET", `/v1/documents/${draft.id}`)).body).toMatchObject({ customer_id: ana.id });
  });

  apiTest("keeps its name in an issued document, whatever changes later", async (api) => {
    const ana = await api.customer(FULL);
    const { id } = await api.issued({ customer_id: ana.id });
    await api.call("PATCH", `/v1/customers/${ana.id}`, { body: { name: "Ana Silva", city: null } });
    const { body } = await api.call("GET", `/v1/documents/${id}`);
    expect(body).toMatchObject({ customer: { id: ana.id, name: FULL.name, city: FULL.city } });
  });
});
