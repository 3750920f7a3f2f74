/** Answers and refusals: the shape of each, and the only table of error statuses. */
import {
  ERRORS,
  type ErrorCode,
  type ErrorKind,
  joinedProblems,
  LacreError,
  problemsOfError,
  SENTENCES,
  type ShownProblem,
} from "../core/runtime/errors.ts";
import type { Lang } from "../core/texts/languages.ts";
import { type Text, texts } from "../core/texts/texts.ts";
import { withRequest } from "./remedies.ts";

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

const t = texts({
  method_not_allowed: ["Este caminho não aceita esse método.", "This path does not support that method."],
  request_timeout: ["O pedido não chegou a tempo.", "The request did not arrive in time."],
  payload_too_large: ["O corpo do pedido é demasiado grande.", "The body is too large."],
  unsupported_media_type: [
    "O corpo do pedido tem de ser application/json em UTF-8, sem Content-Encoding.",
    "The body must be application/json in UTF-8, without Content-Encoding.",
  ],
});

/** The text of an answer with a code that has none of its own. */
export const sentenceOf = (code: AnswerCode): Text =>
  code in t ? t[code as HttpErrorCode] : SENTENCES[code as ErrorCode];

/** Thrown for a refusal of the HTTP layer. */
export class HttpError extends Error {
  readonly code: HttpErrorCode;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: HttpErrorCode, headers: Readonly<Record<string, string>> = {}) {
    super(t[code].in("en"));
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

/** A refusal as it is answered. */
interface Told {
  readonly code: AnswerCode;
  readonly message: string;
  /** The problem of each field; none if the message is about no field. */
  readonly problems: readonly ShownProblem[];
  readonly headers: Answer["headers"];
}

/** The media type of a refusal whose problems are data (RFC 9457); the company area's page asks for it. */
export const PROBLEMS = "application/problem+json";

/** A refusal of this media type. */
export interface ProblemAnswer {
  readonly title: string;
  readonly status: number;
  readonly code: AnswerCode;
  /** A problem of the whole input has an empty path. */
  readonly errors: readonly { readonly path: string; readonly detail: string }[];
}

/** The one shape of every error, whose message depends on `Accept-Language`; the code never does. */
function messageAnswer({ code, message, headers }: Omit<Told, "problems">, lang: Lang): Answer {
  const language = { "content-language": lang, vary: "Accept-Language" };
  return jsonAnswer(statusOf(code), { error: { code, message } }, { ...language, ...headers });
}

function problemAnswer({ code, message, problems, headers }: Told, lang: Lang): Answer {
  const status = statusOf(code);
  const errors = problems.map(({ path, message: detail }) => ({ path, detail }));
  const value: ProblemAnswer = { title: message, status, code, errors };
  const as = { "content-type": PROBLEMS, "content-language": lang, vary: "Accept, Accept-Language" };
  return jsonAnswer(status, value, { ...as, ...headers });
}

/** A refusal as a page, for a person who followed a link. */
function pageAnswer({ code, message, headers }: Omit<Told, "problems">, lang: Lang): Answer {
  const text = message.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  const body = `<!doctype html>
<html lang="${lang}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Lacre</title>
<p>${text}</p>
</html>
`;
  const as = { "content-type": "text/html; charset=utf-8", "content-language": lang, vary: "Accept, Accept-Language" };
  return { status: statusOf(code), headers: { ...as, ...headers }, body };
}

/** A refusal that says this; without a text, the sentence of its code. */
export function refusalAnswer(
  code: AnswerCode,
  lang: Lang,
  {
    text = sentenceOf(code),
    headers = {},
  }: { readonly text?: Text | undefined; readonly headers?: Answer["headers"] } = {},
): Answer {
  return messageAnswer({ code, message: text.in(lang), headers }, lang);
}

/** The forms of a refusal: the one of the contract, problems as data, and a page. */
const FORMS = { message: messageAnswer, problems: problemAnswer, page: pageAnswer };

/**
 * The answer to anything thrown, in the form that the client asks for. An error that is neither a
 * `LacreError` nor an `HttpError` is a bug: it becomes `internal_error` with a fixed message, and the caller logs it.
 */
export function errorAnswer(error: unknown, lang: Lang, form: keyof typeof FORMS = "message"): Answer {
  return FORMS[form](toldOf(error, lang), lang);
}

/** The options of a call that are headers of its request. */
const HEADERS: ReadonlyMap<string, string> = new Map([
  ["options.if_match", "If-Match"],
  ["options.idempotency_key", "Idempotency-Key"],
]);

function toldOf(error: unknown, lang: Lang): Told {
  if (error instanceof LacreError) {
    const { code } = error;
    const problems = problemsOfError(error, lang, withRequest).map(({ path, message }) => ({
      path: HEADERS.get(path) ?? path,
      message,
    }));
    return { code, message: joinedProblems(problems), problems, headers: refusalHeaders(error) };
  }
  const { code, headers = {} } = error instanceof HttpError ? error : { code: "internal_error" as const };
  return { code, message: sentenceOf(code).in(lang), problems: [], headers };
}

/** The message of a refusal within an answer, as it would be if the refusal were the answer. */
export function messageOf(error: LacreError, lang: Lang): string {
  return toldOf(error, lang).message;
}

function refusalHeaders({ code, retry_after_s }: LacreError): Record<string, string> {
  return {
    ...(retry_after_s !== undefined && { "retry-after": String(retry_after_s) }),
    ...(code === "unauthorized" && { "www-authenticate": "Bearer" }),
    ...(code === "forbidden" && { "www-authenticate": 'Bearer error="insufficient_scope"' }),
  };
}
