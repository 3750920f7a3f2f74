/** The language of refusals and notices, from `Accept-Language` (RFC 9110, 12.5.4; RFC 4647). */
import type { Lang } from "../core/texts/languages.ts";

/** Characters and ranges of the header that are read: browsers send far fewer, but anybody may send more. */
const READ = 1_000;
const RANGES = 50;

/** A range and its weight: `pt-BR`, `pt;q=0.8`, `*`. */
const RANGE = /^[ \t]*(\*|[a-z]{1,8}(?:-[a-z\d]{1,8})*)[ \t]*(?:;[ \t]*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)[ \t]*)?$/i;

/**
 * The language the header prefers: `pt` for Portuguese of any country, otherwise `en`, also without the header. Of two
 * with the same weight the first counts. Malformed ranges, and those of other languages, are skipped.
 */
export function languageOf(header: string | null | undefined): Lang {
  if (!header) return "en";
  const weights = new Map<string, number>();
  for (const range of header.slice(0, READ).split(",", RANGES)) {
    const [, tag, weight = "1"] = RANGE.exec(range) ?? [];
    const name = tag?.toLowerCase().replace(/-.*/, "");
    if (name === undefined) continue;
    weights.set(name, Math.max(weights.get(name) ?? 0, Number(weight)));
  }
  const ranges = [...weights.keys()];
  const of = (lang: Lang) => {
    const name = weights.has(lang) ? lang : "*";
    return { weight: weights.get(name) ?? 0, at: ranges.indexOf(name) };
  };
  const [pt, en] = [of("pt"), of("en")];
  const isPortuguese = pt.weight > en.weight || (pt.weight === en.weight && pt.weight > 0 && pt.at < en.at);
  return isPortuguese ? "pt" : "en";
}
