/** What of a text the font can print. */
import { COVERED } from "./fonts/noto-sans.ts";

/** Stands for what the font lacks, once for each character a reader would count. */
const BOX = "□";

const covered: ReadonlySet<number> = new Set(
  COVERED.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, index) => first + index)),
);

/** What has no form of its own: joiners, direction marks, variation selectors, soft hyphens. */
const INVISIBLE = /^\p{Default_Ignorable_Code_Point}$/u;

/** Controls and separators other than a line feed. */
const SPACE = /[^\P{Cc}\n]|[\u2028\u2029]/gu;

const characters = new Intl.Segmenter("pt", { granularity: "grapheme" });

/**
 * The text with a box in place of each character the font lacks, so that a reader sees that something was there.
 * Line breaks are line feeds, other controls are spaces, and what is invisible by nature is left out.
 */
export function legible(text: string): string {
  const spaced = text.replace(/\r\n?/g, "\n").replace(SPACE, " ");
  for (const character of spaced) if (!isPlain(character)) return replaced(spaced);
  return spaced;
}

const isPlain = (character: string) =>
  character === "\n" || (covered.has(character.codePointAt(0) as number) && !INVISIBLE.test(character));

function replaced(text: string): string {
  let legible = "";
  for (const { segment } of characters.segment(text)) {
    const points = Array.from(segment).filter((point) => !INVISIBLE.test(point));
    const printed = points.filter(isPlain);
    legible += printed.join("") + (printed.length < points.length ? BOX : "");
  }
  return legible;
}
