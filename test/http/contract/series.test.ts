/** Series: opening, registering, closing. */
import { DOC_TYPES } from "lacre";
import { describe, expect } from "vitest";
import type { Series } from "../../../src/core/series/series.ts";
import {
  type Api,
  apiTest,
  expectRefusal,
  NOW,
  nothing,
  type Scenario,
  scenarios,
  UNKNOWN_ID,
} from "../../support/http.ts";
import { UUID_V7 } from "../../support/shapes.ts";
import { producesItsRefusals } from "./produced.ts";

apiTest("a new company has one series per document type for the current year", async (api) => {
  const { body } = await api.call<{ data: Series[] }>("GET", "/v1/series");
  expect(body.data.map(({ doc_type }) => doc_type).sort()).toEqual([...DOC_TYPES].sort());
  for (const series of body.data) {
    expect(series).toEqual({
      id: expect.stringMatching(UUID_V7),
      doc_type: series.doc_type,
      code: "2026A",
      validation_code: null,
      next_number: 1,
      status: "active",
      training: false,
      cash_vat: false,
      registered_at: null,
      created_at: NOW,
    });
  }
});

const opens = (body: object, shows: object = body): Scenario<undefined> => ({
  name: `opens ${JSON.stringify(body)}`,
  request: "POST /v1/series",
  body: { doc_type: "FT", code: "LOJA", ...body },
  status: 201,
  shows: { status: "active", next_number: 1, ...shows },
});
const refuses = (body: object, says: string | readonly string[] = Object.keys(body)): Scenario<undefined> => ({
  name: `refuses ${JSON.stringify(body)}`,
  request: "POST /v1/series",
  body: { doc_type: "FT", code: "LOJA", ...body },
  status: 400,
  code: "invalid_request",
  says,
});

scenarios("POST /v1/series", nothing, [
  opens({}, { doc_type: "FT", code: "LOJA", validation_code: null, training: false }),
  opens({ validation_code: "CSDF7T5H" }, { validation_code: "CSDF7T5H", registered_at: NOW }),
  opens({ validation_code: null }),
  opens({ training: true }),
  ...DOC_TYPES.map((doc_type) => opens({ doc_type })),
  ...["A", "1", "a.b-c_d", "2026A".repeat(4), "BAT", "aA1"].map((code) => opens({ code })),
  ...["", " ", "A".repeat(21), "AT", "AT1", "at1", "aT1", "A B", "A/B", "-A", "A-", ".A", "A--B", "A._B", "é"].map(
    (code) => refuses({ code }),
  ),
  ...["CSDF7T5", "csdf7t5h", "CSDF7T5H-1", "CSDF 7T5H", "", 12345678].map((validation_code) =>
    refuses({ validation_code }),
  ),
  ...["XX", "RG", null, undefined].map((doc_type) => refuses({ doc_type }, "doc_type")),
  ...["true", null, 1].map((training) => refuses({ training })),
  refuses({ code: undefined }, "code: is required"),
  ...["id", "next_number", "status", "created_at", "at_type", "codigo"].map((field) => refuses({ [field]: 1 })),
]);

scenarios("GET /v1/series", (api) => api.newSeries({ code: "2027A" }), [
  {
    name: "?doc_type= lists those of one type",
    request: "GET /v1/series?doc_type=FT",
    status: 200,
    shows: { data: [{ code: "2027A" }, { code: "2026A" }], pagination: { total: 2 } },
  },
  {
    name: "?current=true lists one of each type for today",
    request: "GET /v1/series?current=true&limit=3&offset=8",
    status: 200,
    shows: { data: [{ code: "2026A" }, { code: "2026A" }], pagination: { limit: 3, offset: 8, total: 10 } },
  },
  {
    name: "?current=true&date= goes by the date's year",
    request: "GET /v1/series?doc_type=FT&current=true&date=2027-01-01",
    status: 200,
    shows: { data: [{ code: "2027A" }], pagination: { total: 1 } },
  },
  {
    name: "?current=true is empty where no series takes a document",
    request: "GET /v1/series?doc_type=FS&current=true&date=2027-01-01",
    status: 200,
    shows: { data: [], pagination: { total: 0 } },
  },
  ...["date=2026-11-21", "current=false&date=2026-11-21"].map((query) => ({
    name: `?${query} is refused: a date asks for the current series`,
    request: `GET /v1/series?${query}`,
    status: 400,
    code: "invalid_request" as const,
    says: "date: is only taken together with current",
  })),
  ...["doc_type=XX", "current=1", "current=true&date=2026-02-30"].map((query) => ({
    name: `?${query} is refused`,
    request: `GET /v1/series?${query}`,
    status: 400,
    code: "invalid_request" as const,
  })),
]);

describe("a code", () => {
  const open = (api: Api, body: object) => api.call<Series>("POST", "/v1/series", { body });

  apiTest("is unique per type regardless of case, closed ones included", async (api) => {
    const { body } = await open(api, { doc_type: "FT", code: "Loja" });
    await api.call("PATCH", `/v1/series/${body.id}`, { body: { status: "closed" } });
    for (const code of ["Loja", "LOJA", "loja", "2026a"]) {
      const answer = await open(api, { doc_type: "FT", code });
      expect(answer.status).toBe(409);
      expectRefusal(answer, "conflict");
    }
    expect((await open(api, { doc_type: "FS", code: "LOJA" })).status).toBe(201);
  });

  apiTest("of another company does not matter", async (api) => {
    await api.newSeries({ code: "LOJA" });
    const { api_key } = await api.stranger();
    const { status } = await api.call("POST", "/v1/series", { key: api_key, body: { doc_type: "FT", code: "LOJA" } });
    expect(status).toBe(201);
  });
});

scenarios("/v1/series/{id}", (api) => api.newSeries(), [
  { name: "GET reads it", request: ({ id }) => `GET /v1/series/${id}`, status: 200, is: (series) => series },
  { name: "HEAD finds it", request: ({ id }) => `HEAD /v1/series/${id}`, status: 200, is: "" },
  {
    name: "PATCH sets the validation code",
    request: ({ id }) => `PATCH /v1/series/${id}`,
    body: { validation_code: "CSDF7T5H" },
    status: 200,
    is: (series) => ({ ...series, validation_code: "CSDF7T5H", registered_at: NOW }),
  },
  {
    name: "PATCH closes it",
    request: ({ id }) => `PATCH /v1/series/${id}`,
    body: { status: "closed" },
    status: 200,
    is: (series) => ({ ...series, status: "closed" }),
    after: async (series, api) => {
      const { body } = await api.call("GET", `/v1/series/${series.id}`);
      expect(body).toEqual({ ...series, status: "closed" });
    },
  },
  {
    name: "PATCH does both at once",
    request: ({ id }) => `PATCH /v1/series/${id}`,
    body: { status: "closed", validation_code: "CSDF7T5H" },
    status: 200,
    shows: { status: "closed", validation_code: "CSDF7T5H" },
  },
  {
    name: "PATCH with nothing changes nothing",
    request: ({ id }) => `PATCH /v1/series/${id}`,
    body: {},
    status: 200,
    is: (series) => series,
  },
  ...[
    { status: "active" },
    { status: "open" },
    { status: null },
    { validation_code: "x" },
    { code: "B" },
    { doc_type: "FS" },
    { training: true },
    { next_number: 7 },
    { id: UNKNOWN_ID },
  ].map(
    (body): Scenario<Series> => ({
      name: `PATCH refuses ${JSON.stringify(body)}`,
      request: ({ id }) => `PATCH /v1/series/${id}`,
      body,
      status: 400,
      code: "invalid_request",
      says: Object.keys(body),
      after: async (series, api) => {
        expect((await api.call("GET", `/v1/series/${series.id}`)).body).toEqual(series);
      },
    }),
  ),
  {
    name: "a series is never deleted",
    request: ({ id }) => `DELETE /v1/series/${id}`,
    status: 405,
    code: "method_not_allowed",
    answers: { allow: /^(?=.*\bGET\b)(?=.*\bPATCH\b)(?!.*\bDELETE\b)/ },
  },
]);

describe("a series' life", () => {
  const patch = (api: Api, id: string, body: object) => api.call<Series>("PATCH", `/v1/series/${id}`, { body });

  apiTest("next_number counts issued documents, not drafts", async (api) => {
    const { id: series_id } = await api.newSeries();
    const next = async () => (await api.call<Series>("GET", `/v1/series/${series_id}`)).body.next_number;
    await api.draft({ series_id });
    expect(await next()).toBe(1);
    expect((await api.issued({ series_id })).number).toBe("FT LOJA1/1");
    expect(await next()).toBe(2);
  });

  apiTest("the validation code is fixed after the first document; sending it again is no change", async (api) => {
    const { id: series_id } = await api.newSeries({ validation_code: "CSDF7T5H" });
    expect((await patch(api, series_id, { validation_code: "CSDF7T5J" })).status).toBe(200);
    await api.issued({ series_id });
    for (const validation_code of ["CSDF7T5H", null]) {
      const answer = await patch(api, series_id, { validation_code });
      expect(answer.status).toBe(409);
      expectRefusal(answer, "invalid_state");
    }
    expect((await patch(api, series_id, { validation_code: "CSDF7T5J" })).body).toMatchObject({
      validation_code: "CSDF7T5J",
      next_number: 2,
    });
  });

  apiTest("a validation code belongs to one series of the company", async (api) => {
    const { id, code } = await api.newSeries({ validation_code: "CSDF7T5H" });
    await patch(api, id, { status: "closed" });
    const other = await api.newSeries({ doc_type: "OR" });
    const answer = await patch(api, other.id, { validation_code: "CSDF7T5H" });
    expect(answer.status).toBe(409);
    expectRefusal(answer, "conflict", `AT's code CSDF7T5H is that of the series FT ${code};`);
  });

  apiTest("closing is final", async (api) => {
    const { id } = await api.newSeries();
    expect((await patch(api, id, { status: "closed" })).status).toBe(200);
    expect((await patch(api, id, { status: "closed" })).body).toMatchObject({ status: "closed" });
    expectRefusal(await patch(api, id, { status: "active" }), "invalid_request", "status");
    const answer = await patch(api, id, { validation_code: "CSDF7T5H" });
    expect(answer.status).toBe(409);
    expectRefusal(answer, "series_closed");
  });

  apiTest("a training series has its own numbers", async (api) => {
    const { id: series_id } = await api.newSeries({ code: "ESCOLA", training: true });
    expect((await api.issued({ series_id })).number).toBe("FT ESCOLA/1");
    expect((await api.issued()).number).toBe("FT 2026A/1");
  });
});

producesItsRefusals("series");
