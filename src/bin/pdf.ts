/** `lacre pdf`: one issued document as PDF. */
import { writeFileSync } from "node:fs";
import { z } from "zod";
import { command } from "./command.ts";
import { FLAGS, operand, textFlag, wholeText } from "./config.ts";
import { makeWhole, placeFor } from "./files.ts";
import { withCompany } from "./open-database.ts";
import { show } from "./output.ts";

export const pdfCommand = command({
  name: "pdf",
  summary: "writes an issued document as PDF",
  details: `The document is named by its id. A second print is marked with --copy; what it says is what the first one said.
Works beside a running server.`,
  input: z.strictObject({
    id: operand("ID"),
    out: textFlag("FILE", "where to write it"),
    lang: z
      .enum(["pt", "en"], "must be pt or en")
      .optional()
      .meta({ takes: "LANG", description: "pt (the default) or en" }),
    copies: wholeText(1, 4).optional().meta({ takes: "N", description: "1 to 4 sets: original to quadruplicate" }),
    copy: z.boolean().default(false).meta({ description: "mark it as a second print (2.ª via)" }),
    overwrite: z.boolean().default(false).meta({ description: "replace the file if it is there" }),
    company: FLAGS.company,
    db: FLAGS.db,
    json: FLAGS.json,
  }),
  async run({ id, out, lang, copies, copy, overwrite, company, db, json }, shell) {
    const target = placeFor(out, { db, overwrite });
    const { name, pdf } = await withCompany({ db, company }, (lacre, { id: company_id }) =>
      lacre.as(company_id).documents.pdf({ id, ...(lang && { lang }), ...(copies && { copies }), copy }),
    );
    const write = async (draft: string) => writeFileSync(draft, pdf, { flag: "wx" });
    await makeWhole(target, write, overwrite ? () => {} : undefined);
    show(shell, json, { file: out, document: name, bytes: pdf.length }, [`${out}: ${name}, ${pdf.length} bytes.`]);
  },
});
