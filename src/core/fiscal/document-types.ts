/** The differences between document types, as rows of data: code reads the row and never compares names. */

/** The document types: three invoices, credit and debit note, receipt, two guides, return, quotation. */
export const DOC_TYPES = ["FT", "FS", "FR", "NC", "ND", "RC", "GT", "GR", "NDV", "OR"] as const;

/** A document type as the API names it. */
export type DocType = (typeof DOC_TYPES)[number];

/** The properties of a document type (docs/law.md, "Document types"). */
export interface DocumentType {
  /** The Portuguese name, as printed. */
  readonly name: string;
  /** The tax authority's code, with which the number begins. For a series use `atType`. */
  readonly at_type: string;
  /** The table of SAF-T (PT) it is exported in. */
  readonly saft_table: "SalesInvoices" | "MovementOfGoods" | "WorkingDocuments" | "Payments";
  /** The side its lines are exported on. A receipt's line that acknowledges a credit note is on the debit side. */
  readonly line_side: "credit" | "debit";
  /** Whether payments can be recorded against it once it is issued. */
  readonly takes_payments: boolean;
  /**
   * Whether payments may be sent with it and are frozen with it. On a type that takes payments each also becomes a
   * payment; a receipt only states the means of its payment.
   */
  readonly takes_payments_at_issue: boolean;
  /** Whether refunds may be sent with it and are frozen with it; each becomes one on the document that it corrects. */
  readonly takes_refunds_at_issue: boolean;
  /** Whether issuing it means that it was paid in full. */
  readonly paid_by_nature: boolean;
  /** The types of document it may name in `references`. */
  readonly may_reference: readonly DocType[];
  /** Whether its customer must be that of the documents it references. */
  readonly same_customer: boolean;
  /** Whether it may still be issued to an archived customer. */
  readonly archived_customer_allowed: boolean;
  /** Whether it corrects the documents it references, and takes their tax rates and exemption reasons. */
  readonly corrects: boolean;
  /** Whether references are required once a certificate number is set. */
  readonly must_reference: boolean;
  /** Whether goods may travel with it. An invoice must be a full one (Decreto-Lei 147/2003, articles 2/1 b and 4/1). */
  readonly takes_transport: boolean;
  /** Whether goods always travel with it. */
  readonly has_transport: boolean;
  /** Whether they travel from the customer to the company. */
  readonly brings_back: boolean;
  /** Which lines bear no tax code: none; all, when no line has a price; those at 0 %. */
  readonly untaxed: "never" | "unpriced" | "zero_rated";
  /** Whether its gross total keeps the company's limit of simplified invoices. */
  readonly is_simplified: boolean;
  /** The gross total, in cents, above which a certified document names its customer in full; null for never. */
  readonly names_customer_above_cents: number | null;
  /**
   * The cap on the sum of all live documents of the type that reference a document; null for none. With a cap, the
   * references share the gross total: if there are several, each needs an `amount`.
   */
  readonly cap: "credit" | "receipt" | null;
}

/** The defaults of most types. */
const PLAIN = {
  line_side: "credit",
  takes_payments: false,
  takes_payments_at_issue: false,
  takes_refunds_at_issue: false,
  paid_by_nature: false,
  same_customer: false,
  archived_customer_allowed: false,
  corrects: false,
  must_reference: false,
  takes_transport: false,
  has_transport: false,
  brings_back: false,
  untaxed: "never",
  is_simplified: false,
  names_customer_above_cents: null,
  cap: null,
} as const;

/**
 * The limits of simplified invoices, in EUR with tax (CIVA, article 40/1): 1,000 for goods that retailers and street
 * vendors sell to private persons, 100 for all else. Taxpayers exempt under article 53 have none (Decreto-Lei 35/2025).
 */
export const SIMPLIFIED_LIMITS: readonly number[] = [1_000, 100];

/** The total above which a certified invoice names its customer in full (CIVA, article 36). */
const FULL_NAME_ABOVE_CENTS = 100_000;

const INVOICE = {
  ...PLAIN,
  saft_table: "SalesInvoices",
  takes_payments: true,
  takes_payments_at_issue: true,
  takes_transport: true,
  names_customer_above_cents: FULL_NAME_ABOVE_CENTS,
  may_reference: ["OR", "GT", "GR"],
} as const;

/** NC and ND: both correct an invoice, in opposite directions. */
const CORRECTION = {
  ...PLAIN,
  saft_table: "SalesInvoices",
  may_reference: ["FT", "FS", "FR", "ND"],
  same_customer: true,
  archived_customer_allowed: true,
  corrects: true,
  must_reference: true,
} as const;

const GUIDE = {
  ...PLAIN,
  saft_table: "MovementOfGoods",
  may_reference: ["OR"],
  takes_transport: true,
  has_transport: true,
  untaxed: "unpriced",
} as const;

/** One row per document type. */
export const DOCUMENT_TYPES: Readonly<Record<DocType, DocumentType>> = {
  FT: { ...INVOICE, name: "Fatura", at_type: "FT" },
  FS: {
    ...INVOICE,
    name: "Fatura simplificada",
    at_type: "FS",
    is_simplified: true,
    takes_transport: false,
    names_customer_above_cents: null,
  },
  FR: { ...INVOICE, name: "Fatura-recibo", at_type: "FR", paid_by_nature: true },
  NC: {
    ...CORRECTION,
    name: "Nota de crédito",
    at_type: "NC",
    line_side: "debit",
    takes_refunds_at_issue: true,
    cap: "credit",
  },
  ND: { ...CORRECTION, name: "Nota de débito", at_type: "ND", takes_payments: true },
  RC: {
    ...PLAIN,
    name: "Recibo",
    at_type: "RG",
    saft_table: "Payments",
    takes_payments_at_issue: true,
    may_reference: ["FT", "FS", "ND", "NC"],
    same_customer: true,
    archived_customer_allowed: true,
    must_reference: true,
    cap: "receipt",
    untaxed: "zero_rated",
  },
  GT: { ...GUIDE, name: "Guia de transporte", at_type: "GT" },
  GR: { ...GUIDE, name: "Guia de remessa", at_type: "GR" },
  NDV: {
    ...GUIDE,
    name: "Nota de devolução",
    at_type: "GD",
    line_side: "debit",
    may_reference: ["GT", "GR", "FT", "FS", "FR"],
    archived_customer_allowed: true,
    must_reference: true,
    brings_back: true,
  },
  OR: {
    ...PLAIN,
    name: "Orçamento",
    at_type: "OR",
    saft_table: "WorkingDocuments",
    may_reference: [],
    untaxed: "unpriced",
  },
};

/** Whether it acknowledges a payment. It is signed, but no hash is printed or exported: SAF-T has no field for it. */
export const isReceipt = ({ doc_type }: { readonly doc_type: DocType }): boolean =>
  DOCUMENT_TYPES[doc_type].saft_table === "Payments";

/**
 * How its amounts count as sales: 1 for invoices and debit notes, -1 for credit notes, 0 for all other types (receipts,
 * guides, returns, quotations).
 */
export function salesSign(doc_type: DocType): 1 | -1 | 0 {
  const { saft_table, line_side } = DOCUMENT_TYPES[doc_type];
  if (saft_table !== "SalesInvoices") return 0;
  return line_side === "debit" ? -1 : 1;
}

/** How a receipt counts a document that it acknowledges: -1 for a credit note, which is taken off; 1 for any other. */
export const signOnReceipt = (doc_type: DocType): 1 | -1 => (salesSign(doc_type) < 0 ? -1 : 1);

/**
 * Whether it may have a date of supply: SAF-T has a TaxPointDate for it, while goods in transit have a time of their
 * own.
 */
export const hasSupplyDate = ({ doc_type }: { readonly doc_type: DocType }): boolean =>
  ["SalesInvoices", "WorkingDocuments"].includes(DOCUMENT_TYPES[doc_type].saft_table);

/** Whether a document of this type is paid later than it is issued: its customer has terms, and is reminded of it. */
export const hasTerms = ({ doc_type }: { readonly doc_type: DocType }): boolean =>
  doc_type === "FT" || doc_type === "ND";

/** Whether it is an offer, which may hold until a day. */
export const isQuotation = ({ doc_type }: { readonly doc_type: DocType }): boolean =>
  DOCUMENT_TYPES[doc_type].saft_table === "WorkingDocuments";

/** The authority's code for receipts of the cash-VAT scheme. */
export const CASH_VAT_RECEIPT = "RC";

/**
 * The tax authority's code for a series of this type; `cash_vat` tells whether the company is in the cash-VAT scheme.
 * `RC` is reserved for receipts of that scheme, any other receipt is `RG` (Portaria 302/2016, 4.4.4.6).
 */
export function atType(doc_type: DocType, cash_vat: boolean): string {
  return doc_type === "RC" && cash_vat ? CASH_VAT_RECEIPT : DOCUMENT_TYPES[doc_type].at_type;
}
