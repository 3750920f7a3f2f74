/**
 * The content of a printed document: the frozen facts of one issued document, as stored. Printing reads nothing else,
 * so that a second print shows the same facts as the first, except the cash and change of a single print.
 */
import type { Day, EntryTime, Instant } from "../fiscal/civil-time.ts";
import type { DocType } from "../fiscal/document-types.ts";
import type { PaymentCode, PaymentKind } from "../fiscal/payment-means.ts";

/** The address of issuer or customer; unknown parts are null. */
export interface PrintableAddress {
  /** May contain line breaks. */
  readonly address: string | null;
  readonly postal_code: string | null;
  readonly city: string | null;
  /** ISO 3166 alpha-2, or free text as given. */
  readonly country: string | null;
}

/** The issuer, as frozen at issue. */
export interface PrintableIssuer extends PrintableAddress {
  readonly name: string;
  readonly tax_id: string;
  /** Whether the issuer was in the cash-VAT scheme at issue. */
  readonly cash_vat: boolean;
}

/** The customer, as frozen at issue. */
export interface PrintableCustomer extends PrintableAddress {
  /** The customer's code with the issuer: `C17`. */
  readonly code: string;
  readonly name: string;
  /** Null or `999999990` for the final consumer. */
  readonly tax_id: string | null;
}

/** One line. Quantity and price are in micros, percentages in basis points (23 % = 2300). */
export interface PrintableLine {
  readonly product_code: string | null;
  readonly product_name: string | null;
  /** May contain line breaks. */
  readonly description: string;
  readonly qty_micros: number;
  readonly unit: string;
  readonly unit_price_micros: number;
  /** The price with VAT, if it was sent with VAT. */
  readonly unit_price_gross_micros: number | null;
  readonly discount_bps: number;
  /** A discount of an amount in its place, with VAT if the price was sent with VAT. */
  readonly discount_cents: number | null;
  /** Its share of the document's discount of an amount. */
  readonly global_discount_micros: number | null;
  readonly tax_rate_bps: number;
  /** PT, PT-AC, PT-MA; null on lines outside VAT. */
  readonly tax_region: string | null;
  /** RED, INT, NOR, ISE, NS, OUT; null on lines outside VAT. */
  readonly tax_code: string | null;
  /** The exemption reason (`M07`) of a line without tax. */
  readonly exemption_code: string | null;
  /** When the line was supplied; null for the document's date. */
  readonly supply_date: Day | null;
}

/** A document that this one refers to. */
export interface PrintableReference {
  readonly number: string;
  readonly issue_date: Day | null;
  /** The part of this document that applies to it; null unless amounts are split. */
  readonly amount_cents: number | null;
  readonly reason: string | null;
}

/** A payment made with the document. */
export interface PrintablePayment {
  readonly amount_cents: number;
  /** The payment mechanism of SAF-T (PT): `NU`, `MB`, … */
  readonly method_code: string;
  readonly payment_date: Day;
}

/** The transport of the goods. Times are Lisbon wall time, `YYYY-MM-DDThh:mm:ss`. */
export interface PrintableTransport {
  readonly start_at: EntryTime;
  readonly end_at: EntryTime | null;
  /** Place of loading. */
  readonly from: PrintableAddress;
  /** Place of unloading. */
  readonly to: PrintableAddress;
  /** The number plate. */
  readonly vehicle: string | null;
}

/** One issued document, ready to print. Dates are `YYYY-MM-DD`, amounts are cents. */
export interface PrintableDocument {
  readonly doc_type: DocType;
  readonly number: string;
  /** `CODE-NUM`; null, and not printed, if the series has no validation code. */
  readonly atcud: string | null;
  /** The text of the QR code, frozen at issue. */
  readonly qr_code: string;
  readonly status: "issued" | "cancelled";
  /** Null unless cancelled. */
  readonly cancelled_at: Instant | null;
  readonly cancel_reason: string | null;
  readonly issue_date: Day;
  /** The entry time as it was signed. */
  readonly system_entry_date: EntryTime;
  readonly issued_at: Instant;
  /** The code of the actor who issued it: `U2`. */
  readonly issued_by: string;
  readonly due_date: Day | null;
  /** The last day on which a quotation holds. */
  readonly valid_until: Day | null;
  /** When it was supplied, where that is not the day of issue. */
  readonly supply_date: Day | null;
  /** The signature in base64; four of its characters are printed where there is a certificate. */
  readonly hash: string;
  /** The certificate the program had at issue; 0 for none. */
  readonly certificate_number: number;
  readonly issuer: PrintableIssuer;
  readonly customer: PrintableCustomer;
  readonly lines: readonly PrintableLine[];
  readonly global_discount_bps: number;
  /** A discount of an amount in its place, with VAT if the prices were sent with VAT. */
  readonly global_discount_cents: number | null;
  readonly total_net_cents: number;
  readonly total_tax_cents: number;
  readonly total_gross_cents: number;
  readonly references: readonly PrintableReference[];
  readonly payments: readonly PrintablePayment[];
  readonly transport: PrintableTransport | null;
  /** The tax authority's code for the transport. */
  readonly at_doc_code: string | null;
  readonly notes: string | null;
  /** Whether its series is for training. */
  readonly training: boolean;
  /** The producer of the program, printed instead of the issuer on training documents. */
  readonly producer: { readonly name: string; readonly tax_id: string };
  /** A PNG or JPEG that `isPrintablePicture` accepts. */
  readonly logo: Uint8Array | null;
  /** The company's own text at the foot of the last page; may contain line breaks. */
  readonly footer_text: string | null;
}

/** What a paper says that tells of today: who it is from, and when it was drawn. */
export interface PrintedNow {
  readonly company: PrintableAddress & {
    readonly name: string;
    readonly tax_id: string;
    readonly logo: Uint8Array | null;
  };
  readonly printed_at: Instant;
}

/** A row of a statement: a document, or money on one. Amounts are EUR. */
export interface PrintableMove {
  readonly date: Day;
  readonly kind: "document" | PaymentKind;
  readonly document_number: string;
  readonly doc_type: DocType;
  readonly due_date: Day | null;
  readonly method_code: PaymentCode | null;
  readonly amount: number;
  readonly debit: number;
  readonly credit: number;
  readonly balance: number;
}

/** A customer's statement, ready to print. Amounts are EUR. */
export interface PrintableStatement extends PrintedNow {
  readonly customer: PrintableCustomer;
  readonly from: Day;
  readonly to: Day;
  readonly opening_balance: number;
  readonly rows: readonly PrintableMove[];
  readonly closing_balance: number;
  readonly unallocated: number;
  readonly in_favour: number;
  /** What is open at `to`, by days after it was due. */
  readonly ages: Readonly<Record<"not_due" | "days_1_30" | "days_31_60" | "days_61_90" | "over_90", number>>;
}

/** Money that was received and given back. Amounts are EUR. */
export interface PrintableSums {
  readonly received: number;
  readonly refunded: number;
  readonly total: number;
  readonly payments: number;
  readonly refunds: number;
}

/** Such money by means; null for what nobody stated the means of. */
export type PrintableMeans = readonly (PrintableSums & { readonly method_code: PaymentCode | null })[];

/** The takings of a day, ready to print. */
export interface PrintableTakings extends PrintedNow, PrintableSums {
  readonly date: Day;
  readonly means: PrintableMeans;
  readonly actors: readonly (PrintableSums & {
    readonly actor: { readonly code: string; readonly name: string };
    readonly means: PrintableMeans;
  })[];
}
