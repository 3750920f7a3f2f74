/** `lacre company`: the companies of an installation. */
import { z } from "zod";
import type { Company } from "../core/companies.ts";
import { command } from "./command.ts";
import { COMPANY_DETAILS, COMPANY_IDENTITY, FLAGS } from "./config.ts";
import { findDatabase, withCompany, withLacre } from "./open-database.ts";
import { columns, show } from "./output.ts";

const createCommand = command({
  name: "company create",
  summary: "adds a company with one series per document type",
  details: "Give it a key of its own: lacre key create --company ID.",
  input: z.strictObject({ ...COMPANY_IDENTITY, ...COMPANY_DETAILS, db: FLAGS.db, json: FLAGS.json }),
  async run({ db, json, ...details }, shell) {
    const company = await withLacre(findDatabase(db), (lacre) => lacre.companies.create(details));
    show(shell, json, company, described(company));
  },
});

const showCommand = command({
  name: "company show",
  summary: "shows a company's details",
  input: z.strictObject({ company: FLAGS.company, db: FLAGS.db, json: FLAGS.json }),
  async run({ json, ...where }, shell) {
    const company = await withCompany(where, async (_, company) => company);
    show(shell, json, company, described(company));
  },
});

const setCommand = command({
  name: "company set",
  summary: "changes a company's details",
  details: `Only what is given changes. An empty text clears address, postal code, city and exemption code.
Documents already issued keep the details they were issued with.`,
  input: z.strictObject({
    name: COMPANY_IDENTITY.name.optional(),
    tax_id: COMPANY_IDENTITY.tax_id.optional(),
    ...COMPANY_DETAILS,
    company: FLAGS.company,
    db: FLAGS.db,
    json: FLAGS.json,
  }),
  async run({ db, company, json, ...given }, shell) {
    const changes = {
      ...given,
      address: given.address === "" ? null : given.address,
      postal_code: given.postal_code === "" ? null : given.postal_code,
      city: given.city === "" ? null : given.city,
      default_exemption_code: given.default_exemption_code === "" ? null : given.default_exemption_code,
    };
    const changed = await withCompany({ db, company }, (lacre, { id }) => lacre.companies.change({ id, ...changes }));
    show(shell, json, changed, described(changed));
  },
});

export const companyCommands = [createCommand, showCommand, setCommand];

function described(company: Company): string[] {
  return columns(Object.entries(company).map(([field, value]) => [field, value === null ? "-" : String(value)]));
}
