/** Texts in both languages: one that lacks a language, or a value in one of them, does not compile. */
import { number } from "./decimals.ts";
import { LANGUAGES, language } from "./language.ts";

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
 * shown, and what reads it while drawing is drawn again when the language changes.
 */
export function texts<const Table extends Readonly<Record<string, Pair>>>(
  table: Table & Alike<Table>,
): { readonly [Name in keyof Table]: Shown<Table[Name][0]> };
export function texts(table: Readonly<Record<string, Pair>>): object {
  const get = (_: object, name: string) => {
    const text = table[name]?.[LANGUAGES.indexOf(language.value)];
    return text?.includes("{") ? (values: Values) => filled(text, values) : text;
  };
  return new Proxy(table, { get });
}

type Values = Readonly<Record<string, string | number>>;

function filled(text: string, values: Values): string {
  const [one = "", other = one] = text.split("|");
  return (values.count === 1 ? one : other).replaceAll(/\{(\w+)\}/g, (_, name) => {
    const value = values[name] ?? "";
    return typeof value === "number" ? number(value) : value;
  });
}
