/** Answers and refusals: the shape of each, and the only table of error statuses. */
import type { Lang } from "../core/languages.ts";
import { ERRORS, type ErrorCode, type ErrorKind, LacreError, SENTENCES, textOfError } from "../core/runtime/errors.ts";
import type { PlainName } from "../core/runtime/sentences.ts";

/** An answer, before node:http or the Fetch API sends it. `handler.ts` adds the headers that every answer has. */
export interface Answer {
  readonly status: number;
  /** A header that an answer has several times is a list. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** The whole body, or its pieces as they are produced; their total length is then unknown. */
  readonly body: string | Uint8Array | AsyncIterable<Uint8Array> | null;
}

/** Whether a body is all in memory or absent, not a stream. */
export function isBuffered(body: Answer["body"]): body is string | Uint8Array | null {
  return typeof body !== "object" || body === null || body instanceof Uint8Array;
}

/** The status of each kind of refusal. */
const STATUS: Record<ErrorKind, number> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  precondition: 412,
  mismatch: 422,
  limited: 429,
  internal: 500,
  unavailable: 503,
};

/** Refusals of the HTTP layer alone, and their statuses. */
const HTTP_ERRORS = {
  method_not_allowed: 405,
  request_timeout: 408,
  payload_too_large: 413,
  unsupported_media_type: 415,
} as const;

export type HttpErrorCode = keyof typeof HTTP_ERRORS;

/** Every `code` an answer can carry. */
export type AnswerCode = ErrorCode | HttpErrorCode;

/** Every code; those of the core come first. */
export const ANSWER_CODES = [
  ...(Object.keys(ERRORS) as ErrorCode[]),
  ...(Object.keys(HTTP_ERRORS) as HttpErrorCode[]),
] as const;

/** Thrown for a refusal of the HTTP layer. */
export class HttpError extends Error {
  readonly code: HttpErrorCode;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: HttpErrorCode, headers: Readonly<Record<string, string>> = {}) {
    super(SENTENCES.en[code]);
    this.name = "HttpError";
    this.code = code;
    this.headers = headers;
  }
}

/** The HTTP status of a code: 404 of `not_found`. */
export function statusOf(code: AnswerCode): number {
  return code in HTTP_ERRORS ? HTTP_ERRORS[code as HttpErrorCode] : STATUS[ERRORS[code as ErrorCode]];
}

export function jsonAnswer(status: number, value: unknown, headers: Answer["headers"] = {}): Answer {
  return {
    status,
    headers: { "content-type": "application/json; charset=utf-8", ...headers },
    body: JSON.stringify(value),
  };
}

/** A command of the program, as sentences name it. */
const COMMAND = /\blacre [a-z]/;
const WHERE_TYPED = "where_commands_are_typed" satisfies PlainName;

/**
 * The one shape of every error, whose message depends on `Accept-Language`; the code never does. Where a sentence names
 * a command it says where to type that: the caller may be on another machine, and need not learn where the database is.
 */
function messageAnswer(code: AnswerCode, sentence: string, lang: Lang, headers: Answer["headers"]): Answer {
  const language = { "content-language": lang, vary: "Accept-Language" };
  const message = COMMAND.test(sentence) ? `${sentence} ${SENTENCES[lang][WHERE_TYPED]}` : sentence;
  return jsonAnswer(statusOf(code), { error: { code, message } }, { ...language, ...headers });
}

/** A refusal with a sentence that has no values; without one, the general sentence of its code. */
export function refusalAnswer(
  code: AnswerCode,
  lang: Lang,
  { name = code, headers = {} }: { readonly name?: PlainName; readonly headers?: Answer["headers"] } = {},
): Answer {
  return messageAnswer(code, SENTENCES[lang][name], lang, headers);
}

/**
 * The answer to anything thrown. An error that is neither a `LacreError` nor an `HttpError` is a bug: it becomes
 * `internal_error` with a fixed message, and the caller logs it.
 */
export function errorAnswer(error: unknown, lang: Lang): Answer {
  if (error instanceof HttpError) return refusalAnswer(error.code, lang, { headers: error.headers });
  if (!(error instanceof LacreError)) return refusalAnswer("internal_error", lang);
  return messageAnswer(error.code, textOfError(error, lang), lang, refusalHeaders(error));
}

function refusalHeaders({ code, retry_after_s }: LacreError): Record<string, string> {
  return {
    ...(retry_after_s !== undefined && { "retry-after": String(retry_after_s) }),
    ...(code === "unauthorized" && { "www-authenticate": "Bearer" }),
    ...(code === "forbidden" && { "www-authenticate": 'Bearer error="insufficient_scope"' }),
  };
}
