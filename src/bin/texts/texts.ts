/**
 * The program's texts, in both languages. Standard output and standard error are in the language of the person
 * (language.ts); the log and `--json` are English for programs.
 */
import { STORAGE_SENTENCES } from "../../core/database/storage-error.ts";
import type { SaftExportReport, SaftImport } from "../../core/index.ts";
import type { Lang } from "../../core/texts/languages.ts";
import { type TextsIn, textsIn } from "../../core/texts/texts.ts";
import { importNote, SAFT_WARNINGS, STORAGE } from "./by-code.ts";
import { COMMANDS } from "./commands.ts";
import { ERRORS } from "./errors.ts";
import { HELP } from "./help.ts";
import { RESULTS } from "./results.ts";
import { WAITING } from "./waiting.ts";

const ALL = { ...HELP, ...COMMANDS, ...ERRORS, ...WAITING, ...RESULTS };

type Warning = SaftExportReport["warnings"][number];
type ImportNote = SaftImport["notes"][number];

/** The texts in one language. */
export type Texts = TextsIn<typeof ALL> & {
  readonly lang: Lang;
  readonly storage: typeof STORAGE_SENTENCES;
  /** The sentence of a warning about a tax file. */
  warning(warning: Pick<Warning, "code" | "message">): string;
  importNote(note: ImportNote): string;
};

/** A text in every language: `(t) => t.files.exists({ path })`. */
export type Words = (t: Texts) => string;

/** A command, by its name. */
export type CommandName = keyof Texts["commands"];
/** The text of a flag in the help. */
export type FlagText = keyof Texts["flags"];
/** The placeholder of a value in the help: `FILE`. */
export type Placeholder = keyof Texts["placeholders"];

export const TEXTS: Readonly<Record<Lang, Texts>> = {
  pt: {
    ...textsIn(ALL, () => "pt"),
    lang: "pt",
    storage: STORAGE,
    warning: ({ code }) => SAFT_WARNINGS[code],
    importNote,
  },
  en: {
    ...textsIn(ALL, () => "en"),
    lang: "en",
    storage: STORAGE_SENTENCES,
    warning: ({ message }) => message,
    importNote: ({ record, line, note }) => `${record} (line ${line}): ${note}.`,
  },
};
