/** Text, ids and dates: kept exactly, normalised or refused, and the limit of each. */
import { describe, expect } from "vitest";
import {
  type Api,
  apiTest,
  expectRefusal,
  LINE,
  nothing,
  type Scenario,
  scenarios,
  TODAY,
} from "../../support/http.ts";

/** Every text field of a customer and a product, and its longest text in characters. */
const FIELDS: [path: string, field: string, max: number, base: object][] = [
  ["/v1/customers", "name", 200, {}],
  ["/v1/customers", "tax_id", 30, { name: "Ana", country: "ES" }],
  ["/v1/customers", "phone", 100, { name: "Ana" }],
  ["/v1/customers", "address", 100, { name: "Ana" }],
  ["/v1/customers", "postal_code", 100, { name: "Ana" }],
  ["/v1/customers", "city", 100, { name: "Ana" }],
  ["/v1/customers", "country", 100, { name: "Ana" }],
  ["/v1/products", "name", 200, { unit_price_net: 1, tax_rate: 0 }],
  ["/v1/products", "sku", 100, { name: "Pão", unit_price_net: 1, tax_rate: 0 }],
  ["/v1/products", "unit", 100, { name: "Pão", unit_price_net: 1, tax_rate: 0 }],
];

/** Code points count, not code units: an emoji is one, a letter and its combining mark are one once composed. */
const CHARACTERS = { "a letter": "x", "an emoji": "😀", "a composed accent": "e\u0301" };

const kept = (name: string, path: string, body: object, field: string, is: string): Scenario<undefined> => ({
  name,
  request: `POST ${path}`,
  body,
  status: 201,
  shows: { [field]: is },
  after: async (_, api, { body: made }) => {
    const { body: read } = await api.call("GET", `${path}/${(made as { id: string }).id}`);
    expect(read).toMatchObject({ [field]: is });
  },
});
const refused = (name: string, path: string, body: object, says: string): Scenario<undefined> => ({
  name,
  request: `POST ${path}`,
  body,
  status: 400,
  code: "invalid_request",
  says,
});

scenarios(
  "lengths",
  nothing,
  FIELDS.flatMap(([path, field, max, base]) =>
    Object.entries(CHARACTERS).flatMap(([name, character]) => [
      kept(
        `${path} ${field}: ${name} ${max} times fits`,
        path,
        { ...base, [field]: character.repeat(max) },
        field,
        character.repeat(max).normalize("NFC"),
      ),
      refused(
        `${path} ${field}: ${name} ${max + 1} times does not`,
        path,
        { ...base, [field]: character.repeat(max + 1) },
        `${field}: `,
      ),
    ]),
  ),
);

apiTest("an e-mail address has at most 100 characters", async (api) => {
  const email = `${"a".repeat(60)}@${"b".repeat(36)}.pt`;
  expect(await api.customer({ email })).toMatchObject({ email });
  const answer = await api.call("POST", "/v1/customers", { body: { name: "Ana", email: `a${email}` } });
  expectRefusal(answer, "invalid_request", "email: ");
});

const create = async (api: Api, fields: object) =>
  api.call("POST", "/v1/documents", {
    body: {
      doc_type: "FT",
      series_id: api.series.FT,
      issue_date: TODAY,
      customer_id: (await api.customer()).id,
      lines: [LINE],
      ...fields,
    },
  });

apiTest("a line's description has at most 500 characters, its unit 100 and the notes 1,000", async (api) => {
  const fields = (description: number, unit: number, notes: number) => ({
    lines: [{ ...LINE, description: "😀".repeat(description), unit: "u".repeat(unit) }],
    notes: "n".repeat(notes),
  });
  expect((await create(api, fields(500, 100, 1_000))).body).toMatchObject(fields(500, 100, 1_000));
  expectRefusal(await create(api, fields(501, 101, 1_001)), "invalid_request", [
    "lines[0].description: ",
    "lines[0].unit: ",
    "notes: ",
  ]);
});

apiTest("descriptions and notes have at most 50 lines, which bounds what they take on paper", async (api) => {
  const fields = (lines: number, end: string) => ({
    lines: [{ ...LINE, description: Array(lines).fill("SN-1234").join(end) }],
    notes: Array(lines).fill("Entregue").join(end),
  });
  for (const end of ["\n", "\r\n", "\r"]) {
    expect((await create(api, fields(50, end))).body).toMatchObject(fields(50, end));
    expectRefusal(await create(api, fields(51, end)), "invalid_request", [
      "lines[0].description: must have at most 50 lines",
      "notes: must have at most 50 lines",
    ]);
  }
});

apiTest("a document has at most 1,000 lines", async (api) => {
  const line = { ...LINE, unit_price_net: 0.01 };
  const fits = await create(api, { lines: Array(1_000).fill(line) });
  expect(fits.body).toMatchObject({ total_net: 10, total_tax: 2.3, total_gross: 12.3 });
  expect((fits.body as { lines: unknown[] }).lines).toHaveLength(1_000);
  expectRefusal(await create(api, { lines: Array(1_001).fill(line) }), "invalid_request", "lines: ");
});

const KEPT: [what: string, sent: string, stored?: string][] = [
  ["composed letters", "Conceição"],
  ["decomposed letters, composed", "Conceic\u0327a\u0303o", "Conceição"],
  ["space around, trimmed", "  Ana \t", "Ana"],
  ["space within", "Ana  da   Silva"],
  ["an emoji family joined by ZWJ", "👨‍👩‍👧‍👦"],
  ["a flag and a skin tone", "🇵🇹 👍🏽"],
  ["right-to-left letters", "שלום مرحبا"],
  ["letters that need ZWNJ", "می‌خواهم"],
  ["Han, kana and Hangul", "田中 たなか 다나카"],
  ["a compatibility ligature, not folded", "ﬁrma"],
  ["planes beyond the first", "𝔸𝓷𝓪 𠮷"],
  ["markup and quotes", `<b>&amp;'"\\ %_ ; -- {{x}} \${y}`],
  ["a private-use character", "\ue000"],
];
const REFUSED: [what: string, text: string][] = [
  ["NUL", "A\u0000a"],
  ["a bell", "A\u0007a"],
  ["escape", "A\u001b[31m"],
  ["delete", "A\u007fa"],
  ["a C1 control", "A\u0085a"],
  ["a right-to-left override", "A\u202ea"],
  ["a left-to-right embedding", "A\u202aa"],
  ["a pop of direction", "A\u202ca"],
  ["an isolate", "A\u2066a"],
  ["a pop of an isolate", "A\u2069a"],
  ["a lone high surrogate", "A\ud83da"],
  ["a lone low surrogate", "A\ude00a"],
  ["reversed surrogates", "A\ude00\ud83d"],
];

scenarios("characters", nothing, [
  ...KEPT.map(([what, sent, stored = sent]) =>
    kept(`${what} come back`, "/v1/customers", { name: sent, address: sent }, "name", stored),
  ),
  ...REFUSED.flatMap(([what, text]) => [
    refused(`${what} in a name is refused`, "/v1/customers", { name: text }, "name: "),
    refused(`${what} in an address is refused`, "/v1/customers", { name: "Ana", address: text }, "address: "),
  ]),
  ...["\n", "\t", "\r\n", "\u2028", "\u2029"].flatMap((mark) => [
    kept(
      `${JSON.stringify(mark)} in an address is kept`,
      "/v1/customers",
      { name: "Ana", address: `A${mark}B` },
      "address",
      `A${mark}B`,
    ),
    refused(`${JSON.stringify(mark)} in a name is refused`, "/v1/customers", { name: `A${mark}B` }, "name: "),
    refused(
      `${JSON.stringify(mark)} in a city is refused`,
      "/v1/customers",
      { name: "Ana", city: `A${mark}B` },
      "city: ",
    ),
  ]),
]);

describe("characters in a document", () => {
  apiTest("line breaks and tabs are kept in description and notes, and refused in unit", async (api) => {
    const line = { ...LINE, description: "Pão\r\n\tde Mafra 👨‍👩‍👧‍👦" };
    const given = { lines: [line], notes: "Um\n\tDois" };
    expect((await create(api, given)).body).toMatchObject(given);
    const answer = await create(api, { lines: [{ ...LINE, unit: "k\ng" }] });
    expectRefusal(answer, "invalid_request", ["lines[0].unit: "]);
  });

  for (const [what, text] of REFUSED) {
    apiTest(`${what} is refused everywhere`, async (api) => {
      const answer = await create(api, { lines: [{ ...LINE, description: text, unit: text }], notes: text });
      expectRefusal(answer, "invalid_request", ["lines[0].description: ", "lines[0].unit: ", "notes: "]);
    });
  }

  apiTest("issued text reads the same later, and its series verifies", async (api) => {
    for (const [, text] of KEPT) {
      const { id } = await api.customer({ name: text });
      await api.issued({ customer_id: id, lines: [{ ...LINE, description: text }] });
    }
    expect(await api.company.series.verify()).toMatchObject({ whole: true, documents: KEPT.length });
  });
});

scenarios("ids in a body", (api) => api.customer(), [
  {
    name: "may be in capitals, and are answered in lower case",
    request: "POST /v1/documents",
    body: ({ id }, api) => ({
      doc_type: "FT",
      series_id: api.series.FT.toUpperCase(),
      issue_date: TODAY,
      customer_id: id.toUpperCase(),
      lines: [LINE],
    }),
    status: 201,
    shows: ({ id }, api) => ({ customer_id: id, series_id: api.series.FT }),
  },
]);

describe("dates", () => {
  for (const date of ["2024-02-29", "2026-01-01", "1999-12-31"]) {
    apiTest(`${date} is a day`, async (api) => {
      expect((await create(api, { issue_date: date })).body).toMatchObject({ issue_date: date });
    });
  }
  for (const date of [
    "2026-02-29",
    "2026-04-31",
    "2026-00-10",
    "2026-10-00",
    "2026-11-21 ",
    "+2026-11-21",
    "26-11-21",
  ]) {
    apiTest(`${JSON.stringify(date)} is not a day`, async (api) => {
      const answer = await create(api, { issue_date: date, due_date: date });
      expectRefusal(answer, "invalid_request", ["issue_date: ", "due_date: "]);
    });
  }
});
