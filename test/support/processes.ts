/** Runs Lacre in several processes at once on one file. */
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";

const FROM_SOURCE = import.meta.resolve("./from-source.ts");

/** What each process does with the file. */
export interface Task {
  /** The name of its driver. */
  readonly driver: string;
  readonly file: string;
  readonly task: "open" | "issue";
  /** For `issue`: where and how many; half of them with idempotency keys that all processes share. */
  readonly company_id?: string;
  readonly series_id?: string;
  readonly customer_id?: string;
  readonly count?: number;
}

/** Starts `count` processes with the same task, lets them begin together, and returns what each reports. */
export async function inProcesses(count: number, task: Task): Promise<unknown[]> {
  const script = fileURLToPath(new URL("process.ts", import.meta.url));
  const children = Array.from({ length: count }, () => fork(script, { execArgv: ["--import", FROM_SOURCE] }));
  const said = children.map((child) => {
    const answers: unknown[] = [];
    const waiting: ((answer: unknown) => void)[] = [];
    child.on("message", (answer) => {
      const next = waiting.shift();
      if (next) next(answer);
      else answers.push(answer);
    });
    const failed = new Promise<never>((_, reject) => {
      child.once("error", reject);
      child.once("exit", (code) => code !== 0 && reject(new Error(`A process ended with ${code}.`)));
    });
    const next = () =>
      Promise.race([
        failed,
        new Promise<unknown>((resolve) => (answers.length > 0 ? resolve(answers.shift()) : waiting.push(resolve))),
      ]);
    return { child, next };
  });
  try {
    await Promise.all(said.map(({ next }) => next())); // each is loaded and waiting
    for (const { child } of said) child.send(task);
    return await Promise.all(said.map(({ next }) => next()));
  } finally {
    for (const { child } of said) child.kill();
  }
}
