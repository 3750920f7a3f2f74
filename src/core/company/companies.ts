/** Company: the tenant; everything else belongs to one. */
import * as z from "zod";
import type { Soon } from "../database/executor.ts";
import { preparedSelect, preparedWrite } from "../database/prepared.ts";
import type { NewRow, Reader, Row } from "../database/tables.ts";
import { hasIssued } from "../documents/rows.ts";
import { recordEvent } from "../events/events.ts";
import {
  DueDays,
  definedOnly,
  ExemptionCode,
  formed,
  Instant,
  measured,
  Nif,
  PaperLanguage,
  PathId,
  says,
  text,
} from "../fields.ts";
import { isTimeZone } from "../fiscal/civil-time.ts";
import { COUNTRIES } from "../fiscal/countries.ts";
import { SIMPLIFIED_LIMITS } from "../fiscal/document-types.ts";
import { normalIban } from "../fiscal/iban.ts";
import { TAX_REGIONS } from "../fiscal/vat-rates.ts";
import { isPrintablePicture } from "../print/picture.ts";
import { refuse } from "../runtime/errors.ts";
import { command, query } from "../runtime/operation.ts";
import { countRows } from "../runtime/page.ts";
import { PERMISSIONS } from "../runtime/permissions.ts";
import { common } from "../runtime/refusals.ts";
import type { ReadScope, WriteScope } from "../runtime/scope.ts";
import { t } from "./refusals.ts";

/** A colour as the web writes it. */
const COLOR = /^#[0-9a-f]{6}$/i;

const COMPANY_FIELDS = {
  name: text(200),
  tax_id: Nif,
  address: text(100, { multiline: true }).nullable(),
  postal_code: text(100).nullable(),
  city: text(100).nullable(),
  country: text(100)
    .toUpperCase()
    .refine((given) => COUNTRIES.has(given), says(t.must_be_country))
    .describe("ISO 3166 alpha-2."),
  tax_region: z.enum(TAX_REGIONS).describe("Mainland, Azores or Madeira."),
  time_zone: text(100).refine(isTimeZone, says(t.must_be_time_zone)).describe("IANA name; decides today's date."),
  cash_vat: z.boolean().describe("In the cash-VAT scheme."),
  default_exemption_code: ExemptionCode.nullable().describe("Exemption reason of lines at 0 % that name none."),
  simplified_limit: z
    .int()
    .refine((given) => SIMPLIFIED_LIMITS.includes(given), says(common.must_be_one_of({ values: SIMPLIFIED_LIMITS })))
    .nullable()
    .meta({
      enum: [...SIMPLIFIED_LIMITS, null],
      description: "The EUR with tax that a simplified invoice may reach; null for no limit (CIVA, article 40).",
    }),
  footer_text: text(500, { multiline: true }).nullable().describe("Printed at the foot of every document."),
  iban: measured(100, (given) => given.trim())
    .overwrite((given) => normalIban(given) ?? given)
    .refine((given) => normalIban(given) !== undefined, says(t.must_be_iban))
    .nullable()
    .meta({ description: "Where customers pay; in capitals, without spaces.", example: "PT50000201231234567890154" }),
  accent_color: formed(7, (given) => COLOR.test(given), t.must_be_color)
    .toLowerCase()
    .nullable()
    .meta({ description: "The colour of papers.", example: "#0b5d3b" }),
  prices_with_vat: z.boolean().describe("Its people enter prices with VAT; the API takes both anyway."),
  language: PaperLanguage.nullable().describe("The language of what is printed for a customer without one."),
  due_days: DueDays.nullable().describe("The days in which a customer without such a term pays."),
};

export const Company = z
  .strictObject({ id: z.uuid(), ...COMPANY_FIELDS, created_at: Instant })
  .meta({ id: "Company", description: "The company that issues." });
export type Company = z.infer<typeof Company>;

const { name, tax_id, ...optional } = COMPANY_FIELDS;

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** An input field that no answer shows: only printing reads it. */
const logo = z
  .custom<Uint8Array | string>(
    (given) => given instanceof Uint8Array || (typeof given === "string" && BASE64.test(given)),
    says(t.must_be_bytes_of_picture),
  )
  .meta({ signature: "Uint8Array | string" })
  .transform((given) => (typeof given === "string" ? Buffer.from(given, "base64") : given))
  .refine(isPrintablePicture, says(t.must_be_printable_picture))
  .nullable()
  .optional()
  .describe("PNG (to a million pixels) or JPEG, at most 512 KB, or Base64 of it; printed at the head of documents.");

export const NewCompany = z
  .strictObject({ name, tax_id, ...z.object(optional).partial().shape, logo })
  .describe("A company to create.");
export type NewCompany = z.input<typeof NewCompany>;
export const CompanyChanges = z
  .strictObject({ ...z.object(COMPANY_FIELDS).partial().shape, logo })
  .describe("The fields of a company to change.");
export type CompanyChanges = z.input<typeof CompanyChanges>;

export const listCompanies = query(
  {
    id: "listCompanies",
    summary: "List every company of the installation",
    needs: "operator",
    input: z.strictObject({}),
    output: z.array(Company),
    fails: [],
  },
  async (scope) => (await allCompanies(scope)).map(toCompany),
);

export const getCompany = query(
  {
    id: "getCompany",
    summary: "Get a company",
    needs: "operator",
    input: z.strictObject({ id: PathId }),
    output: Company,
    fails: ["not_found"],
  },
  async (scope, { id }) => toCompany(await mustFindCompany({ ...scope, company_id: id })),
);

/** Keeps how many webhooks the events of the call's company are sent to. */
export const keepWebhookCount = preparedWrite(
  (db, { company_id, webhook_count }: { company_id: string; webhook_count: number }) =>
    db.updateTable("companies").set({ webhook_count }).where("id", "=", company_id),
);

export const changeCompany = command(
  {
    id: "changeCompany",
    summary: "Change the fields sent",
    needs: "operator",
    input: z.strictObject({ id: PathId, ...CompanyChanges.shape }),
    output: Company,
    fails: ["not_found", "invalid_state", "conflict"],
  },
  (scope, { id, ...changes }) => saveChanges({ ...scope, company_id: id }, changes),
);

export const getOwnCompany = query(
  {
    id: "getOwnCompany",
    summary: "Get the company of the call",
    needs: "any_key",
    input: z.strictObject({}),
    output: Company,
    fails: ["not_found"],
  },
  async (scope) => toCompany(await mustFindCompany(scope)),
);

export const changeOwnCompany = command(
  {
    id: "changeOwnCompany",
    summary: "Change the fields sent of the company of the call",
    needs: "company:write",
    confirmed: true,
    input: CompanyChanges,
    output: Company,
    fails: ["not_found", "invalid_state", "conflict", "password_required"],
  },
  saveChanges,
);

export const getLogo = query(
  {
    id: "getLogo",
    summary: "The picture printed at the head of the company's documents; null where there is none",
    needs: "any_key",
    input: z.strictObject({}),
    output: z
      .strictObject({
        name: z.string(),
        type: z.enum(["image/png", "image/jpeg"]),
        picture: z.custom<Uint8Array>((given) => given instanceof Uint8Array).meta({ signature: "Uint8Array" }),
      })
      .nullable(),
    fails: [],
  },
  async (scope) => {
    const picture = await findLogo(scope);
    if (!picture) return null;
    if (picture[0] === PNG_BEGINS) return { name: "logo.png", type: "image/png" as const, picture };
    return { name: "logo.jpg", type: "image/jpeg" as const, picture };
  },
);

/** The first byte of a PNG; a JPEG begins with another. */
const PNG_BEGINS = 0x89;

async function saveChanges(inside: WriteScope, changes: z.output<typeof CompanyChanges>): Promise<Company> {
  const { db, company_id: id } = inside;
  await mustKeepTaxId(inside, await mustFindCompany(inside), changes.tax_id);
  await mustBeOnlyOne(inside, changes.tax_id);
  const { logo, ...rest } = changes;
  const saved: Partial<NewRow<"companies">> = columnsOf(rest);
  const fields = Object.keys(saved);
  if (fields.length > 0) await db.updateTable("companies").set(saved).where("id", "=", id).execute();
  if (logo !== undefined) {
    await saveLogo(inside, id, logo);
    fields.push("logo");
  }
  if (fields.length > 0) await recordEvent(inside, "company.changed", id, { fields });
  return toCompany(await mustFindCompany(inside));
}

/** The columns of the fields that were sent. */
function columnsOf({ cash_vat, prices_with_vat, ...fields }: Omit<z.output<typeof CompanyChanges>, "logo">) {
  return {
    ...definedOnly(fields),
    ...(cash_vat !== undefined && { cash_vat: cash_vat ? 1 : 0 }),
    ...(prices_with_vat !== undefined && { prices_with_vat: prices_with_vat ? 1 : 0 }),
  };
}

/** Refuses with `invalid_state` another tax number once a document bears this one; a trigger guards the same. */
async function mustKeepTaxId(
  inside: WriteScope,
  { tax_id }: Row<"companies">,
  wanted: string | undefined,
): Promise<void> {
  if (wanted === undefined || wanted === tax_id || !(await hasIssued(inside))) return;
  refuse("invalid_state", t.company_tax_id_is_fixed({ tax_id }));
}

/** Refuses with `conflict` the tax number of another company: two would issue the same numbers for one taxpayer. */
async function mustBeOnlyOne({ db, company_id }: WriteScope, tax_id: string | undefined): Promise<void> {
  if (tax_id === undefined) return;
  const other = db.selectFrom("companies").select("id").where("tax_id", "=", tax_id).where("id", "<>", company_id);
  if (await other.executeTakeFirst()) refuse("conflict", t.company_exists({ tax_id }));
}

export const KeyInformation = z
  .strictObject({ company: Company, scopes: z.array(z.enum(PERMISSIONS)) })
  .meta({ id: "KeyInformation" });

export const getMe = query(
  {
    id: "getMe",
    summary: "The company and the scopes of the key",
    needs: "any_key",
    input: z.strictObject({}),
    output: KeyInformation,
    fails: [],
  },
  async (scope) => ({
    company: toCompany(await mustFindCompany(scope)),
    scopes: PERMISSIONS.filter((permission) => scope.caller.scopes.includes(permission)),
  }),
);

/**
 * Stores a new company; fields that are left out take their defaults. Refuses with `conflict` a second one with the
 * same NIF.
 */
export async function insertCompany(
  scope: WriteScope,
  { logo, name, tax_id, ...optional }: z.output<typeof NewCompany>,
): Promise<Row<"companies">> {
  await mustBeOnlyOne(scope, tax_id);
  const row: NewRow<"companies"> = {
    id: scope.newId(),
    name,
    tax_id,
    country: "PT",
    tax_region: "PT",
    time_zone: "Europe/Lisbon",
    cash_vat: 0,
    ...columnsOf(optional),
    created_at: scope.now.toISOString(),
  };
  const created = await scope.db.insertInto("companies").values(row).returningAll().executeTakeFirstOrThrow();
  if (logo) await saveLogo(scope, created.id, logo);
  return created;
}

/** Every company, oldest first. */
export async function allCompanies({ db }: Pick<ReadScope, "db">): Promise<Row<"companies">[]> {
  return db.selectFrom("companies").selectAll().orderBy("id").execute();
}

/** How many companies there are. */
export async function countCompanies({ db }: Pick<ReadScope, "db">): Promise<number> {
  return countRows(db.selectFrom("companies"));
}

/** The row of the call's company, or refuses with `not_found`. */
export async function mustFindCompany({
  db,
  company_id,
}: Pick<ReadScope, "db" | "company_id">): Promise<Row<"companies">> {
  const [row] = await companyById(db, { id: company_id });
  return row ?? refuse("not_found", t.no_such_company);
}

const companyById = preparedSelect((db, { id }: { id: string }) =>
  db.selectFrom("companies").selectAll().where("id", "=", id),
);

/** The company's logo, a PNG or JPEG, or null. */
export async function findLogo({ db, company_id }: Pick<ReadScope, "db" | "company_id">): Promise<Uint8Array | null> {
  const row = await db
    .selectFrom("company_logos")
    .select("picture")
    .where("company_id", "=", company_id)
    .executeTakeFirst();
  return row?.picture ?? null;
}

async function saveLogo({ db }: WriteScope, company_id: string, picture: Uint8Array | null): Promise<void> {
  await db.deleteFrom("company_logos").where("company_id", "=", company_id).execute();
  if (picture) await db.insertInto("company_logos").values({ company_id, picture }).execute();
}

/** Takes the next number of the company's customer or product codes: 17 of `C17`. Numbers are never reused. */
export async function takeCodeNumber(scope: WriteScope, counter: CodeCounter): Promise<number> {
  const row = await scope.db
    .updateTable("companies")
    .set((eb) => ({ [counter]: eb(counter, "+", 1) }))
    .where("id", "=", scope.company_id)
    .returning(counter)
    .executeTakeFirst();
  return row ? row[counter] : refuse("not_found", t.no_such_company);
}

/** Skips the numbers up to this one, so that none of them is used. */
export async function skipCodeNumbers(scope: WriteScope, counter: CodeCounter, last: number): Promise<void> {
  await scope.db
    .updateTable("companies")
    .set({ [counter]: last })
    .where("id", "=", scope.company_id)
    .where(counter, "<", last)
    .execute();
}

/** A counter of codes, which begin with a letter: `C17`, `P17`. */
type CodeCounter = "customer_count" | "product_count";

/** Records that the operator confirmed the clock although it is behind `latest`, the instant of the last document. */
export async function saveClockConfirmed(scope: WriteScope, latest: Instant): Promise<void> {
  await scope.db
    .updateTable("companies")
    .set({ clock_confirmed_for: latest, clock_confirmed_at: scope.now.toISOString() })
    .where("id", "=", scope.company_id)
    .execute();
}

/** The companies with a document later than this instant. */
export function companiesIssuedAfter(db: Reader, after: Instant): Soon<Row<"companies">[]> {
  return issuedAfter(db, { after });
}

const issuedAfter = preparedSelect((db, { after }: { after: Instant }) =>
  db.selectFrom("companies").selectAll().where("last_issued_at", ">", after).orderBy("id"),
);

export function toCompany(row: Row<"companies">): Company {
  return {
    id: row.id,
    name: row.name,
    tax_id: row.tax_id,
    address: row.address,
    postal_code: row.postal_code,
    city: row.city,
    country: row.country,
    tax_region: row.tax_region,
    time_zone: row.time_zone,
    cash_vat: row.cash_vat === 1,
    default_exemption_code: row.default_exemption_code,
    simplified_limit: row.simplified_limit,
    footer_text: row.footer_text,
    iban: row.iban,
    accent_color: row.accent_color,
    prices_with_vat: row.prices_with_vat === 1,
    language: row.language,
    due_days: row.due_days,
    created_at: row.created_at,
  };
}
