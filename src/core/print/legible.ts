/** Makes a text printable with Lacre's font. */
import { COVERED } from "./fonts/noto-sans.ts";

/** Printed once for each character (grapheme) the font lacks. */
const BOX = "□";

const covered: ReadonlySet<number> = new Set(
  COVERED.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, index) => first + index)),
);

/** Characters without a shape of their own: joiners, direction marks, variation selectors, soft hyphens. */
const INVISIBLE = /^\p{Default_Ignorable_Code_Point}$/u;

/** Control characters and line separators other than a line feed. */
const SPACE = /[^\P{Cc}\n]|[\u2028\u2029]/gu;

const graphemes = new Intl.Segmenter("pt", { granularity: "grapheme" });

/**
 * The text with a box in place of each character the font lacks, so that a reader sees that one is missing.
 * Every line break becomes a line feed, other control characters become spaces, and invisible characters are dropped.
 */
export function legible(text: string): string {
  const spaced = text.replace(/\r\n?/g, "\n").replace(SPACE, " ");
  for (const character of spaced) if (!isPlain(character)) return withBoxes(spaced);
  return spaced;
}

const isPlain = (character: string) =>
  character === "\n" || (covered.has(character.codePointAt(0) as number) && !INVISIBLE.test(character));

function withBoxes(text: string): string {
  let boxed = "";
  for (const { segment } of graphemes.segment(text)) {
    const points = Array.from(segment).filter((point) => !INVISIBLE.test(point));
    const printed = points.filter(isPlain);
    boxed += printed.join("") + (printed.length < points.length ? BOX : "");
  }
  return boxed;
}
