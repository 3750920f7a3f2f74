/** The same steps on every database leave the same documents, to the byte. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { atScale, SEED } from "../../durability/scale.ts";
import { DATABASES, SOME_POSTGRES } from "../../support/databases.ts";
import { type Database, DRIVERS } from "../../support/drivers.ts";
import { aCompany, type Home, openInstance } from "../../support/instance.ts";
import { aModel, type Model, play, type Step, steps } from "../../support/model.ts";
import { bytesOf } from "../../support/saft.ts";

/** Ids that count up from the same one on every database. */
function countingIds(): () => string {
  let count = 0;
  return () => `01a1fd00-0000-7000-8000-${(++count).toString(16).padStart(12, "0")}`;
}

/** Everything Lacre shows of a company, as text. */
async function shownOf({ company }: Home, { documents }: Model): Promise<Record<string, string>> {
  const live = documents.filter(({ status }) => status !== "discarded");
  const shown: Record<string, unknown> = {
    verify: await company.series.verify(),
    installation: await company.installation.verify(),
    documents: await company.documents.list({ limit: 200 }),
    unpaid: await company.documents.list({ limit: 200, payment_status: "unpaid" }),
    payments: await company.payments.list({ limit: 200 }),
    series: await company.series.list({ limit: 200 }),
    customers: await company.customers.list({ limit: 200 }),
    events: await company.events.list({ limit: 200 }),
    figures: await company.figures.get(),
  };
  for (const { id } of live) shown[id] = await company.documents.get({ id });
  return Object.fromEntries(Object.entries(shown).map(([name, value]) => [name, JSON.stringify(value)]));
}

/** Takes the steps on one database, and reads what they left. */
async function leftBy(database: Database, played: readonly Step[]) {
  const instance = await openInstance(database, { newId: countingIds() });
  try {
    const homes = [instance, await aCompany(instance.lacre, { tax_id: "501964843" })];
    const models: Model[] = [];
    for (const home of homes) models.push(await aModel(home));
    for (const step of played) await play(models, step);
    const left = [];
    for (const [i, home] of homes.entries()) {
      const { report, file } = await home.company.saft.export({ from: "2026-11-01", to: "2026-11-30" });
      left.push(await shownOf(home, models[i] as Model), report, (await bytesOf(file)).toString("latin1"));
    }
    return left;
  } finally {
    await instance.lacre.close();
  }
}

/** At least one of each engine, and all that are asked for. */
const COMPARED = [...new Set([...DRIVERS.slice(0, 1), SOME_POSTGRES, ...DATABASES])] as [Database, ...Database[]];
const NAMES = COMPARED.map(({ name }) => name).join(", ");

test(`${NAMES}: the same documents, tax file and findings`, async () => {
  const runs = fc.asyncProperty(steps, async (played) => {
    const [first, ...others] = COMPARED;
    const due = await leftBy(first, played);
    for (const other of others) expect(await leftBy(other, played), other.name).toEqual(due);
  });
  await fc.assert(runs, { numRuns: atScale(10, 300), seed: SEED });
});

test("the control: one more step is noticed", async () => {
  const [database] = COMPARED;
  const step: Step = { do: "draft", company: 0, series: 0, cents: 100, day: 3, which: 0 };
  const played = [step, { do: "issue", company: 0, which: 0 }] as const;
  const due = await leftBy(database, played);
  expect(await leftBy(database, played)).toEqual(due);
  const left = await leftBy(database, [{ ...step, cents: 101 }, ...played.slice(1)]);
  for (const [i, shown] of left.slice(0, 3).entries()) expect(shown).not.toEqual(due[i]);
});
