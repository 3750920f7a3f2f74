/**
 * The tax authority's table of exemption reasons, version 4.0 of 2026-06-18, which no longer has M03 and M08. The table
 * does not bind a code to `ISE` or `NS`: that is convention.
 */

import type { Day } from "./civil-time.ts";
import { type Demand, meets, type TaxIdentity } from "./tax-id.ts";

/** One exemption reason. */
export interface Exemption {
  /** `M` and two digits. */
  readonly code: string;
  /** The official text, printed with the line. M15's has 61 characters, one more than SAF-T (PT) takes. */
  readonly mention: string;
  /** The first day it may be used. 2022-07-01 is the first day of the table, not of the exemption. */
  readonly valid_from: string;
  /** The last day it may be used; null while it is in force. */
  readonly valid_to: string | null;
  /** The tax code of such a line: `ISE` exempt, `NS` not subject to tax. */
  readonly tax_code: "ISE" | "NS";
  /** What the law of the reason demands of the customer; null if tax number and country cannot show it. */
  readonly demands: Demand | null;
  /**
   * Whether strict mode refuses a customer who does not meet it. M05 only gives a warning: CIVA, article 14, also
   * exempts supplies at home, to ships, diplomats and the carriage of exports.
   */
  readonly demands_strictly: boolean;
}

/** The first day of the table itself: its first reasons were in force before. */
const FIRST_DAY = "2022-07-01";

/** The defaults of most reasons. */
const USUAL = {
  valid_from: FIRST_DAY,
  valid_to: null,
  tax_code: "ISE",
  demands: null,
  demands_strictly: true,
} as const;

/** Reverse charge within Portugal: the customer owes the tax, and so is a taxable person here. */
const REVERSED = { ...USUAL, mention: "IVA – autoliquidação", demands: "portuguese_number" } as const;

/** The whole table, in order of code. */
export const EXEMPTIONS: readonly Exemption[] = [
  { ...USUAL, code: "M01", mention: "Artigo 16.º, n.º 6 do CIVA" },
  { ...USUAL, code: "M02", mention: "Artigo 6.º do Decreto-Lei n.º 198/90, de 19 de junho" },
  { ...USUAL, code: "M04", mention: "Isento artigo 13.º do CIVA" },
  {
    ...USUAL,
    code: "M05",
    mention: "Isento artigo 14.º do CIVA",
    demands: "outside_union",
    demands_strictly: false,
  },
  { ...USUAL, code: "M06", mention: "Isento artigo 15.º do CIVA" },
  { ...USUAL, code: "M07", mention: "Isento artigo 9.º do CIVA" },
  { ...USUAL, code: "M09", mention: "IVA – não confere direito a dedução" },
  { ...USUAL, code: "M10", mention: "IVA – regime de isenção" },
  { ...USUAL, code: "M11", mention: "Regime particular do tabaco" },
  { ...USUAL, code: "M12", mention: "Regime da margem de lucro – Agências de viagens" },
  { ...USUAL, code: "M13", mention: "Regime da margem de lucro – Bens em segunda mão" },
  { ...USUAL, code: "M14", mention: "Regime da margem de lucro – Objetos de arte" },
  { ...USUAL, code: "M15", mention: "Regime da margem de lucro – Objetos de coleção e antiguidades" },
  { ...USUAL, code: "M16", mention: "Isento artigo 14.º do RITI", demands: "number_of_other_state" },
  { ...USUAL, code: "M19", mention: "Outras isenções" },
  { ...USUAL, code: "M20", mention: "IVA – regime forfetário" },
  { ...USUAL, code: "M21", mention: "IVA – não confere direito à dedução (ou expressão similar)" },
  { ...USUAL, code: "M25", mention: "Mercadorias à consignação" },
  {
    ...USUAL,
    code: "M26",
    mention: "Isenção de IVA com direito à dedução no cabaz alimentar",
    valid_from: "2023-04-18",
    valid_to: "2024-01-04",
  },
  { ...REVERSED, code: "M30" },
  { ...REVERSED, code: "M31" },
  { ...REVERSED, code: "M32" },
  { ...REVERSED, code: "M33" },
  { ...REVERSED, code: "M34", valid_from: "2023-04-14" },
  { ...REVERSED, code: "M35", valid_from: "2026-07-01" },
  { ...REVERSED, code: "M40", demands: "foreign_number" },
  { ...REVERSED, code: "M41", demands: "number_of_other_state" },
  { ...REVERSED, code: "M42" },
  { ...REVERSED, code: "M43" },
  { ...USUAL, code: "M44", mention: "IVA – Regras específicas - artigo 6.º", valid_from: "2025-08-14" },
  { ...USUAL, code: "M45", mention: "IVA – regime transfronteiriço de isenção", valid_from: "2025-08-14" },
  { ...USUAL, code: "M46", mention: "IVA – e-TaxFree", valid_from: "2025-08-14" },
  { ...USUAL, code: "M99", mention: "Não sujeito ou não tributado", tax_code: "NS" },
];

/** The code of a line at 0 % without a reason, which strict mode refuses (docs/law.md, "Zero rates"). */
export const NO_REASON = "M99";

const BY_CODE: ReadonlyMap<string, Exemption> = new Map(EXEMPTIONS.map((exemption) => [exemption.code, exemption]));

/** Whether this is a code of the table, in force or expired. */
export function isExemptionCode(code: string): boolean {
  return BY_CODE.has(code);
}

/** The demand of a reason that a customer does not meet; null if it is met, or the reason has none. */
export function unmetDemand({ demands }: Exemption, customer: TaxIdentity): Demand | null {
  return demands === null || meets(demands, customer) ? null : demands;
}

/** The reason with this code; undefined when the table has none. */
export function exemptionOf(code: string): Exemption | undefined {
  return BY_CODE.get(code);
}

/** Whether a reason may be used on a day, `YYYY-MM-DD`. */
export function isInForce({ valid_from, valid_to }: Exemption, date: Day): boolean {
  return (valid_from === FIRST_DAY || valid_from <= date) && (valid_to === null || date <= valid_to);
}
