/** `lacre company`: the companies of an installation. */
import * as z from "zod";
import type { Company } from "../core/index.ts";
import { command } from "./command.ts";
import { COMPANY_DETAILS, COMPANY_IDENTITY, FLAGS, IN_COMPANY, SIGNING_KEY } from "./config.ts";
import { findDatabase, signerOf, withCompany, withLacre } from "./database/open.ts";
import { readGiven } from "./files.ts";
import { columns, show } from "./output.ts";

const createCommand = command({
  name: "company create",
  input: z.strictObject({ ...COMPANY_IDENTITY, ...COMPANY_DETAILS, ...SIGNING_KEY, db: FLAGS.db, json: FLAGS.json }),
  async run({ db, json, signing_key, signing_key_version, ...given }, terminal) {
    const details = detailsOf(given);
    const signer = signerOf({ signing_key, signing_key_version });
    const company = await withLacre(findDatabase(db), (lacre) => lacre.companies.create(details), signer);
    show(terminal, json, company, described(company));
  },
});

const showCommand = command({
  name: "company show",
  input: z.strictObject(IN_COMPANY),
  async run({ json, ...where }, terminal) {
    const company = await withCompany(where, async (_, company) => company);
    show(terminal, json, company, described(company));
  },
});

const setCommand = command({
  name: "company set",
  input: z.strictObject({
    name: COMPANY_IDENTITY.name.optional(),
    tax_id: COMPANY_IDENTITY.tax_id.optional(),
    ...COMPANY_DETAILS,
    ...IN_COMPANY,
  }),
  async run({ db, company, json, ...given }, terminal) {
    const changes = detailsOf(given);
    const changed = await withCompany({ db, company }, (lacre, { id }) => lacre.companies.change({ id, ...changes }));
    show(terminal, json, changed, described(changed));
  },
});

const CLEARABLE = [
  "address",
  "postal_code",
  "city",
  "default_exemption_code",
  "footer_text",
  "iban",
  "accent_color",
] as const;

type Details = { readonly [Field in (typeof CLEARABLE)[number] | "logo"]?: string | undefined };

export const companyCommands = [createCommand, showCommand, setCommand];

/** The details as core input: an empty text clears an optional field, a logo is read from its file. */
export function detailsOf<Given extends Details>({ logo, ...given }: Given) {
  const cleared = Object.fromEntries(CLEARABLE.filter((field) => given[field] === "").map((field) => [field, null]));
  return {
    ...given,
    ...(cleared as { [Field in (typeof CLEARABLE)[number]]?: null }),
    ...(logo !== undefined && { logo: logo === "" ? null : readGiven(logo) }),
  };
}

function described(company: Company): string[] {
  return columns(Object.entries(company).map(([field, value]) => [field, value === null ? "-" : String(value)]));
}
