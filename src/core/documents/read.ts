/** Reading one document with everything. */
import * as z from "zod";
import type { Row } from "../database/tables.ts";
import { PathId } from "../fields.ts";
import { DOCUMENT_TYPES, isReceipt } from "../fiscal/document-types.ts";
import { sumOfCents } from "../fiscal/money.ts";
import type { PaymentKind } from "../fiscal/payment-means.ts";
import { query } from "../runtime/operation.ts";
import type { ReadScope, WriteScope } from "../runtime/scope.ts";
import { balanceOf, hasBalance } from "./balances.ts";
import { type Document, DocumentWithPayments } from "./document.ts";
import { type Content, type DocumentParts, findContent, findParts } from "./parts.ts";
import { liveMoneyOn, liveMoneyWith, type Payment, showPayments, showPlanned } from "./payments.ts";
import { quoteStatusAtIssue, quoteStatuses } from "./quotations.ts";
import { creditedCentsOn } from "./references.ts";
import { findDocuments, mustFindDocument } from "./rows.ts";
import { moneyIn, moneyOn } from "./settlement.ts";
import { toLine, toSummary } from "./view.ts";

export const getDocument = query(
  {
    id: "getDocument",
    summary: "Get a document with its lines, payments and refunds",
    isTagged: true,
    needs: "documents:read",
    input: z.strictObject({ id: PathId }),
    output: DocumentWithPayments,
    fails: ["not_found"],
  },
  async (scope, { id }) => {
    const row = await mustFindDocument(scope, id);
    if (row.status === "draft" || isReceipt(row)) return showWithPlanned(scope, row, await findParts(scope, row));
    const content = await findContent(scope, row);
    if (DOCUMENT_TYPES[row.doc_type].takes_refunds_at_issue) return showWithRefunds(scope, row, content);
    const recorded = await liveMoneyOn(scope, row.id);
    const money = byKind(await showPayments(scope, recorded, () => row));
    return { ...(await showDocument(scope, row, content, recorded)), ...money };
  },
);

/** A credit note with what was given back with it. */
async function showWithRefunds(
  scope: ReadScope,
  row: Row<"documents">,
  content: Content,
): Promise<DocumentWithPayments> {
  const recorded = await liveMoneyWith(scope, row.id);
  const documents = await findDocuments(
    scope,
    recorded.map(({ document_id }) => document_id),
  );
  const money = byKind(await showPayments(scope, recorded, ({ document_id }) => documents.get(document_id)));
  return { ...(await showDocument(scope, row, content, [])), ...money };
}

function byKind(money: readonly Payment[]): Pick<DocumentWithPayments, "payments" | "refunds"> {
  const of = (kind: PaymentKind) => money.filter((one) => one.kind === kind);
  return { payments: of("payment"), refunds: of("refund") };
}

/** A draft with its planned payments, a receipt with those it states, so that a client reads back what it saved. */
async function showWithPlanned(
  scope: ReadScope,
  row: Row<"documents">,
  { payments: planned, ...content }: DocumentParts,
): Promise<DocumentWithPayments> {
  const kind = DOCUMENT_TYPES[row.doc_type].takes_refunds_at_issue ? "refund" : "payment";
  const money = planned.map(({ payment_id, ...rest }) =>
    showPlanned({ ...rest, id: payment_id, kind, recorded_with: null }, row.number),
  );
  return { ...(await showDocument(scope, row, content, [])), ...byKind(money) };
}

/** A draft as a command leaves it, with the tag of its single read. Reads its parts unless they are passed. */
export async function showDraft(scope: WriteScope, row: Row<"documents">, parts?: DocumentParts): Promise<Document> {
  const whole = await showWithPlanned(scope, row, parts ?? (await findParts(scope, row)));
  scope.noteState(whole);
  const { payments: _, refunds: __, ...shown } = whole;
  return shown;
}

/**
 * A document with its lines and its balance, as every answer but the list shows it. Reads content and what was
 * paid and given back unless they are passed.
 */
export async function showDocument(
  scope: ReadScope,
  row: Row<"documents">,
  content?: Content,
  money?: readonly Pick<Row<"payments">, "kind" | "amount_cents">[],
): Promise<Document> {
  const { lines, references } = content ?? (await findContent(scope, row));
  const balance = hasBalance(row)
    ? balanceOf(row, {
        ...(money ? moneyIn(money) : await moneyOn(scope, row.id)),
        credited_cents: await creditedCentsOn(scope, row.id),
      })
    : null;
  const quote_status = (await quoteStatuses(scope, [row])).get(row.id) ?? null;
  return { ...toSummary(row, references, { balance, quote_status }), lines: lines.map(toLine) };
}

/** A document issued in this call: only payments made at issue can have changed its balance. */
export function showIssued(
  scope: ReadScope,
  { row, parts }: { row: Row<"documents">; parts: DocumentParts },
  company: Row<"companies">,
): Document {
  const paid_cents = sumOfCents(parts.payments);
  const balance = balanceOf(row, { paid_cents, refunded_cents: 0, credited_cents: 0 });
  const quote_status = quoteStatusAtIssue(scope, row, company);
  return { ...toSummary(row, parts.references, { balance, quote_status }), lines: parts.lines.map(toLine) };
}
