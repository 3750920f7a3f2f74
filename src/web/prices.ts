/** Prices with VAT or without it: how this company wants them shown and typed here. */
import { effect, signal } from "@preact/signals";
import { fromMicros, halfUp, toBps, toMicros } from "../core/fiscal/money.ts";
import { companyId } from "./api.ts";

/** Whether prices are shown and typed with VAT, as they are until somebody says otherwise. Remembered per company. */
export const pricesWithVat = signal(true);

const keptAs = (id: string | undefined) => `lacre.prices_with_vat.${id}`;
effect(() => {
  pricesWithVat.value = localStorage.getItem(keptAs(companyId.value)) !== "false";
});
effect(() => localStorage.setItem(keptAs(companyId.peek()), String(pricesWithVat.value)));

const WHOLE = 10_000n;

/** What a net price comes to with VAT, to five decimals; the rate in percent. */
export function grossPrice(net: number, tax_rate: number): number {
  const micros = BigInt(toMicros(net)) * (WHOLE + BigInt(toBps(tax_rate)));
  return fromMicros(Number(halfUp(micros, WHOLE * 10n) * 10n));
}

/** The net kept of a price with VAT, to six decimals. */
export function netPrice(gross: number, tax_rate: number): number {
  return fromMicros(Number(halfUp(BigInt(toMicros(gross)) * WHOLE, WHOLE + BigInt(toBps(tax_rate)))));
}

/** A stored net price as it is shown here. */
export const shownPrice = (net: number, tax_rate: number): number =>
  pricesWithVat.value ? grossPrice(net, tax_rate) : net;

/** What a price typed here is the other way round: without VAT, or with it. Undefined beyond the limits of prices. */
export function otherPrice(typed: number, tax_rate: number): number | undefined {
  try {
    return (pricesWithVat.value ? netPrice : grossPrice)(typed, tax_rate);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
