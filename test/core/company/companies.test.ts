import { Kysely } from "kysely";
import { DOC_TYPES, PERMISSIONS } from "lacre";
import { describe, expect, onTestFinished, test } from "vitest";
import { findLogo, getMe } from "../../../src/core/company/companies.ts";
import type { Tables } from "../../../src/core/database/tables.ts";
import { DATABASES } from "../../support/databases.ts";
import { NOW, UNKNOWN_ID } from "../../support/drivers.ts";
import { aDraft, anInvoice } from "../../support/factories.ts";
import { aCompany, aFile, anInstallation, anInstance, type Instance } from "../../support/instance.ts";
import { aNif } from "../../support/nif.ts";
import { JPEG, pngOf } from "../../support/pictures.ts";
import { expectRefusal } from "../../support/refusals.ts";

const PNG = pngOf({ width: 40, height: 30 });
const NO_LOGO = "logo: must be an intact PNG (up to a million pixels) or JPEG of at most 512 KB";

const NEW = { name: "Padaria Central, Lda.", tax_id: "500000000" };

const TRAINING = { doc_type: "FT", code: "FORM", training: true } as const;

/** The issuer as a document keeps it. */
async function issuerOn({ past }: Instance, document_id: string) {
  return (await past<{ issuer: string }>(`select issuer from documents where id = '${document_id}'`))[0];
}

describe.each(DATABASES)("companies over $name", (driver) => {
  test("a new company is Portuguese, in Lisbon's time zone, and has an open series of each type for the year", async () => {
    const lacre = await anInstallation(driver);
    const created = await lacre.companies.create(NEW);
    expect(created).toEqual({
      ...NEW,
      id: expect.any(String),
      address: null,
      postal_code: null,
      city: null,
      country: "PT",
      tax_region: "PT",
      time_zone: "Europe/Lisbon",
      cash_vat: false,
      default_exemption_code: null,
      simplified_limit: 1000,
      footer_text: null,
      iban: null,
      accent_color: null,
      prices_with_vat: false,
      language: null,
      due_days: null,
      created_at: NOW,
    });
    expect(await lacre.companies.get({ id: created.id })).toEqual(created);
    const { data } = await lacre.as(created).series.list();
    expect(data.map(({ doc_type }) => doc_type).sort()).toEqual([...DOC_TYPES].sort());
    for (const series of data) {
      expect(series).toMatchObject({ code: "2026A", next_number: 1, status: "active", validation_code: null });
    }
  });

  test("every field can be set and changed, and every optional one cleared", async () => {
    const lacre = await anInstallation(driver);
    const full = {
      ...NEW,
      address: "Rua Direita, 1\n2.º Esq.",
      postal_code: "9500-001",
      city: "Ponta Delgada",
      country: "PT",
      tax_region: "PT-AC",
      time_zone: "Atlantic/Azores",
      cash_vat: true,
      default_exemption_code: "M07",
      simplified_limit: 100,
      footer_text: "Obrigado!\nVolte sempre.",
      iban: "PT50000201231234567890154",
      accent_color: "#0b5d3b",
      prices_with_vat: true,
      language: "en",
      due_days: 30,
    } as const;
    const { id, created_at, ...created } = await lacre.companies.create(full);
    expect(created).toEqual(full);
    const cleared = {
      ...{ address: null, postal_code: null, city: null },
      ...{ default_exemption_code: null, simplified_limit: null, footer_text: null },
      ...{ iban: null, accent_color: null, language: null, due_days: null },
    };
    const changed = await lacre.companies.change({ id, ...cleared, name: "Padaria Nova", cash_vat: false });
    expect(changed).toEqual({ id, created_at, ...full, ...cleared, name: "Padaria Nova", cash_vat: false });
    expect(await lacre.companies.change({ id })).toEqual(changed);
    const pasted = { id, iban: " pt50\u00a00002 0123\t1234 5678 9015 4" };
    expect(await lacre.companies.change(pasted)).toMatchObject({ iban: full.iban });
    expect(await lacre.companies.list()).toEqual([{ ...changed, iban: full.iban }]);
  });

  test.each<[string, Record<string, unknown>, string]>([
    ["no name", { name: undefined }, "name: is required"],
    ["an empty name", { name: "  " }, "name: must not be empty"],
    ["a name of 201 characters", { name: "é".repeat(201) }, "name: must have at most 200 characters"],
    ["a wrong check digit", { tax_id: "500000001" }, "tax_id: is not a valid Portuguese tax number (NIF)"],
    ["a foreign tax number", { tax_id: "ESB12345678" }, "tax_id: is not a valid"],
    ["a country by its name", { country: "Portugal" }, "country: must be an ISO 3166 alpha-2 code, such as PT"],
    ["a wrong digit in an IBAN", { iban: "PT50000201231234567890155" }, "iban: is not a valid IBAN"],
    ["check digits that no IBAN has", { iban: "PT99000201231234567800032" }, "iban: is not a valid IBAN"],
    ["a Portuguese IBAN that is too short", { iban: "PT61003500001234567890" }, "iban: is not a valid IBAN"],
    ["an IBAN of another form", { iban: "50000201231234567890154" }, "iban: is not a valid IBAN"],
    ["an IBAN without end", { iban: "P".repeat(10_000) }, "iban: must have at most 100 characters"],
    ["a colour by its name", { accent_color: "green" }, "accent_color: must be a colour, such as #0b5d3b"],
    ["a language of no paper", { language: "fr" }, "language: must be one of pt, en"],
    ["a term of more than a year", { due_days: 366 }, "due_days: must be a whole number from 0 to 365"],
    ["half a day", { due_days: 0.5 }, "due_days: must be a whole number"],
    ["an unknown limit", { simplified_limit: 500 }, "simplified_limit: must be one of 1000, 100"],
    ["an unknown region", { tax_region: "PT-XX" }, "tax_region: must be one of PT, PT-AC, PT-MA"],
    ["an unknown zone", { time_zone: "Europe/Lisboa" }, "time_zone: is not a known time zone"],
    ["an offset for a zone", { time_zone: "+01:00" }, "time_zone: is not a known time zone"],
    ["an unknown exemption", { default_exemption_code: "M00" }, "default_exemption_code: is not an exemption code"],
    ["a footer of 501 characters", { footer_text: "é".repeat(501) }, "footer_text: must have at most 500 characters"],
    ["text for a logo", { logo: "logo.png" }, "logo: must be the bytes of a picture"],
    ["a logo that is no picture", { logo: Buffer.from("<svg/>") }, NO_LOGO],
    ["an empty logo", { logo: new Uint8Array() }, NO_LOGO],
    ["a logo cut short", { logo: PNG.subarray(0, -1) }, NO_LOGO],
    ["text for a truth value", { cash_vat: "true" }, "cash_vat: must be a boolean"],
    ["an unknown field", { nif: "500000000" }, "nif: is not a known field"],
  ])("%s is refused, on creating and on changing", async (_, fields, message) => {
    const lacre = await anInstallation(driver);
    await expectRefusal(lacre.companies.create({ ...NEW, ...fields } as never), "invalid_request", message);
    expect(await lacre.companies.list()).toEqual([]);
    const { id } = await lacre.companies.create(NEW);
    if (Object.values(fields)[0] === undefined) return;
    await expectRefusal(lacre.companies.change({ id, ...fields } as never), "invalid_request", message);
    expect(await lacre.companies.get({ id })).toMatchObject(NEW);
  });

  test("one of each NIF: a second is refused, and a change to the NIF of another", async () => {
    const lacre = await anInstallation(driver);
    const first = await lacre.companies.create(NEW);
    await expectRefusal(lacre.companies.create({ ...NEW, name: "Outra" }), "conflict", NEW.tax_id);
    await expectRefusal(lacre.companies.create({ ...NEW, tax_id: `PT${NEW.tax_id}` }), "conflict", NEW.tax_id);
    const { id } = await lacre.companies.create({ ...NEW, tax_id: aNif() });
    await expectRefusal(lacre.companies.change({ id, tax_id: NEW.tax_id }), "conflict", NEW.tax_id);
    expect((await lacre.companies.change({ id: first.id, tax_id: NEW.tax_id })).tax_id).toBe(NEW.tax_id);
    expect(await lacre.companies.list()).toHaveLength(2);
  });

  test("the logo is set, replaced and removed with the other fields, and no answer shows it", async () => {
    const file = aFile();
    const lacre = await anInstallation(driver, { file });
    const db = new Kysely<Tables>({ dialect: driver.dialect(file) });
    onTestFinished(() => db.destroy());
    const logoOf = async (company_id: string) => {
      const logo = await findLogo({ db, company_id });
      return logo && Buffer.from(logo);
    };
    const created = await lacre.companies.create({ ...NEW, logo: PNG });
    expect(created).not.toHaveProperty("logo");
    const { id } = created;
    const other = await lacre.companies.create({ ...NEW, name: "Talho Novo", tax_id: aNif() });
    expect(await logoOf(id)).toEqual(PNG);
    expect(await logoOf(other.id)).toBeNull();
    expect(await lacre.companies.change({ id, logo: JPEG, city: "Braga" })).toEqual({ ...created, city: "Braga" });
    await lacre.companies.change({ id, name: "Padaria Nova" });
    expect(await logoOf(id)).toEqual(JPEG);
    await lacre.companies.change({ id, logo: null });
    expect(await logoOf(id)).toBeNull();
    const { data } = await lacre.as(id).events.list({ limit: 3 });
    expect(data.map(({ action, detail }) => [action, detail])).toEqual([
      ["company.changed", { fields: ["logo"] }],
      ["company.changed", { fields: ["name"] }],
      ["company.changed", { fields: ["city", "logo"] }],
    ]);
  });

  test("the tax number is fixed by the first real document; name, address and region are not", async () => {
    const instance = await anInstance(driver);
    const { lacre, company, company_id: id } = instance;
    const typo = { id, tax_id: "501964843" };
    await anInvoice(instance, { series_id: (await company.series.create({ ...TRAINING })).id });
    await aDraft(instance);
    expect(await lacre.companies.change(typo)).toMatchObject({ tax_id: "501964843" });
    const { id: invoice } = await anInvoice(instance);
    const issuer = await issuerOn(instance, invoice);
    const other = { id, tax_id: "500000000" };
    await expectRefusal(
      lacre.companies.change({ ...other, name: "Outra" }),
      "invalid_state",
      "tax number 501964843: it is fixed. Another taxpayer is another company.",
    );
    await company.documents.cancel({ id: invoice });
    await expectRefusal(lacre.companies.change(other), "invalid_state");
    const moved = { name: "Padaria Nova", address: "Rua Nova, 2", tax_region: "PT-MA" } as const;
    expect(await lacre.companies.change({ ...typo, ...moved })).toMatchObject({ ...moved, tax_id: "501964843" });
    expect(await issuerOn(instance, invoice)).toEqual(issuer);
    await instance.past("update companies set name = 'x', tax_id = tax_id");
    expect((await lacre.companies.get({ id })).name).toBe("x");
    const by = instance.past("update companies set tax_id = '500000000'");
    await expect(by).rejects.toThrow("documents bear the tax number");
  });

  test("a PT in front of the tax number is dropped", async () => {
    const lacre = await anInstallation(driver);
    expect((await lacre.companies.create({ ...NEW, tax_id: "PT501964843" })).tax_id).toBe("501964843");
  });

  test("an unknown company is not found, by any operation", async () => {
    const { lacre } = await anInstance(driver);
    await expectRefusal(lacre.companies.get({ id: UNKNOWN_ID }), "not_found");
    await expectRefusal(lacre.companies.change({ id: UNKNOWN_ID, name: "x" }), "not_found");
    await expectRefusal(lacre.as(UNKNOWN_ID).customers.list(), "not_found");
    await expectRefusal(lacre.as("nonsense").customers.create({ name: "x" }), "not_found");
  });

  test("companies do not see each other's data", async () => {
    const instance = await anInstance(driver);
    const other = await aCompany(instance.lacre);
    const invoice = await anInvoice(instance);
    await instance.company.payments.record({
      id: invoice.id,
      amount: 1,
      method_code: "NU",
      payment_date: "2026-11-21",
    });
    for (const resource of ["customers", "products", "documents", "payments"] as const) {
      expect((await other.company[resource].list()).pagination.total).toBe(0);
    }
    await expectRefusal(other.company.customers.get({ id: invoice.customer_id }), "not_found");
    await expectRefusal(other.company.customers.change({ id: invoice.customer_id, name: "x" }), "not_found");
    await expectRefusal(other.company.customers.archive({ id: invoice.customer_id }), "not_found");
    await expectRefusal(other.company.series.get({ id: instance.series.FT }), "not_found");
    await expectRefusal(other.company.series.change({ id: instance.series.FT, status: "closed" }), "not_found");
    expect(await other.company.series.verify()).toMatchObject({ documents: 0 });
  });

  test("me answers with the company and the scopes of the caller", async () => {
    const { lacre, company, company_id } = await anInstance(driver);
    const own = await lacre.companies.get({ id: company_id });
    expect(await company.me.get()).toEqual({ company: own, scopes: [...PERMISSIONS] });
    const narrow = { company_id, actor: { kind: "host", name: "test" } as const, scopes: ["saft:read"] as const };
    expect((await lacre.run(narrow, getMe, {})).value).toEqual({ company: own, scopes: ["saft:read"] });
  });
});
