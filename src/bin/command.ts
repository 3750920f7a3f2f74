/**
 * A command: its name, one schema for its flags and operands, and its work. Parser and help both read it; its texts in
 * the help are in texts/.
 */
import type * as z from "zod";
import type { Terminal } from "./terminal.ts";
import type { CommandName } from "./texts/texts.ts";

export interface Command {
  /** One or two words: `serve`, `series close`. */
  readonly name: CommandName;
  /** Flags and operands by field name; `config.ts` explains the members' `.meta()`. */
  readonly input: z.ZodObject;
  run(settings: never, terminal: Terminal): Promise<void>;
}

/** Declares a command. `run` receives the output of `input` and throws `Failure` or an error of the core. */
export function command<Input extends z.ZodObject>(
  declared: Omit<Command, "input" | "run"> & {
    readonly input: Input;
    run(settings: z.output<Input>, terminal: Terminal): Promise<void>;
  },
): Command {
  return declared;
}
