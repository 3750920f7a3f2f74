import { setImmediate } from "node:timers/promises";
import { pemSigner } from "lacre";
import { TEST_SIGNING_KEY } from "lacre/testing";
import { describe, expect, test } from "vitest";
import { atScale, figuresOf } from "../../durability/scale.ts";
import { DRIVERS } from "../../support/drivers.ts";
import { aCustomer, aDraft, anInvoice, invoiceInput } from "../../support/factories.ts";
import { aCompany, aFile, anInstallation, anInstance, anInstanceOnFile } from "../../support/instance.ts";
import { inProcesses } from "../../support/processes.ts";

/** A signer that waits, with the transaction open, until the test lets it go on. */
function gatedSigner() {
  const signer = pemSigner(TEST_SIGNING_KEY, 1);
  const gate = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  const gated = {
    ...signer,
    sign: async (text: string) => {
      reached.resolve();
      await gate.promise;
      return signer.sign(text);
    },
  };
  return { signer: gated, reached: reached.promise, open: gate.resolve };
}

describe.each(DRIVERS)("concurrent calls over $name", (driver) => {
  test("300 concurrent issues in two series give contiguous numbers and a valid chain", async () => {
    const instance = await anInstance(driver);
    const { company } = instance;
    const input = await invoiceInput(instance, { issue: true });
    const other = { ...input, doc_type: "FR", series_id: instance.series.FR } as const;
    const issued = await Promise.all(
      Array.from({ length: 300 }, (_, i) => company.documents.create(i % 2 ? input : other)),
    );
    const numbers = new Set(issued.map(({ number }) => number));
    const due = (type: string) => Array.from({ length: 150 }, (_, i) => `${type} 2026A/${i + 1}`);
    expect(numbers).toEqual(new Set([...due("FT"), ...due("FR")]));
    expect(await company.series.verify()).toMatchObject({ whole: true, documents: 300 });
  });

  test("one draft issued by 20 concurrent calls is issued once", async () => {
    const instance = await anInstance(driver);
    const { company } = instance;
    const { id } = await aDraft(instance);
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => company.documents.issue({ id })));
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === "rejected") expect(outcome.reason).toMatchObject({ code: "invalid_state" });
    }
    expect((await company.series.get({ id: instance.series.FT })).next_number).toBe(2);
  });

  test("concurrent payments never exceed the outstanding amount", async () => {
    const instance = await anInstance(driver);
    const { company } = instance;
    const { id } = await anInvoice(instance); // 123.00
    const pay = () => company.payments.record({ id, amount: 10, method_code: "TB", payment_date: "2026-11-21" });
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, pay));
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(12);
    expect(await company.documents.get({ id })).toMatchObject({ outstanding: 3, payment_status: "partial" });
  });

  test("refusals among issues leave no gap", async () => {
    const instance = await anInstance(driver);
    const { company } = instance;
    const input = await invoiceInput(instance, { issue: true });
    const tooMuch = { amount: 1_000, method_code: "NU", payment_date: "2026-11-21" } as const;
    const outcomes = await Promise.allSettled(
      Array.from({ length: 100 }, (_, i) =>
        company.documents.create(i % 3 ? input : { ...input, payments: [tooMuch] }),
      ),
    );
    const issued = outcomes.filter(({ status }) => status === "fulfilled").length;
    expect(issued).toBe(66);
    expect((await company.series.get({ id: instance.series.FT })).next_number).toBe(67);
    expect(await company.series.verify()).toMatchObject({ whole: true, documents: 66 });
  });

  test("verifying while documents are issued finds no fault", async () => {
    const signer = pemSigner(TEST_SIGNING_KEY, 1);
    const sign = async (text: string) => {
      await setImmediate(); // leaves room for reads between the documents
      return signer.sign(text);
    };
    const instance = await anInstanceOnFile(driver, { signer: { ...signer, sign } });
    const { company } = instance;
    const input = await invoiceInput(instance, { issue: true });
    let verified = 0;
    const issuing = Promise.all(Array.from({ length: 60 }, () => company.documents.create(input)));
    const done = issuing.then(() => true);
    while (!(await Promise.race([done, setImmediate(false)]))) {
      expect((await company.series.verify()).whole).toBe(true);
      verified++;
    }
    expect(verified).toBeGreaterThan(0);
    expect(await company.series.verify()).toMatchObject({ whole: true, documents: 60 });
  });

  describe("reading while a write is open", () => {
    test("answers with the old state at once on a file", async () => {
      const { signer, reached, open } = gatedSigner();
      const instance = await anInstanceOnFile(driver, { signer });
      const { company } = instance;
      const draft = await aDraft(instance);
      const issuing = company.documents.issue({ id: draft.id });
      await reached;
      expect(await company.documents.get({ id: draft.id })).toMatchObject({ status: "draft", number: null });
      expect((await company.series.get({ id: instance.series.FT })).next_number).toBe(1);
      expect(await instance.lacre.isReady()).toBe(true);
      expect((await instance.lacre.authenticate(instance.api_key)).actor.kind).toBe("key");
      open();
      const issued = await issuing;
      expect(await company.documents.get({ id: draft.id })).toMatchObject({ status: "issued", number: issued.number });
    });

    test("the control: in memory, on the one connection, it waits for the write", async () => {
      const { signer, reached, open } = gatedSigner();
      const instance = await anInstance(driver, { signer });
      const { company } = instance;
      const draft = await aDraft(instance);
      const issuing = company.documents.issue({ id: draft.id });
      await reached;
      let answered = false;
      const reading = company.documents.get({ id: draft.id }).finally(() => {
        answered = true;
      });
      for (let turn = 0; turn < 100; turn++) await setImmediate();
      expect(answered).toBe(false);
      open();
      await issuing;
      expect((await reading).status).toBe("issued");
    });

    test("the next read sees a committed write", async () => {
      const instance = await anInstanceOnFile(driver);
      for (let i = 1; i <= 50; i++) {
        const { id } = await aCustomer(instance);
        expect((await instance.company.customers.get({ id })).id).toBe(id);
        expect((await instance.company.customers.list()).pagination.total).toBe(i);
      }
    });
  });

  test("four programs on one file issue without a gap, and once per shared key", async () => {
    const file = aFile();
    const count = atScale(60, 1_000);
    const lacre = await anInstallation(driver, { file, at: "2026-01-01T12:00:00Z" });
    const { company_id, series, company } = await aCompany(lacre);
    const customer = await aCustomer({ company });
    const task = { driver: driver.name, file, task: "issue", company_id, customer_id: customer.id, count } as const;
    const reports = (await inProcesses(4, { ...task, series_id: series.FT })) as {
      numbers: string[];
      refused: string[];
    }[];
    expect(reports.flatMap(({ refused }) => refused)).toEqual([]);
    expect(reports.map(({ numbers }) => numbers.length)).toEqual([count, count, count, count]);
    const documents = 4 * (count / 2) + count / 2;
    figuresOf("four programs", { programs: 4, documents });
    const numbers = new Set(reports.flatMap((report) => report.numbers));
    expect(numbers).toEqual(new Set(Array.from({ length: documents }, (_, i) => `FT 2026A/${i + 1}`)));
    expect(await company.series.verify()).toMatchObject({ whole: true, documents });
  });

  test("the control: a transaction that begins deferred fails when another program writes in between", () => {
    const file = aFile();
    const [one, two] = [driver.open(file), driver.open(file)];
    one.exec("create table counter (n integer); insert into counter values (0)");
    const issue = (begin: string) => {
      one.exec(begin);
      one.prepare("select n from counter").all([]);
    };
    issue("begin");
    two.exec("update counter set n = n + 1");
    expect(() => one.prepare("update counter set n = n + 1").run([])).toThrow(
      expect.objectContaining({ trouble: "busy" }),
    );
    one.exec("rollback");
    two.exec("pragma busy_timeout = 1");
    issue("begin immediate");
    expect(() => two.prepare("update counter set n = n + 1").run([])).toThrow(
      expect.objectContaining({ trouble: "busy" }),
    );
    one.prepare("update counter set n = n + 1").run([]);
    one.exec("commit");
    expect(one.prepare("select n from counter").all([])).toEqual([{ n: 2 }]);
    one.close();
    two.close();
  });
});
