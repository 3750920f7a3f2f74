/** Reading documents: one with everything, or a page without lines. */
import { z } from "zod";
import type { Row } from "../database/tables.ts";
import { PathId } from "../fields.ts";
import { sumOfCents } from "../fiscal/money.ts";
import { livePaymentsOf, paidCentsByDocument, paidCentsOn, toPayment } from "../payments.ts";
import { query } from "../runtime/operation.ts";
import { pageOf, preparedPage } from "../runtime/page.ts";
import type { ReadScope } from "../runtime/scope.ts";
import { type Counted, countDocuments } from "./counts.ts";
import { type Document, DocumentFilter, DocumentSummary, DocumentWithPayments } from "./document.ts";
import { type Content, type DocumentParts, findContent, findPlannedPayments, referencesOf } from "./parts.ts";
import { creditedCentsByDocument, creditedCentsOn } from "./references.ts";
import { mustFindDocument } from "./rows.ts";
import { hasBalance, type Settlement, SUMMARY_COLUMNS, type SummaryRow, toLine, toSummary } from "./view.ts";

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
    const { db, company_id } = scope;
    const kind = { doc_type, status, from, to };
    const total = await countDocuments(scope, kind);
    const { data, pagination } = await pageOfDocuments(db, { company_id, ...kind }, page, total);
    return { data: await summarise(scope, data), pagination };
  },
);

const pageOfDocuments = preparedPage(
  (db, { company_id, doc_type, status, from, to }: Counted & { readonly company_id: string }) => {
    let found = db.selectFrom("documents").where("company_id", "=", company_id);
    if (doc_type) found = found.where("doc_type", "=", doc_type);
    if (status) found = found.where("status", "=", status);
    if (from) found = found.where("issue_date", ">=", from);
    if (to) found = found.where("issue_date", "<=", to);
    return found;
  },
  { order: ["issue_date", "id"], columns: SUMMARY_COLUMNS },
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
    const content = await findContent(scope, row);
    // A draft shows its planned payments: a client that edits it reads back what it saved.
    const payments = row.status === "draft" ? await plannedOf(scope, row) : await livePaymentsOf(scope, row.id);
    return { ...(await showDocument(scope, row, content, payments)), payments: payments.map(toPayment) };
  },
);

async function plannedOf(scope: ReadScope, row: Row<"documents">): Promise<Parameters<typeof toPayment>[0][]> {
  const planned = await findPlannedPayments(scope, row);
  return planned.map(({ payment_id, ...payment }) => ({ id: payment_id, ...payment }));
}

/**
 * A document with its lines and its balance, as every answer but the list shows it. Content and live payments are read
 * unless they are given.
 */
export async function showDocument(
  scope: ReadScope,
  row: Row<"documents">,
  content?: Content,
  payments?: readonly { readonly amount_cents: number }[],
): Promise<Document> {
  const { lines, references } = content ?? (await findContent(scope, row));
  const settlement = hasBalance(row)
    ? {
        paid_cents: payments ? sumOfCents(payments) : await paidCentsOn(scope, row.id),
        credited_cents: await creditedCentsOn(scope, row.id),
      }
    : NO_BALANCE;
  return { ...toSummary(row, references, settlement), lines: lines.map(toLine) };
}

/** A document that was issued in this call: only payments made at issue can have changed its balance. */
export function showIssued({ row, parts }: { row: Row<"documents">; parts: DocumentParts }): Document {
  const settlement = { paid_cents: sumOfCents(parts.payments), credited_cents: 0 };
  return { ...toSummary(row, parts.references, settlement), lines: parts.lines.map(toLine) };
}

const NO_BALANCE: Settlement = { paid_cents: 0, credited_cents: 0 };

/** Turns rows into list entries, with as many queries for a page as for one row. */
async function summarise(scope: ReadScope, rows: readonly SummaryRow[]): Promise<DocumentSummary[]> {
  const references = await referencesOf(
    scope,
    rows.map(({ id }) => id),
  );
  const ids = rows.filter(hasBalance).map(({ id }) => id);
  const paid = await paidCentsByDocument(scope, ids);
  const credited = await creditedCentsByDocument(scope, ids);
  return rows.map((row) =>
    toSummary(row, references.get(row.id) ?? [], {
      paid_cents: paid.get(row.id) ?? 0,
      credited_cents: credited.get(row.id) ?? 0,
    }),
  );
}
