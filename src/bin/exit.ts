/** How the program ends: its exit codes and their meanings, and the one line that explains an error. */
import { LacreError, StorageError } from "../core/index.ts";

/** Scripts rely on the codes; `--help` shows the meanings. */
export const EXITS = {
  done: { code: 0, meaning: "done" },
  failed: { code: 1, meaning: "a bug in Lacre, or a failure of the machine" },
  usage: { code: 2, meaning: "the command line or a LACRE_ variable is wrong" },
  refused: { code: 3, meaning: "refused; the line on standard error tells why" },
  not_whole: { code: 4, meaning: "a series or file is damaged, changed or incomplete" },
  unusable: { code: 5, meaning: "the database is missing, not Lacre's, newer than this program, or read-only" },
  in_use: { code: 6, meaning: "the database is busy, or a server is using it" },
  no_address: { code: 7, meaning: "the host and port cannot be used" },
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

/** The exit an error leads to. */
export function exitOf(error: unknown): Exit {
  if (error instanceof Failure) return error.exit;
  if (error instanceof LacreError) return "refused";
  if (error instanceof StorageError) return error.trouble === "busy" ? "in_use" : "unusable";
  return "failed";
}

/** The text shown for an error. A bug shows its stack, which a bug report needs. */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return exitOf(error) === "failed" && !isFromTheSystem(error) ? (error.stack ?? error.message) : error.message;
}

/** A failed system call (ENOSPC, EACCES, …): its message is enough without a stack. */
function isFromTheSystem(error: Error): boolean {
  return "syscall" in error;
}
