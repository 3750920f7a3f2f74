/** How the program ends: every exit code with its meaning, and the one line that says what went wrong. */
import { LacreError, StorageError } from "../core/index.ts";

/** Scripts rely on the codes; `--help` shows the meanings. */
export const EXITS = {
  done: { code: 0, meaning: "done" },
  failed: { code: 1, meaning: "a bug in Lacre, or a machine that fails" },
  usage: { code: 2, meaning: "the command line or a LACRE_ variable is not understood" },
  refused: { code: 3, meaning: "refused: the line on standard error says why" },
  not_whole: { code: 4, meaning: "a series or the file is not whole" },
  unusable: { code: 5, meaning: "no database there, not Lacre's, newer than this program, or read-only" },
  in_use: { code: 6, meaning: "a server runs on this database, or it is busy" },
  no_address: { code: 7, meaning: "the port or host cannot be listened on" },
  halted: { code: 8, meaning: "the server stopped after a storage failure; start it again to recover" },
} as const;

export type Exit = keyof typeof EXITS;

/** Ends the program with this exit and one line on standard error. */
export class Failure extends Error {
  readonly exit: Exit;

  constructor(exit: Exit, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "Failure";
    this.exit = exit;
  }
}

/** Which exit an error leads to. */
export function exitOf(error: unknown): Exit {
  if (error instanceof Failure) return error.exit;
  if (error instanceof LacreError) return "refused";
  if (error instanceof StorageError) return error.trouble === "busy" ? "in_use" : "unusable";
  return "failed";
}

/** What to tell whoever typed the command. A bug shows its stack: that is what a report needs. */
export function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return exitOf(error) === "failed" && !isFromTheSystem(error) ? (error.stack ?? error.message) : error.message;
}

/** A failed call to the operating system (ENOSPC, EACCES, …) tells all there is to know in its message. */
function isFromTheSystem(error: Error): boolean {
  return "syscall" in error;
}
