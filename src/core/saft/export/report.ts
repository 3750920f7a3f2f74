/** The report of an export: the file's counts, its control totals, and its warnings. */
import * as z from "zod";
import { Day } from "../../fields.ts";
import { formatCents } from "../../fiscal/money.ts";
import type { TaxGroup } from "../../fiscal/totals.ts";
import { microsText, percentageText } from "./amounts.ts";
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

const cents = z.string().describe("EUR with a point and 2 decimals; below zero with a minus.");

const TypeSection = z.strictObject({
  type: z.string().describe("AT's code of the type: FT, NC, RG, GD, …"),
  documents: z.int(),
  cancelled: z.int().describe("Of the documents; in no amount."),
  lines: z.int(),
  net: cents,
  tax: cents,
  gross: cents,
});

const VatRate = z.strictObject({
  region: z.string().describe("PT, PT-AC, PT-MA."),
  code: z.string().describe("RED, INT, NOR, ISE (exempt), NS (not subject), OUT."),
  rate: z.string().describe("Percentage."),
  base: cents,
  tax: cents,
});

export const SaftExportReport = z
  .strictObject({
    from: Day,
    to: Day,
    training: z.boolean(),
    customers: z.int().describe("Entries: one for each name and tax number on a customer's documents."),
    products: z.int(),
    tax_rates: z.int(),
    sales_invoices: Section,
    movement_of_goods: z.strictObject({ ...Section.shape, total_quantity: z.string() }),
    working_documents: Section,
    payments: Section,
    types: z.array(TypeSection).describe("Each type in the file, in its order."),
    vat: z.array(VatRate).describe("VAT of invoices less that of credit notes, by region and rate."),
    vat_received: z.array(VatRate).describe("VAT of receipts in the cash-VAT scheme, by region and rate."),
    warnings: z.array(SaftWarning),
  })
  .meta({ id: "SaftExportReport", description: "Report on a SAF-T file." });
export type SaftExportReport = z.infer<typeof SaftExportReport>;

/** The report of a file's period, first pass and warnings. */
export function reportOf(
  period: ExportPeriod,
  { masters, totals, summary }: FirstPass,
  warnings: Warnings,
): SaftExportReport {
  const { MovementOfGoods } = totals;
  return {
    ...period,
    ...masters.counts(),
    sales_invoices: sectionOf(totals.SalesInvoices),
    movement_of_goods: { ...sectionOf(MovementOfGoods), total_quantity: microsText(MovementOfGoods.quantity_micros) },
    working_documents: sectionOf(totals.WorkingDocuments),
    payments: sectionOf(totals.Payments),
    types: summary.types().map(({ net_cents, tax_cents, gross_cents, ...counts }) => ({
      ...counts,
      net: formatCents(net_cents),
      tax: formatCents(tax_cents),
      gross: formatCents(gross_cents),
    })),
    vat: summary.vat().map(rateOf),
    vat_received: summary.vatReceived().map(rateOf),
    warnings: warnings.list(),
  };
}

function rateOf({ tax_region, tax_code, tax_rate_bps, net_cents, tax_cents }: TaxGroup) {
  const rate = percentageText(tax_rate_bps);
  return { region: tax_region, code: tax_code, rate, base: formatCents(net_cents), tax: formatCents(tax_cents) };
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
