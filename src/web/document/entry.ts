/** What is typed into the field that adds products: how many, of what, and which products fit. */
import type { Product } from "../../core/face.ts";
import { signedDecimal } from "../words/decimals.ts";

/** What is typed before a star or a cross is how many: `3*pão`, `1,5*queijo`, `2x café`; undefined for none at all. */
export function readEntry(text: string): { readonly qty: number | undefined; readonly wanted: string } {
  const [, count, wanted = ""] = /^\s*([-−]?[\d.,]+)(?:\s*\*\s*|\s*[x×]\s+)(.*)$/i.exec(text) ?? [];
  if (count === undefined) return { qty: 1, wanted: text.trim() };
  const qty = signedDecimal(count);
  return { qty: qty !== undefined && qty > 0 ? qty : undefined, wanted: wanted.trim() };
}

/** Products in the order in which they fit: those whose name or code is this, those where one begins so, the others. */
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
