import { describe, expect, test } from "vitest";
import { DATABASES } from "../../support/databases.ts";
import { NOW } from "../../support/drivers.ts";
import { aCustomer, anInvoice, aSeries } from "../../support/factories.ts";
import { aCompany, anInstance } from "../../support/instance.ts";
import { expectRefusal } from "../../support/refusals.ts";

describe.each(DATABASES)("an installation over $name", (driver) => {
  test("an original file is neither a backup nor restored, and no series waits for confirmation", async () => {
    const { lacre } = await anInstance(driver);
    const nothing = { backup_taken_at: null, last_backup: null, heads_directory: null, no_backups: null };
    const original = { created_at: NOW, ...nothing, restores: 0, locked: [] };
    expect(await lacre.installation.get()).toEqual(original);
  });

  test("the latest backup of the installation is recorded and shown", async () => {
    const instance = await anInstance(driver);
    const { lacre } = instance;
    const taken = { file: "/backups/lacre.db", documents: 3, bytes: 4096 };
    await lacre.installation.recordBackup({ ...taken, documents: 2 });
    instance.wait(60_000);
    await lacre.installation.recordBackup(taken);
    const last_backup = { ...taken, taken_at: "2026-11-21T10:32:07.482Z" };
    expect((await lacre.installation.get()).last_backup).toEqual(last_backup);
    expect(await lacre.readiness()).toMatchObject({ last_backup_at: last_backup.taken_at });
  });

  test("the reason why no backups are taken is recorded once, and counts until one is taken", async () => {
    const instance = await anInstance(driver);
    const { lacre } = instance;
    const reason = async () => (await lacre.installation.get()).no_backups;
    const because = "the host copies the disk every night";
    await lacre.installation.declineBackups({ because });
    instance.wait(60_000);
    await lacre.installation.declineBackups({ because });
    expect(await reason()).toEqual({ because, since: NOW });
    const later = "2026-11-21T10:32:07.482Z";
    await lacre.installation.declineBackups({ because: "it is a trial" });
    expect(await reason()).toEqual({ because: "it is a trial", since: later });
    await lacre.installation.recordBackup({ file: "/b.db", documents: 0, bytes: 1 });
    expect(await reason()).toBeNull();
    await lacre.installation.declineBackups({ because });
    expect(await reason()).toEqual({ because, since: later });
    await expectRefusal(lacre.installation.declineBackups({ because: " " }), "invalid_request", "because");
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

    const numbers = locked.map(({ head }) => head);
    const confirmed = numbers.map((head) => ({ number: head, head, outcome: "unlocked" }));
    expect(await company.series.confirmHeads({ numbers })).toEqual({ confirmed, still_locked: [] });
    expect((await lacre.installation.get()).locked).toEqual([]);
    expect((await issue()).number).toBe("FT 2026A/4");
    expect((await anInvoice(instance, { doc_type: "OR" })).number).toBe("OR 2026A/1");
  });

  test("a confirmed number beyond the file's closes the series for good", async () => {
    const instance = await anInstance(driver);
    const { lacre, company, series } = instance;
    await anInvoice(instance);
    await lacre.installation.markBackup();
    const { confirmed, still_locked } = await company.series.confirmHeads({ numbers: ["FT 2026A/2"] });
    expect(confirmed).toEqual([{ number: "FT 2026A/2", head: "FT 2026A/1", outcome: "closed" }]);
    expect((await company.series.get({ id: series.FT })).status).toBe("closed");
    await company.series.confirmHeads({ numbers: still_locked.map(({ head }) => head) });
    await expectRefusal(anInvoice(instance), "series_closed");
    const fresh = await aSeries(instance);
    expect((await anInvoice(instance, { series_id: fresh.id })).number).toBe("FT LOJA/1");
  });

  test("a series that is not locked, or a text that is not a number, cannot be confirmed", async () => {
    const instance = await anInstance(driver);
    const { lacre, company } = instance;
    await anInvoice(instance);
    const confirm = (...numbers: string[]) => company.series.confirmHeads({ numbers });
    await expectRefusal(confirm("FT 2026A/1"), "invalid_state");
    await lacre.installation.markBackup();
    for (const number of ["XX 2026A/1", "FT 2026A", "FT 2026A/", "FT 2026A/1x", "2026A/1", "ft 2026A/1"]) {
      await expectRefusal(confirm(number), "invalid_request");
    }
    await expectRefusal(anInvoice(instance), "unavailable");
    await confirm("FT 2026A/1");
    await expectRefusal(confirm("FT 2026A/1"), "invalid_state", "is not locked");
  });

  test("a series missing from the file is closed only if it is declared lost; its code is never used again", async () => {
    const instance = await anInstance(driver);
    const { lacre, company } = instance;
    await anInvoice(instance);
    await lacre.installation.markBackup();
    const numbers = ["FT LOJA/7"];
    await expectRefusal(
      company.series.confirmHeads({ numbers }),
      "conflict",
      "no series of FT LOJA/7: if opened after the backup",
    );
    const { confirmed } = await company.series.confirmHeads({ numbers, lost: true });
    expect(confirmed).toEqual([{ number: "FT LOJA/7", head: "FT LOJA/7", outcome: "closed" }]);
    expect((await company.series.list()).data[0]).toMatchObject({ doc_type: "FT", code: "LOJA", status: "closed" });
    await expectRefusal(aSeries(instance), "conflict");
    expect(await company.series.verify()).toMatchObject({ whole: true, documents: 1 });
  });

  test.each([
    ["in another case than the series has", "FT 2026a/2", "no series of FT 2026a/2, only that of FT 2026A/2"],
    ["below the head of the file", "FT 2026A/1", "FT 2026A/1 is not the last number: FT 2026A/2 was given"],
    ["that is none", "RG 2026A/x", "is not a document number"],
  ])("numbers are confirmed all or none: one %s is refused with those beside it", async (_, number, reason) => {
    const instance = await anInstance(driver);
    const { lacre, company } = instance;
    for (let i = 0; i < 2; i++) await anInvoice(instance);
    await lacre.installation.markBackup();
    const before = await lacre.installation.get();
    const confirming = company.series.confirmHeads({ numbers: ["FS 2026A/0", number, "FR 2026A/0"] });
    await expectRefusal(confirming, number.endsWith("x") ? "invalid_request" : "conflict", reason);
    expect(await lacre.installation.get()).toEqual(before);
  });

  test.each([
    ["RG 2026A/0", "RG 2026A/0"],
    ["RC 2026A/0", "RG 2026A/0"],
    ["GD 2026A/0", "GD 2026A/0"],
    ["NDV 2026A/0", "GD 2026A/0"],
  ])("the type may be AT's or the document type's: %s", async (number, head) => {
    const instance = await anInstance(driver);
    await instance.lacre.installation.markBackup();
    const { confirmed } = await instance.company.series.confirmHeads({ numbers: [number] });
    expect(confirmed).toEqual([{ number, head, outcome: "unlocked" }]);
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
