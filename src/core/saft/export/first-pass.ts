/** The first of two readings of all documents: it finds master files, totals and statuses, which writing needs. */
import type { Row } from "../../database/tables.ts";
import { cashPaidCentsOn } from "../../documents/payments.ts";
import { civilDate } from "../../fiscal/civil-time.ts";
import { CASH_LIMIT_CENTS } from "../../fiscal/payment-means.ts";
import type { ReadScope } from "../../runtime/scope.ts";
import { placesAnsweredFor } from "../../verify/finding.ts";
import { type SaftTable, TABLE_NAMES } from "../vocabulary.ts";
import { addToTotals, type ControlTotals, newTotals } from "./control-totals.ts";
import { goodsLines, receiptLines } from "./lines.ts";
import { type MasterFiles, newMasterFiles } from "./master-files.ts";
import { billingsOf, isBillable, isCredit, readRange, unlimitedCredits } from "./reader.ts";
import { rangesOf, type Selection } from "./selection.ts";
import { newStatuses, type Statuses } from "./status.ts";
import { newSummary, type Summary } from "./summary.ts";
import type { ExportedDocument } from "./types.ts";
import { type Warnings, warnAboutDocument } from "./warnings.ts";

/** The results of the first pass. */
export interface FirstPass {
  readonly totals: ControlTotals;
  readonly masters: MasterFiles;
  readonly statuses: Statuses;
  readonly summary: Summary;
}

/**
 * Reads every document of a selection once, and adds warnings. Days are those of the company's time zone. Rejects with
 * the signal's reason when it aborts.
 */
export async function firstPass(
  scope: ReadScope,
  selection: Selection,
  { time_zone }: Row<"companies">,
  warnings: Warnings,
  signal: AbortSignal | undefined,
): Promise<FirstPass> {
  const totals = newTotals();
  const masters = newMasterFiles(warnings);
  const statuses = newStatuses(selection);
  const summary = newSummary();
  const answered = await placesAnsweredFor(scope);

  async function addBatch(documents: readonly ExportedDocument[], table: SaftTable, series: Row<"series">) {
    if (isBillable(series)) statuses.addBillings(documents, await billingsOf(scope, documents));
    const unlimited = isCredit(series) ? await unlimitedCredits(scope, documents) : [];
    for (const number of unlimited) warnings.warn("correction_without_line", number);
    const began = civilDate(series.registered_at ?? series.created_at, time_zone);
    const large = documents.filter(({ row }) => row.total_gross_cents >= CASH_LIMIT_CENTS);
    const cash = await cashPaidCentsOn(
      scope,
      large.map(({ row }) => row.id),
    );
    for (const document of documents) {
      const lines = table === "Payments" ? receiptLines(document) : goodsLines(document);
      statuses.add(document);
      addToTotals(totals[table], document, lines);
      summary.add(table, document, lines.length);
      masters.add(document, lines);
      const cash_cents = cash.get(document.row.id) ?? 0;
      const is_answered_for = answered.has(document.row.number);
      warnAboutDocument(document, lines, { began, time_zone, cash_cents, is_answered_for }, warnings);
    }
  }

  // Invoices come first: a guide or quotation is billed only if the invoice that bills it is not cancelled.
  for (const table of TABLE_NAMES) {
    for (const range of rangesOf(selection, table)) {
      for await (const documents of readRange(scope, range, selection.series)) {
        signal?.throwIfAborted();
        await addBatch(documents, table, range.series);
      }
    }
  }
  return { totals, masters, statuses, summary };
}
