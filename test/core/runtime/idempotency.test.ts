import type { LacreError } from "lacre";
import { describe, expect, test } from "vitest";
import { createCustomer } from "../../../src/core/records/customers.ts";
import { DATABASES } from "../../support/databases.ts";
import { aCreditNote, aDraft, aLine, aPayment, invoiceInput } from "../../support/factories.ts";
import { aCompany, anInstance } from "../../support/instance.ts";
import { expectRefusal } from "../../support/refusals.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

describe.each(DATABASES)("idempotency over $name", (driver) => {
  test("50 identical requests at once on each of 20 keys issue 20 documents", async () => {
    const instance = await anInstance(driver);
    const { company } = instance;
    const input = await invoiceInput(instance, { issue: true });
    const keys = Array.from({ length: 20 }, (_, i) => `key-${i}`);
    const create = (idempotency_key: string) => company.documents.create(input, { idempotency_key });
    const outcomes = await Promise.all(
      keys.flatMap((key) =>
        Array.from({ length: 50 }, () =>
          create(key).then(
            (answer) => ({ key, answer: JSON.stringify(answer) }),
            (error: LacreError) => ({ key, code: error.code, retry_after_s: error.retry_after_s }),
          ),
        ),
      ),
    );
    for (const key of keys) {
      const again = JSON.stringify(await create(key));
      const own = outcomes.filter((outcome) => outcome.key === key);
      const answers = own.flatMap((outcome) => ("answer" in outcome ? [outcome.answer] : []));
      expect(answers.length).toBeGreaterThan(0);
      expect(new Set([...answers, again]).size).toBe(1);
      const refused = { key, code: "idempotency_in_progress", retry_after_s: 1 };
      for (const outcome of own) if ("code" in outcome) expect(outcome).toEqual(refused);
    }
    expect((await company.documents.list()).pagination.total).toBe(20);
    expect((await company.series.get({ id: instance.series.FT })).next_number).toBe(21);
    expect(await company.series.verify()).toMatchObject({ whole: true, documents: 20 });
  });

  test("the control: without a key every request issues", async () => {
    const instance = await anInstance(driver);
    const input = await invoiceInput(instance, { issue: true });
    await Promise.all(Array.from({ length: 50 }, () => instance.company.documents.create(input)));
    expect((await instance.company.documents.list()).pagination.total).toBe(50);
  });

  test("a repeated request gets the first answer, byte for byte, and does nothing", async () => {
    const instance = await anInstance(driver);
    const { company } = instance;
    const draft = await aDraft(instance);
    const options = { idempotency_key: "a" };
    const first = await company.documents.issue({ id: draft.id }, options);
    await company.documents.cancel({ id: draft.id });
    await company.customers.archive({ id: draft.customer_id });
    instance.wait(-DAY_MS);
    const events = (await company.events.list()).pagination.total;
    const again = await company.documents.issue({ id: draft.id }, options);
    expect(JSON.stringify(again)).toBe(JSON.stringify(first));
    expect((await company.events.list()).pagination.total).toBe(events);
  });

  test("a long answer is stored small, and repeated byte for byte after payment, credit and cancellation", async () => {
    const instance = await anInstance(driver);
    const { company } = instance;
    const lines = Array.from({ length: 1_000 }, (_, i) => aLine({ description: `Pão ${i} "de" Mafra, €`, qty: i + 1 }));
    const input = await invoiceInput(instance, { lines, issue: true });
    const options = { idempotency_key: "long" };
    const first = JSON.stringify(await company.documents.create(input, options));
    const [{ bytes }] = (await instance.past("select length(answer) as bytes from idempotency_keys")) as [
      { bytes: number },
    ];
    expect(first.length).toBeGreaterThan(200_000);
    expect(bytes * 10).toBeLessThan(first.length);
    const invoice = JSON.parse(first);
    const again = async () => JSON.stringify(await company.documents.create(input, options));
    const payment = await aPayment(instance, invoice, 1);
    expect(await again()).toBe(first);
    await company.payments.void({ id: payment.id });
    const credit = await aCreditNote(instance, invoice);
    expect(await again()).toBe(first);
    await company.documents.cancel({ id: credit.id });
    await company.documents.cancel({ id: invoice.id });
    instance.wait(10 * 365 * DAY_MS);
    expect(await again()).toBe(first);
  });

  test("short answers are stored unchanged, longer ones compressed, and each comes back unchanged", async () => {
    const instance = await anInstance(driver);
    for (let length = 1; length <= 12; length++) {
      const lines = Array.from({ length }, () => aLine({ description: "Pão".repeat(length * 10) }));
      const input = await invoiceInput(instance, { lines });
      const create = () => instance.company.documents.create(input, { idempotency_key: `${length}-lines` });
      const first = JSON.stringify(await create());
      expect(JSON.stringify(await create())).toBe(first);
    }
    const kept = await instance.past<{ answer: Uint8Array | string }>("select answer from idempotency_keys");
    expect([...new Set(kept.map(({ answer }) => String.fromCharCode(Buffer.from(answer)[0] ?? 0)))].sort()).toEqual([
      "x",
      "{",
    ]);
  });

  test("run() marks a remembered answer", async () => {
    const instance = await anInstance(driver);
    const { lacre, api_key } = instance;
    const caller = await lacre.authenticate(api_key);
    const create = () => lacre.run(caller, createCustomer, { name: "Ana" }, { idempotency_key: "a" });
    const [first, second] = [await create(), await create()];
    expect([first.replayed, second.replayed]).toEqual([false, true]);
    expect(second.value).toEqual(first.value);
  });

  test("neither the order of members nor the form of text makes another request", async () => {
    const { company } = await anInstance(driver);
    const options = { idempotency_key: "a" };
    const first = await company.customers.create({ name: "José", city: "Évora" }, options);
    const again = await company.customers.create({ city: " Évora".normalize("NFD"), name: "José " }, options);
    expect(again).toEqual(first);
  });

  test("the same key with another input or another operation is refused and does nothing", async () => {
    const instance = await anInstance(driver);
    const { company } = instance;
    const [first, second] = [await aDraft(instance), await aDraft(instance)];
    const options = { idempotency_key: "a" };
    await company.documents.issue({ id: first.id }, options);
    const total = (await company.customers.list()).pagination.total;
    await expectRefusal(company.documents.issue({ id: second.id }, options), "idempotency_key_reused");
    await expectRefusal(company.documents.cancel({ id: first.id }, options), "idempotency_key_reused");
    await expectRefusal(company.customers.create({ name: "Ana" }, options), "idempotency_key_reused");
    expect(await company.documents.get({ id: second.id })).toMatchObject({ status: "draft" });
    expect((await company.customers.list()).pagination.total).toBe(total);
  });

  test("another input is refused even while the first request is running", async () => {
    const { company } = await anInstance(driver);
    const options = { idempotency_key: "a" };
    const running = company.customers.create({ name: "Ana" }, options);
    await expectRefusal(company.customers.create({ name: "Rui" }, options), "idempotency_key_reused");
    expect((await running).name).toBe("Ana");
  });

  test("companies do not share keys", async () => {
    const instance = await anInstance(driver);
    const other = await aCompany(instance.lacre);
    const options = { idempotency_key: "a" };
    const ours = await instance.company.customers.create({ name: "Ana" }, options);
    const theirs = await other.company.customers.create({ name: "Ana" }, options);
    expect(theirs.id).not.toBe(ours.id);
    const different = await other.company.customers.create({ name: "Rui" }, { idempotency_key: "b" });
    expect(await instance.company.customers.create({ name: "Eva" }, { idempotency_key: "b" })).not.toEqual(different);
  });

  test("a refused request uses no key: once corrected it succeeds", async () => {
    const instance = await anInstance(driver);
    const { company, series } = instance;
    const draft = await aDraft(instance, { issue_date: "2026-11-22" });
    const options = { idempotency_key: "a" };
    await expectRefusal(company.documents.issue({ id: draft.id }, options), "invalid_request");
    instance.wait(DAY_MS);
    expect((await company.documents.issue({ id: draft.id }, options)).number).toBe("FT 2026A/1");

    await company.series.change({ id: series.FR, status: "closed" });
    const closed = await invoiceInput(instance, { doc_type: "FR", issue: true });
    const other = { idempotency_key: "b" };
    await expectRefusal(company.documents.create(closed, other), "series_closed");
    expect((await company.documents.create({ ...closed, issue: false }, other)).status).toBe("draft");
  });

  test("a draft's answer is remembered for 24 hours and then forgotten", async () => {
    const instance = await anInstance(driver);
    const { company } = instance;
    const input = await invoiceInput(instance);
    const create = () => company.documents.create(input, { idempotency_key: "a" });
    const first = await create();
    instance.wait(DAY_MS - 1);
    expect(await create()).toEqual(first);
    instance.wait(1);
    const later = await create();
    expect(later.id).not.toBe(first.id);
    expect(await create()).toEqual(later);
  });

  test("the answer of an issue is remembered for good", async () => {
    const instance = await anInstance(driver);
    const { company } = instance;
    const input = await invoiceInput(instance, { issue: true });
    const create = () => company.documents.create(input, { idempotency_key: "a" });
    const draft = await aDraft(instance);
    const issue = () => company.documents.issue({ id: draft.id }, { idempotency_key: "b" });
    const [first, second] = [await create(), await issue()];
    instance.wait(10 * 365 * DAY_MS);
    expect([await create(), await issue()]).toEqual([first, second]);
    expect((await company.documents.list({ status: "issued" })).pagination.total).toBe(2);
  });

  test("expired answers are removed as new ones are stored", async () => {
    const instance = await anInstance(driver);
    const rows = async () => (await instance.past("select key from idempotency_keys")).length;
    const customers = async (prefix: string, count: number) => {
      for (let i = 0; i < count; i++) {
        await instance.company.customers.create({ name: "Ana" }, { idempotency_key: `${prefix}${i}` });
      }
    };
    await customers("old", 20);
    const input = await invoiceInput(instance, { issue: true });
    await instance.company.documents.create(input, { idempotency_key: "issued" });
    expect(await rows()).toBe(21);
    instance.wait(DAY_MS);
    await customers("new", 5);
    expect(await rows()).toBe(6);
  });

  test("the record commits with its effect: neither without the other", async () => {
    const instance = await anInstance(driver);
    const { company } = instance;
    await instance.past(
      "create trigger no_memory before insert on idempotency_keys\nbegin\n  select raise(abort, 'lost');\nend;",
    );
    const call = company.customers.create({ name: "Ana" }, { idempotency_key: "a" });
    await expect(call).rejects.toThrow("lost");
    expect((await company.customers.list()).pagination.total).toBe(0);
    await instance.past("drop trigger no_memory");
    await company.customers.create({ name: "Ana" }, { idempotency_key: "a" });
    expect((await company.customers.list()).pagination.total).toBe(1);
  });

  test.each(["", " ", "a b", "é", "a\n", "x".repeat(256)])("%j is not a valid key", async (idempotency_key) => {
    const instance = await anInstance(driver);
    const call = instance.company.customers.create({ name: "Ana" }, { idempotency_key });
    await expectRefusal(call, "invalid_request", "options.idempotency_key: must be 1 to 255 visible ASCII characters");
  });

  test.each(["!", "~".repeat(255), '"quoted"', "0199d3a0-5b7e-7cc1-9c3b-2f6a4d1e8b70"])(
    "%j is a valid key",
    async (key) => {
      const instance = await anInstance(driver);
      const input = await invoiceInput(instance, { issue: true });
      const create = () => instance.company.documents.create(input, { idempotency_key: key });
      expect(await create()).toEqual(await create());
    },
  );

  test("operations on the installation take no key", async () => {
    const { lacre, company_id } = await anInstance(driver);
    const options = { idempotency_key: "a" };
    const company = lacre.companies.create({ name: "Padaria", tax_id: "500000000" }, options);
    await expectRefusal(company, "invalid_request", "options.idempotency_key: is not taken by");
    const key = lacre.keys.create({ company_id, name: "loja", scopes: ["saft:read"] }, options);
    await expectRefusal(key, "invalid_request", "options.idempotency_key: is not taken by");
    expect(await lacre.companies.list()).toHaveLength(1);
  });

  test("without the permission a remembered answer is not returned either", async () => {
    const instance = await anInstance(driver);
    const { lacre, company_id, company } = instance;
    await company.customers.create({ name: "Ana" }, { idempotency_key: "a" });
    const reader = { company_id, actor: { kind: "host", name: "test" } as const, scopes: ["customers:read"] as const };
    const call = lacre.run(reader, createCustomer, { name: "Ana" }, { idempotency_key: "a" });
    await expectRefusal(call, "forbidden", "customers:write");
  });
});
