/** Reading documents: one with everything, or a page without lines. */
import { z } from "zod";
import type { Row } from "../database/tables.ts";
import { PathId } from "../fields.ts";
import { query } from "../operation.ts";
import { pageOf, readPage } from "../page.ts";
import { paidCentsByDocument, paymentsOf, toPayment } from "../payments.ts";
import type { ReadScope } from "../scope.ts";
import { countDocuments } from "./counts.ts";
import { type Document, DocumentFilter, DocumentSummary, DocumentWithPayments } from "./document.ts";
import { creditedCents } from "./references.ts";
import { type DocumentParts, mustFindDocument, mustFindParts, referencesOf, toLine, toSummary } from "./rows.ts";

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
    let found = scope.db.selectFrom("documents").where("company_id", "=", scope.company_id);
    if (doc_type) found = found.where("doc_type", "=", doc_type);
    if (status) found = found.where("status", "=", status);
    if (from) found = found.where("issue_date", ">=", from);
    if (to) found = found.where("issue_date", "<=", to);
    const total = await countDocuments(scope, { doc_type, status, from, to });
    const { data, pagination } = await readPage(found, page, total, ["issue_date", "id"]);
    const references = await referencesOf(
      scope,
      data.map(({ id }) => id),
    );
    return { data: await summarise(scope, data, references), pagination };
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
    const row = await mustFindDocument(scope, id);
    const parts = await mustFindParts(scope, row);
    const document = await showDocument(scope, row, parts);
    if (row.status !== "draft") return { ...document, payments: await paymentsOf(scope, row.id) };
    // A draft shows what will become its payments, so that whoever edits it can read back what was saved.
    const payments = parts.payments.map(({ payment_id, ...planned }) => toPayment({ id: payment_id, ...planned }));
    return { ...document, payments };
  },
);

/** A document with its lines and what money has done to it, as every answer but the list shows it. */
export async function showDocument(scope: ReadScope, row: Row<"documents">, parts?: DocumentParts): Promise<Document> {
  const { lines, references } = parts ?? (await mustFindParts(scope, row));
  const [summary] = await summarise(scope, [row], new Map([[row.id, references]]));
  return { ...(summary as DocumentSummary), lines: lines.map(toLine) };
}

/** Rows to list entries, in as many queries for a page as for one. */
async function summarise(
  scope: ReadScope,
  rows: readonly Row<"documents">[],
  references: ReadonlyMap<string, readonly Row<"document_references">[]>,
): Promise<DocumentSummary[]> {
  const ids = rows.map(({ id }) => id);
  const paid = await paidCentsByDocument(scope, ids);
  const credited = await creditedCents(scope, ids);
  return rows.map((row) =>
    toSummary(row, references.get(row.id) ?? [], {
      paid_cents: paid.get(row.id) ?? 0,
      credited_cents: credited.get(row.id) ?? 0,
    }),
  );
}
