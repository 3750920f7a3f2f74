/** The report of an export: the file's counts, its control totals, and its warnings. */
import { z } from "zod";
import { CivilDate } from "../../fields.ts";
import { microsText } from "./amounts.ts";
import type { TableTotals } from "./control-totals.ts";
import type { FirstPass } from "./first-pass.ts";
import type { ExportPeriod } from "./period.ts";
import { SaftWarning, type Warnings } from "./warnings.ts";

const amount = z.string().describe("Exact, as in the file: EUR with a point, up to 6 decimals.");

const Section = z.strictObject({
  documents: z.int(),
  cancelled: z.int().describe("Of the documents; in the file, but in no total."),
  lines: z.int(),
  total_debit: amount,
  total_credit: amount,
});

export const SaftExportReport = z
  .strictObject({
    from: CivilDate,
    to: CivilDate,
    training: z.boolean(),
    customers: z.int().describe("Entries: one for each name and tax number on a customer's documents."),
    products: z.int(),
    tax_rates: z.int(),
    sales_invoices: Section,
    movement_of_goods: z.strictObject({ ...Section.shape, total_quantity: z.string() }),
    working_documents: Section,
    payments: Section,
    warnings: z.array(SaftWarning),
  })
  .meta({ id: "SaftExportReport", description: "Report on a SAF-T file." });
export type SaftExportReport = z.infer<typeof SaftExportReport>;

/** The report of a file's period, first pass and warnings. */
export function reportOf(period: ExportPeriod, { masters, totals }: FirstPass, warnings: Warnings): SaftExportReport {
  const { MovementOfGoods } = totals;
  return {
    ...period,
    ...masters.counts(),
    sales_invoices: sectionOf(totals.SalesInvoices),
    movement_of_goods: { ...sectionOf(MovementOfGoods), total_quantity: microsText(MovementOfGoods.quantity_micros) },
    working_documents: sectionOf(totals.WorkingDocuments),
    payments: sectionOf(totals.Payments),
    warnings: warnings.list(),
  };
}

function sectionOf({ documents, cancelled, lines, debit_micros, credit_micros }: TableTotals) {
  return {
    documents,
    cancelled,
    lines,
    total_debit: microsText(debit_micros),
    total_credit: microsText(credit_micros),
  };
}
