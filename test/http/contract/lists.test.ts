/** Common to all lists: pages, order, the exact total, the query; and search. */
import { describe, expect } from "vitest";
import { type Api, apiTest, nothing, type Scenario, scenarios, UNKNOWN_ID } from "../../support/http.ts";

const LISTS = ["customers", "products", "documents", "payments", "series"] as const;

interface Page {
  readonly data: readonly { readonly id: string }[];
  readonly pagination: object;
}

/** Adds five rows to each list, one after another, and returns the ids of all its rows, newest first. */
const FILL: Record<(typeof LISTS)[number], (api: Api) => Promise<string[]>> = {
  customers: (api) => inTurn(() => api.customer()),
  products: (api) => inTurn(() => api.product()),
  documents: (api) => inTurn(() => api.draft()),
  payments: async (api) => {
    const { id } = await api.issued();
    return inTurn(() => api.pay(id, 1));
  },
  series: async (api) => {
    const made = await inTurn((i) => api.newSeries({ code: `L${i}` }));
    return [...made, ...Object.values(api.series)];
  },
};

async function inTurn(make: (i: number) => Promise<{ id: string }>): Promise<string[]> {
  const ids = [];
  for (let i = 1; i <= 5; i++) ids.unshift((await make(i)).id);
  return ids;
}

describe.each(LISTS)("GET /v1/%s", (list) => {
  const path = `/v1/${list}`;

  apiTest("pages newest first, without repeating or skipping a row", async (api) => {
    const ids = await FILL[list](api);
    const total = ids.length;
    const whole = await api.call<Page>("GET", path);
    expect(whole.body.data.map(({ id }) => id)).toEqual(ids);
    expect(whole.body.pagination).toMatchObject({ limit: 50, offset: 0, total });
    for (const limit of [1, 2, 3, 200]) {
      const seen: string[] = [];
      for (let offset = 0; offset < total; offset += limit) {
        const { body } = await api.call<Page>("GET", `${path}?limit=${limit}&offset=${offset}`);
        expect(body.pagination).toMatchObject({ limit, offset, total });
        seen.push(...body.data.map(({ id }) => id));
      }
      expect(seen).toEqual(ids);
    }
  });

  apiTest("past the end a page is empty and the total still exact", async (api) => {
    const total = (await FILL[list](api)).length;
    for (const offset of [total, 10_000, Number.MAX_SAFE_INTEGER]) {
      const { body } = await api.call("GET", `${path}?offset=${offset}`);
      expect(body).toMatchObject({ data: [], pagination: { limit: 50, offset, total } });
    }
  });

  apiTest("a company sees only its own rows", async (api) => {
    await FILL[list](api);
    const { api_key } = await api.stranger();
    const { body } = await api.call("GET", path, { key: api_key });
    expect(body).toMatchObject({ pagination: { total: list === "series" ? 10 : 0 } });
  });

  const refused = (query: string, says: string): Scenario<undefined> => ({
    name: `?${query} is refused`,
    request: `GET ${path}?${query}`,
    status: 400,
    code: "invalid_request",
    says,
  });

  scenarios("the query", nothing, [
    { name: "HEAD answers without the page", request: `HEAD ${path}?limit=1`, status: 200, is: "" },
    ...["limit=1", "limit=200", "offset=0", "limit=50&offset=1", "offset=1&limit=1"].map(
      (query): Scenario<undefined> => ({ name: `?${query} is valid`, request: `GET ${path}?${query}`, status: 200 }),
    ),
    ...[
      "0",
      "201",
      "-1",
      "1.5",
      "1.0",
      "abc",
      "",
      "%201",
      "1%20",
      "+1",
      "0x10",
      "1e2",
      "٣",
      "99999999999999999999",
    ].map((limit) => refused(`limit=${limit}`, "limit")),
    ...["-1", "0.5", "abc", "", "1e2", "9007199254740992"].map((offset) => refused(`offset=${offset}`, "offset")),
    refused("limit", "limit"),
    refused("limit=1&limit=1", "limit"),
    refused("offset=1&offset=2", "offset"),
    refused("page=2", "page"),
    refused("Limit=2", "Limit"),
    refused("limit[]=2", "limit[]"),
    refused("sort=id", "sort"),
    refused("__proto__=1", "__proto__"),
    refused("limit=0&offset=-1&x=1", "limit"),
  ]);
});

scenarios("search", nothing, [
  ...(["documents", "payments", "series"] as const).map(
    (list): Scenario<undefined> => ({
      name: `${list} cannot be searched`,
      request: `GET /v1/${list}?search=x`,
      status: 400,
      code: "invalid_request",
      says: "search",
    }),
  ),
  ...(["customers", "products"] as const).flatMap((list): Scenario<undefined>[] => [
    {
      name: `${list}: a repeated search is refused`,
      request: `GET /v1/${list}?search=a&search=b`,
      status: 400,
      code: "invalid_request",
      says: "search",
    },
    { name: `${list}: an empty search finds all there is`, request: `GET /v1/${list}?search=`, status: 200 },
    { name: `${list}: ?sort=name is valid`, request: `GET /v1/${list}?sort=name&search=a&offset=1`, status: 200 },
    {
      name: `${list}: a repeated sort is refused`,
      request: `GET /v1/${list}?sort=name&sort=name`,
      status: 400,
      code: "invalid_request",
      says: "sort",
    },
  ]),
  ...(["documents", "payments", "series"] as const).map(
    (list): Scenario<undefined> => ({
      name: `${list} have no name to be sorted by`,
      request: `GET /v1/${list}?sort=name`,
      status: 400,
      code: "invalid_request",
      says: "sort",
    }),
  ),
]);

apiTest("?sort=name lists customers by name, whatever the case and the accents, over pages", async (api) => {
  const names = ["zé", "Álvaro", "alva", "Ana Maria", "ana", "ÂNGELA", "Bento"];
  for (const name of names) await api.customer({ name });
  const due = ["alva", "Álvaro", "ana", "Ana Maria", "ÂNGELA", "Bento", "zé"];
  const listed = async (query: string) =>
    (await api.call<{ data: { name: string }[] }>("GET", `/v1/customers?sort=name&${query}`)).body.data;
  expect((await listed("limit=200")).map(({ name }) => name)).toEqual(due);
  for (const [offset, name] of due.entries()) {
    expect(await listed(`limit=1&offset=${offset}`)).toMatchObject([{ name }]);
  }
  expect((await listed("search=an")).map(({ name }) => name)).toEqual(["ana", "Ana Maria", "ÂNGELA"]);
});

const CUSTOMERS = [
  { name: "Ana Conceição", tax_id: "123456789", email: "ana@padaria.pt", phone: "+351 212 345 678" },
  { name: "Σίσυφος", city: "Corinto" },
  { name: "Łukasz Żółć" },
  { name: "ﬁrma 100% _literal_" },
  { name: "田中" },
  { name: "'; drop table customers; --" },
];

apiTest("search finds customers by name, tax id, e-mail and phone, whatever the case and the accents", async (api) => {
  for (const fields of CUSTOMERS) await api.customer(fields);
  const [ana, sisyphus, , firm, tanaka, bobby] = CUSTOMERS.map(({ name }) => name.normalize("NFC"));
  const finds: [string, string[]][] = [
    ["conceicao", [ana]],
    ["CONCEIÇÃO", [ana]],
    ["Conceic\u0327a\u0303o", [ana]],
    ["na co", [ana]],
    ["123456", [ana]],
    ["padaria.pt", [ana]],
    ["+351 212", [ana]],
    ["σισυφος", [sisyphus]],
    ["ΣΊΣΥΦΟΣ", [sisyphus]],
    ["corinto", []],
    ["zo", ["Łukasz Żółć"]],
    ["firma", [firm]],
    ["%", [firm]],
    ["_", [firm]],
    ["田", [tanaka]],
    ["'", [bobby]],
    ["nobody", []],
  ].map(([term, found]) => [term as string, (found as (string | undefined)[]).map((name) => name ?? "")]);
  for (const [term, names] of finds) {
    const { body } = await api.call<{ data: { name: string }[]; pagination: object }>(
      "GET",
      `/v1/customers?search=${encodeURIComponent(term)}`,
    );
    expect(
      body.data.map(({ name }) => name),
      term,
    ).toEqual(names);
    expect(body.pagination, term).toMatchObject({ limit: 50, offset: 0, total: names.length });
  }
});

apiTest("search finds products by name and sku alone, in pages", async (api) => {
  await api.product({ name: "Pão de Mafra", sku: "PM-1", unit: "xyz" });
  await api.product({ name: "Pão alentejano", sku: "PA-1" });
  await api.product({ name: "Broa", sku: "ção" });
  const found = async (query: string) =>
    (await api.call<{ data: { name: string }[]; pagination: object }>("GET", `/v1/products?${query}`)).body;
  expect((await found("search=pao")).data.map(({ name }) => name)).toEqual(["Pão alentejano", "Pão de Mafra"]);
  expect(await found("search=pao&limit=1&offset=1")).toMatchObject({
    data: [{ name: "Pão de Mafra" }],
    pagination: { limit: 1, offset: 1, total: 2 },
  });
  expect((await found("search=pm-")).data).toHaveLength(1);
  expect((await found("search=CAO")).data.map(({ name }) => name)).toEqual(["Broa"]);
  expect((await found("search=xyz")).data).toEqual([]);
  expect((await found("search=a")).pagination).toMatchObject({ total: 3 });
});

apiTest("search follows a change of the name and leaves out archived customers", async (api) => {
  const { id } = await api.customer({ name: "Rui" });
  await api.call("PATCH", `/v1/customers/${id}`, { body: { name: "Inês" } });
  const total = async (term: string) =>
    (await api.call<{ pagination: { total: number } }>("GET", `/v1/customers?search=${term}`)).body.pagination.total;
  expect([await total("rui"), await total("ines")]).toEqual([0, 1]);
  await api.call("DELETE", `/v1/customers/${id}`);
  expect(await total("ines")).toBe(0);
});

scenarios(
  "GET /v1/documents filters",
  async (api) => {
    const { id: customer_id } = await api.customer();
    const made: Record<string, string> = {};
    const note = async (name: string, fields: object, issue = true) => {
      const make = issue ? api.issued : api.draft;
      made[name] = (await make({ customer_id, ...fields })).id;
    };
    await note("october", { issue_date: "2026-10-31" });
    await note("first", { issue_date: "2026-11-01" });
    await note("last", { issue_date: "2026-11-20" });
    await note("receipt", { doc_type: "FR", issue_date: "2026-11-01" });
    await note("draft", { issue_date: "2026-11-10" }, false);
    await note("cancelled", { doc_type: "FS", issue_date: "2026-11-05" });
    await api.call("POST", `/v1/documents/${made.cancelled}/cancel`);
    return made;
  },
  [
    ["", ["last", "draft", "cancelled", "receipt", "first", "october"]],
    ["doc_type=FT", ["last", "draft", "first", "october"]],
    ["doc_type=FR", ["receipt"]],
    ["doc_type=NDV", []],
    ["status=draft", ["draft"]],
    ["status=issued", ["last", "receipt", "first", "october"]],
    ["status=cancelled", ["cancelled"]],
    ["from=2026-11-01", ["last", "draft", "cancelled", "receipt", "first"]],
    ["to=2026-11-01", ["receipt", "first", "october"]],
    ["from=2026-11-01&to=2026-11-01", ["receipt", "first"]],
    ["from=2026-11-02&to=2026-11-01", []],
    ["doc_type=FT&status=issued&from=2026-11-01&to=2026-11-30", ["last", "first"]],
  ].map(
    ([query, names]): Scenario<Record<string, string>> => ({
      name: `?${query} gives ${(names as string[]).join(", ") || "nothing"}`,
      request: `GET /v1/documents?${query}`,
      status: 200,
      shows: (made) => ({
        data: (names as string[]).map((name) => ({ id: made[name] })),
        pagination: { limit: 50, offset: 0, total: names?.length },
      }),
      hides: ['"lines"', '"payments"'],
    }),
  ),
);

scenarios(
  "GET /v1/documents refuses",
  nothing,
  [
    "doc_type=XX",
    "doc_type=ft",
    "doc_type=",
    "doc_type=FT,FS",
    "status=paid",
    "status=Draft",
    "from=2026-02-30",
    "from=2026-1-1",
    "from=",
    "to=20261101",
    "to=2026-11-01T00:00:00Z",
    "doc_type=FT&doc_type=FS",
    "status=draft&status=issued",
    "from=2026-01-01&from=2026-02-01",
    "customer_id=x",
    "customer_id=",
    `customer_id=${UNKNOWN_ID}&customer_id=${UNKNOWN_ID}`,
    "series_id=FT",
    "series_id=",
    "external_id=",
    `external_id=${"x".repeat(101)}`,
    "external_id=order-1&external_id=order-2",
    "number=",
    "number=FT",
    "number=FT%202026A",
    "number=FT%202026A/",
    "number=FT%202026A/1*",
    "number=XX%202026A/1",
    "number=AT1/1",
    "number=1234567890123456",
    "number=FT%202026A/-1",
    "number=FT%202026A/1&number=FT%202026A/2",
    "payment_status=open",
    "payment_status=Paid",
    "payment_status=",
    "payment_status=unpaid,partial",
    "payment_status=unpaid&payment_status=partial",
  ].map(
    (query): Scenario<undefined> => ({
      name: `?${query}`,
      request: `GET /v1/documents?${query}`,
      status: 400,
      code: "invalid_request",
      says: query.split("=")[0] as string,
    }),
  ),
);

describe("GET /v1/documents by customer, series, number and payment status", () => {
  const empty = { data: [], pagination: { limit: 50, offset: 0, total: 0 } };
  const found = async (api: Api, query: string) => {
    const { body } = await api.call<Page>("GET", `/v1/documents?${query}`);
    expect(body.pagination, query).toMatchObject({ limit: 50, offset: 0, total: body.data.length });
    return body.data.map(({ id }) => id);
  };

  apiTest("finds who owes what", async (api) => {
    const [ana, rui] = [await api.customer(), await api.customer()];
    const till = await api.newSeries({ code: "LOJA" });
    const unpaid = await api.issued({ customer_id: ana.id });
    const partial = await api.issued({ customer_id: ana.id, series_id: till.id });
    const paid = await api.issued({ customer_id: rui.id });
    const receipt = await api.issued({ doc_type: "FR", customer_id: rui.id });
    const draft = await api.draft({ customer_id: ana.id });
    await api.pay(partial.id, 1);
    await api.pay(paid.id, paid.total_gross);
    const anas = [draft, partial, unpaid].map(({ id }) => id);
    expect(await found(api, `customer_id=${ana.id}`)).toEqual(anas);
    expect(await found(api, `customer_id=${ana.id.toUpperCase()}`)).toEqual(anas);
    expect(await found(api, `customer_id=${ana.id}&status=draft`)).toEqual([draft.id]);
    expect(await found(api, `series_id=${till.id}`)).toEqual([partial.id]);
    expect(await found(api, `series_id=${till.id}&customer_id=${rui.id}`)).toEqual([]);
    expect(await found(api, "payment_status=unpaid")).toEqual([unpaid.id]);
    expect(await found(api, "payment_status=partial")).toEqual([partial.id]);
    expect(await found(api, "payment_status=paid")).toEqual([receipt.id, paid.id]);
    expect(await found(api, "payment_status=paid&doc_type=FT")).toEqual([paid.id]);
    expect(await found(api, `payment_status=unpaid&customer_id=${ana.id}&status=issued`)).toEqual([unpaid.id]);
    expect(await found(api, "payment_status=unpaid&status=draft")).toEqual([]);
    expect(await found(api, "payment_status=paid&status=cancelled")).toEqual([]);
    const page = await api.call("GET", "/v1/documents?payment_status=paid&limit=1&offset=1");
    expect(page.body).toMatchObject({ data: [{ id: paid.id }], pagination: { limit: 1, offset: 1, total: 2 } });
  });

  apiTest("finds what references a document, in any state and within the other filters", async (api) => {
    const invoice = await api.issued();
    const { customer_id } = invoice;
    const references = [{ document_id: invoice.id }];
    const cancelled = await api.issued({ doc_type: "NC", customer_id, references });
    await api.call("POST", `/v1/documents/${cancelled.id}/cancel`);
    const credit = await api.issued({ doc_type: "NC", customer_id, references });
    const draft = await api.draft({ doc_type: "NC", customer_id, references });
    await api.issued({ customer_id });
    const of = `reference_id=${invoice.id}`;
    expect(await found(api, of)).toEqual([draft, credit, cancelled].map(({ id }) => id));
    expect(await found(api, `${of}&status=issued`)).toEqual([credit.id]);
    expect(await found(api, `${of}&doc_type=ND`)).toEqual([]);
    const number = encodeURIComponent(credit.number as string);
    expect(await found(api, `${of}&number=${number}`)).toEqual([credit.id]);
    expect(await found(api, `reference_id=${credit.id}&number=${number}`)).toEqual([]);
    const page = await api.call("GET", `/v1/documents?${of}&limit=1&offset=1`);
    expect(page.body).toMatchObject({ data: [{ id: credit.id }], pagination: { limit: 1, offset: 1, total: 3 } });
    const { api_key } = await api.stranger();
    expect((await api.call("GET", `/v1/documents?${of}`, { key: api_key })).body).toMatchObject(empty);
  });

  apiTest("the payment status follows payments, credit notes and their cancellation", async (api) => {
    const invoice = await api.issued();
    const status = async () => {
      for (const payment_status of ["unpaid", "partial", "paid"]) {
        if ((await found(api, `payment_status=${payment_status}`)).includes(invoice.id)) return payment_status;
      }
      return null;
    };
    expect(await status()).toBe("unpaid");
    const payment = await api.pay(invoice.id, 1);
    expect(await status()).toBe("partial");
    await api.call("DELETE", `/v1/payments/${payment.id}`);
    expect(await status()).toBe("unpaid");
    const { customer_id } = invoice;
    const credit = await api.issued({ doc_type: "NC", customer_id, references: [{ document_id: invoice.id }] });
    expect(await status()).toBe("paid");
    await api.call("POST", `/v1/documents/${credit.id}/cancel`);
    expect(await status()).toBe("unpaid");
    await api.call("POST", `/v1/documents/${invoice.id}/cancel`);
    expect(await status()).toBeNull();
  });

  apiTest("a number finds its one document, in capital or small letters", async (api) => {
    await api.newSeries({ code: "Loja" });
    const first = await api.issued();
    const second = await api.issued();
    const [, code] = /^FT (.*)\/1$/.exec(first.number as string) ?? [];
    const of = (number: string) => found(api, `number=${encodeURIComponent(number)}`);
    expect(await of(second.number as string)).toEqual([second.id]);
    for (const number of [`FT ${code}/3`, `FT ${code}/0`, `FR ${code}/1`, "FT Z/1", "FT LOJA/1", "RG Z/1"]) {
      expect(await of(number), number).toEqual([]);
    }
    for (const typed of [`ft ${code?.toLowerCase()}/1`, ` FT  ${code}/1 `, `FT ${code}/01`]) {
      expect(await of(typed), typed).toEqual([first.id]);
    }
    const number = encodeURIComponent(first.number as string);
    expect(await found(api, `number=${number}&payment_status=unpaid&status=issued&doc_type=FT`)).toEqual([first.id]);
    for (const other of [
      "payment_status=paid",
      "status=draft",
      "doc_type=FR",
      `customer_id=${UNKNOWN_ID}`,
      "to=2020-01-01",
    ]) {
      expect(await found(api, `number=${number}&${other}`), other).toEqual([]);
    }
    const past = await api.call("GET", `/v1/documents?number=${number}&offset=1`);
    expect(past.body).toMatchObject({ data: [], pagination: { limit: 50, offset: 1, total: 1 } });
  });

  apiTest("a number without type or series finds one of each series that fits, the newest first", async (api) => {
    const other = await api.newSeries({ code: "Loja" });
    const of = (typed: string) => found(api, `number=${encodeURIComponent(typed)}`);
    const first = await api.issued();
    const receipt = await api.issued({ doc_type: "FR" });
    const shop = await api.issued({ series_id: other.id });
    for (let i = 2; i <= 10; i++) await api.issued();
    expect(await of("1")).toEqual([shop.id, receipt.id, first.id]);
    expect(await of("ft 1")).toEqual([shop.id, first.id]);
    expect(await of("loja/1")).toEqual([shop.id]);
    expect(await of("loja/2")).toEqual([]);
    expect(await found(api, "number=1&doc_type=FR")).toEqual([receipt.id]);
    const page = await api.call("GET", "/v1/documents?number=1&limit=1&offset=1");
    expect(page.body).toMatchObject({ data: [{ id: receipt.id }], pagination: { limit: 1, offset: 1, total: 3 } });
  });

  apiTest("is empty for ids that are unknown, and for another company's", async (api) => {
    const { customer_id, series_id, number } = await api.issued();
    const stranger = await api.stranger();
    const { api_key: key } = stranger;
    for (const [name, value] of Object.entries({ customer_id, series_id, number, payment_status: "unpaid" })) {
      const query = `${name}=${encodeURIComponent(value as string)}`;
      expect(await found(api, query), query).toHaveLength(1);
      expect((await api.call("GET", `/v1/documents?${query}`, { key })).body, query).toMatchObject(empty);
    }
    for (const name of ["customer_id", "series_id"]) {
      for (const also of ["", "&payment_status=unpaid", "&status=issued&doc_type=FT"]) {
        expect((await api.call("GET", `/v1/documents?${name}=${UNKNOWN_ID}${also}`)).body).toMatchObject(empty);
      }
    }
  });
});

describe("GET /v1/payments?document_id", () => {
  apiTest("lists the payments of that document alone, with the id in any case", async (api) => {
    const one = await api.issued();
    const other = await api.issued();
    const paid = [await api.pay(one.id, 1), await api.pay(one.id, 2)].reverse();
    await api.pay(other.id, 3);
    for (const id of [one.id, one.id.toUpperCase()]) {
      const { body } = await api.call("GET", `/v1/payments?document_id=${id}`);
      expect(body).toMatchObject({ data: paid, pagination: { limit: 50, offset: 0, total: 2 } });
    }
    const { body } = await api.call("GET", `/v1/payments?document_id=${one.id}&limit=1&offset=1`);
    expect(body).toMatchObject({ data: [paid[1]], pagination: { limit: 1, offset: 1, total: 2 } });
  });

  apiTest("is empty for an unknown document, and for another company's", async (api) => {
    const { id } = await api.issued();
    await api.pay(id, 1);
    const empty = { data: [], pagination: { limit: 50, offset: 0, total: 0 } };
    expect((await api.call("GET", `/v1/payments?document_id=${UNKNOWN_ID}`)).body).toMatchObject(empty);
    const { api_key } = await api.stranger();
    expect((await api.call("GET", `/v1/payments?document_id=${id}`, { key: api_key })).body).toMatchObject(empty);
  });

  scenarios(
    "is refused",
    nothing,
    ["document_id=x", "document_id=", `document_id=${UNKNOWN_ID}&document_id=${UNKNOWN_ID}`].map(
      (query): Scenario<undefined> => ({
        name: `?${query}`,
        request: `GET /v1/payments?${query}`,
        status: 400,
        code: "invalid_request",
        says: "document_id",
      }),
    ),
  );
});

scenarios(
  "GET /v1/payments of a period",
  async (api) => {
    const { id } = await api.issued();
    const other = await api.issued();
    const made: Record<string, string> = { id };
    const note = async (name: string, document_id: string, payment_date: string) => {
      const payment = { amount: 1, method_code: "MB", payment_date };
      const path = `/v1/documents/${document_id}/payments`;
      made[name] = (await api.call<{ id: string }>("POST", path, { body: payment })).body.id;
    };
    await note("last", id, "2026-10-31");
    await note("september", id, "2026-09-30");
    await note("first", other.id, "2026-10-01");
    await note("voided", id, "2026-10-15");
    await api.call("DELETE", `/v1/payments/${made.voided}`);
    return made;
  },
  [
    ["", ["first", "september", "last"]],
    ["from=2026-10-01&to=2026-10-31", ["last", "first"]],
    ["from=2026-10-02", ["last"]],
    ["to=2026-10-01", ["first", "september"]],
    ["from=2026-10-02&to=2026-10-30", []],
    ["from=2026-10-31&to=2026-10-01", []],
    ["from=2026-09-30&document_id={id}", ["last", "september"]],
  ].map(
    ([query, names]): Scenario<Record<string, string>> => ({
      name: `?${query} gives ${(names as string[]).join(", ") || "nothing"}`,
      request: (made) => `GET /v1/payments?${(query as string).replace("{id}", made.id as string)}`,
      status: 200,
      shows: (made) => ({
        data: (names as string[]).map((name) => ({ id: made[name] })),
        pagination: { limit: 50, offset: 0, total: names?.length },
      }),
    }),
  ),
);

scenarios(
  "GET /v1/payments of a period refuses",
  nothing,
  ["from=2026-02-30", "from=", "to=20261101", "to=2026-11-01T00:00:00Z", "from=2026-01-01&from=2026-02-01"].map(
    (query): Scenario<undefined> => ({
      name: `?${query}`,
      request: `GET /v1/payments?${query}`,
      status: 400,
      code: "invalid_request",
      says: query.split("=")[0] as string,
    }),
  ),
);

apiTest("lists are read by cursor, by ids, and with lines", async (api) => {
  const made = [await api.issued({ external_id: "a" }), await api.issued(), await api.issued()];
  const [one = "", two = "", three = ""] = made.map(({ id }) => id);
  type Body = { data: { id: string; lines?: unknown[] }[]; pagination: { next_cursor: string | null } };
  const get = async (query: string) => (await api.call<Body>("GET", `/v1/documents?${query}`)).body;
  const first = await get("limit=2");
  expect(first.data.map(({ id }) => id)).toEqual([three, two]);
  await api.issued();
  const next = await get(`limit=2&cursor=${first.pagination.next_cursor}`);
  expect(next.data.map(({ id }) => id)).toEqual([one]);
  expect(next.pagination.next_cursor).toBeNull();
  const asked = await get(`ids=${one},${three}&expand=lines`);
  expect(asked.data.map(({ id, lines }) => [id, lines?.length])).toEqual([
    [one, 1],
    [three, 1],
  ]);
  for (const [query, says] of [
    [`cursor=${first.pagination.next_cursor}&status=issued`, "cursor"],
    [`cursor=${first.pagination.next_cursor}&offset=0`, "cursor"],
    ["cursor=x", "cursor"],
    ["ids=", "ids[0]"],
    [`ids=${one},x`, "ids[1]"],
    [`ids=${one}&status=issued`, "ids"],
    ["expand=payments", "expand"],
    ["expand=lines&limit=51", "limit"],
  ] as const) {
    const { status, body } = await api.call<{ error: { message: string } }>("GET", `/v1/documents?${query}`);
    expect([query, status]).toEqual([query, 400]);
    expect(body.error.message).toContain(`${says}: `);
  }
});
