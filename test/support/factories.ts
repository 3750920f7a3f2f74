/** Resources to test with. Each takes its instance and the fields that matter; the rest has ordinary values. */
import type { DocType, NewDocument, NewDocumentLine } from "lacre";
import type { Document } from "../../src/core/documents/document.ts";
import type { Payment } from "../../src/core/documents/payments.ts";
import type { Customer } from "../../src/core/records/customers.ts";
import type { Product } from "../../src/core/records/products.ts";
import type { Series } from "../../src/core/series/series.ts";
import { TODAY } from "./drivers.ts";
import type { Home } from "./instance.ts";

/** A line of 100.00 EUR at 23 %: 123.00 gross. */
export function aLine(fields: Partial<NewDocumentLine> = {}): NewDocumentLine {
  return { description: "Pão de Mafra", qty: 1, unit_price_net: 100, tax_rate: 23, ...fields };
}

/** A line without tax, so that gross is `amount` to the cent. */
export function aLineOf(amount: number): NewDocumentLine {
  return aLine({ unit_price_net: amount, tax_rate: 0 });
}

/** What a change answered, as every read answers it. */
export function asRead<Answer extends { readonly notices: unknown }>({ notices: _, ...read }: Answer) {
  return read;
}

export async function aCustomer(
  { company }: Pick<Home, "company">,
  fields: Record<string, unknown> = {},
): Promise<Customer> {
  return asRead(await company.customers.create({ name: "Ana Conceição", ...fields }));
}

export async function aProduct(
  { company }: Pick<Home, "company">,
  fields: Record<string, unknown> = {},
): Promise<Product> {
  return asRead(await company.products.create({ name: "Pão de Mafra", unit_price_net: 1.15, tax_rate: 6, ...fields }));
}

export function aSeries(
  { company }: Pick<Home, "company">,
  fields: { doc_type?: DocType; code?: string } = {},
): Promise<Series> {
  return company.series.create({ doc_type: "FT", code: "LOJA", ...fields });
}

/** What a document names by its id and its day. */
interface ById {
  readonly series_id: string;
  readonly issue_date: string;
  readonly customer_id: string;
}

/** The input of an FT of 123.00 EUR to a new customer, with these fields changed. */
export async function invoiceInput(home: Home, fields: Partial<NewDocument> = {}): Promise<NewDocument & ById> {
  const { doc_type = "FT" } = fields;
  return {
    doc_type,
    series_id: home.series[doc_type],
    issue_date: TODAY,
    customer_id: fields.customer_id ?? (await aCustomer(home)).id,
    lines: [aLine()],
    ...fields,
  } as NewDocument & ById;
}

export async function aDraft(home: Home, fields: Partial<NewDocument> = {}): Promise<Document> {
  return asRead(await home.company.documents.create(await invoiceInput(home, fields)));
}

/** A document that is issued when it is created. */
export async function anInvoice(home: Home, fields: Partial<NewDocument> = {}): Promise<Document> {
  return aDraft(home, { issue: true, ...fields });
}

/** An issued credit note over the whole of a document. */
export function aCreditNote(home: Home, { id, customer_id }: Document, fields: Partial<NewDocument> = {}) {
  return anInvoice(home, { doc_type: "NC", customer_id, references: [{ document_id: id }], ...fields });
}

export function aPayment(
  { company }: Pick<Home, "company">,
  { id }: Pick<Document, "id">,
  amount: number,
): Promise<Payment> {
  return company.payments.record({ id, amount, method_code: "TB", payment_date: TODAY });
}
