/** The language of the page. */
import { signal } from "@preact/signals";

export const LANGUAGES = ["pt", "en"] as const;
export type Language = (typeof LANGUAGES)[number];

const KEPT_AS = "lacre.language";

/** The language shown: the one chosen here before, or the browser's. */
export const language = signal<Language>(chosenBefore() ?? (/^pt\b/i.test(navigator.language) ? "pt" : "en"));

/** Remembers a language for the next visit. */
export function rememberLanguage(chosen: Language): void {
  localStorage.setItem(KEPT_AS, chosen);
}

function chosenBefore(): Language | undefined {
  const kept = localStorage.getItem(KEPT_AS);
  return LANGUAGES.find((one) => one === kept);
}
