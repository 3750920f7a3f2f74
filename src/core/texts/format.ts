/** Formats numbers, dates and times for the printed page and for sentences. Nothing is computed or rounded here. */
import type { Day, EntryTime } from "../fiscal/civil-time.ts";
import { decimalText } from "../fiscal/money.ts";
import type { Lang } from "./languages.ts";

/** The separator of groups of three digits; in Portuguese a no-break space, so that no number breaks across lines. */
const GROUP_SEPARATOR: Readonly<Record<Lang, string>> = { pt: "\u00a0", en: "," };
const DECIMAL_POINT: Readonly<Record<Lang, string>> = { pt: ",", en: "." };

/** `integer / 10^scale` with at least `min_decimals` decimals, in a language. */
const decimal = (integer: number, scale: number, min_decimals: number, lang: Lang): string =>
  inLanguage(decimalText(integer, scale, min_decimals), lang);

/** A number as JavaScript writes it, `-1234.5`, with the separators of a language. */
function inLanguage(written: string, lang: Lang): string {
  const [, sign = "", whole = written, fraction] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(written) ?? [];
  return sign + grouped(whole, GROUP_SEPARATOR[lang]) + (fraction === undefined ? "" : DECIMAL_POINT[lang] + fraction);
}

function grouped(digits: string, separator: string): string {
  const first = digits.length % 3 || 3;
  const groups = [digits.slice(0, first)];
  for (let at = first; at < digits.length; at += 3) groups.push(digits.slice(at, at + 3));
  return groups.join(separator);
}

/** An amount in cents: `1 234,56`, in English `1,234.56`. */
export const amount = (cents: number, lang: Lang): string => decimal(cents, 2, 2, lang);

/** An amount in cents with its currency: `1 234,56 €`, in English `1,234.56 EUR`. */
export const euros = (cents: number, lang: Lang): string =>
  `${amount(cents, lang)}${lang === "pt" ? "\u00a0€" : " EUR"}`;

/** A unit price in micros: two to six decimals. */
export const price = (micros: number, lang: Lang): string => decimal(micros, 6, 2, lang);

/** A quantity in micros: no more decimals than needed. */
export const quantity = (micros: number, lang: Lang): string => decimal(micros, 6, 0, lang);

/** A count, or a limit that is no amount: `20 000`, `0,01`. */
export const number = (value: number, lang: Lang): string => inLanguage(String(value), lang);

/** A percentage in basis points: `23 %`, in English `23%`. */
export const percentage = (bps: number, lang: Lang): string =>
  `${decimal(bps, 2, 0, lang)}${lang === "pt" ? "\u00a0%" : "%"}`;

/** A date as Despacho 8632/2014, 2.2.4, allows: `22-11-2026`, in English `2026-11-22`, which nobody misreads. */
export const date = (civil: Day | EntryTime, lang: Lang): string =>
  lang === "pt" ? civil.slice(0, 10).split("-").reverse().join("-") : civil.slice(0, 10);

/** A date and a time: `22-11-2026 10:31:07`. */
export const dateTime = (civil: EntryTime, lang: Lang): string => `${date(civil, lang)} ${civil.slice(11)}`;

/** The decimals of a formatted number with their separator: `,50` of `1 234,50`. */
export const decimalsOf = (text: string, lang: Lang): string => {
  const at = text.lastIndexOf(DECIMAL_POINT[lang]);
  return at < 0 ? "" : text.slice(at);
};
