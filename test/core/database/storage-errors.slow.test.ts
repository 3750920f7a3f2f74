import { type LogEntry, pemSigner } from "lacre";
import type { SqliteFile } from "lacre/sqlite";
import { TEST_SIGNING_KEY } from "lacre/testing";
import { describe, expect, test } from "vitest";
import { DRIVERS } from "../../support/drivers.ts";
import { aCustomer, aDraft, anInvoice } from "../../support/factories.ts";
import { faultyDialect, sqliteError } from "../../support/faulty.ts";
import { aFile, anInstallation, anInstance, anInstanceInHand } from "../../support/instance.ts";
import { refusalOf } from "../../support/refusals.ts";

const signer = pemSigner(TEST_SIGNING_KEY, 1);

describe.each(DRIVERS)("storage trouble over $name", (driver) => {
  /** An instance on a file whose statements fail while `fault.now` is set. */
  async function aFickleInstance() {
    const fault: { now: ((sql: string) => Error | undefined) | undefined } = { now: undefined };
    const halts: string[] = [];
    const log: LogEntry[] = [];
    const file = aFile();
    const before = (sql: string) => {
      const error = fault.now?.(sql);
      if (error) throw error;
    };
    const instance = await anInstance(driver, {
      dialect: faultyDialect(driver, file, { before }),
      onHalt: (reason) => void halts.push(reason),
      log: (entry) => void log.push(entry),
    });
    return { ...instance, file, fault, halts, log };
  }

  test.each(["SQLITE_IOERR_FSYNC", "SQLITE_IOERR", "SQLITE_CORRUPT"] as const)(
    "%s at a commit stops all writing until a restart; reads go on",
    async (name) => {
      const instance = await aFickleInstance();
      const { company, fault, halts, log } = instance;
      const draft = await aDraft(instance);
      fault.now = (sql) => (sql === "commit" ? sqliteError(driver, name) : undefined);
      const unknown = await refusalOf(company.documents.issue({ id: draft.id }));
      expect(unknown).toMatchObject({ code: "unavailable", message: expect.stringContaining("unknown") });
      fault.now = undefined;
      const stopped = await refusalOf(company.documents.issue({ id: draft.id }));
      expect(stopped).toMatchObject({
        code: "unavailable",
        message: expect.stringContaining("Start the server again"),
      });
      expect(halts).toEqual([`injected ${name}`]);
      expect(log).toEqual([expect.objectContaining({ level: "error", event: "storage_error", trouble: "broken" })]);
      expect((await company.documents.get({ id: draft.id })).status).toBe("draft");
      expect(await company.series.verify()).toMatchObject({ whole: true });
    },
  );

  test("an I/O error in a read, which ends its snapshot, stops all writing too", async () => {
    const halts: string[] = [];
    let isFailing = false;
    const beforeReading = (sql: string, database: SqliteFile) => {
      if (!isFailing || !sql.includes('from "customers"')) return;
      database.exec("rollback");
      throw sqliteError(driver, "SQLITE_IOERR");
    };
    const { company } = await anInstance(driver, {
      dialect: faultyDialect(driver, aFile(), { beforeReading }),
      onHalt: (reason) => void halts.push(reason),
    });
    const { id } = await company.customers.create({ name: "Ana" });
    isFailing = true;
    expect(await refusalOf(company.customers.get({ id }))).toMatchObject({ code: "unavailable" });
    expect(halts).toEqual(["injected SQLITE_IOERR"]);
    isFailing = false;
    expect((await company.customers.get({ id })).name).toBe("Ana");
    const stopped = await refusalOf(company.customers.create({ name: "Rui" }));
    expect(stopped).toMatchObject({ code: "unavailable", message: expect.stringContaining("Start the server again") });
  });

  test.each(["log", "onHalt"] as const)("an I/O error stops all writing even when %s throws", async (name) => {
    let commits = Number.POSITIVE_INFINITY;
    const before = (sql: string) => {
      if (sql === "commit" && --commits === 0) throw sqliteError(driver, "SQLITE_IOERR_FSYNC");
    };
    const broken = () => {
      throw new Error("nobody caught this");
    };
    const { company } = await anInstance(driver, {
      dialect: faultyDialect(driver, aFile(), { before }),
      [name]: broken,
    });
    commits = 1;
    await expect(company.customers.create({ name: "Ana" })).rejects.toThrow();
    const stopped = await refusalOf(company.customers.create({ name: "Ana" }));
    expect(stopped).toMatchObject({ code: "unavailable", message: expect.stringContaining("Start the server again") });
  });

  test("an I/O error at any statement of an issue leaves the file unchanged", async () => {
    const instance = await aFickleInstance();
    const { id } = await aDraft(instance);
    let statements = 0;
    instance.fault.now = () => void statements++ as undefined;
    await instance.company.documents.issue({ id });
    expect(statements).toBeGreaterThan(10);
    for (let failing = 1; failing <= statements; failing++) {
      const fickle = await aFickleInstance();
      const draft = await aDraft(fickle);
      let seen = 0;
      fickle.fault.now = () => (++seen === failing ? sqliteError(driver, "SQLITE_IOERR") : undefined);
      expect((await refusalOf(fickle.company.documents.issue({ id: draft.id }))).code).toBe("unavailable");
      fickle.fault.now = undefined;
      expect(await fickle.company.documents.get({ id: draft.id })).toMatchObject({ status: "draft", number: null });
      expect((await fickle.company.series.get({ id: fickle.series.FT })).next_number).toBe(1);
      const restarted = await anInstallation(driver, { file: fickle.file, signer });
      const again = await restarted.as(fickle.company_id).documents.issue({ id: draft.id });
      expect(again.number).toBe("FT 2026A/1");
    }
  });

  test("a write to a full disk is refused, loses nothing, and succeeds when there is room", async () => {
    const instance = await anInstanceInHand(driver);
    const { company, raw } = instance;
    const customer_id = (await aCustomer(instance)).id;
    const [{ page_count }] = raw.prepare("pragma page_count").all([]) as [{ page_count: number }];
    raw.exec(`pragma max_page_count = ${page_count}`);
    let issued = 0;
    const fill = async () => {
      for (;;) {
        await anInvoice(instance, { customer_id });
        issued++;
      }
    };
    const full = await refusalOf(fill());
    expect(full).toMatchObject({ code: "unavailable", message: expect.stringContaining("full") });
    expect((await company.documents.list()).pagination.total).toBe(issued);
    raw.exec(`pragma max_page_count = ${page_count + 1_000}`);
    expect((await anInvoice(instance, { customer_id })).number).toBe(`FT 2026A/${issued + 1}`);
    expect(await company.series.verify()).toMatchObject({ whole: true, documents: issued + 1 });
  });

  test("after a full disk it is not ready until a write succeeds or ten seconds pass", async () => {
    const clock = { ms: 0 };
    let isFull = false;
    const before = (sql: string) => {
      if (isFull && sql === "commit") throw sqliteError(driver, "SQLITE_FULL");
    };
    const dialect = faultyDialect(driver, aFile(), { before });
    const { lacre, company } = await anInstance(driver, { dialect, monotonic: () => clock.ms });
    const change = () => company.customers.create({ name: "Ana" });
    expect(await lacre.isReady()).toBe(true);

    isFull = true;
    expect((await refusalOf(change())).code).toBe("unavailable");
    expect(await lacre.isReady()).toBe(false);
    clock.ms = 10_000;
    expect(await lacre.isReady()).toBe(false);
    clock.ms = 10_001;
    expect(await lacre.isReady()).toBe(true);
    expect((await refusalOf(change())).code).toBe("unavailable");
    expect(await lacre.isReady()).toBe(false);

    isFull = false;
    await change();
    expect(await lacre.isReady()).toBe(true);
  });

  test("while another program writes, the file is busy: the refusal tells when to try again, and nothing stops for good", async () => {
    const { company, file, halts } = await aFickleInstance();
    const other = driver.open(file);
    other.exec("begin immediate");
    const busy = await refusalOf(company.customers.create({ name: "Ana" }));
    expect(busy).toMatchObject({ code: "unavailable", retry_after_s: 10 });
    expect(busy.message).toContain("Another transaction");
    expect((await company.customers.list()).pagination.total).toBe(0);
    other.exec("commit");
    other.close();
    await company.customers.create({ name: "Ana" });
    expect(halts).toEqual([]);
  });

  test("a write waits for another program's, while reads continue, and then succeeds", async () => {
    const { company, file } = await aFickleInstance();
    const other = driver.open(file);
    other.exec("begin immediate");
    const writing = company.customers.create({ name: "Ana" });
    for (let i = 0; i < 5; i++) expect((await company.customers.list()).pagination.total).toBe(0);
    other.exec("commit");
    other.close();
    expect((await writing).name).toBe("Ana");
    expect((await company.customers.list()).pagination.total).toBe(1);
  });

  test("an error that is not of storage is a bug and passes through unchanged", async () => {
    const { company, fault, halts } = await aFickleInstance();
    fault.now = (sql) => (sql.startsWith("insert into") ? new TypeError("a bug") : undefined);
    await expect(company.customers.create({ name: "Ana" })).rejects.toThrow(new TypeError("a bug"));
    fault.now = undefined;
    await company.customers.create({ name: "Ana" });
    expect(halts).toEqual([]);
  });
});
