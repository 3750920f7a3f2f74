/** The price of a product or a line, sent without VAT or with it; in that case the net is stored to six decimals. */
import type * as z from "zod";
import { ALWAYS, says, UnitPrice, UnitPriceGross } from "../fields.ts";
import { netMicrosOfGross } from "../fiscal/gross-prices.ts";
import { fromBps, toBps, toMicros } from "../fiscal/money.ts";
import { common } from "../runtime/refusals.ts";

/** The fields of a price as input: `withPrice` asks for one of them, `withAtMostOnePrice` refuses both. */
export const PRICE_FIELDS = {
  unit_price_net: UnitPrice.optional().describe(`${UnitPrice.description} This or unit_price_gross.`),
  unit_price_gross: UnitPriceGross.optional().describe(`${UnitPriceGross.description} In place of unit_price_net.`),
};

/** How the description expresses `withPrice`: its linter refuses a `oneOf` that tells null from a number. */
export const ONE_PRICE = [
  { required: ["unit_price_net"] },
  { required: ["unit_price_gross"], properties: { unit_price_gross: { type: "number" } } },
];

/** A price as it is sent; null counts as left out. */
interface Prices {
  readonly unit_price_net?: number | undefined;
  readonly unit_price_gross?: number | null | undefined;
}

/** An input with exactly one price. */
export function withPrice<Schema extends z.ZodType>(schema: Schema): Schema {
  return withAtMostOnePrice(schema).superRefine((input, { addIssue }) => {
    const { unit_price_net, unit_price_gross } = Object(input) as Prices;
    if (unit_price_net !== undefined || unit_price_gross != null) return;
    addIssue({ code: "custom", path: ["unit_price_net"], ...says(common.is_required) });
  }, ALWAYS);
}

/** An input with at most one of both prices. */
export function withAtMostOnePrice<Schema extends z.ZodType>(schema: Schema): Schema {
  return schema.superRefine((input, { addIssue }) => {
    const { unit_price_net, unit_price_gross } = Object(input) as Prices;
    if (unit_price_net === undefined || unit_price_gross == null) return;
    addIssue({
      code: "custom",
      path: ["unit_price_gross"],
      ...says(common.excludes_field({ field: "unit_price_net" })),
    });
  }, ALWAYS);
}

/** A price as it is stored: its net, and its gross if it was sent with VAT. */
export interface StoredPrices {
  readonly unit_price_micros: number;
  readonly unit_price_gross_micros: number | null;
}

/** The price of an input that passed `withPrice`; a gross counts before a net. */
export function pricesOf({ unit_price_net, unit_price_gross, tax_rate }: Prices & { tax_rate: number }): StoredPrices {
  if (unit_price_gross == null) {
    return { unit_price_micros: toMicros(unit_price_net as number), unit_price_gross_micros: null };
  }
  const unit_price_gross_micros = toMicros(unit_price_gross);
  return {
    unit_price_micros: netMicrosOfGross(unit_price_gross_micros, toBps(tax_rate)),
    unit_price_gross_micros,
  };
}

/**
 * The price of a product after a change: the one sent, else the stored one. Its gross is what was typed, and ends with
 * another net or another rate.
 */
export function pricesAfter(
  before: StoredPrices & { readonly tax_rate_bps: number },
  changes: Prices & { readonly tax_rate?: number | undefined },
): StoredPrices {
  const { unit_price_net, unit_price_gross, tax_rate = fromBps(before.tax_rate_bps) } = changes;
  if (unit_price_net !== undefined || unit_price_gross != null) return pricesOf({ ...changes, tax_rate });
  const isKept = toBps(tax_rate) === before.tax_rate_bps;
  const { unit_price_micros, unit_price_gross_micros } = before;
  return { unit_price_micros, unit_price_gross_micros: isKept ? unit_price_gross_micros : null };
}
