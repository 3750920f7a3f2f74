import type { LogEntry, Waiting } from "lacre";
import { describe, expect, test } from "vitest";
import { DATABASES, isPostgres } from "../../support/databases.ts";
import { type Database, NOW } from "../../support/drivers.ts";
import { anInvoice, aSeries } from "../../support/factories.ts";
import { aCompany, anInstallation, anInstance, type Instance } from "../../support/instance.ts";

const MINUTE = 60_000;

const CODE = "CSDF7T5H";

const register = ({ company }: Instance, id: string) => company.series.change({ id, validation_code: CODE });

/** Whether Lacre takes the backups of a database, which it does of files. */
const isFile = (database: Database) => !isPostgres(database);

async function waitingOf<Kind extends Waiting["kind"]>({ lacre }: Pick<Instance, "lacre">, kind: Kind) {
  const waiting = await lacre.installation.waiting();
  return waiting.filter((one): one is Extract<Waiting, { kind: Kind }> => one.kind === kind);
}

describe.each(DATABASES)("what waits over $name", (driver) => {
  test("is nothing without a company", async () => {
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
    expect(rest?.numbered_as).toEqual("FR NC ND RG GT GR GD OR".split(" ").map((type) => `${type} 2026A`));
    expect(await waitingOf(instance, "series_without_code")).toMatchObject([{ series: ["FT 2026A"] }]);
    await company.series.change({ id: series.FT, status: "closed" });
    expect(await waitingOf(instance, "series_without_code")).toEqual([]);
  });

  test("are receipts of cash VAT under AT's RC, and the others under RG", async () => {
    const instance = await anInstance(driver);
    await instance.company.company.change({ cash_vat: true });
    await instance.company.series.create({ doc_type: "RC", code: "CX2026", cash_vat: true });
    const [found] = await waitingOf(instance, "series_unregistered");
    expect(found?.series).toEqual(expect.arrayContaining(["RC 2026A", "RC CX2026"]));
    expect(found?.numbered_as).toEqual(expect.arrayContaining(["RG 2026A", "RC CX2026"]));
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

  test.skipIf(!isFile(driver))(
    "is a backup, once documents were issued: the first, and each after a week or two intervals",
    async () => {
      const instance = await anInstance(driver);
      const { lacre } = instance;
      const overdue = async () => {
        const waiting = await waitingOf(instance, "backup_overdue");
        expect((await lacre.readiness()).backup_overdue).toBe(waiting.length > 0);
        return waiting.map(({ taken_at }) => taken_at);
      };
      const taken = { file: "/b.db", documents: 1, bytes: 1 };
      expect(await overdue()).toEqual([]);
      await anInvoice(instance);
      expect(await overdue()).toEqual([null]);

      instance.travel("2026-12-01T00:00:00Z");
      await lacre.installation.recordBackup(taken);
      instance.travel("2027-01-01T00:00:00Z");
      expect(await overdue()).toEqual([]); // all documents are in the backup
      await anInvoice(instance);
      expect(await overdue()).toEqual(["2026-12-01T00:00:00.000Z"]);

      instance.travel("2027-01-02T00:00:00Z");
      await lacre.installation.recordBackup(taken);
      instance.wait(1000);
      await anInvoice(instance);
      instance.travel("2027-01-09T00:00:00Z");
      expect(await overdue()).toEqual([]);
      instance.travel("2027-01-09T00:00:01Z");
      expect(await overdue()).toHaveLength(1);

      await lacre.installation.recordBackup({ ...taken, every_s: 3600 });
      instance.wait(1000);
      await anInvoice(instance);
      instance.travel("2027-01-09T02:00:01Z");
      expect(await overdue()).toEqual([]);
      instance.travel("2027-01-09T02:00:02Z");
      expect(await overdue()).toHaveLength(1);
    },
  );

  test.runIf(isFile(driver))(
    "is a backup after two days under a certificate number, not only after a week",
    async () => {
      const instance = await anInstance(driver);
      const { lacre } = instance;
      await anInvoice(instance);
      await lacre.installation.recordBackup({ file: "/backups/lacre.db", documents: 1, bytes: 4096 });
      instance.wait(1_000);
      await anInvoice(instance);
      instance.wait(48 * 60 * 60 * 1_000);
      expect(await waitingOf(instance, "backup_overdue")).toEqual([]);
      await lacre.signer.setCertificate({ certificate_number: 9999, producer_name: "P", producer_tax_id: "509442013" });
      expect(await waitingOf(instance, "backup_overdue")).toMatchObject([{ taken_at: NOW }]);
      expect((await lacre.readiness()).backup_overdue).toBe(true);
    },
  );

  test.skipIf(!isFile(driver))(
    "is a note of heads elsewhere, once a server keeps one beside the file, until it exists",
    async () => {
      const instance = await anInstance(driver);
      const { lacre } = instance;
      await anInvoice(instance);
      const asked = async () => (await waitingOf(instance, "heads_not_elsewhere")).length;
      expect(await asked()).toBe(0); // a program that embeds Lacre keeps no note
      await lacre.installation.lockIfCopied({ table: "mark", timeline: "" });
      expect(await asked()).toBe(1);
      await lacre.installation.keepHeads({ directory: "/mnt/heads" });
      expect((await lacre.installation.get()).heads_directory).toBe("/mnt/heads");
      expect(await asked()).toBe(0);
      await lacre.installation.keepHeads({ directory: null });
      expect(await asked()).toBe(1);
    },
  );

  test.skipIf(isFile(driver))("is never a backup on a server, whose operator takes them", async () => {
    const instance = await anInstance(driver);
    await anInvoice(instance);
    instance.travel("2027-01-01T00:00:00Z");
    await anInvoice(instance);
    expect(await waitingOf(instance, "backup_overdue")).toEqual([]);
    expect((await instance.lacre.readiness()).backup_overdue).toBe(false);
  });

  test.skipIf(!isFile(driver))(
    "is no backup in a restored one, until documents are issued and a week has passed",
    async () => {
      const instance = await anInstance(driver);
      const { lacre, company } = instance;
      const { number } = await anInvoice(instance);
      await lacre.installation.markBackup();
      const locked = (await lacre.installation.get()).locked.map(({ head }) => head);
      await company.series.confirmHeads({ numbers: locked });
      expect(locked).toContain(number);
      instance.travel("2026-12-21T00:00:00Z");
      expect(await waitingOf(instance, "backup_overdue")).toEqual([]);
      await anInvoice(instance);
      expect(await waitingOf(instance, "backup_overdue")).toMatchObject([{ taken_at: NOW }]);
    },
  );

  test("is a clock behind the latest document, until it is confirmed, and the probe counts it", async () => {
    const instance = await anInstance(driver);
    const { lacre, company } = instance;
    await anInvoice(instance);
    const free = {
      blocked: { database_changed: 0, numbers_unconfirmed: 0, clock_behind: 0 },
      nothing_can_be_issued: false,
    };
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

  test("is a clock by which nothing was issued for 60 days, until it is confirmed; the probe stays ready", async () => {
    const instance = await anInstance(driver);
    const { lacre, company, company_id } = instance;
    const { issued_at: since } = await anInvoice(instance);
    const now = "2027-10-01T09:00:00.000Z";
    instance.travel(now);
    const waits = { kind: "clock_unconfirmed", company_id, company: "Padaria Central, Lda.", now, since };
    expect(await waitingOf(instance, "clock_unconfirmed")).toEqual([waits]);
    expect(await lacre.readiness()).toMatchObject({ blocked: { clock_behind: 0 }, nothing_can_be_issued: false });
    await company.clock.confirm();
    expect(await waitingOf(instance, "clock_unconfirmed")).toEqual([]);
  });

  test("is a disk with less than 256 MB left, before it is full, and the probe says so", async () => {
    let free_bytes: number | undefined = 256 * 1024 * 1024;
    const instance = await anInstance(driver, { freeBytes: () => free_bytes });
    const low = async () => [await waitingOf(instance, "disk_low"), (await instance.lacre.readiness()).disk_low];
    expect(await low()).toEqual([[], false]);
    free_bytes--;
    expect(await low()).toEqual([[{ kind: "disk_low", company_id: null, company: null, free_bytes }], true]);
    free_bytes = undefined;
    expect(await low()).toEqual([[], false]);
  });

  test("is a webhook that has failed for an hour, or was disabled automatically, not one that somebody stopped", async () => {
    const instance = await anInstance(driver);
    const { company, company_id } = instance;
    const url = "https://example.com/hook?token=s3";
    const { id } = await company.webhooks.create({ url, actions: ["document.issued"] });
    const attempt = async (outcome: "failed" | "gone" | "delivered") => {
      const [message] = await company.webhooks.take({ id, most: 1 });
      const { delivery_id, attempt } = message as { delivery_id: string; attempt: number };
      const settled = { id, delivery_id, attempt, outcome, status: 500, error: null, duration_ms: 1 };
      await company.webhooks.settle(settled);
    };
    await anInvoice(instance);
    await attempt("failed");
    instance.wait(3_600_000);
    expect(await waitingOf(instance, "webhook_failing")).toEqual([]);
    instance.wait(1);
    const waits = {
      kind: "webhook_failing",
      company_id,
      company: "Padaria Central, Lda.",
      webhook_id: id,
      url: "https://example.com",
      since: NOW,
      disabled: false,
    };
    expect(await waitingOf(instance, "webhook_failing")).toEqual([waits]);
    await attempt("gone");
    expect(await waitingOf(instance, "webhook_failing")).toEqual([{ ...waits, disabled: true }]);
    await company.webhooks.change({ id, enabled: true });
    expect(await waitingOf(instance, "webhook_failing")).toEqual([]);
    await company.webhooks.change({ id, enabled: false });
    instance.wait(7_200_000);
    expect(await waitingOf(instance, "webhook_failing")).toEqual([]);
  });

  test("are messages to webhooks that nobody has taken for five minutes, with one warning, until somebody does", async () => {
    const log: LogEntry[] = [];
    const instance = await anInstance(driver, { log: (entry) => void log.push(entry) });
    const { lacre, company, company_id } = instance;
    const { id: stopped } = await company.webhooks.create({ url: "https://example.com/b" });
    await company.webhooks.change({ id: stopped, enabled: false });
    const { id } = await company.webhooks.create({ url: "https://example.com/a", actions: ["document.*"] });
    const unsent = async () => {
      const waiting = await waitingOf(instance, "webhooks_unsent");
      expect((await lacre.readiness()).webhooks_unsent).toBe(waiting.length);
      return waiting;
    };
    const warnings = () => log.filter(({ event }) => event === "webhooks_unsent");
    await anInvoice(instance);
    instance.wait(5 * MINUTE - 1);
    await anInvoice(instance);
    expect(await unsent()).toEqual([]);
    instance.wait(1);
    const waits = { kind: "webhooks_unsent", company_id, company: "Padaria Central, Lda.", since: NOW };
    expect(await unsent()).toEqual([waits]);
    expect(warnings()).toEqual([]);
    await anInvoice(instance);
    instance.wait(MINUTE);
    await anInvoice(instance);
    expect(warnings()).toMatchObject([{ level: "warn", company_id, webhook_id: id, since: NOW }]);

    // Somebody who takes one message at a time is behind, and sends.
    for (let minutes = 6; minutes < 20; minutes += 4) {
      expect(await company.webhooks.take({ id, most: 1 })).toHaveLength(1);
      instance.wait(4 * MINUTE);
      await anInvoice(instance);
      expect(await unsent()).toEqual([]);
    }
    expect(warnings()).toHaveLength(1);
    instance.wait(MINUTE);
    await anInvoice(instance);
    expect(await unsent()).toMatchObject([{ kind: "webhooks_unsent" }]);
    expect(warnings()).toHaveLength(2);

    await company.webhooks.change({ id, enabled: false });
    expect(await unsent()).toEqual([]);
    await company.webhooks.change({ id, enabled: true });
    expect(await unsent()).toEqual([]);
    instance.wait(5 * MINUTE);
    expect(await unsent()).toHaveLength(1);
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

  test("nothing can be issued if a company without documents was restored, until it opens a series", async () => {
    const instance = await anInstance(driver);
    await instance.lacre.installation.markBackup();
    expect(await instance.lacre.readiness()).toMatchObject({ nothing_can_be_issued: true });
    await aSeries(instance);
    expect(await instance.lacre.readiness()).toMatchObject({ nothing_can_be_issued: false });
  });
});
