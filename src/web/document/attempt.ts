/**
 * Sending a document never twice. One Idempotency-Key goes with a document from the first try until an answer brings
 * it, whatever is changed between: two tries cannot both be kept. It is written down with what is sent before it is
 * sent, so that a page that was reloaded asks again instead of beginning anew.
 */
import type { Customer, Document, NewDocument, NewPayment } from "../../core/face.ts";
import { FINAL_CONSUMER, FINAL_CONSUMER_NAME } from "../../core/fiscal/tax-id.ts";
import type { AnswerCode } from "../../http/answer.ts";
import { lacre, newAttempt, Refusal } from "../reading/api.ts";
import { isFinalConsumer } from "../reading/customer-names.ts";
import { company, session } from "../session.ts";
import { type Chosen, isNameless } from "./writing.ts";

/** A payment, and the document that it is for. */
export type NewPaymentOn = NewPayment & { readonly id: string };

/** What a try came to. */
export interface Made {
  readonly document: Document;
  /** Why a payment was refused. */
  readonly unsettled?: string | undefined;
}

/** What is tried: bodies under one key, the last one first. */
export interface Attempt {
  readonly key: string;
  readonly bodies: readonly NewDocument[];
  /** Payments that a receipt acknowledges: recorded once it is issued. */
  readonly settles?: readonly NewPaymentOn[] | undefined;
  /** The draft that is changed and issued; a new document without it. */
  readonly draft_id?: string | undefined;
}

const keptAs = () => `lacre.attempt.${session.value?.user.id}.${company.value?.id}`;

/** The attempt that nobody knows the end of. */
export function keptAttempt(): Attempt | undefined {
  const kept = sessionStorage.getItem(keptAs());
  return kept ? (JSON.parse(kept) as Attempt) : undefined;
}

function keep(attempt: Attempt): void {
  sessionStorage.setItem(keptAs(), JSON.stringify(attempt));
}

/** Forgets the attempt: its end is known. */
export function forgetAttempt(): void {
  sessionStorage.removeItem(keptAs());
}

/** How long an answer is waited for, in milliseconds, before the same is asked again. */
const PATIENCE_MS = 30_000;
/** How often a document that is still being made is asked for. */
const ROUNDS = 30;

/** Asks again while another request with the same key is still being answered. */
async function patiently<Value>(ask: () => Promise<Value>): Promise<Value> {
  for (let round = 1; ; round++) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== "idempotency_in_progress" || round === ROUNDS) throw error;
      await new Promise((done) => setTimeout(done, (error.retry_after_s ?? 1) * 1_000));
    }
  }
}

const options = (idempotency_key: string) => ({ idempotency_key, signal: AbortSignal.timeout(PATIENCE_MS) });

/** Whether it is certain, after an answer with this code, that this try was not kept. */
const DECIDES = {
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
  // Another sign-in, a free server or the other request may let the same try through.
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

/** Whether an error says that nothing was made. After all others only another try can tell. */
export const isDecided = (error: unknown): error is Refusal => error instanceof Refusal && DECIDES[error.code];

/**
 * Sends what is tried, and answers the document. An error that decides forgets the attempt; after any other, the same
 * is asked again with the same key.
 */
export async function send(attempt: Attempt): Promise<Made> {
  keep(attempt);
  try {
    const document = attempt.draft_id ? await sendDraft(attempt, attempt.draft_id) : await sendNew(attempt);
    const unsettled = document.status === "issued" ? await settle(attempt) : undefined;
    forgetAttempt();
    return { document, unsettled };
  } catch (error) {
    if (isDecided(error)) forgetAttempt();
    throw error;
  }
}

/** Records the payments, each once. What is refused is told; the receipt stands. */
async function settle({ key, settles = [] }: Attempt): Promise<string | undefined> {
  for (const [index, payment] of settles.entries()) {
    try {
      await patiently(() => lacre.payments.record(payment, options(`${key}-${index}`)));
    } catch (error) {
      if (isDecided(error)) return error.message;
      throw error;
    }
  }
  return undefined;
}

async function sendNew({ key, bodies: [body, ...earlier] }: Attempt): Promise<Document> {
  if (!body) throw new Error("Nothing is tried.");
  try {
    return await patiently(() => lacre.documents.create(body, options(key)));
  } catch (error) {
    // The key belongs to what was sent before: that one arrived after all.
    if (!(error instanceof Refusal) || error.code !== "idempotency_key_reused" || earlier.length === 0) throw error;
  }
  const made = await sendNew({ key, bodies: earlier });
  if (made.status !== "draft") return made;
  const next = { key: newAttempt(), bodies: [body], draft_id: made.id };
  keep(next);
  return sendDraft(next, made.id);
}

async function sendDraft({ key, bodies: [body] }: Attempt, id: string): Promise<Document> {
  if (!body) throw new Error("Nothing is tried.");
  const { issue, ...content } = body;
  const changed = await lacre.documents
    .change({ id, ...content }, { signal: AbortSignal.timeout(PATIENCE_MS) })
    .catch((error: unknown) => {
      // It is no draft any more: the answer to the key tells whether this attempt issued it.
      if (error instanceof Refusal && error.code === "invalid_state" && issue) return undefined;
      throw error;
    });
  if (!issue && changed) return changed;
  return patiently(() => lacre.documents.issue({ id }, options(key)));
}

// ——— Customers who need not be stored yet ———

/** The customer that a document names: as stored, found again, or made once however often that is asked. */
export async function stored(chosen: Chosen): Promise<Customer> {
  if (chosen === "final_consumer") return finalConsumer();
  return isNameless(chosen) ? withTaxId(chosen.tax_id) : chosen;
}

/** Customers that a search finds, the oldest last. */
const MAX_FOUND = 200;

const search = async (text: string) => (await lacre.customers.list({ search: text, limit: MAX_FOUND })).data;

/** The one customer whom documents call final consumer. By the number first: names like his may be many. */
async function finalConsumer(): Promise<Customer> {
  const found =
    (await search(FINAL_CONSUMER)).findLast(isFinalConsumer) ??
    (await search(FINAL_CONSUMER_NAME)).findLast(isFinalConsumer);
  return found ?? madeOnce("final-consumer", FINAL_CONSUMER);
}

/** The customers who have a tax number, the oldest first: the one that was made by it keeps it. */
export async function customersWithTaxId(tax_id: string): Promise<readonly Customer[]> {
  return (await search(tax_id)).filter((customer) => customer.tax_id === tax_id).reverse();
}

const withTaxId = async (tax_id: string): Promise<Customer> =>
  (await customersWithTaxId(tax_id))[0] ?? madeOnce(`tax-id-${tax_id}`, tax_id);

/** Makes a customer without a name of its own. The key is the same for everybody in the company, so it is made once. */
async function madeOnce(key: string, tax_id: string): Promise<Customer> {
  const make = (idempotency_key: string) =>
    patiently(() => lacre.customers.create({ name: FINAL_CONSUMER_NAME, tax_id }, { idempotency_key }));
  const made = await make(key);
  // The answer is remembered: since then somebody may have archived it, or given it another number.
  const now = await lacre.customers.get({ id: made.id }).catch((error: unknown) => {
    if (error instanceof Refusal && error.code === "not_found") return undefined;
    throw error;
  });
  return now?.tax_id === tax_id ? now : make(newAttempt());
}
