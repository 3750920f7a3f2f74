import { DOC_TYPES } from "lacre";
import { describe, expect, test } from "vitest";
import { DATABASES } from "../../support/databases.ts";
import { NOW, UNKNOWN_ID } from "../../support/drivers.ts";
import { anInvoice, aSeries } from "../../support/factories.ts";
import { aCompany, anInstance } from "../../support/instance.ts";
import { expectRefusal } from "../../support/refusals.ts";

describe.each(DATABASES)("series over $name", (driver) => {
  test("a new series is active and begins at 1", async () => {
    const { company } = await anInstance(driver);
    const created = await company.series.create({ doc_type: "FT", code: "LOJA" });
    expect(created).toEqual({
      id: expect.any(String),
      doc_type: "FT",
      code: "LOJA",
      validation_code: null,
      next_number: 1,
      status: "active",
      training: false,
      cash_vat: false,
      registered_at: null,
      created_at: NOW,
    });
    expect(await company.series.get({ id: created.id })).toEqual(created);
    const full = { doc_type: "OR", code: "x-1", validation_code: "ABCD1234", training: true } as const;
    expect(await company.series.create(full)).toMatchObject({ ...full, status: "active" });
  });

  test.each(["2026A", "A", "1", "a.b-c_d", "x".repeat(20), "2AT", "TA"])("%s is a valid code", async (code) => {
    const instance = await anInstance(driver);
    if (code === "2026A") await expectRefusal(aSeries(instance, { code }), "conflict");
    else expect((await aSeries(instance, { code })).code).toBe(code);
  });

  test.each(["", "AT1", "at2026", "aT", ".a", "a.", "a..b", "a b", "a/b", "é", "x".repeat(21), "-", "a\n", "Ａ"])(
    "%j is not a valid code",
    async (code) => {
      const instance = await anInstance(driver);
      const call = aSeries(instance, { code });
      if (code === "a\n")
        expect((await call).code).toBe("a"); // text is trimmed
      else await expectRefusal(call, "invalid_request", "code: ");
    },
  );

  test("a code is used once per company and type, regardless of case, closed series included", async () => {
    const instance = await anInstance(driver);
    const { company } = instance;
    const { id } = await aSeries(instance, { code: "Loja" });
    await expectRefusal(aSeries(instance, { code: "Loja" }), "conflict");
    await expectRefusal(aSeries(instance, { code: "lOJA" }), "conflict");
    await company.series.change({ id, status: "closed" });
    await expectRefusal(aSeries(instance, { code: "LOJA" }), "conflict", "closed");
    expect((await aSeries(instance, { doc_type: "FR", code: "LOJA" })).code).toBe("LOJA");
    const other = await aCompany(instance.lacre);
    expect((await aSeries(other, { code: "loja" })).code).toBe("loja");
  });

  test.each(DOC_TYPES)("a series of %s can be opened, listed and read", async (doc_type) => {
    const instance = await anInstance(driver);
    const created = await aSeries(instance, { doc_type });
    expect((await instance.company.series.list()).data[0]).toEqual(created);
  });

  test.each<[Record<string, unknown>, string]>([
    [{ doc_type: "XX" }, "doc_type: must be one of"],
    [{ doc_type: undefined }, "doc_type: is required"],
    [{ code: undefined }, "code: is required"],
    [{ validation_code: "abcd1234" }, "validation_code: "],
    [{ validation_code: "ABCD123" }, "validation_code: "],
    [{ validation_code: "ABCD 1234" }, "validation_code: "],
    [{ training: "yes" }, "training: must be a boolean"],
    [{ next_number: 5 }, "next_number: is not a known field"],
    [{ status: "closed" }, "status: is not a known field"],
  ])("%o is refused", async (fields, message) => {
    const { company } = await anInstance(driver);
    const input = { doc_type: "FT", code: "LOJA", ...fields };
    await expectRefusal(company.series.create(input as never), "invalid_request", message);
  });

  describe("the validation code", () => {
    test("can be set, changed and cleared until the first document, and is fixed from then on", async () => {
      const instance = await anInstance(driver);
      const { company } = instance;
      const { id } = await aSeries(instance);
      const set = (validation_code: string | null) => company.series.change({ id, validation_code });
      expect(await set("ABCD1234")).toMatchObject({ validation_code: "ABCD1234", registered_at: NOW });
      expect(await set(null)).toMatchObject({ validation_code: null, registered_at: null });
      await set("WXYZ98765");
      expect((await anInvoice(instance, { series_id: id })).atcud).toBe("WXYZ98765-1");
      await expectRefusal(set("ABCD1234"), "invalid_state", "fixed");
      await expectRefusal(set(null), "invalid_state");
      expect((await set("WXYZ98765")).validation_code).toBe("WXYZ98765"); // the same again is no change
    });

    test("belongs to one series of a company, closed ones included", async () => {
      const instance = await anInstance(driver);
      const { lacre, company } = instance;
      const { id } = await aSeries(instance);
      await company.series.change({ id, validation_code: "ABCD1234", status: "closed" });
      const other = await aSeries(instance, { doc_type: "FS" });
      const taken = "AT's code ABCD1234 is that of the series FT LOJA;";
      await expectRefusal(company.series.change({ id: other.id, validation_code: "ABCD1234" }), "conflict", taken);
      const opened = { doc_type: "FS", code: "B", validation_code: "ABCD1234" } as const;
      await expectRefusal(company.series.create(opened), "conflict", taken);
      const elsewhere = await aCompany(lacre);
      expect(await elsewhere.company.series.create(opened)).toMatchObject({ validation_code: "ABCD1234" });
    });

    test("is refused in any other form", async () => {
      const instance = await anInstance(driver);
      const { id } = await aSeries(instance);
      for (const validation_code of ["", "abcdefgh", "1234567", "ABCD-1234", "ABCDÉ123"]) {
        await expectRefusal(
          instance.company.series.change({ id, validation_code }),
          "invalid_request",
          "validation_code: ",
        );
      }
    });
  });

  describe("closing", () => {
    test("is final", async () => {
      const instance = await anInstance(driver);
      const { company } = instance;
      const { id } = await aSeries(instance);
      const closed = await company.series.change({ id, status: "closed" });
      expect(closed.status).toBe("closed");
      await expectRefusal(
        company.series.change({ id, status: "active" } as never),
        "invalid_request",
        "status: must be closed",
      );
      expect(await company.series.change({ id, status: "closed" })).toEqual(closed); // closing again is no change
      await expectRefusal(company.series.change({ id, validation_code: "ABCD1234" }), "series_closed");
      await expectRefusal(anInvoice(instance, { series_id: id }), "series_closed");
      expect(await company.series.get({ id })).toEqual(closed);
      const closings = (await company.events.list()).data.filter(({ action }) => action === "series.closed");
      expect(closings).toHaveLength(1);
    });

    test("can come with the validation code", async () => {
      const instance = await anInstance(driver);
      const { id } = await aSeries(instance);
      const changed = await instance.company.series.change({ id, validation_code: "ABCD1234", status: "closed" });
      expect(changed).toMatchObject({ validation_code: "ABCD1234", status: "closed" });
    });
  });

  test("an empty change changes nothing, and other fields are refused", async () => {
    const instance = await anInstance(driver);
    const { company } = instance;
    const series = await aSeries(instance);
    expect(await company.series.change({ id: series.id })).toEqual(series);
    for (const fields of [{ code: "X" }, { next_number: 1 }, { training: true }, { doc_type: "FR" }]) {
      await expectRefusal(company.series.change({ id: series.id, ...fields } as never), "invalid_request", "not a kno");
    }
    await expectRefusal(company.series.get({ id: UNKNOWN_ID }), "not_found");
    await expectRefusal(company.series.change({ id: UNKNOWN_ID, status: "closed" }), "not_found");
  });

  test("each issued document advances the next number; drafts and refusals do not", async () => {
    const instance = await anInstance(driver);
    const { company, series } = instance;
    const next = async () => (await company.series.get({ id: series.FT })).next_number;
    await anInvoice(instance);
    expect(await next()).toBe(2);
    await anInvoice(instance, { issue: false });
    await expectRefusal(anInvoice(instance, { issue_date: "2030-01-01" }), "invalid_request");
    expect(await next()).toBe(2);
    await anInvoice(instance);
    expect(await next()).toBe(3);
  });
});
