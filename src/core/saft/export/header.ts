/** What stands before what it is about: the header of the file, and the control totals of each table. */
import type { Row } from "../../database/tables.ts";
import { countryCode, UNKNOWN_COUNTRY } from "../../fiscal/countries.ts";
import type { Certification } from "../../signing/certification.ts";
import { VERSION } from "../../version.ts";
import type { SaftTable } from "../vocabulary.ts";
import { isInCodePage } from "../windows-1252.ts";
import { microsText } from "./amounts.ts";
import type { TableTotals } from "./first-pass.ts";
import { address, content, element } from "./markup.ts";
import type { Asked, Warnings } from "./report.ts";

/** The Header: whose file it is, of which days, made by which program. */
export function headerXml(
  company: Row<"companies">,
  { certificate_number, producer }: Certification,
  { from, to, training }: Asked,
  today: string,
): string {
  const country = countryCode(company.country);
  const maker = producer ?? company;
  return element(
    "Header",
    element("AuditFileVersion", "1.04_01") +
      element("CompanyID", company.tax_id) +
      element("TaxRegistrationNumber", company.tax_id) +
      element("TaxAccountingBasis", "F") +
      element("CompanyName", content(company.name, 100)) +
      // Unlike a customer's, the issuer's country is never unknown: it has a Portuguese tax number.
      address("CompanyAddress", company, country === UNKNOWN_COUNTRY ? "PT" : country) +
      element("FiscalYear", from.slice(0, 4)) +
      element("StartDate", from) +
      element("EndDate", to) +
      element("CurrencyCode", "EUR") +
      element("DateCreated", today) +
      element("TaxEntity", "Global") +
      element("ProductCompanyTaxID", content(maker.tax_id, 30)) +
      element("SoftwareCertificateNumber", certificate_number) +
      element("ProductID", `Lacre/${content(maker.name.replaceAll("/", " "), 240)}`) +
      element("ProductVersion", VERSION) +
      (training ? element("HeaderComment", "Documentos emitidos para fins de Formação") : ""),
  );
}

/** Warns of what the header writes in other letters. */
export function warnOfCompany({ name, address, city, postal_code }: Row<"companies">, { warn }: Warnings): void {
  const replaced = [name, address, city, postal_code].filter((text) => text !== null && !isInCodePage(text)).length;
  if (replaced > 0) warn("text_replaced", "Header", replaced);
}

/** The control totals of each table. */
export const CONTROL_TOTALS: Readonly<Record<SaftTable, (totals: TableTotals) => string>> = {
  SalesInvoices: entriesAndTotals,
  MovementOfGoods: ({ lines, quantity_micros }) =>
    element("NumberOfMovementLines", lines) + element("TotalQuantityIssued", microsText(quantity_micros)),
  WorkingDocuments: entriesAndTotals,
  Payments: entriesAndTotals,
};

function entriesAndTotals({ documents, debit_micros, credit_micros }: TableTotals): string {
  return (
    element("NumberOfEntries", documents) +
    element("TotalDebit", microsText(debit_micros)) +
    element("TotalCredit", microsText(credit_micros))
  );
}
