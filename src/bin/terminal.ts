/** The part of its process that a command may touch. `program.ts` makes the real one. */
import { Failure } from "./exit.ts";
import type { Texts, Words } from "./texts/texts.ts";

export interface Terminal {
  /** The texts for the person, in their language. */
  readonly texts: Texts;
  /** A text whose commands have the flags that they need here: `--db`, and `--company` with this id or the flag's. */
  complete(text: string, company_id?: string): string;
  /** Writes results, one line or several, to standard output. A command whose results cannot be written fails. */
  print(text: string): void;
  /** Writes log lines to standard output. A full disk behind it stops no server. */
  log(text: string): void;
  /** Whether log lines would mix with messages: standard output and standard error are both a terminal. */
  readonly mixesLog: boolean;
  /** Writes a piece of a file to standard output; rejects if that fails. */
  write(bytes: Uint8Array): Promise<void>;
  /** Whether standard error is a terminal, with a person before it. */
  readonly isInteractive: boolean;
  /** Writes all but results, such as errors, to standard error. */
  printError(text: string): void;
  /** Asks a question; anything but a yes (`y`, in Portuguese `s`) is no. Undefined if nobody is at the terminal. */
  ask(question: string): Promise<boolean | undefined>;
  /**
   * Resolves at the first SIGTERM, SIGINT or, if a terminal controls the process, SIGHUP after this call; a second
   * SIGTERM or SIGINT ends the process at once. Before this call a signal ends the process as usual.
   */
  stopRequested(): Promise<void>;
  /**
   * Runs another command of this program to its end, in a process of its own and below this one's priority. When
   * `signal` aborts, the process is ended; its code is then null.
   */
  runSelf(
    args: readonly string[],
    signal: AbortSignal,
  ): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>;
  /** Passes uncaught errors to `report` before the process ends. Without it they go to standard error. */
  onCrash(report: (error: unknown) => void): void;
}

/**
 * Returns if the flag, such as `--yes`, was given, or the person at the terminal agrees. Throws `Failure` otherwise.
 */
export async function mustAgree(terminal: Terminal, question: Words, flag: string, given: boolean): Promise<void> {
  const agreed = given || (await terminal.ask(question(terminal.texts)));
  if (agreed === undefined) throw new Failure("refused", (t) => t.answers.to_go_ahead({ question: question(t), flag }));
  if (!agreed) throw new Failure("refused", (t) => t.answers.nothing_changed);
}
