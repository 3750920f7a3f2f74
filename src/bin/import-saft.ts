/** `lacre import-saft`: imports the customers and products of another program. */
import { z } from "zod";
import { importSaft, type SaftImport } from "../core/index.ts";
import { command } from "./command.ts";
import { about, IN_COMPANY, operand } from "./config.ts";
import { openBytes } from "./files.ts";
import { withCompany } from "./open-database.ts";
import { show } from "./output.ts";
import type { Texts } from "./texts/texts.ts";

export const importSaftCommand = command({
  name: "import-saft",
  input: z.strictObject({
    file: operand("FILE"),
    dry_run: z.boolean().default(false).meta(about("dry_run")),
    ...IN_COMPANY,
  }),
  async run({ file, dry_run, json, ...where }, terminal) {
    const open = openBytes(file);
    const done = await withCompany(where, (lacre, { id }) => importSaft(lacre.as(id), open, { dry_run }));
    show(terminal, json, done, linesOf(done, terminal.texts));
  },
});

function linesOf({ dry_run, customers, products, notes }: SaftImport, { import_saft: t }: Texts): string[] {
  return [
    ...notes.map(({ record, line, note }) => t.note(record, line, note)),
    t.customers(customers.created, dry_run, customers.existing, customers.unusable),
    t.products(products.created, dry_run, products.existing, products.unusable),
    ...(dry_run ? [t.nothing_written] : []),
  ];
}
