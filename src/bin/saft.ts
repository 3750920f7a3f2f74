/** `lacre saft`: writes the SAF-T (PT) file of a period, completely or not at all. */
import * as z from "zod";
import { civilDate, type Day, dayOf } from "../core/fiscal/civil-time.ts";
import { LacreError, type SaftExportReport } from "../core/index.ts";
import { systemClock } from "../core/runtime/ports.ts";
import { SAFT_WARNINGS } from "../core/texts/saft.ts";
import { textWithCommands } from "../http/remedies.ts";
import { command } from "./command.ts";
import { about, FLAGS, IN_COMPANY, integerText, textFlag } from "./config.ts";
import { lookInto, named, withCompany } from "./database/open.ts";
import { Failure } from "./exit.ts";
import { writeResult } from "./files.ts";
import { columns, showBeside } from "./output.ts";
import type { Texts } from "./texts/texts.ts";

export const saftCommand = command({
  name: "saft",
  input: z.strictObject({
    out: FLAGS.out,
    year: integerText(2000, 9999)
      .optional()
      .meta(about("year", { takes: "YEAR" })),
    month: integerText(1, 12)
      .optional()
      .meta(about("month", { takes: "N" })),
    from: textFlag("DATE", "from").optional(),
    to: textFlag("DATE", "to").optional(),
    training: z.boolean().default(false).meta(about("training")),
    overwrite: FLAGS.overwrite,
    ...IN_COMPANY,
  }),
  async run({ out, overwrite, training, company, db, json, ...days }, terminal) {
    const period = chosenPeriod(days);
    const { report, today, fault } = await writeResult({ out, overwrite, db: named(db).file }, terminal, (write) =>
      withCompany(
        { db, company },
        async (lacre, { id, time_zone }) => {
          const { report, file } = await lacre.as(id).saft.export({ ...period, training });
          const fault = await faultAfter(file, write);
          return { report, today: civilDate(systemClock(), time_zone), fault };
        },
        lookInto,
      ),
    );
    showBeside(out, terminal, json, { file: out, ...report }, linesOf(out, report, today, terminal.texts));
    if (fault) throw new Failure("not_whole", (t) => textWithCommands(fault, t.lang));
  },
});

/** Writes the complete file. A fault in a document of its period fails the program only after that. */
async function faultAfter(
  file: AsyncIterable<Uint8Array>,
  write: (piece: Uint8Array) => Promise<void>,
): Promise<LacreError | undefined> {
  try {
    for await (const piece of file) await write(piece);
  } catch (error) {
    if (error instanceof LacreError && error.problems[0]?.remedy?.to === "answer_for_changes") return error;
    throw error;
  }
  return undefined;
}

interface Days {
  readonly year?: number | undefined;
  readonly month?: number | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** The period as first and last day. */
function chosenPeriod({ year, month, from, to }: Days): { from?: string; to?: string } {
  if (year === undefined) {
    if (month !== undefined) throw new Failure("usage", (t) => t.saft.month_needs_year);
    return { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
  }
  if (from !== undefined || to !== undefined) throw new Failure("usage", (t) => t.saft.period_given_twice);
  // Day 0 of the next month is the last day of this one.
  return { from: dayOf(year, month ?? 1, 1), to: dayOf(year, (month ?? 12) + 1, 0) };
}

function linesOf(out: string, report: SaftExportReport, today: Day, texts: Texts): string[] {
  const { from, to, training, customers, products, tax_rates, warnings } = report;
  const { types, vat, vat_received } = report;
  const { saft: t } = texts;
  return [
    t.head({ file: out, from, to, training: training ? t.of_training : "" }),
    "",
    ...(types.length === 0
      ? [t.no_documents]
      : columns([["", ...t.type_headings.split("|")], ...types.map((type) => typeCells(type, texts))], 1)),
    ...vatLines(t.vat, vat, texts),
    ...vatLines(t.vat_received, vat_received, texts),
    "",
    t.contents({ customers, products, tax_rates }),
    ...warnings.map(({ code, count, examples, more }) =>
      t.look({ count, message: SAFT_WARNINGS[code].in(texts.lang), examples: examples.join(", "), more }),
    ),
    ...(to > today ? [t.not_over({ to })] : []),
  ];
}

function typeCells(type: SaftExportReport["types"][number], { decimal }: Texts): string[] {
  const { documents, cancelled, lines, net, tax, gross } = type;
  const amounts = [net, tax, gross].map((text) => decimal({ text }));
  return [`  ${type.type}`, String(documents), String(cancelled), String(lines), ...amounts];
}

/** A table of VAT by region and rate; nothing without rates. */
function vatLines(heading: string, rates: SaftExportReport["vat"], { saft: t, decimal }: Texts): string[] {
  if (rates.length === 0) return [];
  const rows = rates.map(({ region, code, rate, base, tax }) => [
    `  ${region}`,
    code,
    `${decimal({ text: String(rate) })} %`,
    decimal({ text: base }),
    decimal({ text: tax }),
  ]);
  return ["", `${heading}:`, ...columns([t.vat_headings.split("|"), ...rows], 2)];
}
