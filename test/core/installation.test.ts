import { describe, expect, test } from "vitest";
import { DRIVERS, NOW } from "../support/drivers.ts";
import { aCustomer, anInvoice, aSeries } from "../support/factories.ts";
import { aCompany, anInstance } from "../support/instance.ts";
import { expectRefusal } from "../support/refusals.ts";

describe.each(DRIVERS)("an installation over $name", (driver) => {
  test("an original file is neither a backup nor restored, and no series waits for confirmation", async () => {
    const { lacre } = await anInstance(driver);
    const original = { created_at: NOW, backup_taken_at: null, restores: 0, locked: [] };
    expect(await lacre.installation.get()).toEqual(original);
  });

  test("a file marked as a backup issues nothing until each series is confirmed; everything else works", async () => {
    const instance = await anInstance(driver);
    const { lacre, company } = instance;
    for (let i = 0; i < 3; i++) await anInvoice(instance);
    await anInvoice(instance, { doc_type: "FR" });
    instance.wait(1_000);
    await lacre.installation.markBackup();
    const { backup_taken_at, locked } = await lacre.installation.get();
    expect(backup_taken_at).toBe("2026-11-21T10:31:08.482Z");
    expect(locked.slice(0, 2).map(({ head }) => head)).toEqual(["FT 2026A/3", "FR 2026A/1"]);

    const draft = await anInvoice(instance, { issue: false });
    const issue = () => company.documents.issue({ id: draft.id });
    await expectRefusal(issue(), "unavailable", "restored backup");
    await expectRefusal(anInvoice(instance, { doc_type: "OR" }), "unavailable"); // it may have been used since
    expect((await aCustomer(instance)).name).toBe("Ana Conceição");
    expect(await company.series.verify()).toMatchObject({ whole: true, documents: 4 });

    for (const { head } of locked) {
      const confirmed = await company.series.confirmHead({ number: head });
      expect(confirmed).toMatchObject({ number: head, head, outcome: "unlocked" });
      expect(confirmed.still_locked.map((series) => series.head)).not.toContain(head);
    }
    expect((await lacre.installation.get()).locked).toEqual([]);
    expect((await issue()).number).toBe("FT 2026A/4");
    expect((await anInvoice(instance, { doc_type: "OR" })).number).toBe("OR 2026A/1");
  });

  test("a confirmed number that differs from the file's closes the series for good", async () => {
    const instance = await anInstance(driver);
    const { lacre, company, series } = instance;
    await anInvoice(instance);
    await lacre.installation.markBackup();
    const confirmed = await company.series.confirmHead({ number: "FT 2026A/2" });
    expect(confirmed).toMatchObject({ number: "FT 2026A/2", head: "FT 2026A/1", outcome: "closed" });
    expect((await company.series.get({ id: series.FT })).status).toBe("closed");
    for (const { head } of confirmed.still_locked) await company.series.confirmHead({ number: head });
    await expectRefusal(anInvoice(instance), "series_closed");
    const fresh = await aSeries(instance);
    expect((await anInvoice(instance, { series_id: fresh.id })).number).toBe("FT LOJA/1");
  });

  test("an unknown series, or one that is not locked, cannot be confirmed", async () => {
    const instance = await anInstance(driver);
    const { lacre, company } = instance;
    await anInvoice(instance);
    await expectRefusal(company.series.confirmHead({ number: "FT 2026A/1" }), "invalid_state");
    await lacre.installation.markBackup();
    for (const number of ["XX 2026A/1", "FT 2026A", "FT 2026A/", "FT 2026A/1x", "2026A/1", "ft 2026A/1"]) {
      await expectRefusal(company.series.confirmHead({ number }), "invalid_request");
    }
    await expectRefusal(anInvoice(instance), "unavailable");
  });

  test("a series that is missing from the file was opened after the backup: its code is never used again", async () => {
    const instance = await anInstance(driver);
    const { lacre, company } = instance;
    await anInvoice(instance);
    await lacre.installation.markBackup();
    const confirmed = await company.series.confirmHead({ number: "FT LOJA/7" });
    expect(confirmed).toMatchObject({ number: "FT LOJA/7", outcome: "closed" });
    expect((await company.series.list()).data[0]).toMatchObject({ doc_type: "FT", code: "LOJA", status: "closed" });
    await expectRefusal(aSeries(instance), "conflict");
    expect(await company.series.verify()).toMatchObject({ whole: true, documents: 1 });
  });

  test.each([
    ["another case", "FT 2026a/1", "FT 2026A/1"],
    ["the receipts of the cash-VAT scheme", "RC 2026A/1", "RG 2026A/0"],
  ])("a number in %s than the series has is refused, and nothing is stored", async (_, number, head) => {
    const instance = await anInstance(driver);
    const { lacre, company } = instance;
    await anInvoice(instance);
    await lacre.installation.markBackup();
    const before = await lacre.installation.get();
    await expectRefusal(
      company.series.confirmHead({ number }),
      "conflict",
      `no series of ${number}, only that of ${head}`,
    );
    expect(await lacre.installation.get()).toEqual(before);
  });

  test("restores are counted and recorded, and lock every company", async () => {
    const instance = await anInstance(driver);
    const other = await aCompany(instance.lacre);
    await anInvoice(instance);
    await anInvoice(other);
    await instance.lacre.installation.countRestore();
    await instance.lacre.installation.countRestore();
    const { restores, locked } = await instance.lacre.installation.get();
    expect(restores).toBe(2);
    expect(new Set(locked.map(({ company_id }) => company_id))).toEqual(
      new Set([instance.company_id, other.company_id]),
    );
    for (const home of [instance, other]) await expectRefusal(anInvoice(home), "unavailable");
  });
});
