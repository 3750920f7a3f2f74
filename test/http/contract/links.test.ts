/** Links to documents: made, listed and revoked by keys. */
import type { DocumentLink, DocumentLinkWithUrl } from "lacre";
import { expect } from "vitest";
import { apiTest, expectRefusal, type Scenario, scenarios } from "../../support/http.ts";
import { UUID_V7 } from "../../support/shapes.ts";
import { producesItsRefusals } from "./produced.ts";

apiTest("a link is made, listed, read and revoked; only the first answer has its address", async (api) => {
  const { id } = await api.issued();
  const made = await api.call<DocumentLinkWithUrl>("POST", `/v1/documents/${id}/links`);
  const { url, ...link } = made.body;
  expect([made.status, made.headers.get("location")]).toEqual([201, `/v1/links/${link.id}`]);
  expect(url).toMatch(/^http:\/\/lacre\.test\/d\/[A-Za-z0-9_-]{43}$/);
  expect(link).toMatchObject({ id: expect.stringMatching(UUID_V7), document_id: id, language: "pt", original: true });
  await api.link();
  const listed = await api.call<{ data: DocumentLink[] }>("GET", `/v1/documents/${id}/links`);
  expect(listed.body).toEqual({ data: [link], pagination: { limit: 50, offset: 0, total: 1 } });
  expect((await api.call("GET", `/v1/links/${link.id}`)).body).toEqual(link);
  expect((await api.call("DELETE", `/v1/links/${link.id}`)).status).toBe(204);
  const revoked = (await api.call<DocumentLink>("GET", `/v1/links/${link.id}`)).body;
  expect(revoked).toEqual({ ...link, revoked_at: expect.any(String) });
  expectRefusal(await api.call("DELETE", `/v1/links/${link.id}`), "invalid_state", "already revoked");
});

apiTest("making one is refused for drafts and cancelled documents", async (api) => {
  const draft = await api.draft();
  expectRefusal(await api.call("POST", `/v1/documents/${draft.id}/links`), "invalid_state", "cannot be sent");
  const { id } = await api.issued();
  await api.call("POST", `/v1/documents/${id}/cancel`, { body: { reason: "Engano" } });
  expectRefusal(await api.call("POST", `/v1/documents/${id}/links`), "invalid_state", "cannot be sent");
});

apiTest(
  "without a public address making one is refused, with the setting that is missing",
  async (api) => {
    const { id } = await api.issued();
    const answer = await api.call("POST", `/v1/documents/${id}/links`);
    expect(answer.status).toBe(409);
    expectRefusal(answer, "invalid_state", "lacre serve --public-url URL");
  },
  { publicUrl: undefined },
);

const refuses = (
  body: object,
  says: string,
  more: Partial<Scenario<{ id: string }>> = {},
): Scenario<{ id: string }> => ({
  name: `refuses ${JSON.stringify({ ...body, ...more })}`,
  request: ({ id }) => `POST /v1/documents/${id}/links`,
  body,
  status: 400,
  code: "invalid_request",
  says,
  ...more,
});

scenarios("POST /v1/documents/{id}/links", async (api) => api.issued(), [
  refuses({ language: "fr" }, "language: must be one of pt, en"),
  refuses({ days: 60 }, "days: is not a known field"),
  refuses({}, "Idempotency-Key: is not taken", { idempotency_key: "link-1" }),
]);

producesItsRefusals("links");
