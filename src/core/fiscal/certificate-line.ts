/**
 * Texts that read like the certificate line, which only the program may print (Despacho 8632/2014, 2.2.2 and 2.2.3): a
 * footer or a name that imitates it would make an uncertified document look certified.
 */
import { decomposed } from "./spelling.ts";

/**
 * Characters that look like a Latin letter of the line, by that letter; `l` is one of them, so the patterns below have
 * `i` for it. Accents and widths are folded before.
 */
const LETTERS = lookAlikes({
  a: "аαɑᴀ",
  c: "сϲᴄƈȼ",
  d: "ԁđᴅɖɗ",
  e: "еεєᴇɛ",
  f: "ƒғꜰ",
  g: "ɡɢցǥɠ",
  i: "іιıӏlɪɩɨ",
  m: "мμᴍ",
  o: "оοօøᴏσɵ",
  p: "рρᴘþƥ",
  r: "гʀяɼɾɍ",
  s: "ѕꜱ",
  t: "тτᴛƫŧƭ",
  w: "ԝѡաᴡ",
});
const DIGITS = lookAlikes({ a: "4", e: "3", i: "1", o: "0", s: "5", t: "7" });
/** Signs that can stand for a letter. */
const SIGNS = lookAlikes({ a: "@", c: "¢©", e: "€", i: "!|¡", p: "℗", r: "®", s: "$§" });
const HAS_SIGN = /[@¢©€!|¡℗®$§]/;

/** The tax authority's form of a certificate number, `1234/AT`. */
const AT_NUMBER = /\p{N}{1,5}[^\p{L}\p{N}]{0,3}[/\\|⁄∕–—-][^\p{L}\p{N}]{0,3}a[^\p{L}\p{N}]{0,3}t(?!\p{L})/gu;
/** Any number with a word for it, `n.º 1234`, or with AT's name, `1234 AT`. */
const NUMBER =
  /n(?:umero|um)?[^\p{L}\p{N}]{0,3}o?[^\p{L}\p{N}]{0,6}\p{N}{1,5}|\p{N}{1,5}[^\p{L}\p{N}]{0,6}at(?!\p{L})/gu;

/** A program by any name. A system or a solution counts only if it is one for invoicing. */
const PROGRAM =
  /programme|programa?|software|apiicacao|appiication|(?:sistema|piataforma|soiucao|system)(?=informatic|def[ac]c?turacao|comerciai|invoicing|biiiing)/g;
const QUALIFIED = /P(?:informatic[oa]|decomputador|def[ac]c?turacao|degestao|comerciai)+/g;
const CERTIFIED = /[ce]ertificad[oa]|certified(?:computer|invoicing|biiiing)*/g;

/**
 * *Processado por programa certificado*, *Emitido por software certificado*; not *Impressora e software certificado*.
 */
const LINE = /(?:processad|procesad|emitid|gerad|impress|faturad|facturad)[oa](?!r|es).{0,20}PC/;
/** *Issued by certified software*. */
const ENGLISH_LINE = /(?:processed|issued|generated|printed).{0,12}(?:CP|Csystem|PC)/;
/** *programa certificado n.º 1234*, *software certificado pela AT sob o n.º 1234*. */
const NUMBERED = /(?:PC|CP)(?:peiaat|at|peiaautoridadetributaria(?:eaduaneira)?)?(?:como?|sobo?)?[#%]/;
/** *certificado n.º* or *programa n.º* before AT's form of a number, and *certificado* at a distance from it. */
const BEFORE_NUMBER = /(?:cert|P)(?:no?|num|numero)?$/;
const CERTIFICATE = /C|certif/;
/** Letters between the two. */
const FAR_BEFORE = 40;
const FAR_AFTER = 20;

/** No shorter text can contain any of them. */
const SHORTEST = 12;

/**
 * Whether a reader would take this text for the certificate line, whatever its case, accents, spacing and alphabet, in
 * Portuguese or English. A text about certified software that claims neither to come from it nor its number does not
 * count.
 */
export function readsLikeCertificateLine(text: string): boolean {
  if (text.length < SHORTEST) return false;
  // The long s looks like an f, but NFKD would make it an s. NFKD would make two Arabic signs a sentence.
  const lower = decomposed(text.replaceAll("ſ", "f").replace(/[\ufdfa\ufdfb]/g, "\u0635")).toLowerCase();
  return readsLikeIt(lower) || (HAS_SIGN.test(lower) && readsLikeIt(replaced(lower, SIGNS)));
}

/** Tests a text in lower case without accents; it ignores signs. Capitals stand for the words that matter. */
function readsLikeIt(lower: string): boolean {
  const numbered = replaced(lower.replace(/[#%]/g, ""), LETTERS).replace(AT_NUMBER, "#").replace(NUMBER, "%");
  const letters = replaced(numbered.replace(/[^\p{L}\p{N}#%]/gu, ""), DIGITS);
  const words = letters.replace(PROGRAM, "P").replace(QUALIFIED, "P").replace(CERTIFIED, "C");
  return LINE.test(words) || ENGLISH_LINE.test(words) || NUMBERED.test(words) || isNumberedByAt(words);
}

/** *certificado n.º 1234/AT*, *1234/AT – programa certificado*, *programa n.º 1234/AT*. */
function isNumberedByAt(words: string): boolean {
  for (let at = words.indexOf("#"); at >= 0; at = words.indexOf("#", at + 1)) {
    const before = words.slice(Math.max(at - FAR_BEFORE, 0), at);
    const after = words.slice(at + 1, at + 1 + FAR_AFTER);
    if (BEFORE_NUMBER.test(before) || CERTIFICATE.test(before) || CERTIFICATE.test(after)) return true;
  }
  return false;
}

/** Characters and their replacements. */
type LookAlikes = ReadonlyMap<string, string>;

function lookAlikes(by: Readonly<Record<string, string>>): LookAlikes {
  return new Map(Object.entries(by).flatMap(([letter, alike]) => [...alike].map((one) => [one, letter] as const)));
}

function replaced(text: string, of: LookAlikes): string {
  let read = "";
  for (const one of text) read += of.get(one) ?? one;
  return read;
}
