/** The check of a webhook's message, against what Lacre sends and against the library of Standard Webhooks. */
import { verifyWebhook } from "lacre/client";
import { openInMemory } from "lacre/testing";
import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import { secretFrom, signedHeaders } from "../../src/core/webhooks/signature.ts";

const AT = new Date("2026-11-21T10:00:00Z");
const now = () => AT.getTime();
const SECRET = secretFrom(Buffer.alloc(32, 7));
const BODY = JSON.stringify({ type: "document.issued", timestamp: AT.toISOString(), data: { position: 17 } });
const HEADERS = signedHeaders({ id: "msg_1", at: AT, body: BODY, secrets: [SECRET] });
const MESSAGE = { secret: SECRET, headers: HEADERS, body: BODY, now };

describe("a message of Lacre", () => {
  test("is its event, whatever holds the headers and the body", async () => {
    const event = JSON.parse(BODY);
    expect(await verifyWebhook(MESSAGE)).toEqual(event);
    expect(await verifyWebhook({ ...MESSAGE, headers: new Headers(HEADERS) })).toEqual(event);
    expect(await verifyWebhook({ ...MESSAGE, body: new TextEncoder().encode(BODY) })).toEqual(event);
  });

  test("is taken while the secret changes: of two signatures one is enough", async () => {
    const secrets = [secretFrom(Buffer.alloc(32, 8)), SECRET];
    const headers = signedHeaders({ id: "msg_1", at: AT, body: BODY, secrets });
    for (const secret of secrets)
      expect((await verifyWebhook({ ...MESSAGE, secret, headers })).type).toBe("document.issued");
  });

  test("arrives: what a deliverer sends is taken", async () => {
    const events: string[] = [];
    const { promise: isTaken, resolve } = Promise.withResolvers<void>();
    let secret = "";
    const { lacre, company } = await openInMemory({
      webhookSender: async ({ headers, body }) => {
        events.push((await verifyWebhook({ secret, headers, body })).type);
        resolve();
        return { outcome: "delivered", status: 204, error: null };
      },
    });
    const stop = new AbortController();
    const delivered = lacre.webhooks.deliver({ signal: stop.signal });
    ({ secret } = await company.webhooks.create({ url: "https://example.com/lacre" }));
    await isTaken;
    stop.abort();
    await delivered;
    await lacre.close();
    expect(events[0]).toBe("webhook.created");
  });

  test("is what the library of Standard Webhooks signs", async () => {
    const headers = {
      "webhook-id": "msg_2",
      "webhook-timestamp": String(AT.getTime() / 1_000),
      "webhook-signature": new Webhook(SECRET).sign("msg_2", AT, BODY),
    };
    expect((await verifyWebhook({ ...MESSAGE, headers })).type).toBe("document.issued");
  });
});

describe("refused with 401 is", () => {
  const other = signedHeaders({ id: "msg_1", at: AT, body: BODY, secrets: [secretFrom(Buffer.alloc(32))] });
  test.each([
    ["another body", { body: `${BODY} ` }],
    ["another id", { headers: { ...HEADERS, "webhook-id": "msg_2" } }],
    ["another time", { headers: { ...HEADERS, "webhook-timestamp": "1795255201" } }],
    ["no headers", { headers: {} }],
    ["the signature of another secret", { headers: other }],
    ["a signature of another version", { headers: { ...HEADERS, "webhook-signature": `v2,${"A".repeat(43)}=` } }],
    ["a signature that is no base64", { headers: { ...HEADERS, "webhook-signature": "v1,%%%" } }],
    [
      "one of thousands",
      { headers: { ...HEADERS, "webhook-signature": `${"v1,x ".repeat(9_999)}${HEADERS["webhook-signature"]}` } },
    ],
    ["a message of five minutes ago", { now: () => AT.getTime() + 301_000 }],
    ["a message from ahead of this clock", { now: () => AT.getTime() - 301_000 }],
    ["a message older than asked for", { now: () => AT.getTime() + 11_000, tolerance_s: 10 }],
  ])("%s", async (_, change) => {
    await expect(verifyWebhook({ ...MESSAGE, ...change })).rejects.toMatchObject({ code: "unauthorized", status: 401 });
  });

  test("but not one at the limit", async () => {
    for (const moved of [300_000, -300_000]) {
      expect((await verifyWebhook({ ...MESSAGE, now: () => AT.getTime() + moved })).type).toBe("document.issued");
    }
  });
});

test.each(["", "whsec_", "plain", undefined as unknown as string])(
  "a secret that is none is a mistake: %o",
  async (secret) => {
    await expect(verifyWebhook({ ...MESSAGE, secret })).rejects.toThrow(TypeError);
  },
);
