/**
 * The program's texts, in both languages. Standard output and standard error are in the language of the person
 * (language.ts); the log and `--json` are English for programs.
 */
import type { Lang } from "../../core/texts/languages.ts";
import { type TextsIn, textsIn } from "../../core/texts/texts.ts";
import { COMMANDS } from "./commands.ts";
import { ERRORS } from "./errors.ts";
import { HELP } from "./help.ts";
import { RESULTS } from "./results.ts";
import { WAITING } from "./waiting.ts";

const ALL = { ...HELP, ...COMMANDS, ...ERRORS, ...WAITING, ...RESULTS };

/** The texts in one language. */
export type Texts = TextsIn<typeof ALL> & { readonly lang: Lang };

/** A text in every language: `(t) => t.files.exists({ path })`. */
export type Words = (t: Texts) => string;

/** A command, by its name. */
export type CommandName = keyof Texts["commands"];
/** The text of a flag in the help. */
export type FlagText = keyof Texts["flags"];
/** The placeholder of a value in the help: `FILE`. */
export type Placeholder = keyof Texts["placeholders"];

export const TEXTS: Readonly<Record<Lang, Texts>> = {
  pt: { ...textsIn(ALL, () => "pt"), lang: "pt" },
  en: { ...textsIn(ALL, () => "en"), lang: "en" },
};
