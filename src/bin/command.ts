/** A command: its words, its one schema of flags and operands, and what it does. Parsing and help both read it. */
import type { z } from "zod";
import type { Shell } from "./terminal.ts";

export interface Command {
  /** One or two words: `serve`, `series close`. */
  readonly name: string;
  /** One sentence for people. */
  readonly summary: string;
  /** More for `--help`, in whole lines. */
  readonly details?: string;
  /** Flags and operands by their field names; see config.ts for what the members' `.meta()` says. */
  readonly input: z.ZodObject;
  run(settings: never, shell: Shell): Promise<void>;
}

/** Declares a command; `run` gets what `input` parsed. It throws `Failure` or an error of the core. */
export function command<Input extends z.ZodObject>(
  declared: Omit<Command, "input" | "run"> & {
    readonly input: Input;
    run(settings: z.output<Input>, shell: Shell): Promise<void>;
  },
): Command {
  return declared;
}
