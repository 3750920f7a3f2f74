/** Tax numbers as they are stored and exported, and the country prefix of foreign ones; nif.ts has Portuguese ones. */
import { countryCode, EU_STATES, UNKNOWN_COUNTRY } from "./countries.ts";
import { nifOf } from "./nif.ts";

/** The tax number of a customer without one: the final consumer (Portaria 302/2016, 2.2.3). */
export const FINAL_CONSUMER = "999999990";

/** The name of that customer on documents. */
export const FINAL_CONSUMER_NAME = "Consumidor final";

/**
 * A tax number as it is stored, or undefined if it is invalid. For Portugal (`PT` in any case, or no country)
 * surrounding spaces and one leading `PT` are dropped, and the rest must be a NIF without spaces or dots. For any other
 * country, free text such as `Portugal` included, the number stays exactly as given and is never invalid.
 */
export function normalTaxId(tax_id: string, country: string | null): string | undefined {
  return isPortugal(country) ? nifOf(tax_id) : tax_id;
}

function isPortugal(country: string | null): boolean {
  return ["", "PT"].includes((country ?? "").trim().toUpperCase());
}

/**
 * The countries whose VAT numbers are written with a prefix, as VIES does: those of the European Union, and the United
 * Kingdom. The prefix is the country's code but in Greece (EL), and Northern Ireland has one of its own (XI).
 */
const VAT_PREFIXES: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ...EU_STATES.map((code) => [code, [code]] as const),
  ["GR", ["EL", "GR"]],
  ["GB", ["GB", "XI"]],
]);

/**
 * The country whose prefix a foreign VAT number has, as VIES writes it: `FR40303265045`; undefined for anything else. A
 * number has at least seven digits and at most three other characters, so that no name passes for one.
 */
export function countryOfVatNumber(text: string): string | undefined {
  const bare = text.replaceAll(/[ .-]/g, "").toUpperCase();
  const [, prefix = "", rest = ""] = /^([A-Z]{2})([A-Z0-9+*]{7,13})$/.exec(bare) ?? [];
  const others = rest.replaceAll(/\d/g, "").length;
  if (prefix === "PT" || others > 3 || rest.length - others < 7) return undefined;
  return [...VAT_PREFIXES].find(([, prefixes]) => prefixes.includes(prefix))?.[0];
}

/**
 * A customer's tax number for the tax file and the QR code: without its country's prefix (Portaria 302/2016, 2.2.3),
 * and `999999990` for none. Outside the countries above the code counts as a prefix only before bare digits, as numbers
 * there may begin with any letters: `MXC010101AB1` stays whole.
 */
export function exportedTaxId(tax_id: string | null, country: string | null): string {
  if (tax_id === null) return FINAL_CONSUMER;
  const code = countryCode(country);
  const known = VAT_PREFIXES.get(code);
  for (const prefix of known ?? [code]) {
    if (!tax_id.toUpperCase().startsWith(prefix)) continue;
    const rest = tax_id.slice(prefix.length).replace(/^[ .-]+/, "");
    if (known ? /\d/.test(rest) : /^\d[\d ./-]*$/.test(rest)) return rest;
  }
  return tax_id;
}

/** The facts that identify a customer to the tax law. */
export interface TaxIdentity {
  readonly tax_id: string | null;
  readonly country: string | null;
}

/** Whether a tax number can only be a NIF: its country is Portugal, or none is named. */
export const isPortuguese = ({ tax_id, country }: TaxIdentity): boolean => tax_id !== null && isPortugal(country);

/** A customer's place in the VAT of the European Union, as far as country and number show it; null if unknown. */
type Standing = "portugal" | "other_state" | "outside";

function standingOf({ tax_id, country }: TaxIdentity): Standing | null {
  const given = (country ?? "").trim().toUpperCase();
  // Greece and Northern Ireland have a prefix that is not an ISO code; for goods the latter counts as a state (VIES).
  if (["EL", "XI"].includes(given) || (given === "GB" && /^XI/i.test(tax_id ?? ""))) return "other_state";
  const code = countryCode(country);
  if (code === "PT") return "portugal";
  if (code === UNKNOWN_COUNTRY) return null;
  return EU_STATES.includes(code) ? "other_state" : "outside";
}

/** The demands on a customer. */
const DEMANDS = {
  /** A taxable person of another member state. */
  number_of_other_state: (customer: TaxIdentity) =>
    isNumberedAbroad(customer) && standingOf(customer) === "other_state",
  /** A taxable person abroad. */
  foreign_number: (customer: TaxIdentity) =>
    isNumberedAbroad(customer) && ["other_state", "outside"].includes(standingOf(customer) ?? ""),
  /** A taxable person with a Portuguese number, from anywhere: those established here have one. */
  portuguese_number: ({ tax_id }: TaxIdentity) =>
    tax_id !== null && tax_id !== FINAL_CONSUMER && normalTaxId(tax_id, "PT") !== undefined,
  /** Somebody outside the European Union. */
  outside_union: (customer: TaxIdentity) => standingOf(customer) === "outside",
} as const;

/** A demand of an exemption reason on the customer. */
export type Demand = keyof typeof DEMANDS;

/** Whether a customer meets a demand, as far as tax number and country show it. VIES is not asked. */
export const meets = (demand: Demand, customer: TaxIdentity): boolean => DEMANDS[demand](customer);

/** Without a prefix nine digits may be either: a SIREN can also be a NIF. */
const isNumberedAbroad = ({ tax_id }: TaxIdentity) =>
  tax_id !== null && tax_id !== FINAL_CONSUMER && /\d/.test(tax_id) && !isPrefixedNif(tax_id);

function isPrefixedNif(tax_id: string): boolean {
  const bare = tax_id.replaceAll(/[ .-]/g, "");
  return /^PT/i.test(bare) && normalTaxId(bare, "PT") !== undefined;
}

/** Whether a name is just a valid Portuguese tax number, typed into the wrong field. */
export const isNamedByTaxId = (name: string): boolean => normalTaxId(name.replace(/[\s.]+/g, ""), "PT") !== undefined;
