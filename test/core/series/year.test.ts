import type { DocType, LogEntry, NewSeries } from "lacre";
import { describe, expect, test } from "vitest";
import { DATABASES } from "../../support/databases.ts";
import { anInvoice } from "../../support/factories.ts";
import { anInstance, type Instance } from "../../support/instance.ts";
import { expectRefusal } from "../../support/refusals.ts";

const CODE = "CSDF7T5H";

const open = ({ company }: Instance, code: string, fields: Partial<NewSeries> = {}) =>
  company.series.create({ doc_type: "FT", code, ...fields });

const close = ({ company }: Instance, { id }: { id: string }) => company.series.change({ id, status: "closed" });

const named = (series: readonly { doc_type: DocType; code: string }[]) =>
  series.map(({ doc_type, code }) => `${doc_type} ${code}`);

describe.each(DATABASES)("the current series over $name", (driver) => {
  test("is the newest of the date's year; a series without a year counts if that year has none", async () => {
    const instance = await anInstance(driver);
    const current = async (date?: string) => (await instance.company.series.current({ doc_type: "FT", date })).code;
    await open(instance, "LOJA");
    expect(await current()).toBe("2026A");
    expect(await current("2027-01-01")).toBe("LOJA");
    await open(instance, "2027A");
    expect(await current()).toBe("2026A");
    expect(await current("2026-12-31")).toBe("2026A");
    expect(await current("2027-01-01")).toBe("2027A");
    await open(instance, "2026B");
    expect(await current()).toBe("2026B");
    instance.travel("2027-01-01T00:00:00Z");
    expect(await current()).toBe("2027A");
  });

  test("is neither closed nor for training, and asking for a missing one names the existing ones", async () => {
    const instance = await anInstance(driver);
    const { series } = instance.company;
    await open(instance, "2026T", { training: true });
    await close(instance, await open(instance, "2026B"));
    expect((await series.current({ doc_type: "FT" })).code).toBe("2026A");
    await close(instance, { id: instance.series.FT });
    await open(instance, "2027A");
    const none = "No series takes FT of 2026; active ones are 2026T, 2027A.";
    await expectRefusal(series.current({ doc_type: "FT" }), "not_found", none.replace("2026T, ", ""));
    await expectRefusal(series.current({ doc_type: "FT", date: "2026-02-30" }), "invalid_request", "date");
  });

  test("is usable under the certificate number: it is registered, and has no documents of another number", async () => {
    const instance = await anInstance(driver);
    const { lacre, company, series } = instance;
    await anInvoice(instance);
    await lacre.signer.setCertificate({ certificate_number: 9999, producer_name: "P", producer_tax_id: "509442013" });
    await expectRefusal(company.series.current({ doc_type: "FT" }), "not_found");
    await open(instance, "2026B", { validation_code: CODE });
    await open(instance, "2026C");
    expect((await company.series.current({ doc_type: "FT" })).code).toBe("2026B");
    await lacre.signer.setCertificate({ certificate_number: 0 });
    expect((await company.series.current({ doc_type: "FT" })).code).toBe("2026C");
    await anInvoice(instance, { series_id: series.FR, doc_type: "FR" });
    expect((await company.series.current({ doc_type: "FR" })).id).toBe(series.FR);
  });
});

describe.each(DATABASES)("the turn of the year over $name", (driver) => {
  test("opens a series of the next year for every type in use, once", async () => {
    const instance = await anInstance(driver);
    const { company, series } = instance;
    await anInvoice(instance);
    await company.series.change({ id: series.NC, validation_code: CODE });
    const first = await company.series.openYear({ year: 2027 });
    expect([named(first.opened), first.existing]).toEqual([["FT 2027A", "NC 2027A"], []]);
    const before = (await company.series.list()).pagination.total;
    const again = await company.series.openYear({ year: 2027 });
    expect(again).toEqual({ year: 2027, opened: [], existing: first.opened });
    expect((await company.series.list()).pagination.total).toBe(before);
    const events = (await company.events.list()).data.filter(({ detail }) => detail?.code === "2027A");
    expect(events.map(({ action }) => action)).toEqual(["series.opened", "series.opened"]);
  });

  test("follows each series in use, and opens every type while none is in use", async () => {
    const instance = await anInstance(driver);
    const { company } = instance;
    expect((await company.series.openYear({ year: 2027 })).opened).toHaveLength(10);
    for (const [i, code] of ["LOJA1-2026", "LOJA2-2026"].entries()) {
      await open(instance, code, { validation_code: `${CODE}${i}` });
    }
    await open(instance, "LOJA", { validation_code: `${CODE}2` });
    await open(instance, "AULA2026", { training: true });
    await close(instance, await open(instance, "OLD2026", { validation_code: `${CODE}3` }));
    const { opened, existing } = await company.series.openYear({ year: 2027 });
    expect([named(opened), existing]).toEqual([["FT LOJA1-2027", "FT LOJA2-2027"], []]);
  });

  test("counts a series of any code as the successor of the only one of its type, closed ones aside", async () => {
    const instance = await anInstance(driver);
    await anInvoice(instance);
    await open(instance, "SHOP-2027");
    const { opened, existing } = await instance.company.series.openYear({ year: 2027 });
    expect([opened, named(existing)]).toEqual([[], ["FT SHOP-2027"]]);
  });

  test("names the active series of the year rather than a closed one that has the next code", async () => {
    const instance = await anInstance(driver);
    await anInvoice(instance);
    await close(instance, await open(instance, "2027A"));
    expect(named((await instance.company.series.openYear({ year: 2027 })).existing)).toEqual(["FT 2027A"]);
    await open(instance, "2027B");
    expect(named((await instance.company.series.openYear({ year: 2027 })).existing)).toEqual(["FT 2027B"]);
  });

  test("is this year's or the next one's, by the company's own day", async () => {
    const instance = await anInstance(driver, { at: "2026-12-31T23:30:00Z" });
    const { series } = instance.company;
    for (const year of [2025, 2028]) {
      await expectRefusal(series.openYear({ year }), "invalid_request", "year: must be one of 2026, 2027");
    }
    await instance.lacre.companies.change({ id: instance.company_id, time_zone: "Asia/Macau" });
    expect((await series.openYear({ year: 2028 })).opened).toHaveLength(10);
  });

  test("a document in a series of an earlier year is a warning in the log and in the report of the tax file", async () => {
    const entries: LogEntry[] = [];
    const instance = await anInstance(driver, { at: "2027-01-01T10:00:00Z", log: (entry) => void entries.push(entry) });
    const { company } = instance;
    const of = async (code: string, issue_date: string) => {
      const { id: series_id } = await open(instance, code);
      return (await anInvoice(instance, { series_id, issue_date })).number;
    };
    const late = await of("2026A", "2027-01-01");
    await of("2026B", "2026-12-31");
    await of("2028A", "2027-01-01");
    await of("LOJA", "2027-01-01");
    await anInvoice(instance, { issue_date: "2027-01-01" });
    const warned = entries.filter(({ event }) => event === "series_of_earlier_year");
    expect(warned).toMatchObject([{ level: "warn", number: late, message: expect.stringContaining("2027-01-01") }]);

    const { report } = await company.saft.export({ from: "2027-01-01", to: "2027-01-01" });
    const said = report.warnings.filter(({ code }) => code === "series_of_earlier_year");
    expect(said).toMatchObject([{ count: 1, examples: [late] }]);
  });

  test("leaves the company's other tenants alone", async () => {
    const instance = await anInstance(driver);
    const { id } = await instance.lacre.companies.create({ name: "Outra, S.A.", tax_id: "501964843" });
    await anInvoice(instance);
    await instance.company.series.openYear({ year: 2027 });
    expect((await instance.lacre.as(id).series.list()).pagination.total).toBe(10);
  });
});
