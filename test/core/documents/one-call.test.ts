/** One sale in one call: the current series, today, and a customer by its fields. */
import { describe, expect, test } from "vitest";
import { DATABASES } from "../../support/databases.ts";
import { NOW, TODAY } from "../../support/drivers.ts";
import { aCustomer, aDraft, aLine, anInvoice, aProduct } from "../../support/factories.ts";
import { anInstance, type Home } from "../../support/instance.ts";
import { expectRefusal } from "../../support/refusals.ts";

const ANA = { name: "Ana Conceição", tax_id: "234567899" };

/** A sale of one call, with these fields changed. */
const sale = (home: Pick<Home, "company">, fields: Record<string, unknown> = {}) =>
  home.company.documents.create({
    doc_type: "FT",
    series: "current",
    customer: ANA,
    lines: [aLine()],
    issue: true,
    ...fields,
  });

describe.each(DATABASES)("one call over $name", (driver) => {
  test("goes into the current series of its type, is dated today and creates its customer", async () => {
    const home = await anInstance(driver);
    const sold = await sale(home);
    expect(sold).toMatchObject({ number: "FT 2026A/1", series_id: home.series.FT, issue_date: TODAY });
    expect(sold.customer).toMatchObject({ ...ANA, code: "C1", id: sold.customer_id });
    expect((await home.company.customers.list({})).data).toMatchObject([{ id: sold.customer_id, ...ANA }]);
  });

  test("dates a payment without a day of its own as the document, and one with a day by that", async () => {
    const home = await anInstance(driver);
    const paid = { amount: 61.5, method_code: "NU" } as const;
    const payments = [paid, { ...paid, payment_date: undefined }, { ...paid, payment_date: "2026-11-20" }];
    for (const issue_date of [undefined, TODAY]) {
      const { id: document_id } = await sale(home, { lines: [aLine({ qty: 2 })], payments, issue_date });
      const { data } = await home.company.payments.list({ document_id });
      expect(data.map(({ payment_date }) => payment_date).sort()).toEqual(["2026-11-20", TODAY, TODAY]);
    }
  });

  describe("the current series", () => {
    test("is that of the day in the company's zone, also at New Year", async () => {
      const home = await anInstance(driver);
      const customer_id = (await aCustomer(home)).id;
      await home.company.series.openYear({ year: 2027 });
      const at = async (instant: string) => {
        home.travel(instant);
        const { number, issue_date } = await sale(home, { customer: undefined, customer_id, issue: false });
        const { series_id } = await sale(home, { customer: undefined, customer_id, issue: false });
        const { code } = await home.company.series.get({ id: series_id });
        return { number, issue_date, code };
      };
      // Lisbon is on UTC in winter.
      expect(await at("2026-12-31T23:59:59.999Z")).toEqual({ number: null, issue_date: "2026-12-31", code: "2026A" });
      expect(await at("2027-01-01T00:00:00.000Z")).toEqual({ number: null, issue_date: "2027-01-01", code: "2027A" });
      await home.company.company.change({ time_zone: "Atlantic/Azores" });
      expect(await at("2027-01-01T00:59:59.999Z")).toMatchObject({ issue_date: "2026-12-31", code: "2026A" });
    });

    test("is that of the issue_date where one is sent", async () => {
      const home = await anInstance(driver);
      await home.company.series.openYear({ year: 2027 });
      const { series_id } = await sale(home, { issue_date: "2027-02-01", issue: false });
      expect(await home.company.series.get({ id: series_id })).toMatchObject({ code: "2027A" });
    });

    test("is missed with 400, naming the field, and nothing is stored", async () => {
      const home = await anInstance(driver);
      await home.company.series.change({ id: home.series.FT, status: "closed" });
      await expectRefusal(
        sale(home),
        "invalid_request",
        "series: No series takes FT of 2026; none is active. Open one.",
      );
      expect((await home.company.customers.list({})).pagination.total).toBe(0);
    });

    test("is read anew by a change of a draft, whose date stays", async () => {
      const home = await anInstance(driver);
      const draft = await aDraft(home, { issue_date: "2026-11-20" });
      const { id: other } = await home.company.series.create({ doc_type: "FT", code: "2026B" });
      const changed = await home.company.documents.change({ id: draft.id, series: "current" });
      expect(changed).toMatchObject({ series_id: other, issue_date: "2026-11-20" });
    });

    test.each<[string, Record<string, unknown>, string]>([
      ["nothing", { series: undefined }, "series_id: is required; issue_date: is required"],
      ["another word", { series: "newest" }, "series: must be current"],
      [
        "itself and an id",
        { series_id: "0199d3a0-5b7e-7cc1-9c3b-2f6a4d1e8b70" },
        "series: must not be sent with series_id",
      ],
      [
        "a customer and an id",
        { customer_id: "0199d3a0-5b7e-7cc1-9c3b-2f6a4d1e8b70" },
        "customer: must not be sent with customer_id",
      ],
      ["no customer", { customer: undefined }, "customer_id: is required"],
      ["a customer that is none", { customer: null }, "customer: must be an object"],
      [
        "a customer of unknown fields",
        { customer: { ...ANA, e_mail: "a@b.pt" } },
        "customer.e_mail: is not a known field",
      ],
      ["a customer without name and number", { customer: {} }, "customer.name: is required"],
      [
        "a country that is no string",
        { customer: { tax_id: "123456789", country: 7 as never } },
        "customer.country: must be a string",
      ],
      [
        "a mistyped NIF alone",
        { customer: { tax_id: "234567890" } },
        "customer.tax_id: is not a valid Portuguese tax number (NIF)",
      ],
      [
        "a mistyped NIF",
        { customer: { name: "Ana", tax_id: "234567890" } },
        "customer.tax_id: is not a valid Portuguese tax number (NIF)",
      ],
      [
        "a foreign number alone",
        { customer: { tax_id: "FR40303265045", country: "FR" } },
        "customer.name: is required",
      ],
    ])("%s is refused in words", async (_, fields, message) => {
      const home = await anInstance(driver);
      await expectRefusal(sale(home, fields), "invalid_request", message);
    });

    test("problems are in the order of the fields", async () => {
      const { company } = await anInstance(driver);
      await expectRefusal(
        company.documents.create({ lines: 1, unknown: true } as never),
        "invalid_request",
        "doc_type: is required; series_id: is required; issue_date: is required; customer_id: is required; lines: must be a list; unknown: is not a known field",
      );
    });
  });

  describe("a customer within", () => {
    test("is found by external_id, and changed by what is sent and differs", async () => {
      const home = await anInstance(driver);
      const first = await aCustomer(home, { name: "Ana", external_id: "shop-7", phone: "1", city: "Faro" });
      const second = await aCustomer(home, { name: "Ana", external_id: "shop-7" });
      const sold = await sale(home, {
        customer: { name: "Ana Sá", external_id: "shop-7", phone: "1", email: "a@b.pt" },
      });
      expect(sold.customer_id).toBe(first.id);
      expect(sold.customer).toMatchObject({ name: "Ana Sá", phone: "1", email: "a@b.pt", city: "Faro" });
      expect(await home.company.customers.get({ id: second.id })).toEqual(second);
      const { data } = await home.company.events.list({});
      const changed = data.filter(({ action }) => action === "customer.changed");
      expect(changed).toMatchObject([{ resource_id: first.id, detail: { fields: ["name", "email"] } }]);
    });

    test("is found by number and name to the character, the one created first, and is not changed for nothing", async () => {
      const home = await anInstance(driver);
      const stored = await aCustomer(home, { ...ANA, metadata: { a: "1" }, external_id: "x" });
      await aCustomer(home, ANA);
      for (const customer of [ANA, { ...ANA, tax_id: "PT234567899" }, { ...ANA, metadata: { a: "1" } }]) {
        expect((await sale(home, { customer })).customer_id).toBe(stored.id);
      }
      expect(await home.company.customers.get({ id: stored.id })).toEqual(stored);
      expect((await sale(home, { customer: { ...ANA, name: "ana conceição" } })).customer_id).not.toBe(stored.id);
    });

    test("no number and that of the final consumer are one", async () => {
      const home = await anInstance(driver);
      const stored = await aCustomer(home, { name: "Rui" });
      for (const customer of [{ name: "Rui" }, { name: "Rui", tax_id: null }, { name: "Rui", tax_id: "999999990" }]) {
        expect((await sale(home, { customer })).customer_id).toBe(stored.id);
      }
      expect(await home.company.customers.get({ id: stored.id })).toEqual(stored);
    });

    test("is never one that has another external_id", async () => {
      const home = await anInstance(driver);
      const other = await aCustomer(home, { ...ANA, external_id: "shop-7" });
      const made = await sale(home, { customer: { ...ANA, external_id: "shop-8" } });
      expect(made.customer_id).not.toBe(other.id);
      const plain = await aCustomer(home, { name: "Rui" });
      const known = await sale(home, { customer: { name: "Rui", external_id: "shop-9" } });
      expect(known.customer_id).toBe(plain.id);
      expect(await home.company.customers.get({ id: plain.id })).toMatchObject({ external_id: "shop-9" });
    });

    test("without a name is whoever has the NIF, else is created as final consumer with that NIF", async () => {
      const home = await anInstance(driver);
      const ana = await aCustomer(home, ANA);
      expect((await sale(home, { customer: { tax_id: "234567899" } })).customer_id).toBe(ana.id);
      const made = await sale(home, { customer: { tax_id: "PT501964843" } });
      expect(made.customer).toMatchObject({ name: "Consumidor final", tax_id: "501964843" });
      expect(made.qr_code).toContain("B:501964843");
      expect((await sale(home, { customer: { tax_id: "501964843" } })).customer_id).toBe(made.customer_id);
      const anybody = await sale(home, { customer: { tax_id: "999999990" } });
      expect(anybody.customer).toMatchObject({ name: "Consumidor final", tax_id: "999999990" });
    });

    test("is not a hidden one", async () => {
      const home = await anInstance(driver);
      const { id } = await aCustomer(home, { ...ANA, external_id: "shop-7" });
      await home.company.customers.archive({ id });
      const sold = await sale(home, { customer: { ...ANA, external_id: "shop-7" } });
      expect(sold.customer_id).not.toBe(id);
    });

    test("is refused as a change of it would be, with nothing stored", async () => {
      const home = await anInstance(driver);
      const stored = await aCustomer(home, { ...ANA, external_id: "shop-7" });
      await expectRefusal(
        sale(home, { customer: { ...ANA, external_id: "shop-7", email: "none" } }),
        "invalid_request",
        "customer.email: must be an e-mail address",
      );
      expect(await home.company.customers.get({ id: stored.id })).toEqual(stored);
    });

    test("is not stored where the document is refused", async () => {
      const home = await anInstance(driver);
      await expectRefusal(sale(home, { issue_date: "2026-12-01" }), "invalid_request");
      await expectRefusal(sale(home, { lines: [] }), "invalid_request", "lines: must have at least one line");
      expect((await home.company.customers.list({})).pagination.total).toBe(0);
      expect((await home.company.events.list({})).data.filter(({ action }) => action.startsWith("customer"))).toEqual(
        [],
      );
      // The control: the same sale without its fault.
      await sale(home);
      expect((await home.company.customers.list({})).pagination.total).toBe(1);
    });

    test("of many first sales at once is created by one of them", async () => {
      const home = await anInstance(driver);
      const sales = await Promise.all(Array.from({ length: 12 }, () => sale(home)));
      expect(new Set(sales.map(({ customer_id }) => customer_id)).size).toBe(1);
      expect(new Set(sales.map(({ number }) => number)).size).toBe(12);
      expect((await home.company.customers.list({})).pagination.total).toBe(1);
    });

    test("may take the place of a draft's", async () => {
      const home = await anInstance(driver);
      const draft = await aDraft(home);
      const changed = await home.company.documents.change({ id: draft.id, customer: ANA });
      expect(await home.company.customers.get({ id: changed.customer_id })).toMatchObject(ANA);
      const issued = await anInvoice(home);
      await expectRefusal(home.company.documents.change({ id: issued.id, customer: { name: "Rui" } }), "invalid_state");
      expect((await home.company.customers.list({ search: "Rui" })).pagination.total).toBe(0);
    });
  });

  test("the same key is one sale and one customer", async () => {
    const home = await anInstance(driver);
    const input = { doc_type: "FT" as const, series: "current" as const, customer: ANA, lines: [aLine()], issue: true };
    const options = { idempotency_key: "order-1" };
    const first = await home.company.documents.create(input, options);
    home.travel(new Date(Date.parse(NOW) + 86_400_000).toISOString());
    expect(await home.company.documents.create(input, options)).toEqual(first);
  });
});

const BREAD = { name: "Pão de Mafra", sku: "PAO-1", external_id: "7", unit: "kg", tax_rate: 6 };

describe.each(DATABASES)("a product within a line over $name", (driver) => {
  test("fills what the line leaves out, with VAT where it was priced so and the rate is its own", async () => {
    const home = await anInstance(driver);
    const gross = await aProduct(home, { ...BREAD, unit_price_net: undefined, unit_price_gross: 1.2 });
    const net = await aProduct(home, { name: "Vela", sku: "V", unit_price_net: 2, tax_rate: 23 });
    const [product, qty] = [{ sku: "PAO-1" }, 3];
    const { lines } = await sale(home, {
      lines: [
        { product, qty },
        { product: { external_id: "7" }, qty, description: "Broa", unit: "un", unit_price_net: 1, tax_rate: 13 },
        { product, qty, tax_rate: 23 },
        { product: { sku: "V" }, qty, discount_pct: 10 },
      ],
    });
    const own = { product_id: gross.id, unit: "kg", qty, tax_rate: 6, description: "Pão de Mafra" };
    const unit_price_net = gross.unit_price_net;
    expect(lines).toMatchObject([
      { ...own, unit_price_gross: 1.2, unit_price_net },
      { ...own, description: "Broa", unit: "un", unit_price_net: 1, unit_price_gross: null, tax_rate: 13 },
      { ...own, unit_price_net, unit_price_gross: null, tax_rate: 23 },
      { product_id: net.id, unit: "un", unit_price_net: 2, unit_price_gross: null, tax_rate: 23, discount_pct: 10 },
    ]);
  });

  test("is refused where it names none, a hidden one, or several, with all other problems", async () => {
    const home = await anInstance(driver);
    await aProduct(home, { sku: "TWICE" });
    await aProduct(home, { sku: "TWICE" });
    const hidden = await aProduct(home, { sku: "GONE" });
    await home.company.products.archive({ id: hidden.id });
    await home.company.series.change({ id: home.series.FT, status: "closed" });
    const lines = ["NONE", "TWICE", "GONE"].map((sku) => ({ product: { sku }, qty: 1 }));
    await expectRefusal(
      sale(home, { lines }),
      "invalid_request",
      "series: No series takes FT of 2026",
      "lines[0].product: is unknown; lines[1].product: is that of several products: send product_id instead; lines[2].product: is unknown",
    );
  });

  test.each<[string, Record<string, unknown>, string]>([
    ["no code", { product: {} }, "lines[0].product: must have sku or external_id, and only one of them"],
    [
      "two",
      { product: { sku: "A", external_id: "B" } },
      "lines[0].product: must have sku or external_id, and only one",
    ],
    [
      "a product and an id",
      { product: { sku: "A" }, product_id: "0199d3a0-5b7e-7cc1-9c3b-2f6a4d1e8b70" },
      "lines[0].product: must not be sent with product_id",
    ],
    ["an unknown field", { product: { sku: "A", name: "B" } }, "lines[0].product.name: is not a known field"],
    [
      "neither product nor fields",
      {},
      "lines[0].description: is required; lines[0].tax_rate: is required; lines[0].unit_price_net: is required",
    ],
    ["null", { product: null }, "lines[0].product: must be an object"],
  ])("%s is refused in words", async (_, fields, message) => {
    const home = await anInstance(driver);
    await expectRefusal(sale(home, { lines: [{ qty: 1, ...fields }] }), "invalid_request", message);
  });

  test("serves a draft's lines too", async () => {
    const home = await anInstance(driver);
    const product = await aProduct(home, BREAD);
    const draft = await aDraft(home);
    const changed = await home.company.documents.change({
      id: draft.id,
      lines: [{ product: { sku: "PAO-1" }, qty: 2 }],
    });
    expect(changed.lines).toMatchObject([{ product_id: product.id, qty: 2, unit_price_net: 1.15 }]);
  });
});

describe.each(DATABASES)("an answer sent back over $name", (driver) => {
  test("a line answered with both prices is taken, and another net beside a gross is not", async () => {
    const home = await anInstance(driver);
    const line = aLine({ unit_price_net: undefined, unit_price_gross: 19.99, tax_rate: 23 });
    const { lines } = await sale(home, { lines: [line], issue: false });
    expect(lines).toMatchObject([{ unit_price_net: 16.252033, unit_price_gross: 19.99 }]);
    const again = await sale(home, { lines, issue: false });
    expect(again.lines).toEqual(lines);
    for (const fields of [{ unit_price_net: 16.252034 }, { tax_rate: 6 }, { tax_rate: undefined }]) {
      await expectRefusal(
        sale(home, { lines: [{ ...lines[0], ...fields }] }),
        "invalid_request",
        "lines[0].unit_price_gross: must not be sent with unit_price_net",
      );
    }
  });
});

describe.each(DATABASES)("notices of a document over $name", (driver) => {
  test("tell what became of its customer, in the language of the call", async () => {
    const home = await anInstance(driver);
    const codes = async (customer: object) => {
      const { customer_id, notices } = await sale(home, { customer });
      expect(notices[0]?.ids).toEqual([customer_id]);
      return notices.map(({ code, message }) => [code, message]);
    };
    expect(await codes(ANA)).toEqual([["customer_created", "The document creates the customer."]]);
    expect(await codes(ANA)).toEqual([["customer_found", "The customer exists already, and stays as it is."]]);
    expect(await codes({ ...ANA, city: "Faro", phone: "1" })).toEqual([
      ["customer_changed", "The document changes the customer: phone, city."],
    ]);
    expect((await codes({ ...ANA, name: "Rui" })).map(([code]) => code)).toEqual(["customer_created", "tax_id_in_use"]);
    const { id: customer_id } = await aCustomer(home);
    const byId = await sale(home, { customer: undefined, customer_id });
    expect(byId).toMatchObject({ notices: [] });
    expect(await home.company.documents.get({ id: byId.id })).not.toHaveProperty("notices");
  });
});
