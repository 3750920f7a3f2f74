/** What is typed into the field that adds products: the quantity, the product, and the matching products. */
import type { Product } from "../../core/face.ts";
import { signedDecimal } from "../words/decimals.ts";

/**
 * The number before a star or a cross is the quantity: `3*pão`, `1,5*queijo`, `2x café`; undefined if there is none.
 */
export function readEntry(text: string): { readonly qty: number | undefined; readonly wanted: string } {
  const typed = text.trim().replaceAll(/\s+/g, " ");
  const [, count, wanted = ""] = /^([-−]?[\d.,]+) ?(?:\*|[x×] )(.*)$/i.exec(typed) ?? [];
  if (count === undefined) return { qty: 1, wanted: text.trim() };
  const qty = signedDecimal(count);
  return { qty: qty !== undefined && qty > 0 ? qty : undefined, wanted: wanted.trim() };
}

/** Sorts products by match: those with exactly this name or code, those where one begins with it, the others. */
export function byFit<Row extends Pick<Product, "name" | "sku">>(
  products: readonly Row[],
  wanted: string,
): readonly Row[] {
  const term = wanted.toLowerCase();
  const rank = ({ name, sku }: Row) => {
    const texts = [sku?.toLowerCase() ?? "", name.toLowerCase()];
    return texts.includes(term) ? 0 : texts.some((one) => one.startsWith(term)) ? 1 : 2;
  };
  return products.toSorted((a, b) => rank(a) - rank(b) || a.name.length - b.name.length);
}
