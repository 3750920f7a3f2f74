/** Notices of what another customer or product has already: told, never refused. */
import { describe, expect, test } from "vitest";
import { DATABASES } from "../../support/databases.ts";
import { anInstance } from "../../support/instance.ts";

const NIF = "501964843";
const price = { unit_price_net: 1, tax_rate: 23 };

describe.each(DATABASES)("notices over $name", (driver) => {
  test("of a tax number and an external id that another customer has", async () => {
    const { company } = await anInstance(driver);
    const first = await company.customers.create({ name: "Ana", tax_id: NIF, external_id: "shop-7" });
    expect(first.notices).toEqual([]);
    const second = await company.customers.create({ name: "Rui", tax_id: `PT${NIF}`, external_id: "shop-7" });
    expect(second.notices).toEqual([
      { code: "tax_id_in_use", message: "Another customer has this tax number.", ids: [first.id] },
      { code: "external_id_in_use", message: "Another customer has this external_id.", ids: [first.id] },
    ]);
    const { id } = await company.customers.create({ name: "Eva" });
    const changed = await company.customers.change({ id, tax_id: NIF }, { lang: "pt" });
    const message = "Há outros clientes com este número de contribuinte.";
    expect(changed).toMatchObject({ tax_id: NIF, notices: [{ code: "tax_id_in_use", message }] });
    expect(changed.notices[0]?.ids).toEqual([first.id, second.id]);
    const { notices: _, ...stored } = changed;
    expect(await company.customers.get({ id })).toEqual(stored);
  });

  test("of an sku, an external id and a till number that another product has", async () => {
    const { company } = await anInstance(driver);
    const own = { sku: "PAO", external_id: "p-1", till_number: 17 };
    const { id, notices } = await company.products.create({ name: "Pão", ...price, ...own });
    expect(notices).toEqual([]);
    const other = await company.products.create({ name: "Broa", ...price, ...own });
    expect(other.notices).toEqual([
      { code: "sku_in_use", message: "Another product has this sku.", ids: [id] },
      { code: "external_id_in_use", message: "Another product has this external_id.", ids: [id] },
      { code: "till_number_in_use", message: "Another product has this till number.", ids: [id] },
    ]);
    const changed = await company.products.change({ id, till_number: 17 });
    expect(changed.notices.map(({ code, ids }) => ({ code, ids }))).toEqual([
      { code: "till_number_in_use", ids: [other.id] },
    ]);
  });

  test("not of fields that were not sent, of oneself, of the archived, nor of the final consumer", async () => {
    const { company } = await anInstance(driver);
    const { id: archived } = await company.customers.create({ name: "Ana", tax_id: NIF });
    await company.customers.archive({ id: archived });
    const { id, notices } = await company.customers.create({ name: "Ana", tax_id: NIF });
    expect(notices).toEqual([]);
    expect((await company.customers.change({ id, tax_id: NIF, name: "Ana C." })).notices).toEqual([]);
    expect((await company.customers.change({ id })).notices).toEqual([]);
    await company.customers.create({ name: "Rui", tax_id: NIF });
    expect((await company.customers.change({ id, name: "Ana" })).notices).toEqual([]);
    for (const name of ["Consumidor final", "Consumidor final"]) {
      expect((await company.customers.create({ name, tax_id: "999999990" })).notices).toEqual([]);
    }
  });

  test("not of what another company has; and of no more than ten", async () => {
    const { company, lacre } = await anInstance(driver);
    const other = await lacre.companies.create({ name: "Talho", tax_id: "509442013" });
    await lacre.as(other).customers.create({ name: "Ana", tax_id: NIF });
    const made: string[] = [];
    for (let i = 0; i < 12; i++) {
      const { id, notices } = await company.customers.create({ name: `Ana ${i}`, tax_id: NIF });
      expect(notices.flatMap(({ ids }) => ids)).toEqual(made.slice(0, 10));
      made.push(id);
    }
  });

  test("a repeated request answers them again", async () => {
    const { company } = await anInstance(driver);
    await company.customers.create({ name: "Ana", tax_id: NIF });
    const create = () => company.customers.create({ name: "Rui", tax_id: NIF }, { idempotency_key: "rui", lang: "pt" });
    const first = await create();
    expect(first.notices).toHaveLength(1);
    expect(await create()).toEqual(first);
  });
});
