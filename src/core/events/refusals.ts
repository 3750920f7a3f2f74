/** What the refusals of this room say. */
import { texts } from "../texts/texts.ts";

export const t = texts({
  no_such_event: [
    "Ainda não há um evento {position:plain}: o último é o {last:plain}. Se já o leu, esta base de dados é uma cópia mais antiga.",
    "There is no event {position:plain} yet; the last is {last:plain}. If you read it before, this database is an older copy.",
  ],
});
