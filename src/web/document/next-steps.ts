/** The possible next steps after a document: a payment, and documents that reference it. */
import type { DocumentSummary, DocumentWithPayments } from "../../core/face.ts";
import { DOCUMENT_TYPES } from "../../core/fiscal/document-types.ts";
import { isReceipted } from "./standing.ts";

const isLive = ({ status, training }: DocumentSummary): boolean => status === "issued" && !training;

/** Whether a payment can still be recorded on it. An FR may state the means by which it was paid. */
export function takesPayment(document: DocumentWithPayments): boolean {
  const { outstanding, doc_type, total_gross, payments } = document;
  const { paid_by_nature, takes_payments } = DOCUMENT_TYPES[doc_type];
  if (!isLive(document)) return false;
  return paid_by_nature ? total_gross > 0 && payments.length === 0 : takes_payments && (outstanding ?? 0) > 0;
}

const OFFERED = ["FT", "RC", "NC", "ND", "NDV", "GT"] as const;

/** The type of a document that may follow another. */
export type Following = (typeof OFFERED)[number];

/** The types of the documents that may follow, in the order in which they are offered. */
export const following = (document: DocumentSummary, referring: readonly DocumentSummary[]): readonly Following[] =>
  OFFERED.filter(
    (type) =>
      isLive(document) &&
      DOCUMENT_TYPES[type].may_reference.includes(document.doc_type) &&
      !(type === "RC" && isReceipted(document, referring)),
  );
