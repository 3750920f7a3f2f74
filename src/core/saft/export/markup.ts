/**
 * XML in Windows-1252. `content` first fits a text to its element: one line, characters of the code page, the schema's
 * length. From then on each character is one byte, so that the pieces of a file can simply be joined.
 */
import { UNKNOWN } from "../vocabulary.ts";
import { isInCodePage, toLatin1 } from "../windows-1252.ts";
import { transliterate } from "./transliteration.ts";

/** ASCII without anything to change or escape: nearly every text. */
const PLAIN = /^[ -%'-;=?-~]*$/;
/** The same with the accents of Latin-1. */
const ACCENTED = /^[ -%'-;=?-~\xa0-\xff]*$/;
const BREAKS = /[\t\n\r]+/g;
const SPECIAL = /[&<>]/g;
const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** Whether a text can be written as it is: in the code page, and at most `max` characters. */
export function isExact(text: string, max: number): boolean {
  return text.length <= max && isInCodePage(text);
}

/**
 * A text as the content of an element: cut to `max` characters, filled up with points to `min`, `Desconhecido` for
 * none.
 */
export function content(text: string | null | undefined, max: number, min = 1): string {
  if (text && text.length >= min && text.length <= max && PLAIN.test(text)) return text;
  if (text && text.length <= max && ACCENTED.test(text)) {
    const trimmed = text.trim();
    if (trimmed.length >= min) return trimmed;
  }
  const kept = fitted(text ?? "", max) || UNKNOWN;
  // The length counts before `&` becomes `&amp;`.
  return toLatin1(kept.padEnd(min, ".")).replace(SPECIAL, (character) => ENTITIES[character] ?? "");
}

/** A text on one line, in the code page, cut to length. */
function fitted(text: string, max: number): string {
  const line = text.replace(BREAKS, " ");
  const known = isInCodePage(line) ? line : transliterate(line, isInCodePage);
  return known.slice(0, max).trim();
}

/** An element. `inside` is markup, the result of `content`, or our own letters and digits: it is not escaped again. */
export function element(name: string, inside: string | number): string {
  return `<${name}>${inside}</${name}>`;
}

/** An element, or nothing for null. */
export function optional(name: string, inside: string | null): string {
  return inside === null ? "" : element(name, inside);
}

/** An address; unknown parts are `Desconhecido`. `country` is a code, or `Desconhecido` where the schema allows it. */
export function address(
  name: string,
  place: {
    readonly address?: string | null | undefined;
    readonly city?: string | null | undefined;
    readonly postal_code?: string | null | undefined;
  },
  country: string,
): string {
  return element(
    name,
    element("AddressDetail", content(place.address, 210)) +
      element("City", content(place.city, 50)) +
      element("PostalCode", content(place.postal_code, 20)) +
      element("Country", country),
  );
}

/** Joined pieces as the bytes of the file. */
export function bytesOf(pieces: string): Uint8Array {
  return Buffer.from(pieces, "latin1");
}
