/** What an export says about itself: how much of everything, the control totals, and what a person should look at. */
import { z } from "zod";
import { CivilDate } from "../../fields.ts";
import { microsText } from "./amounts.ts";
import type { Survey, TableTotals } from "./first-pass.ts";

/** Everything an export warns about, with what it means. */
export const WARNINGS = {
  exemption_by_default: "Documents with lines at 0 % whose reason is M99, which is taken where no reason is given.",
  receipt_without_origin: "Receipts that name no document: exported with OriginatingON Desconhecido.",
  correction_without_reference: "Credit or debit notes that name no document they correct.",
  country_unknown: "Customers and places whose country is no ISO code: exported as Desconhecido.",
  tax_differs: "Documents whose tax differs from the sum of their lines' taxes by more than 0.01.",
  text_replaced: "Texts with characters that Windows-1252 lacks: exported with other letters, or ? in their place.",
} as const;

type WarningCode = keyof typeof WARNINGS;

const amount = z.string().describe("Exact, as in the file: EUR with a point, up to 6 decimals.");

const Section = z.strictObject({
  documents: z.int(),
  cancelled: z.int().describe("Of the documents; in the file, but in no total."),
  lines: z.int(),
  total_debit: amount,
  total_credit: amount,
});

export const SaftReport = z
  .strictObject({
    from: CivilDate,
    to: CivilDate,
    training: z.boolean(),
    customers: z.int().describe("Entries: one per name and tax number that a customer's documents bear."),
    products: z.int(),
    tax_rates: z.int(),
    sales_invoices: Section,
    movement_of_goods: z.strictObject({ ...Section.shape, total_quantity: z.string() }),
    working_documents: Section,
    payments: Section,
    warnings: z.array(
      z.strictObject({
        code: z.enum(Object.keys(WARNINGS) as [WarningCode, ...WarningCode[]]),
        message: z.string(),
        count: z.int(),
        examples: z.array(z.string()).describe("The first few: numbers of documents, codes of customers."),
      }),
    ),
  })
  .meta({ id: "SaftReport", description: "What a SAF-T file holds." });
export type SaftReport = z.infer<typeof SaftReport>;

/** What was asked for: the documents dated from the first day to the last, real ones or those of training. */
export type Asked = Pick<SaftReport, "from" | "to" | "training">;

/** The report of what a survey found. */
export function reportOf({ masters, totals }: Survey, warnings: Warnings, asked: Asked): SaftReport {
  const { MovementOfGoods } = totals;
  return {
    ...asked,
    ...masters.counts(),
    sales_invoices: sectionOf(totals.SalesInvoices),
    movement_of_goods: {
      ...sectionOf(MovementOfGoods),
      total_quantity: microsText(MovementOfGoods.quantity_micros),
    },
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

/** Examples kept per warning. */
const EXAMPLES = 10;

/** Collects warnings in memory that does not grow with them. */
export interface Warnings {
  /** Counts one more; `example` is kept while there are few. */
  warn(code: WarningCode, example: string, count?: number): void;
  list(): SaftReport["warnings"];
}

/** No warnings yet. */
export function noWarnings(): Warnings {
  const found = new Map<WarningCode, { count: number; examples: string[] }>();
  return {
    warn(code, example, count = 1) {
      const warning = found.get(code) ?? { count: 0, examples: [] };
      warning.count += count;
      if (warning.examples.length < EXAMPLES && warning.examples.at(-1) !== example) warning.examples.push(example);
      found.set(code, warning);
    },
    list: () => Array.from(found, ([code, warning]) => ({ code, message: WARNINGS[code], ...warning })),
  };
}
