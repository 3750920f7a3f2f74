/** `lacre init`: creates a database with a company, its series and the first key. */
import * as z from "zod";
import { nameOfSeries } from "../core/fiscal/numbering.ts";
import { type Lacre, type NewCompany, PERMISSIONS } from "../core/index.ts";
import { command } from "./command.ts";
import { detailsOf } from "./company.ts";
import { COMPANY_DETAILS, COMPANY_IDENTITY, FLAGS, SIGNING_KEY } from "./config.ts";
import { makeDatabase, named, signerOf } from "./database/open.ts";
import { columns, show } from "./output.ts";
import { everySeries } from "./series.ts";

export const initCommand = command({
  name: "init",
  input: z.strictObject({ ...COMPANY_IDENTITY, ...COMPANY_DETAILS, ...SIGNING_KEY, db: FLAGS.db, json: FLAGS.json }),
  async run({ db, json, signing_key, signing_key_version, ...given }, terminal) {
    const details = detailsOf(given);
    const signer = signerOf({ signing_key, signing_key_version });
    const first = (lacre: Lacre) => begin(lacre, details, { name: "first key" });
    const { company, api_key, series } = await makeDatabase(db, first, signer, true);
    const { texts: t } = terminal;
    show(terminal, json, { company, api_key, series }, [
      t.init.ready({ db: named(db).name, name: company.name, tax_id: company.tax_id }),
      "",
      ...columns(series.map(({ doc_type, code, id }) => [`  ${doc_type}`, code, id])),
      "",
      t.init.api_key,
      `  ${api_key}`,
      "",
      ...series.slice(0, 1).map((first) => t.waiting.register_first({ series: nameOfSeries(first) })),
      t.waiting.not_certified,
      t.waiting.duties,
      "",
      t.init.next,
    ]);
  },
});

/** Puts a company with its series and one key with every scope into an empty installation. */
export async function begin(lacre: Lacre, details: NewCompany, key: { readonly name: string }) {
  const company = await lacre.companies.create(details);
  const { api_key } = await lacre.keys.create({ company_id: company.id, scopes: [...PERMISSIONS], ...key });
  return { company, api_key, series: await everySeries(lacre.as(company)) };
}
