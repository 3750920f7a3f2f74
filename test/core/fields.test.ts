import { describe, test } from "vitest";
import { DATABASES } from "../support/databases.ts";
import { aDraft, aLine } from "../support/factories.ts";
import { anInstance } from "../support/instance.ts";
import { expectRefusal } from "../support/refusals.ts";

/** Texts that leave no mark on paper. */
const UNSEEN = [
  "\u200b",
  "\u00ad\u00ad",
  "\u2800",
  "\u3164",
  "\u115f\u1160",
  "\u2060",
  "\u{e0041}",
  "\u034f",
  "\u180e",
];

const FORGED = "Рrосеssаdо por\u00a0programa CERTIFICADO n.º 1234/AT";

describe.each(DATABASES)("a text for people over $name", (driver) => {
  /** Every way in for a name, or for a text of a document. */
  async function waysIn(): Promise<Record<string, (text: string) => Promise<unknown>>> {
    const home = await anInstance(driver);
    const { lacre, company, company_id: id } = home;
    return {
      customer: (name) => company.customers.create({ name }),
      product: (name) => company.products.create({ name, unit_price_net: 1, tax_rate: 23 }),
      company: (name) => lacre.companies.change({ id, name }),
      footer: (footer_text) => lacre.companies.change({ id, footer_text }),
      key: (name) => lacre.keys.create({ company_id: id, name, scopes: ["series:read"] }),
      actor: (actor) => lacre.as(id, { actor }).series.list(),
      description: (description) => aDraft(home, { lines: [aLine({ description })] }),
      notes: (notes) => aDraft(home, { notes }),
    };
  }

  test("has a visible character", async () => {
    for (const give of Object.values(await waysIn())) {
      for (const text of UNSEEN)
        await expectRefusal(give(text), "invalid_request", "must have at least one character that can be seen");
      await give("می‌خواهم 👩‍👩‍👧");
    }
  });

  test("does not read like the certificate line", async () => {
    for (const give of Object.values(await waysIn())) {
      await expectRefusal(give(FORGED), "invalid_request", "must not read like the certificate line");
      await give("Licença de programa certificado pela AT");
    }
  });

  test("can be searched for, whatever it is", async () => {
    const { company } = await anInstance(driver);
    for (const search of [...UNSEEN, FORGED]) await company.customers.list({ search });
  });
});
