/** Notices of what another customer or product has already. Nothing of it must be unique: shops merge and split. */
import { preparedSelect } from "../database/prepared.ts";
import { hasRarely } from "../database/words.ts";
import { FINAL_CONSUMER } from "../fiscal/tax-id.ts";
import { MAX_NOTICED, type NoticeCode, type Noticed } from "../runtime/notices.ts";
import type { WriteScope } from "../runtime/scope.ts";
import type { Text } from "../texts/texts.ts";
import { t } from "./refusals.ts";

/** How the value of a field is noticed that another record has. */
interface Shared {
  readonly code: NoticeCode;
  readonly says: (values: { readonly count: number }) => Text;
}

const SHARED = {
  customers: {
    tax_id: { code: "tax_id_in_use", says: t.tax_id_in_use },
    external_id: { code: "external_id_in_use", says: t.customer_external_id_in_use },
  },
  products: {
    sku: { code: "sku_in_use", says: t.sku_in_use },
    external_id: { code: "external_id_in_use", says: t.product_external_id_in_use },
    till_number: { code: "till_number_in_use", says: t.till_number_in_use },
  },
} as const satisfies Record<string, Readonly<Record<string, Shared>>>;

type Field<Name extends keyof typeof SHARED> = keyof (typeof SHARED)[Name] & string;

interface Sought {
  readonly company_id: string;
  readonly id: string;
  readonly value: string | number;
}

/** Finds the others that have a value in a column, oldest first. */
function othersBy(name: "customers" | "products", column: string) {
  return preparedSelect((db, { company_id, id, value }: Sought) =>
    db
      .selectFrom(name as "customers")
      .select("id")
      .where("company_id", "=", company_id)
      .where(hasRarely(column, value))
      .where("archived_at", "is", null)
      .where("id", "<>", id)
      .orderBy("id")
      .limit(MAX_NOTICED),
  );
}

/** Makes the finder of notices about a table's fields. */
function noticesOn<Name extends keyof typeof SHARED>(name: Name) {
  const finders = Object.entries<Shared>(SHARED[name]).map(([field, shared]) => ({
    field: field as Field<Name>,
    ...shared,
    others: othersBy(name, field),
  }));
  type Values = { readonly [Own in Field<Name>]?: string | number | null };
  return async (
    { db, company_id }: WriteScope,
    row: Values & { readonly id: string },
    sent: object,
  ): Promise<Noticed[]> => {
    const notices: Noticed[] = [];
    for (const { field, code, says, others } of finders) {
      const value = row[field];
      if (!(field in sent) || value == null || value === FINAL_CONSUMER) continue;
      const ids = (await others(db, { company_id, id: row.id, value })).map(({ id }) => id);
      if (ids.length > 0) notices.push({ code, text: says({ count: ids.length }), ids });
    }
    return notices;
  };
}

/** What of the fields sent another customer has; the final consumer's number is everybody's. */
export const customersLike = noticesOn("customers");
/** What of the fields sent another product has. */
export const productsLike = noticesOn("products");
