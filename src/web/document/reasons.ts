/** The company's most frequent reasons to charge no VAT, to be listed first. */
import { countryOfVatNumber } from "../../core/fiscal/tax-id.ts";
import { storedOf, type Writing } from "./writing.ts";

const keptAs = (company_id: string) => `lacre.reasons.${company_id}`;

/** How many reasons are remembered. */
const REMEMBERED = 4;

function remembered(company_id: string): readonly string[] {
  const kept = localStorage.getItem(keptAs(company_id));
  return kept ? kept.split(" ") : [];
}

/** Remembers the reasons of an issued document; the latest come first. */
export function rememberReasons({ company, lines }: Writing): void {
  const given = lines.value.flatMap(({ rate, exemption }) => (rate.value === 0 && exemption.value) || []);
  if (given.length === 0) return;
  const codes = [...new Set([...given, ...remembered(company.id)])].slice(0, REMEMBERED);
  localStorage.setItem(keptAs(company.id), codes.join(" "));
}

/** Goods and services for a business in another country of the Union; exported goods, and services to elsewhere. */
const IN_THE_UNION = ["M16", "M40"];
const BEYOND = ["M05", "M40"];

/** The reasons that fit a foreign customer, then those that the company uses. */
export function usualReasons({ company, customer }: Writing): readonly string[] {
  const { tax_id = null, country = null } = storedOf(customer.value) ?? {};
  const isAbroad = !["", "PT"].includes((country ?? "").trim().toUpperCase());
  const fitting = tax_id && countryOfVatNumber(tax_id) ? IN_THE_UNION : isAbroad ? BEYOND : [];
  const own = company.default_exemption_code ? [company.default_exemption_code] : [];
  return [...new Set([...fitting, ...remembered(company.id), ...own])];
}
