/** Baskets with discounts of an amount, by chance from a seed. */
import { computeTotals, type PricedDocument, type PricedLine } from "../../src/core/fiscal/computed-totals.ts";
import type { Chance } from "./chance.ts";

/** A basket, and the same before the amount that is taken off all its lines. */
export interface Basket {
  readonly basket: PricedDocument & { readonly lines: readonly BasketLine[]; readonly global_discount_amount?: number };
  readonly before: PricedDocument;
  /** In whole cents; 0 for none. */
  readonly off_cents: number;
  /** Whether all lines are priced with VAT; otherwise none is. */
  readonly isGross: boolean;
}

type BasketLine = PricedLine & { readonly tax_rate: number };

/** A basket of 1 to `most` lines at these rates, all priced alike; its total is more than 0. */
export function aBasket(chance: Chance, rates: readonly number[], most = 12): Basket {
  const isGross = chance.below(2) === 0;
  const lines = Array.from({ length: 1 + chance.below(most) }, () => aBasketLine(chance, rates, isGross));
  const before = { lines };
  const totals = computeTotals(before);
  const total_cents = cents(isGross ? totals.total_gross : totals.total_net);
  if (total_cents === 0) return aBasket(chance, rates, most);
  const off_cents = chance.oneOf([
    ...[0, 1, 1 + chance.below(500), 1 + chance.below(total_cents), 1 + chance.below(total_cents), total_cents],
  ]);
  const taken = Math.min(off_cents, total_cents);
  const basket = taken === 0 ? before : { lines, global_discount_amount: taken / 100 };
  return { basket, before, off_cents: taken, isGross };
}

/** EUR in cents. */
export const cents = (eur: number): number => Math.round(eur * 100);

function aBasketLine(chance: Chance, rates: readonly number[], isGross: boolean): BasketLine {
  const qty = chance.oneOf([1, 1, 2, 3, 1 + chance.below(40), (1 + chance.below(4_000)) / 1_000]);
  const price = chance.oneOf([(1 + chance.below(20_000)) / 100, (1 + chance.below(3_000_000)) / 1e4, 0.001]);
  const line = {
    qty,
    ...(isGross ? { unit_price_gross: price } : { unit_price_net: price }),
    tax_rate: chance.oneOf(rates),
  };
  const full_cents = Math.floor((Math.round(qty * 1e6) * Math.round(price * 1e6)) / 1e10);
  const kind = chance.below(5);
  if (kind === 0 && full_cents > 0) return { ...line, discount_amount: (1 + chance.below(full_cents)) / 100 };
  return kind === 1 ? { ...line, discount_pct: chance.oneOf([5, 10, 12.5, 33.33]) } : line;
}
