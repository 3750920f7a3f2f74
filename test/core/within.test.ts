import { linkSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import Sqlite from "better-sqlite3";
import * as drizzleSql from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import knex from "knex";
import { CamelCasePlugin, Kysely, PostgresDialect, SqliteDialect, sql } from "kysely";
import { type HostPort, type HostTransaction, type Lacre, type NewDocument, openLacre } from "lacre";
import { nodeSqlite } from "lacre/node-sqlite";
import { sqlite } from "lacre/sqlite";
import pg from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { dropped, HAS_SERVER, POSTGRES, POSTGRES_URL, SHOP_TABLES, schemaOf } from "../support/databases.ts";
import { aLine } from "../support/factories.ts";
import { aFile, type Home, homeOf } from "../support/instance.ts";
import { expectRefusal } from "../support/refusals.ts";

/** A shop with a table of orders in the database that Lacre has open, and a way to begin transactions on it. */
interface Shop {
  readonly lacre: Lacre;
  readonly home: Home;
  readonly customer_id: string;
  /** Begins a transaction, and ends it as `work` says. */
  during(
    work: (handle: HostTransaction, order: (id: string) => Promise<void>) => Promise<"commit" | "rollback">,
  ): Promise<void>;
  orders(): Promise<number>;
}

/** What the shop does to its own tables, however it reaches them. */
interface Hand {
  /** What `within` is given between begin and commit. */
  readonly handle: HostTransaction;
  run(statement: string): Promise<readonly object[]>;
  close(): Promise<void> | void;
}

async function shopOn(lacre: Lacre, open: () => Promise<Hand>, orders: string): Promise<Shop> {
  onTestFinished(() => lacre.close());
  const { id } = await lacre.companies.create({ name: "Loja, Lda.", tax_id: "500000000" });
  const home = await homeOf(lacre, id);
  const { id: customer_id } = await home.company.customers.create({ name: "Ana" });
  const once = async (statement: string) => {
    const hand = await open();
    try {
      return await hand.run(statement);
    } finally {
      await hand.close();
    }
  };
  await once(`create table ${orders} (id text primary key)`);
  return {
    lacre,
    home,
    customer_id,
    async during(work) {
      const hand = await open();
      try {
        await hand.run("begin");
        const end = await work(
          hand.handle,
          async (order) => void (await hand.run(`insert into ${orders} values ('${order}')`)),
        );
        await hand.run(end);
      } finally {
        await hand.close();
      }
    },
    orders: async () => (await once(`select id from ${orders}`)).length,
  };
}

const PRAGMAS = ["foreign_keys = on", "recursive_triggers = on", "synchronous = full", "busy_timeout = 5000"];

/** The shop's own connection, by each of the handles. */
const SQLITE_HANDS: Readonly<Record<string, (file: string) => Promise<Hand>>> = {
  async "better-sqlite3"(file) {
    const handle = new Sqlite(file);
    for (const pragma of PRAGMAS) handle.pragma(pragma);
    const run = async (text: string) => {
      const statement = handle.prepare(text);
      if (statement.reader) return statement.all() as object[];
      statement.run();
      return [];
    };
    return { handle, run, close: () => void handle.close() };
  },
  async "node:sqlite"(file) {
    const handle = new DatabaseSync(file);
    for (const pragma of PRAGMAS) handle.exec(`pragma ${pragma}`);
    return { handle, run: async (text) => handle.prepare(text).all() as object[], close: () => handle.close() };
  },
};

const shops: Record<string, () => Promise<Shop>> = {};
for (const [name, open] of Object.entries(SQLITE_HANDS)) {
  shops[name] = async () => {
    const file = aFile();
    const dialect = name === "node:sqlite" ? nodeSqlite(file) : sqlite(file);
    return shopOn(await openLacre({ dialect }), () => open(file), "orders");
  };
  shops[`${name}, in a file of the shop's`] = async () => {
    const file = aFile();
    const hand = await open(file);
    for (const statement of SHOP_TABLES.split("\n")) await hand.run(statement);
    await hand.close();
    const prefix = "lacre_";
    const dialect = name === "node:sqlite" ? nodeSqlite(file, { prefix }) : sqlite(file, { prefix });
    return shopOn(await openLacre({ dialect }), () => open(file), "orders");
  };
}

/** A transaction of Kysely, begun and ended by hand. */
async function kyselyHand(db: Kysely<object>): Promise<Hand> {
  const controlled = await db.startTransaction().execute();
  const run = async (text: string) => {
    if (text === "begin") return [];
    if (text === "commit") await controlled.commit().execute();
    else if (text === "rollback") await controlled.rollback().execute();
    else return (await sql.raw<object>(text).execute(controlled)).rows;
    return [];
  };
  const close = async () => {
    if (!controlled.isCommitted && !controlled.isRolledBack) await controlled.commit().execute();
    await db.destroy();
  };
  return { handle: controlled, run, close };
}

shops["a transaction of Kysely on SQLite"] = async () => {
  const file = aFile();
  const open = async () => {
    const database = new Sqlite(file);
    for (const pragma of PRAGMAS) database.pragma(pragma);
    return kyselyHand(new Kysely<object>({ dialect: new SqliteDialect({ database }) }));
  };
  return shopOn(await openLacre({ dialect: sqlite(file) }), open, "orders");
};

shops["a transaction of Kysely with plugins on SQLite"] = async () => {
  const file = aFile();
  const open = async () => {
    const database = new Sqlite(file);
    for (const pragma of PRAGMAS) database.pragma(pragma);
    const plugins = [new CamelCasePlugin()];
    return kyselyHand(new Kysely<object>({ dialect: new SqliteDialect({ database }), plugins }));
  };
  return shopOn(await openLacre({ dialect: sqlite(file) }), open, "orders");
};

/** A recipe of docs/embedding.md, as it stands there. */
function recipeOf(name: string): (transaction: unknown) => HostPort {
  const page = readFileSync("docs/embedding.md", "utf8");
  const [, text = ""] = new RegExp(`^(const ${name} = [\\s\\S]*?^\\}\\);)$`, "m").exec(page) ?? [];
  return new Function("sql", `${text}\nreturn ${name};`)(drizzleSql.sql);
}

/** A transaction of Knex, begun and ended by hand. */
async function knexHand(db: knex.Knex): Promise<Hand> {
  let transaction: knex.Knex.Transaction | undefined = await db.transaction();
  const port = recipeOf("fromKnex")(transaction);
  const run = async (text: string) => {
    if (text === "begin") return [];
    if (text === "commit" || text === "rollback") {
      await transaction?.[text]();
      transaction = undefined;
      return [];
    }
    return port.query(text, []);
  };
  const close = async () => {
    await transaction?.commit();
    await db.destroy();
  };
  return { handle: port, run, close };
}

shops["Knex on better-sqlite3"] = async () => {
  const file = aFile();
  const open = () => {
    const afterCreate = (handle: Sqlite.Database, done: () => void) => {
      for (const pragma of PRAGMAS) handle.pragma(pragma);
      done();
    };
    const connection = { filename: file };
    return knexHand(knex({ client: "better-sqlite3", connection, useNullAsDefault: true, pool: { afterCreate } }));
  };
  return shopOn(await openLacre({ dialect: sqlite(file) }), open, "orders");
};

/** As the page says: whole numbers come as numbers. Put back when the test ends. */
function numbersFromPg(): void {
  for (const oid of [20, 1700]) {
    const before = pg.types.getTypeParser(oid, "text");
    pg.types.setTypeParser(oid, Number);
    onTestFinished(() => pg.types.setTypeParser(oid, before));
  }
}

if (HAS_SERVER) {
  const onServer = async (open: () => Promise<Hand>) => {
    const place = aFile();
    onTestFinished(() => dropped(schemaOf(place)));
    const lacre = await openLacre({ dialect: POSTGRES.dialect(place) });
    return shopOn(lacre, open, `${schemaOf(place)}.orders`);
  };
  shops["a client of pg"] = () =>
    onServer(async () => {
      const client = new pg.Client(POSTGRES_URL);
      await client.connect();
      return { handle: client, run: async (text) => (await client.query(text)).rows, close: () => client.end() };
    });
  shops["a query function on PostgreSQL"] = () =>
    onServer(async () => {
      numbersFromPg();
      const client = new pg.Client(POSTGRES_URL);
      await client.connect();
      const query = async (text: string, values: readonly unknown[]) => (await client.query(text, [...values])).rows;
      return { handle: { query }, run: (text) => query(text, []), close: () => client.end() };
    });
  shops["Drizzle on node-postgres"] = () =>
    onServer(async () => {
      numbersFromPg();
      const client = new pg.Client(POSTGRES_URL);
      await client.connect();
      const handle = recipeOf("fromDrizzle")(drizzle(client));
      return { handle, run: (text) => handle.query(text, []).then((rows) => [...rows]), close: () => client.end() };
    });
  shops["Knex on pg"] = () =>
    onServer(() => {
      numbersFromPg();
      return knexHand(knex({ client: "pg", connection: POSTGRES_URL }));
    });
  shops["a transaction of Kysely with plugins on PostgreSQL"] = () =>
    onServer(async () => {
      numbersFromPg();
      const plugins = [new CamelCasePlugin()];
      const pool = new pg.Pool({ connectionString: POSTGRES_URL });
      return kyselyHand(new Kysely<object>({ dialect: new PostgresDialect({ pool }), plugins }));
    });
  shops["a transaction of Kysely on PostgreSQL"] = () =>
    onServer(async () => {
      const types = {
        getTypeParser: (oid: number) => ([20, 1700].includes(oid) ? Number : pg.types.getTypeParser(oid)),
      };
      const pool = new pg.Pool({ connectionString: POSTGRES_URL, types: types as pg.CustomTypesConfig });
      return kyselyHand(new Kysely<object>({ dialect: new PostgresDialect({ pool }) }));
    });
}

const invoice = ({ home, customer_id }: Shop): NewDocument => {
  const issue_date = new Date().toLocaleDateString("sv-SE", { timeZone: "Europe/Lisbon" });
  return { doc_type: "FT", series_id: home.series.FT, customer_id, issue_date, lines: [aLine()], issue: true };
};

describe.each(Object.entries(shops))("inside a transaction of the host's: %s", (_, open) => {
  test("an order and its invoice are committed together", async () => {
    const shop = await open();
    await shop.during(async (handle, order) => {
      await order("1001");
      const inside = shop.lacre.within(handle).as(shop.home.company_id, { actor: "Loja" });
      const issued = await inside.documents.create(invoice(shop), { idempotency_key: "1001" });
      expect(issued).toMatchObject({ number: expect.stringMatching(/\/1$/), status: "issued" });
      expect((await inside.documents.get({ id: issued.id })).number).toBe(issued.number);
      return "commit";
    });
    expect([await shop.orders(), (await shop.home.company.documents.list({})).pagination.total]).toEqual([1, 1]);
    expect(await shop.home.company.series.verify()).toMatchObject({ whole: true, documents: 1 });
  });

  test("a transaction that the host undoes leaves no used number and no trace", async () => {
    const shop = await open();
    await shop.during(async (handle, order) => {
      await order("1001");
      const inside = shop.lacre.within(handle).as(shop.home.company_id);
      await Promise.all([1, 2, 3].map(() => inside.documents.create(invoice(shop))));
      return "rollback";
    });
    expect([await shop.orders(), (await shop.home.company.documents.list({})).pagination.total]).toEqual([0, 0]);
    const next = await shop.home.company.documents.create(invoice(shop));
    expect(next.number).toMatch(/\/1$/);
    expect(await shop.home.company.series.verify()).toMatchObject({ whole: true, documents: 1 });
  });

  test("a refused call undoes itself alone", async () => {
    const shop = await open();
    await shop.during(async (handle, order) => {
      await order("1001");
      const inside = shop.lacre.within(handle).as(shop.home.company_id);
      const wrong = { ...invoice(shop), issue_date: "2999-01-01" };
      await expectRefusal(inside.documents.create(wrong), "invalid_request", "issue_date");
      await inside.documents.create(invoice(shop));
      return "commit";
    });
    expect(await shop.orders()).toBe(1);
    expect(await shop.home.company.series.verify()).toMatchObject({ whole: true, documents: 1 });
  });

  test("a caller who issues meanwhile waits, and gets the next number", async () => {
    const shop = await open();
    const others: Promise<unknown>[] = [];
    await shop.during(async (handle) => {
      const inside = shop.lacre.within(handle).as(shop.home.company_id);
      await inside.documents.create(invoice(shop));
      others.push(...[1, 2, 3].map(() => shop.home.company.documents.create(invoice(shop))));
      await inside.documents.create(invoice(shop));
      return "commit";
    });
    const numbers = (await Promise.all(others)).map((one) => Number((one as { number: string }).number.split("/")[1]));
    expect(numbers.sort()).toEqual([3, 4, 5]);
    expect(await shop.home.company.series.verify()).toMatchObject({ whole: true, documents: 5 });
  });
});

const refused = (lacre: Lacre, handle: HostTransaction, company_id: string) =>
  expect(lacre.within(handle).as(company_id).customers.list()).rejects;

test("a handle without a transaction, on another database, or with unsafe settings is refused in words", async () => {
  const file = aFile();
  const lacre = await openLacre({ dialect: sqlite(file) });
  onTestFinished(() => lacre.close());
  const { id } = await lacre.companies.create({ name: "Loja, Lda.", tax_id: "500000000" });
  const handle = new Sqlite(file);
  const other = new Sqlite(":memory:");
  onTestFinished(() => void handle.close());
  onTestFinished(() => void other.close());
  for (const one of [handle, other]) for (const pragma of PRAGMAS) one.pragma(pragma);

  await refused(lacre, handle, id).toThrow("There is no transaction under way");
  other.exec("begin");
  await refused(lacre, other, id).toThrow("on another database");
  handle.pragma("foreign_keys = off");
  handle.exec("begin");
  await refused(lacre, handle, id).toThrow('The connection has foreign_keys at 0: run "pragma foreign_keys = 1"');
  const node = new DatabaseSync(file);
  onTestFinished(() => node.close());
  expect(() => lacre.within(node)).toThrow("two SQLite libraries in one process do not see each other's locks");
  expect(() => lacre.within({} as never)).toThrow("within() takes a transaction under way");
  const client = { query: async () => {}, escapeIdentifier: String };
  expect(() => lacre.within(client)).toThrow("within() takes a transaction under way");
  for (const none of [null, undefined, "x", 1, [], { prepare: 1 }, { query: 1 }, { prepare() {} }]) {
    expect(() => lacre.within(none as never)).toThrow("within() takes a transaction under way");
  }
});

test.runIf(HAS_SERVER)("a transaction of Kysely whose driver gives numbers as texts is refused in words", async () => {
  const place = aFile();
  onTestFinished(() => dropped(schemaOf(place)));
  const lacre = await openLacre({ dialect: POSTGRES.dialect(place) });
  onTestFinished(() => lacre.close());
  const { id } = await lacre.companies.create({ name: "Loja, Lda.", tax_id: "500000000" });
  const pool = new pg.Pool({ connectionString: POSTGRES_URL });
  const hand = await kyselyHand(new Kysely<object>({ dialect: new PostgresDialect({ pool }) }));
  await refused(lacre, hand.handle, id).toThrow("gives bigint and numeric as texts");
  await hand.close();
  const client = new pg.Client(POSTGRES_URL);
  await client.connect();
  await refused(lacre, client, id).toThrow("There is no transaction under way");
  await client.end();
});

test("a copy of the file is another database, and so is a hard link to it", async () => {
  const file = aFile();
  const lacre = await openLacre({ dialect: sqlite(file) });
  onTestFinished(() => lacre.close());
  const { id } = await lacre.companies.create({ name: "Loja, Lda.", tax_id: "500000000" });
  const copy = `${file}.copy`;
  const saved = new Sqlite(file);
  saved.exec(`vacuum into '${copy}'`);
  saved.exec("pragma wal_checkpoint(truncate)"); // else SQLite itself fails to read the file under another name
  saved.close();
  const shop = async (path: string) => {
    const handle = new Sqlite(path);
    onTestFinished(() => void handle.close());
    for (const pragma of PRAGMAS) handle.pragma(pragma);
    handle.exec("begin");
    return handle;
  };
  await refused(lacre, await shop(copy), id).toThrow("is on another database");
  const elsewhere = `${file}.elsewhere`;
  mkdirSync(elsewhere);
  for (const link of [`${file}.link`, join(elsewhere, basename(file))]) {
    linkSync(file, link); // Its log would be another one.
    await refused(lacre, await shop(link), id).toThrow("is on another database");
    rmSync(link);
  }
  const own = await shop(file); // the control
  expect((await lacre.within(own).as(id).customers.create({ name: "Ana" })).name).toBe("Ana");
});

test.each(Object.entries(SQLITE_HANDS))(
  "after its end nothing more is written by a transaction: %s",
  async (name, open) => {
    const file = aFile();
    const lacre = await openLacre({ dialect: name === "node:sqlite" ? nodeSqlite(file) : sqlite(file) });
    onTestFinished(() => lacre.close());
    const { id } = await lacre.companies.create({ name: "Loja, Lda.", tax_id: "500000000" });
    const { handle, run, close } = await open(file);
    onTestFinished(close);
    await run("begin immediate");
    const inside = lacre.within(handle).as(id);
    await inside.customers.create({ name: "Ana" });
    await run("commit");
    await expect(inside.customers.create({ name: "Rui" })).rejects.toThrow("There is no transaction under way");
    await expect(inside.customers.list()).rejects.toThrow("There is no transaction under way");
    expect((await lacre.as(id).customers.list()).pagination.total).toBe(1);
    await run("begin immediate"); // another one on the same connection
    await inside.customers.create({ name: "Rui" });
    await run("rollback");
    expect((await lacre.as(id).customers.list()).pagination.total).toBe(1);
  },
);

describe.runIf(HAS_SERVER)("on a server", () => {
  async function aHeldShop() {
    const place = aFile();
    onTestFinished(() => dropped(schemaOf(place)));
    const lacre = await openLacre({ dialect: POSTGRES.dialect(place) });
    onTestFinished(() => lacre.close());
    const { id } = await lacre.companies.create({ name: "Loja, Lda.", tax_id: "500000000" });
    const client = new pg.Client(POSTGRES_URL);
    await client.connect();
    onTestFinished(() => client.end());
    return { lacre, id, client, schema: schemaOf(place) };
  }

  test("after its end nothing more is written by a transaction", async () => {
    const { lacre, id, client } = await aHeldShop();
    await client.query("begin");
    const inside = lacre.within(client).as(id);
    await inside.customers.create({ name: "Ana" });
    await client.query("commit");
    await expect(inside.customers.create({ name: "Rui" })).rejects.toThrow("There is no transaction under way");
    expect((await lacre.as(id).customers.list()).pagination.total).toBe(1);
  });

  test("a transaction that failed before, and one that the server ended, are lost as a whole, in words", async () => {
    const { lacre, id, client, schema } = await aHeldShop();
    await client.query("begin");
    await client.query("select 1 / 0").catch(() => {});
    const failed = lacre.within(client).as(id).customers.create({ name: "Ana" });
    await expectRefusal(failed, "unavailable", "failed before", "Roll it back, and do all of it again");
    await client.query("rollback");
    await client.query("begin isolation level serializable");
    await client.query(`select name from ${schema}.companies`);
    await lacre.as(id).company.change({ name: "Outra, Lda." }); // behind the snapshot of the other
    const lost = lacre.within(client).as(id).customers.create({ name: "Ana" });
    await expectRefusal(lost, "unavailable", "ended the host program's transaction", "do all of it again");
    await client.query("rollback");
    await client.query("begin isolation level serializable"); // the control
    expect((await lacre.within(client).as(id).customers.create({ name: "Ana" })).name).toBe("Ana");
    await client.query("commit");
  });
});
