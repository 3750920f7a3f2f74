/**
 * The documents that a receipt without references names in its text, where clients that send no references write them.
 * Only the tax file uses them: everywhere else a text is just a text.
 */
import type { Row } from "../../database/tables.ts";
import type { IssuedRow } from "../../documents/frozen.ts";

import { DOCUMENT_TYPES, isReceipt } from "../../fiscal/document-types.ts";
import { yieldToOthers } from "../../runtime/ports.ts";

import type { ReadScope } from "../../runtime/scope.ts";
import type { ExportedDocument, ReferencedDocument } from "./types.ts";

/** The numbers that a text may contain: `FT 2026A/17`. */
const NUMBERS = /\b([A-Z]{2}) ([A-Za-z0-9._-]{1,20})\/([0-9]{1,15})\b/g;

/** The documents; receipts without references get those that their lines' descriptions name. */
export async function withReferencesFromText(
  scope: ReadScope,
  documents: readonly ExportedDocument[],
  series: readonly Row<"series">[],
): Promise<readonly ExportedDocument[]> {
  const completed: ExportedDocument[] = [];
  for (const document of documents) {
    const needsReferences = isReceipt(document.row) && document.references.length === 0;
    completed.push(needsReferences ? await withReferences(scope, document, series) : document);
  }
  return completed;
}

async function withReferences(
  scope: ReadScope,
  receipt: ExportedDocument,
  series: readonly Row<"series">[],
): Promise<ExportedDocument> {
  const references = new Map<string, ReferencedDocument>();
  const lines: Row<"document_lines">[] = [];
  for (const line of receipt.lines) {
    let reference_id: string | null = null;
    for (const [, at_type, code, digits] of line.description.matchAll(NUMBERS)) {
      const named = series.find((row) => row.at_type === at_type && row.code === code);
      const reference = named && (await documentNamed(scope, receipt.row, named, Number(digits)));
      await yieldToOthers(); // A receipt has room for tens of thousands of numbers.
      if (!reference) continue;
      references.set(reference.referenced_id, reference);
      reference_id ??= reference.referenced_id;
    }
    lines.push({ ...line, reference_id });
  }
  return references.size === 0 ? receipt : { ...receipt, lines, references: [...references.values()] };
}

/** The document with this number, if it is the same customer's and this receipt may acknowledge it. */
async function documentNamed(
  { db }: ReadScope,
  receipt: IssuedRow,
  series: Row<"series">,
  sequence: number,
): Promise<ReferencedDocument | undefined> {
  if (!DOCUMENT_TYPES[receipt.doc_type].may_reference.includes(series.doc_type)) return undefined;
  if (sequence >= series.next_number) return undefined;
  const row = await db
    .selectFrom("documents")
    .select(["id", "number", "issue_date", "supply_date", "doc_type"])
    .where("series_id", "=", series.id)
    .where("sequence", "=", sequence)
    .where("customer_id", "=", receipt.customer_id)
    .where("issue_date", "<=", receipt.issue_date)
    .executeTakeFirst();
  if (!row) return undefined;
  const { id, number, ...named } = row;
  return { referenced_id: id, number: number ?? "", ...named, amount_cents: null, reason: null };
}
