/** How a line is taxed: its code by rate, region and date, or why it bears no tax (docs/law.md, "Tax codes"). */
import type { Day } from "./civil-time.ts";
import { exemptionOf, isInForce, NO_REASON } from "./exemptions.ts";
import { type TaxCode, type TaxRegion, taxCodeOf, vatRatesOn } from "./vat-rates.ts";

/** Where and when a line is taxed; for a correction, the place and date of the corrected document. */
export interface TaxPlace {
  readonly region: TaxRegion;
  /** `YYYY-MM-DD`. */
  readonly date: Day;
}

/** The frozen tax facts of a line; all null if the line is not taxed at all. */
export interface Taxation {
  readonly tax_region: TaxRegion | null;
  readonly tax_code: TaxCode | null;
  /** Set on taxed lines at 0 %, and on no others. */
  readonly exemption_code: string | null;
}

/** The taxation of a line that bears no tax code. */
export const UNTAXED: Taxation = { tax_region: null, tax_code: null, exemption_code: null };

/** The first of these reasons that is in force on the date; undefined when none is. Null and undefined are skipped. */
export function reasonInForce(reasons: readonly (string | null | undefined)[], date: Day): string | undefined {
  return reasons.map((code) => exemptionOf(code ?? "")).find((found) => found && isInForce(found, date))?.code;
}

/** The taxation of a line at this rate. A line at 0 % without a reason is not subject to tax (M99). */
export function taxationOf(tax_rate_bps: number, reason: string | undefined, { region, date }: TaxPlace): Taxation {
  if (tax_rate_bps > 0) {
    return { tax_region: region, tax_code: taxCodeOf(tax_rate_bps, region, date), exemption_code: null };
  }
  const exemption_code = reason ?? NO_REASON;
  return { tax_region: region, tax_code: exemptionOf(exemption_code)?.tax_code ?? "ISE", exemption_code };
}

/** The lawful rates of a line at this place and date, in basis points: 0, 600, 1300, 2300. */
export function lawfulRates({ region, date }: TaxPlace): readonly number[] {
  const { RED, INT, NOR } = vatRatesOn(region, date);
  return [0, RED, INT, NOR];
}
