/**
 * XML in Windows-1252. A text is made fit for its element first: one line, letters the code page has, no longer than
 * the schema allows. From then on every character of it stands for one byte, so that a file's pieces are only joined.
 */

import { UNKNOWN } from "../vocabulary.ts";
import { isInCodePage, toLatin1 } from "../windows-1252.ts";
import { transliterate } from "./transliteration.ts";

/** Nothing to change, nothing to escape: nearly every text. */
const PLAIN = /^[ -%'-;=?-~]*$/;
/** The same with the accents of Latin-1. */
const ACCENTED = /^[ -%'-;=?-~\xa0-\xff]*$/;
const BREAKS = /[\t\n\r]+/g;
const SPECIAL = /[&<>]/g;
const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** Whether `max` characters hold a text that is in the code page. */
export function isExact(text: string, max: number): boolean {
  return text.length <= max && isInCodePage(text);
}

/** A text as the content of an element: `min` to `max` characters, `Desconhecido` for none; points fill up what is short. */
export function content(text: string | null | undefined, max: number, min = 1): string {
  if (text && text.length >= min && text.length <= max && PLAIN.test(text)) return text;
  if (text && text.length <= max && ACCENTED.test(text)) {
    const trimmed = text.trim();
    if (trimmed.length >= min) return trimmed;
  }
  const kept = fitted(text ?? "", max) || UNKNOWN;
  // Filled up before `&` becomes `&amp;`, which is still one character.
  return toLatin1(kept.padEnd(min, ".")).replace(SPECIAL, (character) => ENTITIES[character] ?? "");
}

/** In one line, in the code page, cut to length. Here a character still is itself and one code unit. */
function fitted(text: string, max: number): string {
  const line = text.replace(BREAKS, " ");
  const known = isInCodePage(line) ? line : transliterate(line, isInCodePage);
  return known.slice(0, max).trim();
}

/** An element with content that is fit for it: from `content`, or digits and letters of our own. */
export function element(name: string, inside: string | number): string {
  return `<${name}>${inside}</${name}>`;
}

/** The same, or nothing where there is nothing to say. */
export function optional(name: string, inside: string | null): string {
  return inside === null ? "" : element(name, inside);
}

/** An address. What is unknown says so; `country` is a code, or `Desconhecido` where the schema allows it. */
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

/** Pieces as the bytes of the file. */
export function bytesOf(pieces: string): Uint8Array {
  return Buffer.from(pieces, "latin1");
}
