/** The state of a document in words. */
import type { DocumentSummary } from "../../core/face.ts";
import { todayHere } from "../clock.ts";
import { texts } from "./texts.ts";

const t = texts({
  draft: ["Rascunho", "Draft"],
  issued: ["Emitido", "Issued"],
  cancelled: ["Anulado", "Cancelled"],
  unpaid: ["Por pagar", "Unpaid"],
  in_favour: ["A favor do cliente", "In the customer's favour"],
  invoiced: ["Faturado", "Invoiced"],
  partly_invoiced: ["Faturado em parte", "Partly invoiced"],
  expired: ["Expirado", "Expired"],
  partial: ["Pago em parte", "Partly paid"],
  paid: ["Pago", "Paid"],
  overdue: ["Vencido", "Overdue"],
  training: ["Formação", "Training"],
});

/** The names of the states and of the payment states. */
export const statusName = (name: DocumentSummary["status"] | NonNullable<DocumentSummary["payment_status"]>): string =>
  t[name];

const STATE = { draft: "draft", issued: "", cancelled: "bad" } as const;
const QUOTED = { invoiced: "good", partly_invoiced: "warn", expired: "warn" } as const;
const PAID = { unpaid: "warn", partial: "warn", paid: "good" } as const;

/** Whether something is left to pay, and the day for it has passed. */
const isOverdue = ({ due_date, payment_status }: DocumentSummary): boolean =>
  due_date !== null && payment_status !== null && payment_status !== "paid" && due_date < todayHere();

/** Whether payments and credits exceed the total: the company owes the rest back. */
export const isInFavour = ({ outstanding }: DocumentSummary): boolean => (outstanding ?? 0) < 0;

interface TagsProps {
  readonly document: DocumentSummary;
}

/** The states of a document as tags. */
export function StatusTags({ document }: TagsProps) {
  const { status, payment_status, quote_status, training } = document;
  return (
    <span class="tags">
      {quote_status !== null && quote_status !== "open" ? (
        <span class={`tag ${QUOTED[quote_status]}`}>{t[quote_status]}</span>
      ) : payment_status === null ? (
        <span class={`tag ${STATE[status]}`}>{t[status]}</span>
      ) : (
        <span class={`tag ${PAID[payment_status]}`}>{t[payment_status]}</span>
      )}
      {isInFavour(document) && <span class="tag warn">{t.in_favour}</span>}
      {isOverdue(document) && <span class="tag bad">{t.overdue}</span>}
      {training && <span class="tag warn">{t.training}</span>}
    </span>
  );
}
