/**
 * The parties of a document: issuing checks that its customer is in use, and in strict mode that both are fully named.
 */
import type { Row } from "../database/tables.ts";
import { DOCUMENT_TYPES } from "../fiscal/document-types.ts";
import { FINAL_CONSUMER, FINAL_CONSUMER_NAME } from "../fiscal/tax-id.ts";
import { refuse } from "../runtime/errors.ts";
import { foldAll } from "../runtime/search.ts";
import type { DraftContext } from "./context.ts";
import { t } from "./refusals.ts";

/** Refuses with `invalid_state` an archived customer, unless the document only settles its earlier ones. */
export function mustBeUsable(
  document: Row<"documents">,
  customer: Row<"customers">,
  { referenced }: Pick<DraftContext, "referenced">,
): void {
  if (customer.archived_at === null) return;
  const isKnown = [...referenced.values()].some(({ customer_id }) => customer_id === customer.id);
  if (!isKnown || !DOCUMENT_TYPES[document.doc_type].archived_customer_allowed) {
    refuse("invalid_state", t.customer_is_archived);
  }
}

/**
 * Refuses with `invalid_state` a document if its issuer lacks a full address (CIVA, article 36/5 a). Training documents
 * name the producer of the program instead.
 */
export function mustNameIssuer({ training }: Row<"documents">, company: Row<"companies">): void {
  if (training) return;
  const ofCompany = missing(company, ["address", "postal_code", "city"]);
  if (ofCompany.length > 0) {
    const text = t.company_lacks_address({ fields: ofCompany.map((field) => t.field[field]) });
    refuse("invalid_state", text, { to: "set_company", fields: ofCompany });
  }
}

/**
 * Refuses with `invalid_state` a large invoice if its customer lacks an address and is not the anonymous final consumer
 * (CIVA, article 36/5 a; docs/law.md, "Who is named"). Training documents need none.
 */
export function mustNameCustomer(
  { doc_type, total_gross_cents, training }: Row<"documents">,
  customer: Row<"customers">,
): void {
  if (training) return;
  const { names_customer_above_cents: above_cents } = DOCUMENT_TYPES[doc_type];
  if (above_cents === null || total_gross_cents <= above_cents || isAnonymous(customer)) return;
  const ofCustomer = missing(customer, ["address", "city"]);
  if (ofCustomer.length > 0) {
    const fields = ofCustomer.map((field) => t.field[field]);
    refuse("invalid_state", t.customer_lacks_address({ fields, doc_type, above_cents }), { to: "set_customer" });
  }
}

function missing<Field extends string>(
  party: { readonly [F in Field]: string | null },
  fields: readonly Field[],
): readonly Field[] {
  return fields.filter((field) => party[field] === null);
}

/** Whether this is the final consumer who gave neither name nor number. */
function isAnonymous({ name, tax_id }: Row<"customers">): boolean {
  return (tax_id === null || tax_id === FINAL_CONSUMER) && foldAll([name]) === foldAll([FINAL_CONSUMER_NAME]);
}
