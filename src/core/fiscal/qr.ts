/** The text of the QR code, fixed when a document is issued (Portaria 195/2020, 5–6; AT's specification of 2020). */

import { hashCharacters } from "./chain.ts";
import type { Day } from "./civil-time.ts";
import { countryCode } from "./countries.ts";
import { formatCents } from "./money.ts";
import { exportedTaxId } from "./tax-id.ts";
import type { TaxGroup } from "./totals.ts";
import { TAX_REGIONS } from "./vat-rates.ts";

/** The frozen facts of a document that make up its text. */
export interface QrFacts {
  readonly issuer_tax_id: string;
  /** Null for the final consumer. */
  readonly customer_tax_id: string | null;
  /** As given; null is Portugal. */
  readonly customer_country: string | null;
  /** The authority's code of the type: FT, RG, GD. */
  readonly at_type: string;
  readonly issue_date: Day;
  readonly number: string;
  readonly atcud: string | null;
  /** The groups of `totalsOf`; those without a region bear no tax and count in the total only. */
  readonly groups: readonly TaxGroup[];
  readonly total_tax_cents: number;
  readonly total_gross_cents: number;
  /** Null for documents that show no hash outside Lacre: receipts, and those of an uncertified program. */
  readonly hash: string | null;
  /** 0 for none. */
  readonly certificate_number: number;
}

/** The letters of the regions, in order of appearance: a lone island region takes the first. */
const LETTERS = ["I", "J", "K"];

/** The fields for the base and tax of each code within a region. OUT has none and counts in the totals only. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  ISE: ["2"],
  RED: ["3", "4"],
  INT: ["5", "6"],
  NOR: ["7", "8"],
};

/** The text: `KEY:value` fields joined by `*`; optional ones that come to zero are left out. */
export function qrText(facts: QrFacts): string {
  const { groups, hash } = facts;
  const notSubject = groups.filter(({ tax_code, net_cents }) => tax_code === "NS" && net_cents > 0);
  const fields: [string, string][] = [
    ["A", facts.issuer_tax_id],
    ["B", exportedTaxId(facts.customer_tax_id, facts.customer_country).replaceAll("*", "")],
    ["C", countryCode(facts.customer_country)],
    ["D", facts.at_type],
    ["E", "N"],
    ["F", facts.issue_date.replaceAll("-", "")],
    ["G", facts.number],
    ["H", facts.atcud ?? "0"],
    ...regionFields(groups),
    ...(notSubject.length > 0 ? [["L", sumOf(notSubject, "net_cents")] as [string, string]] : []),
    ["N", formatCents(facts.total_tax_cents)],
    ["O", formatCents(facts.total_gross_cents)],
    ["Q", hash === null ? "0" : hashCharacters(hash)],
    ["R", String(facts.certificate_number)],
  ];
  return fields.map(([key, value]) => `${key}:${value}`).join("*");
}

function regionFields(groups: readonly TaxGroup[]): [string, string][] {
  const regions = TAX_REGIONS.filter((region) => groups.some(({ tax_region }) => tax_region === region));
  if (regions.length === 0) return [["I1", "0"]];
  return regions.flatMap((region, i) => {
    const letter = LETTERS[i];
    const own = groups.filter(({ tax_region }) => tax_region === region);
    return [
      [`${letter}1`, region],
      ...Object.entries(FIELDS).flatMap(([code, [base, tax]]): [string, string][] => {
        const coded = own.filter(({ tax_code }) => tax_code === code);
        if (coded.every(({ net_cents, tax_cents }) => net_cents + tax_cents === 0)) return [];
        const baseField: [string, string] = [`${letter}${base}`, sumOf(coded, "net_cents")];
        return tax === undefined ? [baseField] : [baseField, [`${letter}${tax}`, sumOf(coded, "tax_cents")]];
      }),
    ];
  });
}

function sumOf(groups: readonly TaxGroup[], field: "net_cents" | "tax_cents"): string {
  return formatCents(groups.reduce((sum, group) => sum + group[field], 0));
}
