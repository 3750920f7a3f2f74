import fc from "fast-check";
import { describe, test } from "vitest";
import { DATABASES } from "../../support/databases.ts";
import type { Database } from "../../support/drivers.ts";
import { aCompany, openInstance } from "../../support/instance.ts";
import { aModel, compare, play, type Step, steps } from "../../support/model.ts";
import { runsOf } from "../../support/sampled.ts";

async function agree(driver: Database, played: readonly Step[]): Promise<void> {
  const instance = await openInstance(driver);
  try {
    const models = [await aModel(instance), await aModel(await aCompany(instance.lacre))];
    for (const step of played) await play(models, step);
    for (const model of models) await compare(model);
  } finally {
    await instance.lacre.close();
  }
}

describe.each(DATABASES)("two companies and three series each, over $name", (driver) => {
  test("after any steps in any order, Lacre and a plain model agree", async () => {
    await fc.assert(
      fc.asyncProperty(steps, (played) => agree(driver, played)),
      // A schema on a server takes longer to open than a file in memory; engines.slow.test.ts compares the two.
      { numRuns: runsOf("open" in driver ? 60 : 12) },
    );
  });
});
