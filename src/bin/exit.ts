/** How the program ends: its exit codes and their meanings. */

/**
 * Scripts rely on the codes; `--help` shows the meanings. With `--json` an error's code is the name here, or the
 * core's.
 */
export const EXITS = {
  done: { code: 0, meaning: "done" },
  failed: { code: 1, meaning: "a bug in Lacre, or a failure of the machine, such as a full disk" },
  usage: { code: 2, meaning: "the command line or a LACRE_ variable is wrong" },
  refused: { code: 3, meaning: "refused; the line on standard error tells why" },
  not_whole: { code: 4, meaning: "a series or file is damaged, changed or incomplete" },
  unusable: {
    code: 5,
    meaning: "the database is missing, damaged, not Lacre's, newer than this program, or read-only",
  },
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
