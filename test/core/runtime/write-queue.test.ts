/** The write queue: waiting commands share one commit and nothing else, and none waits forever. */
import { setImmediate } from "node:timers/promises";
import { pemSigner } from "lacre";
import type { SqliteFile } from "lacre/sqlite";
import { TEST_SIGNING_KEY } from "lacre/testing";
import { describe, expect, test } from "vitest";
import { DRIVERS, type Driver, UNKNOWN_ID } from "../../support/drivers.ts";
import { aCustomer, aDraft, anInvoice, invoiceInput } from "../../support/factories.ts";
import { faultyDialect, sqliteError } from "../../support/faulty.ts";
import { aFile, anInstance, type InstanceOptions } from "../../support/instance.ts";
import { expectRefusal } from "../../support/refusals.ts";

/** An instance that records its transactions, savepoints and commits; `fault` may fail a statement. */
async function aWatched(driver: Driver, options: InstanceOptions = {}) {
  const seen: string[] = [];
  const watch: { fault: ((sql: string) => Error | undefined) | undefined } = { fault: undefined };
  const file = aFile();
  const before = (sql: string) => {
    const [word = ""] = /^(?:begin|commit|rollback to|rollback|savepoint|release)/.exec(sql) ?? [];
    if (word) seen.push(word);
    const error = watch.fault?.(sql);
    if (error) throw error;
  };
  const instance = await anInstance(driver, { dialect: faultyDialect(driver, file, { before }), ...options });
  const customer_id = (await aCustomer(instance)).id;
  const input = await invoiceInput(instance, { customer_id, issue: true });
  seen.length = 0;
  const count = (word: string) => seen.filter((one) => one === word).length;
  return { ...instance, file, watch, seen, count, input };
}

/** An instance whose signer answers when the test lets it, and whose waits go by a clock the test moves. */
async function aSlowOne(driver: Driver) {
  const local = pemSigner(TEST_SIGNING_KEY, 1);
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  const sign = async (text: string) => {
    asked.resolve();
    await answer.promise;
    return local.sign(text);
  };
  const clock = { ms: 0 };
  const instance = await aWatched(driver, {
    signer: { ...local, is_local: false, sign },
    timer: () => () => {},
    monotonic: () => clock.ms,
  });
  return { ...instance, clock, asked: asked.promise, answer: () => answer.resolve() };
}

/** Lets everything run that is ready to. */
async function settled() {
  for (let turn = 0; turn < 20; turn++) await setImmediate();
}

const numbersOf = (documents: readonly { readonly number: string | null }[]) => documents.map(({ number }) => number);

describe.each(DRIVERS)("the write queue over $name", (driver) => {
  test("commands that wait together share one transaction, in the order in which they came", async () => {
    const { company, input, count } = await aWatched(driver);
    const issued = await Promise.all(Array.from({ length: 20 }, () => company.documents.create(input)));
    expect(numbersOf(issued)).toEqual(Array.from({ length: 20 }, (_, i) => `FT 2026A/${i + 1}`));
    expect([count("begin"), count("commit"), count("savepoint")]).toEqual([1, 1, 20]);
    expect(await company.series.verify()).toMatchObject({ whole: true, documents: 20 });
  });

  test("a lone command has its transaction to itself, without a savepoint", async () => {
    const { company, input, seen } = await aWatched(driver);
    await company.documents.create(input);
    await company.documents.create(input);
    expect(seen).toEqual(["begin", "commit", "begin", "commit"]);
  });

  test("commands that do not fit into one transaction go into the next", async () => {
    const { company, count } = await aWatched(driver);
    await Promise.all(Array.from({ length: 150 }, (_, i) => company.customers.create({ name: `C${i}` })));
    expect([count("begin"), count("commit")]).toEqual([3, 3]);
    expect((await company.customers.list({ limit: 1 })).pagination.total).toBe(151);
  });

  test("a refused command leaves nothing, and the others are complete", async () => {
    const instance = await aWatched(driver);
    const { company, input, count } = instance;
    const draft = await aDraft(instance, { customer_id: input.customer_id });
    const before = (await company.events.list()).pagination.total;
    const future = { ...input, issue_date: "2026-11-22" };
    const outcomes = await Promise.allSettled([
      company.documents.create(input),
      company.documents.create(future),
      company.documents.issue({ id: draft.id }),
      company.documents.issue({ id: draft.id }),
      company.documents.cancel({ id: UNKNOWN_ID }),
      company.documents.create(input),
    ]);
    expect(outcomes.map(({ status }) => status === "fulfilled")).toEqual([true, false, true, false, false, true]);
    expect(count("rollback to")).toBe(3);
    const { data, pagination } = await company.documents.list();
    expect(pagination.total).toBe(3);
    expect(numbersOf(data)).toEqual(["FT 2026A/3", "FT 2026A/1", "FT 2026A/2"]);
    expect((await company.events.list()).pagination.total).toBe(before + 3);
    expect(await company.series.verify()).toMatchObject({ whole: true, documents: 3 });
  });

  test("no command is answered before the commit; when it fails, nothing was written", async () => {
    const { company, input, watch } = await aWatched(driver);
    let answered = 0;
    watch.fault = (sql) => {
      if (!/^commit/.test(sql)) return undefined;
      expect(answered).toBe(0);
      return sqliteError(driver, "SQLITE_FULL");
    };
    const calls = Array.from({ length: 5 }, () => company.documents.create(input).finally(() => answered++));
    for (const call of calls) await expectRefusal(call, "unavailable");
    watch.fault = undefined;
    expect((await company.documents.list()).pagination.total).toBe(0);
    expect((await company.documents.create(input)).number).toBe("FT 2026A/1");
  });

  test("a storage error in one command fails all that share its transaction", async () => {
    const { company, input, watch } = await aWatched(driver);
    let inserts = 0;
    watch.fault = (sql) =>
      /^insert into "documents"/.test(sql) && ++inserts === 3 ? sqliteError(driver, "SQLITE_FULL") : undefined;
    const calls = Array.from({ length: 5 }, () => company.documents.create(input));
    for (const call of calls) await expectRefusal(call, "unavailable");
    watch.fault = undefined;
    expect((await company.documents.list()).pagination.total).toBe(0);
  });

  test("when memory runs out and SQLite undoes the transaction, all commands in it fail", async () => {
    let inserts = 0;
    const before = (sql: string, database: SqliteFile) => {
      if (!/^insert into "documents"/.test(sql) || ++inserts !== 3) return;
      database.exec("rollback");
      throw new Error("out of memory");
    };
    const instance = await anInstance(driver, { dialect: faultyDialect(driver, aFile(), { before }) });
    const { company } = instance;
    const input = await invoiceInput(instance, { issue: true });
    const calls = Array.from({ length: 5 }, () => company.documents.create(input));
    for (const call of calls) await expectRefusal(call, "unavailable");
    expect((await company.documents.list()).pagination.total).toBe(0);
    expect((await company.documents.create(input)).number).toBe("FT 2026A/1");
  });

  test("nothing is written when the file is gone or replaced", async () => {
    const file: { fault?: string } = {};
    const { company, input, seen } = await aWatched(driver, { storageFault: () => file.fault });
    file.fault = "the file is gone";
    await expectRefusal(company.documents.create(input), "unavailable");
    expect(seen).toEqual([]);
  });

  test("a commit to a file that disappeared meanwhile is not acknowledged", async () => {
    const file: { fault?: string } = {};
    const halted = Promise.withResolvers<string>();
    const { company, input, watch } = await aWatched(driver, {
      storageFault: () => file.fault,
      onHalt: halted.resolve,
    });
    watch.fault = (sql) => {
      if (/^commit/.test(sql)) file.fault = "the file is gone";
      return undefined;
    };
    const calls = Array.from({ length: 3 }, () => company.documents.create(input));
    for (const call of calls) await expectRefusal(call, "unavailable", "whether a change was written is unknown");
    expect(await halted.promise).toContain("gone");
    await expectRefusal(company.documents.create(input), "unavailable", "Writing stopped");
  });

  test("a command that waits for a remote signer has its own transaction; commands that sign nothing still share one", async () => {
    const local = pemSigner(TEST_SIGNING_KEY, 1);
    const remote = { ...local, is_local: false, sign: async (text: string) => local.sign(text) };
    const instance = await aWatched(driver, { signer: remote });
    const { company, input, seen } = instance;
    const issued = await Promise.all([
      company.customers.create({ name: "Rui" }),
      company.customers.create({ name: "Eva" }),
      company.documents.create(input),
      company.documents.create(input),
      company.customers.create({ name: "Zé" }),
    ]);
    expect(issued.slice(2, 4)).toMatchObject([{ number: "FT 2026A/1" }, { number: "FT 2026A/2" }]);
    const together = ["begin", "savepoint", "release", "savepoint", "release", "commit"];
    const alone = ["begin", "commit"];
    expect(seen).toEqual([...together, ...alone, ...alone, ...alone]);
    expect(await anInvoice(instance, { customer_id: input.customer_id })).toMatchObject({ number: "FT 2026A/3" });
  });

  test("reads run between the commands of one transaction, and see the state before it", async () => {
    const { company, seen, count } = await aWatched(driver);
    const made = Promise.all(Array.from({ length: 64 }, (_, i) => company.customers.create({ name: `C${i}` })));
    while (!seen.includes("begin")) await setImmediate();
    expect((await company.customers.list({ limit: 1 })).pagination.total).toBe(1);
    expect([count("begin"), count("commit")]).toEqual([1, 0]);
    await made;
    expect([count("begin"), count("commit")]).toEqual([1, 1]);
    expect((await company.customers.list({ limit: 1 })).pagination.total).toBe(65);
  });

  test("new commands are refused once the first in line has waited 10 seconds, and not before", async () => {
    const { company, input, clock, asked, answer } = await aSlowOne(driver);
    const signing = company.documents.create(input);
    await asked;
    const first = company.documents.create(input);
    await settled();
    clock.ms = 10_000;
    const inTime = company.documents.create(input);
    await settled();
    clock.ms = 10_001;
    const tooLate = company.documents.create(input, { idempotency_key: "later" });
    await expect(tooLate).rejects.toMatchObject({ code: "unavailable", retry_after_s: 10 });
    await expectRefusal(company.customers.create({ name: "Rui" }), "unavailable", "Too many changes are waiting");
    expect((await company.documents.list()).pagination.total).toBe(0); // reads go on
    answer();
    expect(numbersOf(await Promise.all([signing, first, inTime]))).toEqual(["FT 2026A/1", "FT 2026A/2", "FT 2026A/3"]);
    const again = await company.documents.create(input, { idempotency_key: "later" });
    expect(again.number).toBe("FT 2026A/4");
  });

  test("a command that has waited 30 seconds is refused, with nothing done; later ones are not", async () => {
    const { company, input, clock, asked, answer } = await aSlowOne(driver);
    const signing = company.documents.create(input);
    await asked;
    const longest = company.documents.create(input, { idempotency_key: "longest" });
    await settled();
    clock.ms = 1;
    const next = company.documents.create(input);
    await settled();
    clock.ms = 30_001;
    answer();
    await expect(longest).rejects.toMatchObject({ code: "unavailable", retry_after_s: 10 });
    expect(numbersOf(await Promise.all([signing, next]))).toEqual(["FT 2026A/1", "FT 2026A/2"]);
    expect((await company.documents.list()).pagination.total).toBe(2);
    const again = await company.documents.create(input, { idempotency_key: "longest" });
    expect(again.number).toBe("FT 2026A/3");
  });
});
