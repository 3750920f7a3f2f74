/** The dialogs that discard a draft, cancel a document, and record AT's code for its transport. */
import { useRef } from "preact/hooks";
import type { DocumentWithPayments } from "../../core/face.ts";
import { monthOf } from "../../core/fiscal/civil-time.ts";
import { isReceipt } from "../../core/fiscal/document-types.ts";
import { FormDialog } from "../dialog.tsx";
import { TextField, useForm } from "../fields/form.tsx";
import { announce } from "../notice.tsx";
import { lacre, newIdempotencyKey, wrongField } from "../reading/api.ts";
import { DocumentLink } from "../reading/cells.tsx";
import { useResource } from "../reading/resource.tsx";
import { can } from "../session.ts";
import { day, money, month as monthName } from "../words/decimals.ts";
import { meansName } from "../words/means.ts";
import { texts } from "../words/texts.ts";

const t = texts({
  discard: ["Apagar rascunho", "Delete draft"],
  cancel: ["Anular", "Cancel document"],
  register: ["Registar código da AT", "Record AT's code"],
  cancel_title: ["Anular {number}", "Cancel {number}"],
  cancel_law: [
    "Anular não apaga: o documento fica com o seu número, marcado como anulado, e segue assim no ficheiro SAF-T. Não tem volta.",
    "Cancelling deletes nothing: the document keeps its number, marked as cancelled, and goes so into the tax file. It cannot be taken back.",
  ],
  cancel_when: [
    "Anula-se o que foi emitido por engano e o cliente ainda não usou. Se já o recebeu e aceitou, emita antes uma nota de crédito. Com pagamentos ou com documentos que o referem, não é possível anular.",
    "Cancel what was issued by mistake and the customer has not used. If the customer has accepted it, issue a credit note instead. With payments, or documents that refer to it, it cannot be cancelled.",
  ],
  cancel_sent: [
    "O ficheiro de {month} já foi comunicado à AT: depois de anular, comunique-o outra vez.",
    "The file of {month} was sent to the tax authority already: after cancelling, send it again.",
  ],
  cancel_receipt: [
    "Anula-se um recibo emitido por engano, ou de um valor que afinal não entrou.",
    "Cancel a receipt issued by mistake, or for money that did not come in after all.",
  ],
  payments_stay: [
    "O recibo só prova o pagamento: anulá-lo não anula o pagamento registado na fatura. Se o dinheiro não entrou, anule depois o pagamento, na página da fatura:",
    "A receipt only proves a payment: cancelling it does not void the payment recorded on the invoice. If the money did not come in, void the payment afterwards, on the page of the invoice:",
  ],
  payments_left: [
    "Estes pagamentos continuam registados. Se o dinheiro não entrou, anule-os na página da fatura:",
    "These payments stay recorded. If the money did not come in, void them on the page of the invoice:",
  ],
  reason: ["Motivo", "Reason"],
  no_reason: ["Escreva porque o anula.", "Say why you cancel it."],
  reason_hint: ["Fica no documento e no ficheiro SAF-T.", "It stays on the document and in the tax file."],
  was_cancelled: ["Documento anulado.", "Document cancelled."],
  receipt_was_cancelled: ["Recibo anulado.", "Receipt cancelled."],
  was_discarded: ["Rascunho apagado.", "Draft deleted."],
  was_registered: ["Código da AT registado.", "AT's code recorded."],
  discard_question: [
    "O rascunho desaparece de vez. Como não tem número, não fica nenhum buraco na numeração.",
    "The draft is gone for good. It has no number, so none is missing afterwards.",
  ],
  register_hint: [
    "O código que a AT deu ao comunicar o transporte. Grava-se uma vez e não muda.",
    "The code that AT gave when the transport was communicated. It is recorded once and does not change.",
  ],
  code: ["Código", "Code"],
});

/** A document and its references: undefined if they may not be read. */
export interface WithReferenced {
  readonly document: DocumentWithPayments;
  readonly referenced: readonly (DocumentWithPayments | undefined)[];
}

/** Reads the document again after an action that may have changed it. `said` announces a certain change. */
export type Changed = (said?: string) => void;

/** The payments on a receipt's documents, which stay recorded whatever happens to it; nothing for other types. */
export function PaymentsLeft({ shown: { document, referenced } }: { readonly shown: WithReferenced }) {
  const paid = referenced.flatMap((one) => (one && one.payments.length > 0 ? [one] : []));
  if (!isReceipt(document) || paid.length === 0) return null;
  return (
    <div class="state warn">
      <p>{document.status === "cancelled" ? t.payments_left : t.payments_stay}</p>
      <ul>
        {paid.map(({ id, number, payments }) => (
          <li key={id}>
            <DocumentLink id={id} number={number} />:{" "}
            {payments
              .map((one) => `${money(one.amount)}, ${meansName(one.method_code)}, ${day(one.payment_date)}`)
              .join("; ")}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Asks whether a draft may go, and deletes it. */
export function DiscardDialog({ id, onDone }: { readonly id: string; readonly onDone: () => void }) {
  const discarded = () => {
    announce(t.was_discarded);
    onDone();
  };
  return (
    <FormDialog title={t.discard} change={() => lacre.documents.discard({ id })} onDone={discarded}>
      <p>{t.discard_question}</p>
    </FormDialog>
  );
}

/** Asks why a document is cancelled, and cancels it. */
export function CancelDialog({ shown, changed }: { readonly shown: WithReferenced; readonly changed: Changed }) {
  const { id, number, ...document } = shown.document;
  const form = useForm({ reason: "" }, "documents.cancel");
  const month = monthOf(document.issue_date);
  const isSent = useResource(async (signal) => {
    if (!can("saft:read")) return false;
    const { data } = await lacre.saft.listCommunications({ limit: 200 }, { signal });
    return data.some((one) => one.month === month && one.communicated !== null);
  }).state.value.value;
  // The same reason is the same request: a repeat after a lost answer learns that it was done.
  const request = useRef({ reason: "", key: newIdempotencyKey() });
  const cancel = () => {
    const reason = form.values.reason.value.trim();
    if (request.current.reason !== reason) request.current = { reason, key: newIdempotencyKey() };
    if (reason === "") throw wrongField("reason", t.no_reason);
    return lacre.documents.cancel({ id, reason }, { idempotency_key: request.current.key });
  };
  return (
    <FormDialog
      title={t.cancel_title({ number: number ?? "" })}
      submit={t.cancel}
      change={cancel}
      onDone={() => changed(isReceipt(document) ? t.receipt_was_cancelled : t.was_cancelled)}
      onLeft={changed}
      form={form}
    >
      <div class="explained">
        <p>{t.cancel_law}</p>
        <p>{isReceipt(document) ? t.cancel_receipt : t.cancel_when}</p>
        <PaymentsLeft shown={shown} />
        {isSent && <p class="state warn">{t.cancel_sent({ month: monthName(month) })}</p>}
      </div>
      <TextField label={t.reason} hint={t.reason_hint} path="reason" required autofocus />
    </FormDialog>
  );
}

interface RegisterProps {
  readonly document: DocumentWithPayments;
  readonly changed: Changed;
}

/** Records AT's code for a transport. */
export function RegisterDialog({ document: { id }, changed }: RegisterProps) {
  const form = useForm({ at_doc_code: "" }, "documents.change");
  const { at_doc_code } = form.values;
  return (
    <FormDialog
      title={t.register}
      change={() => lacre.documents.change({ id, at_doc_code: at_doc_code.value.trim() })}
      onDone={() => changed(t.was_registered)}
      onLeft={changed}
      form={form}
    >
      <div class="explained">
        <p>{t.register_hint}</p>
      </div>
      <TextField label={t.code} path="at_doc_code" required autofocus />
    </FormDialog>
  );
}
