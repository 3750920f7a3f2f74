/** How the program ends: its exit codes, and the failures that end it. */
import { TEXTS, type Words } from "./texts/texts.ts";

/**
 * Scripts rely on the codes; `--help` shows the meanings. With `--json` an error's code is the name here, or the
 * core's.
 */
export const EXITS = {
  done: { code: 0 },
  failed: { code: 1 },
  usage: { code: 2 },
  refused: { code: 3 },
  not_whole: { code: 4 },
  unusable: { code: 5 },
  in_use: { code: 6 },
  no_address: { code: 7 },
  halted: { code: 8 },
  waiting: { code: 9 },
} as const;

export type Exit = keyof typeof EXITS;

/** Ends the program with this exit and one line on standard error. Its `message` is English, for programs. */
export class Failure extends Error {
  readonly exit: Exit;
  /** The same for people. */
  readonly words: Words;

  constructor(exit: Exit, words: Words, cause?: unknown) {
    super(words(TEXTS.en), { cause });
    this.name = "Failure";
    this.exit = exit;
    this.words = words;
  }
}
