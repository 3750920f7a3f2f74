/**
 * The catalogue of refusals. An operation lists the codes it can throw in its `fails`; src/http/answer.ts maps each
 * kind to its HTTP status. The sentences are in sentences.ts and sentences-pt.ts.
 */
import type { Lang } from "../texts/languages.ts";
import {
  ENGLISH,
  type PlainName,
  render,
  type Sentence,
  type SentenceName,
  type Sentences,
  say,
  type Values,
} from "./sentences.ts";
import { PORTUGUESE } from "./sentences-pt.ts";

/** The kind of a refusal; `src/http/answer.ts` maps each to one status. */
export type ErrorKind =
  | "invalid"
  | "unauthenticated"
  | "forbidden"
  | "not_found"
  | "conflict"
  | "precondition"
  | "mismatch"
  | "limited"
  | "unavailable"
  | "internal";

/** Every code the core can answer with, and its kind. Codes are stable; sentences are for people and may change. */
export const ERRORS = {
  invalid_request: "invalid",
  unauthorized: "unauthenticated",
  forbidden: "forbidden",
  password_required: "forbidden",
  not_found: "not_found",
  invalid_state: "conflict",
  series_closed: "conflict",
  series_not_registered: "conflict",
  date_out_of_order: "conflict",
  document_settled: "conflict",
  payment_exceeds_balance: "conflict",
  credit_exceeds_original: "conflict",
  receipt_exceeds_documents: "conflict",
  conflict: "conflict",
  precondition_failed: "precondition",
  idempotency_in_progress: "conflict",
  idempotency_key_reused: "mismatch",
  rate_limited: "limited",
  unavailable: "unavailable",
  internal_error: "internal",
} as const satisfies Partial<Record<PlainName, ErrorKind>>;

/** The code of a refusal. Codes are stable: programs may depend on them, and on nothing in the message. */
export type ErrorCode = keyof typeof ERRORS;

/** The sentences of each language. */
export const SENTENCES: Readonly<Record<Lang, Sentences>> = { en: ENGLISH, pt: PORTUGUESE };

/** One problem: a sentence, and the field it is about. `path` is like `lines[2].qty`; empty for the whole input. */
export type Problem = Sentence & { readonly path: string };

/** Names what is wrong with a field. */
export function problem<Name extends SentenceName>(path: string, name: Name, ...values: Values<Name>): Problem {
  return { path, ...say(name, ...values) };
}

/** The most problems that a text names; a client could send thousands. */
const NAMED = 20;
/** The most characters of a path that a text shows: an unknown field can have any name. */
const PATH_SHOWN = 200;

/** A problem as shown to people: the path of the field, empty for the whole input, and a sentence in one language. */
export interface ShownProblem {
  readonly path: string;
  readonly message: string;
}

/** The first 20 problems in a language, and how many more there are. */
function shownProblems(problems: readonly Problem[], language: Sentences): ShownProblem[] {
  const named = problems.slice(0, NAMED).map((one) => ({ path: shown(one.path), message: render(one, language) }));
  const count = problems.length - named.length;
  return count > 0 ? [...named, { path: "", message: render(say("and_more", { count }), language) }] : named;
}

/** Problems as text in a language: `lines[2].qty: must be more than 0; name: is required`. */
export function textOf(problems: readonly Problem[], language: Sentences): string {
  return shownProblems(problems, language)
    .map(({ path, message }) => (path && `${path}: `) + message)
    .join("; ");
}

function shown(path: string): string {
  return path.length > PATH_SHOWN ? `${path.slice(0, PATH_SHOWN).toWellFormed()}…` : path;
}

/** The only error a caller is meant to see. Anything else that is thrown is a bug and becomes `internal_error`. */
export class LacreError extends Error {
  readonly code: ErrorCode;
  /** One problem or more, for `textOfError`. `message` is the same in English. */
  readonly problems: readonly Problem[];
  /** Whole seconds after which trying again can help; absent where it cannot. */
  readonly retry_after_s: number | undefined;

  constructor(code: ErrorCode, problems: readonly Problem[] = [problem("", code)], retry_after_s?: number) {
    super(textOf(problems, ENGLISH));
    this.name = "LacreError";
    this.code = code;
    this.problems = problems;
    this.retry_after_s = retry_after_s;
  }

  /** The `error` of the API's answers: `JSON.stringify({ error })` is the whole body. */
  toJSON(): { code: ErrorCode; message: string } {
    return { code: this.code, message: this.message };
  }
}

/** What a refusal says, in a language: in English its `message`. */
export function textOfError(error: LacreError, lang: Lang): string {
  return textOf(error.problems, SENTENCES[lang]);
}

/** What a refusal says of each field, in a language. */
export function problemsOfError(error: LacreError, lang: Lang): ShownProblem[] {
  return shownProblems(error.problems, SENTENCES[lang]);
}

/**
 * Refuses: throws the `LacreError` with this code and sentence, by default the code's own. As everything runs in one
 * transaction, refusing is rolling back.
 */
export function refuse(code: ErrorCode): never;
export function refuse<Name extends SentenceName>(code: ErrorCode, name: Name, ...values: Values<Name>): never;
export function refuse(code: ErrorCode, name: SentenceName = code, ...values: unknown[]): never {
  throw new LacreError(code, [problem("", name, ...(values as []))]);
}

/** Refuses for now: a retry can help after this many whole seconds. */
export function refuseFor(retry_after_s: number, code: ErrorCode, name: PlainName = code): never {
  throw new LacreError(code, [problem("", name)], retry_after_s);
}

/** Refuses an input with `invalid_request`, naming every problem found. */
export function refuseInput(problems: readonly Problem[]): never {
  throw new LacreError("invalid_request", problems);
}
