/**
 * Windows-1252, the encoding of SAF-T (PT). It differs from Latin-1 in 32 bytes only: these are exchanged here for the
 * Latin-1 characters with the same bytes, and back, and Node encodes Latin-1.
 */

/**
 * The characters of the bytes 80 to 9F. Five bytes have none: they are kept as they are and are not in the code page.
 */
const HIGH = "€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ";
const LATIN_1: ReadonlyMap<string, string> = new Map(
  Array.from(HIGH, (character, i) => [character, String.fromCharCode(0x80 + i)]),
);

/** The code page without its control characters, except tabs and line breaks. */
const IN_CODE_PAGE = /^[\t\n\r -~\xa0-\xff€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]*$/;
const BEYOND_LATIN_1 = /[^ -\xff]/g;

/** Whether every character of a text is in the code page. */
export function isInCodePage(text: string): boolean {
  return IN_CODE_PAGE.test(text);
}

/** A line of the code page as the Latin-1 text with the same bytes. */
export function toLatin1(line: string): string {
  return line.replace(BEYOND_LATIN_1, (character) => LATIN_1.get(character) ?? "?");
}

/** The index of the first byte that Windows-1252 does not define, in bytes read as Latin-1; -1 for none. */
export function undefinedIn(latin1: string): number {
  return latin1.search(/[\x81\x8d\x8f\x90\x9d]/);
}

/** The text of bytes read as Latin-1, all of which Windows-1252 defines. */
export function fromLatin1(latin1: string): string {
  return latin1.replace(/[\x80-\x9f]/g, (high) => HIGH.charAt(high.charCodeAt(0) - 0x80));
}
