import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { openLacre, StorageError } from "lacre";
import { describe, expect, test } from "vitest";
import { DRIVERS } from "../../support/drivers.ts";
import { anInvoice } from "../../support/factories.ts";
import { faultyDialect, sqliteError } from "../../support/faulty.ts";
import { aFile, anInstallation, aShell, openInstance } from "../../support/instance.ts";
import { inProcesses } from "../../support/processes.ts";

const SCHEMA = "select type, name, sql from sqlite_schema order by type, name";

const digestOf = (file: string) => createHash("sha256").update(readFileSync(file)).digest("hex");

/** The error of an opening; fails when it opens. */
async function troubleOf(opening: Promise<unknown>): Promise<StorageError> {
  const error = await opening.then(
    () => expect.fail("expected it not to open"),
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(StorageError);
  return error as StorageError;
}

describe.each(DRIVERS)("migrating over $name", (driver) => {
  test("a new file gets the whole schema, and opening again changes nothing", async () => {
    const file = aFile();
    await (await openLacre({ dialect: driver.dialect(file) })).close();
    const shell = aShell(file);
    const schema = shell.prepare(SCHEMA).all();
    expect(shell.prepare("select id from migrations").pluck().all()).toEqual(["0001-initial"]);
    expect(shell.prepare("select id, restores from installation").all()).toEqual([{ id: 1, restores: 0 }]);
    const again = await anInstallation(driver, { file });
    expect(await again.isReady()).toBe(true);
    expect(shell.prepare(SCHEMA).all()).toEqual(schema);
    expect(shell.prepare("select count(*) from migrations").pluck().get()).toBe(1);
  });

  test("a failure at any statement leaves nothing, and the next opening migrates", async () => {
    const whole = aFile();
    let statements = 0;
    const counted = faultyDialect(driver, whole, { before: () => void statements++ });
    await (await openLacre({ dialect: counted })).close();
    const wanted = aShell(whole).prepare(SCHEMA).all();
    expect(statements).toBeGreaterThan(50);

    for (const persistent of [false, true]) {
      for (let failing = 1; failing <= statements; failing++) {
        const file = aFile();
        let seen = 0;
        const dialect = faultyDialect(driver, file, {
          before: () => {
            seen++;
            if (persistent ? seen >= failing : seen === failing) throw sqliteError(driver, "SQLITE_IOERR_FSYNC");
          },
        });
        expect((await troubleOf(openLacre({ dialect }))).trouble).toBe("broken");
        const shell = aShell(file);
        expect(shell.prepare(SCHEMA).all(), `after a failure at statement ${failing}`).toEqual([]);
        if (failing % 10 !== 0) continue;
        await (await openLacre({ dialect: driver.dialect(file) })).close();
        expect(shell.prepare(SCHEMA).all()).toEqual(wanted);
      }
    }
  });

  test("four programs that open one new file at once migrate it once", async () => {
    const file = aFile();
    const ran = await inProcesses(4, { driver: driver.name, file, task: "open" });
    expect(ran).toEqual(Array(4).fill({ ready: true }));
    const shell = aShell(file);
    expect(shell.prepare("select count(*) from migrations").pluck().get()).toBe(1);
    expect(shell.prepare("select count(*) from installation").pluck().get()).toBe(1);
  });

  test("a newer schema is refused and its file stays unchanged", async () => {
    const file = aFile();
    const instance = await openInstance(driver, { file });
    await anInvoice(instance);
    await instance.lacre.close();
    const shell = aShell(file);
    shell.exec("insert into migrations values ('9999-future', 'digest', 'then')");
    shell.close();
    const before = digestOf(file);
    for (const migrate of [true, false]) {
      const trouble = await troubleOf(openLacre({ dialect: driver.dialect(file), migrate }));
      expect(trouble).toMatchObject({ trouble: "unusable", message: expect.stringContaining("newer Lacre") });
    }
    expect(digestOf(file)).toBe(before);
  });

  test.each([
    { made: "by another text of a migration", change: "update migrations set digest = 'another'" },
    { made: "before databases kept digests", change: "alter table migrations drop column digest" },
  ])("a database made $made is refused and its file stays unchanged", async ({ change }) => {
    const file = aFile();
    await (await openLacre({ dialect: driver.dialect(file) })).close();
    await (await openLacre({ dialect: driver.dialect(file) })).close(); // unchanged, it opens again
    const shell = aShell(file);
    shell.exec(change);
    shell.close();
    const before = digestOf(file);
    for (const migrate of [true, false]) {
      const trouble = await troubleOf(openLacre({ dialect: driver.dialect(file), migrate }));
      expect(trouble).toMatchObject({
        trouble: "unusable",
        message: expect.stringContaining("another build of Lacre"),
      });
    }
    expect(digestOf(file)).toBe(before);
  });

  test("another program's database is refused and keeps its tables", async () => {
    const file = aFile();
    const shell = aShell(file);
    shell.exec("create table invoices (id integer primary key); insert into invoices values (7)");
    for (const migrate of [true, false]) {
      const trouble = await troubleOf(openLacre({ dialect: driver.dialect(file), migrate }));
      expect(trouble).toMatchObject({ trouble: "unusable", message: expect.stringContaining("not Lacre's") });
    }
    expect(shell.prepare("select name from sqlite_schema").pluck().all()).toEqual(["invoices"]);
    expect(shell.prepare("select id from invoices").pluck().all()).toEqual([7]);
  });

  test.each([
    ["migrations", "create table migrations (id integer primary key, name text, batch integer)"],
    ["migrations", "create table migrations (id text primary key, applied_at text)"],
    ["customers", "create table customers (id integer primary key)"],
    ["documents", "create view documents as select 1 as doc_type"],
    ["a, b, c and 1 more", "create table a (x); create table b (x); create table c (x); create table d (x)"],
  ])("another program's %s are named, and not a byte of its file changes", async (named, made) => {
    const file = aFile();
    const shell = aShell(file);
    shell.exec(made);
    shell.close();
    const before = digestOf(file);
    for (const migrate of [true, false]) {
      const { message } = await troubleOf(openLacre({ dialect: driver.dialect(file), migrate }));
      expect(message).toBe(`The database holds tables that are not Lacre's: ${named}. Give Lacre a file of its own.`);
    }
    expect(digestOf(file)).toBe(before);
    expect(existsSync(`${file}-wal`)).toBe(false);
  });

  test("a file that is no database is refused and stays unchanged", async () => {
    const file = aFile();
    writeFileSync(file, "Caro cliente, segue a fatura.\n".repeat(1_000));
    const before = digestOf(file);
    expect((await troubleOf(openLacre({ dialect: driver.dialect(file) }))).trouble).toBe("unusable");
    expect(digestOf(file)).toBe(before);
  });

  test("a missing directory is refused", async () => {
    const file = `${aFile()}/there/lacre.db`;
    await expect(openLacre({ dialect: driver.dialect(file) })).rejects.toThrow();
  });

  test("without migrating, an empty database is refused and stays empty", async () => {
    const file = aFile();
    const trouble = await troubleOf(openLacre({ dialect: driver.dialect(file), migrate: false }));
    expect(trouble).toMatchObject({ trouble: "unusable", message: "The database is empty." });
    expect(aShell(file).prepare(SCHEMA).all()).toEqual([]);
  });

  test("written rows are there after closing and opening again", async () => {
    const file = aFile();
    const first = await openInstance(driver, { file });
    const invoice = await anInvoice(first);
    await first.lacre.close();
    for (const other of DRIVERS) {
      const lacre = await openLacre({ dialect: other.dialect(file) });
      const company = lacre.as(first.company_id);
      expect(await company.documents.get({ id: invoice.id })).toEqual({ ...invoice, payments: [], refunds: [] });
      expect(await company.series.verify()).toMatchObject({ whole: true, documents: 1 });
      expect((await lacre.authenticate(first.api_key)).company_id).toBe(first.company_id);
      await lacre.close();
    }
  });
});
