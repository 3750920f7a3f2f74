/** Previews of documents: what they answer, what they refuse, and the digest that issues what was shown. */
import { describe, expect } from "vitest";
import type { Document } from "../../../src/core/documents/document.ts";
import type { DocumentPreview } from "../../../src/core/documents/preview.ts";
import { type Api, apiTest, expectRefusal, LINE, TODAY } from "../../support/http.ts";
import { producesItsRefusals } from "./produced.ts";

/** An invoice to a new customer, as it is sent. */
async function invoiceOf(api: Api): Promise<Record<string, unknown>> {
  const { id: customer_id } = await api.customer();
  return { doc_type: "FT", series_id: api.series.FT, issue_date: TODAY, customer_id, lines: [LINE] };
}

const previewOf = (api: Api, { id }: Document) => api.call<DocumentPreview>("GET", `/v1/documents/${id}/preview`);

const issue = (api: Api, { id }: Document, body: object) =>
  api.call<Document>("POST", `/v1/documents/${id}/issue`, { body });

describe("POST /v1/documents/preview", () => {
  apiTest("answers 200 and stores nothing, with and without an Idempotency-Key", async (api) => {
    const body = await invoiceOf(api);
    const first = await api.call<DocumentPreview>("POST", "/v1/documents/preview", { body });
    expect(first.status).toBe(200);
    expect(first.headers.get("location")).toBeNull();
    expect(first.body).toMatchObject({ document: { id: null, status: "draft" }, refusals: [], number: "FT 2026A/1" });
    const keyed = { body, idempotency_key: "order-1" };
    expect((await api.call("POST", "/v1/documents/preview", keyed)).text).toBe(first.text);
    const { body: list } = await api.call<{ pagination: { total: number } }>("GET", "/v1/documents");
    expect(list.pagination.total).toBe(0);
    // The key is free: another request takes it.
    expect((await api.call("POST", "/v1/documents", { ...keyed, body: { ...body, issue: true } })).status).toBe(201);
    const later = await api.call<DocumentPreview>("POST", "/v1/documents/preview", keyed);
    expect(later.body.number).toBe("FT 2026A/2");
    expect(later.headers.get("idempotent-replayed")).toBeNull();
  });

  apiTest("needs documents:write, and neither asks for nor takes documents:issue", async (api) => {
    const body = { ...(await invoiceOf(api)), issue: true };
    const writing = await api.keyWith("documents:write");
    expect((await api.call("POST", "/v1/documents/preview", { body, key: writing })).status).toBe(200);
    const reading = await api.keyWith("documents:read", "documents:issue");
    expectRefusal(await api.call("POST", "/v1/documents/preview", { body, key: reading }), "forbidden");
  });

  apiTest("refuses what a draft is refused for, and an unknown member", async (api) => {
    const body = { ...(await invoiceOf(api)), lines: [] };
    const refused = await api.call("POST", "/v1/documents/preview", { body });
    expectRefusal(refused, "invalid_request");
    expect(refused.text).toBe((await api.call("POST", "/v1/documents", { body })).text);
    const other = await api.call("POST", "/v1/documents/preview", { body: { ...body, digest: "x" } });
    expectRefusal(other, "invalid_request");
    expectRefusal(
      await api.call("POST", "/v1/documents/preview", { headers: { "if-match": "*" }, body }),
      "invalid_request",
    );
  });

  apiTest("tells refusals as issuing would, in the language of the request, with what to do", async (api) => {
    await api.call("PATCH", `/v1/series/${api.series.FT}`, { body: { status: "closed" } });
    const draft = await api.draft();
    for (const headers of [{}, { "accept-language": "pt-PT" }]) {
      const shown = await api.call<DocumentPreview>("GET", `/v1/documents/${draft.id}/preview`, { headers });
      const refused = await api.call<{ error: object }>("POST", `/v1/documents/${draft.id}/issue`, { headers });
      expect(shown.body.refusals).toEqual([refused.body.error]);
      expect(shown.headers.get("content-language")).toBe(refused.headers.get("content-language"));
      expect(shown.headers.get("vary")).toBe("Accept-Language");
    }
  });
});

apiTest("a preview refuses a customer within that a PATCH would be refused", async (api) => {
  await api.lacre.signer.setCertificate({ certificate_number: 9999 });
  const { id: customer_id } = await api.customer({ tax_id: "501964843", external_id: "shop-7" });
  const { id: series_id } = await api.newSeries({ doc_type: "FT", validation_code: "CSDF7T5H" });
  const given = { doc_type: "FT", series_id, issue_date: TODAY, lines: [LINE] };
  await api.lacre.companies.change({
    id: api.company_id,
    address: "Rua do Forno, 12",
    postal_code: "2640-389",
    city: "Mafra",
  });
  await api.issued({ ...given, customer_id });
  const body = { ...given, customer: { name: "Ana", external_id: "shop-7", tax_id: "500000000" } };
  expectRefusal(await api.call("POST", "/v1/documents/preview", { body }), "invalid_state");
});

describe("GET /v1/documents/{id}/preview", () => {
  apiTest("is of drafts alone", async (api) => {
    expectRefusal(await previewOf(api, await api.issued()), "invalid_state");
    expectRefusal(await api.call("GET", "/v1/documents/preview"), "method_not_allowed");
    expectRefusal(await api.call("GET", "/v1/documents/none/preview"), "not_found");
    expectRefusal(await api.call("POST", `/v1/documents/${(await api.draft()).id}/preview`), "method_not_allowed");
  });
});

describe("POST /v1/documents/{id}/issue with a digest", () => {
  apiTest("issues what was shown", async (api) => {
    const draft = await api.draft();
    const { body } = await previewOf(api, draft);
    const issued = await issue(api, draft, { digest: body.digest });
    expect(issued.status).toBe(200);
    expect(issued.body.number).toBe(body.number);
  });

  apiTest("refuses what was changed since it was shown, and changes nothing", async (api) => {
    const draft = await api.draft();
    const { body } = await previewOf(api, draft);
    await api.call("PATCH", `/v1/documents/${draft.id}`, { body: { lines: [{ ...LINE, qty: 2 }] } });
    expectRefusal(await issue(api, draft, { digest: body.digest }), "conflict");
    expect((await api.call("GET", `/v1/documents/${draft.id}`)).body).toMatchObject({ status: "draft" });
    const { body: again } = await previewOf(api, draft);
    expect((await issue(api, draft, { digest: again.digest })).status).toBe(200);
  });

  apiTest("refuses a digest that is none", async (api) => {
    const draft = await api.draft();
    expectRefusal(await issue(api, draft, { digest: "1:0" }), "conflict");
    for (const digest of [null, 1, "", "x".repeat(101)]) {
      expectRefusal(await issue(api, draft, { digest }), "invalid_request");
    }
    expect((await issue(api, draft, {})).status).toBe(200);
  });
});

producesItsRefusals("documents-preview");
