import { describe, expect, test } from "vitest";
import { DATABASES } from "../../support/databases.ts";
import { TODAY } from "../../support/drivers.ts";
import { aDraft, anInvoice, aSeries } from "../../support/factories.ts";
import { aCompany, anInstance, type Home } from "../../support/instance.ts";
import { aNif } from "../../support/nif.ts";
import { expectRefusal } from "../../support/refusals.ts";

describe.each(DATABASES)("dates and the clock over $name", (driver) => {
  test("a document is dated today or before, never tomorrow", async () => {
    const instance = await anInstance(driver);
    const draft = await aDraft(instance, { issue_date: "2026-11-22" });
    const issue = () => instance.company.documents.issue({ id: draft.id });
    await expectRefusal(issue(), "invalid_request", "issue_date: is later than today, 2026-11-21");
    instance.travel("2026-11-21T23:59:59.999Z");
    await expectRefusal(issue(), "invalid_request", "issue_date");
    instance.travel("2026-11-22T00:00:00.000Z");
    expect((await issue()).issue_date).toBe("2026-11-22");
  });

  test("dates never go back within a series, but may between series", async () => {
    const instance = await anInstance(driver);
    await anInvoice(instance, { issue_date: "2026-01-31" });
    await anInvoice(instance, { issue_date: "2026-01-31" });
    const earlier = anInvoice(instance, { issue_date: "2026-01-30" });
    await expectRefusal(earlier, "date_out_of_order", "2026-01-31");
    const { id: series_id } = await aSeries(instance);
    expect((await anInvoice(instance, { issue_date: "2026-01-30", series_id })).number).toBe("FT LOJA/1");
    expect((await anInvoice(instance, { issue_date: TODAY })).number).toBe("FT 2026A/3");
  });

  test("a cancelled document still counts for the order of dates", async () => {
    const instance = await anInstance(driver);
    const { id } = await anInvoice(instance);
    await instance.company.documents.cancel({ id });
    await expectRefusal(anInvoice(instance, { issue_date: "2026-11-20" }), "date_out_of_order");
  });

  test.each([
    ["Europe/Lisbon", "2026-07-14T22:59:59Z", "2026-07-14"],
    ["Europe/Lisbon", "2026-07-14T23:00:00Z", "2026-07-15"], // summer time: UTC+1
    ["Europe/Lisbon", "2026-12-31T23:59:59Z", "2026-12-31"],
    ["Atlantic/Azores", "2026-07-15T00:30:00Z", "2026-07-15"], // UTC+0 in summer
    ["Atlantic/Azores", "2027-01-01T00:59:59Z", "2026-12-31"], // UTC-1 in winter
    ["Atlantic/Azores", "2027-01-01T01:00:00Z", "2027-01-01"],
    ["Asia/Macau", "2026-12-31T16:00:00Z", "2027-01-01"],
    ["Pacific/Kiritimati", "2026-12-31T10:00:00Z", "2027-01-01"],
  ])("in %s at %s today is %s", async (time_zone, at, today) => {
    const instance = await anInstance(driver, { at });
    await instance.lacre.companies.change({ id: instance.company_id, time_zone });
    const tomorrow = new Date(Date.parse(`${today}T12:00:00Z`) + 86_400_000).toISOString().slice(0, 10);
    await expectRefusal(anInvoice(instance, { issue_date: tomorrow }), "invalid_request", `than today, ${today}`);
    expect((await anInvoice(instance, { issue_date: today })).issue_date).toBe(today);
  });

  test("a new company's series are named after its own year", async () => {
    const { lacre } = await anInstance(driver, { at: "2026-12-31T23:30:00Z" });
    const codes = async (time_zone: string) => {
      const { id } = await lacre.companies.create({ name: "Padaria", tax_id: aNif(), time_zone });
      return new Set((await lacre.as(id).series.list()).data.map(({ code }) => code));
    };
    expect(await codes("Europe/Lisbon")).toEqual(new Set(["2026A"]));
    expect(await codes("Asia/Macau")).toEqual(new Set(["2027A"]));
  });

  describe("the entry time", () => {
    test("is Lisbon's wall time to the second, whatever the company's zone", async () => {
      const instance = await anInstance(driver, { at: "2026-07-14T23:15:59.999Z" });
      await instance.lacre.companies.change({ id: instance.company_id, time_zone: "Atlantic/Azores" });
      const issued = await anInvoice(instance, { issue_date: "2026-07-14" });
      expect(issued.system_entry_date).toBe("2026-07-15T00:15:59");
      expect(issued.issued_at).toBe("2026-07-14T23:15:59.999Z");
    });

    test("stands still through the repeated hour in October, and jumps in March", async () => {
      const instance = await anInstance(driver, { at: "2026-10-25T00:59:58Z" });
      const at = async (instant: string, home: Home = instance) => {
        instance.travel(instant);
        return (await anInvoice(home, { issue_date: "2026-10-25" })).system_entry_date;
      };
      expect(await at("2026-10-25T00:59:58Z")).toBe("2026-10-25T01:59:58");
      expect(await at("2026-10-25T01:00:00Z")).toBe("2026-10-25T01:59:58"); // the wall shows 01:00 again
      expect(await at("2026-10-25T01:59:57Z")).toBe("2026-10-25T01:59:58");
      expect(await at("2026-10-25T01:59:59Z")).toBe("2026-10-25T01:59:59");
      expect(await at("2026-10-25T02:00:00Z")).toBe("2026-10-25T02:00:00");
      expect(await instance.company.series.verify()).toMatchObject({ whole: true, documents: 5 });
      instance.travel("2027-03-28T00:59:59Z");
      await instance.company.clock.confirm();
      const march = await anInvoice(instance, { issue_date: "2027-03-28" });
      instance.travel("2027-03-28T01:00:00Z");
      const summer = await anInvoice(instance, { issue_date: "2027-03-28" });
      expect([march, summer].map(({ system_entry_date }) => system_entry_date)).toEqual([
        "2027-03-28T00:59:59",
        "2027-03-28T02:00:00",
      ]);
    });

    test("the repeated hour delays no other series", async () => {
      const instance = await anInstance(driver, { at: "2026-10-25T00:59:58Z" });
      await anInvoice(instance, { issue_date: "2026-10-25" });
      instance.travel("2026-10-25T01:10:00Z");
      const other = await anInvoice(instance, { doc_type: "FR", issue_date: "2026-10-25" });
      expect(other.system_entry_date).toBe("2026-10-25T01:10:00");
    });
  });

  describe("a clock that went back", () => {
    test("by up to two seconds reuses the last entry time; by more, issuing is refused and reads continue", async () => {
      const instance = await anInstance(driver);
      const first = await anInvoice(instance);
      instance.wait(-2_000);
      const second = await anInvoice(instance);
      expect(second).toMatchObject({ issued_at: first.issued_at, system_entry_date: first.system_entry_date });
      instance.wait(-1);
      const draft = await aDraft(instance);
      await expectRefusal(instance.company.documents.issue({ id: draft.id }), "unavailable", "clock");
      await expectRefusal(anInvoice(instance), "unavailable");
      expect((await instance.company.documents.list()).pagination.total).toBe(3);
      instance.wait(1);
      expect((await instance.company.documents.issue({ id: draft.id })).number).toBe("FT 2026A/3");
    });

    test("stops every series of the company, and no other company", async () => {
      const instance = await anInstance(driver);
      const other = await aCompany(instance.lacre);
      await anInvoice(instance);
      instance.wait(-3_600_000);
      await expectRefusal(anInvoice(instance, { doc_type: "OR" }), "unavailable");
      expect((await anInvoice(other)).issued_at).toBe("2026-11-21T09:31:07.482Z");
    });

    test("is accepted once the operator confirms it, and neither dates nor entry times go back", async () => {
      const instance = await anInstance(driver);
      const { company } = instance;
      const first = await anInvoice(instance);
      instance.wait(-3_600_000);
      const confirmed = await company.clock.confirm();
      expect(confirmed).toEqual({ now: "2026-11-21T09:31:07.482Z", latest_issued_at: first.issued_at });
      const second = await anInvoice(instance);
      expect(second).toMatchObject({ issued_at: first.issued_at, system_entry_date: first.system_entry_date });
      const { data } = await company.events.list();
      expect(data.find(({ action }) => action === "clock.confirmed")).toMatchObject({
        at: "2026-11-21T09:31:07.482Z",
        detail: { now: "2026-11-21T09:31:07.482Z", latest_issued_at: first.issued_at },
      });
      expect(await company.series.verify()).toMatchObject({ whole: true, documents: 2 });
    });

    test("is confirmed for the documents so far, not for the next time it goes back", async () => {
      const instance = await anInstance(driver);
      await anInvoice(instance);
      instance.wait(-3_600_000);
      await instance.company.clock.confirm();
      instance.wait(7_200_000);
      await anInvoice(instance);
      instance.wait(-3_600_000);
      await expectRefusal(anInvoice(instance), "unavailable", "clock");
    });

    test("leaves a series whose last date is later than today, and the refusals name both ways out", async () => {
      const instance = await anInstance(driver, { at: "2027-02-01T10:00:00Z" });
      const { company, series } = instance;
      await anInvoice(instance, { issue_date: "2027-02-01" });
      instance.travel("2026-11-21T10:00:00Z");
      await expectRefusal(anInvoice(instance, { series_id: series.FT }), "unavailable", "if it is right, confirm it.");
      await company.clock.confirm();
      const out = "dated 2027-02-01, later than today. Issue in a new one.";
      await expectRefusal(anInvoice(instance), "date_out_of_order", out);
      const { id } = await aSeries(instance, { code: "2026B" });
      expect((await anInvoice(instance, { series_id: id })).number).toBe("FT 2026B/1");
      // Without a later date the refusal names none: an earlier date is the caller's mistake.
      const earlier = anInvoice(instance, { series_id: id, issue_date: "2026-11-20" });
      await expectRefusal(earlier, "date_out_of_order", "already has a document dated 2026-11-21.");
    });

    test("may be confirmed before any document", async () => {
      const instance = await anInstance(driver);
      expect(await instance.company.clock.confirm()).toMatchObject({ latest_issued_at: null });
      await anInvoice(instance);
      instance.wait(-3_600_000);
      await expectRefusal(anInvoice(instance), "unavailable");
    });
  });

  describe("a clock that jumped ahead", () => {
    const DAY = 86_400_000;

    test("by more than 60 days stops issuing and cancelling until it is set; drafts and reads continue", async () => {
      const instance = await anInstance(driver);
      const { company } = instance;
      const first = await anInvoice(instance);
      instance.wait(60 * DAY);
      await anInvoice(instance, { issue_date: "2027-01-20" });
      instance.wait(60 * DAY + 1);
      const said =
        "(2027-03-21T10:31:07.483Z), nothing was issued for more than 60 days (since 2027-01-20T10:31:07.482Z).";
      await expectRefusal(anInvoice(instance, { issue_date: "2027-03-21" }), "unavailable", said);
      const draft = await aDraft(instance, { issue_date: "2027-03-21" });
      await expectRefusal(company.documents.issue({ id: draft.id }), "unavailable", "if it is right, confirm it.");
      await expectRefusal(company.documents.cancel({ id: first.id }), "unavailable", said);
      expect((await company.documents.list()).pagination.total).toBe(3);
      instance.wait(-1);
      expect((await company.documents.cancel({ id: first.id })).status).toBe("cancelled");
      expect((await company.documents.issue({ id: draft.id })).status).toBe("issued");
    });

    test("is accepted once it is confirmed, which is recorded and holds for 60 days", async () => {
      const instance = await anInstance(driver);
      const { company } = instance;
      const first = await anInvoice(instance);
      instance.travel("2027-10-01T09:00:00.000Z");
      await expectRefusal(anInvoice(instance), "unavailable", "clock");
      const told = { now: "2027-10-01T09:00:00.000Z", latest_issued_at: first.issued_at };
      expect(await company.clock.confirm()).toEqual(told);
      const { data } = await company.events.list();
      expect(data.find(({ action }) => action === "clock.confirmed")).toMatchObject({ at: told.now, detail: told });
      instance.wait(60 * DAY + 1);
      const draft = await aDraft(instance);
      const issue = () => company.documents.issue({ id: draft.id });
      await expectRefusal(issue(), "unavailable", "(since 2027-10-01T09:00:00.000Z)");
      instance.wait(-1);
      expect((await issue()).number).toBe("FT 2026A/2");
      expect(await company.series.verify()).toMatchObject({ whole: true, documents: 2 });
    });

    test("is nothing to a company that has issued nothing, and stops no other company", async () => {
      const instance = await anInstance(driver);
      const other = await aCompany(instance.lacre);
      await anInvoice(instance);
      instance.travel("2027-10-01T09:00:00.000Z");
      expect((await anInvoice(other)).issued_at).toBe("2027-10-01T09:00:00.000Z");
      await expectRefusal(anInvoice(instance), "unavailable", "clock");
    });

    test("and was confirmed by mistake is behind once it is set; time then counts from its confirmation", async () => {
      const instance = await anInstance(driver);
      const { company } = instance;
      await anInvoice(instance);
      instance.travel("2028-03-01T10:00:00.000Z");
      await company.clock.confirm();
      await anInvoice(instance, { issue_date: "2028-03-01" });
      instance.travel("2026-11-22T10:00:00.000Z");
      const { id: series_id } = await aSeries(instance, { code: "2026B" });
      await expectRefusal(anInvoice(instance, { series_id }), "unavailable", "behind the latest document (2028-03-01");
      await company.clock.confirm();
      await anInvoice(instance, { series_id });
      instance.wait(60 * DAY + 1);
      await expectRefusal(anInvoice(instance, { series_id }), "unavailable", "(since 2026-11-22T10:00:00.000Z)");
    });
  });

  test("ids go up even when the clock goes back", async () => {
    const instance = await anInstance(driver);
    const ids: string[] = [];
    for (let i = 0; i < 20; i++) {
      ids.push((await aDraft(instance)).id);
      instance.wait(i % 2 ? 1_000 : -5_000);
    }
    expect(ids).toEqual([...ids].sort());
    expect((await instance.company.documents.list()).data.map(({ id }) => id)).toEqual(ids.toReversed());
  });
});
