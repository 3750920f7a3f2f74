/** Reading one document with everything. */
import * as z from "zod";
import type { Row } from "../database/tables.ts";
import { PathId } from "../fields.ts";
import { isReceipt } from "../fiscal/document-types.ts";
import { sumOfCents } from "../fiscal/money.ts";
import { query } from "../runtime/operation.ts";
import type { ReadScope, WriteScope } from "../runtime/scope.ts";
import { balanceOf, hasBalance } from "./balances.ts";
import { type Document, DocumentWithPayments } from "./document.ts";
import { type Content, type DocumentParts, findContent, findParts } from "./parts.ts";
import { livePaymentsOf, paidCentsOn, showPayments, showPlanned } from "./payments.ts";
import { creditedCentsOn } from "./references.ts";
import { mustFindDocument } from "./rows.ts";
import { toLine, toSummary } from "./view.ts";

export const getDocument = query(
  {
    id: "getDocument",
    summary: "Get a document with its lines and payments",
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
    const recorded = await livePaymentsOf(scope, row.id);
    const payments = await showPayments(scope, recorded, () => row);
    return { ...(await showDocument(scope, row, content, recorded)), payments };
  },
);

/** A draft with its planned payments, a receipt with those it states, so that a client reads back what it saved. */
async function showWithPlanned(
  scope: ReadScope,
  row: Row<"documents">,
  { payments: planned, ...content }: DocumentParts,
): Promise<DocumentWithPayments> {
  const payments = planned.map(({ payment_id, ...rest }) => showPlanned({ id: payment_id, ...rest }, row.number));
  return { ...(await showDocument(scope, row, content, planned)), payments };
}

/** A draft as a command leaves it, with the tag of its single read. Reads its parts unless they are passed. */
export async function showDraft(scope: WriteScope, row: Row<"documents">, parts?: DocumentParts): Promise<Document> {
  const whole = await showWithPlanned(scope, row, parts ?? (await findParts(scope, row)));
  scope.noteState(whole);
  const { payments: _, ...shown } = whole;
  return shown;
}

/**
 * A document with its lines and its balance, as every answer but the list shows it. Reads content and live payments
 * unless they are passed.
 */
export async function showDocument(
  scope: ReadScope,
  row: Row<"documents">,
  content?: Content,
  payments?: readonly { readonly amount_cents: number }[],
): Promise<Document> {
  const { lines, references } = content ?? (await findContent(scope, row));
  const balance = hasBalance(row)
    ? balanceOf(row, {
        paid_cents: payments ? sumOfCents(payments) : await paidCentsOn(scope, row.id),
        credited_cents: await creditedCentsOn(scope, row.id),
      })
    : null;
  return { ...toSummary(row, references, balance), lines: lines.map(toLine) };
}

/** A document issued in this call: only payments made at issue can have changed its balance. */
export function showIssued({ row, parts }: { row: Row<"documents">; parts: DocumentParts }): Document {
  const balance = balanceOf(row, { paid_cents: sumOfCents(parts.payments), credited_cents: 0 });
  return { ...toSummary(row, parts.references, balance), lines: parts.lines.map(toLine) };
}
