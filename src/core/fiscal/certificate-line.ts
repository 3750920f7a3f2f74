/**
 * Texts that read like the certificate line, which only the program may print (Despacho 8632/2014, 2.2.2 and 2.2.3): a
 * footer or a name that imitates it would make an uncertified document look certified.
 */

/** Characters that look like a Latin letter of the line, by that letter. Accents and widths are folded before. */
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
});
const DIGITS = lookAlikes({ a: "4", e: "3", i: "1", o: "0", s: "5", t: "7" });
/** Signs that can stand for a letter. */
const SIGNS = lookAlikes({ a: "@", c: "¢©", e: "€", i: "!|¡", p: "℗", r: "®", s: "$§" });

/** *Processado por programa certificado*, *Emitido por programa certificado*, in folded letters. */
const LINE =
  /(?:processad|emitid|gerad|impress).{0,20}pr[o0]gr[a4]m[a4](?:informatico|defaturacao)?[ce][e3]r[t7][i1]f[i1]c[a4]d[o0]/;

/** *programa certificado n.º 1234/AT*, in folded letters with the digits as they are. */
const NUMBER =
  /pr[o0]gr[a4]m[a4](?:informatico|defaturacao)?[ce][e3]r[t7][i1]f[i1]c[a4]d[o0](?:(?:no?|num|numero)\d|\d{1,5}at)/;

/** No shorter text can hold the line. */
const SHORTEST = 20;

/** Whether a reader would take this text for the certificate line, whatever its case, accents, spacing and alphabet. */
export function readsLikeCertificateLine(text: string): boolean {
  if (text.length < SHORTEST) return false;
  // The long s looks like an f, and NFKD would make an s of it.
  const lower = text.replaceAll("ſ", "f").normalize("NFKD").toLowerCase();
  return [lower, replaced(lower, SIGNS)].some(readsLikeIt);
}

/** Tests a text in lower case without accents; signs in it are left out. */
function readsLikeIt(lower: string): boolean {
  const letters = replaced(lower.replace(/[^\p{L}\p{N}]/gu, ""), LETTERS);
  return NUMBER.test(letters) || LINE.test(replaced(letters, DIGITS));
}

function lookAlikes(by: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(Object.entries(by).flatMap(([letter, alike]) => [...alike].map((one) => [one, letter] as const)));
}

function replaced(text: string, table: ReadonlyMap<string, string>): string {
  let made = "";
  for (const one of text) made += table.get(one) ?? one;
  return made;
}
