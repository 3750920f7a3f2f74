/** What other documents did to a document: credits, receipts, invoices; read from the documents that reference it. */
import type { DocumentSummary } from "../../core/face.ts";
import { type DocType, isReceipt } from "../../core/fiscal/document-types.ts";
import { fromCents, toCents } from "../../core/fiscal/money.ts";
import { lacre } from "../reading/api.ts";

/** The most rows of a page of the API. */
const PAGE = 200;

/** Every document that references this one, drafts and cancelled ones too. */
export async function referringTo(id: string, signal?: AbortSignal): Promise<readonly DocumentSummary[]> {
  const found: DocumentSummary[] = [];
  for (;;) {
    const asked = { reference_id: id, limit: PAGE, offset: found.length };
    const { data, pagination } = await lacre.documents.list(asked, { signal });
    found.push(...data);
    if (data.length === 0 || found.length >= pagination.total) return found;
  }
}

/** The amount that live documents of these types take from a referenced one, in cents. */
function takenCents({ id }: DocumentSummary, referring: readonly DocumentSummary[], types: readonly DocType[]): number {
  return referring
    .filter(({ status, doc_type }) => status === "issued" && types.includes(doc_type))
    .reduce((cents, { references, total_gross }) => {
      const { amount } = references.find(({ document_id }) => document_id === id) ?? {};
      return cents + toCents(amount ?? total_gross);
    }, 0);
}

/** The amount of a document that receipts may still acknowledge, in EUR: its total less credits and other receipts. */
export function receiptable(document: DocumentSummary, referring: readonly DocumentSummary[]): number {
  return fromCents(Math.max(toCents(document.total_gross) - takenCents(document, referring, ["NC", "RC"]), 0));
}

/** Whether nothing is left for a receipt to acknowledge. */
export const isReceipted = (document: DocumentSummary, referring: readonly DocumentSummary[]): boolean =>
  !isReceipt(document) && receiptable(document, referring) === 0;
