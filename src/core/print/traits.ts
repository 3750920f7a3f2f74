/** What kind of document it is: that decides which words, figures and mentions its pages have. */
import { DOCUMENT_TYPES } from "../fiscal/document-types.ts";
import type { PrintableDocument } from "./printable.ts";

/** Whether it serves as an invoice; all others must say that they do not. */
export const isInvoice = ({ doc_type }: PrintableDocument): boolean =>
  DOCUMENT_TYPES[doc_type].saft_table === "SalesInvoices";

/** Whether it is handed over to be checked, or travels with goods: those show the time they were made. */
export const isDelivery = ({ doc_type }: PrintableDocument): boolean =>
  ["MovementOfGoods", "WorkingDocuments"].includes(DOCUMENT_TYPES[doc_type].saft_table);

/** Whether it is a receipt, which has no signature outside Lacre. */
export const isReceipt = ({ doc_type }: PrintableDocument): boolean => DOCUMENT_TYPES[doc_type].is_receipt;

/** Guides and quotations may be without prices, and then have no amounts at all; what is given away is invoiced at 0. */
export const isPriced = (document: PrintableDocument): boolean =>
  !isDelivery(document) || document.lines.some((line) => line.unit_price_micros > 0);

/** Whether tax is spoken of: always, but on receipts only where they bear it, or say why not. */
export const isTaxed = (document: PrintableDocument): boolean =>
  isPriced(document) && !(isReceipt(document) && document.lines.every((line) => line.tax_code === null));
