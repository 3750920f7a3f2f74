/** Apart from the notes, which the page words itself. */
import { pair, texts } from "./texts.ts";

/** A record of the file: `Customer C7`, `Product without code`. */
export const { record: importedRecord } = texts({
  record: pair<{ record: string }>(
    ({ record }) =>
      record
        .replace(/^Customer/, "Cliente")
        .replace(/^Product/, "Artigo")
        .replace(/without code$/, "sem código"),
    ({ record }) => record,
  ),
});
