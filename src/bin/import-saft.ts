/** `lacre import-saft`: imports the customers and products of another program. */
import * as z from "zod";
import { importSaft, type SaftImport } from "../core/index.ts";
import { importedRecord } from "../core/texts/imported-record.ts";
import { importNote } from "../core/texts/saft.ts";
import { command } from "./command.ts";
import { about, IN_COMPANY, operand } from "./config.ts";
import { withCompany } from "./database/open.ts";
import { openBytes } from "./files.ts";
import { columns, show } from "./output.ts";
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

function linesOf({ dry_run, customers, products, notes, more_notes }: SaftImport, texts: Texts): string[] {
  const { import_saft: t, lang } = texts;
  const table = [
    ...tableOf(t.customers_to_create, customers, t.more, ({ name, tax_id }) => [name, tax_id ?? ""]),
    ...tableOf(t.products_to_create, products, t.more, ({ name, sku, unit_price_net, tax_rate }) => {
      return [name, sku ?? "", t.price({ eur: unit_price_net }), t.rate({ percent: tax_rate })];
    }),
  ];
  return [
    ...(dry_run ? table : []),
    ...notes.map((note) =>
      t.note({ record: importedRecord(note).in(lang), line: note.line, note: importNote(note).in(lang) }),
    ),
    ...(more_notes > 0 ? [t.more_notes({ count: more_notes })] : []),
    (dry_run ? t.customers_in_file : t.customers)(counted(customers)),
    (dry_run ? t.products_in_file : t.products)(counted(products)),
    ...(dry_run ? [t.nothing_written] : []),
  ];
}

const counted = ({ created, existing, unusable }: SaftImport["customers" | "products"]) => ({
  count: created,
  existing,
  unusable,
});

/** The rows that would be created, under a heading; nothing without rows. */
function tableOf<Row>(
  heading: string,
  { created, rows }: { readonly created: number; readonly rows: { readonly created: readonly Row[] } },
  moreOf: (values: { count: number }) => string,
  cellsOf: (row: Row) => string[],
): string[] {
  if (created === 0) return [];
  const more = created - rows.created.length;
  return [heading, ...columns(rows.created.map(cellsOf)), ...(more > 0 ? [moreOf({ count: more })] : []), ""];
}
