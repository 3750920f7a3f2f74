/** The texts of `--help`, read from the same tables that drive the program. */
import type { Command } from "./command.ts";
import { type Given, givensOf } from "./config.ts";
import { EXITS } from "./exit.ts";
import { columns } from "./output.ts";

/** The program's help, or that of a group of commands (`series`). */
export function helpOfAll(commands: readonly Command[], group?: string): string {
  const shown = commands.filter(({ name }) => group === undefined || name.startsWith(`${group} `));
  return [
    group === undefined ? "Lacre: invoicing for Portugal." : `lacre ${group}`,
    "",
    ...columns(shown.map((command) => [`  ${usageOf(command)}`, command.summary])),
    "",
    "Every command has --help. lacre --version prints the version.",
    "",
    ...exitLines(),
  ].join("\n");
}

/** One command's help. */
export function helpOf(command: Command): string {
  const flags = givensOf(command).filter(({ operand }) => !operand);
  return [
    `${usageOf(command)}${flags.length > 0 ? " [flags]" : ""}`,
    "",
    `${command.summary}.`,
    ...(command.details ? [command.details] : []),
    "",
    ...columns([...flags.map((flag) => [`  ${spelled(flag)}`, explained(flag)]), ["  --help", "this text"]]),
    "",
    ...exitLines(),
  ].join("\n");
}

/** The command with what it cannot do without. */
function usageOf(command: Command): string {
  const needed = givensOf(command)
    .filter(({ required, operand }) => required || operand)
    .map((given) => (given.required ? spelled(given) : `[${spelled(given)}]`) + (given.many ? " …" : ""));
  return ["lacre", command.name, ...needed].join(" ");
}

function spelled({ label, takes }: Given): string {
  return takes ? `${label} ${takes}` : label;
}

function explained({ description, env, fallback, required }: Given): string {
  const notes = [
    ...(required ? ["required"] : []),
    ...(env ? [env] : []),
    ...(fallback === undefined ? [] : [`default ${fallback}`]),
  ];
  return notes.length > 0 ? `${description} (${notes.join("; ")})` : description;
}

function exitLines(): string[] {
  return ["Exit codes:", ...Object.values(EXITS).map(({ code, meaning }) => `  ${code}  ${meaning}`)];
}
