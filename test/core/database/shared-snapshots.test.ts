import { statSync } from "node:fs";
import { CompiledQuery } from "kysely";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Database, databaseOf, executorOf, inTransaction } from "../../../src/core/database/executor.ts";
import { sqliteDialect } from "../../../src/core/database/sqlite-dialect.ts";
import type { Reader } from "../../../src/core/database/tables.ts";
import { nextTurn } from "../../../src/core/runtime/ports.ts";
import { DRIVERS } from "../../support/drivers.ts";
import { aFile } from "../../support/instance.ts";

describe.each(DRIVERS)("over $name, reads that share the snapshot of a turn", (driver) => {
  /** A database with the table `counter` in a file, and the statements that its reading connection was given. */
  async function aDatabase({ snapshotPerTurn = true } = {}) {
    const file = aFile();
    const read: string[] = [];
    const open: Parameters<typeof sqliteDialect>[0] = (path, { readonly }) => {
      const database = driver.open(path, { readonly });
      if (!readonly) return database;
      const prepare: typeof database.prepare = (sql) => {
        const statement = database.prepare(sql);
        const run: typeof statement.run = (parameters) => {
          read.push(sql);
          return statement.run(parameters);
        };
        return { reader: statement.reader, run, all: (given) => statement.all(given), iterate: statement.iterate };
      };
      return { exec: database.exec, backup: database.backup, close: database.close, prepare };
    };
    const database = databaseOf(sqliteDialect(open, file, undefined, { snapshotPerTurn }));
    onTestFinished(() => database.connections.close());
    await change(database, "create table counter (n integer not null, padding blob)");
    await change(database, "insert into counter values (0, null)");
    await nextTurn();
    read.length = 0;
    const begun = () => read.filter((sql) => sql === "begin").length;
    return { database, file, begun, read };
  }

  const change = (database: Database, sql: string) =>
    inTransaction(database, "write", async (db) => void (await db.executor.run(CompiledQuery.raw(sql))));

  async function count(db: Reader): Promise<number | undefined> {
    const { rows } = await executorOf(db).executor.run<{ n: number }>(CompiledQuery.raw("select n from counter"));
    return rows[0]?.n;
  }

  const countIn = ({ loose }: Database) => count(loose);
  const countWithin = (database: Database) => inTransaction(database, "snapshot", count);

  const sizeOfLog = (file: string) => statSync(`${file}-wal`).size;

  test("begin one for the whole turn, and another in the next", async () => {
    const { database, begun, read } = await aDatabase();
    await Promise.all([countIn(database), countIn(database)]);
    await countWithin(database);
    expect(begun()).toBe(1);
    await nextTurn();
    expect(read).toEqual(["begin", "rollback"]);
    await countIn(database);
    expect(begun()).toBe(2);
  });

  test("begin one each if they do not share", async () => {
    const { database, begun } = await aDatabase({ snapshotPerTurn: false });
    await countWithin(database);
    await countWithin(database);
    expect(begun()).toBe(2);
  });

  test("see what this process committed before them in the same turn", async () => {
    const { database } = await aDatabase();
    expect(await countIn(database)).toBe(0);
    await change(database, "update counter set n = 1");
    expect(await countIn(database)).toBe(1);
  });

  test("stay as they began while others commit, and the next read sees the commit", async () => {
    const { database } = await aDatabase();
    const seen = await inTransaction(database, "snapshot", async (db) => {
      const before = await count(db);
      await change(database, "update counter set n = 1");
      await nextTurn();
      return [before, await count(db)];
    });
    expect(seen).toEqual([0, 0]);
    expect(await countIn(database)).toBe(1);
  });

  test("see from the next turn on what another connection committed", async () => {
    const { database, file } = await aDatabase();
    const other = driver.open(file);
    onTestFinished(() => other.close());
    expect(await countIn(database)).toBe(0);
    other.exec("update counter set n = 1");
    expect(await countIn(database)).toBe(0);
    await nextTurn();
    expect(await countIn(database)).toBe(1);
  });

  test("let the log restart under changes in every turn, which one long snapshot does not", async () => {
    const { database, file } = await aDatabase();
    async function load() {
      for (let i = 0; i < 60; i++) {
        await countIn(database);
        await change(database, `update counter set n = n + 1, padding = randomblob(${400_000 + i})`);
      }
    }
    await load();
    expect(sizeOfLog(file)).toBeLessThan(10_000_000);
    const other = driver.open(file, { readonly: true });
    onTestFinished(() => other.close());
    other.exec("begin");
    other.prepare("select n from counter").all([]);
    await load();
    expect(sizeOfLog(file)).toBeGreaterThan(20_000_000);
  });

  test("continue after one that failed", async () => {
    const { database } = await aDatabase();
    const failing = inTransaction(database, "snapshot", (db) =>
      db.executor.run(CompiledQuery.raw("select 1 from gone")),
    );
    await expect(failing).rejects.toThrow("no such table");
    expect(await countIn(database)).toBe(0);
    await nextTurn();
    expect(await countIn(database)).toBe(0);
  });

  test("leave nothing to do after the database was closed", async () => {
    const { database, read } = await aDatabase();
    await countIn(database);
    await database.connections.close();
    await nextTurn();
    expect(read).toEqual(["begin"]);
  });
});
