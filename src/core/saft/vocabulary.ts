/** The names in SAF-T (PT) 1.04_01 that export, check and import share, and those of each of its four tables. */
import type { DocumentType } from "../fiscal/document-types.ts";

/** The namespace of the only version there is today (Portaria 302/2016 as last amended). */
export const NAMESPACE = "urn:OECD:StandardAuditFile-Tax:PT_1.04_01";

/** The value of a required text that is unknown. */
export const UNKNOWN = "Desconhecido";

/** The name of a table. */
export type SaftTable = DocumentType["saft_table"];

/** The names of a table's elements. */
export interface DocumentTable {
  readonly document: string;
  readonly number: string;
  readonly date: string;
  readonly type: string;
  readonly status: string;
  readonly source: string;
  /** The statuses whose lines are not in the control totals of the table (Portaria 302/2016, 4.1 to 4.4). */
  readonly excluded: readonly string[];
}

/** The tables in the order of the file. */
export const TABLES: Readonly<Record<SaftTable, DocumentTable>> = {
  SalesInvoices: {
    document: "Invoice",
    number: "InvoiceNo",
    date: "InvoiceDate",
    type: "InvoiceType",
    status: "InvoiceStatus",
    source: "SourceBilling",
    excluded: ["A", "F"],
  },
  MovementOfGoods: {
    document: "StockMovement",
    number: "DocumentNumber",
    date: "MovementDate",
    type: "MovementType",
    status: "MovementStatus",
    source: "SourceBilling",
    excluded: ["A"],
  },
  WorkingDocuments: {
    document: "WorkDocument",
    number: "DocumentNumber",
    date: "WorkDate",
    type: "WorkType",
    status: "WorkStatus",
    source: "SourceBilling",
    excluded: ["A"],
  },
  Payments: {
    document: "Payment",
    number: "PaymentRefNo",
    date: "TransactionDate",
    type: "PaymentType",
    status: "PaymentStatus",
    source: "SourcePayment",
    excluded: ["A"],
  },
};

/** The names of the tables in the order of the file. */
export const TABLE_NAMES = Object.keys(TABLES) as readonly SaftTable[];

const BY_NAME: ReadonlyMap<string, DocumentTable> = new Map(Object.entries(TABLES));

/** The table of this name; undefined for any other element. */
export function tableOf(name: string | undefined): DocumentTable | undefined {
  return BY_NAME.get(name ?? "");
}
