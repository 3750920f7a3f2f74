/** Texts in both languages: one that lacks a language, or a value in one of them, does not compile. */
import { batch, signal } from "@preact/signals";
import { Offline } from "./api.ts";
import { number } from "./decimals.ts";
import { LANGUAGES, type Language, language, rememberLanguage } from "./language.ts";

/** The tables of texts in the language shown, by their numbers. */
const catalogue = signal<readonly Readonly<Record<string, string>>[]>([]);

let wanted = language.peek();

/** How long until texts that did not come are asked for again, in milliseconds. */
const AGAIN_MS = 2_000;

/** Waits for the texts of the page's language, once, before anything is drawn. Each time none came, it says so. */
export async function readTexts(onFailed: () => void): Promise<void> {
  while (catalogue.value.length === 0) {
    try {
      await show(wanted);
    } catch {
      onFailed();
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }
}

/** Shows the page in another language, from now on and at the next visit. Throws `Offline`; then it stays as it is. */
export async function chooseLanguage(chosen: Language): Promise<void> {
  await show(chosen);
  rememberLanguage(chosen);
}

/** Fetches the texts of a language, whose address stands in the shell, and shows them if no other was wanted since. */
async function show(chosen: Language): Promise<void> {
  wanted = chosen;
  const link = document.querySelector<HTMLLinkElement>(`link[hreflang=${chosen}]`);
  const answer = await fetch(link?.href ?? "").catch(() => undefined);
  if (!answer?.ok) throw new Offline();
  const found: typeof catalogue.value = await answer.json();
  if (wanted !== chosen) return;
  batch(() => {
    catalogue.value = found;
    language.value = chosen;
  });
}

/** A text in Portuguese and in English, with the same `{values}`; after a `|` its form for a `{count}` other than 1. */
type Pair = readonly [pt: string, en: string];

type NamesIn<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;

/** A text as a screen reads it: where it has values, a function of them. Numbers are written as the language does. */
type Shown<Text extends string> = [NamesIn<Text>] extends [never]
  ? string
  : (values: { readonly [Name in NamesIn<Text>]: string | number }) => string;

/** Both languages of a text name the same values. */
type Alike<Table extends Readonly<Record<string, Pair>>> = {
  readonly [Name in keyof Table]: readonly [
    string,
    Shown<Table[Name][0]> extends Shown<Table[Name][1]>
      ? Shown<Table[Name][1]> extends Shown<Table[Name][0]>
        ? string
        : never
      : never,
  ];
};

/**
 * A table of texts: `const t = texts({ title: ["Clientes", "Customers"] })`; then `t.title` is the text in the language
 * shown, and what reads it while drawing is drawn again when the language changes. The build moves the tables to one
 * file for each language and leaves their numbers in the scripts.
 */
export function texts<const Table extends Readonly<Record<string, Pair>>>(
  table: Table & Alike<Table>,
): { readonly [Name in keyof Table]: Shown<Table[Name][0]> };
export function texts(table: Readonly<Record<string, Pair>> | number): object {
  const textOf = (name: string) =>
    typeof table === "number" ? catalogue.value[table]?.[name] : table[name]?.[LANGUAGES.indexOf(language.value)];
  const get = (_: object, name: string) => {
    const text = textOf(name);
    return text?.includes("{") ? (values: Values) => filled(text, values) : text;
  };
  return new Proxy({}, { get, has: (_, name) => textOf(String(name)) !== undefined });
}

type Values = Readonly<Record<string, string | number>>;

function filled(text: string, values: Values): string {
  const [one = "", other = one] = text.split("|");
  return (values.count === 1 ? one : other).replaceAll(/\{(\w+)\}/g, (_, name) => {
    const value = values[name] ?? "";
    return typeof value === "number" ? number(value) : value;
  });
}
