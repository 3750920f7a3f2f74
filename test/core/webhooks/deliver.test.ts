import { type LogEntry, openLacre } from "lacre";
import { describe, expect, test } from "vitest";
import { DATABASES } from "../../support/databases.ts";
import { aDraft, anInvoice, aPayment } from "../../support/factories.ts";
import { aCompany, aFile, anInstallation, anInstance } from "../../support/instance.ts";
import { until } from "../../support/until.ts";
import { aReceiver, DELIVERED, delivering, FAILED, GONE, hasty } from "../../support/webhooks.ts";

const URL_A = "https://example.com/a";
const URL_B = "https://example.com/b";

describe.each(DATABASES)("delivering over $name", (driver) => {
  test("events are sent, and each document's come in order", async () => {
    const receiver = aReceiver();
    const instance = await anInstance(driver, { webhookSender: receiver.send, timer: hasty });
    const { company, lacre } = instance;
    await company.webhooks.create({ url: URL_A, actions: ["document.*", "payment.*"] });
    delivering(lacre);
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) {
      const { id } = await aDraft(instance);
      await company.documents.issue({ id });
      await aPayment(instance, { id }, 1);
      ids.push(id);
    }
    await until(() => receiver.messages.length === 15);
    for (const id of ids) {
      const own = receiver.told().filter(({ data }) => [data.resource_id, data.detail?.document_id].includes(id));
      expect(own.map(({ type }) => type)).toEqual(["document.drafted", "document.issued", "payment.recorded"]);
    }
    const headers = receiver.messages.map(({ headers }) => headers["webhook-id"]);
    expect(new Set(headers).size).toBe(15);
    await until(async () => (await lacre.webhooks.due()).length === 0);
  });

  test("a receiver that hangs holds up nobody else, and gets four messages at once at most", async () => {
    const receiver = aReceiver();
    const instance = await anInstance(driver, { webhookSender: receiver.send, timer: hasty });
    const { company, lacre } = instance;
    await company.webhooks.create({ url: URL_A, actions: ["document.issued"] });
    await company.webhooks.create({ url: URL_B, actions: ["document.issued"] });
    const hanging = Promise.withResolvers<typeof DELIVERED>();
    receiver.answer = ({ url }) => (url === URL_A ? hanging.promise : DELIVERED);
    delivering(lacre);
    for (let i = 0; i < 9; i++) await anInvoice(instance);
    const to = (url: string) => receiver.messages.filter((message) => message.url === url).length;
    await until(() => to(URL_B) === 9);
    expect(to(URL_A)).toBe(4);
    hanging.resolve(DELIVERED);
    await until(() => to(URL_A) === 9);
  });

  test("a failed message is sent again when it is due; a receiver that fails gets one message at a time", async () => {
    const receiver = aReceiver();
    const instance = await anInstance(driver, { webhookSender: receiver.send, timer: hasty });
    const { company, lacre } = instance;
    const { id } = await company.webhooks.create({ url: URL_A, actions: ["document.issued"] });
    receiver.answer = () => FAILED;
    delivering(lacre);
    await anInvoice(instance);
    await until(async () => (await company.webhooks.get({ id })).status === "failing");
    let underWay = 0;
    let most = 0;
    receiver.answer = async () => {
      most = Math.max(most, ++underWay);
      await new Promise((resolve) => setTimeout(resolve, 20));
      underWay--;
      return FAILED;
    };
    for (let i = 0; i < 5; i++) await anInvoice(instance);
    const attempts = async () => (await company.webhooks.listDeliveries({ id })).data.flatMap((one) => one.attempts);
    await until(async () => (await attempts()).length === 6);
    expect(most).toBe(1);
    receiver.answer = () => DELIVERED;
    instance.wait(10_000);
    await until(async () => (await company.webhooks.listDeliveries({ id, status: "delivered" })).data.length === 6);
    expect(receiver.messages).toHaveLength(12);
    expect(await company.webhooks.get({ id })).toMatchObject({ status: "enabled" });
  });

  test("410 stops it, and a sender that throws counts as a failure, under its code", async () => {
    const receiver = aReceiver();
    const log: LogEntry[] = [];
    const options = { webhookSender: receiver.send, timer: hasty, log: (entry: LogEntry) => void log.push(entry) };
    const instance = await anInstance(driver, options);
    const { company, lacre } = instance;
    const { id } = await company.webhooks.create({ url: URL_A, actions: ["document.issued"] });
    receiver.answer = () => Promise.reject(Object.assign(new Error("no"), { code: "ECONNREFUSED" }));
    delivering(lacre);
    await anInvoice(instance);
    const attempts = async () => (await company.webhooks.listDeliveries({ id })).data.flatMap((one) => one.attempts);
    await until(async () => (await attempts()).length === 1);
    expect(await attempts()).toMatchObject([{ status: null, error: "ECONNREFUSED" }]);
    receiver.answer = () => GONE;
    await anInvoice(instance);
    await until(async () => (await company.webhooks.get({ id })).disabled_reason === "gone");
    await anInvoice(instance);
    expect(receiver.messages).toHaveLength(2);
    const logged = log.filter(({ event }) => event === "webhook");
    expect(logged).toMatchObject([
      { level: "warn", webhook_id: id, outcome: "failed", error: "ECONNREFUSED", attempt: 1 },
      { level: "warn", webhook_id: id, outcome: "gone", status: 410 },
    ]);
    expect(JSON.stringify(log)).not.toContain(URL_A);
  });

  test("nothing but what is asked of a sender is taken: what else it answers keeps nothing from being settled", async () => {
    const receiver = aReceiver();
    const instance = await anInstance(driver, { webhookSender: receiver.send, timer: hasty });
    const { company, lacre } = instance;
    const { id } = await company.webhooks.create({ url: URL_A, actions: ["document.issued"] });
    const answers = [
      { outcome: "ok", status: 200, error: null },
      { ...FAILED, error: "x".repeat(5_000), retry_after_s: 0.5 },
      { ...DELIVERED, body: "{}", attempt: 9 },
    ];
    receiver.answer = () => answers.shift() as never;
    delivering(lacre);
    await anInvoice(instance);
    const attempts = async () => (await company.webhooks.listDeliveries({ id })).data.flatMap((one) => one.attempts);
    for (const count of [1, 2]) {
      await until(async () => (await attempts()).length === count);
      instance.wait(3_600_000);
    }
    await until(async () => (await company.webhooks.listDeliveries({ id, status: "delivered" })).data.length === 1);
    expect(await attempts()).toMatchObject([{ status: 204 }, { error: "x".repeat(1_000) }, { status: 200 }]);
    expect(receiver.messages).toHaveLength(3);
  });

  test("messages under way when it ended are sent again by the next one, and nothing else twice", async () => {
    const file = aFile();
    const receiver = aReceiver();
    const first = await anInstance(driver, { file, webhookSender: receiver.send, timer: hasty });
    await first.company.webhooks.create({ url: URL_A, actions: ["document.issued"] });
    const [done, cut] = [await anInvoice(first), await anInvoice(first)];
    const about = (body: string) => JSON.parse(body).data.resource_id;
    receiver.answer = ({ body }) => (about(body) === cut.id ? new Promise(() => {}) : DELIVERED);
    const stop = new AbortController();
    const ended = first.lacre.webhooks.deliver({ signal: stop.signal });
    await until(() => receiver.messages.length === 2);
    await until(async () => (await first.lacre.webhooks.due()).length === 0);
    stop.abort();
    await ended;
    await first.lacre.close();

    receiver.answer = () => DELIVERED;
    const later = new Date("2026-11-21T11:00:00Z");
    const again = await openLacre({
      dialect: driver.dialect(file),
      now: () => later,
      webhookSender: receiver.send,
      timer: hasty,
    });
    try {
      const both = again.webhooks.deliver();
      await until(() => receiver.messages.length === 3);
      const { data } = await again.as(first.company_id).webhooks.list();
      const [webhook] = data;
      await until(async () => {
        const log = await again.as(first.company_id).webhooks.listDeliveries({ id: webhook?.id as string });
        return log.data.every(({ status }) => status === "delivered");
      });
      await again.close();
      await both;
    } finally {
      await again.close();
    }
    const sent = receiver.messages.map(({ body }) => about(body));
    expect(sent.filter((id) => id === done.id)).toHaveLength(1);
    expect(sent.filter((id) => id === cut.id)).toHaveLength(2);
    const ids = receiver.messages.filter(({ body }) => about(body) === cut.id).map((one) => one.headers["webhook-id"]);
    expect(new Set(ids).size).toBe(1);
  });

  test("two deliverers on one database send each message once", async () => {
    const receiver = aReceiver();
    const instance = await anInstance(driver, { webhookSender: receiver.send, timer: hasty });
    const { company, lacre } = instance;
    await company.webhooks.create({ url: URL_A, actions: ["document.issued"] });
    delivering(lacre);
    delivering(lacre);
    for (let i = 0; i < 20; i++) await anInvoice(instance);
    await until(async () => receiver.messages.length >= 20 && (await lacre.webhooks.due()).length === 0);
    expect(new Set(receiver.messages.map(({ headers }) => headers["webhook-id"])).size).toBe(20);
    expect(receiver.messages).toHaveLength(20);
  });

  test("every company's events are sent, only to its own webhooks", async () => {
    const receiver = aReceiver();
    const instance = await anInstance(driver, { webhookSender: receiver.send, timer: hasty });
    const other = await aCompany(instance.lacre);
    await instance.company.webhooks.create({ url: URL_A, actions: ["document.issued"] });
    await other.company.webhooks.create({ url: URL_B, actions: ["document.issued"] });
    delivering(instance.lacre);
    const [ours, theirs] = [await anInvoice(instance), await anInvoice(other)];
    await until(() => receiver.messages.length === 2);
    const got = Object.fromEntries(receiver.messages.map(({ url, body }) => [url, JSON.parse(body).data.resource_id]));
    expect(got).toEqual({ [URL_A]: ours.id, [URL_B]: theirs.id });
  });

  test("a company whose twenty webhooks hang leaves half of the sending to its neighbours", async () => {
    const receiver = aReceiver();
    const instance = await anInstance(driver, { webhookSender: receiver.send, timer: hasty });
    const neighbour = await aCompany(instance.lacre);
    for (let i = 0; i < 20; i++) {
      await instance.company.webhooks.create({ url: `${URL_A}/${i}`, actions: ["document.issued"] });
    }
    await neighbour.company.webhooks.create({ url: URL_B, actions: ["document.issued"] });
    const hanging = Promise.withResolvers<typeof DELIVERED>();
    receiver.answer = ({ url }) => (url.startsWith(URL_A) ? hanging.promise : DELIVERED);
    for (let i = 0; i < 4; i++) await anInvoice(instance);
    delivering(instance.lacre);
    const to = (url: string) => receiver.messages.filter((message) => message.url.startsWith(url)).length;
    await until(() => to(URL_A) === 32);
    for (let i = 0; i < 6; i++) await anInvoice(neighbour);
    await until(() => to(URL_B) === 6);
    expect(to(URL_A)).toBe(32);
    hanging.resolve(DELIVERED);
    await until(() => to(URL_A) === 80);
  });

  test("a slow receiver gets one message at a time, until it is quick again", async () => {
    let now = 0;
    const receiver = aReceiver();
    const options = { webhookSender: receiver.send, timer: hasty, monotonic: () => now };
    const instance = await anInstance(driver, options);
    await instance.company.webhooks.create({ url: URL_A, actions: ["document.issued"] });
    const waiting: (() => void)[] = [];
    receiver.answer = () => new Promise((resolve) => void waiting.push(() => resolve(DELIVERED)));
    const sent = async (count: number) => {
      await until(() => waiting.length === count);
      await until(async () => (await instance.lacre.webhooks.due()).length > 0);
    };
    for (let i = 0; i < 7; i++) await anInvoice(instance);
    delivering(instance.lacre);
    await sent(4);
    now += 2_000;
    for (const answer of waiting.splice(0)) answer();
    await sent(1);
    for (const answer of waiting.splice(0)) answer();
    await until(() => waiting.length === 2);
    for (const answer of waiting) answer();
  });

  test("after the operator forbids private networks again, a webhook made for one gets nothing", async () => {
    const file = aFile();
    const open = { webhooksToPrivateNetworks: true };
    const first = await anInstance(driver, { file, ...open });
    const { id } = await first.company.webhooks.create({ url: "http://192.168.1.9:8080/", actions: ["document.*"] });
    await anInvoice(first);
    await first.lacre.close();
    const receiver = aReceiver();
    const lacre = await anInstallation(driver, { file, webhookSender: receiver.send, timer: hasty });
    delivering(lacre);
    const { webhooks } = lacre.as(first.company_id);
    await until(async () => (await webhooks.get({ id })).status === "failing");
    expect((await webhooks.listDeliveries({ id })).data[0]?.attempts).toMatchObject([{ error: "not_public" }]);
    expect(receiver.messages).toEqual([]);
  });

  test("without a sender it says what is missing; closed, it ends at once", async () => {
    const { lacre } = await anInstance(driver);
    await expect(lacre.webhooks.deliver()).rejects.toThrow(/webhookSender\(\) of lacre\/node/);
    const other = await anInstance(driver, { webhookSender: aReceiver().send });
    await other.lacre.webhooks.deliver({ signal: AbortSignal.abort() });
    const ended = other.lacre.webhooks.deliver();
    await other.lacre.close();
    await ended;
    await other.lacre.webhooks.deliver();
  });
});
