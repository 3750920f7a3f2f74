/** Cancelling: the last change of an issued document, which keeps its number, its hash and its sequence. */
import * as z from "zod";
import { recordDocumentEvent } from "../events/events.ts";
import { PathId, text } from "../fields.ts";
import { refuse } from "../runtime/errors.ts";
import { command } from "../runtime/operation.ts";
import { mustNotHaveJumped } from "../series/clock-guard.ts";
import { Document } from "./document.ts";
import { findContent } from "./parts.ts";
import { paidCentsOn } from "./payments.ts";
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
    }),
    output: Document,
    fails: ["not_found", "invalid_state", "document_settled"],
  },
  async (scope, { id, reason = DEFAULT_CANCEL_REASON }) => {
    const document = await claimDocument(scope, id, "cancel");
    mustNotHaveLeft(document, scope.now);
    const referrer = await liveReferrer(scope, document.id);
    if (referrer !== undefined) refuse("document_settled", t.is_referenced_by({ number: referrer }));
    if ((await paidCentsOn(scope, document.id)) > 0) refuse("document_settled", t.has_payments);
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
    return showDocument(scope, cancelled, content);
  },
);
