/** The dialogs that discard a draft, cancel a document, and record AT's code for its transport. */
import { useRef } from "preact/hooks";
import type { DocumentWithPayments } from "../../core/face.ts";
import { monthOf } from "../../core/fiscal/civil-time.ts";
import { isReceipt } from "../../core/fiscal/document-types.ts";
import { FormDialog } from "../dialog.tsx";
import { FieldError, type FormState, TextField, useForm } from "../fields/form.tsx";
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
  money_question: [
    "Este recibo registou pagamentos. O que lhes acontece?",
    "This receipt recorded payments. What becomes of them?",
  ],
  void: ["Anulam-se também", "They are voided, too"],
  void_hint: [
    "O dinheiro não entrou, e as faturas voltam a ficar por pagar.",
    "The money did not come in, and the invoices are owed again.",
  ],
  keep: ["Mantêm-se", "They stay"],
  keep_hint: ["O dinheiro entrou: só o recibo está errado.", "The money came in: only the receipt is wrong."],
  no_choice: ["Escolha o que acontece aos pagamentos.", "Choose what becomes of the payments."],
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

/** The documents of a receipt with their payments: those that it recorded, or all where it records none. */
function paidBy({ document, referenced }: WithReferenced): readonly DocumentWithPayments[] {
  return referenced.flatMap((one) => {
    const payments = (one?.payments ?? []).filter(
      ({ receipt_id }) => !document.record_payments || receipt_id === document.id,
    );
    return one && payments.length > 0 ? [{ ...one, payments }] : [];
  });
}

const Payments = ({ of }: { readonly of: readonly DocumentWithPayments[] }) => (
  <ul>
    {of.map(({ id, number, payments }) => (
      <li key={id}>
        <DocumentLink id={id} number={number} />:{" "}
        {payments
          .map((one) => `${money(one.amount)}, ${meansName(one.method_code)}, ${day(one.payment_date)}`)
          .join("; ")}
      </li>
    ))}
  </ul>
);

/** The payments that stay recorded although a receipt of them is cancelled; nothing for other types. */
export function PaymentsLeft({ shown }: { readonly shown: WithReferenced }) {
  const { document } = shown;
  const paid = paidBy(shown);
  if (!isReceipt(document) || paid.length === 0) return null;
  return (
    <div class="state warn">
      <p>{document.status === "cancelled" ? t.payments_left : t.payments_stay}</p>
      <Payments of={paid} />
    </div>
  );
}

interface MoneyProps {
  readonly shown: WithReferenced;
  readonly form: FormState<"payments">;
}

/** Asks what becomes of the payments that a receipt recorded. */
function MoneyQuestion({ shown, form: { values, errors } }: MoneyProps) {
  const { payments: error } = errors.value;
  return (
    <fieldset class="money-question" aria-invalid={error !== undefined} tabIndex={-1}>
      <legend>{t.money_question}</legend>
      <Payments of={paidBy(shown)} />
      {(["void", "keep"] as const).map((one) => (
        <label key={one} class="check">
          <input
            type="radio"
            name="payments"
            checked={values.payments.value === one}
            onChange={() => {
              values.payments.value = one;
              errors.value = {};
            }}
          />
          <span>
            {t[one]}
            <small>{t[`${one}_hint`]}</small>
          </span>
        </label>
      ))}
      <FieldError text={error} alert />
    </fieldset>
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
  const form = useForm({ reason: "", payments: "" }, "documents.cancel");
  const month = monthOf(document.issue_date);
  const isSent = useResource(async (signal) => {
    if (!can("saft:read")) return false;
    const { data } = await lacre.saft.listCommunications({ limit: 200 }, { signal });
    return data.some((one) => one.month === month && one.communicated !== null);
  }).state.value.value;
  // The same input is the same request: a repeat after a lost answer learns that it was done.
  const request = useRef({ said: "", key: newIdempotencyKey() });
  const cancel = () => {
    const reason = form.values.reason.value.trim();
    const payments = form.values.payments.value as "void" | "keep" | "";
    if (document.record_payments && payments === "") throw wrongField("payments", t.no_choice);
    if (reason === "") throw wrongField("reason", t.no_reason);
    const said = `${payments} ${reason}`;
    if (request.current.said !== said) request.current = { said, key: newIdempotencyKey() };
    const { key: idempotency_key } = request.current;
    return lacre.documents.cancel({ id, reason, ...(payments !== "" && { payments }) }, { idempotency_key });
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
        {!document.record_payments && <PaymentsLeft shown={shown} />}
        {isSent && <p class="state warn">{t.cancel_sent({ month: monthName(month) })}</p>}
      </div>
      {document.record_payments && <MoneyQuestion shown={shown} form={form} />}
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
