/** Traits of a document that decide which labels, amounts and mentions its pages show. */

import { DOCUMENT_TYPES, isReceipt } from "../fiscal/document-types.ts";
import { REHEARSAL_NUMBER } from "../fiscal/numbering.ts";
import type { PrintableDocument } from "./printable.ts";

/** Whether it serves as an invoice. All others must state that they do not. */
export const isInvoice = ({ doc_type }: PrintableDocument): boolean =>
  DOCUMENT_TYPES[doc_type].saft_table === "SalesInvoices";

/** Whether a program without a certificate rehearsed with it; then every page says so. */
export const isRehearsal = ({ certificate_number }: PrintableDocument): boolean =>
  certificate_number === REHEARSAL_NUMBER;

/** Whether it is a guide, a return or a quotation; these show their time of entry. */
export const isDelivery = ({ doc_type }: PrintableDocument): boolean =>
  ["MovementOfGoods", "WorkingDocuments"].includes(DOCUMENT_TYPES[doc_type].saft_table);

/** Whether amounts are printed: not on guides and quotations without prices, but on invoices even when all are 0. */
export const isPriced = (document: PrintableDocument): boolean =>
  !isDelivery(document) || document.lines.some((line) => line.unit_price_micros > 0);

/**
 * Whether its prices are printed with VAT: on a simplified invoice whose lines were all priced with VAT (CIVA, article
 * 40/2). Every other document shows them without (CIVA, article 36/5 c).
 */
export const showsGrossPrices = ({ doc_type, lines }: PrintableDocument): boolean =>
  doc_type === "FS" && lines.every((line) => line.unit_price_gross_micros !== null);

/** Whether tax is printed: on every document with amounts, but on a receipt only if a line has a tax code. */
export const isTaxed = (document: PrintableDocument): boolean =>
  isPriced(document) && !(isReceipt(document) && document.lines.every((line) => line.tax_code === null));
