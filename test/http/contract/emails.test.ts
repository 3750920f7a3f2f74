/** E-mails: documents sent by keys, at issue or later, and read. */
import type { Email } from "lacre";
import { expect } from "vitest";
import { apiTest, expectRefusal, type Scenario, scenarios } from "../../support/http.ts";
import { UUID_V7 } from "../../support/shapes.ts";
import { producesItsRefusals } from "./produced.ts";

const ANA = "ana@example.com";

apiTest("an issued document is sent to its customer, and the e-mail is read and found by it", async (api) => {
  const { id: customer_id } = await api.customer({ email: ANA });
  const { id } = await api.issued({ customer_id });
  const made = await api.call<Email>("POST", `/v1/documents/${id}/email`, { body: { cc: ["contas@example.com"] } });
  const email = made.body;
  expect([made.status, made.headers.get("location")]).toEqual([201, `/v1/emails/${email.id}`]);
  expect(email).toMatchObject({
    id: expect.stringMatching(UUID_V7),
    document_id: id,
    status: "queued",
    to: [ANA],
    cc: ["contas@example.com"],
    original: true,
    attempts: [],
  });
  expect((await api.call("GET", `/v1/emails/${email.id}`)).body).toEqual(email);
  await api.email();
  const found = await api.call<{ data: Email[] }>("GET", `/v1/emails?document_id=${id}`);
  expect(found.body).toEqual({ data: [email], pagination: { limit: 50, offset: 0, total: 1 } });
  const sent = await api.call<{ data: Email[] }>("GET", "/v1/emails?status=sent");
  expect(sent.body.data).toEqual([]);
});

apiTest("with `email` a document is issued and sent in one request, which needs the scope for it", async (api) => {
  const { id: customer_id } = await api.customer({ email: ANA });
  const { id } = await api.issued({ customer_id, email: true });
  const draft = await api.draft({ customer_id });
  const body = { email: { to: ["b@example.com"] } };
  const key = await api.keyWith("documents:write", "documents:issue");
  expectRefusal(
    await api.call("POST", `/v1/documents/${draft.id}/issue`, { body, key }),
    "forbidden",
    "documents:send",
  );
  expect((await api.call("POST", `/v1/documents/${draft.id}/issue`, { body })).status).toBe(200);
  const { data } = (await api.call<{ data: Email[] }>("GET", "/v1/emails")).body;
  expect(data.map(({ document_id, to }) => [document_id, to])).toEqual([
    [draft.id, ["b@example.com"]],
    [id, [ANA]],
  ]);
});

apiTest("one Idempotency-Key sends once", async (api) => {
  const { id } = await api.issued();
  const sent = { body: { to: [ANA] }, idempotency_key: "mail-1" };
  const first = await api.call<Email>("POST", `/v1/documents/${id}/email`, sent);
  const again = await api.call<Email>("POST", `/v1/documents/${id}/email`, sent);
  expect(again.body.id).toBe(first.body.id);
  expect((await api.call<{ data: Email[] }>("GET", "/v1/emails")).body.data).toHaveLength(1);
});

apiTest("a draft and a cancelled document are not sent", async (api) => {
  const body = { to: [ANA] };
  const draft = await api.draft();
  expectRefusal(await api.call("POST", `/v1/documents/${draft.id}/email`, { body }), "invalid_state", "cannot be sent");
  const { id } = await api.issued();
  await api.call("POST", `/v1/documents/${id}/cancel`, { body: { reason: "Engano" } });
  expectRefusal(await api.call("POST", `/v1/documents/${id}/email`, { body }), "invalid_state", "cannot be sent");
});

const refuses = (body: object, says: string): Scenario<{ id: string }> => ({
  name: `refuses ${JSON.stringify(body).slice(0, 60)}`,
  request: ({ id }) => `POST /v1/documents/${id}/email`,
  body,
  status: 400,
  code: "invalid_request",
  says,
});

scenarios("POST /v1/documents/{id}/email", async (api) => api.issued(), [
  refuses({}, "to: the customer has no e-mail address"),
  refuses({ to: ANA }, "to: must be a list"),
  refuses({ to: [] }, "to: must not be empty"),
  refuses({ to: ["ana"] }, "to[0]: must be an e-mail address"),
  refuses({ to: [`${ANA}\r\nBcc: eve@example.com`] }, "to[0]: "),
  refuses({ to: [ANA], cc: Array.from({ length: 11 }, () => ANA) }, "cc: must have at most 10 items"),
  refuses({ to: [ANA], subject: "a\nb" }, "subject: must not contain control characters"),
  refuses({ to: [ANA], message: "x".repeat(5_001) }, "message: must have at most 5,000 characters"),
  refuses({ to: [ANA], language: "fr" }, "language: must be one of pt, en"),
  refuses({ to: [ANA], bcc: [ANA] }, "bcc: is not a known field"),
]);

producesItsRefusals("emails");
