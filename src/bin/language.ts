/** The language of the person at the terminal: `--lang`, else the locale. */
import { LANGS, type Lang } from "../core/texts/languages.ts";
import { Failure } from "./exit.ts";
import type { Texts } from "./texts/texts.ts";

const FLAG = "--lang";

/** The language of a command line, and its arguments without `--lang`. */
export interface Spoken {
  readonly lang: Lang;
  readonly args: readonly string[];
}

/**
 * Takes `--lang pt` or `--lang=pt` out of the arguments, before or after the command's name. `owners` are commands with
 * their own `--lang`, for the language of their output: after their name it stays, and counts for both.
 *
 * Throws `Failure` (usage) for any other language, in that of the locale.
 */
export function spokenIn(args: readonly string[], locale: Lang, owners: readonly string[]): Spoken {
  const rest: string[] = [];
  let lang: Lang | undefined;
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] as string;
    if (arg === "--") {
      rest.push(...args.slice(at));
      break;
    }
    const isInline = arg.startsWith(`${FLAG}=`);
    if (arg !== FLAG && !isInline) {
      rest.push(arg);
      continue;
    }
    const given = isInline ? arg.slice(FLAG.length + 1) : args[at + 1];
    if (owners.includes(rest[0] ?? "")) {
      // Its command reports what is wrong with it.
      rest.push(arg);
      lang ??= LANGS.find((one) => one === given);
      continue;
    }
    if (lang !== undefined) throw new Failure("usage", (t) => t.usage.twice({ flag: FLAG }));
    if (given === undefined || (!isInline && given.startsWith("--"))) {
      throw new Failure("usage", (t) => t.usage.needs_value({ flag: FLAG, takes: `${FLAG} ${t.placeholders.LANG}` }));
    }
    lang = LANGS.find((one) => one === given);
    if (lang === undefined) throw new Failure("usage", (t: Texts) => `${FLAG} ${t.usage.must_be_language}`);
    if (!isInline) at++;
  }
  return { lang: lang ?? locale, args: rest };
}

/**
 * The language of the locale: that of the first of these variables that is set, as in locale(7), else the system's own,
 * such as `pt-PT`.
 */
export function localeOf({ LC_ALL, LC_MESSAGES, LANG }: NodeJS.ProcessEnv, system: string): Lang {
  return /^pt(?![a-z])/i.test(LC_ALL || LC_MESSAGES || LANG || system) ? "pt" : "en";
}
