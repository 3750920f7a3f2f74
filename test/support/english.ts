/**
 * Words that English sentences cannot do without and Portuguese ones do not have. A Portuguese text with one of them
 * was not translated, or not all of it.
 */
export const ENGLISH_WORDS =
  /\b(?:[Tt]he|is|are|of|and|or|must|be|has|have|not|[Tt]his|[Tt]hat|[Oo]nly|cannot|to|than|[Tt]here|by|from|was|with|more|[Tt]oo|takes|needs|our)\b/;
