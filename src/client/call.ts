/** One call over HTTP: its request, its answer, and how often it is tried. */
import { errorOf, LacreError } from "./error.ts";
import { newIdempotencyKey, random, wait } from "./platform.ts";

/** A route: its method, its path with parameters written `:id`, and what is special about it. */
export type Route =
  | readonly [method: string, path: string]
  /** It takes no Idempotency-Key. */
  | readonly [method: string, path: string, "unkeyed"]
  /** A file answers: `field` of the answer holds its bytes, or its pieces as they arrive. */
  | readonly [method: string, path: string, "bytes" | "stream", field: string];

/** What a call takes beside its input. */
export interface CallOptions {
  /** Refuses a change with `precondition_failed` if the resource is not as it was read: takes a tag from `etagOf`. */
  readonly if_match?: string | undefined;
  /** Ends the call, and its waiting between two tries: it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** The same of a call that can be made safe to repeat. */
export interface KeyedOptions extends CallOptions {
  /**
   * Makes the call safe to repeat, by another process too: a text of yours, such as the order's id. Without one the
   * call has a key of its own for as long as it lasts.
   */
  readonly idempotency_key?: string | undefined;
}

/** Where Lacre is, and how it is called. */
export interface ClientOptions {
  /** The address of Lacre, with the base path where it has one: `https://billing.example`. */
  readonly url: string;
  /** An API key: `lacre_live_…`. It invoices in the company's name, so keep it on servers. */
  readonly key: string;
  /** Sends the requests; the platform's own `fetch` when left out. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
  /** The language of messages; English when left out. */
  readonly language?: "pt" | "en" | undefined;
  /** How often a call is tried again at most: 5 when left out, 0 for never. */
  readonly retries?: number | undefined;
  /** How long one try may take, in milliseconds; 60,000 when left out. A file that is streamed must begin by then. */
  readonly timeoutMs?: number | undefined;
}

/** Calls a route with an input. Throws `LacreError`, or the reason of the signal. */
export type Call = (route: Route, input?: object, options?: KeyedOptions) => Promise<unknown>;

/** The longest wait that a Retry-After may ask for; a longer one is the caller's to decide. */
const MAX_RETRY_AFTER_S = 60;
/** The longest wait before the second try; it doubles with each further one, up to the limit. */
const FIRST_WAIT_MS = 250;
const MAX_WAIT_MS = 8_000;

/** Statuses after which a repeat may be answered otherwise; 0 where no answer came. */
const PASSING = [0, 408, 502, 503, 504];

/** Makes the function that calls routes. Throws TypeError for an address or a key that cannot be one. */
export function createCall(client: ClientOptions): Call {
  const base = baseOf(client);
  return (route, input = {}, options = {}) => {
    const request = requestOf(client, route, input, options);
    const attempt = () => answerTo(client, base, request, route, options.signal);
    return repeated(attempt, request, client.retries ?? 5, options.signal);
  };
}

/** Tries until there is an answer, or a refusal that another try would not change. */
async function repeated(attempt: () => Promise<unknown>, request: OwnRequest, retries: number, signal?: AbortSignal) {
  let isUnsure = false;
  for (let tried = 0; ; tried++) {
    try {
      return await attempt();
    } catch (error) {
      // What is gone now was deleted by a try whose answer was lost.
      if (isUnsure && request.method === "DELETE" && (error as LacreError).status === 404) return undefined;
      const delay = delayAfter(error, request, tried, retries);
      isUnsure ||= !wasUndone(error as LacreError);
      await wait(delay, signal);
    }
  }
}

/** How long to wait before the next try, in milliseconds. Throws the error where there is none. */
function delayAfter(error: unknown, { isRepeatable }: OwnRequest, tried: number, retries: number): number {
  if (!(error instanceof LacreError) || tried >= retries) throw error;
  if (!(wasUndone(error) || (isRepeatable && PASSING.includes(error.status)))) throw error;
  const { retry_after_s } = error;
  if (retry_after_s === undefined) return Math.min(FIRST_WAIT_MS * 2 ** tried, MAX_WAIT_MS) * (0.5 + random() / 2);
  if (retry_after_s > MAX_RETRY_AFTER_S) throw error;
  return (retry_after_s + random()) * 1_000; // those who were told to wait equally long do not come back at once
}

/** Whether it did nothing, or the same request is under way already. */
const wasUndone = ({ status, code }: LacreError) => status === 429 || code === "idempotency_in_progress";

/** The address before every path. */
function baseOf({ url, key }: ClientOptions): string {
  const { protocol, origin, pathname } = new URL(url);
  if (!/^https?:$/.test(protocol)) throw new TypeError(`url must begin with https://, or http://, not ${protocol}`);
  if (!/^lacre_[!-~]+$/.test(key)) throw new TypeError("key must be an API key, lacre_live_…");
  let path = pathname;
  while (path.endsWith("/")) path = path.slice(0, -1);
  return origin + path;
}

/** A request, the same in every try. */
interface OwnRequest {
  readonly method: string;
  /** Below the address of Lacre, with the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** Whether doing it twice changes nothing more. */
  readonly isRepeatable: boolean;
}

function requestOf(client: ClientOptions, route: Route, input: object, options: KeyedOptions): OwnRequest {
  const [method, template, kind] = route;
  const fields = new Map(Object.entries(input).filter(([, value]) => value !== undefined));
  const path = template.replace(/:(\w+)/g, (_, name: string) => {
    const value = String(fields.get(name));
    fields.delete(name);
    return encodeURIComponent(value);
  });
  const inQuery = method === "GET" || method === "DELETE";
  const asTexts = Array.from(fields, ([name, value]): [string, string] => [name, String(value)]);
  const query = inQuery ? new URLSearchParams(asTexts).toString() : "";
  const isKeyed = method === "POST" && kind !== "unkeyed";
  const { if_match, idempotency_key = isKeyed ? newIdempotencyKey() : undefined } = options;
  return {
    method,
    path: query ? `${path}?${query}` : path,
    headers: {
      authorization: `Bearer ${client.key}`,
      ...(client.language && { "accept-language": client.language }),
      ...(!inQuery && { "content-type": "application/json" }),
      ...(isKeyed && { "idempotency-key": idempotency_key as string }),
      ...(if_match !== undefined && { "if-match": if_match }),
    },
    body: inQuery ? null : JSON.stringify(Object.fromEntries(fields)),
    isRepeatable: isKeyed || inQuery || (method === "PATCH" && if_match === undefined),
  };
}

/** The answer of one try. Throws `LacreError`, or the reason of the signal. */
async function answerTo(
  { fetch = (url, init) => globalThis.fetch(url, init), timeoutMs = 60_000 }: ClientOptions,
  base: string,
  { method, path, headers, body }: OwnRequest,
  route: Route,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  signal?.throwIfAborted();
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new Error(`It took more than ${timeoutMs} ms.`)), timeoutMs);
  const ends = signal ? AbortSignal.any([signal, late.signal]) : late.signal;
  try {
    // A redirect would lose the body of a POST, and may lead elsewhere.
    const init = { method, headers, body, redirect: "manual" as const, signal: ends };
    return await resultOf(await fetch(base + path, init), route, signal);
  } catch (error) {
    signal?.throwIfAborted();
    throw error instanceof LacreError ? error : noAnswer(base, error);
  } finally {
    clearTimeout(timer);
  }
}

function noAnswer(base: string, cause: unknown): LacreError {
  const { cause: reason = cause } = cause as { cause?: unknown }; // fetch of Node says why one level below
  const why = reason instanceof Error ? reason.message : String(reason);
  return new LacreError({ code: "unavailable", message: `No answer of ${base}: ${why}`, status: 0, cause });
}

/** What an answer says, in the form in which the library gives it. Throws `LacreError` for a refusal. */
async function resultOf(
  answer: Response,
  [, , kind, field = ""]: Route,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  if (answer.ok && answer.status === 204) return undefined;
  if (answer.ok && (kind === "bytes" || kind === "stream")) {
    const [, name = ""] = /filename\*=UTF-8''([^;]+)/.exec(answer.headers.get("content-disposition") ?? "") ?? [];
    const content = kind === "bytes" ? new Uint8Array(await answer.arrayBuffer()) : piecesOf(answer, signal);
    return { name: decodeURIComponent(name), [field]: content };
  }
  const text = await answer.text();
  if (!answer.ok) throw errorOf(answer, text);
  try {
    return JSON.parse(text);
  } catch {
    throw errorOf(answer, text);
  }
}

/** The body of an answer as it arrives. Throws `LacreError`, or the reason of the signal. */
async function* piecesOf({ body, url }: Response, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader();
  try {
    for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) yield read.value;
  } catch (error) {
    signal?.throwIfAborted();
    throw noAnswer(url, error);
  } finally {
    await reader?.cancel().catch(() => {});
  }
}
