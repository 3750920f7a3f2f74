/** The texts of `--help`, made from the same declarations that drive the program. */
import type { Command } from "./command.ts";
import { type Setting, settingsOf, spelled } from "./config.ts";
import { EXITS, type Exit } from "./exit.ts";
import { columns } from "./output.ts";
import type { Texts } from "./texts/texts.ts";

/** The help of the program, or of a group of commands such as `series`. */
export function helpOfAll(commands: readonly Command[], t: Texts, group?: string): string {
  const shown = commands.filter(({ name }) => group === undefined || name.startsWith(`${group} `));
  return [
    group === undefined ? t.help.title : `lacre ${group}`,
    "",
    ...columns(shown.map((command) => [`  ${usageOf(command, t)}`, t.commands[command.name].summary])),
    "",
    t.help.every_command,
    `  --lang ${t.placeholders.LANG}  ${t.help.language}`,
    "",
    ...exitLines(t),
  ].join("\n");
}

/** The help of one command. */
export function helpOf(command: Command, t: Texts): string {
  const flags = settingsOf(command).filter(({ operand }) => !operand);
  const { summary, details } = t.commands[command.name];
  const hasLanguage = flags.some(({ field }) => field === "lang");
  return [
    `${usageOf(command, t)}${flags.length > 0 ? ` ${t.help.flags}` : ""}`,
    "",
    `${summary}.`,
    ...(details === "" ? [] : [details]),
    "",
    ...columns([
      ...flags.map((flag) => [`  ${spelled(flag, t)}`, described(flag, t)]),
      ...(hasLanguage ? [] : [[`  --lang ${t.placeholders.LANG}`, t.help.language]]),
      ["  --help", t.help.this_text],
    ]),
    "",
    ...exitLines(t),
  ].join("\n");
}

/** The command with its operands and required flags. */
function usageOf(command: Command, t: Texts): string {
  const shown = settingsOf(command)
    .filter(({ required, operand }) => required || operand)
    .map(
      (setting) => (setting.required ? spelled(setting, t) : `[${spelled(setting, t)}]`) + (setting.many ? " …" : ""),
    );
  return ["lacre", command.name, ...shown].join(" ");
}

function described({ says, env, fallback, required }: Setting, t: Texts): string {
  const notes = [
    ...(required ? [t.help.required] : []),
    ...(env ? [env] : []),
    ...(fallback === undefined ? [] : [t.help.fallback({ value: String(fallback) })]),
  ];
  const description = says === undefined ? "" : t.flags[says];
  return notes.length > 0 ? `${description} (${notes.join("; ")})` : description;
}

function exitLines(t: Texts): string[] {
  const exits = Object.entries(EXITS) as [Exit, { readonly code: number }][];
  return [t.help.exit_codes, ...exits.map(([exit, { code }]) => `  ${code}  ${t.exits[exit]}`)];
}
