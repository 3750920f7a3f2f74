/**
 * The customer that a document is sent with instead of an id: found among those stored, changed as a PATCH would, or
 * created. What is to be done is planned by reading alone, so that a preview can show it.
 */
import * as z from "zod";
import { preparedSelect } from "../database/prepared.ts";
import { type Reader, type Row, TABLES } from "../database/tables.ts";
import { hasRarely, orElse } from "../database/words.ts";
import { definedOnly, problemsWithMissing, withFields } from "../fields.ts";
import { FINAL_CONSUMER, FINAL_CONSUMER_NAME, isPortuguese, normalTaxId } from "../fiscal/tax-id.ts";
import { type Problem, problem, refuseInput } from "../runtime/errors.ts";
import type { Noticed } from "../runtime/notices.ts";
import { common } from "../runtime/refusals.ts";
import type { ReadScope, WriteScope } from "../runtime/scope.ts";
import { storedMetadata } from "./caller-data.ts";
import {
  type CustomerColumns,
  columnsAfter,
  columnsOfNew,
  insertCustomer,
  NewCustomer,
  toCustomer,
} from "./customers.ts";
import { customersLike } from "./in-use.ts";
import { storeChanged } from "./master-data.ts";
import { t } from "./refusals.ts";

/** A customer as a document is sent with one: without a name where the tax number is a NIF. */
export const CustomerWithin = withFields(
  z.strictObject({
    ...NewCustomer.shape,
    name: NewCustomer.shape.name
      .optional()
      .describe(`Required unless tax_id is a NIF; whoever is created without one is called ${FINAL_CONSUMER_NAME}.`),
  }),
  problemsWithName,
).meta({
  id: "CustomerWithin",
  description:
    "In place of customer_id, and needs the scope customers:write too. Found by external_id if one is sent and known, else by tax_id and name; created if there is none. What is sent and differs changes the customer, what is not sent stays.",
});
type CustomerWithin = z.output<typeof CustomerWithin>;

/** Without a name it must have a NIF. The fields come as they were sent, of any type. */
function problemsWithName(given: Readonly<Record<string, unknown>>): readonly Problem[] {
  const { name, tax_id, country = null } = given;
  if (country !== null && typeof country !== "string") return []; // refused for that
  if (name !== undefined || typeof tax_id !== "string" || !isPortuguese({ tax_id, country })) {
    return problemsWithMissing(given, ["name"]);
  }
  return normalTaxId(tax_id, country) === undefined ? [problem("tax_id", common.must_be_nif)] : [];
}

/** What a document does with the customer that it is sent with. */
export interface CustomerPlan {
  /** As stored; undefined if there is none yet. */
  readonly before: Row<"customers"> | undefined;
  /** To be stored; undefined where nothing changes. */
  readonly columns: CustomerColumns | undefined;
  /** The names of the fields that change. */
  readonly fields: readonly string[];
}

/** Finds the customer, and checks what would be stored; refuses as creating or changing it would. */
export async function planCustomer(scope: ReadScope, given: CustomerWithin): Promise<CustomerPlan> {
  const before = await findWithin(scope, given);
  if (!before) {
    const columns = await columnsOfNew(scope, { ...given, name: given.name ?? FINAL_CONSUMER_NAME });
    return { before, columns, fields: [] };
  }
  const changes = changesTo(before, given);
  const fields = Object.keys(changes);
  return { before, columns: fields.length > 0 ? await columnsAfter(scope, before, changes) : undefined, fields };
}

/** The customer as planned. One that is yet to be made has neither id nor code: both are empty. */
export function plannedCustomer({ company_id, now }: ReadScope, { before, columns }: CustomerPlan): Row<"customers"> {
  const at = now.toISOString();
  const none = Object.fromEntries(Object.keys(TABLES.customers).map((name) => [name, null]));
  const blank = { ...none, id: "", code: "", company_id, created_at: at, updated_at: at };
  return { ...(before ?? (blank as Row<"customers">)), ...columns };
}

/** A customer that a document was sent with, as it is stored now, and what there is to know about it. */
export interface StoredWithin {
  readonly row: Row<"customers">;
  readonly notices: readonly Noticed[];
}

/** Does what was planned. */
export async function storePlanned(scope: WriteScope, plan: CustomerPlan): Promise<StoredWithin> {
  const { before, columns, fields } = plan;
  const notices = (row: Row<"customers">) => [noticeOf(plan, row.id)];
  if (before && !columns) return { row: before, notices: notices(before) };
  const stored = columns as CustomerColumns;
  const row = before
    ? await storeChanged(scope, "customers", before, stored, fields)
    : await insertCustomer(scope, stored);
  const sent = before ? Object.fromEntries(fields.map((name) => [name, true])) : stored;
  return { row, notices: [...notices(row), ...(await customersLike(scope, row, sent))] };
}

/** What an answer tells about the customer that the document was sent with; `id` is undefined before it has one. */
export function noticeOf({ before, columns, fields }: CustomerPlan, id: string | undefined): Noticed {
  const ids = id === undefined ? [] : [id];
  if (!before) return { code: "customer_created", text: t.customer_created, ids };
  return columns
    ? { code: "customer_changed", text: t.customer_changed({ fields }), ids }
    : { code: "customer_found", text: t.customer_found, ids };
}

/** What was sent and differs. No tax number, and that of the final consumer, are one. */
function changesTo(before: Row<"customers">, given: CustomerWithin): Partial<CustomerWithin> {
  const stored = toCustomer(before);
  const { metadata, tax_id, ...rest } = definedOnly(given);
  const changes = Object.entries(rest).filter(([name, value]) => value !== stored[name as keyof typeof rest]);
  return {
    ...Object.fromEntries(changes),
    ...(tax_id !== undefined && !isSameTaxId(tax_id, { ...before, ...rest }, before) && { tax_id }),
    ...(metadata !== undefined && storedMetadata(metadata) !== before.metadata && { metadata }),
  };
}

function isSameTaxId(
  tax_id: string | null,
  { country }: Pick<Row<"customers">, "country">,
  before: Row<"customers">,
): boolean {
  const normal = tax_id === null ? null : normalTaxId(tax_id, country);
  return normal !== undefined && (normal ?? FINAL_CONSUMER) === (before.tax_id ?? FINAL_CONSUMER);
}

/** The customer with the external_id that is sent, else with its tax number and name; of several the oldest. */
async function findWithin({ db, company_id }: ReadScope, given: CustomerWithin): Promise<Row<"customers"> | undefined> {
  const { external_id, name, country = null } = given;
  const [known] = external_id == null ? [] : await withExternalId(db, { company_id, external_id });
  if (known) return known;
  const tax_id = given.tax_id == null ? FINAL_CONSUMER : normalTaxId(given.tax_id, country);
  if (tax_id === undefined) return refuseInput([problem("tax_id", common.must_be_nif)]);
  const isNamed = name !== undefined || tax_id === FINAL_CONSUMER;
  const identity = { company_id, tax_id, name: isNamed ? (name ?? FINAL_CONSUMER_NAME) : undefined };
  const [found] = await (external_id === undefined ? anyOf : withoutId)(db, identity);
  return found;
}

interface Identity {
  readonly company_id: string;
  /** In its normal form; that of the final consumer for none. */
  readonly tax_id: string;
  /** Undefined for any. */
  readonly name: string | undefined;
}

const firstWith = (db: Reader, company_id: string) =>
  db
    .selectFrom("customers")
    .selectAll()
    .where("company_id", "=", company_id)
    .where("archived_at", "is", null)
    .orderBy("id")
    .limit(1);

const withExternalId = preparedSelect(
  (db, { company_id, external_id }: { readonly company_id: string; readonly external_id: string }) =>
    firstWith(db, company_id).where(hasRarely("external_id", external_id)),
);

const withIdentity = (db: Reader, { company_id, tax_id, name }: Identity) => {
  const found = firstWith(db, company_id).where(orElse("tax_id", FINAL_CONSUMER), "=", tax_id);
  return name === undefined ? found : found.where("name", "=", name);
};

const anyOf = preparedSelect(withIdentity);
const withoutId = preparedSelect((db, identity: Identity) =>
  withIdentity(db, identity).where("external_id", "is", null),
);
