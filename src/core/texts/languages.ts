/** The languages of Lacre: of the printed page, of refusals, of commands. */

export const LANGS = ["pt", "en"] as const;
/** One of `LANGS`. */
export type Lang = (typeof LANGS)[number];
