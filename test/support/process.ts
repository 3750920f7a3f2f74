/** One of the processes of `processes.ts`: waits for its task, does it, reports, and waits to be ended. */
import { type Lacre, LacreError, type NewDocument, openLacre, pemSigner, type Signer } from "lacre";
import { TEST_SIGNING_KEY } from "lacre/testing";
import { type Chance, chanceOf } from "./chance.ts";
import { EVERY } from "./databases.ts";
import { aLine } from "./factories.ts";
import type { Task, Workplace } from "./processes.ts";

process.on("message", async (task: Task) => {
  const database = EVERY.find(({ name }) => name === task.driver);
  if (!database) throw new Error(`There is no database ${task.driver}.`);
  const chance = chanceOf(task.seed ?? 0);
  const lacre = await openLacre({
    dialect: database.dialect(task.file),
    ...(task.task === "crowd" && { signer: unreliable(chance) }),
    ...(task.gives_clock && { now: () => new Date() }),
  });
  const report = await TASKS[task.task](lacre, task, chance);
  await lacre.close();
  process.send?.(report);
});

process.send?.("ready");

type Done = (lacre: Lacre, task: Task, chance: Chance) => Promise<unknown>;

const TASKS: Readonly<Record<Task["task"], Done>> = {
  open: async (lacre) => ({ ready: await lacre.isReady() }),
  issue: issueMany,
  crowd: workTogether,
};

/** What a crowd did: the numbers it was given by series, and how often it was refused by code. */
export interface CrowdReport {
  readonly numbers: Readonly<Record<string, readonly number[]>>;
  readonly refused: Readonly<Record<string, number>>;
}

/** One document in twenty fails at its signature, when it has its number. */
function unreliable(chance: Chance): Signer {
  const signer = pemSigner(TEST_SIGNING_KEY, 1);
  const sign = async (text: string) => {
    if (chance.below(20) === 0) throw new Error("The signer has no power.");
    return signer.sign(text);
  };
  return { ...signer, sign };
}

/** Clients who each do one thing after the other: most create an issued document, some issue a draft, pay or credit. */
async function workTogether(
  lacre: Lacre,
  { homes = [], clients = 1, count = 0 }: Task,
  chance: Chance,
): Promise<CrowdReport> {
  const numbers: Record<string, number[]> = {};
  const refused: Record<string, number> = {};
  const act = async ({ company_id, series_ids, customer_id }: Workplace) => {
    const company = lacre.as(company_id);
    const series_id = chance.oneOf(series_ids);
    const payment_date = new Date().toISOString().slice(0, 10);
    // One in twenty pays more than its document comes to.
    const amount = chance.below(20) === 0 ? 1_000 : 50;
    const input: NewDocument = {
      doc_type: "FT",
      series_id,
      customer_id,
      issue_date: "2026-01-01",
      lines: [aLine()],
      payments: chance.below(2) === 0 || amount > 50 ? [{ amount, method_code: "NU", payment_date }] : [],
    };
    const issued =
      chance.below(3) === 0
        ? await company.documents.issue({ id: (await company.documents.create(input)).id })
        : await company.documents.create({ ...input, issue: true });
    numbers[series_id] = [...(numbers[series_id] ?? []), Number(issued.number?.split("/")[1])];
    if (chance.below(4) > 0) return;
    await company.payments.record({ id: issued.id, amount: 100, method_code: "TB", payment_date });
  };
  const client = async () => {
    for (let i = 0; i < count; i++) {
      await act(chance.oneOf(homes)).catch((error: unknown) => {
        if (!(error instanceof LacreError)) throw error;
        refused[error.code] = (refused[error.code] ?? 0) + 1;
      });
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return { numbers, refused };
}

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
