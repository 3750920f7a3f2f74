/** Customer: the person or company a document is issued to. */
import * as z from "zod";
import { takeCodeNumber } from "../company/companies.ts";
import { preparedSelect } from "../database/prepared.ts";
import type { NewRow, Row } from "../database/tables.ts";
import { hasIssuedTo } from "../documents/rows.ts";
import { DueDays, definedOnly, Id, Instant, PaperLanguage, PathId, says, text } from "../fields.ts";
import { FINAL_CONSUMER, isNamedByTaxId, normalTaxId } from "../fiscal/tax-id.ts";
import { problem, refuse, refuseInput } from "../runtime/errors.ts";
import { noticing, withNotices } from "../runtime/notices.ts";
import { command, query } from "../runtime/operation.ts";
import { cursorPageOf } from "../runtime/page.ts";
import { common } from "../runtime/refusals.ts";
import type { ReadScope, WriteScope } from "../runtime/scope.ts";
import { foldAll } from "../runtime/search.ts";
import { isStrict } from "../signing/certification.ts";
import { CALLER_FIELDS, CALLER_INPUT, parseMetadata, storedMetadata } from "./caller-data.ts";
import { customersLike } from "./in-use.ts";
import { listRecords, RECORD_FILTER } from "./list.ts";
import { archive, type Sorted, shownAs, storeChanged, storeMissing, storeNew } from "./master-data.ts";
import { t } from "./refusals.ts";

const name = text(200).meta({ example: "Padaria Central, Lda." });
const details = {
  tax_id: text(30).nullable().describe("For Portugal (or no country) a valid NIF."),
  email: text(100)
    .refine((given) => z.regexes.email.test(given), says(common.must_be_email))
    .nullable()
    .meta({ format: "email" }),
  phone: text(100).nullable(),
  address: text(100, { multiline: true }).nullable(),
  postal_code: text(100).nullable(),
  city: text(100).nullable(),
  country: text(100).nullable().describe("ISO 3166 alpha-2, or free text as given."),
  language: PaperLanguage.nullable().describe("The language of what is printed for it; the company's when null."),
  due_days: DueDays.nullable().describe("The days in which it pays; the company's when null."),
};
const reminders = z.boolean().describe("Whether it is reminded by e-mail of what is overdue, if the company reminds.");

export const Customer = z
  .strictObject({ id: Id, name, ...details, reminders, ...CALLER_FIELDS, created_at: Instant, updated_at: Instant })
  .meta({ id: "Customer", description: "Whom a document is issued to." });
export type Customer = z.infer<typeof Customer>;

/** A customer as a change answers it. */
export const StoredCustomer = withNotices(Customer);
export type StoredCustomer = z.infer<typeof StoredCustomer>;

const fields = { ...details, reminders, ...CALLER_INPUT };
export const NewCustomer = z
  .strictObject({ name, ...z.object(fields).partial().shape })
  .meta({ id: "CustomerInput", description: "A customer to create; left-out fields are null, and `reminders` true." });
export type NewCustomer = z.input<typeof NewCustomer>;
export const CustomerChanges = z
  .strictObject(z.object({ name, ...fields }).partial().shape)
  .meta({ id: "CustomerChanges", description: "The fields of a customer to change; null clears one." });
export type CustomerChanges = z.input<typeof CustomerChanges>;

export const listCustomers = query(
  {
    id: "listCustomers",
    summary: "List customers, newest first or by name",
    needs: "customers:read",
    input: z.strictObject({
      ...RECORD_FILTER,
      tax_id: text(30)
        .optional()
        .describe("Only customers with this tax number, in its normal form: for a NIF without `PT`."),
    }),
    output: cursorPageOf(Customer),
    fails: [],
  },
  async (scope, { tax_id, ...input }) => {
    const asked = { ...input, tax_id: tax_id === undefined ? undefined : (normalTaxId(tax_id, "PT") ?? tax_id) };
    return listRecords(scope, "customers", asked, toCustomer);
  },
);

export const createCustomer = command(
  {
    id: "createCustomer",
    summary: "Create a customer",
    isTagged: true,
    needs: "customers:write",
    input: NewCustomer,
    output: StoredCustomer,
    fails: [],
  },
  async (scope, input) => {
    const row = await insertCustomer(scope, await columnsOfNew(scope, input));
    return noticing(scope, shownAs(scope, toCustomer(row)), await customersLike(scope, row, input));
  },
);

export const getCustomer = query(
  {
    id: "getCustomer",
    summary: "Get a customer",
    isTagged: true,
    needs: "customers:read",
    input: z.strictObject({ id: PathId }),
    output: Customer,
    fails: ["not_found"],
  },
  async (scope, { id }) => toCustomer(await mustFindCustomer(scope, id)),
);

export const changeCustomer = command(
  {
    id: "changeCustomer",
    summary: "Change the fields sent; null clears one",
    target: getCustomer,
    isTagged: true,
    needs: "customers:write",
    input: z.strictObject({ id: PathId, ...CustomerChanges.shape }),
    output: StoredCustomer,
    fails: ["not_found", "invalid_state"],
  },
  async (scope, { id, ...input }) => {
    const before = await mustFindCustomer(scope, id);
    const changes = definedOnly(input);
    if (Object.keys(changes).length === 0) return noticing(scope, shownAs(scope, toCustomer(before)));
    const columns = await columnsAfter(scope, before, changes);
    const saved = await storeChanged(scope, "customers", before, columns, Object.keys(changes));
    return noticing(scope, shownAs(scope, toCustomer(saved)), await customersLike(scope, saved, changes));
  },
);

/** The columns of a customer after changes; refuses changes that it must not have. */
export async function columnsAfter(
  scope: ReadScope,
  before: Row<"customers">,
  changes: z.output<typeof CustomerChanges>,
): Promise<CustomerColumns> {
  const { id: _, created_at: __, updated_at: ___, ...fields } = toCustomer(before);
  const columns = columnsOf({ ...fields, ...definedOnly(changes) });
  if (columns.name !== before.name) await mustNotBeNamedByTaxId(scope, columns.name);
  await mustKeepIdentity(scope, before, columns);
  return columns;
}

/** The columns of a new customer; refuses what it must not have. */
export async function columnsOfNew(scope: ReadScope, input: z.output<typeof NewCustomer>): Promise<CustomerColumns> {
  await mustNotBeNamedByTaxId(scope, input.name);
  return columnsOf(input);
}

/** In strict mode a name may not be a tax number: a document to it would go to the final consumer. */
async function mustNotBeNamedByTaxId(scope: ReadScope, name: string): Promise<void> {
  if (isNamedByTaxId(name) && (await isStrict(scope))) refuseInput([problem("name", t.is_tax_id)]);
}

/**
 * In strict mode refuses with `invalid_state` changes to a customer with documents: to a tax number, and to the name
 * while there is none (Despacho 8632/2014, 3.3.3 and 3.3.4). A missing number may be filled in.
 */
async function mustKeepIdentity(
  scope: ReadScope,
  before: Row<"customers">,
  after: Pick<Row<"customers">, "name" | "tax_id">,
): Promise<void> {
  const isKnown = hasTaxId(before);
  const isKept = isKnown ? after.tax_id === before.tax_id : hasTaxId(after) || after.name === before.name;
  if (isKept || !(await isStrict(scope)) || !(await hasIssuedTo(scope, before.id))) return;
  refuse("invalid_state", isKnown ? t.customer_tax_id_is_fixed : t.customer_name_is_fixed);
}

/** Whether the customer has a tax number of its own. */
function hasTaxId({ tax_id }: Pick<Row<"customers">, "tax_id">): boolean {
  return tax_id !== null && tax_id !== FINAL_CONSUMER;
}

export const archiveCustomer = command(
  {
    id: "archiveCustomer",
    summary: "Archive a customer: hidden from reads and lists; its documents do not change",
    target: getCustomer,
    needs: "customers:write",
    input: z.strictObject({ id: PathId }),
    output: z.void(),
    fails: ["not_found"],
  },
  async (scope, { id }) => archive(scope, "customers", await mustFindCustomer(scope, id)),
);

/**
 * Creates the customers that do not exist yet, and returns which they are. A customer exists if one with its tax id and
 * name is stored or earlier in the list. With `dry_run` nothing is written.
 */
export async function importCustomers(
  scope: WriteScope,
  given: readonly z.output<typeof NewCustomer>[],
  dry_run: boolean,
): Promise<Sorted<Pick<Customer, "name" | "tax_id">>> {
  const rows = await scope.db
    .selectFrom("customers")
    .select(["tax_id", "name"])
    .where("company_id", "=", scope.company_id)
    .where("archived_at", "is", null)
    .execute();
  const items = given.map((customer) => columnsOf(customer));
  return storeMissing(rows.map(identityOf), items, identityOf, async (columns) => {
    if (!dry_run) await insertCustomer(scope, columns);
  });
}

function identityOf({ tax_id, name }: Pick<Customer, "tax_id" | "name">): string {
  return JSON.stringify([tax_id, name]);
}

/** Stores a new customer under the next code. */
export async function insertCustomer(scope: WriteScope, columns: CustomerColumns): Promise<Row<"customers">> {
  const row: NewRow<"customers"> = {
    id: scope.newId(),
    company_id: scope.company_id,
    code: `C${await takeCodeNumber(scope, "customer_count")}`,
    ...columns,
    created_at: scope.now.toISOString(),
    updated_at: scope.now.toISOString(),
  };
  return storeNew(scope, "customers", row);
}

/** The customer with this id, or refuses with `not_found`; an archived one is not found either. */
async function mustFindCustomer(scope: ReadScope, id: string): Promise<Row<"customers">> {
  const row = await findCustomer(scope, id);
  if (!row || row.archived_at !== null) return refuse("not_found", t.no_such_customer);
  return row;
}

/** The customer with this id, archived ones included: documents still name them. */
export async function findCustomer({ db, company_id }: ReadScope, id: string): Promise<Row<"customers"> | undefined> {
  return (await customerById(db, { id, company_id }))[0];
}

const customerById = preparedSelect((db, { id, company_id }: { id: string; company_id: string }) =>
  db.selectFrom("customers").selectAll().where("id", "=", id).where("company_id", "=", company_id),
);

/** The columns that hold a customer's fields. */
export type CustomerColumns = ReturnType<typeof columnsOf>;

/** The columns of a customer: its fields with the tax id in its normal form, and the folded copy for search. */
function columnsOf({ name, reminders = true, ...optional }: z.output<typeof NewCustomer>) {
  const { email = null, phone = null, country = null } = optional;
  const tax_id = optional.tax_id == null ? null : normalTaxId(optional.tax_id, country);
  if (tax_id === undefined) return refuseInput([problem("tax_id", common.must_be_nif)]);
  const metadata = storedMetadata(optional.metadata);
  return {
    ...definedOnly(optional),
    name,
    tax_id,
    reminders: reminders ? 1 : 0,
    metadata,
    search: foldAll([name, tax_id, email, phone]),
  };
}

/** A customer as callers see it. */
export function toCustomer(row: Row<"customers">): Customer {
  return {
    id: row.id,
    name: row.name,
    tax_id: row.tax_id,
    email: row.email,
    phone: row.phone,
    address: row.address,
    postal_code: row.postal_code,
    city: row.city,
    country: row.country,
    language: row.language,
    due_days: row.due_days,
    reminders: row.reminders === 1,
    external_id: row.external_id,
    metadata: parseMetadata(row.metadata),
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}
