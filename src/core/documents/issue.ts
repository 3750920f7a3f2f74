/** Issuing: the moment a draft becomes a fiscal document. One transaction; whatever fails, no number was used. */
import { z } from "zod";
import { mustHaveSaneClock } from "../clock.ts";
import { mustFindCompany } from "../companies.ts";
import { findCustomer } from "../customers.ts";
import type { Row } from "../database/tables.ts";
import { type ErrorCode, refuse, refuseInput } from "../errors.ts";
import { recordEvent } from "../events.ts";
import { PathId } from "../fields.ts";
import { type SignedFacts, sealOf, signedText, verifySignature } from "../fiscal/chain.ts";
import { civilDate } from "../fiscal/civil-time.ts";
import { DOCUMENT_TYPES } from "../fiscal/document-types.ts";
import { fromCents } from "../fiscal/money.ts";
import { atcudOf } from "../fiscal/numbering.ts";
import { type Certification, certificationOf } from "../installation.ts";
import { command } from "../operation.ts";
import { insertPayment } from "../payments.ts";
import type { Signer } from "../ports.ts";
import { findProducts } from "../products.ts";
import type { WriteScope } from "../scope.ts";
import { saveHead, takeNumber } from "../series.ts";
import { type CustomerSnapshot, Document, type Issuer } from "./document.ts";
import { showDocument } from "./read.ts";
import { checkReferences } from "./references.ts";
import { claimDocument, type DocumentParts, findDocuments, mustFindParts } from "./rows.ts";
import { frozenForm } from "./seal.ts";

/** No certificate: the installation does not claim to be certified. */
const UNCERTIFIED = 0;

/** What issuing can refuse with, in the order it is checked. */
export const ISSUE_FAILS: readonly ErrorCode[] = [
  "invalid_state",
  "payment_exceeds_balance",
  "series_closed",
  "date_out_of_order",
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
  async (scope, { id }) => showDocument(scope, await issueDraft(scope, await claimDocument(scope, id, "issue"))),
);

/** Gives a draft its number, signs it into the chain and seals it. Returns the row as it will stay. */
export async function issueDraft(scope: WriteScope, draft: Row<"documents">): Promise<Row<"documents">> {
  const company = await mustFindCompany(scope);
  const today = civilDate(scope.now, company.time_zone);
  if (draft.issue_date > today) {
    refuseInput([{ path: "issue_date", message: `is later than today, ${today}` }]);
  }
  const { lines, references, payments } = await mustFindParts(scope, draft);
  await checkReferences(scope, draft, references);
  const customer = await mustFindUsableCustomer(scope, draft, references);
  mustFit(payments, draft);
  await mustHaveSaneClock(scope, company);
  await freezeProducts(scope, lines);
  const parts = await mustFindParts(scope, draft);

  // From here the series is ours until commit. If anything below throws, the number was never taken.
  const taken = await takeNumber(scope, draft.series_id, draft.issue_date);
  const signer = await scope.signer();
  const hash = await sign(scope, signer, {
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
    issuer: JSON.stringify(issuerOf(company, await certificationOf(scope))),
  };
  const seal = sealOf(frozenForm({ ...draft, ...frozen }, parts), taken.previous_seal);
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

/** The customer, unless archived: then only documents that settle what it already has may still be issued. */
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
  if (!isOwn || !DOCUMENT_TYPES[draft.doc_type].archived_customer_allowed) {
    refuse("invalid_state", "The customer is archived.");
  }
  return customer;
}

/** Refuses when more was paid on the spot than the document's gross. */
function mustFit(payments: DocumentParts["payments"], { total_gross_cents }: Row<"documents">): void {
  const sum = payments.reduce((total, { amount_cents }) => total + amount_cents, 0);
  if (sum <= total_gross_cents) return;
  const [paid, gross] = [fromCents(sum), fromCents(total_gross_cents)];
  refuse("payment_exceeds_balance", `The payments sum to ${paid}, the document's total is ${gross}.`);
}

/** Copies code and name of each line's product onto the line, so that the line stays true when the product changes. */
async function freezeProducts(scope: WriteScope, lines: DocumentParts["lines"]): Promise<void> {
  const products = await findProducts(
    scope,
    lines.flatMap(({ product_id }) => product_id ?? []),
  );
  for (const { document_id, line_number, product_id } of lines) {
    const product = products.get(product_id ?? "");
    if (!product) continue;
    await scope.db
      .updateTable("document_lines")
      .set({ product_code: product.sku ?? product.id, product_name: product.name })
      .where("document_id", "=", document_id)
      .where("line_number", "=", line_number)
      .execute();
  }
}

/** Signs, or refuses with `unavailable`. A wrong signature would be frozen for ever, so each one is checked first. */
async function sign(scope: WriteScope, signer: Signer, facts: SignedFacts): Promise<string> {
  const text = signedText(facts);
  try {
    const hash = await signer.sign(text);
    if (!verifySignature(text, hash, signer.public_key)) throw new TypeError("The signer returned no valid signature.");
    return hash;
  } catch (error) {
    scope.log({ level: "error", event: "signing_failed", message: String(error) });
    return refuse("unavailable", "The document could not be signed.");
  }
}

function customerSnapshot(row: Row<"customers">): CustomerSnapshot {
  const { id, code, name, tax_id, address, postal_code, city, country } = row;
  return { id, code, name, tax_id, address, postal_code, city, country };
}

function issuerOf(row: Row<"companies">, { producer }: Certification): Issuer {
  const { name, tax_id, address, postal_code, city, country, tax_region, cash_vat } = row;
  return { name, tax_id, address, postal_code, city, country, tax_region, cash_vat: cash_vat === 1, producer };
}
