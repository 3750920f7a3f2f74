/** Sends the document: as a draft, or to be issued. */
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { Series } from "../../core/face.ts";
import { newIdempotencyKey, Refusal } from "../reading/api.ts";
import { sentenceOf } from "../reading/resource.tsx";
import { texts } from "../words/texts.ts";
import { focusFirstProblem } from "./focus.ts";
import { inputOf, paymentsToRecord, showRefusal } from "./input.ts";
import { snapshotOf } from "./kept.ts";
import { storedCustomer } from "./stored-customer.ts";
import { isFinal, type Submission, type Submitted, submit } from "./submission.ts";
import { type Handed, NOTHING_HANDED, type Payment } from "./till.ts";
import type { Chosen, Writing } from "./writing.ts";

const t = texts({
  unknown: [
    "Não chegou resposta: não se sabe se o documento foi emitido. Envie outra vez; não sai em duplicado.",
    "No answer came: it is not known whether the document was issued. Send it again; it never comes out twice.",
  ],
});

/** The text for a missing answer, when only repeating the request can tell whether it was issued. */
export const noAnswer = (): string => t.unknown;

interface SendingOptions {
  /** The series of the document; undefined while none is known. */
  readonly into: () => Series | undefined;
  readonly onIssued: (made: Submitted, handed: Handed) => void;
  /** Called when the draft is stored, with its id. */
  readonly onSaved: (id: string) => void;
  /** Called if a field of the screen must change before it can be sent. */
  readonly onElsewhere: () => void;
}

/** What the server is asked to do. */
interface Order {
  readonly issue: boolean;
  readonly payments: readonly Payment[];
  readonly handed: Handed;
  readonly settlesToo: boolean;
}

/** Sends a document as often as necessary, so that it is made once: see submission.ts. */
export function useSending(writing: Writing, { into, onIssued, onSaved, onElsewhere }: SendingOptions) {
  const isSending = useSignal(false);
  const isUnknown = useSignal(false);
  const problem = useSignal<string | undefined>(writing.refused.peek()[""]);
  /** The submission whose outcome is unknown: its key stays, whatever changes before it is sent again. */
  const pending = useRef<Submission | undefined>(undefined);

  const finish = (made: Submitted, handed: Handed) => {
    pending.current = undefined;
    isUnknown.value = false;
    writing.saved.value = snapshotOf(writing);
    if (made.document.status !== "draft") return onIssued(made, handed);
    writing.draft_id.value = made.document.id;
    showRefusal(writing, {});
    onSaved(made.document.id);
  };
  const fail = (error: unknown, issue: boolean) => {
    isUnknown.value = issue && pending.current !== undefined && !isFinal(error);
    if (!isFinal(error)) {
      problem.value = isUnknown.value && !(error instanceof Refusal) ? noAnswer() : sentenceOf(error);
      return;
    }
    showRefusal(writing, error.byField);
    problem.value = writing.refused.value[""];
    if (Object.keys(error.byField).every((path) => path === "" || path === "payments")) return;
    onElsewhere();
    requestAnimationFrame(focusFirstProblem);
  };
  const send = async (order: Order) => {
    const series = into();
    const customer = writing.customer.value;
    if (isSending.value || !series || customer === undefined) return;
    isSending.value = true;
    problem.value = undefined;
    writing.payments.value = order.payments;
    try {
      pending.current = await submissionOf(writing, { ...order, series, customer, before: pending.current });
      finish(await submit(pending.current), order.handed);
    } catch (error) {
      fail(error, order.issue);
    } finally {
      isSending.value = false;
    }
  };
  return {
    isSending,
    /** Whether the outcome is unknown: only repeating the request can tell if it was issued. */
    isUnknown,
    /** Why it was not sent. */
    problem,
    /** Issues it with these payments; `settlesToo`: a receipt records them on its documents. */
    issue: (payments: readonly Payment[], handed: Handed, settlesToo: boolean) =>
      send({ issue: true, payments, handed, settlesToo }),
    /** Stores it as a draft, with its payments. */
    save: () => send({ issue: false, payments: writing.payments.value, handed: NOTHING_HANDED, settlesToo: false }),
  };
}

/** The progress of sending, and the functions that send. */
export type Sending = Readonly<ReturnType<typeof useSending>>;

interface Sent extends Order {
  readonly series: Series;
  readonly customer: Chosen;
  /** The previous submission, whose outcome is unknown. */
  readonly before: Submission | undefined;
}

/** The document with every body sent for it, under the key of the previous submission. */
async function submissionOf(
  writing: Writing,
  { issue, payments, settlesToo, series, customer, before }: Sent,
): Promise<Submission> {
  const { id } = await storedCustomer(customer);
  const payment_date = writing.issue_date.value;
  const body = {
    ...inputOf(writing, series, id),
    payments: payments.map((payment) => ({ ...payment, payment_date })),
    issue,
  };
  const earlier = before?.bodies.filter((one) => JSON.stringify(one) !== JSON.stringify(body)) ?? [];
  return {
    key: before?.key ?? newIdempotencyKey(),
    bodies: [body, ...earlier],
    draft_id: writing.draft_id.value,
    settles: issue && settlesToo ? paymentsToRecord(writing, payments) : [],
  };
}
