/** The documents of the tax file, written element by element in the order of the schema. */
import type { Place, Transport } from "../../documents/document.ts";
import { entryTime } from "../../fiscal/civil-time.ts";
import { countryCode } from "../../fiscal/countries.ts";
import { DOCUMENT_TYPES } from "../../fiscal/document-types.ts";
import { exemptionOf } from "../../fiscal/exemptions.ts";
import { formatCents, sumOfCents } from "../../fiscal/money.ts";
import { type DocumentTable, type SaftTable, TABLES, UNKNOWN } from "../vocabulary.ts";
import { discountMicros, microsText, percentageText, unitPriceText } from "./amounts.ts";
import { type FiledLine, type GoodsLine, goodsLines, type LineTax, receiptLines } from "./lines.ts";
import { address, content, element, optional } from "./markup.ts";
import { type NamingLine, productDescription, taxKind } from "./master-files.ts";
import type { NamedDocument, WalkedDocument, WalkedRow } from "./reader.ts";

/** Where a document stands, as the first walk found it. */
export interface Standing {
  /** Normal, cancelled, billed. */
  readonly status: "N" | "A" | "F";
  /** When it came to stand there, as Lisbon wall time. */
  readonly since: string;
  readonly reason: string | null;
  /** The id of the actor who brought it there. */
  readonly by: string;
}

/** What the rest of the file knows of a document. */
export interface FileContext {
  standing(document: WalkedDocument): Standing;
  customerId(document: WalkedDocument): string;
  productCode(line: NamingLine): string;
  /** The SourceID of an actor. */
  sourceId(actor_id: string): string;
  isCashVat(document: WalkedDocument): boolean;
}

/** Writes one document, in pieces: however long it is, no piece is longer than one line with what it refers to. */
export type DocumentWriter = (document: WalkedDocument, context: FileContext) => Generator<string>;

/** How the documents of each table are written. */
export const WRITERS: Readonly<Record<SaftTable, DocumentWriter>> = {
  SalesInvoices: invoice,
  MovementOfGoods: stockMovement,
  WorkingDocuments: workDocument,
  Payments: payment,
};

function* invoice(document: WalkedDocument, context: FileContext): Generator<string> {
  const { row } = document;
  yield "\n<Invoice>" +
    heading(TABLES.SalesInvoices, document, context) +
    element(
      "SpecialRegimes",
      element("SelfBillingIndicator", 0) +
        element("CashVATSchemeIndicator", context.isCashVat(document) ? 1 : 0) +
        element("ThirdPartiesBillingIndicator", 0),
    ) +
    issuance(document, context);
  yield* goods(document, context);
  yield `${element("DocumentTotals", totals(row) + terms(row) + payments(document))}</Invoice>`;
}

function* stockMovement(document: WalkedDocument, context: FileContext): Generator<string> {
  const { row } = document;
  yield "\n<StockMovement>" +
    heading(TABLES.MovementOfGoods, document, context) +
    element("SystemEntryDate", row.system_entry_date) +
    element("CustomerID", context.customerId(document)) +
    element("SourceID", context.sourceId(row.issued_by)) +
    transport(row) +
    optional("ATDocCodeID", row.at_doc_code && content(row.at_doc_code, 200));
  yield* goods(document, context);
  yield `${element("DocumentTotals", totals(row))}</StockMovement>`;
}

function* workDocument(document: WalkedDocument, context: FileContext): Generator<string> {
  yield `\n<WorkDocument>${heading(TABLES.WorkingDocuments, document, context)}${issuance(document, context)}`;
  yield* goods(document, context);
  yield `${element("DocumentTotals", totals(document.row))}</WorkDocument>`;
}

function* payment(document: WalkedDocument, context: FileContext): Generator<string> {
  const { row, at_type } = document;
  const table = TABLES.Payments;
  yield "\n<Payment>" +
    element(table.number, row.number) +
    atcud(row) +
    period(row) +
    element(table.date, row.issue_date) +
    element(table.type, at_type) +
    status(table, document, context) +
    issuance(document, context);
  for (const [i, line] of receiptLines(document).entries()) {
    const origins = line.origins.length === 0 ? [unknownOrigin(row)] : line.origins;
    yield element("Line", element("LineNumber", i + 1) + origins.map(settled).join("") + amount(line) + tax(line.tax));
  }
  yield `${element("DocumentTotals", totals(row))}</Payment>`;
}

/** What invoices, guides and quotations begin with. */
function heading(table: DocumentTable, document: WalkedDocument, context: FileContext): string {
  const { row, at_type } = document;
  return (
    element(table.number, row.number) +
    atcud(row) +
    status(table, document, context) +
    signature(row) +
    period(row) +
    element(table.date, row.issue_date) +
    element(table.type, at_type)
  );
}

/** Who made it, when and for whom. */
function issuance(document: WalkedDocument, context: FileContext): string {
  const { row } = document;
  return (
    element("SourceID", context.sourceId(row.issued_by)) +
    element("SystemEntryDate", row.system_entry_date) +
    element("CustomerID", context.customerId(document))
  );
}

function atcud(row: WalkedRow): string {
  return element("ATCUD", row.atcud ?? 0);
}

/** Hash and HashControl, as the document was issued: `0` where the program was not certified (Portaria 302/2016). */
function signature({ certificate_number, hash, key_version }: WalkedRow): string {
  const isCertified = certificate_number > 0;
  return element("Hash", isCertified ? hash : 0) + element("HashControl", isCertified ? key_version : 0);
}

function period({ issue_date }: WalkedRow): string {
  return element("Period", Number(issue_date.slice(5, 7)));
}

function status(table: DocumentTable, document: WalkedDocument, context: FileContext): string {
  const { status, since, reason, by } = context.standing(document);
  return element(
    "DocumentStatus",
    element(table.status, status) +
      element(`${table.status}Date`, since) +
      optional("Reason", reason && content(reason, 50)) +
      element("SourceID", context.sourceId(by)) +
      element(table.source, "P"),
  );
}

/** The lines of an invoice, guide or quotation. */
function* goods(document: WalkedDocument, context: FileContext): Generator<string> {
  const { corrects, saft_table } = DOCUMENT_TYPES[document.row.doc_type];
  // Lines that name no document of their own share all those of the document: these are written once.
  const write = corrects ? corrected : followed;
  const shared = document.references.map(write).join("");
  for (const line of goodsLines(document)) {
    const origins = line.origins === document.references ? shared : line.origins.map(write).join("");
    yield goodsLine(document.row, line, {
      code: context.productCode(line.line),
      orders: corrects ? "" : origins,
      corrections: corrects ? origins : "",
      taxPoint: saft_table === "MovementOfGoods" ? "" : element("TaxPointDate", taxPointDate(document.row, line)),
    });
  }
}

/** What a line says that follows from more than itself. */
interface LineParts {
  readonly code: string;
  readonly orders: string;
  readonly corrections: string;
  readonly taxPoint: string;
}

function goodsLine(row: WalkedRow, filed: GoodsLine, { code, orders, corrections, taxPoint }: LineParts): string {
  const { line } = filed;
  const discount = discountMicros(line, row.global_discount_bps);
  return element(
    "Line",
    element("LineNumber", line.line_number) +
      orders +
      element("ProductCode", code) +
      element("ProductDescription", productDescription(line)) +
      element("Quantity", microsText(line.qty_micros)) +
      element("UnitOfMeasure", content(line.unit, 20)) +
      element("UnitPrice", unitPriceText(line, row.global_discount_bps)) +
      taxPoint +
      corrections +
      element("Description", content(line.description, 200)) +
      amount(filed) +
      tax(filed.tax) +
      (discount === 0n ? "" : element("SettlementAmount", microsText(discount))),
  );
}

function amount({ side, amount_micros }: FiledLine): string {
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

/** When the tax fell due: as the goods left, by the oldest guide the line comes from, else as the document says. */
function taxPointDate({ issue_date }: WalkedRow, { origins }: GoodsLine): string {
  const guides = origins.filter(({ doc_type }) => DOCUMENT_TYPES[doc_type].saft_table === "MovementOfGoods");
  return guides.reduce((oldest, guide) => (guide.issue_date < oldest ? guide.issue_date : oldest), issue_date);
}

function corrected({ number, reason }: NamedDocument): string {
  return element("References", element("Reference", number) + element("Reason", content(reason, 50)));
}

function followed({ number, issue_date }: NamedDocument): string {
  return element("OrderReferences", element("OriginatingON", number) + element("OrderDate", issue_date));
}

function settled({ number, issue_date }: Pick<NamedDocument, "number" | "issue_date">): string {
  return element("SourceDocumentID", element("OriginatingON", number) + element("InvoiceDate", issue_date));
}

/** What stands for the document a receipt does not name. */
function unknownOrigin({ issue_date }: WalkedRow): Pick<NamedDocument, "number" | "issue_date"> {
  return { number: UNKNOWN, issue_date };
}

/** ShipTo, ShipFrom and when the goods travel. The vehicle stands where the authority's own example has it. */
function transport({ transport }: WalkedRow): string {
  if (transport === null) return "";
  const { from, to, start_at, end_at, vehicle } = JSON.parse(transport) as Transport;
  return (
    optional("ShipTo", to && placeXml(to)) +
    (from === null && vehicle === null
      ? ""
      : element(
          "ShipFrom",
          optional("DeliveryID", vehicle && content(vehicle, 255)) + (from === null ? "" : placeXml(from)),
        )) +
    optional("MovementEndTime", end_at && entryTime(new Date(end_at))) +
    optional("MovementStartTime", start_at && entryTime(new Date(start_at)))
  );
}

function placeXml(place: Place): string {
  return address("Address", place, countryCode(place.country ?? null));
}

/** Net, tax and gross as they were signed. */
function totals(row: WalkedRow): string {
  return (
    element("TaxPayable", formatCents(row.total_tax_cents)) +
    element("NetTotal", formatCents(row.total_net_cents)) +
    element("GrossTotal", formatCents(row.total_gross_cents))
  );
}

/** When a sale on credit is to be paid; written as the authority's own example does. */
function terms({ due_date, issue_date }: WalkedRow): string {
  return due_date === null || due_date === issue_date ? "" : element("Settlement", element("PaymentTerms", due_date));
}

/** What was paid on the spot; what that leaves of a document that is paid by nature has no known means. */
function payments({ row, payments }: WalkedDocument): string {
  const paid = sumOfCents(payments);
  const rest = DOCUMENT_TYPES[row.doc_type].paid_by_nature ? row.total_gross_cents - paid : 0;
  return (
    payments
      .map(({ method_code, amount_cents, payment_date }) => paymentXml(amount_cents, payment_date, method_code))
      .join("") + (rest > 0 ? paymentXml(rest, row.issue_date, null) : "")
  );
}

function paymentXml(amount_cents: number, date: string, method_code: string | null): string {
  return element(
    "Payment",
    optional("PaymentMechanism", method_code) +
      element("PaymentAmount", formatCents(amount_cents)) +
      element("PaymentDate", date),
  );
}
