/**
 * Search works over a folded copy of our own: SQLite's folding covers neither Greek nor one-letter terms.
 * Copy and term are folded by the same function, so finding is plain substring search in any script.
 */

const MARKS = /\p{M}/gu;

/** Compatibility-decomposed, marks stripped, lower case. `Ação Σίσυφος` becomes `acao σισυφοσ`. */
export function fold(text: string): string {
  const lower = text.normalize("NFKD").toLowerCase();
  // Lower-casing can add marks (İ) and picks a final sigma by position; both would make a substring miss.
  return lower.normalize("NFKD").replace(MARKS, "").replaceAll("ς", "σ");
}

/** The folded copy of several fields. Line breaks keep a term from matching across two of them. */
export function foldAll(fields: readonly (string | null)[]): string {
  return fields
    .filter((field) => field !== null)
    .map(fold)
    .join("\n");
}
