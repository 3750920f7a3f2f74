/** Texts of the page, in the language shown. */
import { type Alike, type Table, type Texts, type TextsIn, textsIn, texts as textsOf } from "../../core/texts/texts.ts";
import { language } from "./language.ts";

/**
 * A table of texts: `const t = texts({ title: ["Clientes", "Customers"] })`; then `t.title` is the text in the page's
 * language, and components that read it are drawn again when the language changes.
 */
export const texts = <const T extends Table>(table: T & Alike<T>): TextsIn<Texts<T>> =>
  textsIn(textsOf<T>(table), () => language.value);
