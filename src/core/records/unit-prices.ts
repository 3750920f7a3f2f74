/** The price of a product or a line, sent without VAT or with it; in that case the net is stored to six decimals. */
import type * as z from "zod";
import { ALWAYS, says, UnitPrice, UnitPriceGross } from "../fields.ts";
import { netMicrosOfGross } from "../fiscal/gross-prices.ts";
import { fromBps, scaled, toBps, toMicros } from "../fiscal/money.ts";
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

/** Whether an input has a price. */
export const hasPrice = ({ unit_price_net, unit_price_gross }: Prices): boolean =>
  unit_price_net !== undefined || unit_price_gross != null;

/** An input with exactly one price. */
export function withPrice<Schema extends z.ZodType>(schema: Schema): Schema {
  return withSomePrice(withAtMostOnePrice(schema), () => false);
}

/**
 * A line with one price, or with both as an answer has them: a gross, and the net that it gives at the rate beside it.
 * `mayLackIt` tells of lines that have their price from elsewhere.
 */
export function withLinePrice<Schema extends z.ZodType>(schema: Schema, mayLackIt: (line: object) => boolean): Schema {
  return withSomePrice(withAtMostOnePrice(schema, isNetOfGross), mayLackIt);
}

function withSomePrice<Schema extends z.ZodType>(schema: Schema, mayLackIt: (input: object) => boolean): Schema {
  return schema.superRefine((input, { addIssue }) => {
    if (hasPrice(Object(input)) || mayLackIt(Object(input))) return;
    addIssue({ code: "custom", path: ["unit_price_net"], ...says(common.is_required) });
  }, ALWAYS);
}

/** An input with at most one of both prices, unless `agree` takes both. */
export function withAtMostOnePrice<Schema extends z.ZodType>(
  schema: Schema,
  agree: (prices: Prices & { readonly tax_rate?: unknown }) => boolean = () => false,
): Schema {
  return schema.superRefine((input, { addIssue }) => {
    const prices = Object(input) as Prices;
    if (prices.unit_price_net === undefined || prices.unit_price_gross == null || agree(prices)) return;
    addIssue({
      code: "custom",
      path: ["unit_price_gross"],
      ...says(common.excludes_field({ field: "unit_price_net" })),
    });
  }, ALWAYS);
}

/** Whether a net is the one that the gross beside it gives at the rate beside them. */
function isNetOfGross({
  unit_price_net,
  unit_price_gross,
  tax_rate,
}: Prices & { readonly tax_rate?: unknown }): boolean {
  const [net_micros, gross_micros] = [scaledNumber(unit_price_net, 6), scaledNumber(unit_price_gross, 6)];
  const rate_bps = scaledNumber(tax_rate, 2);
  if (net_micros === undefined || gross_micros === undefined || rate_bps === undefined) return false;
  return netMicrosOfGross(gross_micros, rate_bps) === net_micros;
}

/** A number as a whole number of its smallest units; undefined for whatever its own field refuses. */
const scaledNumber = (value: unknown, decimals: number): number | undefined =>
  typeof value === "number" && value >= 0 ? scaled(value, decimals) : undefined;

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
  const { tax_rate = fromBps(before.tax_rate_bps) } = changes;
  if (hasPrice(changes)) return pricesOf({ ...changes, tax_rate });
  const isKept = toBps(tax_rate) === before.tax_rate_bps;
  const { unit_price_micros, unit_price_gross_micros } = before;
  return { unit_price_micros, unit_price_gross_micros: isKept ? unit_price_gross_micros : null };
}
