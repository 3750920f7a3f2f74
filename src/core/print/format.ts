/** Numbers, dates and times as a reader of the page writes them. Pure text: no figure is computed here. */
import { decimalText } from "../fiscal/money.ts";

/** The languages a document is printed in. */
export const LANGS = ["pt", "en"] as const;
/** One of `LANGS`. */
export type Lang = (typeof LANGS)[number];

/** Between groups of three digits: a no-break space in Portuguese, so that no figure is torn at a line's end. */
const GROUP: Readonly<Record<Lang, string>> = { pt: "\u00a0", en: "," };
const POINT: Readonly<Record<Lang, string>> = { pt: ",", en: "." };

/** What `decimalText` says, in a language. */
function decimal(integer: number, scale: number, least: number, lang: Lang): string {
  const [whole = "", fraction] = decimalText(Math.abs(integer), scale, least).split(".");
  const figure = grouped(whole, GROUP[lang]) + (fraction === undefined ? "" : POINT[lang] + fraction);
  return integer < 0 ? `-${figure}` : figure;
}

function grouped(digits: string, separator: string): string {
  const first = digits.length % 3 || 3;
  const groups = [digits.slice(0, first)];
  for (let at = first; at < digits.length; at += 3) groups.push(digits.slice(at, at + 3));
  return groups.join(separator);
}

/** Cents: `1 234,56`, in English `1,234.56`. */
export const amount = (cents: number, lang: Lang): string => decimal(cents, 2, 2, lang);

/** A unit price in micros, with two to six decimals. */
export const price = (micros: number, lang: Lang): string => decimal(micros, 6, 2, lang);

/** A quantity in micros, with as many decimals as it has. */
export const quantity = (micros: number, lang: Lang): string => decimal(micros, 6, 0, lang);

/** Basis points: `23 %`, in English `23%`. */
export const percentage = (bps: number, lang: Lang): string =>
  `${decimal(bps, 2, 0, lang)}${lang === "pt" ? "\u00a0%" : "%"}`;

/** `2026-11-21T10:31:07` as `2026-11-21 10:31:07`; a date stays as it is. */
export const moment = (civil: string): string => civil.replace("T", " ");
