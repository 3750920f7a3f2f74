/** Reading documents: one with everything, or a page without lines. */
import { z } from "zod";
import type { Row } from "../database/tables.ts";
import { refuse } from "../errors.ts";
import { PathId, pageOf } from "../fields.ts";
import { unscaled } from "../fiscal/money.ts";
import { query } from "../operation.ts";
import { readPage } from "../page.ts";
import { type Payment, paidCentsByDocument, paymentsOf } from "../payments.ts";
import type { ReadScope } from "../scope.ts";
import { type Document, DocumentFilter, DocumentSummary, DocumentWithPayments } from "./document.ts";
import { creditedCents } from "./references.ts";
import { documentPaymentsOf, findDocument, linesOf, referencesOf, toDocument, toSummary } from "./rows.ts";

export const listDocuments = query(
  {
    id: "listDocuments",
    summary: "List documents, newest first, without their lines",
    needs: "documents:read",
    input: DocumentFilter,
    output: pageOf(DocumentSummary),
    fails: [],
  },
  async (scope, { doc_type, status, from, to, ...page }) => {
    const found = scope.db
      .selectFrom("documents")
      .where("company_id", "=", scope.company_id)
      .$if(doc_type !== undefined, (qb) => qb.where("doc_type", "=", doc_type as NonNullable<typeof doc_type>))
      .$if(status !== undefined, (qb) => qb.where("status", "=", status as NonNullable<typeof status>))
      .$if(from !== undefined, (qb) => qb.where("issue_date", ">=", from as string))
      .$if(to !== undefined, (qb) => qb.where("issue_date", "<=", to as string));
    const { data, pagination } = await readPage(found, page, ["issue_date", "id"]);
    return { data: await summarise(scope, data), pagination };
  },
);

export const getDocument = query(
  {
    id: "getDocument",
    summary: "Get a document with its lines and payments",
    needs: "documents:read",
    input: z.strictObject({ id: PathId }),
    output: DocumentWithPayments,
    fails: ["not_found"],
  },
  async (scope, { id }) => {
    const row = (await findDocument(scope, id)) ?? refuse("not_found", "There is no such document.");
    // A draft shows what will become its payments, so that whoever edits it can read back what was saved.
    const payments = row.status === "draft" ? await plannedPayments(scope, row.id) : await paymentsOf(scope, row.id);
    return { ...(await showDocument(scope, row)), payments };
  },
);

/** A document's row with its lines and what money has done to it, as every answer but the list shows it. */
export async function showDocument(scope: ReadScope, row: Row<"documents">): Promise<Document> {
  const [summary] = await summarise(scope, [row]);
  return toDocument(summary as DocumentSummary, await linesOf(scope, row.id));
}

async function plannedPayments(scope: ReadScope, document_id: string): Promise<Payment[]> {
  const rows = await documentPaymentsOf(scope, document_id);
  return rows.map(({ payment_id, amount_cents, method_code, payment_date }) => ({
    id: payment_id,
    document_id,
    amount: unscaled(amount_cents, 2),
    method_code,
    payment_date,
  }));
}

/** Rows to list entries, in three queries however many rows there are. */
async function summarise(scope: ReadScope, rows: readonly Row<"documents">[]): Promise<DocumentSummary[]> {
  const ids = rows.map(({ id }) => id);
  const references = Map.groupBy(await referencesOf(scope, ids), ({ document_id }) => document_id);
  const paid = await paidCentsByDocument(scope, ids);
  const credited = await creditedCents(scope, ids);
  return rows.map((row) =>
    toSummary(row, references.get(row.id) ?? [], {
      paid_cents: paid.get(row.id) ?? 0,
      credited_cents: credited.get(row.id) ?? 0,
    }),
  );
}
