/**
 * What a receipt that names no document is for: a client that knows no references writes it in the text. Only for the
 * tax file; nothing else takes a text for more than it is (fiscal-rules.md, "RC").
 */
import type { Row } from "../../database/tables.ts";
import { DOCUMENT_TYPES } from "../../fiscal/document-types.ts";
import { giveWay } from "../../runtime/ports.ts";
import type { ReadScope } from "../../runtime/scope.ts";
import type { NamedDocument, WalkedDocument, WalkedRow } from "./reader.ts";

/** The numbers that a text may contain: `FT 2026A/17`. */
const NUMBERS = /\b([A-Z]{2}) ([A-Za-z0-9._-]{1,20})\/([0-9]{1,15})\b/g;

/** Receipts that name no document, with those of the customer that their lines' descriptions name. */
export async function withGuessedOrigins(
  scope: ReadScope,
  documents: readonly WalkedDocument[],
  series: readonly Row<"series">[],
): Promise<readonly WalkedDocument[]> {
  const guessed: WalkedDocument[] = [];
  for (const document of documents) {
    const isReceipt = DOCUMENT_TYPES[document.row.doc_type].is_receipt;
    const mustGuess = isReceipt && document.references.length === 0;
    guessed.push(mustGuess ? await withOrigins(scope, document, series) : document);
  }
  return guessed;
}

async function withOrigins(
  scope: ReadScope,
  document: WalkedDocument,
  series: readonly Row<"series">[],
): Promise<WalkedDocument> {
  const found = new Map<string, NamedDocument>();
  const lines: Row<"document_lines">[] = [];
  for (const line of document.lines) {
    let reference_id: string | null = null;
    for (const [, at_type, code, digits] of line.description.matchAll(NUMBERS)) {
      const named = series.find((row) => row.at_type === at_type && row.code === code);
      const origin = named && (await originAt(scope, document.row, named, Number(digits)));
      await giveWay(); // A receipt has room for tens of thousands of numbers.
      if (!origin) continue;
      found.set(origin.referenced_id, origin);
      reference_id ??= origin.referenced_id;
    }
    lines.push({ ...line, reference_id });
  }
  return found.size === 0 ? document : { ...document, lines, references: [...found.values()] };
}

/** The document with this number, where a receipt of this customer may acknowledge it. */
async function originAt(
  { db }: ReadScope,
  receipt: WalkedRow,
  series: Row<"series">,
  sequence: number,
): Promise<NamedDocument | undefined> {
  if (!DOCUMENT_TYPES[receipt.doc_type].may_reference.includes(series.doc_type)) return undefined;
  if (sequence >= series.next_number) return undefined;
  const row = await db
    .selectFrom("documents")
    .select(["id", "number", "issue_date", "doc_type"])
    .where("series_id", "=", series.id)
    .where("sequence", "=", sequence)
    .where("customer_id", "=", receipt.customer_id)
    .where("issue_date", "<=", receipt.issue_date)
    .executeTakeFirst();
  if (!row) return undefined;
  const { id, number, issue_date, doc_type } = row;
  return { referenced_id: id, number: number ?? "", issue_date, doc_type, amount_cents: null, reason: null };
}
