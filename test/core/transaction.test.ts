/** A transaction of the host program's that Lacre begins: on its own connection, in its own line. */
import { AsyncLocalStorage } from "node:async_hooks";
import { sql } from "kysely";
import { LacreError, type NewDocument } from "lacre";
import { describe, expect, onTestFinished, test } from "vitest";
import { DATABASES, HAS_SERVER, isPostgres, POSTGRES, schemaOf } from "../support/databases.ts";
import type { Database } from "../support/drivers.ts";
import { aLine } from "../support/factories.ts";
import { aCompany, aFile, anInstance, type Instance } from "../support/instance.ts";
import { expectRefusal } from "../support/refusals.ts";

/** A shop with a table of orders beside Lacre's, in memory or in a file. */
async function aShop(driver: Database, file?: string) {
  const instance = await anInstance(driver, file === undefined ? {} : { file });
  const { id: customer_id } = await instance.company.customers.create({ name: "Ana" });
  const orders = isPostgres(driver) ? `orders_${Math.trunc(performance.now() * 1000)}` : "orders";
  const value = isPostgres(driver) ? "$1" : "?";
  const insert = `insert into ${orders} values (${value})`;
  const { lacre, company_id } = instance;
  await lacre.transaction(company_id, ({ connection }) =>
    connection.query(`create table ${orders} (id text primary key)`),
  );
  if (isPostgres(driver)) {
    onTestFinished(async () => {
      await lacre.transaction(company_id, ({ connection }) => connection.query(`drop table ${orders}`));
    });
  }
  const count = () =>
    lacre.transaction(
      company_id,
      async ({ connection }) => (await connection.query(`select id from ${orders}`)).length,
    );
  return { ...instance, customer_id, orders, insert, count };
}

type Shop = Awaited<ReturnType<typeof aShop>>;

const invoice = ({ series, customer_id }: Shop): NewDocument => ({
  doc_type: "FT",
  series_id: series.FT,
  customer_id,
  issue_date: "2026-11-21",
  lines: [aLine()],
  issue: true,
});

const documents = async ({ company }: Pick<Instance, "company">) => (await company.documents.list()).pagination.total;

/** What tells that the work of a transaction has begun, and lets it go on. */
const aGate = () => ({ begun: Promise.withResolvers<void>(), go: Promise.withResolvers<void>() });

describe.each(
  DATABASES.flatMap((driver) => [
    { on: `${driver.name} in memory`, driver, isFile: false },
    { on: driver.name, driver, isFile: true },
  ]),
)("a transaction that Lacre begins, over $on", ({ driver, isFile }) => {
  const open = () => aShop(driver, isFile ? aFile() : undefined);

  test("an order and its invoice are committed together, and the result is returned", async () => {
    const shop = await open();
    const number = await shop.lacre.transaction(
      shop.company_id,
      async ({ shop: inside, connection }) => {
        await connection.query(shop.insert, ["1001"]);
        const issued = await inside.documents.create(invoice(shop), { idempotency_key: "1001" });
        expect((await inside.documents.get({ id: issued.id })).number).toBe(issued.number);
        return issued.number;
      },
      { actor: "Loja" },
    );
    expect([number, await shop.count(), await documents(shop)]).toEqual(["FT 2026A/1", 1, 1]);
    expect(await shop.company.series.verify()).toMatchObject({ whole: true, documents: 1 });
  });

  test("work that throws is undone completely, and uses no number", async () => {
    const shop = await open();
    const failing = shop.lacre.transaction(shop.company_id, async ({ shop: inside, connection }) => {
      await connection.query(shop.insert, ["1001"]);
      await inside.documents.create(invoice(shop));
      throw new RangeError("no stock");
    });
    await expect(failing).rejects.toThrow(new RangeError("no stock"));
    expect([await shop.count(), await documents(shop)]).toEqual([0, 0]);
    expect((await shop.company.documents.create(invoice(shop))).number).toBe("FT 2026A/1");
  });

  test("a refused call undoes itself alone, and Kysely runs on the same connection", async () => {
    const shop = await open();
    await shop.lacre.transaction(shop.company_id, async ({ shop: inside, kysely }) => {
      await kysely.insertInto(shop.orders).values({ id: "1001" }).execute();
      await expectRefusal(inside.documents.create({ ...invoice(shop), issue_date: "2999-01-01" }), "invalid_request");
      await inside.documents.create(invoice(shop));
      const { rows } = await sql<{ id: string }>`select id from ${sql.table(shop.orders)}`.execute(kysely);
      expect(rows).toEqual([{ id: "1001" }]);
    });
    expect([await shop.count(), await documents(shop)]).toEqual([1, 1]);
  });

  test("a failed statement of the host's that it ignores does not pass for a commit", async () => {
    const shop = await open();
    const work = shop.lacre.transaction(shop.company_id, async ({ shop: inside, connection }) => {
      await inside.documents.create(invoice(shop));
      await connection.query(shop.insert, ["1001"]);
      await connection.query(shop.insert, ["1001"]).catch(() => {}); // a key twice
    });
    if (isPostgres(driver)) {
      await expect(work).rejects.toThrow("duplicate key"); // a server takes nothing more after it
      expect([await shop.count(), await documents(shop)]).toEqual([0, 0]);
    } else {
      await work;
      expect([await shop.count(), await documents(shop)]).toEqual([1, 1]);
    }
  });

  test("a caller who issues meanwhile waits behind it, and gets the next number", async () => {
    const shop = await open();
    const { begun, go } = aGate();
    const work = shop.lacre.transaction(shop.company_id, async ({ shop: inside }) => {
      begun.resolve();
      await go.promise;
      return (await inside.documents.create(invoice(shop))).number;
    });
    await begun.promise;
    const others = [1, 2, 3].map(() => shop.company.documents.create(invoice(shop)));
    const reading = shop.company.customers.list(); // where there is one connection for everything, it waits
    go.resolve();
    expect((await reading).pagination.total).toBe(1);
    expect(await work).toBe("FT 2026A/1");
    expect((await Promise.all(others)).map(({ number }) => number)).toEqual([2, 3, 4].map((n) => `FT 2026A/${n}`));
  });

  test("a call from inside it that would wait for it is refused in words, also deep inside", async () => {
    const shop = await open();
    const self = "waits for the transaction that it is made in";
    await shop.lacre.transaction(shop.company_id, async ({ shop: inside }) => {
      await inside.customers.create({ name: "Rui" });
      await new Promise((resolve) => setTimeout(resolve, 1));
      await expect(shop.company.customers.create({ name: "Eva" })).rejects.toThrow(self);
      await expect(shop.lacre.companies.create({ name: "Nova", tax_id: "501964843" })).rejects.toThrow(self);
      await expect(shop.lacre.transaction(shop.company_id, async () => 1)).rejects.toThrow(self);
      const reading = shop.company.customers.list();
      // Where there is one connection for everything, reading would wait, too.
      if (driver.name.startsWith("PostgreSQL") || (isFile && driver.name !== "PGlite"))
        expect((await reading).pagination.total).toBe(1); // as it was before
      else await expect(reading).rejects.toThrow(self);
    });
    expect((await shop.company.customers.list()).pagination.total).toBe(2); // the control: outside it works
  });

  test("its handles are dead once it has ended", async () => {
    const shop = await open();
    const kept = await shop.lacre.transaction(shop.company_id, async (inside) => ({ inside }));
    await expect(kept.inside.connection.query("select 1")).rejects.toThrow("The transaction has ended");
    await expect(kept.inside.kysely.selectFrom(shop.orders).selectAll().execute()).rejects.toThrow("has ended");
    await expect(kept.inside.shop.customers.create({ name: "Eva" })).rejects.toThrow("The transaction has ended");
    expect((await shop.company.customers.list()).pagination.total).toBe(1);
  });

  test("a call that is not awaited undoes it", async () => {
    const shop = await open();
    const left: Promise<unknown>[] = [];
    const work = shop.lacre.transaction(shop.company_id, async ({ shop: inside }) => {
      left.push(inside.documents.create(invoice(shop)).catch(() => {}));
    });
    await expect(work).rejects.toThrow("await each call");
    await Promise.allSettled(left);
    expect(await documents(shop)).toBe(0);
    expect((await shop.company.documents.create(invoice(shop))).number).toBe("FT 2026A/1");
  });

  test("the host can neither begin nor end it", async () => {
    const shop = await open();
    await shop.lacre.transaction(shop.company_id, async ({ connection }) => {
      for (const text of [
        "commit",
        " COMMIT;",
        "-- now\nrollback",
        "/* x */ end",
        "begin",
        "start transaction",
        "abort",
      ]) {
        await expect(connection.query(text)).rejects.toThrow("Lacre begins and ends this transaction");
      }
      await connection.query("savepoint mine");
      await connection.query(shop.insert, ["1001"]);
      await connection.query("rollback to mine");
      await expect(connection.query(`${shop.insert.replace(/values.*/, "values ('1002')")}; commit`)).rejects.toThrow();
      if (isPostgres(driver)) await connection.query("rollback to savepoint mine");
      expect(await connection.query("select 1 as one; /* the only one */ ; -- in it")).toEqual([{ one: 1 }]);
    });
    expect(await shop.count()).toBe(0);
  });

  test("work that takes too long is undone and refused, and lets others continue", async () => {
    const shop = await open();
    const late = Promise.withResolvers<void>();
    const work = shop.lacre.transaction(
      shop.company_id,
      async ({ shop: inside, connection }) => {
        await inside.documents.create(invoice(shop));
        await late.promise;
        await connection.query(shop.insert, ["1001"]);
      },
      { timeoutMs: 1_000 },
    );
    await expectRefusal(work, "unavailable", "had not ended after 1 s");
    expect((await shop.company.documents.create(invoice(shop))).number).toBe("FT 2026A/1");
    late.resolve();
    expect([await shop.count(), await documents(shop)]).toEqual([0, 1]);
    for (const timeoutMs of [0, 1.5, 60_001, Number.NaN]) {
      await expect(shop.lacre.transaction(shop.company_id, async () => 1, { timeoutMs })).rejects.toThrow(
        "timeoutMs is",
      );
    }
  });

  test("followers are woken by its commit, and the host's own context is kept", async () => {
    const shop = await open();
    const { pagination } = await shop.company.events.list();
    const own = new AsyncLocalStorage<string>();
    const events = shop.company.events.follow({ after: pagination.total })[Symbol.asyncIterator]();
    const next = events.next();
    await own.run("request 7", () =>
      shop.lacre.transaction(shop.company_id, async ({ shop: inside }) => {
        expect(own.getStore()).toBe("request 7");
        await inside.customers.create({ name: "Eva" });
      }),
    );
    expect((await next).value).toMatchObject({ action: "customer.created" });
    await events.return?.();
  });

  test("an unknown company is refused, and a missing one in words", async () => {
    const { lacre } = await open();
    await expectRefusal(
      lacre.transaction("nope", async () => 1),
      "not_found",
    );
    await expectRefusal(lacre.as("nope").customers.list(), "not_found");
    for (const none of [undefined, null, 1, {}, { id: 1 }]) {
      expect(() => lacre.as(none as never)).toThrow("Give a company or its id");
      await expect(lacre.transaction(none as never, async () => 1)).rejects.toThrow("Give a company or its id");
    }
  });
});

describe.runIf(HAS_SERVER)("a transaction that Lacre begins on a server", () => {
  test("it takes no connection from other companies, and its table is the host's though it is called as one of Lacre's", async () => {
    const file = aFile();
    const shop = await aShop(POSTGRES, file); // two connections for changes
    const others = [await aCompany(shop.lacre), await aCompany(shop.lacre, { tax_id: "502011475" })];
    const gates = others.map(aGate);
    const working = others.map(({ company_id }, i) =>
      shop.lacre.transaction(company_id, async ({ connection }) => {
        gates[i]?.begun.resolve();
        await gates[i]?.go.promise;
        return connection.query("select 1 as one");
      }),
    );
    await Promise.all(gates.map(({ begun }) => begun.promise));
    expect((await shop.company.documents.create(invoice(shop))).number).toBe("FT 2026A/1");
    for (const { go } of gates) go.resolve();
    expect(await Promise.all(working)).toEqual([[{ one: 1 }], [{ one: 1 }]]);
    const named = shop.lacre.transaction(shop.company_id, async ({ kysely }) => {
      await sql`create temporary table series (mine text) on commit drop`.execute(kysely);
      await kysely.insertInto("series").values({ mine: "x" }).execute();
      return kysely.selectFrom("series").selectAll().execute();
    });
    expect(await named).toEqual([{ mine: "x" }]);
    expect(schemaOf(file)).not.toBe("");
  });

  test("a statement that outlasts its time is cancelled", async () => {
    const shop = await aShop(POSTGRES, aFile());
    const work = shop.lacre.transaction(shop.company_id, ({ connection }) => connection.query("select pg_sleep(600)"), {
      timeoutMs: 500,
    });
    await expect(work).rejects.toBeInstanceOf(LacreError);
    expect((await shop.company.documents.create(invoice(shop))).number).toBe("FT 2026A/1");
  });
});
