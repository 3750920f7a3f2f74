/**
 * Writes letters that Windows-1252 lacks with those it has: Cyrillic as in passports (ICAO 9303), Greek as in ISO 843.
 */
import { decomposed } from "../../fiscal/spelling.ts";

/** Each letter, a hyphen, and its replacement; a letter with nothing after the hyphen is left out. */
const LETTERS = `
  а-a б-b в-v г-g ґ-g д-d е-e ё-e є-ie ж-zh з-z и-i і-i ї-i й-i к-k л-l м-m н-n о-o п-p р-r с-s т-t у-u ў-u ф-f х-kh
  ц-ts ч-ch ш-sh щ-shch ъ-ie ы-y ь- э-e ю-iu я-ia ђ-dj ѓ-g ј-j љ-lj њ-nj ћ-c ќ-k џ-dz ѕ-dz
  α-a β-v γ-g δ-d ε-e ζ-z η-i θ-th ι-i κ-k λ-l μ-m ν-n ξ-x ο-o π-p ρ-r σ-s ς-s τ-t υ-y φ-f χ-ch ψ-ps ω-o
  ł-l đ-d ħ-h ı-i ĸ-k ŋ-n ŧ-t ø-o ə-e ɐ-a
`;

/** Signs and their plain replacements. */
const SIGNS: readonly (readonly [string, string])[] = [
  ["‐", "-"],
  ["‒", "-"],
  ["―", "-"],
  ["−", "-"],
  ["′", "'"],
  ["″", '"'],
  ["ʼ", "'"],
  ["⁄", "/"],
  ["ẞ", "SS"],
];

const REPLACEMENTS: ReadonlyMap<string, string> = new Map([
  ...LETTERS.trim()
    .split(/\s+/)
    .map((pair) => pair.split("-") as [string, string])
    .flatMap(([letter, plain]): [string, string][] => [
      [letter, plain],
      [letter.toUpperCase(), plain.charAt(0).toUpperCase() + plain.slice(1)],
    ]),
  ...SIGNS,
]);

/** Combining marks and invisible characters. */
const DROPPED = /^[\p{M}\p{Cf}]$/u;

/**
 * A text with every character that fails `isKept` replaced: from the table, else by its decomposition without marks
 * (`ő` becomes `o`, `ﬁ` becomes `fi`), else by `?`.
 */
export function transliterate(text: string, isKept: (character: string) => boolean): string {
  return Array.from(text, (character) =>
    isKept(character)
      ? character
      : (REPLACEMENTS.get(character) ?? Array.from(decomposed(character), (part) => plain(part, isKept)).join("")),
  ).join("");
}

function plain(part: string, isKept: (character: string) => boolean): string {
  if (isKept(part)) return part;
  return REPLACEMENTS.get(part) ?? (DROPPED.test(part) ? "" : "?");
}
