/**
 * Submits a document so that it is never made twice. One Idempotency-Key goes with it from the first request until an
 * answer brings the document, whatever changes between requests: the server keeps at most one of them. It is stored in
 * this tab before it is sent, so that a reloaded page sends it again instead of starting over.
 */
import type { Document, NewDocument, NewPayment } from "../../core/face.ts";
import type { AnswerCode } from "../../http/answer.ts";
import { lacre, newIdempotencyKey, Refusal } from "../reading/api.ts";
import { company, session } from "../session.ts";
import type { SentLine } from "./line.ts";

/** A document as this page sends it: by ids alone. */
export type SentDocument = Omit<NewDocument, "lines"> & {
  readonly series_id: string;
  readonly issue_date: string;
  readonly customer_id: string;
  lines: SentLine[];
};

/** A payment, and the document that it is for. */
export type NewPaymentOn = NewPayment & { readonly id: string };

/** A document as it was submitted under one key. */
export interface Submission {
  readonly key: string;
  /** Every body that was sent under the key, the latest first. */
  readonly bodies: readonly SentDocument[];
  /** Payments on a receipt's documents: recorded once it is issued. */
  readonly settles?: readonly NewPaymentOn[] | undefined;
  /** The draft to change and issue; undefined for a new document. */
  readonly draft_id?: string | undefined;
}

/** The result of a submission. */
export interface Submitted {
  readonly document: Document;
  /** Why a payment was refused. */
  readonly unsettled?: string | undefined;
}

const keptAs = () => `lacre.submission.${session.value?.user.id}.${company.value?.id}`;

/** The submission whose outcome is unknown, if there is one. */
export function pendingSubmission(): Submission | undefined {
  const kept = sessionStorage.getItem(keptAs());
  return kept ? (JSON.parse(kept) as Submission) : undefined;
}

const keep = (submission: Submission) => sessionStorage.setItem(keptAs(), JSON.stringify(submission));

/** Forgets the submission: its outcome is known, or somebody gave it up. */
export const forget = () => sessionStorage.removeItem(keptAs());

/** How long to wait for an answer, in milliseconds, before the outcome counts as unknown. */
export const TIMEOUT_MS = 30_000;
/** How often to repeat a request while the server still works on it. */
const MAX_REPEATS = 30;

/** Repeats a request while another with the same key is in progress. */
export async function untilAnswered<Value>(request: () => Promise<Value>): Promise<Value> {
  for (let round = 1; ; round++) {
    try {
      return await request();
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== "idempotency_in_progress" || round === MAX_REPEATS) throw error;
      await new Promise((done) => setTimeout(done, (error.retry_after_s ?? 1) * 1_000));
    }
  }
}

const options = (idempotency_key: string) => ({ idempotency_key, signal: AbortSignal.timeout(TIMEOUT_MS) });

/** Whether a refusal with this code is final: nothing was made, and the same request will never make anything. */
const IS_FINAL = {
  invalid_request: true,
  not_found: true,
  invalid_state: true,
  series_closed: true,
  series_not_registered: true,
  date_out_of_order: true,
  document_settled: true,
  payment_exceeds_balance: true,
  credit_exceeds_original: true,
  receipt_exceeds_documents: true,
  conflict: true,
  precondition_failed: true,
  payload_too_large: true,
  // After another sign-in, or on a free server, the same request may succeed.
  unauthorized: false,
  forbidden: false,
  password_required: false,
  idempotency_in_progress: false,
  idempotency_key_reused: false,
  rate_limited: false,
  unavailable: false,
  internal_error: false,
  request_timeout: false,
  method_not_allowed: false,
  unsupported_media_type: false,
} as const satisfies Readonly<Record<AnswerCode, boolean>>;

/** Whether an error says for certain that nothing was made. After any other, only the same request can tell. */
export const isFinal = (error: unknown): error is Refusal => error instanceof Refusal && IS_FINAL[error.code];

/** Submits a document. After a final refusal the submission is forgotten; after any other error it is sent again. */
export async function submit(submission: Submission): Promise<Submitted> {
  keep(submission);
  try {
    const { draft_id } = submission;
    const document = draft_id ? await sendDraft(submission, draft_id) : await sendNew(submission);
    const unsettled = document.status === "issued" ? await settle(submission) : undefined;
    forget();
    return { document, unsettled };
  } catch (error) {
    if (isFinal(error)) forget();
    throw error;
  }
}

/** Records the payments, each once. A refusal is reported; the receipt stands. */
async function settle({ key, settles = [] }: Submission): Promise<string | undefined> {
  for (const [index, payment] of settles.entries()) {
    try {
      await untilAnswered(() => lacre.payments.record(payment, options(`${key}-${index}`)));
    } catch (error) {
      if (isFinal(error)) return error.message;
      throw error;
    }
  }
  return undefined;
}

async function sendNew({ key, bodies: [body, ...earlier] }: Submission): Promise<Document> {
  if (!body) throw new Error("A submission has no body.");
  try {
    return await untilAnswered(() => lacre.documents.create(body, options(key)));
  } catch (error) {
    // The server knows the key with an earlier body: that one arrived after all.
    if (!(error instanceof Refusal) || error.code !== "idempotency_key_reused" || earlier.length === 0) throw error;
  }
  const made = await sendNew({ key, bodies: earlier });
  if (made.status !== "draft") return made;
  const next = { key: newIdempotencyKey(), bodies: [body], draft_id: made.id };
  keep(next);
  return sendDraft(next, made.id);
}

async function sendDraft({ key, bodies: [body] }: Submission, id: string): Promise<Document> {
  if (!body) throw new Error("A submission has no body.");
  const { issue, ...content } = body;
  const changed = await lacre.documents
    .change({ id, ...content }, { signal: AbortSignal.timeout(TIMEOUT_MS) })
    .catch((error: unknown) => {
      // It is no longer a draft: the answer to the key tells whether this submission issued it.
      if (error instanceof Refusal && error.code === "invalid_state" && issue) return undefined;
      throw error;
    });
  if (!issue && changed) return changed;
  return untilAnswered(() => lacre.documents.issue({ id }, options(key)));
}
