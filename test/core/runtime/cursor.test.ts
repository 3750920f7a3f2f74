/** Pages by cursor, and the rows of a list one after the other. */
import { describe, expect, test } from "vitest";
import { DATABASES } from "../../support/databases.ts";
import { aCustomer, aDraft, aLine, anInvoice, aPayment, aProduct } from "../../support/factories.ts";
import { anInstance, type Instance } from "../../support/instance.ts";
import { expectRefusal } from "../../support/refusals.ts";

type Listed = "customers" | "products" | "documents" | "payments";
type List = (input?: object) => Promise<{
  data: { id: string }[];
  pagination: { total: number; offset: number; next_cursor: string | null };
}>;

const listOf = ({ company }: Instance, name: Listed) => company[name].list as List;

/** Ids page by page, with something done between two pages. */
async function followed(list: List, filter: object, between: () => Promise<unknown>): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const { data, pagination } = await list({ ...filter, limit: 3, ...(cursor && { cursor }) });
    ids.push(...data.map(({ id }) => id));
    cursor = pagination.next_cursor;
    if (cursor !== null) await between();
  }
  return ids;
}

const MALFORMED = "cursor: is not a next_cursor of this list with these filters";

/** An instance in which every list has rows, and what adds one to each. */
async function aShop(driver: (typeof DATABASES)[number]) {
  const instance = await anInstance(driver);
  const { id: customer_id } = await aCustomer(instance, { name: "Ana Sousa", external_id: "ana" });
  const add: Record<Listed, () => Promise<unknown>> = {
    customers: () => aCustomer(instance, { name: "Ana", external_id: "ana", tax_id: "501964843" }),
    products: () => aProduct(instance, { sku: "PAO", external_id: "pao" }),
    documents: () => anInvoice(instance, { customer_id, external_id: "order-1" }),
    payments: async () => aPayment(instance, await anInvoice(instance, { customer_id }), 1),
  };
  for (let i = 0; i < 10; i++) {
    for (const one of Object.values(add)) await one();
    instance.wait(1);
  }
  return { instance, customer_id, add };
}

describe.each(DATABASES)("cursors over $name", (driver) => {
  test("every page begins where the one before ended, whatever was added meanwhile", async () => {
    const { instance, customer_id, add } = await aShop(driver);
    const today = { from: "2026-01-01", to: "2026-12-31" };
    const filters: readonly (readonly [Listed, object])[] = [
      ...([{}, { search: "ana" }, { search: "ana sousa" }, { external_id: "ana" }] as const).map(
        (filter) => ["customers", filter] as const,
      ),
      ["customers", { tax_id: "PT501964843" }],
      ["customers", { updated_since: "2026-01-01T00:00:00Z", search: "a" }],
      ["products", {}],
      ["products", { sku: "PAO" }],
      ["products", { updated_since: "2026-01-01T00:00:00Z" }],
      ["documents", {}],
      ["documents", { customer_id, status: "issued" }],
      ["documents", { payment_status: "unpaid", ...today }],
      ["documents", { external_id: "order-1", expand: "lines" }],
      ["payments", {}],
      ["payments", today],
    ];
    for (const [name, filter] of filters) {
      const list = listOf(instance, name);
      const before = (await list({ ...filter, limit: 50 })).data.map(({ id }) => id);
      const ids = await followed(list, filter, add[name]);
      expect(ids, `${name} ${JSON.stringify(filter)}`).toEqual(before);
      expect(ids.length).toBeGreaterThan(0);
      expect(new Set(ids).size).toBe(ids.length);
    }
  });

  test("pages by offset do shift", async () => {
    const { instance, add } = await aShop(driver);
    const first = await instance.company.documents.list({ limit: 3 });
    await add.documents();
    const second = await instance.company.documents.list({ limit: 3, offset: 3 });
    expect(second.data[0]?.id).toBe(first.data[2]?.id);
  });

  test("a cursor belongs to its list and filters, and is beside neither an offset nor an order", async () => {
    const { instance } = await aShop(driver);
    const { customers, products, documents } = instance.company;
    const { next_cursor: cursor } = (await customers.list({ limit: 2 })).pagination;
    if (cursor === null) throw new Error("There is a page after it.");
    expect((await customers.list({ cursor, limit: 5 })).data).toHaveLength(5);
    const bytes = Buffer.from(cursor, "base64url").toString();
    const forged = (text: string) => Buffer.from(text).toString("base64url");
    for (const wrong of ["", "x", "null", forged("{}"), forged("[]"), forged(bytes.replace('"]', '\\u0000"]'))]) {
      await expectRefusal(customers.list({ cursor: wrong }), "invalid_request", MALFORMED);
    }
    await expectRefusal(customers.list({ cursor, search: "ana" }), "invalid_request", MALFORMED);
    await expectRefusal(products.list({ cursor }), "invalid_request", MALFORMED);
    await expectRefusal(documents.list({ cursor }), "invalid_request", MALFORMED);
    await expectRefusal(customers.list({ cursor: "x".repeat(10_000) }), "invalid_request", "cursor: must have at most");
    const OFFSET = "cursor: must not be sent with offset";
    await expectRefusal(customers.list({ cursor, offset: 0 }), "invalid_request", OFFSET);
    await expectRefusal(
      customers.list({ cursor, sort: "name" }),
      "invalid_request",
      "cursor: must not be sent with sort",
    );
    expect((await customers.list({ limit: 2, sort: "name" })).pagination.next_cursor).toBeNull();
    expect((await customers.list({ limit: 200 })).pagination.next_cursor).toBeNull();
    expect((await customers.list({ limit: 2, offset: 3 })).pagination.next_cursor).not.toBeNull();
  });

  test("each gives every row once; it stops reading when it is left", async () => {
    const { instance, add } = await aShop(driver);
    const { company } = instance;
    for (let i = 0; i < 200; i++) await add.products();
    const ids: string[] = [];
    for await (const { id } of company.products.each()) ids.push(id);
    const { total } = (await company.products.list()).pagination;
    expect([ids.length, new Set(ids).size]).toEqual([total, total]);
    for await (const { external_id } of company.customers.each({ search: "sousa" })) expect(external_id).toBe("ana");
    for await (const { lines } of company.documents.each({ expand: "lines" })) expect(lines).toHaveLength(1);
    for await (const _ of company.payments.each()) break;
  });
});

describe.each(DATABASES)("what lists show over $name", (driver) => {
  test("ids are shown in their order; unknown ones and another company's are left out", async () => {
    const { instance } = await aShop(driver);
    const { company, lacre } = instance;
    const other = lacre.as(await lacre.companies.create({ name: "Talho", tax_id: "509442013" }));
    const { id: stranger } = await other.customers.create({ name: "Eva" });
    const unknown = "0199d3a0-5b7e-7cc1-9c3b-2f6a4d1e8b70";
    for (const name of ["customers", "products", "documents"] as const) {
      const list = listOf(instance, name);
      const [one = "", two = "", three = ""] = (await list()).data.map(({ id }) => id);
      const page = await list({ ids: [three, unknown, stranger, one, two, one] });
      expect(page.data.map(({ id }) => id)).toEqual([three, one, two]);
      expect(page.pagination).toMatchObject({ total: 3, offset: 0, next_cursor: null });
      const begun = await list({ ids: [three, unknown, one, two], limit: 2 });
      expect(begun.data.map(({ id }) => id)).toEqual([three, one]);
      const rest = await list({ ids: [three, unknown, one, two], limit: 2, cursor: begun.pagination.next_cursor });
      expect(rest.data.map(({ id }) => id)).toEqual([two]);
      expect(rest.pagination.next_cursor).toBeNull();
      await expectRefusal(list({ ids: [] }), "invalid_request", "ids: must not be empty");
      await expectRefusal(list({ ids: ["x"] }), "invalid_request", "ids[0]: must be a UUID");
      const many = Array.from({ length: 201 }, () => one);
      await expectRefusal(list({ ids: many }), "invalid_request", "ids: must have at most 200 items");
      await expectRefusal(list({ ids: [one], offset: 0 }), "invalid_request", "ids: must not be sent with offset");
    }
    const [{ id } = { id: "" }] = (await company.customers.list()).data;
    await company.customers.archive({ id });
    expect((await company.customers.list({ ids: [id] })).data).toEqual([]);
    const filter = { ids: [id], search: "ana" };
    await expectRefusal(company.customers.list(filter), "invalid_request", "ids: must not be sent with search");
  });

  test("documents come with their lines where asked, a page of at most 50 documents and 20,000 lines", async () => {
    const instance = await anInstance(driver);
    const { company } = instance;
    const lines = Array.from({ length: 1_000 }, () => aLine());
    for (let i = 0; i < 21; i++) await aDraft(instance, { lines });
    const page = await company.documents.list({ expand: "lines" });
    expect(page.data).toHaveLength(20);
    expect(page.data[0]).toEqual({ ...(await company.documents.list({ limit: 1 })).data[0], lines: expect.anything() });
    const { payments: _, refunds: __, ...whole } = await company.documents.get({ id: String(page.data[0]?.id) });
    expect(page.data[0]).toEqual(whole);
    expect(page.pagination).toMatchObject({ limit: 50, total: 21 });
    const { next_cursor } = page.pagination;
    const rest = await company.documents.list({ expand: "lines", cursor: String(next_cursor) });
    expect(rest.data).toHaveLength(1);
    expect(rest.pagination.next_cursor).toBeNull();
    const LIMIT = "limit: must be a whole number from 1 to 50";
    await expectRefusal(company.documents.list({ expand: "lines", limit: 51 }), "invalid_request", LIMIT);
    expect((await company.documents.list({ limit: 51 })).data[0]).not.toHaveProperty("lines");
  });
});

describe.each(DATABASES)("filters over $name", (driver) => {
  test("customers and products are found by what they are known by, and by their last change", async () => {
    const instance = await anInstance(driver);
    const { customers, products } = instance.company;
    const ana = await aCustomer(instance, { name: "Ana", tax_id: "PT501964843", external_id: "a" });
    const eva = await aCustomer(instance, { name: "Eva", tax_id: "ESB1234", country: "ES" });
    const bread = await aProduct(instance, { name: "Pão", sku: "PAO", external_id: "p", till_number: 17 });
    const cake = await aProduct(instance, { name: "Bolo", sku: "BOLO" });
    const namesOf = async (page: Promise<{ data: { name: string }[] }>) => (await page).data.map(({ name }) => name);
    for (const tax_id of ["501964843", "PT501964843", " pt501964843 "]) {
      expect(await namesOf(customers.list({ tax_id }))).toEqual(["Ana"]);
    }
    expect(await namesOf(customers.list({ tax_id: "ESB1234" }))).toEqual(["Eva"]);
    expect(await namesOf(customers.list({ tax_id: "501964843", external_id: "b" }))).toEqual([]);
    expect(await namesOf(customers.list({ tax_id: "501964843", search: "an" }))).toEqual(["Ana"]);
    expect(await namesOf(products.list({ sku: "PAO" }))).toEqual(["Pão"]);
    expect(await namesOf(products.list({ sku: "pao" }))).toEqual([]);
    expect(await namesOf(products.list({ external_id: "p", till_number: 17 }))).toEqual(["Pão"]);
    expect(await namesOf(products.list({ till_number: 18 }))).toEqual([]);
    instance.wait(1_000);
    const now = (await products.change({ id: bread.id, name: "Broa" })).updated_at;
    expect([bread.updated_at < now, (await products.get({ id: bread.id })).created_at]).toEqual([
      true,
      bread.created_at,
    ]);
    await customers.change({ id: eva.id, city: "Vigo" });
    expect(await namesOf(products.list({ updated_since: now }))).toEqual(["Broa"]);
    expect(await namesOf(customers.list({ updated_since: now }))).toEqual(["Eva"]);
    expect(await namesOf(customers.list({ updated_since: ana.updated_at, sort: "name" }))).toEqual(["Ana", "Eva"]);
    expect(await namesOf(products.list({ updated_since: cake.updated_at, sku: "BOLO" }))).toEqual(["Bolo"]);
    instance.wait(1);
    const later = new Date(Date.parse(now) + 1).toISOString();
    expect(await namesOf(customers.list({ updated_since: later }))).toEqual([]);
    await expectRefusal(
      customers.list({ updated_since: "2026-11-21" }),
      "invalid_request",
      "updated_since: must be a timestamp",
    );
  });
});

describe.each(DATABASES)("the total of what changed since over $name", (driver) => {
  test("is exact, whether few rows are older, many, or none", async () => {
    const instance = await anInstance(driver);
    const { customers } = instance.company;
    const changed: string[] = [];
    for (let i = 0; i < 104; i++) {
      instance.wait(1);
      changed.push((await aCustomer(instance)).updated_at);
    }
    const archived = (await customers.list({ limit: 1 })).data[0]?.id ?? "";
    await customers.archive({ id: archived });
    const all = (await customers.list()).pagination.total;
    for (const older of [0, 1, 100, 101, 102]) {
      const page = await customers.list({ updated_since: changed[older] as string, limit: 200 });
      expect(page.pagination.total).toBe(all - older);
      expect(page.data).toHaveLength(all - older);
    }
  });
});
