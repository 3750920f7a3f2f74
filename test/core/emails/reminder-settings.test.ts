/** When a company reminds, and in which words: what its settings take. */
import { describe, expect, test } from "vitest";
import { DATABASES } from "../../support/databases.ts";
import { aCustomer, asRead } from "../../support/factories.ts";
import { anInstance } from "../../support/instance.ts";
import { expectRefusal } from "../../support/refusals.ts";

const NONE = { subject: null, message: null };

describe.each(DATABASES)("the settings of reminders over $name", (driver) => {
  test("there are none until a company sets days, and none again once it sets no days", async () => {
    const { company } = await anInstance(driver);
    const { usual, ...none } = (await company.mail.get()).reminders;
    expect(none).toEqual({ days: [], pt: NONE, en: NONE });
    const own = { subject: "{number}: faltam {outstanding}", message: "Há {days} dias. IBAN: {iban}" };
    const set = await company.mail.change({ reminders: { days: [3, 10, 30], pt: own } });
    expect(set.reminders).toEqual({ days: [3, 10, 30], pt: own, en: NONE, usual });
    expect((await company.mail.change({ name: "Padaria" })).reminders).toEqual(set.reminders);
    const off = await company.mail.change({ reminders: { days: [], pt: { message: null } } });
    expect(off.reminders).toEqual({ days: [], pt: { ...own, message: null }, en: NONE, usual });
    const { data } = await company.events.list();
    const changed = data.filter(({ action }) => action === "company.changed").map(({ detail }) => detail?.fields);
    expect(changed.at(0)).toEqual(["mail.reminder_days", "mail.reminder_message_pt"]);
    expect((await company.series.verify()).whole).toBe(true);
  });

  test.each<[string, object, string]>([
    ["a day before it is due", { days: [0] }, "reminders.days[0]: must be a whole number from 1 to 365"],
    ["a day after a year", { days: [366] }, "reminders.days[0]: must be a whole number from 1 to 365"],
    ["half a day", { days: [1.5] }, "reminders.days[0]: "],
    ["six days", { days: [1, 2, 3, 4, 5, 6] }, "reminders.days: must have at most 5 items"],
    ["days that go back", { days: [10, 3] }, "reminders.days: must ascend"],
    ["a day twice", { days: [3, 3] }, "reminders.days: must ascend"],
    ["a place that there is not", { en: { message: "{debt}" } }, "reminders.en.message: has {debt}, which is none of"],
    ["a line break in a subject", { pt: { subject: "a\nb" } }, "reminders.pt.subject: must not contain control"],
  ])("%s is refused", async (_, reminders, says) => {
    const { company } = await anInstance(driver);
    await expectRefusal(company.mail.change({ reminders }), "invalid_request", says);
  });

  test("Lacre's own texts may be set as the company's, and name its account where it has one", async () => {
    const { company, company_id, lacre } = await anInstance(driver);
    const usual = async () => (await company.mail.get()).reminders.usual;
    const without = await usual();
    expect(without.pt.message).toContain("Falta pagar {outstanding}.");
    expect(without.pt.message).not.toContain("{iban}");
    await lacre.companies.change({ id: company_id, iban: "PT50 0002 0123 1234 5678 9015 4" });
    const texts = await usual();
    expect(texts.pt.message).toContain("para o IBAN {iban}.");
    expect(texts.en.message).toContain("to IBAN {iban}.");
    expect((await company.mail.change({ reminders: texts })).reminders).toMatchObject(texts);
  });

  test("the places of a reminder alone are refused in the texts of other e-mails", async () => {
    const { company } = await anInstance(driver);
    const change = company.mail.change({ pt: { message: "{outstanding}" } });
    await expectRefusal(change, "invalid_request", "pt.message: has {outstanding}");
  });

  test("a customer is reminded unless it is said that it is not", async () => {
    const instance = await anInstance(driver);
    const { company } = instance;
    const ana = await aCustomer(instance);
    expect(ana).toMatchObject({ reminders: true });
    const { id } = ana;
    expect(await company.customers.change({ id, reminders: false })).toMatchObject({ reminders: false });
    expect(await company.customers.change({ id, name: "Ana Sousa" })).toMatchObject({ reminders: false });
    expect(asRead(await company.customers.change({ id, reminders: true }))).toMatchObject({ reminders: true });
    const change = company.customers.change({ id, reminders: null as never });
    await expectRefusal(change, "invalid_request", "reminders: must be");
  });
});
