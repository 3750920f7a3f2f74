/** Issuing: the moment a draft becomes a fiscal document. One transaction; whatever fails, no number was used. */
import { z } from "zod";
import { mustHaveSaneClock } from "../clock.ts";
import { mustFindCompany } from "../companies.ts";
import { findCustomer } from "../customers.ts";
import type { Row } from "../database/tables.ts";
import { type ErrorCode, LacreError, refuse, refuseInput } from "../errors.ts";
import { recordEvent } from "../events.ts";
import { PathId } from "../fields.ts";
import { sealOf, signedText } from "../fiscal/chain.ts";
import { civilDate } from "../fiscal/civil-time.ts";
import { DOCUMENT_TYPES } from "../fiscal/document-types.ts";
import { refusal } from "../fiscal/lifecycle.ts";
import { formatCents } from "../fiscal/money.ts";
import { atcudOf } from "../fiscal/numbering.ts";
import { command } from "../operation.ts";
import { insertPayment } from "../payments.ts";
import type { Signer } from "../ports.ts";
import { findProducts } from "../products.ts";
import type { WriteScope } from "../scope.ts";
import { saveHead, takeNumber } from "../series.ts";
import { type CustomerSnapshot, Document, type Issuer } from "./document.ts";
import { showDocument } from "./find.ts";
import { findDocuments, settleReferences } from "./references.ts";
import { documentPaymentsOf, findDocument, linesOf, referencesOf } from "./rows.ts";
import { frozenForm } from "./seal.ts";

/** No certificate: the installation does not claim to be certified. */
const UNCERTIFIED = 0;

/** What issuing can refuse with, in the order it is checked. */
export const ISSUE_FAILS: readonly ErrorCode[] = [
  "invalid_state",
  "payment_exceeds_balance",
  "series_closed",
  "date_out_of_order",
  "unavailable",
];

export const issueDocument = command(
  {
    id: "issueDocument",
    summary: "Issue a draft",
    needs: "documents:issue",
    input: z.strictObject({ id: PathId }),
    output: Document,
    fails: ["not_found", ...ISSUE_FAILS],
  },
  async (scope, { id }) => {
    const draft = (await findDocument(scope, id)) ?? refuse("not_found", "There is no such document.");
    return showDocument(scope, await issueDraft(scope, draft));
  },
);

/** Gives a draft its number, signs it into the chain and seals it. Returns the row as it will stay. */
export async function issueDraft(scope: WriteScope, draft: Row<"documents">): Promise<Row<"documents">> {
  const refused = refusal("issue", draft.status);
  if (refused !== undefined) refuse("invalid_state", refused);
  const company = await mustFindCompany(scope);
  const today = civilDate(scope.now, company.time_zone);
  if (draft.issue_date > today) {
    refuseInput([{ path: "issue_date", message: `is later than today, ${today}` }]);
  }
  const references = await settleReferences(scope, draft, await referencesOf(scope, [draft.id]));
  const customer = await mustFindUsableCustomer(scope, draft, references);
  const payments = await mustFitPayments(scope, draft);
  await mustHaveSaneClock(scope, company);
  const lines = await freezeProducts(scope, await linesOf(scope, draft.id));

  // From here the series is ours until commit. If anything below throws, the number was never taken.
  const taken = await takeNumber(scope, draft.series_id, draft.issue_date);
  const signer = await scope.signer();
  const hash = await sign(signer, {
    issue_date: draft.issue_date,
    system_entry_date: taken.system_entry_date,
    number: taken.number,
    total_gross_cents: draft.total_gross_cents,
    previous_hash: taken.previous_hash ?? "",
  });
  const frozen = {
    sequence: taken.sequence,
    number: taken.number,
    atcud: atcudOf(taken.validation_code, taken.sequence),
    system_entry_date: taken.system_entry_date,
    issued_at: taken.issued_at,
    issued_by: scope.caller.key_id,
    hash,
    key_version: signer.key_version,
    certificate_number: UNCERTIFIED,
    customer: JSON.stringify(customerSnapshot(customer)),
    issuer: JSON.stringify(issuerOf(company)),
  };
  const seal = sealOf(frozenForm({ ...draft, ...frozen }, { lines, references, payments }), taken.previous_seal);
  const issued = await scope.db
    .updateTable("documents")
    .set({ ...frozen, status: "issued", seal })
    .where("id", "=", draft.id)
    .where("status", "=", "draft")
    .returningAll()
    .executeTakeFirstOrThrow();
  await saveHead(scope, draft.series_id, { hash, seal });

  for (const { payment_id, amount_cents, method_code, payment_date } of payments) {
    await insertPayment(scope, draft.id, { id: payment_id, amount_cents, method_code, payment_date });
  }
  await recordEvent(scope, "document.issued", issued.id, { number: issued.number });
  scope.keepAnswer();
  return issued;
}

/** The customer, unless hidden: then only documents that settle what it already has may still be issued. */
async function mustFindUsableCustomer(
  scope: WriteScope,
  draft: Row<"documents">,
  references: readonly Row<"document_references">[],
): Promise<Row<"customers">> {
  const customer = await findCustomer(scope, draft.customer_id);
  if (!customer) return refuse("invalid_state", "The customer does not exist.");
  if (customer.archived_at === null) return customer;
  const referenced = await findDocuments(
    scope,
    references.map(({ referenced_id }) => referenced_id),
  );
  const isOwn = [...referenced.values()].some(({ customer_id }) => customer_id === customer.id);
  if (!isOwn || !DOCUMENT_TYPES[draft.doc_type].hidden_customer_allowed) {
    refuse("invalid_state", "The customer was deleted.");
  }
  return customer;
}

/** What was paid on the spot, which must not be more than the document's gross. */
async function mustFitPayments(scope: WriteScope, draft: Row<"documents">): Promise<Row<"document_payments">[]> {
  const payments = await documentPaymentsOf(scope, draft.id);
  const sum = payments.reduce((total, { amount_cents }) => total + amount_cents, 0);
  if (sum > draft.total_gross_cents) {
    refuse(
      "payment_exceeds_balance",
      `The payments sum to ${formatCents(sum)}, the document's total is ${formatCents(draft.total_gross_cents)}.`,
    );
  }
  return payments;
}

/** Copies code and name of each line's product onto the line, so that the line stays true when the product changes. */
async function freezeProducts(scope: WriteScope, lines: Row<"document_lines">[]): Promise<Row<"document_lines">[]> {
  const products = await findProducts(
    scope,
    lines.flatMap(({ product_id }) => product_id ?? []),
  );
  for (const { id, sku, name } of products.values()) {
    await scope.db
      .updateTable("document_lines")
      .set({ product_code: sku ?? id, product_name: name })
      .where("document_id", "=", (lines[0] as Row<"document_lines">).document_id)
      .where("product_id", "=", id)
      .execute();
  }
  return lines.map((line) => {
    const product = line.product_id === null ? undefined : products.get(line.product_id);
    return product ? { ...line, product_code: product.sku ?? product.id, product_name: product.name } : line;
  });
}

/** Signs, or refuses with `unavailable`: a signer that fails leaves nothing behind. */
async function sign(signer: Signer, facts: Parameters<typeof signedText>[0]): Promise<string> {
  try {
    return await signer.sign(signedText(facts));
  } catch (error) {
    throw Object.assign(new LacreError("unavailable", "The document could not be signed."), { cause: error });
  }
}

function customerSnapshot(row: Row<"customers">): CustomerSnapshot {
  const { id, code, name, tax_id, address, postal_code, city, country } = row;
  return { id, code, name, tax_id, address, postal_code, city, country };
}

function issuerOf(row: Row<"companies">): Issuer {
  const { name, tax_id, address, postal_code, city, country, tax_region, cash_vat } = row;
  return { name, tax_id, address, postal_code, city, country, tax_region, cash_vat: cash_vat === 1 };
}
