/** `external_id` and `metadata`: what the caller's own program keeps on documents and customers. */
import type { Customer, Document } from "lacre";
import { describe, expect, test } from "vitest";
import { DATABASES } from "../../support/databases.ts";
import { DRIVERS, type Driver, TODAY } from "../../support/drivers.ts";
import { aCreditNote, aCustomer, aDraft, anInvoice, aPayment, asRead } from "../../support/factories.ts";
import { aCompany, anInstance } from "../../support/instance.ts";
import { expectRefusal } from "../../support/refusals.ts";
import { bytesOf } from "../../support/saft.ts";
import { textOf } from "../print/reading.ts";

const OWN = {
  external_id: "gid://shop/Order/1001",
  metadata: { channel: "web", gift_note: "Parabéns,\nAna!", empty: "" },
};

const idsOf = (rows: readonly Pick<Document | Customer, "id">[]) => rows.map(({ id }) => id);

/** The most that metadata may hold. */
const FULL = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`${i}`.padStart(40, "a"), "😀".repeat(500)]));

/** What no document and no customer takes, and what is said of it. */
const WRONG: readonly (readonly [string, object, string])[] = [
  ["an empty id", { external_id: "" }, "external_id: must not be empty"],
  ["a blank id", { external_id: " " }, "external_id: must not be empty"],
  ["a number for an id", { external_id: 1001 }, "external_id: must be a string"],
  ["an id of 101 characters", { external_id: "x".repeat(101) }, "external_id: must have at most 100 characters"],
  ["an id of two lines", { external_id: "a\nb" }, "external_id: must not contain control characters"],
  ["a text for metadata", { metadata: "web" }, "metadata: must be an object"],
  ["a list for metadata", { metadata: ["web"] }, "metadata: must be an object"],
  ["a number in metadata", { metadata: { till: 2 } }, "metadata.till: must be a string"],
  ["null in metadata", { metadata: { till: null } }, "metadata.till: must be a string"],
  ["an object in metadata", { metadata: { till: { number: "2" } } }, "metadata.till: must be a string"],
  [
    "a text of 501 characters",
    { metadata: { note: "x".repeat(501) } },
    "metadata.note: must have at most 500 characters",
  ],
  [
    "a control character in a text",
    { metadata: { note: "a\0b" } },
    "metadata.note: must not contain control characters",
  ],
  ["an empty name", { metadata: { "": "x" } }, "is not a name of 1 to 40 letters, digits and _ . -"],
  ["a name with a space", { metadata: { "gift note": "x" } }, "metadata.gift note: is not a name of 1 to 40 letters"],
  ["a name with an accent", { metadata: { ção: "x" } }, "metadata.ção: is not a name of 1 to 40 letters"],
  ["a name of 41 characters", { metadata: { ["k".repeat(41)]: "x" } }, "is not a name of 1 to 40 letters"],
  ["metadata of 21 names", { metadata: { ...FULL, one_more: "x" } }, "metadata: must have at most 20 names"],
];

describe.each(DATABASES)("the caller's data over $name", (driver) => {
  test("comes back as sent, on each answer", async () => {
    const instance = await anInstance(driver);
    const { company } = instance;
    const customer = await aCustomer(instance, OWN);
    expect(customer).toMatchObject(OWN);
    expect(await company.customers.get({ id: customer.id })).toEqual(customer);
    expect((await company.customers.list()).data).toEqual([customer]);

    const draft = await aDraft(instance, { ...OWN, customer_id: customer.id });
    expect(draft).toMatchObject(OWN);
    const issued = await company.documents.issue({ id: draft.id });
    for (const answer of [
      issued,
      await company.documents.get({ id: draft.id }),
      (await company.documents.list()).data[0],
      await company.documents.cancel({ id: draft.id }),
      await anInvoice(instance, OWN),
    ]) {
      expect(answer?.external_id).toBe(OWN.external_id);
      expect(answer?.metadata).toStrictEqual(OWN.metadata);
    }
    expect((await company.series.verify()).findings).toEqual([]);
  });

  test("an id of 100 characters and metadata of 20 texts of 500 are kept", async () => {
    const instance = await anInstance(driver);
    const full = { external_id: "é".repeat(100), metadata: FULL };
    expect(await aCustomer(instance, full)).toMatchObject(full);
    expect(await anInvoice(instance, full)).toMatchObject(full);
  });

  test("a change sets the id, replaces all metadata, and null clears either", async () => {
    const instance = await anInstance(driver);
    const { company } = instance;
    const customer = await aCustomer(instance, OWN);
    const draft = await aDraft(instance, { ...OWN, customer_id: customer.id });
    const change = async (fields: object) => {
      const changed = await company.customers.change({ id: customer.id, ...fields });
      const document = await company.documents.change({ id: draft.id, ...fields });
      expect(document).toMatchObject({ external_id: changed.external_id, metadata: changed.metadata });
      expect(await company.documents.get({ id: draft.id })).toMatchObject(asRead(document));
      expect(await company.customers.get({ id: customer.id })).toEqual(asRead(changed));
      return { external_id: changed.external_id, metadata: changed.metadata };
    };
    expect(await change({ external_id: "order-7" })).toStrictEqual({ ...OWN, external_id: "order-7" });
    expect(await change({ metadata: { till: "2" } })).toStrictEqual({
      external_id: "order-7",
      metadata: { till: "2" },
    });
    expect(await change({ external_id: null })).toStrictEqual({ external_id: null, metadata: { till: "2" } });
    expect(await change({ metadata: null })).toStrictEqual({ external_id: null, metadata: {} });
    expect(await change(OWN)).toStrictEqual(OWN);
    expect(await change({ metadata: {} })).toStrictEqual({ ...OWN, metadata: {} });
  });

  test("is fixed once the document is issued, and a customer's change does not reach it", async () => {
    const instance = await anInstance(driver);
    const { company } = instance;
    const customer = await aCustomer(instance, OWN);
    const invoice = await anInvoice(instance, { customer_id: customer.id });
    expect(invoice).toMatchObject({ external_id: null, metadata: {} });
    for (const change of [{ external_id: "order-7" }, { metadata: { till: "2" } }, OWN]) {
      await expectRefusal(company.documents.change({ id: invoice.id, ...change }), "invalid_state");
    }
    await company.customers.change({ id: customer.id, external_id: "shop-8", metadata: null });
    expect(await company.documents.get({ id: invoice.id })).toMatchObject(invoice);
  });

  test("is not inherited: a credit note has what was sent with it", async () => {
    const instance = await anInstance(driver);
    const invoice = await anInvoice(instance, OWN);
    const plain = await aCreditNote(instance, invoice);
    expect(plain).toMatchObject({ external_id: null, metadata: {} });
    await instance.company.documents.cancel({ id: plain.id });
    expect(await aCreditNote(instance, invoice, OWN)).toMatchObject(OWN);
  });

  test("is neither printed nor in the tax file", async () => {
    const instance = await anInstance(driver);
    const { company } = instance;
    const own = { external_id: "order-zyx", metadata: { channel: "wvu" } };
    const customer = await aCustomer(instance, own);
    const { id } = await anInvoice(instance, { ...own, customer_id: customer.id, notes: "abc" });
    const paper = textOf((await company.documents.pdf({ id })).pdf);
    const file = (await bytesOf((await company.saft.export({ from: TODAY, to: TODAY })).file)).toString("latin1");
    for (const text of [paper, file]) {
      expect(text).toContain(customer.name.slice(0, 3));
      expect(text).not.toMatch(/zyx|wvu/);
    }
  });

  describe("documents by external id", () => {
    test("are those of an order, and pass every other filter too", async () => {
      const instance = await anInstance(driver);
      const { company, lacre } = instance;
      const order = { external_id: "order-1001" };
      const invoice = await anInvoice(instance, order);
      await aPayment(instance, invoice, 1);
      const credit = await aCreditNote(instance, invoice, {
        ...order,
        lines: [{ description: "Pão", qty: 1, unit_price_net: 1, tax_rate: 23 }],
      });
      const draft = await aDraft(instance, order);
      const cancelled = await anInvoice(instance, order);
      await company.documents.cancel({ id: cancelled.id });
      await anInvoice(instance, { external_id: "order-10011" });
      await anInvoice(instance, { external_id: "Order-1001" });
      await anInvoice(instance);
      const stranger = await aCompany(lacre);
      await anInvoice(stranger, order);

      const found = async (filter: object) => {
        const { data, pagination } = await company.documents.list({ ...order, ...filter });
        expect(pagination.total).toBe(data.length);
        return idsOf(data);
      };
      expect(await found({})).toEqual(idsOf([cancelled, draft, credit, invoice]));
      expect(await found({ status: "issued" })).toEqual(idsOf([credit, invoice]));
      expect(await found({ status: "draft" })).toEqual([draft.id]);
      expect(await found({ status: "cancelled" })).toEqual([cancelled.id]);
      expect(await found({ doc_type: "NC" })).toEqual([credit.id]);
      expect(await found({ series_id: invoice.series_id })).toEqual(idsOf([cancelled, draft, invoice]));
      expect(await found({ customer_id: invoice.customer_id })).toEqual(idsOf([credit, invoice]));
      expect(await found({ payment_status: "partial" })).toEqual([invoice.id]);
      expect(await found({ payment_status: "paid" })).toEqual([]);
      expect(await found({ number: credit.number })).toEqual([credit.id]);
      expect(await found({ reference_id: invoice.id })).toEqual([credit.id]);
      expect(await found({ from: TODAY, to: TODAY })).toHaveLength(4);
      expect(await found({ to: "2020-01-01" })).toEqual([]);
      expect(await found({ external_id: "order-1" })).toEqual([]);
      expect(await found({ external_id: "ORDER-1001" })).toEqual([]);
      expect(idsOf((await stranger.company.documents.list(order)).data)).toHaveLength(1);
      const page = await company.documents.list({ ...order, limit: 1, offset: 2 });
      expect(page).toMatchObject({ data: [{ id: credit.id }], pagination: { limit: 1, offset: 2, total: 4 } });
    });

    test("are found however the id's accents are composed", async () => {
      const instance = await anInstance(driver);
      const { id } = await anInvoice(instance, { external_id: "Encomenda nº 7 São João".normalize("NFD") });
      for (const form of ["NFC", "NFD"]) {
        const external_id = ` ${"Encomenda nº 7 São João".normalize(form)} `;
        expect(idsOf((await instance.company.documents.list({ external_id })).data)).toEqual([id]);
      }
    });
  });

  test("customers by external id are those of this company that are not archived, within the search", async () => {
    const instance = await anInstance(driver);
    const { company, lacre } = instance;
    const own = { external_id: "shop-7" };
    const ana = await aCustomer(instance, { ...own, name: "Ana Conceição" });
    const rui = await aCustomer(instance, { ...own, name: "Rui" });
    const gone = await aCustomer(instance, own);
    await company.customers.archive({ id: gone.id });
    await aCustomer(instance, { external_id: "Shop-7" });
    await aCustomer(instance);
    await aCustomer(await aCompany(lacre), own);
    const found = async (filter: object) => idsOf((await company.customers.list({ ...own, ...filter })).data);
    expect(await found({})).toEqual(idsOf([rui, ana]));
    expect(await found({ search: "conceicao" })).toEqual([ana.id]);
    expect(await found({ search: "nobody" })).toEqual([]);
    expect(await found({ search: "́" })).toEqual(idsOf([rui, ana]));
    expect(await found({ external_id: "shop" })).toEqual([]);
    const page = await company.customers.list({ ...own, limit: 1, offset: 1 });
    expect(page).toMatchObject({ data: [{ id: ana.id }], pagination: { limit: 1, offset: 1, total: 2 } });
    await company.customers.change({ id: ana.id, external_id: null });
    expect(await found({})).toEqual([rui.id]);
  });
});

test.each(WRONG)("%s is refused", async (_, wrong, message) => {
  const instance = await anInstance(DRIVERS[0] as Driver);
  const { company } = instance;
  const customer = await aCustomer(instance, OWN);
  const draft = await aDraft(instance, { ...OWN, customer_id: customer.id });
  for (const attempt of [
    () => aCustomer(instance, { ...wrong }),
    () => company.customers.change({ id: customer.id, ...wrong }),
    () => anInvoice(instance, { customer_id: customer.id, ...wrong }),
    () => company.documents.change({ id: draft.id, ...wrong }),
  ]) {
    await expectRefusal(attempt(), "invalid_request", message);
  }
  expect((await company.customers.list()).data).toEqual([customer]);
  expect(await company.documents.get({ id: draft.id })).toMatchObject(OWN);
});
