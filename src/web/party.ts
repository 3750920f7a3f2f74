/** The meaning of a text typed for a customer, so that a tax number never becomes a name. */
import { countryOfVatNumber, normalTaxId } from "../core/fiscal/tax-id.ts";

/** The field of a customer that a text belongs to, with its stored form. */
export interface Party {
  readonly tax_id?: string;
  /** The country of a foreign tax number. */
  readonly country?: string;
  readonly email?: string;
  readonly phone?: string;
  readonly name?: string;
}

/** The digits, without separators. */
const bareOf = (text: string) => text.replaceAll(/[\s.-]/g, "");

/** The Portuguese tax number in a text, however it is grouped: `234 567 899`, `PT234567899`. */
export const nifIn = (text: string): string | undefined => normalTaxId(bareOf(text), "PT");

/** The field of a customer that a text belongs to. A number that is neither a NIF nor a phone is a mistyped NIF. */
export function partyOf(text: string): Party {
  const nif = nifIn(text);
  if (nif !== undefined) return { tax_id: nif };
  const bare = bareOf(text);
  const country = countryOfVatNumber(text);
  if (country !== undefined) return { tax_id: bare.toUpperCase(), country };
  if (/^[^\s@]+@\S+$/.test(text.trim())) return { email: text.trim() };
  if (/^(?:\+\d{9,15}|[29]\d{8})$/.test(bare)) return { phone: text.trim() };
  if (/^(?:PT)?\d{6,9}$/i.test(bare)) return { tax_id: bare.replace(/^PT/i, "") };
  return { name: text.trim() };
}
