/** What examples/medusa makes of an order, against Lacre; `test/shops.ts` type-checks the rest of it. */
import { openInMemory } from "lacre/testing";
import { describe, expect, test } from "vitest";
import { creditOf, invoiceOf, type Order } from "../examples/medusa/src/lacre/documents.ts";
import { chanceOf } from "./support/chance.ts";
import { certify } from "./support/strict-month.ts";

const DAY = "2026-11-26";

const anOrder = (fields: Partial<Order> = {}): Order => ({
  id: "order_1",
  currency_code: "eur",
  email: "ana@example.com",
  billing_address: { first_name: "Ana", last_name: "Conceição", address_1: "Rua Nova 7", country_code: "pt" },
  items: [anItem("item_1", 3, 3.69, 23)],
  ...fields,
});

const anItem = (id: string, quantity: number, total: number, rate: number, original_total = total) => ({
  ...{ id, title: `Artigo ${id}`, quantity, total, original_total, tax_lines: [{ rate }] },
});

const paid = (amount: number) => [{ provider_id: "pp_stripe_stripe", captures: [{ amount }] }];

const opened = () => openInMemory({ now: () => new Date(`${DAY}T12:00:00Z`) });

describe("an order of Medusa", () => {
  test.each([
    { where: "in a business without a certificate", prepare: async () => {} },
    { where: "under a certificate number", prepare: certify },
  ])("$where is invoiced over what was paid, and credited by the items that came back", async ({ prepare }) => {
    const instance = await opened();
    const { lacre, company } = instance;
    await prepare(instance);
    const order = anOrder({
      metadata: { nif: "234567899" },
      items: [anItem("item_1", 3, 3.321, 23, 3.69), anItem("item_2", 1, 1.06, 6)],
      shipping_methods: [{ id: "sm_1", name: "CTT", total: 4.5, original_total: 4.5, tax_lines: [{ rate: 23 }] }],
    });
    const { document, lines } = invoiceOf(order, paid(8.88), DAY, { methods: { pp_stripe_stripe: "CC" } });
    const invoice = await company.documents.create(document);
    expect(invoice).toMatchObject({ number: "FR 2026A/1", total_gross: 8.88, customer: { tax_id: "234567899" } });
    expect(lines).toEqual(["item_1", "item_2", "sm_1"]);
    const back = creditOf(order, lines, [{ item_id: "item_2", quantity: 1 }]);
    const note = await company.documents.credit({ id: invoice.id, ...back });
    expect(note).toMatchObject({ number: "NC 2026A/1", total_gross: 1.06, external_id: "order_1" });
    await lacre.close();
  });

  test("of prices without VAT comes to the cents that were paid, whatever its items leave", async () => {
    const { lacre, company } = await opened();
    const { seed, below, oneOf } = chanceOf(Math.floor(Math.random() * 2 ** 31));
    for (let round = 0; round < 30; round++) {
      const items = Array.from({ length: 1 + below(5) }, (_, i) => {
        const [quantity, rate] = [1 + below(6), oneOf([6, 13, 23])];
        const original = (quantity * (1 + below(9_000)) * (100 + rate)) / 10_000;
        return anItem(`item_${i}`, quantity, original * oneOf([1, 0.9, 0.667]), rate, original);
      });
      const total = Math.round(items.reduce((sum, item) => sum + item.total, 0) * 100) / 100;
      if (total === 0) continue;
      const { document } = invoiceOf(anOrder({ items }), paid(total), DAY, {});
      const { total_gross } = await company.documents.create(document);
      expect(total_gross, `seed ${seed}, round ${round}`).toBe(total);
    }
    await lacre.close();
  });

  test("without a NIF, or with a wrong one, is invoiced to the buyer as a final consumer", async () => {
    const { lacre, company } = await opened();
    for (const metadata of [null, { nif: "234567890" }]) {
      const { document } = invoiceOf(anOrder({ metadata }), paid(3.69), DAY, {});
      const { customer } = await company.documents.create(document);
      expect(customer).toMatchObject({ name: "Ana Conceição", tax_id: null });
    }
    await lacre.close();
  });

  test("is invoiced whatever its checkout let through", async () => {
    const { lacre, company } = await opened();
    const long = "João\n\u0001 ".repeat(60);
    const billing_address = {
      first_name: long,
      company: long,
      phone: long,
      address_1: long,
      city: "",
      country_code: "",
    };
    const order = anOrder({
      email: "joão@exemplo",
      billing_address,
      items: [{ ...anItem("item_1", 3, 3.69, 23), title: long }],
    });
    const { customer, lines } = await company.documents.create(invoiceOf(order, paid(3.69), DAY, {}).document);
    expect(customer).toMatchObject({ email: null, city: null, phone: expect.stringMatching(/^João João/) });
    expect(lines[0]?.description).toMatch(/^João João/);
    await lacre.close();
  });

  test("is refused in another currency, and where what was paid is not what its lines come to", () => {
    expect(() => invoiceOf(anOrder({ currency_code: "usd" }), paid(3.69), DAY, {})).toThrow("is in usd");
    expect(() => invoiceOf(anOrder(), paid(3), DAY, {})).toThrow("differ by -0.69 EUR");
  });
});
