/** Webhooks: made, changed and deleted by keys; their secrets, tests and deliveries. */
import type { Webhook, WebhookDelivery, WebhookWithSecret } from "lacre";
import { expect } from "vitest";
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
import { UUID, UUID_V7 } from "../../support/shapes.ts";
import { producesItsRefusals } from "./produced.ts";

const URL_A = "https://example.com/lacre";

apiTest("a new webhook is answered once with its secret, and without it ever after", async (api) => {
  const made = await api.call<WebhookWithSecret>("POST", "/v1/webhooks", { body: { url: URL_A, description: "Loja" } });
  const { secret, ...shown } = made.body;
  expect([made.status, made.headers.get("location")]).toEqual([201, `/v1/webhooks/${shown.id}`]);
  expect(secret).toMatch(/^whsec_/);
  expect(shown).toEqual({
    id: expect.stringMatching(UUID_V7),
    url: URL_A,
    actions: ["*"],
    description: "Loja",
    status: "enabled",
    failing_since: null,
    disabled_reason: null,
    created_at: NOW,
  });
  expect((await api.call("GET", `/v1/webhooks/${shown.id}`)).body).toEqual(shown);
  const list = await api.call("GET", "/v1/webhooks");
  expect(list.body).toEqual({ data: [shown], pagination: { limit: 50, offset: 0, total: 1 } });
  for (const answer of [list, await api.call("GET", "/v1/events?limit=200")]) {
    expect(answer.text).not.toContain(secret.slice("whsec_".length));
  }
});

apiTest("PATCH changes what is sent, stops it and starts it again", async (api) => {
  const { id, url } = await api.webhook();
  const change = async (body: object) => (await api.call<Webhook>("PATCH", `/v1/webhooks/${id}`, { body })).body;
  expect(await change({ actions: ["payment.*"], description: "Caixa" })).toMatchObject({
    url,
    actions: ["payment.*"],
    description: "Caixa",
  });
  expect(await change({ description: null })).toMatchObject({ description: null, actions: ["payment.*"] });
  expect(await change({ url: "https://example.com/moved" })).toMatchObject({ url: "https://example.com/moved" });
  expect(await change({ enabled: false })).toMatchObject({ status: "disabled", disabled_reason: "asked" });
  expect(await change({ enabled: false })).toMatchObject({ status: "disabled" });
  expect(await change({ enabled: true })).toMatchObject({ status: "enabled", disabled_reason: null });
  const changed = (await api.company.events.list({ resource_id: id })).data.filter(
    ({ action }) => action === "webhook.changed",
  );
  expect(changed.map(({ detail }) => detail?.fields)).toContainEqual(["actions", "description"]);
});

apiTest("a new secret is another one, shown once", async (api) => {
  const { id, secret, ...shown } = await api.webhook();
  const rotated = await api.call<WebhookWithSecret>("POST", `/v1/webhooks/${id}/secret`);
  expect([rotated.status, rotated.body]).toEqual([200, { id, ...shown, secret: expect.stringMatching(/^whsec_/) }]);
  expect(rotated.body.secret).not.toBe(secret);
  expect((await api.call("GET", `/v1/webhooks/${id}`)).text).not.toContain("whsec_");
});

apiTest("a test waits to be delivered, is listed, and can be sent again at once", async (api) => {
  const { id } = await api.webhook();
  const tested = await api.call<WebhookDelivery>("POST", `/v1/webhooks/${id}/test`);
  expect([tested.status, tested.body]).toEqual([
    200,
    {
      id: expect.stringMatching(UUID),
      position: expect.any(Number),
      action: "webhook.tested",
      status: "waiting",
      queued_at: NOW,
      next_attempt_at: NOW,
      ended_at: null,
      attempts: [],
    },
  ]);
  const list = await api.call("GET", `/v1/webhooks/${id}/deliveries`);
  expect(list.body).toEqual({ data: [tested.body], pagination: { limit: 50, offset: 0, total: 1 } });
  const none = await api.call<{ data: unknown[] }>("GET", `/v1/webhooks/${id}/deliveries?status=delivered`);
  expect(none.body.data).toEqual([]);
  const again = await api.call("POST", `/v1/webhooks/deliveries/${tested.body.id}/redeliver`);
  expect(again.body).toEqual(tested.body);
});

apiTest("a deleted one is gone, and its address may be used again", async (api) => {
  const { id, url } = await api.webhook();
  expect((await api.call("DELETE", `/v1/webhooks/${id}`)).status).toBe(204);
  for (const [method, path] of [
    ["GET", `/v1/webhooks/${id}`],
    ["PATCH", `/v1/webhooks/${id}`],
    ["DELETE", `/v1/webhooks/${id}`],
    ["POST", `/v1/webhooks/${id}/secret`],
    ["POST", `/v1/webhooks/${id}/test`],
    ["GET", `/v1/webhooks/${id}/deliveries`],
    ["POST", `/v1/webhooks/deliveries/${UNKNOWN_ID}/redeliver`],
  ] as const) {
    const sent = method === "PATCH" ? { body: { enabled: true } } : {};
    expectRefusal(await api.call(method, path, sent), "not_found");
  }
  expect((await api.call("POST", "/v1/webhooks", { body: { url } })).status).toBe(201);
});

apiTest("webhooks:read only looks, and webhooks:write does not read", async (api) => {
  const { id } = await api.webhook();
  const [reader, writer] = [await api.keyWith("webhooks:read"), await api.keyWith("webhooks:write")];
  expect((await api.call("GET", `/v1/webhooks/${id}`, { key: reader })).status).toBe(200);
  const body = { url: "https://example.com/other" };
  expectRefusal(await api.call("POST", "/v1/webhooks", { key: reader, body }), "forbidden", "webhooks:write");
  expect((await api.call("POST", "/v1/webhooks", { key: writer, body })).status).toBe(201);
  expectRefusal(await api.call("GET", "/v1/webhooks", { key: writer }), "forbidden", "webhooks:read");
});

apiTest("what the state forbids is 409: a second one to an address, a test of one that is stopped", async (api) => {
  const { id, url } = await api.webhook();
  const other = await api.webhook();
  expectRefusal(await api.call("POST", "/v1/webhooks", { body: { url } }), "conflict", "already a webhook");
  expectRefusal(await api.call("PATCH", `/v1/webhooks/${other.id}`, { body: { url } }), "conflict");
  const tested = await api.call<WebhookDelivery>("POST", `/v1/webhooks/${id}/test`);
  await api.call("PATCH", `/v1/webhooks/${id}`, { body: { enabled: false } });
  expectRefusal(await api.call("POST", `/v1/webhooks/${id}/test`), "invalid_state", "enable it first");
  const again = await api.call("POST", `/v1/webhooks/deliveries/${tested.body.id}/redeliver`);
  expectRefusal(again, "invalid_state", "enable it first");
  for (let i = 2; i < 20; i++) await api.webhook();
  const one_more = await api.call("POST", "/v1/webhooks", { body: { url: URL_A } });
  expectRefusal(one_more, "invalid_state", "at most 20");
});

const refuses = (body: object, says: string): Scenario<undefined> => ({
  name: `refuses ${JSON.stringify(body)}`,
  request: "POST /v1/webhooks",
  body: { url: URL_A, ...body },
  status: 400,
  code: "invalid_request",
  says,
});

scenarios("POST /v1/webhooks", nothing, [
  ...[
    "",
    "x",
    "http://example.com/",
    "ftp://example.com/",
    "https://127.0.0.1/",
    "https://2130706433/",
    "https://[::1]/",
    "https://localhost/",
    "https://me:pw@example.com/",
    `https://example.com/${"x".repeat(2_000)}`,
  ].map((url) => refuses({ url }, "url: ")),
  refuses({ url: null }, "url: must be a string"),
  refuses({ actions: [] }, "actions: "),
  refuses({ actions: ["documents.*"] }, "actions[0]: must be *, document.*, document.issued"),
  refuses({ actions: ["*", 1] }, "actions[1]: "),
  refuses({ actions: "*" }, "actions: must be a list"),
  refuses({ description: "x".repeat(201) }, "description: "),
  refuses({ enabled: true }, "enabled: is not a known field"),
  refuses({ secret: "whsec_x" }, "secret: is not a known field"),
]);

scenarios("GET /v1/webhooks/{id}/deliveries", async (api: Api) => api.webhook(), [
  {
    name: "refuses a state that is none",
    request: ({ id }) => `GET /v1/webhooks/${id}/deliveries?status=lost`,
    status: 400,
    code: "invalid_request",
    says: "status",
  },
]);

producesItsRefusals("webhooks");
