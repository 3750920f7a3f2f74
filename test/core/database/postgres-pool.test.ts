/** A pool of the host program's: what Lacre takes of it, and how it gives it back. */
import { type LacreOptions, type NewDocument, openLacre, pemSigner, StorageError } from "lacre";
import { type PgPool, type PostgresConnectionOptions, postgres } from "lacre/postgres";
import { TEST_SIGNING_KEY } from "lacre/testing";
import pg from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { TYPES } from "../../../src/core/database/postgres-types.ts";
import { dropped, HAS_SERVER, POSTGRES_URL, schemaOf } from "../../support/databases.ts";
import { aLine } from "../../support/factories.ts";
import { aFile, type Home, homeOf } from "../../support/instance.ts";
import { expectRefusal } from "../../support/refusals.ts";

/** A pool of a shop, and the most of its connections that were out at once. */
function aPool(max: number, config: pg.PoolConfig = {}) {
  const pool = new pg.Pool({ connectionString: POSTGRES_URL, max, application_name: "shop", ...config });
  pool.on("error", () => {});
  let out = 0;
  const most = { out: 0 };
  pool.on("acquire", () => {
    most.out = Math.max(most.out, ++out);
  });
  pool.on("release", () => {
    out--;
  });
  onTestFinished(async () => {
    if (!pool.ending) await pool.end();
  });
  return { pool, most, out: () => out };
}

/** Lacre over a pool, with a company; dropped when the test ends. */
async function opened(pool: pg.Pool, options: Partial<LacreOptions> & PostgresConnectionOptions = {}) {
  const place = aFile();
  onTestFinished(() => dropped(schemaOf(place)));
  const { connections, ...rest } = options;
  const size = connections === undefined ? {} : { connections };
  const dialect = postgres(pool, { schema: schemaOf(place), ...size });
  const lacre = await openLacre({ dialect, signer: pemSigner(TEST_SIGNING_KEY, 1), ...rest });
  onTestFinished(() => lacre.close());
  const { id } = await lacre.companies.create({ name: "Loja, Lda.", tax_id: "500000000" });
  const home = await homeOf(lacre, id);
  const { id: customer_id } = await home.company.customers.create({ name: "Ana" });
  return { lacre, home, customer_id };
}

const invoice = ({ home, customer_id }: { readonly home: Home; readonly customer_id: string }): NewDocument => {
  const issue_date = new Date().toLocaleDateString("sv-SE", { timeZone: "Europe/Lisbon" });
  return { doc_type: "FT", series_id: home.series.FT, customer_id, issue_date, lines: [aLine()], issue: true };
};

const SETTINGS = ["application_name", "lock_timeout", "statement_timeout", "synchronous_commit", "search_path"];

/** The settings of every connection of a pool, and how it reads a `bigint`. */
async function seen(pool: pg.Pool, size: number) {
  const clients = await Promise.all(Array.from({ length: size }, () => pool.connect()));
  const all = await Promise.all(
    clients.map(async (client) => {
      const values = SETTINGS.map((name) => `current_setting('${name}') as ${name}`).join(", ");
      return (await client.query(`select ${values}, 5::bigint as five, now() as now`)).rows[0];
    }),
  );
  for (const client of clients) client.release();
  return all.map(({ now, ...rest }) => ({ ...rest, now: now.constructor.name }));
}

test.runIf(HAS_SERVER)("no statement is given to a connection that runs another, which pg warns of once", async () => {
  const warned: string[] = [];
  const hear = ({ message }: Error) => void warned.push(message);
  process.on("warning", hear);
  onTestFinished(() => void process.off("warning", hear));
  const shop = await opened(aPool(4).pool);
  await shop.home.company.documents.create(invoice(shop));
  await new Promise((resolve) => setImmediate(resolve));
  expect(warned).toEqual([]);
});

describe.runIf(HAS_SERVER)("a pool of the host program's", () => {
  test("each connection comes back as it was, and the pool outlives Lacre", async () => {
    const { pool, out } = aPool(4, { lock_timeout: 4_321, statement_timeout: 54_321 });
    const before = await seen(pool, 4);
    const shop = await opened(pool);
    const { lacre, home } = shop;
    const calls = Array.from({ length: 12 }, () => home.company.documents.create(invoice(shop)));
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(Array(12).fill("issued"));
    await lacre.transaction(home.company_id, ({ connection }) => connection.query("select 1"));
    await expectRefusal(home.company.customers.get({ id: home.company_id }), "not_found");
    expect(await home.company.series.verify()).toMatchObject({ whole: true, documents: 12 });
    await lacre.close();
    expect(out()).toBe(0);
    expect(await seen(pool, 4)).toEqual(before);
    expect(before[0]).toMatchObject({ application_name: "shop", lock_timeout: "4321ms", five: "5", now: "Date" });
  });

  test.each([
    { max: 2, at_most: 1 },
    { max: 3, at_most: 2 },
    { max: 4, at_most: 3 },
    { max: 10, at_most: 5 },
    { max: 10, at_most: 9, connections: 9 },
    { max: 10, at_most: 2, connections: 2 },
  ])(
    "of $max connections it never holds more than $at_most, asked for $connections",
    async ({ max, at_most, ...how }) => {
      const { pool, most } = aPool(max);
      const shop = await opened(pool, how);
      const { lacre, home } = shop;
      most.out = 0;
      const others = await Promise.all(
        ["501964843", "502011475", "503504564"].map((tax_id) => lacre.companies.create({ name: "Outra", tax_id })),
      );
      // With three connections, a transaction has one while reads and writes have another each.
      const { promise: end, resolve: commit } = Promise.withResolvers<void>();
      const held = at_most < 3 ? end : lacre.transaction(home.company_id, () => end);
      const busy = others.flatMap(({ id }) => [
        ...Array.from({ length: 6 }, () => lacre.as(id).customers.create({ name: "Eva" })),
        ...Array.from({ length: 6 }, () => lacre.as(id).customers.list()),
      ]);
      await Promise.all(busy);
      const sales = Array.from({ length: 6 }, () => home.company.documents.create(invoice(shop)));
      const transactions = others.map(({ id }) =>
        lacre.transaction(id, ({ shop }) => shop.customers.create({ name: "Rui" })),
      );
      commit();
      await Promise.all([held, ...sales, ...transactions]);
      expect(most.out).toBeLessThanOrEqual(at_most);
      expect(most.out).toBeGreaterThanOrEqual(at_most < 3 ? 1 : 3); // the control: it takes several
    },
  );
});

describe.runIf(HAS_SERVER)("a small pool of the host program's", () => {
  test("while it works in one transaction, the host's last connection is free", async () => {
    const { pool } = aPool(2);
    const { lacre, home } = await opened(pool);
    await lacre.transaction(home.company_id, async ({ shop }) => {
      await shop.customers.create({ name: "Eva" });
      expect((await pool.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
      await expect(home.company.customers.list()).rejects.toThrow("waits for the transaction that it is made in");
    });
    expect((await home.company.customers.list()).pagination.total).toBe(2);
  });

  test("the work of a single connection is undone in time, and the connection goes on", async () => {
    const { pool } = aPool(2);
    const { lacre, home } = await opened(pool);
    const slow = lacre.transaction(home.company_id, ({ connection }) => connection.query("select pg_sleep(30)"), {
      timeoutMs: 50,
    });
    await expectRefusal(slow, "unavailable");
    expect((await home.company.customers.create({ name: "Eva" })).name).toBe("Eva");
  });

  test("within() needs no connection beside the transaction's: the host may hold them all", async () => {
    const { pool } = aPool(2);
    const shop = await opened(pool);
    const clients = [await pool.connect(), await pool.connect()];
    for (const client of clients) {
      await client.query("begin");
      await shop.lacre.within(client).as(shop.home.company_id).documents.create(invoice(shop));
      await client.query("commit");
      client.release();
    }
    expect((await shop.home.company.documents.list({})).pagination.total).toBe(2);
  });

  test("a call for which no connection comes free is refused in five seconds, and takes none later", async () => {
    const { pool, out } = aPool(2);
    const { home } = await opened(pool);
    const clients = [await pool.connect(), await pool.connect()];
    await expectRefusal(home.company.customers.create({ name: "Eva" }), "unavailable");
    for (const client of clients) client.release();
    await expect.poll(out).toBe(0);
    expect((await home.company.customers.create({ name: "Eva" })).name).toBe("Eva");
  });
});

describe.runIf(HAS_SERVER)("connections that the host program has used", () => {
  test("a transaction that the host left open on a connection is not committed by Lacre's", async () => {
    const { pool } = aPool(2);
    const table = `${schemaOf(aFile())}_left`;
    await pool.query(`create table ${table} (id text)`);
    onTestFinished(() => dropped(table).catch(() => {}));
    const { home } = await opened(pool);
    const client = await pool.connect();
    await client.query("begin");
    await client.query(`insert into ${table} values ('left')`);
    client.release();
    await home.company.customers.create({ name: "Eva" });
    expect((await pool.query(`select id from ${table}`)).rows).toEqual([]);
    await pool.query(`drop table ${table}`);
  });

  test("it loses no commit and has its name, whatever the host set on the connection", async () => {
    const { pool } = aPool(2);
    const { lacre, home } = await opened(pool);
    const clients = [await pool.connect(), await pool.connect()];
    for (const client of clients) await client.query("set synchronous_commit = off; set bytea_output = 'escape'");
    for (const client of clients) client.release();
    const show = "select current_setting('synchronous_commit') as is, current_setting('application_name') as name";
    const inside = await lacre.transaction(home.company_id, async ({ connection }) => connection.query(show));
    expect(inside).toEqual([{ is: "on", name: "lacre" }]);
    expect((await pool.query(show)).rows).toEqual([{ is: "off", name: "shop" }]);
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, i) => i));
    const { rows } = await pool.query({ text: "select $1::bytea as bytes", values: [bytes], types: TYPES as never });
    expect(rows).toEqual([{ bytes }]);
  });

  test("a connection that breaks under Lacre ends nothing but its call", async () => {
    const { pool } = aPool(4);
    const { lacre, home } = await opened(pool);
    const broken = lacre.transaction(home.company_id, async ({ shop, connection }) => {
      const [{ pid }] = (await connection.query("select pg_backend_pid() as pid")) as [{ pid: number }];
      await pool.query("select pg_terminate_backend($1)", [pid]);
      await shop.customers.create({ name: "Eva" });
    });
    await expectRefusal(broken, "unavailable");
    expect((await home.company.customers.create({ name: "Rui" })).name).toBe("Rui");
  });

  test("a pool that the host has ended is told of in words", async () => {
    const { pool } = aPool(4);
    await pool.end();
    const opening = openLacre({ dialect: postgres(pool) });
    await expect(opening).rejects.toThrow("The pool was ended: close Lacre before its pool.");
    await expect(opening).rejects.toThrow(StorageError);
  });
});

describe("what is no pool is refused in words", () => {
  const client = new pg.Client("postgres://localhost/shop");
  const none: unknown[] = [undefined, null, 5, {}, [], { query() {} }, client, () => {}];
  test.each(none.map((given) => ({ given })))("$given", ({ given }) => {
    expect(() => postgres(given as PgPool)).toThrow("takes the address of a server");
  });

  const pool = (max?: number): PgPool => ({
    connect: () => Promise.reject(new Error("none")),
    ...(max && { options: { max } }),
  });
  test.each([
    { it: "of one connection", server: pool(1), says: "a max of 2 or more" },
    { it: "that is asked for all of it", server: pool(10), connections: 10, says: "from 1 to 9" },
    { it: "that is asked for none of it", server: pool(10), connections: 0, says: "from 1 to 9" },
    { it: "that is asked for half a connection", server: pool(10), connections: 1.5, says: "from 1 to 9" },
    { it: "that does not tell its size", server: pool(), says: "options.max" },
  ])("a pool $it", ({ server, connections, says }) => {
    const given = connections === undefined ? {} : { connections };
    expect(() => postgres(server, given)).toThrow(TypeError);
    expect(() => postgres(server, given)).toThrow(says);
  });

  test("one that does not tell its size, with the number that Lacre may use", () => {
    expect(postgres(pool(), { connections: 3 }).engine.name).toBe("postgres");
  });
});
