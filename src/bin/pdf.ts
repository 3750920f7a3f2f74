/** `lacre pdf`: writes an issued document as PDF. */
import { z } from "zod";
import { seriesOfNumber } from "../core/fiscal/numbering.ts";
import type { Company, Lacre } from "../core/index.ts";
import { LANGS } from "../core/languages.ts";
import { PAPERS } from "../core/print/paper.ts";
import { command } from "./command.ts";
import { FLAGS, IN_COMPANY, integerText, isId, operand } from "./config.ts";
import { Failure } from "./exit.ts";
import { writeResult } from "./files.ts";
import { isOfEvents } from "./heads-note.ts";
import { withCompany } from "./open-database.ts";
import { listed, showBeside } from "./output.ts";

export const pdfCommand = command({
  name: "pdf",
  summary: "writes an issued document as PDF",
  details: `DOCUMENT is its number as printed, in quotes, or its id: lacre pdf "FT 2026A/12" --out invoice.pdf
The first PDF is the original and is recorded; later ones, and those made with --copy, are marked as second prints with
the content of the first. Works beside a running server.`,
  input: z.strictObject({
    document: operand("DOCUMENT", "number"),
    out: FLAGS.out,
    lang: z.enum(LANGS, "must be pt or en").optional().meta({ takes: "LANG", description: "pt (the default) or en" }),
    paper: z
      .enum(PAPERS, "must be A4 or 80mm")
      .optional()
      .meta({ takes: "PAPER", description: "A4 (the default) or 80mm, the roll of a receipt printer" }),
    copies: integerText(1, 4).optional().meta({ takes: "N", description: "1 to 4 sets: original to quadruplicate" }),
    copy: z.boolean().default(false).meta({ description: "mark it as a second print (2.ª via)" }),
    overwrite: FLAGS.overwrite,
    ...IN_COMPANY,
  }),
  async run({ document, out, overwrite, company, db, json, copy, ...options }, terminal) {
    const { name, pdf } = await writeResult({ out, overwrite, db }, terminal, async (write) => {
      const made = await withCompany({ db, company }, async (lacre, company) => {
        const { documents } = lacre.as(company);
        const id = await idOf(document, lacre, company);
        return copy ? documents.pdf({ id, ...options, copy }) : documents.print({ id, ...options });
      });
      await write(made.pdf);
      return made;
    });
    const line = `${out}: ${name}, ${pdf.length} bytes.`;
    showBeside(out, terminal, json, { file: out, document: name, bytes: pdf.length }, [line]);
  },
});

/** The id of the document that was named by it, or by its number. Throws `Failure` if no document has that number. */
async function idOf(given: string, lacre: Lacre, company: Company): Promise<string> {
  if (isId(given)) return given;
  // The list also takes a part of a number, which would print whichever document came first.
  const { data } = await lacre.as(company).documents.list({ number: given });
  const named = data.find(({ number }) => number?.toLowerCase() === given.toLowerCase());
  if (named) return named.id;
  const heads = (await lacre.installation.heads()).filter(
    (head) => head.company_id === company.id && !isOfEvents(head),
  );
  const numbers = heads.map(({ number }) => number);
  const last = numbers.find((number) => seriesOfNumber(number) === seriesOfNumber(given));
  const known = last ? `the last of its series is ${last}` : `the last of each series: ${listed(numbers) || "none"}`;
  throw new Failure("refused", `There is no document ${given} of ${company.name}; ${known}.`);
}
