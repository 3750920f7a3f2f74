/**
 * What a printed document is made of: the frozen facts of one issued document, as they are stored. Nothing here is
 * computed for print, and nothing is read from anywhere else, so that a second print says what the first one said.
 */
import type { DocType } from "../fiscal/document-types.ts";

/** The two parties' address, each part null where it is not known. */
export interface PrintableAddress {
  /** May have line breaks. */
  readonly address: string | null;
  readonly postal_code: string | null;
  readonly city: string | null;
  /** ISO 3166 alpha-2, or free text as given. */
  readonly country: string | null;
}

/** Who issued the document. */
export interface PrintableIssuer extends PrintableAddress {
  readonly name: string;
  readonly tax_id: string;
  /** Whether it was in the cash-VAT scheme when it issued the document. */
  readonly cash_vat: boolean;
}

/** Whom the document is for. */
export interface PrintableCustomer extends PrintableAddress {
  /** The customer's code in the books of the issuer, `C17`. */
  readonly code: string;
  readonly name: string;
  /** Null and `999999990` are the final consumer. */
  readonly tax_id: string | null;
}

/** One line. Quantity and price in micros, percentages in basis points (23 % = 2300). */
export interface PrintableLine {
  readonly product_code: string | null;
  readonly product_name: string | null;
  /** May have line breaks. */
  readonly description: string;
  readonly qty_micros: number;
  readonly unit: string;
  readonly unit_price_micros: number;
  readonly discount_bps: number;
  readonly tax_rate_bps: number;
  /** PT, PT-AC, PT-MA; null on lines that are not taxed at all. */
  readonly tax_region: string | null;
  /** RED, INT, NOR, ISE, NS, OUT; null on lines that are not taxed at all. */
  readonly tax_code: string | null;
  /** A code of the exemption table, on lines without tax. */
  readonly exemption_code: string | null;
}

/** A document that this one is about. */
export interface PrintableReference {
  readonly number: string;
  readonly issue_date: string;
  /** How much of this document goes to it; null where it does not split. */
  readonly amount_cents: number | null;
  readonly reason: string | null;
}

/** What was paid with the document. */
export interface PrintablePayment {
  readonly amount_cents: number;
  /** A payment mechanism of SAF-T (PT): `NU`, `MB`, … */
  readonly method_code: string;
  readonly payment_date: string;
}

/** The journey of the goods. Times are Lisbon wall time, `YYYY-MM-DDThh:mm:ss`. */
export interface PrintableTransport {
  readonly start_at: string;
  readonly end_at: string | null;
  /** The places, which may have line breaks. */
  readonly from: string;
  readonly to: string;
  /** The number plate. */
  readonly vehicle: string | null;
}

/** The maker of the program, who stands in the issuer's place on training documents. */
export interface PrintableProducer {
  readonly name: string;
  readonly tax_id: string;
}

/** One issued document, ready to be printed. Dates are `YYYY-MM-DD`, amounts cents. */
export interface PrintableDocument {
  readonly doc_type: DocType;
  readonly number: string;
  /** `CODE-NUM`; null where the series has no validation code, and then none is printed. */
  readonly atcud: string | null;
  /** The text of the QR code, as fixed at issue. */
  readonly qr_code: string;
  readonly status: "issued" | "cancelled";
  /** An instant in UTC; null unless cancelled. */
  readonly cancelled_at: string | null;
  readonly cancel_reason: string | null;
  readonly issue_date: string;
  /** The signed entry time: Lisbon wall time, `YYYY-MM-DDThh:mm:ss`. */
  readonly system_entry_date: string;
  readonly due_date: string | null;
  /** The signature, base64; four characters of it are printed where there is a certificate. */
  readonly hash: string;
  /** The certificate the document was issued under; 0 for none. */
  readonly certificate_number: number;
  readonly issuer: PrintableIssuer;
  readonly customer: PrintableCustomer;
  readonly lines: readonly PrintableLine[];
  readonly global_discount_bps: number;
  readonly total_net_cents: number;
  readonly total_tax_cents: number;
  readonly total_gross_cents: number;
  readonly references: readonly PrintableReference[];
  readonly payments: readonly PrintablePayment[];
  readonly transport: PrintableTransport | null;
  /** The tax authority's code for the transport. */
  readonly at_doc_code: string | null;
  readonly notes: string | null;
  /** Of a training series. */
  readonly training: boolean;
  /** Printed on training documents only. */
  readonly producer: PrintableProducer;
  /** A PNG or JPEG that `isPrintablePicture` accepts. */
  readonly logo: Uint8Array | null;
  /** The company's own words at the foot of the last page; may have line breaks. */
  readonly footer_text: string | null;
}
