/** The database is checked by Lacre itself: what anything else changed stops issuing until somebody answers for it. */
import type { LogEntry } from "lacre";
import type { SqliteFile } from "lacre/sqlite";
import { describe, expect, test } from "vitest";
import { DATABASES } from "../../support/databases.ts";
import { DRIVERS, type Driver } from "../../support/drivers.ts";
import { anInvoice } from "../../support/factories.ts";
import { aCompany, anInstance, anInstanceInHand, type Instance } from "../../support/instance.ts";
import { expectRefusal } from "../../support/refusals.ts";

/** Changes rows as somebody does who has the file: with the guards out of the way, and put back afterwards. */
function changed(raw: SqliteFile, sql: string): void {
  const guards = raw.prepare("select name, sql from sqlite_schema where type = 'trigger'").all([]) as {
    name: string;
    sql: string;
  }[];
  for (const { name } of guards) raw.exec(`drop trigger "${name}"`);
  raw.exec(sql);
  for (const { sql } of guards) raw.exec(sql);
}

const cheaper = (raw: SqliteFile, number: string) =>
  changed(raw, `update documents set total_gross_cents = total_gross_cents - 100 where number = '${number}'`);

async function filled(driver: Driver, entries: LogEntry[] = []) {
  const instance = await anInstanceInHand(driver, { log: (entry) => entries.push(entry) });
  for (let i = 0; i < 3; i++) await anInvoice(instance);
  return instance;
}

const BLOCKED = (place: string) =>
  `The database was changed by something other than Lacre: ${place} is not as it was left.`;

describe.each(DRIVERS)("a check over $name", (driver) => {
  test("names the changed document, and the company issues nothing while others continue", async () => {
    const entries: LogEntry[] = [];
    const instance = await filled(driver, entries);
    const { lacre, company, company_id, raw } = instance;
    const other = await aCompany(lacre);
    cheaper(raw, "FT 2026A/2");
    await lacre.check();
    await expectRefusal(anInvoice(instance), "unavailable", BLOCKED("FT 2026A/2"));
    expect((await anInvoice(other)).number).toBe("FT 2026A/1");
    expect(await lacre.installation.checks()).toMatchObject(
      [
        { company_id, finding: { place: "FT 2026A/2", reason: "The totals are not those of its lines." } },
        { company_id: other.company_id, finding: null },
      ].sort((a, b) => (a.company_id < b.company_id ? -1 : 1)),
    );
    expect(await company.waiting.list()).toContainEqual(
      expect.objectContaining({ kind: "database_changed", place: "FT 2026A/2" }),
    );
    expect((await lacre.readiness()).blocked).toMatchObject({ database_changed: 1 });
    expect(entries).toContainEqual(expect.objectContaining({ event: "database_changed", place: "FT 2026A/2" }));
    const [draft] = (await company.documents.list()).data;
    expect((await company.documents.pdf({ id: String(draft?.id) })).pdf.length).toBeGreaterThan(1_000);
  });

  test("control: of a database as Lacre left it finds nothing, again and again, and issuing continues", async () => {
    const instance = await filled(driver);
    const { lacre, company } = instance;
    for (let i = 0; i < 3; i++) {
      await lacre.check();
      await anInvoice(instance);
    }
    expect(await lacre.installation.checks()).toMatchObject([{ finding: null, whole_at: expect.any(String) }]);
    expect(await company.series.verify()).toMatchObject({ whole: true });
  });

  test("finds a changed customer, a guard that is gone, and an event that was changed", async () => {
    for (const [sql, place] of [
      ["update customers set name = 'Outra'", "customers "],
      ["update events set detail = '{}' where action = 'document.issued'", "events"],
    ] as const) {
      const instance = await filled(driver);
      const { lacre, raw } = instance;
      changed(raw, sql);
      await lacre.check();
      await expectRefusal(anInvoice(instance), "unavailable", BLOCKED(place).slice(0, 65));
    }
    const instance = await filled(driver);
    const { lacre, raw } = instance;
    raw.exec("drop trigger companies_keep_their_tax_id");
    await lacre.check();
    await expectRefusal(anInvoice(instance), "unavailable", BLOCKED("schema"));
  });

  test("whoever answers is recorded; the same finding does not stop issuing again, and a new one does", async () => {
    const instance = await filled(driver);
    const { lacre, company, raw } = instance;
    cheaper(raw, "FT 2026A/2");
    await lacre.check();
    const why = "Ana set a total by hand; the accountant knows";
    expect(await company.series.answer({ why })).toMatchObject({
      answered: [{ place: "FT 2026A/2", reason: "The totals are not those of its lines." }],
    });
    const { data } = await company.events.list();
    expect(data.find(({ action }) => action === "company.findings_answered")?.detail).toMatchObject({ why });
    await lacre.check();
    expect((await anInvoice(instance)).number).toBe("FT 2026A/4");
    await lacre.check();
    await anInvoice(instance);
    expect(await company.series.verify()).toMatchObject({ whole: true });
    cheaper(raw, "FT 2026A/2");
    await lacre.check();
    await expectRefusal(anInvoice(instance), "unavailable", BLOCKED("FT 2026A/2"));
    await company.series.answer({ why });
    cheaper(raw, "FT 2026A/1");
    await lacre.check();
    await expectRefusal(anInvoice(instance), "unavailable", BLOCKED("FT 2026A/1"));
  });

  test("a file of the period is written completely and then refused, and one of other days is not", async () => {
    const instance = await filled(driver);
    const { company, raw } = instance;
    cheaper(raw, "FT 2026A/2");
    const read = async (file: AsyncIterable<Uint8Array>) => {
      let text = "";
      const end = (async () => {
        for await (const piece of file) text += Buffer.from(piece).toString("latin1");
      })();
      const error = await end.then(
        () => undefined,
        (error: Error) => error,
      );
      return { text, message: error?.message };
    };
    const { file } = await company.saft.export({});
    const { text, message } = await read(file);
    expect(text).toMatch(/<\/AuditFile>\n$/);
    expect(message).toContain("FT 2026A/2 is not as it was issued");
    const earlier = await company.saft.export({ from: "2026-01-01", to: "2026-10-31" });
    expect((await read(earlier.file)).message).toBeUndefined();
    await company.series.answer({ why: "It is known" });
    await instance.lacre.check();
    expect((await read((await company.saft.export({})).file)).message).toBeUndefined();
  });

  test("a change that was answered for is in the report of each file with its document, and of no other", async () => {
    const instance = await filled(driver);
    const { company, raw } = instance;
    const told = async (period: object) =>
      (await company.saft.export(period)).report.warnings.filter(({ code }) => code === "changed_outside");
    cheaper(raw, "FT 2026A/2");
    expect(await told({})).toEqual([]);
    await company.series.answer({ why: "It is known" });
    expect(await told({})).toMatchObject([{ count: 1, examples: ["FT 2026A/2"] }]);
    expect(await told({ from: "2026-01-01", to: "2026-10-31" })).toEqual([]);
  });

  test("there is nothing to answer for in a database as Lacre left it", async () => {
    const { lacre, company } = await filled(driver);
    await expectRefusal(company.series.answer({ why: "?" }), "invalid_state", "nothing to answer for");
    await expectRefusal(lacre.installation.answer({ why: "?" }), "invalid_state", "nothing to answer for");
  });

  test("kept up with a signal, it checks new documents when it ends, from where the last check stopped", async () => {
    const instance = await filled(driver);
    const { lacre, raw } = instance;
    await lacre.check();
    const [before] = raw.prepare("select * from checks").all([]) as { sequences: string; whole_at: string }[];
    await anInvoice(instance);
    const ending = new AbortController();
    ending.abort();
    await lacre.check({ signal: ending.signal });
    const [after] = raw.prepare("select * from checks").all([]) as { sequences: string; whole_at: string }[];
    expect(JSON.parse(after?.sequences ?? "")[instance.series.FT]).toBe(4);
    expect(after?.whole_at).toBe(before?.whole_at);
    await anInvoice(instance);
    cheaper(raw, "FT 2026A/5");
    await lacre.check({ signal: ending.signal });
    await expectRefusal(anInvoice(instance), "unavailable", BLOCKED("FT 2026A/5"));
  });

  test("a finding stands until everything was checked again", async () => {
    const instance = await filled(driver);
    const { lacre, raw } = instance;
    cheaper(raw, "FT 2026A/1");
    await lacre.check();
    changed(raw, "update documents set total_gross_cents = total_gross_cents + 100 where number = 'FT 2026A/1'");
    const ending = new AbortController();
    ending.abort();
    await lacre.check({ signal: ending.signal });
    await expectRefusal(anInvoice(instance), "unavailable", BLOCKED("FT 2026A/1"));
    await lacre.check();
    expect((await anInvoice(instance)).number).toBe("FT 2026A/4");
  });
});

describe.each(DATABASES)("checks over $name", (driver) => {
  test("run at once by two callers agree, and find nothing in an unchanged database", async () => {
    const instance: Instance = await anInstance(driver);
    await anInvoice(instance);
    const { lacre } = instance;
    await Promise.all([lacre.check(), lacre.check()]);
    await anInvoice(instance);
    await lacre.check();
    expect(await lacre.installation.checks()).toMatchObject([{ finding: null, whole_at: expect.any(String) }]);
    expect((await anInvoice(instance)).number).toBe("FT 2026A/3");
  });
});
