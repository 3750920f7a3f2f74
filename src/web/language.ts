/** The language of the page, and texts in both: a text that lacks one of them does not compile. */
import { signal } from "@preact/signals";

export const LANGUAGES = ["pt", "en"] as const;
export type Language = (typeof LANGUAGES)[number];

const KEPT_AS = "lacre.language";

/** The language shown: the one chosen here before, or the browser's. */
export const language = signal<Language>(chosenBefore() ?? (/^pt\b/i.test(navigator.language) ? "pt" : "en"));

function chosenBefore(): Language | undefined {
  const kept = localStorage.getItem(KEPT_AS);
  return LANGUAGES.find((one) => one === kept);
}

/** Shows the page in another language, from now on and at the next visit. */
export function chooseLanguage(chosen: Language): void {
  language.value = chosen;
  localStorage.setItem(KEPT_AS, chosen);
}

/** A text in Portuguese and in English; with values, a function of them. */
type Pair =
  | readonly [pt: string, en: string]
  | readonly [pt: (...values: never[]) => string, en: (...values: never[]) => string];

type Chosen<Text extends Pair> = Text extends readonly [string, string] ? string : Text[0];

/**
 * A table of texts: `const t = texts({ title: ["Clientes", "Customers"] })`; then `t.title` is the text in the language
 * shown, and what reads it while drawing is drawn again when the language changes.
 */
export function texts<Table extends Readonly<Record<string, Pair>>>(
  table: Table,
): { readonly [Name in keyof Table]: Chosen<Table[Name]> } {
  const shown = {};
  for (const [name, pair] of Object.entries(table)) {
    Object.defineProperty(shown, name, { get: () => pair[LANGUAGES.indexOf(language.value)] });
  }
  return shown as { readonly [Name in keyof Table]: Chosen<Table[Name]> };
}
