/** The errors of `lacre/client`. */
import type { AnswerCode } from "../http/answer.ts";

/** What is known of an answer that refuses. */
interface Refused {
  readonly code: AnswerCode;
  readonly message: string;
  readonly status: number;
  readonly retry_after_s?: number | undefined;
  readonly request_id?: string | undefined;
  /** The error of the network, where no answer came. */
  readonly cause?: unknown;
}

/**
 * A refusal. It has the code, the message and the form of the library's own `LacreError`. Where no answer came it is
 * `unavailable` with status 0: whether a change was made is unknown then, and the same key settles it.
 */
export class LacreError extends Error {
  /** The code of the API. It may be one that was added later. */
  readonly code: AnswerCode;
  /** The HTTP status; 0 where no answer came. */
  readonly status: number;
  /** Whole seconds after which trying again can help; absent where it cannot. */
  readonly retry_after_s: number | undefined;
  /** The id under which the server's log has the request; absent where no answer came. */
  readonly request_id: string | undefined;

  constructor({ code, message, status, retry_after_s, request_id, cause }: Refused) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "LacreError";
    this.code = code;
    this.status = status;
    this.retry_after_s = retry_after_s;
    this.request_id = request_id;
  }

  /** The `error` of the API's answers: `JSON.stringify({ error })` is the whole body. */
  toJSON(): { code: AnswerCode; message: string } {
    return { code: this.code, message: this.message };
  }
}

/** The code of an answer that is not Lacre's: of a proxy between, or of another program at that address. */
const FOREIGN: Readonly<Record<number, AnswerCode>> = {
  408: "request_timeout",
  413: "payload_too_large",
  429: "rate_limited",
  502: "unavailable",
  503: "unavailable",
  504: "unavailable",
};

/** The error that an answer with this body is. */
export function errorOf({ status, headers }: Response, body: string): LacreError {
  const told = {
    status,
    retry_after_s: secondsOf(headers.get("retry-after")),
    request_id: headers.get("x-request-id") ?? undefined,
  };
  try {
    const { code, message } = (JSON.parse(body) as { error: Pick<Refused, "code" | "message"> }).error;
    if (typeof code === "string" && typeof message === "string") return new LacreError({ code, message, ...told });
  } catch {
    // It is not Lacre's.
  }
  const location = headers.get("location");
  const message = `HTTP ${status}${location ? ` to ${location}` : ""}, which is no answer of Lacre: is \`url\` its address?`;
  return new LacreError({ code: FOREIGN[status] ?? "internal_error", message, ...told });
}

/** The whole seconds of a Retry-After. Lacre sends no dates. */
function secondsOf(retryAfter: string | null): number | undefined {
  return retryAfter !== null && /^\d{1,6}$/.test(retryAfter) ? Number(retryAfter) : undefined;
}
