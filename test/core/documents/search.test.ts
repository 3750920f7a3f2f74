/** Documents by what a person types: what each text may mean, and that no document that fits is left out in silence. */
import { describe, expect, test } from "vitest";
import { typedCents } from "../../../src/core/documents/search.ts";
import { fold } from "../../../src/core/runtime/search.ts";
import { chanceOf } from "../../support/chance.ts";
import { DATABASES } from "../../support/databases.ts";
import { TODAY } from "../../support/drivers.ts";
import { aCustomer, aDraft, aLine, aLineOf, anInvoice, aPayment, aProduct } from "../../support/factories.ts";
import { aCompany, anInstance, type Home } from "../../support/instance.ts";
import { expectRefusal } from "../../support/refusals.ts";

const ids = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);

describe.each(DATABASES)("a search of documents over $name", (driver) => {
  /** Four documents that have nothing in common, the newest first, and a company beside that has the same. */
  async function aShop() {
    const home = await anInstance(driver);
    await fill(await aCompany(home.lacre));
    return { ...home, ...(await fill(home)) };
  }

  async function fill(home: Home) {
    const ana = await aCustomer(home, { name: "Ana Conceição", tax_id: "123456789", email: "ana@padaria.pt" });
    const rui = await aCustomer(home, { name: "Rui Sá", tax_id: null });
    const honey = await aProduct(home, { name: "Mel de rosmaninho", sku: "MEL-500" });
    const cheap = await anInvoice(home, { customer_id: ana.id, lines: [aLineOf(147)], issue_date: "2026-11-20" });
    const sweet = await anInvoice(home, {
      customer_id: rui.id,
      lines: [aLine({ product_id: honey.id, qty: 13 }), aLine({ product_id: honey.id })],
    });
    const order = await anInvoice(home, { customer_id: rui.id, external_id: "WEB-77", lines: [aLineOf(1234.56)] });
    const draft = await aDraft(home, { customer_id: ana.id, doc_type: "FS", series_id: home.series.FS });
    const find = async (search: string, filter: object = {}) => home.company.documents.search({ search, ...filter });
    return { ana, rui, honey, cheap, sweet, order, draft, find };
  }

  test("finds a number, the beginning of numbers, a total, an order, a customer and a product", async () => {
    const { find, cheap, sweet, order, draft } = await aShop();
    const finds: readonly (readonly [typed: string, due: readonly { readonly id: string }[]])[] = [
      ["FT 2026A/2", [sweet]],
      ["3", [order]],
      ["ft", [order, sweet, cheap]],
      ["FT 2026A", [order, sweet, cheap]],
      ["ft 2026a/", [order, sweet, cheap]],
      ["fs 2026", [draft]],
      ["ft 2025", []],
      ["147,00", [cheap]],
      ["147", [cheap]],
      ["1.234,56 €", [order]],
      ["1234.5", []],
      ["WEB-77", [order]],
      ["web-77", []],
      ["conceicao", [draft, cheap]],
      ["456789", [draft, cheap]],
      ["padaria.pt", [draft, cheap]],
      ["sá", [order, sweet]],
      ["ROSMANINHO", [sweet]],
      ["mel-5", [sweet]],
      ["nobody", []],
    ];
    for (const [typed, due] of finds) {
      const { data, complete } = await find(typed);
      expect([typed, ids(data), complete]).toEqual([typed, ids(due), true]);
    }
  });

  test("a document that fits in two ways is found once, and shown as lists show it", async () => {
    const { company, find, order, rui } = await aShop();
    await company.customers.change({ id: rui.id, email: "rui@web-77.pt" });
    const { data } = await find("WEB-77", { limit: 1 });
    expect(data).toEqual((await company.documents.list({ number: order.number as string })).data);
  });

  test("finds within the filters of the list, and at most as many as requested", async () => {
    const home = await aShop();
    const { find, cheap, sweet, order, draft, ana, rui, series } = home;
    await aPayment(home, sweet, 1);
    const due: readonly (readonly [typed: string, filter: object, due: readonly { readonly id: string }[]])[] = [
      ["ana", { status: "draft" }, [draft]],
      ["ana", { status: "issued" }, [cheap]],
      ["ana", { doc_type: "FS" }, [draft]],
      ["ana", { customer_id: rui.id }, []],
      ["147", { customer_id: ana.id }, [cheap]],
      ["147", { from: TODAY }, []],
      ["147", { to: "2026-11-20" }, [cheap]],
      ["mel", { payment_status: "partial" }, [sweet]],
      ["mel", { payment_status: "unpaid" }, []],
      ["ft", { payment_status: "unpaid" }, [order, cheap]],
      ["ft", { series_id: series.FS }, []],
      ["1", { from: TODAY }, []],
    ];
    for (const [typed, filter, rows] of due) {
      expect([typed, filter, ids((await find(typed, filter)).data)]).toEqual([typed, filter, ids(rows)]);
    }
    const { data, complete } = await find("ft", { limit: 2 });
    expect([ids(data), complete]).toEqual([ids([order, sweet]), false]);
    expect((await find("ft", { limit: 3 })).complete).toBe(true);
    for (const [input, says] of [
      [{}, "search"],
      [{ search: "" }, "search"],
      [{ search: "a", offset: 0 }, "offset"],
      [{ search: "a", limit: 201 }, "limit"],
    ] as const) {
      await expectRefusal(home.company.documents.search(input as never), "invalid_request", says);
    }
  });

  test("says that it is not complete if many customers share a name or many documents a product", async () => {
    const home = await anInstance(driver, { checkContracts: false });
    const find = async (search: string) => (await home.company.documents.search({ search, limit: 200 })).complete;
    for (let i = 0; i < 20; i++) await aCustomer(home, { name: `Maria ${i}` });
    expect(await find("maria")).toBe(true);
    await aCustomer(home, { name: "Maria" });
    expect(await find("maria")).toBe(false);
    const { id: product_id } = await aProduct(home, { name: "Café" });
    for (let i = 0; i < 99; i++) await aDraft(home, { lines: [aLine({ product_id })] });
    expect(await find("café")).toBe(true);
    await aDraft(home, { lines: [aLine({ product_id })] });
    expect(await find("café")).toBe(false);
  });

  test("of random documents all matches are found, or the newest if it is not complete", async () => {
    const seed = Math.floor(Math.random() * 2 ** 31);
    const chance = chanceOf(seed);
    const home = await anInstance(driver, { checkContracts: false });
    const names = ["Ana Sá", "Rui Sá", "Café Sol", "Sol & Mar"];
    const customers = await Promise.all(names.map((name) => aCustomer(home, { name, tax_id: null })));
    const products = await Promise.all(["Sol em pó", "Sal"].map((name) => aProduct(home, { name })));
    const made = [];
    for (let i = 0; i < 40; i++) {
      const customer = chance.oneOf(customers);
      const product = chance.oneOf([undefined, ...products]);
      const input = {
        customer_id: customer.id,
        issue_date: TODAY,
        lines: [
          aLine({
            unit_price_net: chance.oneOf([1, 2, 3]),
            tax_rate: 0,
            exemption_code: "M07",
            product_id: product?.id,
          }),
        ],
      };
      const { id, total_gross, number } = await (chance.oneOf([true, false])
        ? anInvoice(home, input)
        : aDraft(home, input));
      made.unshift({ id, total_gross, number, names: fold(`${customer.name}\n${product?.name}`) });
    }
    for (const term of ["sa", "sol", "sal", "café", "1", "2,00", "3", "ft"]) {
      const due = made.filter(
        ({ total_gross, number, names }) =>
          names.includes(fold(term)) ||
          total_gross * 100 === typedCents(term) ||
          number === `FT 2026A/${term}` ||
          (term === "ft" && number !== undefined),
      );
      for (const limit of [3, 200]) {
        const { data, complete } = await home.company.documents.search({ search: term, limit });
        expect([term, ids(data), complete], `seed ${seed}`).toEqual([
          term,
          ids(due).slice(0, limit),
          due.length <= limit,
        ]);
      }
    }
  });
});

test.each([
  ["147", 14_700],
  ["147,5", 14_750],
  ["147.05", 14_705],
  ["1.234,56", 123_456],
  ["1,234.56", 123_456],
  ["1 234,56 €", 123_456],
  ["€12", 1_200],
  ["12 eur", 1_200],
  ["1.234", 123_400],
  ["0,01", 1],
])("%s is an amount", (typed, cents) => {
  expect(typedCents(typed)).toBe(cents);
});

test.each(["", "FT 1", "1,2345", "12.34.56", "-5", "1e3", "1234567890123", "1.23,45", "a"])("%s is none", (typed) => {
  expect(typedCents(typed)).toBeUndefined();
});
