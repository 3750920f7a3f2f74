/** `lacre pdf`: writes an issued document as PDF. */
import { writeFileSync } from "node:fs";
import { z } from "zod";
import { LANGS } from "../core/print/format.ts";
import { command } from "./command.ts";
import { FLAGS, IN_COMPANY, integerText, operand } from "./config.ts";
import { makeResult } from "./files.ts";
import { withCompany } from "./open-database.ts";
import { show } from "./output.ts";

export const pdfCommand = command({
  name: "pdf",
  summary: "writes an issued document as PDF",
  details: `ID is the document's id. With --copy the PDF is marked as a second print; its content is that of the first.
Works beside a running server.`,
  input: z.strictObject({
    id: operand("ID"),
    out: FLAGS.out,
    lang: z.enum(LANGS, "must be pt or en").optional().meta({ takes: "LANG", description: "pt (the default) or en" }),
    copies: integerText(1, 4).optional().meta({ takes: "N", description: "1 to 4 sets: original to quadruplicate" }),
    copy: z.boolean().default(false).meta({ description: "mark it as a second print (2.ª via)" }),
    overwrite: FLAGS.overwrite,
    ...IN_COMPANY,
  }),
  async run({ out, overwrite, company, db, json, ...options }, terminal) {
    const { name, pdf } = await makeResult({ out, overwrite, db }, async (draft) => {
      const made = await withCompany({ db, company }, (lacre, { id }) => lacre.as(id).documents.pdf(options));
      writeFileSync(draft, made.pdf, { flag: "wx" });
      return made;
    });
    show(terminal, json, { file: out, document: name, bytes: pdf.length }, [`${out}: ${name}, ${pdf.length} bytes.`]);
  },
});
