/** The Header of the tax file. */

import type { Row } from "../../database/tables.ts";
import { type Day, yearOf } from "../../fiscal/civil-time.ts";
import { countryCode, UNKNOWN_COUNTRY } from "../../fiscal/countries.ts";
import type { Certification } from "../../signing/certification.ts";
import { VERSION } from "../../version.ts";
import { address, content, element } from "./markup.ts";
import type { ExportPeriod } from "./period.ts";

/** The company, the period and the program that made the file. */
export function headerXml(
  company: Row<"companies">,
  { certificate_number, producer }: Certification,
  { from, to, training }: ExportPeriod,
  today: Day,
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
      // Unlike a customer's, the issuer's country is always known: its tax number is Portuguese.
      address("CompanyAddress", company, country === UNKNOWN_COUNTRY ? "PT" : country) +
      element("FiscalYear", yearOf(from)) +
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
