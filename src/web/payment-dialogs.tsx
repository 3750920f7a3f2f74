/** Recording a payment, and voiding one that was mistyped. */
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { Document, NewPayment, Payment } from "../core/face.ts";
import { DOCUMENT_TYPES } from "../core/fiscal/document-types.ts";
import { partsOfNumber } from "../core/fiscal/numbering.ts";
import { todayHere } from "./clock.ts";
import { FormDialog } from "./dialog.tsx";
import { isFinal, TIMEOUT_MS } from "./document/submission.ts";
import { SelectField, TextField, useForm } from "./fields/form.tsx";
import { lacre, newIdempotencyKey, wrongField } from "./reading/api.ts";
import { day, money, parseDecimal, typedMoney } from "./words/decimals.ts";
import { meansName, meansOptions } from "./words/means.ts";
import { texts } from "./words/texts.ts";

const t = texts({
  title: ["Registar pagamento", "Record a payment"],
  of: ["{number}, falta pagar {left}.", "{number}, {left} left to pay."],
  amount: ["Valor recebido", "Amount received"],
  wrong_amount: ["Escreva um valor em euros, como 12,50.", "Type an amount in euros, as 12.50."],
  means: ["Meio de pagamento", "Means of payment"],
  date: ["Data em que foi recebido", "Day it was received"],
  record: ["Registar", "Record"],
  again: ["Enviar outra vez", "Send again"],
  unknown: [
    "Não chegou resposta: não se sabe se ficou registado. Envie outra vez; não fica em duplicado.",
    "No answer came: it is not known whether it was recorded. Send it again; it is never recorded twice.",
  ],
  void_title: ["Anular pagamento", "Void a payment"],
  void_question: [
    "Anular o pagamento de {amount}, {means}, de {date}? O documento volta a ficar com esse valor por pagar.",
    "Void the payment of {amount}, {means}, of {date}? The document is owed that amount again.",
  ],
  state_title: ["Indicar meio de pagamento", "State the means of payment"],
  of_paid: ["{number} está paga: {total}.", "{number} is paid: {total}."],
  void_means: [
    "Retirar {amount}, {means}, de {date}? A fatura-recibo continua paga, porque emiti-la é dizer que o foi: só deixa de indicar por que meio.",
    "Take off {amount}, {means}, of {date}? The invoice-receipt stays paid, as issuing it says that it was: it only no longer states by which means.",
  ],
  void_hint: [
    "Serve para corrigir um engano. O pagamento fica no histórico, com quem o anulou e quando.",
    "This corrects a mistake. The payment stays in the history, with who voided it and when.",
  ],
  void: ["Anular pagamento", "Void payment"],
});

interface RecordProps {
  readonly document: Document;
  readonly onDone: () => void;
  /** Called when it is left; the payment may have been recorded although no answer came. */
  readonly onLeft: () => void;
}

/**
 * Records a payment. While its outcome is unknown the fields stay locked: the same payment is sent again under the same
 * key.
 */
export function RecordPayment({ document, onDone, onLeft }: RecordProps) {
  const isPaid = DOCUMENT_TYPES[document.doc_type].paid_by_nature;
  const left = isPaid ? document.total_gross : (document.outstanding ?? document.total_gross);
  const first = { amount: typedMoney(left), method_code: "TB", payment_date: todayHere() };
  const form = useForm(first, "payments.record");
  const request = useRef({ key: "", payment: {} as NewPayment });
  const isUnknown = useSignal(false);
  const record = async () => {
    const { amount, method_code, payment_date } = form.values;
    const eur = parseDecimal(amount.value);
    if (eur === undefined) throw wrongField("amount", t.wrong_amount);
    const payment = { amount: eur, method_code: method_code.value, payment_date: payment_date.value } as NewPayment;
    if (!isUnknown.value) request.current = { key: newIdempotencyKey(), payment };
    const { key } = request.current;
    try {
      const options = { idempotency_key: key, signal: AbortSignal.timeout(TIMEOUT_MS) };
      await lacre.payments.record({ id: document.id, ...request.current.payment }, options);
    } catch (error) {
      isUnknown.value = !isFinal(error);
      throw isUnknown.value ? new Error(t.unknown) : error;
    }
  };
  return (
    <FormDialog
      title={isPaid ? t.state_title : t.title}
      submit={isUnknown.value ? t.again : t.record}
      change={record}
      onDone={onDone}
      onLeft={onLeft}
      form={form}
    >
      <p class="about">
        {isPaid
          ? t.of_paid({ number: document.number ?? "", total: money(left) })
          : t.of({ number: document.number ?? "", left: money(left) })}
      </p>
      <fieldset class="fields" disabled={isUnknown.value}>
        <TextField label={t.amount} path="amount" inputmode="decimal" autofocus />
        <TextField label={t.date} path="payment_date" type="date" />
        <SelectField label={t.means} path="method_code" options={meansOptions()} wide />
      </fieldset>
    </FormDialog>
  );
}

interface VoidProps {
  readonly payment: Payment;
  readonly onDone: () => void;
  readonly onLeft?: () => void;
}

/** Asks whether a payment was a mistake, and voids it. */
export function VoidPayment({ payment, onDone, onLeft }: VoidProps) {
  const { id, amount, method_code, payment_date, document_number } = payment;
  const { doc_type } = partsOfNumber(document_number ?? "") ?? {};
  const question = doc_type && DOCUMENT_TYPES[doc_type].paid_by_nature ? t.void_means : t.void_question;
  return (
    <FormDialog
      title={t.void_title}
      submit={t.void}
      change={() => lacre.payments.void({ id })}
      onDone={onDone}
      onLeft={onLeft}
    >
      <p>{question({ amount: money(amount), means: meansName(method_code), date: day(payment_date) })}</p>
      <p class="hint">{t.void_hint}</p>
    </FormDialog>
  );
}
