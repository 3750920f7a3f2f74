/**
 * Everything Lacre can refuse, as one catalogue. An operation lists the codes it can throw in its `fails`;
 * src/http gives each kind its status and nothing else knows statuses.
 */

/** What sort of refusal a code is. `src/http/answer.ts` maps each kind to one status. */
export type ErrorKind =
  | "invalid"
  | "unauthenticated"
  | "forbidden"
  | "not_found"
  | "conflict"
  | "mismatch"
  | "limited"
  | "unavailable"
  | "internal";

interface ErrorEntry {
  readonly kind: ErrorKind;
  /** The sentence used when the thrower has nothing more precise to say. */
  readonly message: string;
}

/** Every code the core can answer with. Codes are stable; messages are for people and may change. */
export const ERRORS = {
  invalid_request: { kind: "invalid", message: "The request is not valid." },
  unauthorized: { kind: "unauthenticated", message: "The API key is missing, invalid or revoked." },
  forbidden: { kind: "forbidden", message: "The API key lacks the scope this needs." },
  not_found: { kind: "not_found", message: "There is nothing here." },
  invalid_state: { kind: "conflict", message: "The resource is not in a state that allows this." },
  series_closed: { kind: "conflict", message: "The series is closed." },
  series_not_registered: { kind: "conflict", message: "The series has no validation code." },
  date_out_of_order: { kind: "conflict", message: "The series already has a document with a later date." },
  document_settled: { kind: "conflict", message: "Payments or other documents depend on this document." },
  payment_exceeds_balance: { kind: "conflict", message: "The payment is more than what is outstanding." },
  credit_exceeds_original: { kind: "conflict", message: "The credit is more than what it corrects." },
  receipt_exceeds_documents: { kind: "conflict", message: "The receipt is more than the documents it acknowledges." },
  conflict: { kind: "conflict", message: "Something with the same identity exists already." },
  idempotency_in_progress: { kind: "conflict", message: "A request with this Idempotency-Key is still running." },
  idempotency_key_reused: { kind: "mismatch", message: "This Idempotency-Key was used for another request." },
  rate_limited: { kind: "limited", message: "Too many requests with this API key." },
  unavailable: { kind: "unavailable", message: "Lacre cannot do this right now." },
  internal_error: { kind: "internal", message: "Something went wrong on our side." },
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof ERRORS;

/** The only error a caller is meant to see. Anything else that is thrown is a bug and becomes `internal_error`. */
export class LacreError extends Error {
  readonly code: ErrorCode;
  /** Whole seconds after which trying again can help; absent where it cannot. */
  readonly retry_after_s: number | undefined;

  constructor(code: ErrorCode, message: string = ERRORS[code].message, retry_after_s?: number) {
    super(message);
    this.name = "LacreError";
    this.code = code;
    this.retry_after_s = retry_after_s;
  }
}

/** Refuses: throws the `LacreError` with this code. As everything runs in one transaction, refusing is rolling back. */
export function refuse(code: ErrorCode, message?: string, retry_after_s?: number): never {
  throw new LacreError(code, message, retry_after_s);
}

/** One thing wrong with what came in. `path` reads like `lines[2].qty`; empty for the input as a whole. */
export interface Problem {
  readonly path: string;
  readonly message: string;
}

/** Refuses an input, naming every problem found: `lines[2].qty: must be more than 0; name: is required`. */
export function refuseInput(problems: readonly Problem[]): never {
  const sentences = problems.map(({ path, message }) => (path ? `${path}: ${message}` : message));
  throw new LacreError("invalid_request", sentences.join("; "));
}
