import { describe, expect, test } from "vitest";
import { DATABASES } from "../../support/databases.ts";
import { NOW, UNKNOWN_ID } from "../../support/drivers.ts";
import { aCustomer, aDraft, anInvoice, asRead } from "../../support/factories.ts";
import { anInstance } from "../../support/instance.ts";
import { expectRefusal } from "../../support/refusals.ts";

const FULL = {
  name: "Ana Conceição",
  tax_id: "501964843",
  email: "ana@exemplo.pt",
  phone: "+351 910 000 000",
  address: "Rua Direita, 1\n\t2.º Esq.",
  postal_code: "1000-001",
  city: "Lisboa",
  country: "PT",
  language: "en",
  due_days: 30,
  reminders: false,
  external_id: "shop-7",
} as const;

describe.each(DATABASES)("customers over $name", (driver) => {
  test("a name is enough; everything else is null, and it is reminded of what is overdue", async () => {
    const { company } = await anInstance(driver);
    const created = await company.customers.create({ name: "Ana" });
    const { name: _, reminders: __, ...others } = FULL;
    const nulls = Object.fromEntries(Object.keys(others).map((key) => [key, null]));
    expect(created).toEqual({
      id: expect.any(String),
      name: "Ana",
      ...nulls,
      reminders: true,
      metadata: {},
      created_at: NOW,
      updated_at: NOW,
      notices: [],
    });
    expect(await company.customers.get({ id: created.id })).toEqual(asRead(created));
  });

  test("every field comes back as sent, its text normalised and trimmed", async () => {
    const { company } = await anInstance(driver);
    const created = await company.customers.create({ ...FULL, name: "  Ana Conceição ".normalize("NFD") });
    expect(created).toEqual({ ...FULL, id: created.id, metadata: {}, created_at: NOW, updated_at: NOW, notices: [] });
  });

  test.each<[string, Record<string, unknown>, string]>([
    ["no name", { name: undefined }, "name: is required"],
    ["null for a name", { name: null }, "name: must be a string"],
    ["a number for a name", { name: 7 }, "name: must be a string"],
    ["a name of 201 characters", { name: "x".repeat(201) }, "name: must have at most 200 characters"],
    ["a city of 101 characters", { city: "x".repeat(101) }, "city: must have at most 100 characters"],
    ["a tax id of 31 characters", { tax_id: "1".repeat(31), country: "ES" }, "tax_id: must have at most 30"],
    ["a line break in a name", { name: "a\nb" }, "name: must not contain control characters"],
    ["a NUL in an address", { address: "a\0b" }, "address: must not contain control characters"],
    ["a bidi override", { name: "a\u202eb" }, "name: must not contain bidirectional overrides"],
    ["a bidi isolate", { city: "a\u2066b" }, "city: must not contain bidirectional overrides"],
    ["a lone surrogate", { name: "a\ud800" }, "name: must not contain lone surrogates"],
    ["a line separator", { name: "a\u2028b" }, "name: must not contain control characters"],
    ["a language of no paper", { language: "fr" }, "language: must be one of pt, en"],
    ["days in the past", { due_days: -1 }, "due_days: must be a whole number from 0 to 365"],
    ["no e-mail address", { email: "ana" }, "email: must be an e-mail address"],
    ["a wrong NIF", { tax_id: "123456788" }, "tax_id: is not a valid Portuguese tax number (NIF)"],
    ["an unknown prefix", { tax_id: "400000000" }, "tax_id: is not a valid"],
    ["eight digits", { tax_id: "12345678" }, "tax_id: is not a valid"],
    ["a misspelt field", { nome: "x" }, "nome: is not a known field"],
    ["an id of its own", { id: UNKNOWN_ID }, "id: "],
    ["a company of its own", { company_id: UNKNOWN_ID }, "company_id: is not a known field"],
    ["a state of its own", { archived_at: null }, "archived_at: is not a known field"],
  ])("%s is refused", async (_, fields, message) => {
    const instance = await anInstance(driver);
    const { company } = instance;
    await expectRefusal(company.customers.create({ ...FULL, ...fields } as never), "invalid_request", message);
    expect((await company.customers.list()).pagination.total).toBe(0);
    const { id } = await aCustomer(instance, FULL);
    if (Object.values(fields)[0] === undefined || "id" in fields) return;
    await expectRefusal(company.customers.change({ id, ...fields } as never), "invalid_request", message);
    expect(await company.customers.get({ id })).toMatchObject(FULL);
  });

  test("an emoji counts as one character, and 200 of them are a name", async () => {
    const { company } = await anInstance(driver);
    expect((await company.customers.create({ name: "🥖".repeat(200) })).name).toBe("🥖".repeat(200));
    await expectRefusal(company.customers.create({ name: "🥖".repeat(201) }), "invalid_request", "200");
  });

  describe("the tax number", () => {
    test.each([
      [{ tax_id: "PT501964843" }, "501964843"],
      [{ tax_id: "pt501964843", country: "PT" }, "501964843"],
      [{ tax_id: "501964843", country: null }, "501964843"],
      [{ tax_id: "999999990" }, "999999990"],
      [{ tax_id: "B-12345678", country: "ES" }, "B-12345678"],
      [{ tax_id: "PT501964844", country: "FR" }, "PT501964844"],
      [{ tax_id: "whatever", country: "Reino Unido" }, "whatever"],
    ])("%o becomes %s", async (fields, stored) => {
      const instance = await anInstance(driver);
      expect((await aCustomer(instance, fields)).tax_id).toBe(stored);
    });

    test("is checked together with the country, whichever of the two changes", async () => {
      const instance = await anInstance(driver);
      const { company } = instance;
      const { id } = await aCustomer(instance, { tax_id: "B-12345678", country: "ES" });
      await expectRefusal(company.customers.change({ id, country: "PT" }), "invalid_request", "tax_id");
      await expectRefusal(company.customers.change({ id, country: null }), "invalid_request", "tax_id");
      expect(await company.customers.get({ id })).toMatchObject({ country: "ES" });
      const both = await company.customers.change({ id, country: "PT", tax_id: "PT501964843" });
      expect(both).toMatchObject({ country: "PT", tax_id: "501964843" });
    });
  });

  describe("changing", () => {
    test("changes only the fields sent; null clears; an empty change changes nothing", async () => {
      const instance = await anInstance(driver);
      const { company } = instance;
      const before = await aCustomer(instance, FULL);
      const { id } = before;
      expect(asRead(await company.customers.change({ id, city: "Porto" }))).toEqual({ ...before, city: "Porto" });
      const { name: _, country: __, reminders: ___, ...clearable } = FULL;
      const cleared = Object.fromEntries(Object.keys(clearable).map((key) => [key, null]));
      const after = { ...before, ...cleared };
      expect(asRead(await company.customers.change({ id, ...cleared }))).toEqual(after);
      expect(asRead(await company.customers.change({ id }))).toEqual(after);
      expect(await company.customers.get({ id })).toEqual(after);
    });

    test("the name can be changed but not cleared", async () => {
      const instance = await anInstance(driver);
      const { id } = await aCustomer(instance);
      expect((await instance.company.customers.change({ id, name: "Rui" })).name).toBe("Rui");
      await expectRefusal(instance.company.customers.change({ id, name: null } as never), "invalid_request", "name");
    });
  });

  test("an archived customer is in no read or list, and archiving it again is not found", async () => {
    const instance = await anInstance(driver);
    const { company } = instance;
    const invoice = await anInvoice(instance);
    const id = invoice.customer_id;
    const other = await aCustomer(instance, { name: "Rui" });
    expect(await company.customers.archive({ id })).toBeUndefined();
    await expectRefusal(company.customers.get({ id }), "not_found");
    await expectRefusal(company.customers.change({ id, name: "x" }), "not_found");
    await expectRefusal(company.customers.archive({ id }), "not_found");
    expect(await company.customers.list()).toMatchObject({ data: [{ id: other.id }], pagination: { total: 1 } });
    expect((await company.customers.list({ search: "conceicao" })).data).toEqual([]);
    expect(await company.documents.get({ id: invoice.id })).toMatchObject({ customer_id: id, customer: { id } });
  });

  describe("with documents, in strict mode", () => {
    const STRICT = { certificate_number: 9999 };
    const NUMBER = "tax number is fixed (Despacho 8632/2014, 3.3.3)";
    const NAME = "its name is fixed until it has one (Despacho 8632/2014, 3.3.4)";

    test("a tax number neither changes nor disappears; everything else may change", async () => {
      const instance = await anInstance(driver);
      const { lacre, company } = instance;
      const { id } = await aCustomer(instance, FULL);
      const change = (fields: object) => company.customers.change({ id, ...fields });
      await aDraft(instance, { customer_id: id });
      await lacre.signer.setCertificate(STRICT);
      await change({ tax_id: "500000000" }); // a draft is no document yet
      await lacre.signer.setCertificate({ certificate_number: 0 });
      await anInvoice(instance, { customer_id: id });
      await change({ tax_id: "501964843" }); // outside strict mode
      await lacre.signer.setCertificate(STRICT);
      await expectRefusal(change({ tax_id: "500000000" }), "invalid_state", NUMBER);
      await expectRefusal(change({ tax_id: null }), "invalid_state", NUMBER);
      const moved = { name: "Ana Nova", city: "Porto", tax_id: "PT501964843" };
      expect(await change(moved)).toMatchObject({ ...moved, tax_id: "501964843" });
    });

    test.each([null, "999999990"])(
      "a missing number (%s) is filled in, and until then the name stays",
      async (tax_id) => {
        const instance = await anInstance(driver);
        const { lacre, company } = instance;
        const { id } = await aCustomer(instance, { tax_id });
        const change = (fields: object) => company.customers.change({ id, ...fields });
        await anInvoice(instance, { customer_id: id });
        expect(await change({ name: "Ana" })).toMatchObject({ name: "Ana" }); // outside strict mode
        await lacre.signer.setCertificate(STRICT);
        await expectRefusal(change({ name: "Rui" }), "invalid_state", NAME);
        await expectRefusal(change({ name: "Rui", tax_id: "999999990" }), "invalid_state", NAME);
        expect(await change({ city: "Porto" })).toMatchObject({ name: "Ana", city: "Porto" });
        expect(await change({ name: "Rui", tax_id: "501964843" })).toMatchObject({ name: "Rui", tax_id: "501964843" });
        expect(await change({ name: "Rita" })).toMatchObject({ name: "Rita" });
      },
    );

    test("training documents fix nothing", async () => {
      const instance = await anInstance(driver);
      const { lacre, company } = instance;
      const { id } = await aCustomer(instance, FULL);
      const { id: series_id } = await company.series.create({ doc_type: "FT", code: "FORM", training: true });
      await anInvoice(instance, { customer_id: id, series_id });
      await lacre.signer.setCertificate(STRICT);
      expect(await company.customers.change({ id, tax_id: null, name: "Rui" })).toMatchObject({ tax_id: null });
    });
  });

  describe("search", () => {
    const NAMES = [
      "Ana Conceição",
      "JOÃO ÁVILA",
      "Σίσυφος ΑΕ",
      "Пекарня",
      "麵包店",
      "Bäckerei Straße",
      "İstanbul",
      "ﬁnanças",
      "Ⅷ Região",
      "a%b_c\\d",
      'o\'Neil "x"',
      "مخبز",
      "ｆｕｌｌｗｉｄｔｈ",
    ];

    test.each([
      ["conceicao", "Ana Conceição"],
      ["CONCEIÇÃO", "Ana Conceição"],
      ["joao avila", "JOÃO ÁVILA"],
      ["ÇÃO", "Ana Conceição"],
      ["σισυφοσ", "Σίσυφος ΑΕ"],
      ["ΣΊΣΥΦΟΣ", "Σίσυφος ΑΕ"],
      ["ς α", "Σίσυφος ΑΕ"],
      ["ПЕКАР", "Пекарня"],
      ["包", "麵包店"],
      ["backerei", "Bäckerei Straße"],
      ["istanbul", "İstanbul"],
      ["finan", "ﬁnanças"],
      ["viii", "Ⅷ Região"],
      ["%", "a%b_c\\d"],
      ["_", "a%b_c\\d"],
      ["\\", "a%b_c\\d"],
      ["'", 'o\'Neil "x"'],
      ["خ", "مخبز"],
      ["full", "ｆｕｌｌｗｉｄｔｈ"],
      ["z"],
      ["ana joao"],
    ])("%j", async (search, ...found) => {
      const { company } = await anInstance(driver);
      for (const name of NAMES) await company.customers.create({ name });
      const { data, pagination } = await company.customers.list({ search });
      expect(data.map(({ name }) => name).sort()).toEqual(found.toSorted());
      expect(pagination.total).toBe(found.length);
    });

    test("looks at name, tax number, e-mail and phone, and nowhere else", async () => {
      const instance = await anInstance(driver);
      await aCustomer(instance, { ...FULL, city: "Bragança", address: "Rua Única" });
      const found = async (search: string) => (await instance.company.customers.list({ search })).pagination.total;
      for (const term of ["ana", "5019", "exemplo.pt", "910 000", "1 9"])
        expect([term, await found(term)]).toEqual([term, 1]);
      for (const term of ["bragança", "unica", "1000-001", "ana\n501"]) {
        const count = await found(term).catch(() => 0);
        expect([term, count]).toEqual([term, 0]);
      }
    });

    test("an empty term finds everything; changes are found at once", async () => {
      const instance = await anInstance(driver);
      const { company } = instance;
      const { id } = await aCustomer(instance);
      expect((await company.customers.list({ search: "" })).pagination.total).toBe(1);
      expect((await company.customers.list({ search: "  " })).pagination.total).toBe(1);
      await company.customers.change({ id, name: "Rui", email: "novo@exemplo.pt" });
      expect((await company.customers.list({ search: "ana" })).pagination.total).toBe(0);
      expect((await company.customers.list({ search: "NOVO@" })).pagination.total).toBe(1);
      await company.customers.change({ id, email: null });
      expect((await company.customers.list({ search: "novo" })).pagination.total).toBe(0);
    });
  });
});
