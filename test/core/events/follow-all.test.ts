/** One feed over all companies, with a position in each. */
import { type CompanyEvent, openLacre } from "lacre";
import { describe, expect, onTestFinished, test } from "vitest";
import { DATABASES } from "../../support/databases.ts";
import { aCompany, aFile, anInstance, homeOf, type Instance } from "../../support/instance.ts";
import { expectRefusal } from "../../support/refusals.ts";

type Feed = AsyncIterator<CompanyEvent>;

const feedOf = (events: AsyncIterable<CompanyEvent>): Feed => events[Symbol.asyncIterator]();

async function take(feed: Feed, count: number): Promise<CompanyEvent[]> {
  const taken: CompanyEvent[] = [];
  while (taken.length < count) {
    const { done, value } = await feed.next();
    if (done) break;
    taken.push(value);
  }
  return taken;
}

/** How many events each company of an installation has. */
async function totals({ lacre }: Pick<Instance, "lacre">): Promise<Map<string, number>> {
  const companies = await lacre.companies.list();
  return new Map(
    await Promise.all(
      companies.map(async ({ id }) => [id, (await lacre.as(id).events.list()).pagination.total] as const),
    ),
  );
}

const sum = (numbers: Iterable<number>) => [...numbers].reduce((all, one) => all + one, 0);

/** The positions that were handled, as a program stores them. */
function handled(events: readonly CompanyEvent[]): Record<string, number> {
  return Object.fromEntries(events.map(({ company_id, position }) => [company_id, position]));
}

describe.each(DATABASES)("the feed of all companies over $name", (driver) => {
  test("every event of each company once and in order, as its own feed has it; then new ones", async () => {
    const instance = await anInstance(driver);
    const other = await aCompany(instance.lacre);
    for (let i = 0; i < 3; i++) await instance.company.customers.create({ name: `Ana ${i}` });
    const all = await totals(instance);
    const stop = new AbortController();
    const feed = feedOf(instance.lacre.events.follow({ signal: stop.signal }));
    const events = await take(feed, sum(all.values()));
    for (const [id, total] of all) {
      const own = events.filter(({ company_id }) => company_id === id);
      const { data } = await instance.lacre.as(id).events.read({ limit: 200 });
      expect(own.map(({ company_id: _, ...event }) => event)).toEqual(data);
      expect(data).toHaveLength(total);
    }
    const next = take(feed, 2);
    const customer = await other.company.customers.create({ name: "Eva" });
    expect((await next).at(-1)).toMatchObject({ company_id: other.company_id, resource_id: customer.id });
    stop.abort();
    expect(await take(feed, 1)).toEqual([]);
  });

  test("a company that is made meanwhile is followed from its first event on", async () => {
    const instance = await anInstance(driver);
    const feed = feedOf(instance.lacre.events.follow({ after: Object.fromEntries(await totals(instance)) }));
    const next = feed.next();
    const { company_id } = await aCompany(instance.lacre);
    expect((await next).value).toMatchObject({ company_id, position: 1 });
    await feed.return?.();
  });

  test("it goes on from the stored positions after a restart: none twice, none left out", async () => {
    const file = aFile();
    const first = await anInstance(driver, { file });
    await aCompany(first.lacre);
    await first.company.customers.create({ name: "Ana" });
    const total = sum((await totals(first)).values());
    const half = await take(feedOf(first.lacre.events.follow()), Math.ceil(total / 2));
    await first.lacre.close();
    const again = await openLacre({ dialect: driver.dialect(file) });
    onTestFinished(() => again.close());
    await (await homeOf(again, first.company_id)).company.customers.create({ name: "Eva" });
    const all = await totals({ lacre: again });
    const rest = await take(feedOf(again.events.follow({ after: handled(half) })), sum(all.values()) - half.length);
    const seen = (id: string) =>
      [...half, ...rest].filter(({ company_id }) => company_id === id).map(({ position }) => position);
    for (const [id, count] of all) expect(seen(id)).toEqual(Array.from({ length: count }, (_, i) => i + 1));
  });

  test("a company with many events does not hold up the others", async () => {
    const instance = await anInstance(driver);
    const other = await aCompany(instance.lacre);
    for (let i = 0; i < 250; i += 50)
      await Promise.all(Array.from({ length: 50 }, () => instance.company.customers.create({ name: "Ana" })));
    const events = await take(feedOf(instance.lacre.events.follow()), 250);
    expect(events.some(({ company_id }) => company_id === other.company_id)).toBe(true);
  });

  test("a position that is not there yet, and one of an unknown company, are refused", async () => {
    const { lacre, company_id } = await anInstance(driver);
    const { pagination } = await lacre.as(company_id).events.list();
    const next = (after: Record<string, number>) => take(feedOf(lacre.events.follow({ after })), 1);
    await expectRefusal(next({ [company_id]: pagination.total + 1 }), "invalid_state", `last is ${pagination.total}`);
    await expectRefusal(next({ "01890000-0000-7000-8000-000000000000": 1 }), "not_found");
    await expectRefusal(next({ [company_id]: -1 }), "invalid_request", "after");
  });

  test("it ends when Lacre closes", async () => {
    const instance = await anInstance(driver);
    const feed = feedOf(instance.lacre.events.follow({ after: Object.fromEntries(await totals(instance)) }));
    const waits = take(feed, 1);
    await new Promise((resolve) => setImmediate(resolve));
    await instance.lacre.close();
    expect(await waits).toEqual([]);
  });
});
