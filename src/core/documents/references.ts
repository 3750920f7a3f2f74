/** References: what a document corrects, returns, acknowledges or follows. Their rules are checked when issuing. */
import type { Row } from "../database/tables.ts";
import { type Problem, refuse, refuseInput } from "../errors.ts";
import { DOCUMENT_TYPES } from "../fiscal/document-types.ts";
import { fromCents } from "../fiscal/money.ts";
import type { ReadScope, WriteScope } from "../scope.ts";
import { findDocuments } from "./rows.ts";

/**
 * Checks the references of a document that is being issued and fixes the amount each one carries: the whole gross
 * when there is one reference and it names none. Refuses with 400 for what can never be right, with `invalid_state`
 * when the referenced document is not issued.
 */
export async function checkReferences(
  scope: WriteScope,
  document: Row<"documents">,
  references: readonly Row<"document_references">[],
): Promise<void> {
  if (references.length === 0) return;
  const found = await findDocuments(
    scope,
    references.map(({ referenced_id }) => referenced_id),
  );
  const problems = references.flatMap((reference, i) =>
    problemsWith(document, found.get(reference.referenced_id)).map((message) => ({
      path: `references[${i}].document_id`,
      message,
    })),
  );
  if (problems.length > 0) refuseInput(problems);
  for (const { referenced_id } of references) {
    const referenced = found.get(referenced_id);
    if (referenced?.status !== "issued") {
      refuse("invalid_state", `A referenced document must be issued; this one is ${referenced?.status}.`);
    }
  }
  await saveAmounts(scope, document, references);
}

/** What is wrong with referring to this document, whatever happens to it later. */
function problemsWith(document: Row<"documents">, referenced: Row<"documents"> | undefined): string[] {
  const type = DOCUMENT_TYPES[document.doc_type];
  if (!referenced) return ["names no document of this company"];
  const problems: string[] = [];
  if (!type.may_reference.includes(referenced.doc_type)) {
    problems.push(
      type.may_reference.length === 0
        ? `a document of type ${document.doc_type} references nothing`
        : `is of type ${referenced.doc_type}; ${document.doc_type} may reference ${type.may_reference.join(", ")}`,
    );
  }
  if (referenced.issue_date > document.issue_date) problems.push("is dated later than this document");
  if (type.same_customer && referenced.customer_id !== document.customer_id) problems.push("is of another customer");
  return problems;
}

/** Refuses amounts that do not add up; where a single reference names none, stores the whole gross as its amount. */
async function saveAmounts(
  scope: WriteScope,
  document: Row<"documents">,
  references: readonly Row<"document_references">[],
): Promise<void> {
  const { splits_amount } = DOCUMENT_TYPES[document.doc_type];
  if (!splits_amount) return;
  if (references.length === 1 && references[0]?.amount_cents === null) {
    await scope.db
      .updateTable("document_references")
      .set({ amount_cents: document.total_gross_cents })
      .where("document_id", "=", document.id)
      .execute();
    return;
  }
  const problems: Problem[] = references.flatMap(({ amount_cents }, i) =>
    amount_cents === null ? [{ path: `references[${i}].amount`, message: "is required with several references" }] : [],
  );
  if (problems.length > 0) refuseInput(problems);
  const sum = references.reduce((total, { amount_cents }) => total + (amount_cents ?? 0), 0);
  if (sum === document.total_gross_cents) return;
  const [amounts, total] = [fromCents(sum), fromCents(document.total_gross_cents)];
  refuseInput([{ path: "references", message: `amounts sum to ${amounts}, the document's total is ${total}` }]);
}

/** Cents that live credit notes take off each document; documents without any are absent. */
export async function creditedCents(
  { db }: ReadScope,
  document_ids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (document_ids.length === 0) return new Map();
  const rows = await db
    .selectFrom("document_references as reference")
    .innerJoin("documents as credit", "credit.id", "reference.document_id")
    .select(["reference.referenced_id", (eb) => eb.fn.sum<number>("reference.amount_cents").as("credited")])
    .where("reference.referenced_id", "in", document_ids)
    .where("credit.doc_type", "=", "NC")
    .where("credit.status", "=", "issued")
    .groupBy("reference.referenced_id")
    .execute();
  return new Map(rows.map((row) => [row.referenced_id, row.credited]));
}

/** Whether any other document, drafts included, references this one. */
export async function isReferenced({ db }: ReadScope, document_id: string): Promise<boolean> {
  const row = await db
    .selectFrom("document_references")
    .select("document_id")
    .where("referenced_id", "=", document_id)
    .where("document_id", "<>", document_id)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** The number of a live document that references this one, or undefined. */
export async function liveReferrer({ db }: ReadScope, document_id: string): Promise<string | undefined> {
  const row = await db
    .selectFrom("document_references as reference")
    .innerJoin("documents as referrer", "referrer.id", "reference.document_id")
    .select("referrer.number")
    .where("reference.referenced_id", "=", document_id)
    .where("referrer.status", "=", "issued")
    .limit(1)
    .executeTakeFirst();
  return row?.number ?? undefined;
}
