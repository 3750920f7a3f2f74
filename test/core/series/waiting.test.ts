import type { Waiting } from "lacre";
import { describe, expect, test } from "vitest";
import { DRIVERS, NOW } from "../../support/drivers.ts";
import { anInvoice, aSeries } from "../../support/factories.ts";
import { aCompany, anInstallation, anInstance, type Instance } from "../../support/instance.ts";

const CODE = "CSDF7T5H";

const register = ({ company }: Instance, id: string) => company.series.change({ id, validation_code: CODE });

async function waitingOf<Kind extends Waiting["kind"]>({ lacre }: Pick<Instance, "lacre">, kind: Kind) {
  const waiting = await lacre.installation.waiting();
  return waiting.filter((one): one is Extract<Waiting, { kind: Kind }> => one.kind === kind);
}

describe.each(DRIVERS)("what waits over $name", (driver) => {
  test("is nothing where no company is", async () => {
    expect(await (await anInstallation(driver)).installation.waiting()).toEqual([]);
  });

  test("are series to register, and later those that can no longer be", async () => {
    const instance = await anInstance(driver);
    const { company, company_id, series } = instance;
    const [all] = await waitingOf(instance, "series_unregistered");
    expect(all).toMatchObject({ company_id, any_registered: false, series: expect.arrayContaining(["FT 2026A"]) });
    expect(all?.series).toHaveLength(10);
    await anInvoice(instance);
    await register(instance, series.FS);
    await company.series.create({ doc_type: "FT", code: "AULA", training: true });
    const [rest] = await waitingOf(instance, "series_unregistered");
    expect(rest?.any_registered).toBe(true);
    expect(rest?.series).toEqual("FR NC ND RC GT GR NDV OR".split(" ").map((type) => `${type} 2026A`));
    expect(await waitingOf(instance, "series_without_code")).toMatchObject([{ series: ["FT 2026A"] }]);
    await company.series.change({ id: series.FT, status: "closed" });
    expect(await waitingOf(instance, "series_without_code")).toEqual([]);
  });

  test.each([
    ["2026-11-30T23:59:59Z", undefined],
    ["2026-12-01T00:00:00Z", 2027],
    ["2027-01-01T00:00:00Z", 2027],
    ["2027-06-01T00:00:00Z", 2027],
  ])("at %s are the series of %s, of the types in use", async (at, year) => {
    const instance = await anInstance(driver);
    const { company, series } = instance;
    await anInvoice(instance);
    await register(instance, series.FS);
    await company.series.create({ doc_type: "NC", code: "LOJA", validation_code: `${CODE}2` }); // of no year
    instance.travel(at);
    const expected = year === undefined ? [] : [{ year, doc_types: ["FT", "FS"] }];
    expect(await waitingOf(instance, "year_not_open")).toMatchObject(expected);
    if (year === undefined) return;
    await company.series.openYear({ year });
    expect(await waitingOf(instance, "year_not_open")).toEqual([]);
    const [unregistered] = await waitingOf(instance, "series_unregistered");
    expect(unregistered?.series).toEqual(expect.arrayContaining(["FT 2027A", "FS 2027A"]));
  });

  test("is a clock behind the latest document, until it is confirmed, and the probe counts it", async () => {
    const instance = await anInstance(driver);
    const { lacre, company } = instance;
    await anInvoice(instance);
    const free = { blocked: { numbers_unconfirmed: 0, clock_behind: 0 }, nothing_can_be_issued: false };
    instance.wait(-2_000);
    expect(await lacre.readiness()).toMatchObject(free);
    instance.wait(-1);
    expect(await waitingOf(instance, "clock_behind")).toMatchObject([{ latest_issued_at: NOW }]);
    expect(await lacre.readiness()).toMatchObject({ blocked: { clock_behind: 1 }, nothing_can_be_issued: true });
    await aCompany(lacre);
    expect(await lacre.readiness()).toMatchObject({ blocked: { clock_behind: 1 }, nothing_can_be_issued: false });
    await company.clock.confirm();
    expect(await waitingOf(instance, "clock_behind")).toEqual([]);
    expect(await lacre.readiness()).toMatchObject(free);
  });

  test("are unconfirmed numbers of a restored backup, first in the list; all can be issued once they are confirmed", async () => {
    const instance = await anInstance(driver);
    const { lacre, company } = instance;
    await anInvoice(instance);
    await lacre.installation.markBackup();
    const [first] = await lacre.installation.waiting();
    expect(first).toMatchObject({ kind: "numbers_unconfirmed", numbers: expect.arrayContaining(["FT 2026A/1"]) });
    expect(await lacre.readiness()).toMatchObject({ blocked: { numbers_unconfirmed: 1 }, nothing_can_be_issued: true });
    await company.series.confirmHeads({ numbers: ["FT 2026A/1"] });
    // FS and the others still wait, but an FT can be issued.
    expect(await lacre.readiness()).toMatchObject({
      blocked: { numbers_unconfirmed: 1 },
      nothing_can_be_issued: false,
    });
    const numbers = (await waitingOf(instance, "numbers_unconfirmed"))[0]?.numbers ?? [];
    await company.series.confirmHeads({ numbers });
    expect(await waitingOf(instance, "numbers_unconfirmed")).toEqual([]);
    expect(await lacre.readiness()).toMatchObject({ blocked: { numbers_unconfirmed: 0 } });
  });

  test("nothing can be issued where a company without documents was restored, until it opens a series", async () => {
    const instance = await anInstance(driver);
    await instance.lacre.installation.markBackup();
    expect(await instance.lacre.readiness()).toMatchObject({ nothing_can_be_issued: true });
    await aSeries(instance);
    expect(await instance.lacre.readiness()).toMatchObject({ nothing_can_be_issued: false });
  });
});
