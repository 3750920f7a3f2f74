import { type CompanyFace, type FeedEvent, LacreError, openLacre, type Timer } from "lacre";
import { describe, expect, test } from "vitest";
import { DATABASES } from "../../support/databases.ts";
import { DRIVERS, type Driver } from "../../support/drivers.ts";
import { aCustomer, aDraft, anInvoice } from "../../support/factories.ts";
import { faultyDialect } from "../../support/faulty.ts";
import { aCompany, aFile, anInstance, type Home, homeOf } from "../../support/instance.ts";
import { expectRefusal } from "../../support/refusals.ts";

/** The next events of a feed. */
async function take(events: AsyncIterator<FeedEvent>, count: number): Promise<FeedEvent[]> {
  const taken: FeedEvent[] = [];
  while (taken.length < count) {
    const { done, value } = await events.next();
    if (done) break;
    taken.push(value);
  }
  return taken;
}

/** The position of the last event of a company. */
const last = async (shop: CompanyFace) => (await shop.events.list()).pagination.total;

const iteratorOf = (events: AsyncIterable<FeedEvent>) => events[Symbol.asyncIterator]();

/** A timer that only the test lets go off, and how often each time was asked for. */
function aTimer() {
  const waiting = new Set<() => void>();
  const asked: number[] = [];
  const timer: Timer = (ms, callback) => {
    asked.push(ms);
    waiting.add(callback);
    return () => waiting.delete(callback);
  };
  return {
    timer,
    asked,
    waiting,
    goOff() {
      for (const callback of [...waiting]) {
        waiting.delete(callback);
        callback();
      }
    },
  };
}

/** Resolves once a condition holds: whatever has to happen first happens in this process. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}

/** So many companies of an instance, each followed from its end on; and the queries on its reading connection. */
async function followed(count: number) {
  const { timer, goOff, waiting } = aTimer();
  const read: string[] = [];
  const dialect = faultyDialect(DRIVERS[0] as Driver, aFile(), { beforeReading: (sql) => void read.push(sql) });
  const { lacre } = await anInstance(DRIVERS[0] as Driver, { dialect, timer });
  const homes: Home[] = [];
  for (let i = 0; i < count; i++) homes.push(await aCompany(lacre, { tax_id: aTaxId(i) }));
  const feeds = await Promise.all(
    homes.map(async ({ company }) => {
      const { pagination } = await company.events.list();
      return iteratorOf(company.events.follow({ after: pagination.total }));
    }),
  );
  const next = feeds.map((events) => events.next());
  await until(() => waiting.size === 1);
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  read.length = 0;
  return { lacre, homes, feeds, next, read, goOff, waiting };
}

/** A valid NIF, one for each number. */
function aTaxId(i: number): string {
  const body = `5${String(1_000_000 + i)}`;
  const sum = [...body].reduce((all, digit, at) => all + Number(digit) * (9 - at), 0);
  const rest = 11 - (sum % 11);
  return `${body}${rest >= 10 ? 0 : rest}`;
}

test("following many companies asks one question a second, and wakes only those with news", async () => {
  const { homes, next, read, goOff, waiting, feeds } = await followed(15);
  for (let second = 0; second < 3; second++) {
    goOff();
    await until(() => waiting.size === 1);
  }
  const selects = () => read.filter((sql) => sql.startsWith("select"));
  expect(selects()).toHaveLength(3);
  expect(selects()[0]).toContain("event_position");
  read.length = 0;
  await homes[3]?.company.customers.create({ name: "Ana" });
  expect((await next[3])?.value).toMatchObject({ position: expect.any(Number), action: "actor.created" });
  expect(selects().length).toBeLessThan(10); // of all 15 there would be as many reads, at least
  await Promise.all(feeds.map((events) => events.return?.()).slice(3, 4));
});

describe.each(DATABASES)("reading and following events over $name", (driver) => {
  test("a variable of the type that the package exports follows them, in a transaction too", async () => {
    const { lacre, company_id } = await anInstance(driver);
    const shop: CompanyFace = lacre.as(company_id);
    const customer = await lacre.transaction(company_id, async (inside) => {
      const within: CompanyFace = inside.shop;
      const made = await within.customers.create({ name: "Ana" });
      const [own] = await take(iteratorOf(within.events.follow({ after: (await last(within)) - 1 })), 1);
      expect(own?.resource_id).toBe(made.id);
      return made;
    });
    const [event] = await take(iteratorOf(shop.events.follow({ after: (await last(shop)) - 1 })), 1);
    expect(event?.resource_id).toBe(customer.id);
  });

  test("a position leads on: every event once, in order, in pages", async () => {
    const instance = await anInstance(driver);
    const { company } = instance;
    await anInvoice(instance);
    const { data: newestFirst } = await company.events.list({ limit: 200 });
    const read: FeedEvent[] = [];
    for (let after = 0; ; ) {
      const { data, last_position } = await company.events.read({ after, limit: 3 });
      if (data.length === 0) {
        expect(last_position).toBe(after);
        break;
      }
      expect(data.length).toBeLessThanOrEqual(3);
      expect(last_position).toBe(data.at(-1)?.position);
      read.push(...data);
      after = last_position;
    }
    expect(read.map(({ position }) => position)).toEqual(newestFirst.map(({ position }) => position).reverse());
    expect(read.map(({ action, resource_id }) => [action, resource_id])).toEqual(
      newestFirst.map(({ action, resource_id }) => [action, resource_id]).reverse(),
    );
    expect(read.at(-1)).toMatchObject({ action: "document.issued", actor: "H1", detail: { number: "FT 2026A/1" } });
  });

  test("without a position it begins at the first event, with 50 of them", async () => {
    const instance = await anInstance(driver);
    for (let i = 0; i < 60; i++) await aCustomer(instance);
    const { data, last_position } = await instance.company.events.read();
    expect([data.length, data[0]?.position, last_position]).toEqual([50, 1, 50]);
  });

  test("names of people and keys are left out", async () => {
    const instance = await anInstance(driver);
    const { lacre, company_id } = instance;
    await lacre.as(company_id, { actor: "Maria Conceição" }).customers.create({ name: "Ana" });
    await lacre.keys.create({ company_id, name: "Loja da Maria Conceição", scopes: ["saft:read"] });
    const { data } = await instance.company.events.read({ limit: 200 });
    expect(data.map(({ action }) => action)).toEqual(expect.arrayContaining(["actor.created", "key.created"]));
    expect(JSON.stringify(data)).not.toContain("Maria");
    const { data: record } = await instance.company.events.list({ limit: 200 });
    expect(JSON.stringify(record)).toContain("Maria");
  });

  test("a position in the future is refused: in an older copy other events will get it", async () => {
    const { company } = await anInstance(driver);
    const { pagination } = await company.events.list();
    const last = pagination.total;
    expect(await company.events.read({ after: last })).toEqual({ data: [], last_position: last });
    await expectRefusal(company.events.read({ after: last + 1 }), "invalid_state", `${last + 1}`, `last is ${last}`);
    await expectRefusal(take(iteratorOf(company.events.follow({ after: last + 1 })), 1) as never, "invalid_state");
    await expectRefusal(company.events.read({ after: -1 }), "invalid_request", "after");
    await expectRefusal(company.events.read({ limit: 201 }), "invalid_request", "limit");
  });

  test("another company's events are not followed", async () => {
    const instance = await anInstance(driver);
    const other = await aCompany(instance.lacre);
    const { data: before } = await other.company.events.read({ limit: 200 });
    await anInvoice(instance);
    expect((await other.company.events.read({ limit: 200 })).data).toEqual(before);
  });

  test("following yields past events, then each new one right after its commit, without waiting for a timer", async () => {
    const { timer, asked, waiting } = aTimer();
    const instance = await anInstance(driver, { timer });
    const { company } = instance;
    const { pagination } = await company.events.list();
    const events = iteratorOf(company.events.follow());
    const old = await take(events, pagination.total);
    expect(old.map(({ position }) => position)).toEqual(old.map((_, i) => i + 1));
    const next = take(events, 2);
    await until(() => waiting.size === 1);
    const customer = await aCustomer(instance);
    const [actor, created] = await next;
    expect([actor?.action, created?.action]).toEqual(["actor.created", "customer.created"]);
    expect(created?.resource_id).toBe(customer.id);
    expect(new Set(asked)).toEqual(new Set([1_000]));
    await events.return?.();
  });

  test("another process's commit is found at the next look, a second later", async () => {
    const file = aFile();
    const { timer, waiting, goOff } = aTimer();
    const instance = await anInstance(driver, { file, timer });
    const elsewhere = await openLacre({ dialect: driver.dialect(file) });
    try {
      const { pagination } = await instance.company.events.list();
      const events = iteratorOf(instance.company.events.follow({ after: pagination.total }));
      const next = take(events, 2);
      await until(() => waiting.size === 1);
      const customer = await aCustomer(await homeOf(elsewhere, instance.company_id));
      goOff();
      expect((await next).at(-1)).toMatchObject({ action: "customer.created", resource_id: customer.id });
      await events.return?.();
    } finally {
      await elsewhere.close();
    }
  });

  test("it resumes after a restart where it ended: none twice, none left out", async () => {
    const file = aFile();
    const first = await anInstance(driver, { file });
    await anInvoice(first);
    const half = await take(iteratorOf(first.company.events.follow()), 7);
    const draft = await aDraft(first);
    await first.lacre.close();
    const again = await openLacre({ dialect: driver.dialect(file) });
    try {
      const company = again.as(first.company_id);
      const { pagination } = await company.events.list();
      const { position } = half.at(-1) as FeedEvent;
      const rest = await take(iteratorOf(company.events.follow({ after: position })), pagination.total - position);
      expect([...half, ...rest].map((event) => event.position)).toEqual(
        Array.from({ length: pagination.total }, (_, i) => i + 1),
      );
      expect(rest.at(-1)).toMatchObject({ action: "document.drafted", resource_id: draft.id });
    } finally {
      await again.close();
    }
  });

  test("it ends with its signal: while it waits, while events remain, and before it begins", async () => {
    const { timer, waiting } = aTimer();
    const { company } = await anInstance(driver, { timer });
    const { pagination } = await company.events.list();
    const leaving = new AbortController();
    const waits = take(iteratorOf(company.events.follow({ after: pagination.total, signal: leaving.signal })), 1);
    await until(() => waiting.size === 1);
    leaving.abort();
    expect(await waits).toEqual([]);
    expect(waiting.size).toBe(0);

    const stop = new AbortController();
    const seen: number[] = [];
    for await (const { position } of company.events.follow({ signal: stop.signal })) {
      seen.push(position);
      if (position === 3) stop.abort();
    }
    expect(seen).toEqual([1, 2, 3]);
    expect(await take(iteratorOf(company.events.follow({ signal: AbortSignal.abort() })), 1)).toEqual([]);
  });

  test("it ends when Lacre closes, which does not wait for it", async () => {
    const { timer, waiting } = aTimer();
    const instance = await anInstance(driver, { timer });
    const { company, lacre } = instance;
    const { pagination } = await company.events.list();
    const waits = take(iteratorOf(company.events.follow({ after: pagination.total })), 1);
    const midway = iteratorOf(company.events.follow());
    await take(midway, 2);
    await until(() => waiting.size === 1);
    await lacre.close();
    expect(await waits).toEqual([]);
    expect(await take(midway, 1)).toEqual([]);
    expect(await take(iteratorOf(company.events.follow()), 1)).toEqual([]);
  });

  test("an unknown company is refused when following begins", async () => {
    const { lacre } = await anInstance(driver);
    const stranger = lacre.as("01890000-0000-7000-8000-000000000000");
    await expect(take(iteratorOf(stranger.events.follow()), 1)).rejects.toThrow(LacreError);
  });
});
