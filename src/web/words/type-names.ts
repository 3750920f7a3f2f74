/** Document types by name; in Portuguese as they are printed. */
import { DOC_TYPES, DOCUMENT_TYPES, type DocType } from "../../core/fiscal/document-types.ts";
import { language } from "./language.ts";

const IN_ENGLISH: Readonly<Record<DocType, string>> = {
  FT: "Invoice",
  FS: "Simplified invoice",
  FR: "Invoice-receipt",
  NC: "Credit note",
  ND: "Debit note",
  RC: "Receipt",
  GT: "Transport guide",
  GR: "Delivery note",
  NDV: "Return note",
  OR: "Quotation",
};

/** A document type in words: `Fatura simplificada`, `Simplified invoice`. */
export const typeName = (doc_type: DocType): string =>
  language.value === "pt" ? DOCUMENT_TYPES[doc_type].name : IN_ENGLISH[doc_type];

/** The types with their names, for a field that chooses one. */
export const typeOptions = (): readonly (readonly [value: DocType, label: string])[] =>
  DOC_TYPES.map((doc_type) => [doc_type, typeName(doc_type)]);
