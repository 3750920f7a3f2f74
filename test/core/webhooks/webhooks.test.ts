import { Webhook as Verifier } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import { wants } from "../../../src/core/webhooks/outbox.ts";
import { DATABASES } from "../../support/databases.ts";
import { DRIVERS, NOW, UNKNOWN_ID } from "../../support/drivers.ts";
import { aDraft, anInvoice, aPayment, invoiceInput } from "../../support/factories.ts";
import { aCompany, anInstance, anInstanceInHand, type Home, type Instance } from "../../support/instance.ts";
import { expectRefusal } from "../../support/refusals.ts";

const URL_A = "https://example.com/a";

const aWebhook = ({ company }: Pick<Home, "company">, fields: { actions?: string[]; url?: string } = {}) =>
  company.webhooks.create({ url: URL_A, ...fields });

/** Takes what is due, as a deliverer does. */
const take = ({ company }: Pick<Home, "company">, id: string, most = 100) => company.webhooks.take({ id, most });

type Taken = Awaited<ReturnType<typeof take>>[number];

const actionsOf = (messages: readonly Taken[]) => messages.map(({ action }) => action);

/** Settles a message as delivered, or as failed with a status. */
function settle({ company }: Pick<Home, "company">, id: string, { delivery_id, attempt }: Taken, status = 204) {
  const outcome = status < 300 ? ("delivered" as const) : status === 410 ? ("gone" as const) : ("failed" as const);
  return company.webhooks.settle({ id, delivery_id, attempt, outcome, status, error: null, duration_ms: 12 });
}

/** Every delivery of a webhook, oldest first, as its action and its state. */
async function logOf({ company }: Pick<Home, "company">, id: string): Promise<string[]> {
  const { data } = await company.webhooks.listDeliveries({ id, limit: 200 });
  return data.map(({ action, status }) => `${action} ${status}`).reverse();
}

/** Takes and settles as delivered all there is. */
async function drain(instance: Instance, id: string): Promise<void> {
  for (let taken = await take(instance, id); taken.length > 0; taken = await take(instance, id)) {
    for (const message of taken) await settle(instance, id, message);
  }
}

const HOUR = 3_600_000;

describe.each(DATABASES)("webhooks over $name", (driver) => {
  test("a new one shows its secret once, gets every event, and is in the record without its path", async () => {
    const instance = await anInstance(driver);
    const { company } = instance;
    const { secret, ...shown } = await company.webhooks.create({ url: "https://example.com/hook?token=s3" });
    expect(shown).toEqual({
      id: expect.any(String),
      url: "https://example.com/hook?token=s3",
      actions: ["*"],
      description: null,
      status: "enabled",
      failing_since: null,
      disabled_reason: null,
      created_at: NOW,
    });
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(Buffer.from(secret.slice(6), "base64")).toHaveLength(32);
    expect(await company.webhooks.get({ id: shown.id })).toEqual(shown);
    expect((await company.webhooks.list()).data).toEqual([shown]);
    const { data } = await company.events.list({ resource_id: shown.id });
    expect(data).toMatchObject([{ action: "webhook.created", detail: { url: "https://example.com" } }]);
    expect(JSON.stringify(data)).not.toContain(secret.slice(6));
  });

  test("it asks for actions by name, by kind, or for all; what names no action is refused", async () => {
    const instance = await anInstance(driver);
    const { company } = instance;
    for (const actions of [["document.*", "payment.recorded"], ["*"], ["document.issued"]]) {
      const { id } = await aWebhook(instance, { actions });
      expect(await company.webhooks.get({ id })).toMatchObject({ actions });
      await company.webhooks.delete({ id });
    }
    const twice = await aWebhook(instance, { actions: ["document.*", "document.*"] });
    expect(twice.actions).toEqual(["document.*"]);
    for (const action of ["documents.*", "document", "document.issue", "doc*", "", "* *", "document.*.x"]) {
      const wrong = company.webhooks.create({ url: "https://example.com/b", actions: [action] });
      await expectRefusal(wrong, "invalid_request", "actions[0]");
    }
    await expectRefusal(company.webhooks.create({ url: "https://example.com/b", actions: [] }), "invalid_request");
    expect(wants("document.* payment.recorded", "document.issued")).toBe(true);
    expect(wants("document.* payment.recorded", "payment.voided")).toBe(false);
    expect(wants("document.*", "documents.issued")).toBe(false);
  });

  test("an internal address, a second webhook to the same address, and a twenty-first are refused", async () => {
    const instance = await anInstance(driver);
    const { company } = instance;
    const create = (url: string) => company.webhooks.create({ url });
    await expectRefusal(create("http://example.com/"), "invalid_request", "url: must begin with https://");
    await expectRefusal(create("https://127.0.0.1/"), "invalid_request", "url: must be a public address");
    await expectRefusal(create("https://localhost/"), "invalid_request", "url: must be a public address");
    await expectRefusal(create("nonsense"), "invalid_request", "url: must be the address of a web server");
    const { id } = await create("https://example.com");
    await expectRefusal(create("https://EXAMPLE.com/"), "conflict", "already a webhook");
    for (let i = 1; i < 20; i++) await create(`https://example.com/${i}`);
    await expectRefusal(create("https://example.com/20"), "invalid_state", "at most 20");
    await expectRefusal(company.webhooks.change({ id, url: "https://example.com/1" }), "conflict");
    await expectRefusal(company.webhooks.change({ id, url: "https://10.0.0.1/" }), "invalid_request", "url");
    expect(await company.webhooks.change({ id, url: "https://example.com" })).toMatchObject({ id });
  });

  test("without a webhook nothing is queued; with one, only what it asks for", async () => {
    const instance = await anInstance(driver);
    await anInvoice(instance);
    const { id } = await aWebhook(instance, { actions: ["document.issued"] });
    expect(await logOf(instance, id)).toEqual([]);
    const invoice = await anInvoice(instance);
    await aDraft(instance);
    const messages = await take(instance, id);
    expect(messages.map(({ body }) => JSON.parse(body))).toEqual([
      {
        type: "document.issued",
        timestamp: NOW,
        data: (await instance.company.events.read({ limit: 200 })).data.find(
          ({ resource_id, action }) => resource_id === invoice.id && action === "document.issued",
        ),
      },
    ]);
    expect(await logOf(instance, id)).toEqual(["document.issued waiting"]);
  });

  test("an event and its delivery commit together: a refused or undone event is never sent", async () => {
    const instance = await anInstance(driver);
    const { company } = instance;
    const { id } = await aWebhook(instance, { actions: ["document.*"] });
    const input = await invoiceInput(instance, { issue: true, customer_id: UNKNOWN_ID });
    await expectRefusal(company.documents.create(input), "invalid_request");
    const issued = await anInvoice(instance);
    await expectRefusal(company.documents.issue({ id: issued.id }), "invalid_state");
    expect(await logOf(instance, id)).toEqual(["document.issued waiting"]);
  });

  test("another company's events, webhooks and deliveries are its own", async () => {
    const instance = await anInstance(driver);
    const other = await aCompany(instance.lacre);
    const { id } = await aWebhook(instance);
    await anInvoice(other);
    expect(await logOf(instance, id)).toEqual(["webhook.created waiting"]);
    const [delivery] = (await instance.company.webhooks.listDeliveries({ id })).data;
    await expectRefusal(other.company.webhooks.get({ id }), "not_found");
    await expectRefusal(other.company.webhooks.change({ id, enabled: false }), "not_found");
    await expectRefusal(other.company.webhooks.delete({ id }), "not_found");
    await expectRefusal(other.company.webhooks.rotateSecret({ id }), "not_found");
    await expectRefusal(other.company.webhooks.test({ id }), "not_found");
    await expectRefusal(other.company.webhooks.listDeliveries({ id }), "not_found");
    await expectRefusal(other.company.webhooks.redeliver({ id: delivery?.id as string }), "not_found");
    await expectRefusal(take(other, id), "not_found");
    expect(await aWebhook(other)).toMatchObject({ url: URL_A });
  });
});

describe.each(DATABASES)("the signature over $name", (driver) => {
  /** The verifier of Standard Webhooks, whose clock stands where the test's stands. */
  const verify = (secret: string, { headers, body }: Pick<Taken, "headers" | "body">, at = NOW) => {
    const { Date: real } = globalThis;
    try {
      globalThis.Date = class extends real {
        static override now = () => new real(at).getTime();
      } as DateConstructor;
      return new Verifier(secret).verify(body, headers as Record<string, string>);
    } finally {
      globalThis.Date = real;
    }
  };

  test("is accepted by the reference implementation, which refuses an old one and a changed body", async () => {
    const instance = await anInstance(driver);
    const { id, secret } = await aWebhook(instance);
    const [message] = (await take(instance, id)) as [Taken];
    expect(verify(secret, message)).toMatchObject({ type: "webhook.created" });
    expect(message.headers["webhook-id"]).toBe(message.delivery_id);
    expect(message.headers["webhook-timestamp"]).toBe(String(new Date(NOW).getTime() / 1_000).split(".")[0]);
    const late = new Date(new Date(NOW).getTime() + 6 * 60_000).toISOString();
    expect(() => verify(secret, message, late)).toThrow(/timestamp/);
    expect(() => verify(secret, { ...message, body: message.body.replace("K", "k").replace("H1", "H2") })).toThrow();
    const { secret: other } = await aWebhook(instance, { url: "https://example.com/b" });
    expect(() => verify(other, message)).toThrow(/signature/);
    const renamed = { ...message.headers, "webhook-id": UNKNOWN_ID };
    expect(() => verify(secret, { ...message, headers: renamed })).toThrow(/signature/);
  });

  test("after a rotation both secrets sign for a day, then the new one alone", async () => {
    const instance = await anInstance(driver);
    const { company } = instance;
    const { id, secret: before } = await aWebhook(instance);
    const { secret: after, ...shown } = await company.webhooks.rotateSecret({ id });
    expect(after).not.toBe(before);
    expect(shown).toEqual(await company.webhooks.get({ id }));
    const [during] = (await take(instance, id)) as [Taken];
    for (const secret of [before, after]) expect(verify(secret, during)).toMatchObject({ type: "webhook.created" });
    await settle(instance, id, during);
    instance.wait(24 * HOUR);
    const at = new Date(new Date(NOW).getTime() + 24 * HOUR).toISOString();
    const [later] = (await take(instance, id)) as [Taken];
    expect(verify(after, later, at)).toMatchObject({ type: "webhook.secret_rotated" });
    expect(() => verify(before, later, at)).toThrow(/signature/);
  });
});

describe.each(DATABASES)("deliveries over $name", (driver) => {
  test("a later event of a document, its payments too, waits for the one before; other documents do not", async () => {
    const instance = await anInstance(driver);
    const { company } = instance;
    const { id } = await aWebhook(instance, { actions: ["document.*", "payment.*"] });
    const draft = await aDraft(instance);
    const issued = await company.documents.issue({ id: draft.id });
    const payment = await aPayment(instance, issued, 1);
    await company.payments.void({ id: payment.id });
    await anInvoice(instance);
    const first = await take(instance, id);
    expect(actionsOf(first)).toEqual(["document.drafted", "document.issued"]);
    const about = (message: Taken) => JSON.parse(message.body).data.resource_id;
    expect(about(first[0] as Taken)).toBe(draft.id);
    expect(about(first[1] as Taken)).not.toBe(draft.id);
    await settle(instance, id, first[1] as Taken);
    expect(await take(instance, id)).toEqual([]);
    const rest: Taken[] = [];
    for (let next: Taken | undefined = first[0]; next; [next] = await take(instance, id)) {
      rest.push(next);
      await settle(instance, id, next);
    }
    expect(actionsOf(rest)).toEqual(["document.drafted", "document.issued", "payment.recorded", "payment.voided"]);
  });

  test("a message belongs to whoever took it for half a minute, then it is taken again, under the same id", async () => {
    const instance = await anInstance(driver);
    const { id } = await aWebhook(instance);
    const [first] = (await take(instance, id)) as [Taken];
    expect(await take(instance, id)).toEqual([]);
    expect(await instance.lacre.webhooks.due()).toEqual([]);
    instance.wait(29_999);
    expect(await take(instance, id)).toEqual([]);
    instance.wait(1);
    const [second] = (await take(instance, id)) as [Taken];
    expect([second.delivery_id, second.attempt, second.body]).toEqual([first.delivery_id, 2, first.body]);
    expect(second.headers["webhook-id"]).toBe(first.headers["webhook-id"]);
    expect(await settle(instance, id, first)).toEqual({ settled: false, next_attempt_at: null });
    expect(await logOf(instance, id)).toEqual(["webhook.created waiting"]);
    expect(await settle(instance, id, second)).toEqual({ settled: true, next_attempt_at: null });
    expect(await settle(instance, id, second)).toEqual({ settled: false, next_attempt_at: null });
    expect(await logOf(instance, id)).toEqual(["webhook.created delivered"]);
  });

  test("messages that nobody has taken for seven days are given up, oldest first, as more are queued; the rest stay", async () => {
    const instance = await anInstance(driver);
    const { company } = instance;
    const { id } = await aWebhook(instance, { actions: ["document.*", "payment.*"] });
    const first = await anInvoice(instance);
    await aPayment(instance, first, 1);
    await aDraft(instance);
    instance.wait(7 * 24 * HOUR - 1);
    await aDraft(instance);
    expect(new Set((await logOf(instance, id)).map((line) => line.split(" ")[1]))).toEqual(new Set(["waiting"]));
    instance.wait(1);
    await aDraft(instance);
    const old = ["document.issued", "payment.recorded", "document.drafted"];
    const log = await logOf(instance, id);
    expect(log).toEqual([
      ...old.map((action) => `${action} given_up`),
      "document.drafted waiting",
      "document.drafted waiting",
    ]);
    const { data } = await company.webhooks.listDeliveries({ id, status: "given_up" });
    expect(data[0]).toMatchObject({
      attempts: [],
      next_attempt_at: null,
      ended_at: instance.lacre.now().toISOString(),
    });
    expect(actionsOf(await take(instance, id))).toEqual(["document.drafted", "document.drafted"]);
    expect(await company.webhooks.redeliver({ id: data[0]?.id as string })).toMatchObject({ status: "waiting" });
    expect(await company.series.verify()).toMatchObject({ whole: true, findings: [] });
  });

  test("two that take at the same moment never get the same message", async () => {
    const instance = await anInstance(driver);
    const { id } = await aWebhook(instance, { actions: ["document.issued"] });
    for (let i = 0; i < 10; i++) await anInvoice(instance);
    const taken = (await Promise.all(Array.from({ length: 8 }, () => take(instance, id, 3)))).flat();
    expect(taken).toHaveLength(10);
    expect(new Set(taken.map(({ delivery_id }) => delivery_id)).size).toBe(10);
  });

  test("a failing message is tried again later and later for three days, then given up; the one behind it goes", async () => {
    const instance = await anInstance(driver);
    const { company } = instance;
    const { id } = await aWebhook(instance, { actions: ["document.*"] });
    const draft = await aDraft(instance);
    await company.documents.issue({ id: draft.id });
    const began = new Date(NOW).getTime();
    let at = began;
    const tried: number[] = [];
    for (;;) {
      const [message] = await take(instance, id);
      if (message?.action !== "document.drafted") break;
      tried.push(at - began);
      const { next_attempt_at } = await settle(instance, id, message, 500);
      if (next_attempt_at === null) continue;
      at = new Date(next_attempt_at).getTime();
      instance.travel(new Date(at - 1).toISOString());
      expect(await take(instance, id)).toEqual([]);
      instance.travel(new Date(at).toISOString());
    }
    expect(tried).toHaveLength(10);
    expect(tried[1]).toBeLessThan(6_000);
    expect((tried[9] as number) / HOUR).toBeGreaterThan(75);
    expect((tried[9] as number) / HOUR).toBeLessThan(84);
    expect(await logOf(instance, id)).toEqual(["document.drafted given_up", "document.issued waiting"]);
    const { data } = await company.webhooks.listDeliveries({ id, status: "given_up" });
    expect(data[0]?.attempts).toHaveLength(10);
    expect(data[0]?.attempts[0]).toMatchObject({ status: 500, error: null, duration_ms: 12 });
    expect(await company.webhooks.get({ id })).toMatchObject({ status: "failing", failing_since: NOW });
  });

  test("a success ends failing; days without one disable it, with an event; enabling it sends what waits", async () => {
    const instance = await anInstance(driver);
    const { company } = instance;
    const { id } = await aWebhook(instance, { actions: ["document.issued"] });
    const other = await aWebhook(instance, { url: "https://example.com/b", actions: ["webhook.*"] });
    await anInvoice(instance);
    await settle(instance, id, (await take(instance, id))[0] as Taken, 500);
    expect(await company.webhooks.get({ id })).toMatchObject({ status: "failing" });
    instance.wait(HOUR);
    await settle(instance, id, (await take(instance, id))[0] as Taken);
    expect(await company.webhooks.get({ id })).toMatchObject({ status: "enabled", failing_since: null });

    // A second document fails two days after the first: when it is given up, it has failed for five days.
    await anInvoice(instance);
    await failOn(instance, id, 48);
    await anInvoice(instance);
    await failOn(instance, id, 24 * 6);
    const webhook = await company.webhooks.get({ id });
    expect(webhook).toMatchObject({ status: "disabled", disabled_reason: "failing" });
    expect(await take(instance, id)).toEqual([]);
    expect(await logOf(instance, other.id)).toContain("webhook.disabled waiting");
    const waits = await anInvoice(instance);
    expect(JSON.stringify(await company.webhooks.listDeliveries({ id }))).not.toContain(waits.id);
    await expectRefusal(company.webhooks.test({ id }), "invalid_state", "enable it first");
    expect(await company.webhooks.change({ id, enabled: true })).toMatchObject({ status: "enabled" });
    await anInvoice(instance);
    await drain(instance, id);
    expect((await logOf(instance, id)).at(-1)).toBe("document.issued delivered");
    expect(await instance.company.series.verify()).toMatchObject({ whole: true, findings: [] });
  });

  /** Lets every attempt of the next hours fail. */
  async function failOn(instance: Instance, id: string, hours: number): Promise<void> {
    for (let i = 0; i < hours; i++) {
      for (const message of await take(instance, id)) await settle(instance, id, message, 503);
      instance.wait(HOUR);
    }
  }

  test("410 Gone disables it at once, and a receiver may ask to be left alone for a while", async () => {
    const instance = await anInstance(driver);
    const { company } = instance;
    const { id } = await aWebhook(instance);
    const [message] = (await take(instance, id)) as [Taken];
    const { delivery_id, attempt } = message;
    const busy = { id, delivery_id, attempt, outcome: "failed", status: 429, error: null, duration_ms: 1 } as const;
    const { next_attempt_at } = await company.webhooks.settle({ ...busy, retry_after_s: 120 });
    expect(next_attempt_at).toBe(new Date(new Date(NOW).getTime() + 120_000).toISOString());
    instance.wait(120_000);
    await settle(instance, id, (await take(instance, id))[0] as Taken, 410);
    expect(await company.webhooks.get({ id })).toMatchObject({ status: "disabled", disabled_reason: "gone" });
    expect(await instance.lacre.webhooks.due()).toEqual([]);
    const [event] = (await company.events.list({ limit: 1 })).data;
    expect(event).toMatchObject({ action: "webhook.disabled", resource_id: id, detail: { reason: "gone" } });
  });

  test("one that is stopped gets nothing meanwhile, and keeps its waiting messages", async () => {
    const instance = await anInstance(driver);
    const { company } = instance;
    const { id } = await aWebhook(instance, { actions: ["document.issued"] });
    await anInvoice(instance);
    expect(await company.webhooks.change({ id, enabled: false })).toMatchObject({
      status: "disabled",
      disabled_reason: "asked",
    });
    await anInvoice(instance);
    expect(await instance.lacre.webhooks.due()).toEqual([]);
    expect(await take(instance, id)).toEqual([]);
    await company.webhooks.change({ id, enabled: true });
    expect(await instance.lacre.webhooks.due()).toEqual([{ id, company_id: instance.company_id, failing: false }]);
    expect(await logOf(instance, id)).toEqual(["document.issued waiting"]);
  });

  test("a deleted one disappears with its waiting messages, and its address is free", async () => {
    const instance = await anInstance(driver);
    const { company } = instance;
    const { id } = await aWebhook(instance);
    const [message] = (await take(instance, id)) as [Taken];
    await company.webhooks.delete({ id });
    await expectRefusal(company.webhooks.get({ id }), "not_found", "no such webhook");
    await expectRefusal(company.webhooks.delete({ id }), "not_found");
    await expectRefusal(settle(instance, id, message), "not_found");
    expect(await instance.lacre.webhooks.due()).toEqual([]);
    expect(await aWebhook(instance)).toMatchObject({ url: URL_A });
    expect(await company.series.verify()).toMatchObject({ whole: true, findings: [] });
  });

  test("a test reaches the webhook whatever it asks for, and is an event like any other", async () => {
    const instance = await anInstance(driver);
    const { company } = instance;
    const { id } = await aWebhook(instance, { actions: ["document.issued"] });
    const other = await aWebhook(instance, { url: "https://example.com/b", actions: ["document.issued"] });
    const delivery = await company.webhooks.test({ id });
    expect(delivery).toMatchObject({ action: "webhook.tested", status: "waiting", attempts: [] });
    const [message] = (await take(instance, id)) as [Taken];
    expect(message.delivery_id).toBe(delivery.id);
    expect((await company.events.read({ after: delivery.position - 1 })).data).toEqual([JSON.parse(message.body).data]);
    expect(await logOf(instance, other.id)).toEqual([]);
  });

  test("one delivery is sent again under its id, however it ended; one that waits behind another is refused", async () => {
    const instance = await anInstance(driver);
    const { company } = instance;
    const { id } = await aWebhook(instance, { actions: ["document.*"] });
    const draft = await aDraft(instance);
    await company.documents.issue({ id: draft.id });
    const [behind] = (await company.webhooks.listDeliveries({ id, limit: 1 })).data;
    expect(behind).toMatchObject({ action: "document.issued", next_attempt_at: null });
    await expectRefusal(company.webhooks.redeliver({ id: behind?.id as string }), "invalid_state", "earlier event");
    const [message] = (await take(instance, id)) as [Taken];
    await settle(instance, id, message, 500);
    expect(await take(instance, id)).toEqual([]);
    const now = await company.webhooks.redeliver({ id: message.delivery_id });
    expect(now).toMatchObject({ status: "waiting", attempts: [{ status: 500 }] });
    await drain(instance, id);
    const again = await company.webhooks.redeliver({ id: message.delivery_id });
    expect(again).toMatchObject({ status: "waiting", ended_at: null });
    const [repeat] = (await take(instance, id)) as [Taken];
    expect([repeat.delivery_id, repeat.body]).toEqual([message.delivery_id, message.body]);
    await settle(instance, id, repeat);
    expect(await logOf(instance, id)).toEqual(["document.drafted delivered", "document.issued delivered"]);
    await expectRefusal(company.webhooks.redeliver({ id: UNKNOWN_ID }), "not_found", "no such delivery");
    await company.webhooks.change({ id, enabled: false });
    await expectRefusal(company.webhooks.redeliver({ id: message.delivery_id }), "invalid_state", "enable it first");
  });

  test("the log keeps thirty days, and is read in pages and by state", async () => {
    const instance = await anInstance(driver);
    const { company } = instance;
    const { id } = await aWebhook(instance, { actions: ["document.issued"] });
    for (let i = 0; i < 6; i++) await anInvoice(instance);
    await drain(instance, id);
    const page = await company.webhooks.listDeliveries({ id, limit: 2, offset: 1 });
    expect(page.pagination).toEqual({ limit: 2, offset: 1, total: 6 });
    expect(page.data[0]?.position).toBeGreaterThan(page.data[1]?.position as number);
    expect((await company.webhooks.listDeliveries({ id, status: "waiting" })).pagination.total).toBe(0);
    expect((await company.webhooks.listDeliveries({ id, status: "delivered" })).pagination.total).toBe(6);
    instance.wait(30 * 24 * HOUR + 1);
    await anInvoice(instance, { issue_date: "2026-12-21" });
    await anInvoice(instance, { issue_date: "2026-12-21" });
    await drain(instance, id);
    expect(await logOf(instance, id)).toEqual(["document.issued delivered", "document.issued delivered"]);
  });
});

describe.each(DRIVERS)("the rows of webhooks over $name", (driver) => {
  test("an event that no webhook wants adds no row, and rows of deliveries that ended a month ago are deleted", async () => {
    const instance = await anInstanceInHand(driver);
    const count = (table: string) => instance.raw.prepare(`select count(*) as n from ${table}`).all([]);
    await anInvoice(instance);
    expect(count("deliveries")).toEqual([{ n: 0 }]);
    const { id } = await aWebhook(instance, { actions: ["document.issued"] });
    for (let i = 0; i < 4; i++) await anInvoice(instance);
    await drain(instance, id);
    expect(count("delivery_attempts")).toEqual([{ n: 4 }]);
    instance.wait(30 * 24 * HOUR + 1);
    await anInvoice(instance);
    await drain(instance, id);
    expect([count("deliveries"), count("delivery_attempts")]).toEqual([[{ n: 1 }], [{ n: 1 }]]);
  });

  test("a deleted webhook leaves no secret behind", async () => {
    const instance = await anInstanceInHand(driver);
    const { id } = await aWebhook(instance);
    await instance.company.webhooks.rotateSecret({ id });
    await instance.company.webhooks.delete({ id });
    const rows = instance.raw.prepare("select secret, previous_secret from webhooks").all([]);
    expect(rows).toEqual([{ secret: null, previous_secret: null }]);
  });
});
