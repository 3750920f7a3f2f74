/**
 * What the program says, in each language. To add a text: a line in en.ts and one in pt.ts; one without the other does
 * not compile. Standard output and standard error are in the language of the person (language.ts); the log and `--json`
 * are English for programs.
 */
import type { Lang } from "../../core/texts/languages.ts";
import { EN, type Texts } from "./en.ts";
import { PT } from "./pt.ts";

export type { Texts };

/** Something to say, in whichever language: `(t) => t.files.exists(path)`. */
export type Words = (t: Texts) => string;

/** A command, by its name. */
export type CommandName = keyof Texts["commands"];
/** What the help says of a flag. */
export type FlagText = keyof Texts["flags"];
/** What stands for a value in the help: `FILE`. */
export type Placeholder = keyof Texts["placeholders"];

export const TEXTS: Readonly<Record<Lang, Texts>> = { en: EN, pt: PT };
