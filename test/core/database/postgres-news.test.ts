/** Programs on one server that hear of each other's commits; those that cannot look once a second. */
import { type FeedEvent, type LacreDialect, openLacre, type Timer } from "lacre";
import { postgres } from "lacre/postgres";
import pg from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { createTelling } from "../../../src/core/runtime/bell.ts";
import { aWireTo } from "../../support/cut-wire.ts";
import { dropped, HAS_SERVER, POSTGRES_URL, schemaOf } from "../../support/databases.ts";
import { aFile } from "../../support/instance.ts";

/** The processes that listen for the programs of a schema. */
async function listeners(schema: string): Promise<number[]> {
  const client = new pg.Client(POSTGRES_URL);
  await client.connect();
  const { rows } = await client.query<{ pid: number }>(
    `select pid from pg_stat_activity where query = 'listen lacre_' || left(encode(sha256($1::bytea), 'hex'), 32)`,
    [schema],
  );
  await client.end();
  return rows.map(({ pid }) => pid);
}

/** A follower in one program whose timer goes off only when told to, and another program that commits. */
async function twoPrograms(dialectOf: (schema: string) => LacreDialect) {
  const schema = schemaOf(aFile());
  onTestFinished(() => dropped(schema));
  const waiting = new Set<() => void>();
  const timer: Timer = (_, callback) => {
    waiting.add(callback);
    return () => waiting.delete(callback);
  };
  const here = await openLacre({ dialect: dialectOf(schema), timer });
  onTestFinished(() => here.close());
  const there = await openLacre({ dialect: postgres(POSTGRES_URL, { schema, connections: 2 }) });
  onTestFinished(() => there.close());
  const { id } = await here.companies.create({ name: "Loja, Lda.", tax_id: "500000000" });
  const { pagination } = await here.as(id).events.list();
  const feed = here.as(id).events.follow({ after: pagination.total })[Symbol.asyncIterator]();
  const created = async (): Promise<FeedEvent> => {
    for (;;) {
      const { value } = await feed.next();
      if (value.action === "customer.created") return value;
    }
  };
  const goOff = () => {
    for (const callback of [...waiting]) {
      waiting.delete(callback);
      callback();
    }
  };
  return { schema, here, shopThere: there.as(id), created, goOff, waiting };
}

const byAddress = (url: string) => (schema: string) => postgres(url, { schema, connections: 2 });

function poolOf(max: number, connectionString = POSTGRES_URL) {
  const pool = new pg.Pool({ connectionString, max });
  pool.on("error", () => {});
  onTestFinished(() => pool.end());
  return { pool, dialect: (schema: string) => postgres(pool, { schema }) };
}

describe.runIf(HAS_SERVER)("a commit of another program", () => {
  test.each([
    { by: "an address", dialectOf: () => byAddress(POSTGRES_URL) },
    { by: "a pool of the host's", dialectOf: () => poolOf(8).dialect },
  ])("is heard of, by $by, while no timer goes off", async ({ dialectOf }) => {
    const { schema, shopThere, created, here } = await twoPrograms(dialectOf());
    const next = created();
    await expect.poll(() => listeners(schema)).toHaveLength(1);
    const customer = await shopThere.customers.create({ name: "Ana" });
    expect((await next).resource_id).toBe(customer.id);
    await here.close();
    await expect.poll(() => listeners(schema)).toEqual([]);
  });

  test("is heard of again after the connection that listens was lost, and what came meanwhile, too", async () => {
    const { schema, shopThere, created } = await twoPrograms(byAddress(POSTGRES_URL));
    const next = created();
    await expect.poll(() => listeners(schema)).toHaveLength(1);
    const [pid] = await listeners(schema);
    const client = new pg.Client(POSTGRES_URL);
    await client.connect();
    await client.query("select pg_terminate_backend($1)", [pid]);
    await client.end();
    const customer = await shopThere.customers.create({ name: "Ana" });
    expect((await next).resource_id).toBe(customer.id);
    await expect.poll(() => listeners(schema)).toHaveLength(1);
  });

  test.each([
    { by: "an address", dialectOf: (url: string) => byAddress(url) },
    { by: "a pool of the host's", dialectOf: (url: string) => poolOf(8, url).dialect },
  ])("is heard of, by $by, after the connection was lost before it could listen", async ({ dialectOf }) => {
    const wire = await aWireTo(POSTGRES_URL);
    const { schema, shopThere, created } = await twoPrograms(dialectOf(wire.url));
    wire.cutAt("select pg_backend_pid()");
    const next = created();
    await expect.poll(wire.cuts).toBe(1);
    await expect.poll(() => listeners(schema), { timeout: 5_000 }).toHaveLength(1);
    const customer = await shopThere.customers.create({ name: "Ana" });
    expect((await next).resource_id).toBe(customer.id);
  });

  test("is found at the next look where nothing listens: a small pool has no connection for it", async () => {
    const { schema, shopThere, created, goOff, waiting } = await twoPrograms(poolOf(4).dialect);
    const next = created();
    await expect.poll(() => waiting.size).toBe(1);
    const customer = await shopThere.customers.create({ name: "Ana" });
    expect(await listeners(schema)).toEqual([]);
    expect(waiting.size).toBe(1); // the control: it waits on
    goOff();
    expect((await next).resource_id).toBe(customer.id);
  });
});

test.runIf(HAS_SERVER)("a program that follows nothing listens to nothing", async () => {
  const { schema, shopThere } = await twoPrograms(byAddress(POSTGRES_URL));
  await shopThere.customers.create({ name: "Ana" });
  expect(await listeners(schema)).toEqual([]);
});

test("many commits are told of at once, and then together", async () => {
  let told = 0;
  const tell = createTelling(async () => void told++);
  for (let commit = 0; commit < 100; commit++) tell();
  expect(told).toBe(1);
  await expect.poll(() => told).toBe(2);
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(told).toBe(2); // nothing was committed since
  tell();
  expect(told).toBe(3);
});
