/** Marks of communicated months, and the reminders of those that are not. */
import { describe, expect, test } from "vitest";
import { TEXTS } from "../../../src/bin/texts/texts.ts";
import { sentenceOf } from "../../../src/bin/waiting.ts";
import { listWaiting } from "../../../src/core/series/waiting.ts";
import { DATABASES, isPostgres } from "../../support/databases.ts";
import { anInvoice } from "../../support/factories.ts";
import { aCompany, anInstance, type Instance } from "../../support/instance.ts";
import { expectRefusal } from "../../support/refusals.ts";

const due = async ({ company }: Pick<Instance, "company">) =>
  (await company.waiting.list()).filter(({ kind }) => kind === "tax_file_due");

/** What monitors and `lacre status` are told. */
const dueOutside = async ({ lacre }: Instance) =>
  (await lacre.installation.waiting()).filter(({ kind }) => kind === "tax_file_due");

describe.each(DATABASES)("communications over $name", (driver) => {
  test("list the months with documents, and who marked which when", async () => {
    const home = await anInstance(driver, { at: "2025-12-31T12:00:00Z" });
    const { company } = home;
    await anInvoice(home, { issue_date: "2025-12-31" });
    home.travel("2026-02-10T12:00:00Z");
    await anInvoice(home, { issue_date: "2026-02-10" });
    const unmarked = { communicated: null, changed: { issued: 0, cancelled: 0 } };
    expect(await company.saft.listCommunications()).toEqual({
      data: [
        { month: "2026-02", due: "2026-03-05", documents: 1, ...unmarked },
        { month: "2025-12", due: "2026-01-05", documents: 1, ...unmarked },
      ],
      pagination: { limit: 50, offset: 0, total: 2 },
    });
    const marked = await company.saft.markCommunicated({ month: "2025-12" });
    expect(marked).toMatchObject({
      month: "2025-12",
      communicated: { at: "2026-02-10T12:00:00.000Z", by: { kind: "host", code: "H1" } },
    });
    const page = await company.saft.listCommunications({ limit: 1, offset: 1 });
    expect(page).toEqual({ data: [marked], pagination: { limit: 1, offset: 1, total: 2 } });
    const { data } = await company.events.list({ limit: 1 });
    expect(data[0]).toMatchObject({
      action: "communication.marked",
      detail: { month: "2025-12", documents: 1, cancelled: 0 },
    });
    expect((await company.series.verify()).whole).toBe(true);
  });

  test("a repeat changes nothing; a document issued or cancelled since shows, until the month is marked again", async () => {
    const home = await anInstance(driver, { at: "2026-11-30T12:00:00Z" });
    const { company } = home;
    const mark = () => company.saft.markCommunicated({ month: "2026-11" });
    const first = await anInvoice(home, { issue_date: "2026-11-30" });
    const marked = await mark();
    home.wait(60_000);
    expect(await mark()).toEqual(marked);
    expect((await company.events.list()).data.filter(({ action }) => action === "communication.marked")).toHaveLength(
      1,
    );
    await anInvoice(home, { issue_date: "2026-11-30" });
    await company.documents.cancel({ id: first.id });
    home.travel("2026-12-02T12:00:00Z");
    const [changed] = (await company.saft.listCommunications()).data;
    expect(changed).toMatchObject({ documents: 2, changed: { issued: 1, cancelled: 1 } });
    expect(await due(home)).toMatchObject([{ month: "2026-11", due: "2026-12-05", changed: true }]);
    const again = await mark();
    expect(again).toMatchObject({ changed: { issued: 0, cancelled: 0 } });
    expect(again.communicated?.at).toBe("2026-12-02T12:00:00.000Z");
    expect(await due(home)).toEqual([]);
  });

  test("drafts, training and another company's documents are in no month", async () => {
    const home = await anInstance(driver);
    const { id } = await home.company.series.create({ doc_type: "FT", code: "TREINO", training: true });
    await anInvoice(home, { series_id: id });
    await anInvoice(home, { issue: false });
    await anInvoice(await aCompany(home.lacre));
    expect((await home.company.saft.listCommunications()).data).toEqual([]);
  });

  test.each(["2026-13", "2026-00", "2026-1", "2026", "", "2026-11-01", "2026-12", 202611])(
    "the month %j is refused",
    async (month) => {
      const { company } = await anInstance(driver);
      await expectRefusal(company.saft.markCommunicated({ month: month as string }), "invalid_request", "month");
      expect((await company.saft.listCommunications()).data).toEqual([]);
    },
  );

  test("a month without documents can be marked: the law asks to say so too", async () => {
    const { company } = await anInstance(driver);
    expect(await company.saft.markCommunicated({ month: "2026-10" })).toMatchObject({ documents: 0 });
    expect((await company.saft.listCommunications()).data).toMatchObject([{ month: "2026-10" }]);
  });

  test("a company that never marked a month is reminded by the page alone, until the 5th", async () => {
    const home = await anInstance(driver, { at: "2026-10-20T12:00:00Z" });
    await anInvoice(home, { issue_date: "2026-10-20" });
    for (const [at, waits] of [
      ["2026-10-31T12:00:00Z", false],
      ["2026-11-01T00:00:00Z", true],
      ["2026-11-05T23:59:59Z", true],
      ["2026-11-06T00:00:00Z", false],
      ["2026-12-01T12:00:00Z", false], // November has no documents
    ] as const) {
      home.travel(at);
      expect(await due(home), at).toHaveLength(waits ? 1 : 0);
      expect(await dueOutside(home), at).toEqual([]);
    }
  });

  test("a company that marked one is reminded of last month until it is marked, everywhere", async () => {
    const home = await anInstance(driver, { at: "2026-09-20T12:00:00Z" });
    const { company } = home;
    await anInvoice(home, { issue_date: "2026-09-20" });
    await company.saft.markCommunicated({ month: "2026-09" });
    home.travel("2026-10-20T12:00:00Z");
    await anInvoice(home, { issue_date: "2026-10-20" });
    expect(await due(home)).toEqual([]);
    home.travel("2026-11-20T12:00:00Z");
    const [waiting] = await dueOutside(home);
    expect(waiting).toMatchObject({ month: "2026-10", due: "2026-11-05", changed: false });
    expect(waiting && sentenceOf(waiting, false, { complete: (text) => text })(TEXTS.en)).toBe(
      "The tax file of 2026-10 must be communicated to AT by 2026-11-05. Write it (lacre saft --year 2026 --month 10), " +
        "deliver it on AT's site, then mark the month in the company area",
    );
    expect(await due(home)).toEqual([waiting]);
    await company.saft.markCommunicated({ month: "2026-10" });
    expect(await due(home)).toEqual([]);
  });

  // A server is backed up by its operator.
  test.skipIf(isPostgres(driver))("what waits in the installation is shown to those who may see it", async () => {
    const home = await anInstance(driver);
    await anInvoice(home);
    const kinds = async () => (await home.company.waiting.list()).map(({ kind }) => kind);
    expect(await kinds()).toContain("backup_overdue");
    const caller = await home.lacre.authenticate(home.api_key);

    const { value } = await home.lacre.run(caller, listWaiting, {});
    expect(value.map(({ kind }) => kind)).not.toContain("backup_overdue");
    expect(value.map(({ kind }) => kind)).toContain("series_unregistered");
  });

  test("a mark never changes, and verifying names one that did", async () => {
    const home = await anInstance(driver);
    await home.company.saft.markCommunicated({ month: "2026-10" });
    await expect(home.past("update communications set documents = 7")).rejects.toThrow("rows never change");
    await home.past("drop trigger communications_never_change", "update communications set documents = 7");
    const { findings } = await home.company.series.verify();
    expect(findings).toMatchObject([{ place: "states", reason: expect.stringContaining("communications") }]);
  });
});
