/** `lacre saft`: writes the SAF-T (PT) file of a period, completely or not at all. */
import { closeSync, openSync, writeFileSync } from "node:fs";
import { z } from "zod";
import type { SaftExportReport } from "../core/index.ts";
import { command } from "./command.ts";
import { FLAGS, IN_COMPANY, integerText, textFlag } from "./config.ts";
import { Failure } from "./exit.ts";
import { makeResult } from "./files.ts";
import { withCompany } from "./open-database.ts";
import { columns, counted, show } from "./output.ts";

export const saftCommand = command({
  name: "saft",
  summary: "writes the SAF-T (PT) file of a year, a month or any days of one year",
  details: `Without a period: this year until today. The file gets its name only once it is complete; the report lists what
it contains and what to look at. Works beside a running server. To check a file: lacre verify --saft FILE`,
  input: z.strictObject({
    out: FLAGS.out,
    year: integerText(2000, 9999).optional().meta({ takes: "YEAR", description: "as in 2026" }),
    month: integerText(1, 12).optional().meta({ takes: "N", description: "1 to 12, in the year of --year" }),
    from: textFlag("DATE", "the first day, as in 2026-01-01").optional(),
    to: textFlag("DATE", "the last day, of the same year").optional(),
    training: z.boolean().default(false).meta({ description: "only the documents of training series" }),
    overwrite: FLAGS.overwrite,
    ...IN_COMPANY,
  }),
  async run({ out, overwrite, training, company, db, json, ...days }, terminal) {
    const period = chosenPeriod(days);
    const report = await makeResult({ out, overwrite, db }, (draft) =>
      withCompany({ db, company }, async (lacre, { id }) => {
        const { report, file } = await lacre.as(id).saft.export({ ...period, training });
        await write(file, draft);
        return report;
      }),
    );
    show(terminal, json, { file: out, ...report }, linesOf(out, report));
  },
});

interface Days {
  readonly year?: number | undefined;
  readonly month?: number | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** The period as first and last day. */
function chosenPeriod({ year, month, from, to }: Days): { from?: string; to?: string } {
  if (year === undefined) {
    if (month !== undefined) throw new Failure("usage", "--month needs --year");
    return { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
  }
  if (from !== undefined || to !== undefined) throw new Failure("usage", "give --year, or --from and --to, not both");
  const day = (month: number, day: number) => new Date(Date.UTC(year, month - 1, day)).toISOString().slice(0, 10);
  // Day 0 of the next month is the last day of this one.
  return { from: day(month ?? 1, 1), to: day((month ?? 12) + 1, 0) };
}

/** Writes a file piece by piece. It may block, because nothing else runs in this process. */
async function write(file: AsyncIterable<Uint8Array>, path: string): Promise<void> {
  const descriptor = openSync(path, "wx");
  try {
    for await (const piece of file) writeFileSync(descriptor, piece);
  } finally {
    closeSync(descriptor);
  }
}

function linesOf(out: string, report: SaftExportReport): string[] {
  const { from, to, training, customers, products, tax_rates, warnings } = report;
  const { sales_invoices, movement_of_goods, working_documents, payments } = report;
  return [
    `${out}: ${from} to ${to}${training ? ", training" : ""}.`,
    "",
    ...columns([
      ["", "documents", "cancelled", "lines", "debit", "credit"],
      ["  Invoices", ...cells(sales_invoices)],
      ["  Guides and returns", ...cells(movement_of_goods)],
      ["  Quotations", ...cells(working_documents)],
      ["  Receipts", ...cells(payments)],
    ]),
    "",
    `${counted(customers, "customer")}, ${counted(products, "product")}, ${counted(tax_rates, "tax rate")}.`,
    ...warnings.map(({ message, count, examples }) => {
      const more = count > examples.length ? ", …" : "";
      return `Look at this (${count}): ${message} ${examples.join(", ")}${more}`;
    }),
  ];
}

function cells({ documents, cancelled, lines, total_debit, total_credit }: SaftExportReport["payments"]): string[] {
  return [documents, cancelled, lines, total_debit, total_credit].map(String);
}
