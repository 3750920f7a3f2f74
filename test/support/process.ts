/** One of the processes of `processes.ts`: waits for its task, does it, reports, and waits to be ended. */
import { type Lacre, LacreError, openLacre } from "lacre";
import type { NewDocument } from "../../src/core/documents/document.ts";
import { DRIVERS } from "./drivers.ts";
import { aLine } from "./factories.ts";
import type { Task } from "./processes.ts";

process.on("message", async (task: Task) => {
  const driver = DRIVERS.find(({ name }) => name === task.driver);
  if (!driver) throw new Error(`There is no driver ${task.driver}.`);
  const lacre = await openLacre({ dialect: driver.dialect(task.file) });
  const report = task.task === "open" ? { ready: await lacre.isReady() } : await issueMany(lacre, task);
  await lacre.close();
  process.send?.(report);
});

process.send?.("ready");

/** Issues as fast as it can, a few at a time. */
async function issueMany(lacre: Lacre, { company_id = "", series_id = "", customer_id = "", count = 0 }: Task) {
  const company = lacre.as(company_id);
  const input: NewDocument = {
    doc_type: "FT",
    series_id,
    customer_id,
    issue_date: "2026-01-01",
    lines: [aLine()],
    issue: true,
  };
  const refused: string[] = [];
  const numbers: (string | null)[] = [];
  const create = async (i: number) => {
    try {
      const options = i % 2 ? {} : { idempotency_key: `shared-${i}` };
      numbers.push((await company.documents.create(input, options)).number);
    } catch (error) {
      if (!(error instanceof LacreError)) throw error;
      refused.push(`${error.code}: ${error.message}`);
    }
  };
  for (let i = 0; i < count; i += 4) await Promise.all([i, i + 1, i + 2, i + 3].map(create));
  return { numbers, refused };
}
