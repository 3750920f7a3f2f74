/** The customer, the issuer and the transport as an issued document stores them: JSON, parsed only here. */
import type { Row } from "../database/tables.ts";
import type { Certification } from "../signing/certification.ts";
import { CustomerSnapshot, type Issuer, type Transport } from "./document.ts";

/** The columns a draft leaves empty. */
export const NOT_ISSUED = {
  status: "draft",
  sequence: null,
  number: null,
  atcud: null,
  system_entry_date: null,
  issued_at: null,
  issued_by: null,
  hash: null,
  key_version: null,
  certificate_number: null,
  qr_code: null,
  customer: null,
  issuer: null,
  seal: null,
  at_doc_code: null,
  cancelled_at: null,
  cancelled_by: null,
  cancel_reason: null,
} as const;

/** The columns that are null on a draft and never null once it is issued. */
type FilledAtIssue = Exclude<keyof typeof NOT_ISSUED, "status" | "atcud" | "at_doc_code" | `cancel${string}`>;

/** The row of an issued document, cancelled since or not. */
export type IssuedRow = Row<"documents"> & { readonly status: "issued" | "cancelled" } & {
  readonly [Column in FilledAtIssue]: NonNullable<Row<"documents">[Column]>;
};

/** An issued document's row with its JSON parsed. */
export interface IssuedDocument extends Omit<IssuedRow, "customer" | "issuer" | "transport"> {
  readonly customer: CustomerSnapshot;
  readonly issuer: Issuer;
  /** Null on types whose goods do not travel. */
  readonly transport: Transport | null;
}

/** The row of a document that is known to be issued, cancelled since or not. A draft's row is a bug: throws. */
export function asIssued(row: Row<"documents">): IssuedDocument {
  if (row.status === "draft") throw new Error(`The document ${row.id} is a draft.`);
  const issued = row as IssuedRow;
  return {
    ...issued,
    customer: parseCustomer(issued.customer),
    issuer: parseIssuer(issued.issuer),
    transport: row.transport === null ? null : parseTransport(row.transport),
  };
}

/** The members of a customer, and the text before the value of each in the `customer` column. */
const MEMBERS = Object.keys(CustomerSnapshot.shape).map(
  (name, i) => [name, `${i === 0 ? "{" : ","}"${name}":`] as const,
);

/**
 * Parses the `customer` column: member by member, each null or a text without escapes; any other form by JSON.parse,
 * which is slower (docs/benchmarks.md, "Gains").
 */
export function parseCustomer(json: string): CustomerSnapshot {
  if (json.includes("\\")) return JSON.parse(json);
  const customer: Record<string, string | null> = {};
  let at = 0;
  for (const [name, before] of MEMBERS) {
    const start = at + before.length;
    if (json.slice(at, start) !== before) return JSON.parse(json);
    const isText = json[start] === '"';
    const end = isText ? json.indexOf('"', start + 1) + 1 : start + "null".length;
    customer[name] = isText ? json.slice(start + 1, end - 1) : null;
    at = end;
  }
  return at === json.length - 1 ? (customer as CustomerSnapshot) : JSON.parse(json);
}

/** Parses the `issuer` column. */
export const parseIssuer = (json: string): Issuer => JSON.parse(json);

/** Parses the `transport` column, which drafts have too. */
export const parseTransport = (json: string): Transport => JSON.parse(json);

/** The facts about a customer that a document freezes. */
export function customerSnapshot(row: Row<"customers">): CustomerSnapshot {
  const { id, code, name, tax_id, address, postal_code, city, country, email, phone } = row;
  return { id, code, name, tax_id, address, postal_code, city, country, email, phone };
}

/** The facts about the issuing company that a document freezes, and whether its series is of the cash-VAT scheme. */
export function issuerOf(
  row: Row<"companies">,
  { cash_vat }: Pick<Row<"series">, "cash_vat">,
  { producer }: Certification,
): Issuer {
  const { name, tax_id, address, postal_code, city, country, tax_region } = row;
  return { name, tax_id, address, postal_code, city, country, tax_region, cash_vat: cash_vat === 1, producer };
}
