/** Passwords that are guessed first: frequent ones, also with a few more characters, and keyboard sequences. */
import { inflateRawSync } from "node:zlib";
import { decomposed } from "../fiscal/spelling.ts";
import { PACKED } from "./guessed-passwords.ts";

/** Those of Portugal and of this program, which no international list has. */
const OWN =
  "palavrapasse palavrachave minhasenha senha administrador benfica sporting sportingcp fcporto porto portugal lisboa " +
  "lacre fatura faturas faturacao empresa bemvindo obrigado futebol segredo saudade";

/** The list, read at its first use. */
let known: ReadonlySet<string> | undefined;

function isKnown(text: string): boolean {
  known ??= new Set([...inflateRawSync(Buffer.from(PACKED, "base64")).toString().split("\n"), ...OWN.split(" ")]);
  return known.has(text);
}

/** Digits and signs that replace a letter; a 1 is tried as either letter. */
const LETTERS: Readonly<Record<string, string>> = {
  "0": "o",
  "3": "e",
  "4": "a",
  "5": "s",
  "7": "t",
  "8": "b",
  "@": "a",
  $: "s",
  "!": "i",
  "€": "e",
};

/** The readings of a text with its digits and signs as letters. */
function spellingsOf(text: string): readonly string[] {
  const letters = text.replace(/[034578@$!€]/g, (sign) => LETTERS[sign] as string);
  return [...new Set([text, letters.replaceAll("1", "i"), letters.replaceAll("1", "l")])];
}

/** Neighbouring characters: on keyboards in Portugal and elsewhere, in the alphabet, among digits. */
const ROWS = [
  "1234567890",
  "qwertyuiop",
  "asdfghjklç",
  "zxcvbnm,.-",
  "azertyuiop",
  "qsdfghjklm",
  "abcdefghijklmnopqrstuvwxyz",
];
const BESIDE: ReadonlySet<string> = new Set(
  [...ROWS, "01", "qazwsxedcrfvtgbyhnujm", "1q2w3e4r5t6y7u8i9o0p"].flatMap((row) =>
    Array.from({ length: row.length - 1 }, (_, i) => row.slice(i, i + 2)).flatMap((pair) => [
      pair,
      `${pair[1]}${pair[0]}`,
    ]),
  ),
);

/** The shortest sequence: with fewer characters, words would consist of sequences. */
const SEQUENCE = 3;

/** Whether a text consists of sequences: runs of neighbours, or of one repeated character. */
function isOfSequences(text: string): boolean {
  let runs = 1;
  for (let i = 1; i < text.length; i++) {
    const [before, now] = [text[i - 1] as string, text[i] as string];
    if (before !== now && !BESIDE.has(before + now)) runs++;
  }
  return runs * SEQUENCE <= text.length;
}

/** The fewest distinct characters in a password. */
const FEWEST_DISTINCT = 5;
/** The most characters around a known password that do not make it safer: a year, a few signs. */
const MAX_AROUND = 4;
/** The fewest letters of a known password with other characters around it. */
const FEWEST_LETTERS = 4;

/** Passwords longer than this are not searched for a known one. */
const LONGEST = 40;

const YEAR = /(?:19|20)\d\d/;

/** Whether the characters around a known password are quickly guessed, too. */
function isSoonGuessed(text: string): boolean {
  return text.replace(YEAR, "").length <= MAX_AROUND || isOfSequences(text) || isKnown(text);
}

const SEPARATORS = /[\s._-]/g;

/** The words by which others know a person: a login, its parts around the @, a name, each of its names. */
function wordsOf(texts: readonly string[]): ReadonlySet<string> {
  const words = texts.flatMap((text) => [text, ...text.split("@"), ...text.split(/[@.\s]/)]);
  const folded = words.map((word) => word.toLowerCase().replace(SEPARATORS, ""));
  const plain = folded.map((word) => decomposed(word).replace(/\p{M}/gu, ""));
  return new Set([...folded, ...plain].filter(({ length }) => length >= FEWEST_LETTERS));
}

/**
 * Whether a password is guessed first: a frequent one, in any case, with digits and signs for letters, with separators,
 * twice, or with a few characters, a year or a sequence around it; only sequences; few distinct characters. The
 * person's own words, such as login and name, count as frequent ones.
 */
export function isGuessed(password: string, theirs: readonly string[] = []): boolean {
  const own = wordsOf(theirs);
  const isCore = (text: string) => isKnown(text) || own.has(text);
  const given = password.toLowerCase();
  if (new Set(given).size < FEWEST_DISTINCT || isOfSequences(given)) return true;
  const folded = given.replace(SEPARATORS, "");
  return [given, folded].flatMap(spellingsOf).some(isCore) || hasKnownCore(folded, isCore);
}

/** Whether some part of a text is a known password, perhaps repeated, and the rest is quickly guessed. */
function hasKnownCore(text: string, isCore: (text: string) => boolean): boolean {
  if (text.length > LONGEST) return false;
  const before = text.search(/\p{L}/u);
  if (before < 0) return false;
  const after = text.length - 1 - text.lastIndexOf(text.match(/\p{L}/gu)?.at(-1) as string);
  // A digit or a sign at either end may stand for a letter, as in p4ssw0rd, or not, as in pa$$word1.
  for (let start = 0; start <= before; start++) {
    for (let end = 0; end <= after && start + end <= text.length - FEWEST_LETTERS; end++) {
      const core = text.slice(start, text.length - end);
      const around = [text.slice(0, start), text.slice(text.length - end)];
      if (around.every(isSoonGuessed) && spellingsOf(core).some((one) => isCore(once(one)))) return true;
    }
  }
  return false;
}

/** The unit that a text repeats, or the text: `benfica` of `benficabenfica`. */
function once(text: string): string {
  for (let length = FEWEST_LETTERS; length * 2 <= text.length; length++) {
    if (text.length % length === 0 && text.slice(0, length).repeat(text.length / length) === text) {
      return text.slice(0, length);
    }
  }
  return text;
}
