/**
 * Windows-1252, the encoding of SAF-T (PT). It is Latin-1 but for 32 bytes, so text is turned into what has the same
 * bytes in Latin-1 and back, and Node does the rest.
 */

/** The characters of the bytes 80 to 9F; the five that have none stand for themselves and are not in the code page. */
const HIGH = "€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ";
const LATIN_1: ReadonlyMap<string, string> = new Map(
  Array.from(HIGH, (character, i) => [character, String.fromCharCode(0x80 + i)]),
);

/** The code page whole, but for controls that are no line breaks. */
const IN_CODE_PAGE = /^[\t\n\r -~\xa0-\xff€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]*$/;
const BEYOND_LATIN_1 = /[^ -\xff]/g;

/** Whether every character of a text has its byte. */
export function isInCodePage(text: string): boolean {
  return IN_CODE_PAGE.test(text);
}

/** A line of the code page as the Latin-1 of its bytes. */
export function toLatin1(line: string): string {
  return line.replace(BEYOND_LATIN_1, (character) => LATIN_1.get(character) ?? "?");
}

/** Where a byte stands that is no character, in the Latin-1 of a file's bytes; -1 where none does. */
export function gapIn(latin1: string): number {
  return latin1.search(/[\x81\x8d\x8f\x90\x9d]/);
}

/** The text of bytes, given as their Latin-1, without gaps. */
export function fromLatin1(latin1: string): string {
  return latin1.replace(/[\x80-\x9f]/g, (high) => HIGH.charAt(high.charCodeAt(0) - 0x80));
}
