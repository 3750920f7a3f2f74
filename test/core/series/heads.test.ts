import { describe, expect, test } from "vitest";
import { DATABASES } from "../../support/databases.ts";
import { anInvoice, aSeries } from "../../support/factories.ts";
import { aCompany, anInstance, type Instance } from "../../support/instance.ts";
import { expectRefusal } from "../../support/refusals.ts";

/** An instance with these numbers of invoices and simplified invoices. */
async function withDocuments(driver: (typeof DATABASES)[number], FT: number, FS: number): Promise<Instance> {
  const instance = await anInstance(driver);
  for (let i = 0; i < FT; i++) await anInvoice(instance);
  for (let i = 0; i < FS; i++) await anInvoice(instance, { doc_type: "FS" });
  return instance;
}

describe.each(DATABASES)("heads over $name", (driver) => {
  test("are the last number and seal of every series with documents, in every company", async () => {
    const instance = await withDocuments(driver, 3, 1);
    const other = await aCompany(instance.lacre);
    await anInvoice(other);
    const heads = await instance.lacre.installation.heads();
    const ofSeries = heads.filter(({ number }) => !number.startsWith("events/"));
    expect(ofSeries.map(({ company_id, number }) => [company_id, number])).toEqual([
      [instance.company_id, "FT 2026A/3"],
      [instance.company_id, "FS 2026A/1"],
      [other.company_id, "FT 2026A/1"],
    ]);
    for (const { seal } of heads) expect(seal).toMatch(/^1:[0-9a-f]{64}$/);
  });

  test("that were noted earlier do not conflict with a file that continued", async () => {
    const instance = await withDocuments(driver, 2, 1);
    const noted = await instance.lacre.installation.heads();
    for (let i = 0; i < 3; i++) await anInvoice(instance);
    expect(await instance.lacre.installation.compareHeads({ noted })).toEqual([]);
    expect(await instance.lacre.installation.lockIfBehind({ noted })).toEqual([]);
    expect((await anInvoice(instance)).number).toBe("FT 2026A/6");
  });

  test("of the records of events reveal that their end was cut off; they lock nothing", async () => {
    const instance = await withDocuments(driver, 1, 0);
    const { lacre, company_id } = instance;
    const noted = (await lacre.installation.heads()).filter(({ number }) => number.startsWith("events/"));
    expect(noted.map((head) => head.company_id)).toEqual([company_id, null]);
    await anInvoice(instance);
    expect(await lacre.installation.compareHeads({ noted })).toEqual([]);
    const later = noted.map((head) => ({ ...head, number: "events/1000" }));
    const other = noted.map((head) => ({ ...head, number: "events/1" }));
    for (const [heads, problem] of [
      [later, "behind"],
      [other, "differs"],
    ] as const) {
      const conflicts = await lacre.installation.compareHeads({ noted: [...heads] });
      expect(conflicts.map((one) => one.problem)).toEqual([problem, problem]);
      expect(await lacre.installation.lockIfBehind({ noted: [...heads] })).toEqual([]);
    }
    expect((await anInvoice(instance)).number).toBe("FT 2026A/3");
  });

  test("beyond those of the file lock it like a restored backup, once, until every series is confirmed", async () => {
    const instance = await withDocuments(driver, 2, 1);
    const { lacre, company, company_id } = instance;
    const noted = [{ company_id, number: "FT 2026A/4", seal: "0".repeat(64) }];
    const conflict = { ...noted[0], problem: "behind", head: "FT 2026A/2", closed: false };
    expect(await lacre.installation.compareHeads({ noted })).toEqual([{ ...conflict, locked: false }]);
    await lacre.installation.lockIfBehind({ noted });
    await expectRefusal(anInvoice(instance), "unavailable");
    const { restores, locked } = await lacre.installation.get();
    expect([restores, locked.length]).toEqual([1, 10]);

    // Those that lost nothing continue, and stay unlocked at the next start.
    await company.series.confirmHeads({ numbers: ["FS 2026A/1"], noted });
    await lacre.installation.lockIfBehind({ noted });
    const after = await lacre.installation.get();
    expect([after.restores, after.locked.length]).toEqual([1, 9]);

    await expectRefusal(
      company.series.confirmHeads({ numbers: ["FT 2026A/2"], noted }),
      "conflict",
      "FT 2026A/2 is not the last number: FT 2026A/4 was given",
    );
    const { confirmed } = await company.series.confirmHeads({ numbers: ["FT 2026A/4"], noted });
    expect(confirmed[0]?.outcome).toBe("closed");
    expect(await lacre.installation.lockIfBehind({ noted })).toEqual([]);
    expect(await lacre.installation.compareHeads({ noted })).toMatchObject([{ problem: "behind", closed: true }]);
  });

  test("with another seal prove that the series was rewritten: confirming cannot unlock it", async () => {
    const instance = await withDocuments(driver, 3, 0);
    const { lacre, company, company_id } = instance;
    const noted = [{ company_id, number: "FT 2026A/2", seal: "0".repeat(64) }];
    expect(await lacre.installation.lockIfBehind({ noted })).toMatchObject([
      { problem: "differs", head: "FT 2026A/3" },
    ]);
    const { confirmed } = await company.series.confirmHeads({ numbers: ["FT 2026A/3"], noted });
    expect(confirmed).toEqual([{ number: "FT 2026A/3", head: "FT 2026A/3", outcome: "closed" }]);
  });

  test("of a series that the file lacks store it as closed: its code is never used again", async () => {
    const instance = await withDocuments(driver, 1, 0);
    const { lacre, company, company_id } = instance;
    const noted = [{ company_id, number: "FT LOJA/5", seal: "0".repeat(64) }];
    expect(await lacre.installation.lockIfBehind({ noted })).toMatchObject([{ problem: "no_series", head: null }]);
    await expectRefusal(aSeries(instance), "conflict");
    expect((await lacre.installation.get()).locked).not.toEqual([]);
    expect(await lacre.installation.lockIfBehind({ noted })).toEqual([]);
    expect(await company.series.verify()).toMatchObject({ whole: true });
  });

  test("of a company that the file lacks are reported, and lock nothing by themselves", async () => {
    const { lacre } = await withDocuments(driver, 1, 0);
    const noted = [{ company_id: "019a0000-0000-7000-8000-000000000000", number: "FT A/1", seal: "0".repeat(64) }];
    expect(await lacre.installation.lockIfBehind({ noted })).toMatchObject([{ problem: "no_company" }]);
    expect((await lacre.installation.get()).restores).toBe(0);
  });

  test("that are not numbers are refused", async () => {
    const { lacre, company_id } = await withDocuments(driver, 1, 0);
    const noted = [{ company_id, number: "17", seal: "0".repeat(64) }];
    await expectRefusal(lacre.installation.compareHeads({ noted }), "invalid_request");
  });
});
