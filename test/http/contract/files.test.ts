/** GET /v1/documents/{id}/pdf and GET /v1/saft: answered as files, and refused as JSON. */

import { expect } from "vitest";
import type { Document } from "../../../src/core/documents/document.ts";
import { type Api, apiTest, expectRefusal, LINE, UNKNOWN_ID } from "../../support/http.ts";
import { producesItsRefusals } from "./produced.ts";

apiTest("the PDF of an issued document is named by its number, and opens in a browser", async (api) => {
  const { id } = await api.issued();
  for (const query of ["", "?lang=en", "?paper=80mm", "?paper=A4", "?copies=4&copy=true", "?copy=false"]) {
    const { status, headers, text } = await api.call("GET", `/v1/documents/${id}/pdf${query}`);
    expect([status, headers.get("content-type")]).toEqual([200, "application/pdf"]);
    expect(headers.get("content-disposition")).toBe("inline; filename*=UTF-8''FT%202026A-1.pdf");
    expect(text.slice(0, 5)).toBe("%PDF-");
  }
});

apiTest("cash that was handed over is a decimal in the query of the PDF", async (api) => {
  const payments = [{ amount: 0.5, method_code: "NU", payment_date: "2026-11-21" }];
  const { id } = await api.issued({ payments });
  for (const query of ["cash_given=20.50", "cash_given=0.5", "cash_given=20"]) {
    expect((await api.call("GET", `/v1/documents/${id}/pdf?${query}`)).status, query).toBe(200);
  }
});

apiTest("printing answers the original once, and again under the same Idempotency-Key", async (api) => {
  const { id } = await api.issued();
  const print = async (key?: string, body: object = {}) => {
    const headers: Record<string, string> = key === undefined ? {} : { "idempotency-key": key };
    const { status, headers: answered, text } = await api.call("POST", `/v1/documents/${id}/prints`, { body, headers });
    expect([status, answered.get("content-type")]).toEqual([200, "application/pdf"]);
    return [answered.get("idempotent-replayed"), text] as const;
  };
  const [first, original] = await print("till-1", { lang: "en" });
  expect([first, original.slice(0, 5)]).toEqual([null, "%PDF-"]);
  expect(await print("till-1", { lang: "en" })).toEqual(["true", original]);
  const [, second] = await print(undefined, { lang: "en" });
  expect(second).not.toBe(original);
  expect((await api.call("GET", `/v1/documents/${id}/pdf?lang=en&copy=true`)).text).toBe(second);
});

apiTest("a cancelled document is printed, a draft is not", async (api) => {
  const { id } = await api.issued();
  await api.call("POST", `/v1/documents/${id}/cancel`);
  expect((await api.call("GET", `/v1/documents/${id}/pdf`)).status).toBe(200);
  const draft = `/v1/documents/${(await api.draft()).id}`;
  for (const answer of [await api.call("GET", `${draft}/pdf`), await api.call("POST", `${draft}/prints`)]) {
    expect(answer.status).toBe(409);
    expectRefusal(answer, "invalid_state", "A draft cannot be printed.");
  }
});

for (const [query, says] of [
  ["lang=fr", "lang: must be one of pt, en"],
  ["paper=letter", "paper: must be one of A4, 80mm"],
  ["copies=0", "copies: must be a whole number from 1 to 4"],
  ["copies=5", "copies: must be a whole number from 1 to 4"],
  ["copies=two", "copies: must be a number"],
  ["copy=1", "copy: must be a boolean"],
  ["copy=true&copy=true", "copy: is repeated"],
  ["cash_given=20,00", "cash_given: must be a number"],
  ["cash_given=0.00", "cash_given: must be more than 0"],
  ["cash_given=20.001", "cash_given: must have at most 2 decimals"],
  ["cash_given=20", "cash_given: is for a document that was paid in cash"],
  ["page=1", "page: is not a known field"],
] as const) {
  apiTest(`a PDF with ${query} is refused`, async (api) => {
    const { id } = await api.issued();
    expectRefusal(await api.call("GET", `/v1/documents/${id}/pdf?${query}`), "invalid_request", says);
  });
}

apiTest("another company's document is not found", async (api) => {
  const stranger = await api.stranger();
  const { id } = await api.issued();
  for (const [path, key] of [
    [`/v1/documents/${id}/pdf`, stranger.api_key],
    [`/v1/documents/${UNKNOWN_ID}/pdf`, api.api_key],
  ] as const) {
    expectRefusal(await api.call("GET", path, { key }), "not_found");
  }
});

const export_ = (api: Api, query = "") => api.call<string>("GET", `/v1/saft${query}`);

apiTest("the tax file of a period is complete, and has this company's documents alone", async (api) => {
  const documents: Document[] = [];
  for (const doc_type of ["FT", "NC", "RC", "GT", "OR"] as const) documents.push(await api.issued({ doc_type }));
  const stranger = await api.stranger();
  const { headers, text } = await export_(api);
  expect(headers.get("content-type")).toBe("application/xml");
  expect(headers.get("content-disposition")).toBe("attachment; filename*=UTF-8''saft-2026-01-01-2026-11-21.xml");
  for (const { number } of documents) expect(text.split(`>${number}<`)).toHaveLength(2);
  const { text: theirs } = await api.call<string>("GET", "/v1/saft", { key: stranger.api_key });
  for (const { number } of documents) expect(theirs).not.toContain(number);
});

apiTest("the tax file has only the days requested, and no drafts", async (api) => {
  await api.issued({ issue_date: "2026-11-19" });
  await api.issued({ issue_date: "2026-11-20" });
  await api.draft({ lines: [LINE], notes: "rascunho" });
  const numbers = async (query: string) =>
    Array.from((await export_(api, query)).text.matchAll(/<InvoiceNo>([^<]+)/g), ([, n]) => n);
  expect(await numbers("")).toEqual(["FT 2026A/1", "FT 2026A/2"]);
  expect(await numbers("?from=2026-11-20")).toEqual(["FT 2026A/2"]);
  expect(await numbers("?to=2026-11-19")).toEqual(["FT 2026A/1"]);
  expect(await numbers("?from=2025-01-01&to=2025-12-31")).toEqual([]);
  expect(await numbers("?training=true")).toEqual([]);
});

for (const [query, says] of [
  ["from=2026-13-01", "from: must be a date"],
  ["from=2026-11-21&to=2026-11-20", "to: must be 2026-11-21 or later"],
  ["from=2025-11-21&to=2026-11-20", "to: must be in 2025"],
  ["training=yes", "training: must be a boolean"],
  ["year=2026", "year: is not a known field"],
] as const) {
  apiTest(`a tax file with ${query} is refused as JSON`, async (api) => {
    expectRefusal(await export_(api, `?${query}`), "invalid_request", says);
  });
}

producesItsRefusals("files");
