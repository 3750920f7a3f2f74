/** `lacre pdf`: writes an issued document as PDF. */
import { z } from "zod";
import { LANGS } from "../core/print/format.ts";
import { command } from "./command.ts";
import { FLAGS, IN_COMPANY, integerText, operand } from "./config.ts";
import { writeResult } from "./files.ts";
import { withCompany } from "./open-database.ts";
import { showBeside } from "./output.ts";

export const pdfCommand = command({
  name: "pdf",
  summary: "writes an issued document as PDF",
  details: `ID is the document's id. The first PDF is the original and is recorded; later ones, and those made with --copy,
are marked as second prints with the content of the first. Works beside a running server.`,
  input: z.strictObject({
    id: operand("ID"),
    out: FLAGS.out,
    lang: z.enum(LANGS, "must be pt or en").optional().meta({ takes: "LANG", description: "pt (the default) or en" }),
    copies: integerText(1, 4).optional().meta({ takes: "N", description: "1 to 4 sets: original to quadruplicate" }),
    copy: z.boolean().default(false).meta({ description: "mark it as a second print (2.ª via)" }),
    overwrite: FLAGS.overwrite,
    ...IN_COMPANY,
  }),
  async run({ out, overwrite, company, db, json, copy, ...options }, terminal) {
    const { name, pdf } = await writeResult({ out, overwrite, db }, terminal, async (write) => {
      const made = await withCompany({ db, company }, (lacre, { id }) => {
        const { documents } = lacre.as(id);
        return copy ? documents.pdf({ ...options, copy }) : documents.print(options);
      });
      await write(made.pdf);
      return made;
    });
    const line = `${out}: ${name}, ${pdf.length} bytes.`;
    showBeside(out, terminal, json, { file: out, document: name, bytes: pdf.length }, [line]);
  },
});
