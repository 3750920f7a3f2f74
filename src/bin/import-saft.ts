/** `lacre import-saft`: moving in with the customers and products of another program. */
import { z } from "zod";
import { importSaft, type SaftImport } from "../core/index.ts";
import { command } from "./command.ts";
import { FLAGS, operand } from "./config.ts";
import { bytesOf } from "./files.ts";
import { withCompany } from "./open-database.ts";
import { counted, show } from "./output.ts";

export const importSaftCommand = command({
  name: "import-saft",
  summary: "takes over the customers and products of any program's SAF-T file; documents stay where they are",
  details: `All of them or, if anything fails, none. What is there already (a customer with the same tax id and name, a
product with the same code) stays as it is, so it can be run again. Prices, units and tax rates come from the last line
that sold the product. Says what it left out, cut or assumed.`,
  input: z.strictObject({
    file: operand("FILE"),
    dry_run: z.boolean().default(false).meta({ description: "say what would be done and write nothing" }),
    company: FLAGS.company,
    db: FLAGS.db,
    json: FLAGS.json,
  }),
  async run({ file, dry_run, json, ...where }, shell) {
    const open = bytesOf(file);
    const done = await withCompany(where, (lacre, { id }) => importSaft(lacre.as(id), open, { dry_run }));
    show(shell, json, done, linesOf(done));
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
        `${counted(created, noun)} ${dry_run ? "to create" : "created"}, ${existing} there already, ${unusable} not usable.`,
    ),
    ...(dry_run ? ["Nothing was written."] : []),
  ];
}
