/** VAT rates by region and day, and the tax code of each (CIVA, article 18). */
import type { Day } from "./civil-time.ts";

/** Where an operation is taxed: mainland, Azores, Madeira (TaxCountryRegion of SAF-T). */
export const TAX_REGIONS = ["PT", "PT-AC", "PT-MA"] as const;
/** One of `TAX_REGIONS`. */
export type TaxRegion = (typeof TAX_REGIONS)[number];

/** The tax codes of SAF-T: reduced, intermediate and normal rate, exempt, not subject, another rate. */
export const TAX_CODES = ["RED", "INT", "NOR", "ISE", "NS", "OUT"] as const;

export type TaxCode = (typeof TAX_CODES)[number];

/** The three rates of a region from a day on, in basis points. */
export interface VatRates {
  /** The first day they apply; the previous row ends the day before. */
  readonly from: string;
  readonly RED: number;
  readonly INT: number;
  readonly NOR: number;
}

/** Each region's rates, oldest first. The first row also serves for the days before it: older law is not recorded. */
const VAT_RATES: Readonly<Record<TaxRegion, readonly [VatRates, ...VatRates[]]>> = {
  PT: [{ from: "2011-01-01", RED: 600, INT: 1300, NOR: 2300 }], // Lei 55-A/2010
  "PT-AC": [
    { from: "2011-01-01", RED: 400, INT: 900, NOR: 1600 }, // Lei 55-A/2010
    { from: "2014-01-01", RED: 500, INT: 1000, NOR: 1800 }, // Lei 83-C/2013
    { from: "2015-07-01", RED: 400, INT: 900, NOR: 1800 }, // Lei 63-A/2015
    { from: "2021-07-01", RED: 400, INT: 900, NOR: 1600 }, // DLR 15-A/2021/A
  ],
  "PT-MA": [
    { from: "2011-01-01", RED: 400, INT: 900, NOR: 1600 }, // Lei 55-A/2010
    { from: "2012-04-01", RED: 500, INT: 1200, NOR: 2200 }, // Lei 14-A/2012
    { from: "2024-10-01", RED: 400, INT: 1200, NOR: 2200 }, // DLR 6/2024/M
  ],
};

/** The rates in force in a region on a day (`YYYY-MM-DD`). */
export function vatRatesOn(region: TaxRegion, date: Day): VatRates {
  const [first, ...later] = VAT_RATES[region];
  return later.findLast(({ from }) => from <= date) ?? first;
}

/** The code of a rate above zero in a region on a day; `OUT` for a rate that was not lawful there on that day. */
export function taxCodeOf(rate_bps: number, region: TaxRegion, date: Day): "RED" | "INT" | "NOR" | "OUT" {
  const rates = vatRatesOn(region, date);
  return (["RED", "INT", "NOR"] as const).find((code) => rates[code] === rate_bps) ?? "OUT";
}
