/** The texts of this room's refusals. */
import { texts } from "../texts/texts.ts";

export const t = texts({
  nothing_to_answer_for: [
    "A base de dados está como o Lacre a deixou: não há nada por que responder.",
    "The database is as Lacre left it: there is nothing to answer for.",
  ],
  database_was_changed: [
    "A base de dados foi alterada por algo que não o Lacre: {place} não está como ficou. Não se emite nada até alguém responder por isso.",
    "The database was changed by something other than Lacre: {place} is not as it was left. Nothing is issued until somebody answers for it.",
  ],
});
