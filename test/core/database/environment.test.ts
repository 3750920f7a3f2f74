import { SqliteDialect } from "kysely";
import { openLacre, StorageError } from "lacre";
import { describe, expect, test } from "vitest";
import { DRIVERS } from "../../support/drivers.ts";
import { type Faults, faultyDialect, sqliteError } from "../../support/faulty.ts";
import { aFile } from "../../support/instance.ts";

const VERSION = "select sqlite_version()";

/** Ignores one setting: the statement that SQLite gets in its place. */
const ignoring = (name: string, instead: string): Faults => ({
  setting: (sql) => (sql.startsWith(`pragma ${name} =`) ? `pragma ${name} = ${instead}` : sql),
});

const version = (text: string): Faults => ({ answer: (sql) => (sql === VERSION ? { version: text } : undefined) });

describe.each(DRIVERS)("the checks before $name is used", (driver) => {
  const open = async (faults: Faults, file = aFile()) => openLacre({ dialect: faultyDialect(driver, file, faults) });

  test.each<[string, Faults, string]>([
    ["that ignores synchronous", ignoring("synchronous", "normal"), "synchronous: it is at 1"],
    ["that never synchronises", ignoring("synchronous", "off"), "synchronous: it is at 0"],
    ["that ignores foreign_keys", ignoring("foreign_keys", "off"), "foreign_keys: it is at 0"],
    ["that ignores recursive_triggers", ignoring("recursive_triggers", "off"), "recursive_triggers: it is at 0"],
    ["of SQLite 3.51.2", version("3.51.2"), "SQLite 3.51.2 can lose commits"],
    ["of SQLite 3.9.99", version("3.9.99"), "SQLite 3.9.99 can lose commits"],
    ["of SQLite 2.99.99", version("2.99.99"), "SQLite 2.99.99 can lose commits"],
  ])("a driver %s is refused", async (_, faults, message) => {
    const error = await open(faults).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(StorageError);
    expect(error).toMatchObject({ trouble: "unusable", message: expect.stringContaining(message) });
  });

  test.each(["3.51.3", "3.52.0", "3.100.0", "4.0.0"])("SQLite %s is accepted", async (text) => {
    await (await open(version(text))).close();
  });

  test("the control: a driver without a fault opens, and a harmless setting may be ignored", async () => {
    await (await open({})).close();
    await (await open(ignoring("cell_size_check", "off"))).close();
  });

  test("a file must be in WAL mode; memory has no such mode", async () => {
    const faults = ignoring("journal_mode", "delete");
    await expect(open(faults)).rejects.toThrow("journal_mode: it is at delete");
    await (await open(faults, ":memory:")).close();
  });

  test("a database in memory needs the same settings", async () => {
    await expect(open(ignoring("synchronous", "normal"), ":memory:")).rejects.toThrow("synchronous: it is at 1");
    await expect(open(ignoring("foreign_keys", "off"), ":memory:")).rejects.toThrow("foreign_keys: it is at 0");
  });

  test("opening waits for another program that is changing the mode of the file", async () => {
    const busy = (times: number): Faults => ({
      setting: (sql) => {
        if (sql === "pragma journal_mode = wal" && times-- > 0) throw rawBusy();
        return sql;
      },
    });
    const rawBusy = () => sqliteError(driver, "SQLITE_BUSY");
    await (await open(busy(3))).close();
    await expect(open(busy(Number.POSITIVE_INFINITY))).rejects.toMatchObject({ trouble: "busy" });
  });

  test("both connections to a file have every setting Lacre relies on", () => {
    const file = aFile();
    const writer = driver.open(file);
    const reader = driver.open(file, { readonly: true });
    const setting = (connection: typeof writer, name: string) =>
      Object.values(connection.prepare(`pragma ${name}`).all([])[0] as object)[0];
    for (const connection of [writer, reader]) {
      const names = ["foreign_keys", "recursive_triggers", "trusted_schema", "cell_size_check"];
      expect(names.map((name) => setting(connection, name))).toEqual([1, 1, 0, 1]);
      expect(setting(connection, "busy_timeout")).toBeGreaterThan(0);
      expect(setting(connection, "journal_mode")).toBe("wal");
    }
    expect(setting(writer, "synchronous")).toBe(2);
    expect(() => reader.exec("create table t (a)")).toThrow("readonly");
    writer.close();
    reader.close();
  });
});

test("a plain Kysely dialect is refused by its type and, if forced, by an error before anything opens", async () => {
  let opened = false;
  const database = async () => {
    opened = true;
    throw new Error("The database was opened.");
  };
  const dialect = new SqliteDialect({ database });
  // @ts-expect-error It lacks what `sqlite()` and `nodeSqlite()` give.
  await expect(openLacre({ dialect })).rejects.toMatchObject({
    name: "StorageError",
    trouble: "unusable",
    message: expect.stringContaining(
      "sqlite(file) of lacre/sqlite, nodeSqlite(file) of lacre/node-sqlite, or postgres(…)",
    ),
  });
  expect(opened).toBe(false);
});
