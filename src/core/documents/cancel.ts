/** Cancelling: the last change of an issued document, which keeps its number, its hash and its sequence. */
import * as z from "zod";
import type { Row } from "../database/tables.ts";
import { recordDocumentEvent } from "../events/events.ts";
import { PathId, text } from "../fields.ts";
import { problem, refuse, refuseInput } from "../runtime/errors.ts";
import { command } from "../runtime/operation.ts";
import type { WriteScope } from "../runtime/scope.ts";
import { mustNotHaveJumped } from "../series/clock-guard.ts";
import { Document } from "./document.ts";
import { findContent } from "./parts.ts";
import { liveMoneyOn, liveMoneyWith, voidMoney } from "./payments.ts";
import { getDocument, showDocument } from "./read.ts";
import { liveReferrer } from "./references.ts";
import { t } from "./refusals.ts";
import { claimDocument } from "./rows.ts";
import { removeSale } from "./sales.ts";
import { mustNotHaveLeft } from "./transport.ts";

const DEFAULT_CANCEL_REASON = "Anulado pelo emitente";

export const cancelDocument = command(
  {
    id: "cancelDocument",
    summary: "Cancel an issued document",
    target: getDocument,
    needs: "documents:cancel",
    input: z.strictObject({
      id: PathId,
      reason: text(50).optional().describe(`Why; goes into the tax file. "${DEFAULT_CANCEL_REASON}" when left out.`),
      payments: z
        .enum(["void", "keep"])
        .optional()
        .describe("Required for a receipt that recorded payments: whether they are voided with it, or stay."),
    }),
    output: Document,
    fails: ["not_found", "invalid_state", "document_settled"],
  },
  async (scope, { id, reason = DEFAULT_CANCEL_REASON, payments }) => {
    const document = await claimDocument(scope, id, "cancel");
    mustNotHaveLeft(document, scope.now);
    const referrer = await liveReferrer(scope, document.id);
    if (referrer !== undefined) refuse("document_settled", t.is_referenced_by({ number: referrer }));
    const recorded = await mustBeSettledFirst(scope, document, payments);
    await mustNotHaveJumped(scope);
    const cancelled = await scope.db
      .updateTable("documents")
      .set({
        status: "cancelled",
        cancelled_at: scope.now.toISOString(),
        cancelled_by: scope.actor_id,
        cancel_reason: reason,
      })
      .where("id", "=", document.id)
      .where("status", "=", "issued")
      .returningAll()
      .executeTakeFirstOrThrow();
    const content = await findContent(scope, cancelled);
    await removeSale(scope, cancelled, content.lines);
    await recordDocumentEvent(scope, "document.cancelled", cancelled, { number: cancelled.number, reason });
    for (const payment of payments === "void" ? recorded : []) await voidMoney(scope, payment);
    return showDocument(scope, cancelled, content);
  },
);

/**
 * The payments that a receipt recorded. Refuses with `document_settled` a document with payments or refunds, and a
 * receipt with payments when nothing is said of them.
 */
async function mustBeSettledFirst(
  scope: WriteScope,
  document: Row<"documents">,
  payments: "void" | "keep" | undefined,
): Promise<readonly Row<"payments">[]> {
  const records = document.record_payments === 1;
  if (payments && !records) refuseInput([problem("payments", t.is_for_receipts_that_recorded)]);
  const money = [...(await liveMoneyOn(scope, document.id)), ...(await liveMoneyWith(scope, document.id))];
  if (records && money.length > 0 && !payments) refuse("document_settled", t.receipt_has_payments);
  if (records) return money;
  const [first] = money;
  if (first) refuse("document_settled", first.kind === "refund" ? t.has_refunds : t.has_payments);
  return [];
}
