/**
 * Texts in both languages, side by side: one that lacks a language, or a value in one of them, does not compile.
 * Of `const t = texts({ room: ["Só falta pagar {room:euros}.", "Only {room:euros} is left to pay."] })`,
 * `t.room({ room: 8565 }).in("pt")` is `Só falta pagar 85,65 €.`
 */
import { civilDate, type Day, type Instant } from "../fiscal/civil-time.ts";
import { date, euros, number, percentage, quantity } from "./format.ts";
import { LANGS, type Lang } from "./languages.ts";

/** A text in every language. */
export interface Text {
  in(lang: Lang): string;
}

/** A value in a text: a string as it is, a text in the same language, a number as the language writes it. */
type Word = string | number | Text;

/**
 * The placeholders of a text: `{name}` takes a word; `{name:euros}` a value of the kind; `{name|documento|documentos}`
 * gives the first word if the number is 1, else the second.
 */
interface Kinds {
  /** A number that is no quantity, such as a year or a version: without separators. */
  readonly plain: number;
  /** Cents. */
  readonly euros: number;
  /** Basis points. */
  readonly percent: number;
  /** Micros. */
  readonly quantity: number;
  readonly day: Day;
  /** A month, `2026-11`. */
  readonly month: string;
  /** An instant, in Portuguese as `22-11-2026 às 10:31:07 UTC`: a text does not know the company's time zone. */
  readonly instant: Instant;
  /** `a, b, c` */
  readonly list: readonly Word[];
  /** `a, b and c` */
  readonly and: readonly Word[];
  /** `a, b or c` */
  readonly or: readonly Word[];
}

const WRITTEN: { readonly [Kind in keyof Kinds]: (value: Kinds[Kind], lang: Lang) => string } = {
  plain: String,
  euros,
  percent: percentage,
  quantity,
  day: date,
  month: (month, lang) => (lang === "pt" ? month.split("-").reverse().join("/") : month),
  instant: (at, lang) => (lang === "pt" ? `${date(civilDate(at, "UTC"), lang)} às ${at.slice(11, 19)} UTC` : at),
  list: (words, lang) => words.map((word) => worded(word, lang)).join(", "),
  and: (words, lang) => joined(words, lang === "pt" ? "e" : "and", lang),
  or: (words, lang) => joined(words, lang === "pt" ? "ou" : "or", lang),
};

/** A text of one language: with places for its values, or, where placing them is not enough, a function of them. */
type Form = string | ((values: never) => string);

/** A text in Portuguese and in English. */
type Pair = readonly [pt: Form, en: Form];

/** A table of texts, which may have tables in it. */
export interface Table {
  readonly [name: string]: Pair | Table;
}

/** What a placeholder takes. */
type Taken<Placeholder extends string> = Placeholder extends `${infer Name}|${string}`
  ? { readonly [Key in Name]: number }
  : Placeholder extends `${infer Name}:${infer Kind}`
    ? { readonly [Key in Name]: Kind extends keyof Kinds ? Kinds[Kind] : never }
    : { readonly [Key in Placeholder]: Word };

/** The values of a form; `unknown` where it has none. */
type ValuesOf<Of> = Of extends (values: infer Values) => string
  ? Values
  : Of extends `${string}{${infer Placeholder}}${infer Rest}`
    ? Taken<Placeholder> & ValuesOf<Rest>
    : unknown;

type NamesOf<Of> = keyof ValuesOf<Of>;

/** Both languages of each text name the same values. */
export type Alike<T> = {
  readonly [Name in keyof T]: T[Name] extends readonly [infer Pt, infer En]
    ? [NamesOf<Pt>, NamesOf<En>] extends [NamesOf<En>, NamesOf<Pt>]
      ? T[Name]
      : readonly [Pt, never]
    : Alike<T[Name]>;
};

/** A text where it has no values, otherwise what makes one of them. */
type Filled<Values, Result> = unknown extends Values
  ? Result
  : (values: { readonly [Name in keyof Values]: Values[Name] }) => Result;

/** The texts of a table, in every language. */
export type Texts<T> = {
  readonly [Name in keyof T]: T[Name] extends readonly [infer Pt, infer En]
    ? Filled<ValuesOf<Pt> & ValuesOf<En>, Text>
    : Texts<T[Name]>;
};

/** Texts in one language: strings, and what makes them of their values. */
export type TextsIn<T> = {
  readonly [Name in keyof T]: T[Name] extends Text
    ? string
    : T[Name] extends (values: infer Values) => Text
      ? (values: Values) => string
      : TextsIn<T[Name]>;
};

/** The texts of a table: `t.title` says one without values, `t.room({ room: 8565 })` one with them. */
export function texts<const T extends Table>(table: T & Alike<T>): Texts<T>;
export function texts(table: Table): object {
  const entries = Object.entries(table).map(([name, entry]) => [name, isPair(entry) ? textOf(entry) : texts(entry)]);
  return Object.fromEntries(entries);
}

/** A pair of functions of the same values, for a text that is more than its values in their places. */
export const pair = <Values>(pt: (values: Values) => string, en: (values: Values) => string) => [pt, en] as const;

/** A pair with other words, `none`, for where this value is 0: "only 0.00 EUR is left" says it badly. */
export function orNone<const Pt extends string, const En extends string>(
  name: NamesOf<Pt> & NamesOf<En> & string,
  none: readonly [pt: string, en: string],
  some: readonly [pt: Pt, en: En],
) {
  const formIn = (lang: Lang) => (values: Readonly<Record<string, unknown>>) =>
    filled((values[name] === 0 ? none : some)[LANGS.indexOf(lang)] as string, values, lang);
  return pair<ValuesOf<Pt> & ValuesOf<En>>(formIn("pt") as never, formIn("en") as never);
}

/** Reads texts in one language, which may change between two readings. */
export function textsIn<T extends object>(all: T, lang: () => Lang): TextsIn<T>;
export function textsIn(all: object, lang: () => Lang): object {
  const get = (_: object, name: string) => {
    const one = (all as Readonly<Record<string, Text | ((values: object) => Text) | object>>)[name];
    if (typeof one === "function") return (values: object) => one(values).in(lang());
    return one && (isText(one) ? one.in(lang()) : textsIn(one, lang));
  };
  return new Proxy(all, { get });
}

const isText = (one: object): one is Text => "in" in one && typeof one.in === "function";

const isPair = (entry: Pair | Table): entry is Pair => Array.isArray(entry);

function textOf(pair: Pair): Text | ((values: object) => Text) {
  const takesValues = pair.some((form) => (typeof form === "string" ? form.includes("{") : form.length > 0));
  return takesValues ? (values) => said(pair, values) : said(pair, {});
}

const said = (pair: Pair, values: object): Text => ({
  in: (lang) => {
    const form = pair[LANGS.indexOf(lang)] as Form;
    return typeof form === "function" ? form(values as never) : filled(form, values, lang);
  },
});

function filled(form: string, values: object, lang: Lang): string {
  return form.replaceAll(/\{([^{}]*)\}/g, (_, place: string) => {
    const [named = "", one, several = ""] = place.split("|");
    const [name = "", kind] = named.split(":");
    const value = (values as Readonly<Record<string, unknown>>)[name];
    if (one !== undefined) return value === 1 ? one : several;
    if (kind !== undefined) return WRITTEN[kind as keyof Kinds](value as never, lang);
    return worded(value as Word, lang);
  });
}

function worded(word: Word, lang: Lang): string {
  if (typeof word === "number") return number(word, lang);
  return typeof word === "object" ? word.in(lang) : word;
}

/** `a, b and c` */
function joined(words: readonly Word[], conjunction: string, lang: Lang): string {
  const [last = "", ...others] = words.map((word) => worded(word, lang)).toReversed();
  return others.length > 0 ? `${others.toReversed().join(", ")} ${conjunction} ${last}` : last;
}
