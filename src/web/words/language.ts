/** The language of the page. */
import { signal } from "@preact/signals";
import type { LANGS } from "../../core/texts/languages.ts";

/** In core's order: each pair of texts has Portuguese first. */
export const LANGUAGES: typeof LANGS = ["pt", "en"];
export type Language = (typeof LANGUAGES)[number];

const KEPT_AS = "lacre.language";

/** The page's language: the one chosen here before, or the browser's. */
export const language = signal<Language>(chosenBefore() ?? (/^pt\b/i.test(navigator.language) ? "pt" : "en"));

/** Shows the page in another language, from now on and at the next visit. */
export function chooseLanguage(chosen: Language): void {
  localStorage.setItem(KEPT_AS, chosen);
  language.value = chosen;
}

function chosenBefore(): Language | undefined {
  const kept = localStorage.getItem(KEPT_AS);
  return LANGUAGES.find((one) => one === kept);
}
