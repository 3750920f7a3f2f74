/** `lacre import-saft`: imports the customers and products of another program. */
import { z } from "zod";
import { importSaft, type SaftImport } from "../core/index.ts";
import { command } from "./command.ts";
import { IN_COMPANY, operand } from "./config.ts";
import { openBytes } from "./files.ts";
import { withCompany } from "./open-database.ts";
import { counted, show } from "./output.ts";

export const importSaftCommand = command({
  name: "import-saft",
  summary: "imports customers and products, not documents, from any program's SAF-T file",
  details: `It imports everything or, if anything fails, nothing. What exists already (a customer with the same tax id and
name, a product with the same code) stays as it is, so you can run it again. Prices, units and tax rates come from the
last line that sold the product. The report lists what was left out, shortened or assumed.`,
  input: z.strictObject({
    file: operand("FILE"),
    dry_run: z.boolean().default(false).meta({ description: "report what would be imported and write nothing" }),
    ...IN_COMPANY,
  }),
  async run({ file, dry_run, json, ...where }, terminal) {
    const open = openBytes(file);
    const done = await withCompany(where, (lacre, { id }) => importSaft(lacre.as(id), open, { dry_run }));
    show(terminal, json, done, linesOf(done));
  },
});

function linesOf({ dry_run, customers, products, notes }: SaftImport): string[] {
  return [
    ...notes.map(({ record, line, note }) => `${record} (line ${line}): ${note}.`),
    ...(
      [
        ["customer", customers],
        ["product", products],
      ] as const
    ).map(
      ([noun, { created, existing, unusable }]) =>
        `${counted(created, noun)} ${dry_run ? "to create" : "created"}, ${existing} existed already, ${unusable} not usable.`,
    ),
    ...(dry_run ? ["Nothing was written."] : []),
  ];
}
