/** Prices with VAT or without it: this company's preference for display and typing. */
import { effect, signal } from "@preact/signals";
import { grossOfNet, netOfGross } from "../core/fiscal/gross-prices.ts";
import { companyId } from "./reading/api.ts";

/** Whether prices are shown and typed with VAT, by default true. Remembered per company. */
export const pricesWithVat = signal(true);

const keptAs = (id: string | undefined) => `lacre.prices_with_vat.${id}`;
effect(() => {
  pricesWithVat.value = localStorage.getItem(keptAs(companyId.value)) !== "false";
});
effect(() => {
  const [id, chosen] = [companyId.peek(), String(pricesWithVat.value)];
  if (id) localStorage.setItem(keptAs(id), chosen);
});

/** A stored net price as it is shown here. */
export const shownPrice = (net: number, tax_rate: number): number =>
  pricesWithVat.value ? grossOfNet(net, tax_rate) : net;

/** The counterpart of a typed price: without VAT, or with it. Undefined beyond the limits of prices. */
export function otherPrice(typed: number, tax_rate: number): number | undefined {
  try {
    return (pricesWithVat.value ? netOfGross : grossOfNet)(typed, tax_rate);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
