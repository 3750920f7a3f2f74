import { describe, expect, onTestFinished, test } from "vitest";
import { databaseOf } from "../../../src/core/database/executor.ts";
import { DATABASES } from "../../support/databases.ts";
import { aCustomer, aDraft, anInvoice, aPayment, aProduct, aSeries, invoiceInput } from "../../support/factories.ts";
import { aCompany, anInstance, anInstanceOnFile, type Instance } from "../../support/instance.ts";
import { expectRefusal } from "../../support/refusals.ts";

/** How each list is filled. */
const LISTS: Record<
  "customers" | "products" | "series" | "documents" | "payments",
  (instance: Instance) => Promise<void>
> = {
  customers: async (instance) => void (await aCustomer(instance)),
  products: async (instance) => void (await aProduct(instance)),
  series: async (instance) => {
    const { total } = (await instance.company.series.list()).pagination;
    await aSeries(instance, { code: `S${total}` });
  },
  documents: async (instance) => void (await aDraft(instance)),
  payments: async (instance) => {
    const [invoice] = (await instance.company.documents.list()).data;
    await aPayment(instance, invoice ?? (await anInvoice(instance)), 1);
  },
};

const RESOURCES = Object.keys(LISTS) as (keyof typeof LISTS)[];

describe.each(DATABASES)("lists over $name", (driver) => {
  test.each(RESOURCES)("%s: all pages together are every row once, newest first", async (resource) => {
    const instance = await anInstance(driver);
    for (let i = 0; i < 60; i++) {
      await LISTS[resource](instance);
      if (i % 7 === 0) instance.wait(1);
    }
    const list = instance.company[resource].list as (input?: object) => Promise<{
      data: { id: string }[];
      pagination: { limit: number; offset: number; total: number };
    }>;
    const unasked = await list();
    const { total } = unasked.pagination;
    expect(total).toBeGreaterThanOrEqual(60);
    expect(unasked.pagination).toMatchObject({ limit: 50, offset: 0, total });
    expect(unasked.data).toHaveLength(50);
    const all = (await list({ limit: 200 })).data.map(({ id }) => id);
    expect(all).toHaveLength(total);
    expect(all).toEqual([...all].sort().reverse());
    for (const limit of [1, 7, 59, 60, 200]) {
      const paged: string[] = [];
      for (let offset = 0; offset < total; offset += limit) {
        const page = await list({ limit, offset });
        expect(page.pagination).toMatchObject({ limit, offset, total });
        paged.push(...page.data.map(({ id }) => id));
      }
      expect(paged).toEqual(all);
    }
    const past = await list({ offset: total });
    expect(past).toMatchObject({ data: [], pagination: { limit: 50, offset: total, total } });
    expect((await list({ offset: Number.MAX_SAFE_INTEGER })).data).toEqual([]);
    expect((await list({ limit: 1, offset: total - 1 })).data).toHaveLength(1);
  });

  test.each(RESOURCES)("%s: a limit outside 1 to 200 and an offset below 0 are refused", async (resource) => {
    const { company } = await anInstance(driver);
    const list = company[resource].list as (input: object) => Promise<unknown>;
    for (const limit of [0, -1, 201, 1.5, "50", null, Number.NaN]) {
      await expectRefusal(list({ limit }), "invalid_request", "limit: ");
    }
    for (const offset of [-1, 0.5, "0", null, 2 ** 53]) {
      await expectRefusal(list({ offset }), "invalid_request", "offset: ");
    }
    await expectRefusal(list({ page: 1 }), "invalid_request", "page: is not a known field");
    const sort = ["customers", "products"].includes(resource) ? "must be" : "is not a known field";
    await expectRefusal(list({ sort: "debt" }), "invalid_request", `sort: ${sort}`);
    expect(await list({ limit: 1, offset: 0 })).toBeDefined();
    expect(await list({ limit: 200 })).toBeDefined();
  });

  test("documents are ordered by date, then by id, both descending", async () => {
    const instance = await anInstance(driver);
    const { company } = instance;
    const input = await invoiceInput(instance);
    const dates = ["2026-03-02", "2026-03-01", "2026-11-21", "2026-03-02", "2026-02-28", "2026-03-02"];
    const created: { issue_date: string; id: string }[] = [];
    for (const issue_date of dates) created.push(await company.documents.create({ ...input, issue_date }));
    const due = created.toSorted((a, b) => (a.issue_date + a.id < b.issue_date + b.id ? 1 : -1)).map(({ id }) => id);
    expect((await company.documents.list()).data.map(({ id }) => id)).toEqual(due);
    const one = async (offset: number) => (await company.documents.list({ limit: 1, offset })).data[0]?.id;
    expect(await Promise.all(due.map((_, offset) => one(offset)))).toEqual(due);
  });

  describe("the filters of documents", () => {
    test("are type, status and inclusive dates, alone and combined", async () => {
      const instance = await anInstance(driver);
      const { company, series } = instance;
      const input = await invoiceInput(instance);
      for (const issue_date of ["2026-01-31", "2026-02-01", "2026-02-28", "2026-03-01"]) {
        const invoice = await company.documents.create({ ...input, issue_date, issue: true });
        await company.documents.create({ ...input, issue_date });
        if (issue_date === "2026-02-28") await company.documents.cancel({ id: invoice.id });
        await company.documents.create({ ...input, doc_type: "OR", series_id: series.OR, issue_date, issue: true });
      }
      const total = async (filter: object) => {
        const { data, pagination } = await company.documents.list(filter);
        expect(data).toHaveLength(pagination.total);
        return pagination.total;
      };
      expect(await total({})).toBe(12);
      expect(await total({ from: "2026-02-01" })).toBe(9);
      expect(await total({ to: "2026-02-01" })).toBe(6);
      expect(await total({ from: "2026-02-01", to: "2026-02-28" })).toBe(6);
      expect(await total({ from: "2026-02-28", to: "2026-02-01" })).toBe(0);
      expect(await total({ from: "2026-02-28", to: "2026-02-28" })).toBe(3);
      expect(await total({ status: "draft" })).toBe(4);
      expect(await total({ status: "cancelled" })).toBe(1);
      expect(await total({ status: "issued" })).toBe(7);
      expect(await total({ doc_type: "OR" })).toBe(4);
      expect(await total({ doc_type: "NC" })).toBe(0);
      expect(await total({ doc_type: "FT", status: "issued", from: "2026-02-01", to: "2026-02-28" })).toBe(1);
    });

    test.each([
      [{ doc_type: "XX" }, "doc_type: must be one of"],
      [{ status: "open" }, "status: must be one of draft, issued, cancelled"],
      [{ from: "2026-02-30" }, "from: must be a date"],
      [{ to: "today" }, "to: must be a date"],
      [{ search: "x" }, "search: is not a known field"],
      [{ customer_id: "x" }, "customer_id: must be a UUID"],
      [{ series_id: "x" }, "series_id: must be a UUID"],
      [{ number: "2026A/x" }, "number: must be the number of a document: FT 2026A/17"],
      [{ payment_status: "open" }, "payment_status: must be one of unpaid, partial, paid"],
    ])("%o is refused", async (filter, message) => {
      const { company } = await anInstance(driver);
      await expectRefusal(company.documents.list(filter as never), "invalid_request", message);
    });

    test("answer with everything but lines and payments", async () => {
      const instance = await anInstance(driver);
      const issued = await anInvoice(instance);
      const { lines: _, ...summary } = issued;
      expect((await instance.company.documents.list()).data).toEqual([summary]);
    });
  });

  test("a search has pages too", async () => {
    const instance = await anInstance(driver);
    for (let i = 0; i < 30; i++) await aCustomer(instance, { name: i % 3 ? `Rui ${i}` : `Ána ${i}` });
    const page = await instance.company.customers.list({ search: "ana", limit: 4, offset: 8 });
    expect(page.pagination).toMatchObject({ limit: 4, offset: 8, total: 10 });
    expect(page.data.map(({ name }) => name)).toEqual(["Ána 3", "Ána 0"]);
  });

  test("rows of other companies and archived rows are not counted", async () => {
    const instance = await anInstance(driver);
    const customers = [await aCustomer(instance), await aCustomer(instance), await aCustomer(instance)];
    await instance.company.customers.archive({ id: customers[1]?.id ?? "" });
    const { data, pagination } = await instance.company.customers.list();
    expect(data.map(({ id }) => id)).toEqual([customers[2]?.id, customers[0]?.id]);
    expect(pagination.total).toBe(2);
  });

  test("rows use up none of the numbers that mark lists", async () => {
    const instance = await anInstanceOnFile(driver);
    for (let i = 0; i < 5; i++) await Promise.all([aCustomer(instance), aProduct(instance)]);
    await aCompany(instance.lacre);
    const database = databaseOf(driver.dialect(instance.file));
    onTestFinished(() => database.connections.close());
    const lists = await database.loose.selectFrom("lists").select("number").orderBy("number").execute();
    expect(lists.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6]);
  });
});
