/** `lacre saft`: writes the SAF-T (PT) file of a period, completely or not at all. */
import { z } from "zod";
import { civilDate } from "../core/fiscal/civil-time.ts";
import type { SaftExportReport } from "../core/index.ts";
import { systemClock } from "../core/runtime/ports.ts";
import { command } from "./command.ts";
import { FLAGS, IN_COMPANY, integerText, textFlag } from "./config.ts";
import { Failure } from "./exit.ts";
import { writeResult } from "./files.ts";
import { withCompany } from "./open-database.ts";
import { columns, counted, showBeside } from "./output.ts";

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
    const { report, today } = await writeResult({ out, overwrite, db }, terminal, (write) =>
      withCompany({ db, company }, async (lacre, { id, time_zone }) => {
        const { report, file } = await lacre.as(id).saft.export({ ...period, training });
        for await (const piece of file) await write(piece);
        return { report, today: civilDate(systemClock(), time_zone) };
      }),
    );
    showBeside(out, terminal, json, { file: out, ...report }, linesOf(out, report, today));
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

function linesOf(out: string, report: SaftExportReport, today: string): string[] {
  const { from, to, training, customers, products, tax_rates, warnings } = report;
  const { types, vat, vat_received } = report;
  return [
    `${out}: ${from} to ${to}${training ? ", training" : ""}. Amounts in EUR.`,
    "",
    ...(types.length === 0 ? ["No documents."] : columns([TYPE_HEADINGS, ...types.map(typeCells)], 1)),
    ...vatLines("VAT of invoices, less credit notes", vat),
    ...vatLines("VAT received under cash VAT", vat_received),
    "",
    `${counted(customers, "customer")}, ${counted(products, "product")}, ${counted(tax_rates, "tax rate")}.`,
    ...warnings.map(({ message, count, examples, more }) => {
      const others = more > 0 ? ` and ${more} more` : "";
      return `Look at this (${count}): ${message} ${examples.join(", ")}${others}`;
    }),
    ...(to > today
      ? [`The period is not over: what is issued from now until ${to} is not in this file. Export it again then.`]
      : []),
  ];
}

const TYPE_HEADINGS = ["", "documents", "cancelled", "lines", "net", "VAT", "gross"];

function typeCells({ type, documents, cancelled, lines, net, tax, gross }: SaftExportReport["types"][number]) {
  return [`  ${type}`, String(documents), String(cancelled), String(lines), net, tax, gross];
}

/** A table of VAT by region and rate; nothing where there is none. */
function vatLines(heading: string, rates: SaftExportReport["vat"]): string[] {
  if (rates.length === 0) return [];
  const rows = rates.map(({ region, code, rate, base, tax }) => [`  ${region}`, code, `${rate} %`, base, tax]);
  return ["", `${heading}:`, ...columns([["  region", "code", "rate", "base", "VAT"], ...rows], 2)];
}
