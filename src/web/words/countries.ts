/** Countries by name. */
import { COUNTRIES } from "../../core/fiscal/countries.ts";
import { language } from "./language.ts";

/** The names as in Portugal, not in Brazil: `Polónia`. */
const locale = () => (language.value === "pt" ? "pt-PT" : "en");

/** A country by name: `Espanha`, `Spain`. Any other text stays as it is. */
export function countryName(code: string): string {
  return COUNTRIES.has(code)
    ? (new Intl.DisplayNames([locale()], { type: "region", fallback: "code" }).of(code) ?? code)
    : code;
}

/** Every country, Portugal first and the others by name; and `inUse`, even if it is not a country. */
export function countryOptions(inUse?: string | null): readonly (readonly [code: string, name: string])[] {
  const codes = new Set([...COUNTRIES, ...(inUse ? [inUse] : [])]);
  codes.delete("PT");
  const named = [...codes].map((code) => [code, countryName(code)] as const);
  const { compare } = new Intl.Collator(locale());
  return [["PT", countryName("PT")], ...named.sort(([, a], [, b]) => compare(a, b))];
}
