/** Numbers and money: the published vectors through the API, and every limit from both sides. */
import { describe, expect, test } from "vitest";
import type { Document } from "../../../src/core/documents/document.ts";
import {
  type Api,
  apiTest,
  expectRefusal,
  LINE,
  nothing,
  type Scenario,
  scenarios,
  TODAY,
  withApi,
} from "../../support/http.ts";
import vectors from "../../vectors/totals.json" with { type: "json" };

interface Given {
  readonly customer_id: string;
  readonly series_id: string;
}

const given = async (api: Api): Promise<Given> => ({
  customer_id: (await api.customer()).id,
  series_id: api.series.FT,
});
const draft = (names: Given, fields: object) => ({
  doc_type: "FT",
  issue_date: TODAY,
  ...names,
  lines: [LINE],
  ...fields,
});

/** A line of a vector: the contract's fields, with a description. */
const described = (lines: readonly object[]) => lines.map((line) => ({ description: "Pão", ...line }));

describe("the published totals", () => {
  test("are those of the API to the cent, every one", async () => {
    await withApi(async (api) => {
      const names = await given(api);
      for (const vector of vectors.vectors) {
        if (vector.lines.length === 0) continue; // a document has at least one line
        const { total_net, total_tax, total_gross } = vector.expected;
        const discount = "global_discount_pct" in vector ? { global_discount_pct: vector.global_discount_pct } : {};
        const body = draft(names, { lines: described(vector.lines), ...discount });
        const answer = await api.call<Document>("POST", "/v1/documents", { body });
        expect(answer.status, `${vector.name} ${answer.text}`).toBe(201);
        expect(answer.body, vector.name).toMatchObject({ total_net, total_tax, total_gross });
        const read = await api.call("GET", `/v1/documents/${answer.body.id}`);
        expect(read.body, vector.name).toMatchObject({ total_net, total_tax, total_gross });
      }
    });
  });

  test("that are refused name the field", async () => {
    await withApi(async (api) => {
      const names = await given(api);
      for (const { name, path, lines, ...discount } of vectors.refused) {
        const body = draft(names, { lines: described(lines), ...discount });
        const answer = await api.call("POST", "/v1/documents", { body });
        expect(answer.status, name).toBe(400);
        expectRefusal(answer, "invalid_request", path === "total_gross" ? "total" : `${path}: `);
      }
    });
  });
});

/** The limits of each field, and the first values beyond them. */
const LIMITS: Record<string, { takes: readonly number[]; refuses: readonly unknown[] }> = {
  qty: {
    takes: [0.000001, 0.1, 1.5, 123456.789012, 999_999_999.999999, 1_000_000_000],
    refuses: [0, -0, -1, 0.0000001, 1.1234567, 1_000_000_000.000001, 1_000_000_001, 1e21, null, "1", true, [1]],
  },
  unit_price_net: {
    takes: [0, 0.000001, 0.1, 1.005, 999_999.999999],
    refuses: [-0.01, 1e-7, 1.1234567, 1_000_000_000.01, 1e300, null, "1"],
  },
  tax_rate: { takes: [0, 0.01, 4, 6, 13, 22, 23, 99.99, 100], refuses: [-1, 100.01, 23.001, 1e-3, "23", null] },
  discount_pct: { takes: [0, 0.01, 8.8, 33.33, 99.99, 100], refuses: [-0.01, 100.01, 33.333, "10", null] },
};

for (const [field, { takes, refuses }] of Object.entries(LIMITS)) {
  scenarios(`lines[0].${field}`, given, [
    ...takes.map(
      (value): Scenario<Given> => ({
        name: `accepts ${value} and answers with it`,
        request: "POST /v1/documents",
        body: (names) => draft(names, { lines: [{ ...LINE, [field]: value }] }),
        status: 201,
        shows: { lines: [{ [field]: value }] },
      }),
    ),
    ...refuses.map(
      (value): Scenario<Given> => ({
        name: `refuses ${Object.is(value, -0) ? "-0" : JSON.stringify(value)}`,
        request: "POST /v1/documents",
        body: (names) => draft(names, { lines: [{ ...LINE, [field]: value }] }),
        status: 400,
        code: "invalid_request",
        says: `lines[0].${field}: `,
      }),
    ),
  ]);
}

scenarios("a document's total", given, [
  {
    name: "may be 10^12 EUR",
    request: "POST /v1/documents",
    body: (names) => draft(names, { lines: [{ ...LINE, qty: 1_000, unit_price_net: 1_000_000_000, tax_rate: 0 }] }),
    status: 201,
    shows: { total_net: 1_000_000_000_000, total_gross: 1_000_000_000_000 },
  },
  {
    name: "must not be a cent more",
    request: "POST /v1/documents",
    body: (names) =>
      draft(names, {
        lines: [
          { ...LINE, qty: 1_000, unit_price_net: 1_000_000_000, tax_rate: 0 },
          { ...LINE, unit_price_net: 0.01, tax_rate: 0 },
        ],
      }),
    status: 400,
    code: "invalid_request",
    says: "total",
  },
  {
    name: "includes tax for the limit",
    request: "POST /v1/documents",
    body: (names) => draft(names, { lines: [{ ...LINE, qty: 1_000, unit_price_net: 999_999_999, tax_rate: 0.01 }] }),
    status: 400,
    code: "invalid_request",
    says: "total",
  },
  {
    name: "of 0.1 and 0.2 is 0.3",
    request: "POST /v1/documents",
    body: (names) =>
      draft(names, { lines: [0.1, 0.2].map((price) => ({ ...LINE, unit_price_net: price, tax_rate: 0 })) }),
    status: 201,
    shows: { total_net: 0.3, total_tax: 0, total_gross: 0.3 },
  },
  {
    name: "of ten times 0.1 is 1",
    request: "POST /v1/documents",
    body: (names) => draft(names, { lines: Array(10).fill({ ...LINE, unit_price_net: 0.1, tax_rate: 0 }) }),
    status: 201,
    shows: { total_net: 1, total_gross: 1 },
  },
]);

/** Prices as written in the text of the request. */
const written = (name: string, price: string, status: number, unit_price_net?: number): Scenario<undefined> => ({
  name,
  request: "POST /v1/products",
  raw: `{"name":"Pão","tax_rate":6,"unit_price_net":${price}}`,
  status,
  ...(status === 201 ? { shows: { unit_price_net } } : { code: "invalid_request" }),
});

scenarios("a number as it is written", nothing, [
  written("1.50 is 1.5", "1.50", 201, 1.5),
  written("1e2 is a hundred", "1e2", 201, 100),
  written("1.5E+1 is fifteen", "1.5E+1", 201, 15),
  written("1e-6 is a millionth", "1e-6", 201, 0.000001),
  written("-0 is nothing", "-0", 201, 0),
  written("fifteen significant digits are kept", "123456789.123456", 201, 123456789.123456),
  written("sixteen are refused, whatever the double makes of them", "123456789.1234567", 400),
  written("seventeen are refused", "0.12345678901234567", 400),
  written("an integer that no double holds is refused", "9007199254740993", 400),
  written("1e400 is refused", "1e400", 400),
  written("-1e400 is refused", "-1e400", 400),
  written("a zero is zero with any exponent", "0e-400", 201, 0),
  ...["NaN", "Infinity", "+1", "01", ".5", "1.", "1,5", "0x10", "1_000", "1n"].map((price) =>
    written(`${price} is not JSON`, price, 400),
  ),
]);

describe("a product's numbers", () => {
  const product = (fields: object) => ({ name: "Pão", unit_price_net: 1, tax_rate: 6, ...fields });
  const limits = (field: string, takes: readonly number[], refuses: readonly unknown[]) =>
    scenarios(field, nothing, [
      ...takes.map(
        (value): Scenario<undefined> => ({
          name: `accepts ${value}`,
          request: "POST /v1/products",
          body: product({ [field]: value }),
          status: 201,
          shows: { [field]: value },
        }),
      ),
      ...refuses.map(
        (value): Scenario<undefined> => ({
          name: `refuses ${value}`,
          request: "POST /v1/products",
          body: product({ [field]: value }),
          status: 400,
          code: "invalid_request",
          says: `${field}: `,
        }),
      ),
    ]);
  limits("unit_price_net", [0, 0.000001, 1_000_000_000], [-0.000001, 0.0000001, 1_000_000_000.000001, 1_000_000_001]);
  limits("tax_rate", [0, 0.01, 100], [-0.01, 0.001, 100.01]);
  limits("stock", [0, 12.5, 0.000001, 1_000_000_000], [0.0000001, 1_000_000_001, "1"]);
});

describe("an amount", () => {
  apiTest("is a whole number of cents, up to 10^12", async (api) => {
    const lines = [{ ...LINE, qty: 1_000, unit_price_net: 1_000_000_000, tax_rate: 0 }];
    const { id } = await api.issued({ lines });
    const pay = (amount: number) =>
      api.call("POST", `/v1/documents/${id}/payments`, { body: { amount, method_code: "TB", payment_date: TODAY } });
    expect((await pay(0.01)).status).toBe(201);
    expect((await pay(999_999_999_999.99)).status).toBe(201);
    expect((await api.call("GET", `/v1/documents/${id}`)).body).toMatchObject({
      outstanding: 0,
      payment_status: "paid",
    });
    for (const amount of [1_000_000_000_000.01, 1e13, 0.005, 10.001]) {
      expectRefusal(await pay(amount), "invalid_request", "amount: ");
    }
  });
});

apiTest("every number in an answer is a JSON number, and every total a whole number of cents", async (api) => {
  const { id } = await api.issued({ lines: [{ ...LINE, qty: 3, unit_price_net: 0.333333, discount_pct: 3.33 }] });
  const { text } = await api.call("GET", `/v1/documents/${id}`);
  for (const total of ["total_net", "total_tax", "total_gross", "outstanding"]) {
    expect(text).toMatch(new RegExp(`"${total}":\\d+(\\.\\d{1,2})?[,}]`));
  }
});
