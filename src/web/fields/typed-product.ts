/** A product as it is typed into its form: the input for the server, or the errors. */
import type { ProductType } from "../../core/fiscal/product-types.ts";
import { parseDecimal, signedDecimal } from "../words/decimals.ts";
import { texts } from "../words/texts.ts";

const t = texts({
  price: ["Escreva o preço em euros, como 1,15.", "Type the price in euros, as 1.15."],
  rate: ["Já não é uma taxa de IVA: escolha a de hoje.", "It is no longer a rate of VAT: choose today's."],
  number: ["Escreva um número, como 12 ou 1,5.", "Type a number, as 12 or 1.5."],
});

/** The content of the fields. */
export type Typed = Readonly<
  Record<"name" | "price" | "tax_rate" | "exemption_code" | "unit" | "sku" | "type" | "stock", string>
>;

interface Known {
  /** Whether the price is typed with VAT. */
  readonly withVat: boolean;
  /** A product's lawful rates today, in percent. */
  readonly rates: readonly number[];
}

/** The API's name of the price. */
export const pricePath = (withVat: boolean) => (withVat ? "unit_price_gross" : "unit_price_net");

/** The errors, by field; or the product, with its price apart. */
export function readProduct(typed: Typed, { withVat, rates }: Known) {
  const price = parseDecimal(typed.price);
  const stock = typed.stock.trim() === "" ? null : signedDecimal(typed.stock);
  const tax_rate = Number(typed.tax_rate);
  const isLawful = rates.includes(tax_rate);
  if (price === undefined || stock === undefined || !isLawful) {
    return {
      problems: {
        ...(price === undefined && { [pricePath(withVat)]: t.price }),
        ...(stock === undefined && { stock: t.number }),
        ...(!isLawful && { tax_rate: t.rate }),
      },
    };
  }
  return {
    product: {
      name: typed.name.trim(),
      tax_rate,
      exemption_code: (tax_rate === 0 && typed.exemption_code) || null,
      unit: typed.unit.trim() || "un",
      sku: typed.sku.trim() || null,
      type: typed.type as ProductType,
      stock,
    },
    price: withVat ? { unit_price_gross: price } : { unit_price_net: price },
  };
}

/** Whether a product keeps its stored price exactly: nobody changed the shown one. */
export const keepsPrice = (
  typed: Typed,
  shown: string | undefined,
  product: { readonly tax_rate: number } | undefined,
  withVat: boolean,
): boolean =>
  // With VAT in the prices, another rate leaves the shelf price as it is, and changes the net.
  typed.price === shown && !(withVat && product?.tax_rate !== Number(typed.tax_rate));
