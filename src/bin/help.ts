/** The texts of `--help`, made from the same declarations that drive the program. */
import type { Command } from "./command.ts";
import { type Setting, settingsOf } from "./config.ts";
import { EXITS } from "./exit.ts";
import { columns } from "./output.ts";

/** The help of the program, or of a group of commands such as `series`. */
export function helpOfAll(commands: readonly Command[], group?: string): string {
  const shown = commands.filter(({ name }) => group === undefined || name.startsWith(`${group} `));
  return [
    group === undefined ? "Lacre: invoicing for Portugal." : `lacre ${group}`,
    "",
    ...columns(shown.map((command) => [`  ${usageOf(command)}`, command.summary])),
    "",
    "Every command has --help.",
    "",
    ...exitLines(),
  ].join("\n");
}

/** The help of one command. */
export function helpOf(command: Command): string {
  const flags = settingsOf(command).filter(({ operand }) => !operand);
  return [
    `${usageOf(command)}${flags.length > 0 ? " [flags]" : ""}`,
    "",
    `${command.summary}.`,
    ...(command.details ? [command.details] : []),
    "",
    ...columns([...flags.map((flag) => [`  ${spelled(flag)}`, described(flag)]), ["  --help", "this text"]]),
    "",
    ...exitLines(),
  ].join("\n");
}

/** The command with its operands and required flags. */
function usageOf(command: Command): string {
  const shown = settingsOf(command)
    .filter(({ required, operand }) => required || operand)
    .map((setting) => (setting.required ? spelled(setting) : `[${spelled(setting)}]`) + (setting.many ? " …" : ""));
  return ["lacre", command.name, ...shown].join(" ");
}

function spelled({ label, takes }: Setting): string {
  return takes ? `${label} ${takes}` : label;
}

function described({ description, env, fallback, required }: Setting): string {
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
