/** The documents of the tax file, written element by element in the order of the schema. */
import type { Place } from "../../documents/document.ts";
import type { IssuedRow } from "../../documents/frozen.ts";
import { parseTransport } from "../../documents/frozen.ts";
import { type Day, entryTime } from "../../fiscal/civil-time.ts";
import { countryCode } from "../../fiscal/countries.ts";
import { DOCUMENT_TYPES } from "../../fiscal/document-types.ts";
import { exemptionOf } from "../../fiscal/exemptions.ts";
import { formatCents, sumOfCents } from "../../fiscal/money.ts";
import { type DocumentTable, type SaftTable, TABLES, UNKNOWN } from "../vocabulary.ts";
import { discountMicros, microsText, percentageText, unitPriceText } from "./amounts.ts";
import { type ExportedLine, type GoodsLine, goodsLines, type LineTax, receiptLines } from "./lines.ts";
import { address, content, element, optional } from "./markup.ts";
import { productDescription } from "./product-entries.ts";
import type { DocumentStatus } from "./status.ts";
import { taxKind } from "./tax-entries.ts";
import type { ExportedDocument, ProductLine, ReferencedDocument } from "./types.ts";

/** Data a document needs from the rest of the file. */
export interface FileContext {
  statusOf(document: ExportedDocument): DocumentStatus;
  customerId(document: ExportedDocument): string;
  productCode(line: ProductLine): string;
  /** The SourceID of an actor. */
  sourceId(actor_id: string): string;
  wasCashVat(document: ExportedDocument): boolean;
}

/** Writes one document in pieces, none longer than one line with its references. */
export type DocumentWriter = (document: ExportedDocument, context: FileContext) => Generator<string>;

/** The writer of each table. */
export const WRITERS: Readonly<Record<SaftTable, DocumentWriter>> = {
  SalesInvoices: invoice,
  MovementOfGoods: stockMovement,
  WorkingDocuments: workDocument,
  Payments: payment,
};

function* invoice(document: ExportedDocument, context: FileContext): Generator<string> {
  const { row } = document;
  yield "\n<Invoice>" +
    heading(TABLES.SalesInvoices, document, context) +
    element(
      "SpecialRegimes",
      element("SelfBillingIndicator", 0) +
        element("CashVATSchemeIndicator", context.wasCashVat(document) ? 1 : 0) +
        element("ThirdPartiesBillingIndicator", 0),
    ) +
    issuance(document, context) +
    transport(row);
  yield* goods(document, context);
  yield `${element("DocumentTotals", totals(row) + terms(row) + payments(document))}</Invoice>`;
}

function* stockMovement(document: ExportedDocument, context: FileContext): Generator<string> {
  const { row } = document;
  yield "\n<StockMovement>" +
    heading(TABLES.MovementOfGoods, document, context) +
    element("SystemEntryDate", row.system_entry_date) +
    element("CustomerID", context.customerId(document)) +
    element("SourceID", context.sourceId(row.issued_by)) +
    optional("MovementComments", row.notes && content(row.notes, 60)) +
    transport(row) +
    optional("ATDocCodeID", row.at_doc_code && content(row.at_doc_code, 200));
  yield* goods(document, context);
  yield `${element("DocumentTotals", totals(row))}</StockMovement>`;
}

function* workDocument(document: ExportedDocument, context: FileContext): Generator<string> {
  yield `\n<WorkDocument>${heading(TABLES.WorkingDocuments, document, context)}${issuance(document, context)}`;
  yield* goods(document, context);
  yield `${element("DocumentTotals", totals(document.row))}</WorkDocument>`;
}

function* payment(document: ExportedDocument, context: FileContext): Generator<string> {
  const { row } = document;
  const table = TABLES.Payments;
  yield "\n<Payment>" +
    numbers(table, row) +
    dateAndType(table, document) +
    optional("Description", row.notes && content(row.notes, 200)) +
    status(table, document, context) +
    (document.payments.length === 0 ? "" : means("PaymentMethod", document, row.total_gross_cents)) +
    issuance(document, context);
  for (const [i, line] of receiptLines(document).entries()) {
    // The schema requires a document here; it is unknown where there is no reference.
    const references: readonly Settled[] =
      line.references.length === 0 ? [{ number: UNKNOWN, issue_date: row.issue_date }] : line.references;
    yield element(
      "Line",
      element("LineNumber", i + 1) + references.map(settled).join("") + amount(line) + tax(line.tax),
    );
  }
  yield `${element("DocumentTotals", totals(row))}</Payment>`;
}

/** The beginning of invoices, guides and quotations. */
function heading(table: DocumentTable, document: ExportedDocument, context: FileContext): string {
  const { row } = document;
  return numbers(table, row) + status(table, document, context) + signature(row) + dateAndType(table, document);
}

function numbers(table: DocumentTable, { number, atcud }: IssuedRow): string {
  return element(table.number, number) + element("ATCUD", atcud ?? 0);
}

function dateAndType(table: DocumentTable, { row, at_type }: ExportedDocument): string {
  const month = Number(row.issue_date.slice(5, 7));
  return element("Period", month) + element(table.date, row.issue_date) + element(table.type, at_type);
}

/** Who issued it, when and for whom. */
function issuance(document: ExportedDocument, context: FileContext): string {
  const { row } = document;
  return (
    element("SourceID", context.sourceId(row.issued_by)) +
    element("SystemEntryDate", row.system_entry_date) +
    element("CustomerID", context.customerId(document))
  );
}

/** Hash and HashControl, as the document was issued: `0` where the program was not certified (Portaria 302/2016). */
function signature({ certificate_number, hash, key_version }: IssuedRow): string {
  const isCertified = certificate_number > 0;
  return element("Hash", isCertified ? hash : 0) + element("HashControl", isCertified ? key_version : 0);
}

function status(table: DocumentTable, document: ExportedDocument, context: FileContext): string {
  const { code, since, reason, by } = context.statusOf(document);
  return element(
    "DocumentStatus",
    element(table.status, code) +
      element(`${table.status}Date`, since) +
      optional("Reason", reason && content(reason, 50)) +
      element("SourceID", context.sourceId(by)) +
      element(table.source, "P"),
  );
}

/** The lines of an invoice, guide or quotation. */
function* goods(document: ExportedDocument, context: FileContext): Generator<string> {
  const { row } = document;
  const { corrects, saft_table } = DOCUMENT_TYPES[row.doc_type];
  // Lines without a reference of their own share all those of the document, whose markup is made once.
  const write = corrects ? corrected : followed;
  const shared = document.references.map(write).join("");
  for (const exported of goodsLines(document)) {
    const { line } = exported;
    const references = exported.references === document.references ? shared : exported.references.map(write).join("");
    const discount = discountMicros(line, row.global_discount_bps);
    yield element(
      "Line",
      element("LineNumber", line.line_number) +
        (corrects ? "" : references) +
        element("ProductCode", context.productCode(line)) +
        element("ProductDescription", productDescription(line)) +
        element("Quantity", microsText(line.qty_micros)) +
        element("UnitOfMeasure", content(line.unit, 20)) +
        element("UnitPrice", unitPriceText(line, row.global_discount_bps)) +
        (saft_table === "MovementOfGoods" ? "" : element("TaxPointDate", taxPointDate(row, exported))) +
        (corrects ? references : "") +
        element("Description", content(line.description, 200)) +
        amount(exported) +
        tax(exported.tax) +
        (discount === 0n ? "" : element("SettlementAmount", microsText(discount))),
    );
  }
}

function amount({ side, amount_micros }: ExportedLine): string {
  return element(side === "debit" ? "DebitAmount" : "CreditAmount", microsText(amount_micros));
}

function tax(tax: LineTax | null): string {
  if (tax === null) return "";
  const exemption = tax.exemption_code === null ? undefined : exemptionOf(tax.exemption_code);
  return (
    element("Tax", taxKind(tax) + element("TaxPercentage", percentageText(tax.tax_rate_bps))) +
    (exemption
      ? element("TaxExemptionReason", content(exemption.mention, 60)) + element("TaxExemptionCode", exemption.code)
      : "")
  );
}

/**
 * The date of supply: that of the line or its document, else the day of the oldest guide it references, else that of
 * issue.
 */
function taxPointDate({ issue_date, supply_date }: IssuedRow, { line, references }: GoodsLine): string {
  const given = line.supply_date ?? supply_date;
  if (given !== null) return given;
  const guides = references.filter(({ doc_type }) => DOCUMENT_TYPES[doc_type].saft_table === "MovementOfGoods");
  return guides.reduce((oldest, guide) => (guide.issue_date < oldest ? guide.issue_date : oldest), issue_date);
}

function corrected({ number, reason }: ReferencedDocument): string {
  return element("References", element("Reference", number) + element("Reason", content(reason, 50)));
}

function followed({ number, issue_date }: ReferencedDocument): string {
  return element("OrderReferences", element("OriginatingON", number) + element("OrderDate", issue_date));
}

type Settled = Pick<ReferencedDocument, "number" | "issue_date">;

function settled({ number, issue_date }: Settled): string {
  return element("SourceDocumentID", element("OriginatingON", number) + element("InvoiceDate", issue_date));
}

/** ShipTo, ShipFrom and when the goods travel. The vehicle is the DeliveryID, as in the tax authority's own example. */
function transport({ transport }: IssuedRow): string {
  if (transport === null) return "";
  const { from, to, start_at, end_at, vehicle } = parseTransport(transport);
  return (
    optional("ShipTo", to && placeXml(to)) +
    (from === null && vehicle === null
      ? ""
      : element(
          "ShipFrom",
          optional("DeliveryID", vehicle && content(vehicle, 255)) + (from === null ? "" : placeXml(from)),
        )) +
    optional("MovementEndTime", end_at && entryTime(end_at)) +
    optional("MovementStartTime", start_at && entryTime(start_at))
  );
}

function placeXml(place: Place): string {
  return address("Address", place, countryCode(place.country ?? null));
}

/** Tax, net and gross as they were signed. */
function totals(row: IssuedRow): string {
  return (
    element("TaxPayable", formatCents(row.total_tax_cents)) +
    element("NetTotal", formatCents(row.total_net_cents)) +
    element("GrossTotal", formatCents(row.total_gross_cents))
  );
}

/** When a sale on credit is due; written as in the tax authority's own example. */
function terms({ due_date, issue_date }: IssuedRow): string {
  return due_date === null || due_date === issue_date ? "" : element("Settlement", element("PaymentTerms", due_date));
}

/** The payments made at issue. An FR is always paid: the rest was paid by unknown means. */
function payments(document: ExportedDocument): string {
  const { row } = document;
  return means("Payment", document, DOCUMENT_TYPES[row.doc_type].paid_by_nature ? row.total_gross_cents : 0);
}

/** The payments frozen with a document, and the rest of `due_cents`, which was paid by unknown means. */
function means(name: "Payment" | "PaymentMethod", { row, payments }: ExportedDocument, due_cents: number): string {
  const rest = due_cents - sumOfCents(payments);
  const paid = payments.map(({ method_code, amount_cents, payment_date }) =>
    meansXml(name, amount_cents, payment_date, method_code),
  );
  return paid.join("") + (rest > 0 ? meansXml(name, rest, row.issue_date, null) : "");
}

function meansXml(name: string, amount_cents: number, date: Day, method_code: string | null): string {
  return element(
    name,
    optional("PaymentMechanism", method_code) +
      element("PaymentAmount", formatCents(amount_cents)) +
      element("PaymentDate", date),
  );
}
