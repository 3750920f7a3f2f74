/** The first of two readings of all documents: it finds master files, totals and statuses, which writing needs. */
import type { ReadScope } from "../../runtime/scope.ts";
import { TABLE_NAMES } from "../vocabulary.ts";
import { addToTotals, type ControlTotals, newTotals } from "./control-totals.ts";
import { goodsLines, receiptLines } from "./lines.ts";
import { type MasterFiles, newMasterFiles } from "./master-files.ts";
import { billingsOf, isBillable, readRange } from "./reader.ts";
import { rangesOf, type Selection } from "./selection.ts";
import { newStatuses, type Statuses } from "./status.ts";
import { type Warnings, warnAboutDocument } from "./warnings.ts";

/** The results of the first pass. */
export interface FirstPass {
  readonly totals: ControlTotals;
  readonly masters: MasterFiles;
  readonly statuses: Statuses;
}

/** Reads every document of a selection once, and adds warnings. */
export async function firstPass(scope: ReadScope, selection: Selection, warnings: Warnings): Promise<FirstPass> {
  const totals = newTotals();
  const masters = newMasterFiles(warnings);
  const statuses = newStatuses(selection);
  // Invoices come first: a guide or quotation is billed only if the invoice that bills it is not cancelled.
  for (const table of TABLE_NAMES) {
    const linesOf = table === "Payments" ? receiptLines : goodsLines;
    for (const range of rangesOf(selection, table)) {
      for await (const documents of readRange(scope, range, selection.series)) {
        if (isBillable(range.series)) statuses.addBillings(documents, await billingsOf(scope, documents));
        for (const document of documents) {
          const lines = linesOf(document);
          statuses.add(document);
          addToTotals(totals[table], document, lines);
          masters.add(document, lines);
          warnAboutDocument(document, lines, warnings);
        }
      }
    }
  }
  return { totals, masters, statuses };
}
