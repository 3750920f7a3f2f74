/** The language of the page. */
import { signal } from "@preact/signals";
import { LANGS, type Lang } from "../../core/texts/languages.ts";

const KEPT_AS = "lacre.language";

/** The page's language: the one chosen here before, or the browser's. */
export const language = signal<Lang>(chosenBefore() ?? (/^pt\b/i.test(navigator.language) ? "pt" : "en"));

/** Shows the page in another language, from now on and at the next visit. */
export function chooseLanguage(chosen: Lang): void {
  localStorage.setItem(KEPT_AS, chosen);
  language.value = chosen;
}

function chosenBefore(): Lang | undefined {
  const kept = localStorage.getItem(KEPT_AS);
  return LANGS.find((one) => one === kept);
}
