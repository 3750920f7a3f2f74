/** `lacre pdf`: writes an issued document as PDF. */
import * as z from "zod";
import { seriesOfNumber } from "../core/fiscal/numbering.ts";
import type { Company, Lacre } from "../core/index.ts";
import { PAPERS } from "../core/print/paper.ts";
import { LANGS } from "../core/texts/languages.ts";
import { command } from "./command.ts";
import { about, FLAGS, IN_COMPANY, integerText, isId, operand } from "./config.ts";
import { lookInto, named, withCompany } from "./database/open.ts";
import { Failure } from "./exit.ts";
import { writeResult } from "./files.ts";
import { isOfEvents } from "./heads-note.ts";
import { listed, showBeside } from "./output.ts";

export const pdfCommand = command({
  name: "pdf",
  input: z.strictObject({
    document: operand("DOCUMENT", "number"),
    out: FLAGS.out,
    lang: z
      .enum(LANGS)
      .optional()
      .meta(about("print_language", { takes: "LANG" })),
    paper: z
      .enum(PAPERS)
      .optional()
      .meta(about("paper", { takes: "PAPER" })),
    copies: integerText(1, 4)
      .optional()
      .meta(about("copies", { takes: "N" })),
    copy: z.boolean().default(false).meta(about("copy")),
    overwrite: FLAGS.overwrite,
    ...IN_COMPANY,
  }),
  async run({ document, out, overwrite, company, db, json, copy, ...options }, terminal) {
    const { name, pdf } = await writeResult({ out, overwrite, db: named(db).file }, terminal, async (write) => {
      const print = async (lacre: Lacre, company: Company) => {
        const { documents } = lacre.as(company);
        const id = await idOf(document, lacre, company);
        return copy ? documents.pdf({ id, ...options, copy }) : documents.print({ id, ...options });
      };
      // That an original was printed is recorded, which a database with an older schema does not take.
      const made = await withCompany({ db, company }, print, copy ? lookInto : undefined);
      await write(made.pdf);
      return made;
    });
    const line = terminal.texts.pdf.written({ file: out, name, bytes: pdf.length });
    showBeside(out, terminal, json, { file: out, document: name, bytes: pdf.length }, [line]);
  },
});

/** The id of a document given by its id or its number. Throws `Failure` if no document has that number. */
async function idOf(given: string, lacre: Lacre, company: Company): Promise<string> {
  if (isId(given)) return given;
  // The list also accepts a part of a number, which would print whichever document came first.
  const { data } = await lacre.as(company).documents.list({ number: given });
  const named = data.find(({ number }) => number?.toLowerCase() === given.toLowerCase());
  if (named) return named.id;
  const heads = (await lacre.installation.heads()).filter(
    (head) => head.company_id === company.id && !isOfEvents(head),
  );
  const numbers = heads.map(({ number }) => number);
  const last = numbers.find((number) => seriesOfNumber(number) === seriesOfNumber(given));
  throw new Failure("refused", (t) => {
    const known = last
      ? t.pdf.last_of_series({ number: last })
      : t.pdf.last_of_each({ numbers: listed(numbers, t) || t.none });
    return t.pdf.unknown({ number: given, company: company.name, known });
  });
}
