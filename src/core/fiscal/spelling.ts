/**
 * The normal forms of texts. Each text is measured before anything else looks at it, and normalised here alone: the
 * cost of a stack of marks grows with its square (UAX #15, 13).
 */

/**
 * The most UTF-16 units in which one character of NFC can be spelled. Four are enough for nearly all; three vowels of
 * Gurung Khema and one of Kirat Rai, outside the basic plane, decompose to three characters of two units each.
 */
export const UNITS_PER_CHARACTER = 6;

/** Whether a text may have as few as `max` characters in NFC. The check costs nothing, whatever the text. */
export function mayFit(text: string, max: number): boolean {
  return text.length <= max * UNITS_PER_CHARACTER;
}

/** The beginning of a text that holds at least `count` of its characters in NFC, if it has as many. */
export function beginningOf(text: string, count: number): string {
  return mayFit(text, count) ? text : text.slice(0, count * UNITS_PER_CHARACTER).toWellFormed();
}

/** More marks on one letter than any language has; the search begins at a first mark, so that each is read once. */
const STACKED_MARKS = /(?<!\p{M})\p{M}{31}/u;
const STACKS = /(?<!\p{M})\p{M}{31,}/gu;

/** Whether a letter has more than 30 marks. */
export function hasStackedMarks(text: string): boolean {
  return STACKED_MARKS.test(text);
}

/** A text in NFC; a text with stacked marks stays as it is. */
export function composed(text: string): string {
  return hasStackedMarks(text) ? text : text.normalize("NFC");
}

/** The first 30 marks of a stack; each has two units at most. */
const firstMarks = (stack: string) => Array.from(stack.slice(0, 60)).slice(0, 30).join("");

/** A text in NFKD, for comparisons: without the marks of a stack beyond the thirtieth. */
export function decomposed(text: string): string {
  return text.replace(STACKS, firstMarks).normalize("NFKD");
}
