/** Runs Lacre in several processes at once on one file, or on one schema of a server. */
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";

const FROM_SOURCE = import.meta.resolve("./from-source.ts");
const CLOCK_OFF = import.meta.resolve("./clock-off.ts");

/** What each process does with the file. */
export interface Task {
  /** The name of its database, as in databases.ts. */
  readonly driver: string;
  readonly file: string;
  readonly task: "open" | "issue" | "crowd";
  /** For `issue`: where and how many; half of them with idempotency keys that all processes share. */
  readonly company_id?: string;
  readonly series_id?: string;
  readonly customer_id?: string;
  readonly count?: number;
  /** For `crowd`: the companies with their series, and how many clients each do `count` things there. */
  readonly homes?: readonly Workplace[];
  readonly clients?: number;
  readonly seed?: number;
  /** Whether the host gives the clock of its process; otherwise the server's is used where there is one. */
  readonly gives_clock?: boolean;
}

/** Where a client of a crowd works. */
export interface Workplace {
  readonly company_id: string;
  readonly series_ids: readonly string[];
  readonly customer_id: string;
}

/**
 * Starts `count` processes with the same task, lets them begin together, and returns what each reports. `off_ms` puts
 * the clock of each process off by so many milliseconds.
 */
export async function inProcesses(count: number, task: Task, off_ms: readonly number[] = []): Promise<unknown[]> {
  const script = fileURLToPath(new URL("process.ts", import.meta.url));
  const children = Array.from({ length: count }, (_, i) =>
    fork(script, {
      execArgv: ["--import", CLOCK_OFF, "--import", FROM_SOURCE],
      env: { ...process.env, LACRE_TEST_CLOCK_OFF_MS: String(off_ms[i] ?? 0) },
    }),
  );
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
    for (const [i, { child }] of said.entries()) child.send({ ...task, seed: (task.seed ?? 0) + i });
    return await Promise.all(said.map(({ next }) => next()));
  } finally {
    for (const { child } of said) child.kill();
  }
}
