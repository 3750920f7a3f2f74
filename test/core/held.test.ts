/** A company that somebody else's transaction holds: whoever waits for it is told in time, and nobody else waits. */
import Sqlite from "better-sqlite3";
import { type Lacre, type NewDocument, openLacre, pemSigner } from "lacre";
import { postgres } from "lacre/postgres";
import { sqlite } from "lacre/sqlite";
import { TEST_SIGNING_KEY } from "lacre/testing";
import pg from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { dropped, HAS_SERVER, POSTGRES_URL, schemaOf } from "../support/databases.ts";
import { aLine } from "../support/factories.ts";
import { aFile, type Home, homeOf } from "../support/instance.ts";
import { expectRefusal } from "../support/refusals.ts";

/** NIFs, of which each company needs one of its own. */
const TAX_IDS = ["500000000", "501964843", "502011475", "503504564", "504615947", "505416654", "506774287"];

async function opened(place: string, clock = { ms: 0 }): Promise<Lacre> {
  const monotonic = () => performance.now() + clock.ms;
  const dialect = postgres(POSTGRES_URL, { schema: schemaOf(place), connections: 10 });
  const lacre = await openLacre({ dialect, monotonic, signer: pemSigner(TEST_SIGNING_KEY, 1) });
  onTestFinished(() => lacre.close());
  return lacre;
}

/** So many companies on a server, and a clock for waiting times that the test moves on. */
async function companies(count: number) {
  const place = aFile();
  onTestFinished(() => dropped(schemaOf(place)));
  const clock = { ms: 0 };
  const lacre = await opened(place, clock);
  const homes: Home[] = [];
  for (const tax_id of TAX_IDS.slice(0, count)) {
    homes.push(await homeOf(lacre, (await lacre.companies.create({ name: `Loja ${tax_id}`, tax_id })).id));
  }
  return { place, lacre, homes, clock };
}

/** A transaction of the host program's on a connection of its own, which holds a company until it is ended. */
async function holding(lacre: Lacre, { company_id }: Home, application_name = "shop-web") {
  const client = new pg.Client({ connectionString: POSTGRES_URL, application_name });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query("begin");
  await lacre.within(client).as(company_id).customers.create({ name: "Rui" });
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  return { client, pid: rows[0]?.pid as number };
}

async function invoiced({ company, series }: Home) {
  const { id: customer_id } = await company.customers.create({ name: "Ana" });
  const issue_date = new Date().toLocaleDateString("sv-SE", { timeZone: "Europe/Lisbon" });
  const rest = { series_id: series.FT, customer_id, issue_date, lines: [aLine()], issue: true };
  return company.documents.create({ doc_type: "FT", ...rest } satisfies NewDocument);
}

/** Resolves once all these have been settled, or after so many turns of waiting for the database. */
const settledIn = (ms: number, calls: readonly Promise<unknown>[]) =>
  Promise.race([
    Promise.allSettled(calls).then(() => true),
    new Promise<boolean>((resolve) => setTimeout(resolve, ms, false)),
  ]);

describe.runIf(HAS_SERVER)("a company that a transaction of the host's holds on PostgreSQL", () => {
  test("six locked companies leave the connections to a seventh", async () => {
    const { lacre, homes, clock } = await companies(7);
    const held = homes.slice(0, 6);
    const holders = [];
    for (const home of held) holders.push(await holding(lacre, home));
    const waiting = held.map(({ company }) => company.customers.create({ name: "Eva" }));
    expect(await settledIn(1_500, waiting)).toBe(false); // the control: each of them waits
    const free = Array.from({ length: 5 }, () => invoiced(homes[6] as Home));
    expect((await Promise.all(free)).map(({ status }) => status)).toEqual(Array(5).fill("issued"));
    expect(await settledIn(0, waiting)).toBe(false);
    for (const { client } of holders.slice(0, 3)) await client.query("commit");
    expect((await Promise.all(waiting.slice(0, 3))).map(({ name }) => name)).toEqual(Array(3).fill("Eva"));
    clock.ms = 10_000;
    for (const [i, { pid }] of holders.entries()) {
      if (i >= 3) await expectRefusal(waiting[i] as Promise<unknown>, "unavailable", `pid ${pid} (shop-web)`);
    }
  });

  test("a held call is refused after ten seconds, with the holder named", async () => {
    const { lacre, homes, clock } = await companies(1);
    const [home] = homes as [Home];
    const { client, pid } = await holding(lacre, home);
    const call = home.company.customers.create({ name: "Eva" });
    expect(await settledIn(1_500, [call])).toBe(false);
    clock.ms = 10_000;
    await expectRefusal(
      call,
      "unavailable",
      `A transaction of the host program has held this company for `,
      ` s, pid ${pid} (shop-web); this change was not made. A call outside its own transaction would wait for itself.`,
    );
    await client.query("rollback");
    expect((await home.company.customers.create({ name: "Eva" })).name).toBe("Eva");
    expect((await home.company.customers.list()).pagination.total).toBe(1);
  });

  test("a call of another program gets the same answer", async () => {
    const { place, lacre, homes } = await companies(1);
    const [{ company_id }] = homes as [Home];
    const clock = { ms: 0 };
    const other = await opened(place, clock);
    const { pid } = await holding(lacre, homes[0] as Home);
    const call = other.as(company_id).customers.create({ name: "Eva" });
    expect(await settledIn(700, [call])).toBe(false);
    clock.ms = 10_000;
    await expectRefusal(call, "unavailable", `pid ${pid} (shop-web)`);
  });

  test("a change to every company waits for the locked one, and locks none of the others", async () => {
    const { lacre, homes, clock } = await companies(3);
    const { client } = await holding(lacre, homes[2] as Home);
    const above = lacre.companies.create({ name: "Nova", tax_id: "508025338" });
    expect(await settledIn(300, [above])).toBe(false);
    for (let i = 0; i < 5; i++) expect((await invoiced(homes[i % 2] as Home)).status).toBe("issued");
    expect(await settledIn(0, [above])).toBe(false);
    clock.ms = 10_000;
    await expectRefusal(above, "unavailable", "has held this company");
    await client.query("commit");
    expect((await lacre.companies.create({ name: "Nova", tax_id: "508025338" })).name).toBe("Nova");
  });

  test("a call beside within(), made from inside it, is refused instead of waiting for itself", async () => {
    const { lacre, homes } = await companies(1);
    const [{ company, company_id }] = homes as [Home];
    const client = new pg.Client(POSTGRES_URL);
    await client.connect();
    onTestFinished(() => client.end());
    await client.query("begin");
    const inside = lacre.within(client).as(company_id);
    await inside.customers.create({ name: "Rui" });
    await expect(company.customers.create({ name: "Eva" })).rejects.toThrow(
      "waits for the transaction that it is made in",
    );
    await inside.customers.create({ name: "Zé" });
    await client.query("commit");
    expect((await company.customers.list()).pagination.total).toBe(2);
  });
});

test("a file locked by a transaction of the host's: a call is refused in time, and in words", async () => {
  const clock = { ms: 0 };
  const file = aFile();
  const lacre = await openLacre({ dialect: sqlite(file), monotonic: () => performance.now() + clock.ms });
  onTestFinished(() => lacre.close());
  const { id } = await lacre.companies.create({ name: "Loja, Lda.", tax_id: "500000000" });
  const other = new Sqlite(file);
  onTestFinished(() => void other.close());
  other.exec("begin immediate");
  const call = lacre.as(id).customers.create({ name: "Eva" });
  expect(await settledIn(700, [call])).toBe(false);
  clock.ms = 10_000;
  await expectRefusal(call, "unavailable", "Another transaction, of the host program or of another one, has held what");
  const next = lacre.as(id).customers.create({ name: "Eva" });
  other.exec("rollback");
  expect((await next).name).toBe("Eva");
});
