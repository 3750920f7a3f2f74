/**
 * The API with the library's own methods: `lacre.documents.create(…)` reads in the browser as it does in a program.
 * Each method calls the route that the build found for it.
 */
import { PERSON_ROUTES, ROUTES, type Route } from "lacre:contracts";
import { signal } from "@preact/signals";
import type { CompanyMethods, PersonMethods } from "../../core/face.ts";
import type { AnswerCode, PROBLEMS as MediaType, ProblemAnswer } from "../../http/answer.ts";
import { language } from "../words/language.ts";

/** The address of the area: this script is one of its assets, two levels below it. */
const AREA = new URL("..", import.meta.url);
/** The path of the area, with a slash at its end: `/area/`. */
export const AREA_PATH = AREA.pathname;
/** The base path, without a slash at its end; empty at the root of the host. */
export const BASE = new URL("..", AREA).pathname.slice(0, -1);

/** The media type of refusals whose problems are data. */
const PROBLEMS: typeof MediaType = "application/problem+json";

/** The error of one field, in the language of the page; of the whole input if the path is empty. */
type Problem = ProblemAnswer["errors"][number];

/** A refusal of the API: its code, its sentence in the language of the page, and the error of each field. */
export class Refusal extends Error {
  readonly code: AnswerCode;
  /** Seconds after which another try can help. */
  readonly retry_after_s: number | undefined;
  /** The error of each field, by its path. */
  readonly byField: Readonly<Record<string, string>>;

  constructor(
    { code, title, errors }: Pick<ProblemAnswer, "code" | "title" | "errors">,
    retry_after_s: number | undefined,
  ) {
    super(title);
    this.name = "Refusal";
    this.code = code;
    this.retry_after_s = retry_after_s;
    this.byField = joined(errors);
  }
}

/** A refusal by the page itself, before anything is sent: the error of a field. */
export const wrongField = (path: string, detail: string): Refusal =>
  new Refusal({ code: "invalid_request", title: detail, errors: [{ path, detail }] }, undefined);

function joined(problems: readonly Problem[]): Record<string, string> {
  const found: Record<string, string> = {};
  for (const { path, detail } of problems) found[path] = found[path] ? `${found[path]}; ${detail}` : detail;
  return found;
}

/** No answer came: the network or the server is down, and whether a change was made is unknown. */
export class Offline extends Error {
  constructor() {
    super("offline");
    this.name = "Offline";
  }
}

/** Whether the last call reached the server. */
export const isOnline = signal(true);

/** The company of calls inside one; the session sets it. */
export const companyId = signal<string | undefined>(undefined);

/** The last refusal because the session has ended. */
export const endOfSession = signal<Refusal | undefined>(undefined);

/** Options of one call. */
export interface CallOptions {
  /** Makes a change safe to repeat. */
  readonly idempotency_key?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** A file as the whole body, instead of fields; the fields then travel in the query string. */
  readonly file?: Blob | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

/** The answer itself, for callers that read it as it arrives. Throws `Refusal` or `Offline`. */
export async function answerOf(method: string, path: string, input: Fields = {}, options: CallOptions = {}) {
  const rest: Record<string, unknown> = { ...input };
  const filled = path.replaceAll(/:(\w+)/g, (_, name) => {
    const value = String(rest[name]);
    delete rest[name];
    return encodeURIComponent(value);
  });
  const given = Object.entries(rest).filter(([, value]) => value !== undefined);
  const inQuery = method === "GET" || method === "DELETE" || options.file !== undefined;
  const query =
    inQuery && given.length > 0 ? `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}` : "";
  const headers: Record<string, string> = {
    accept: `application/json, ${PROBLEMS}`,
    "accept-language": language.value,
  };
  if (companyId.value) headers["lacre-company"] = companyId.value;
  if (options.idempotency_key) headers["idempotency-key"] = options.idempotency_key;
  let body: BodyInit | null = null;
  if (options.file) {
    body = options.file;
    headers["content-type"] = "application/xml";
  } else if (!inQuery) {
    body = JSON.stringify(Object.fromEntries(given));
    headers["content-type"] = "application/json";
  }
  let answer: Response;
  try {
    answer = await fetch(`${BASE}${filled}${query}`, { method, headers, body, signal: options.signal ?? null });
  } catch (error) {
    if (options.signal?.aborted) throw error;
    isOnline.value = false;
    throw new Offline();
  }
  isOnline.value = true;
  if (answer.ok) return answer;
  const refusal = await refusalOf(answer);
  if (refusal.code === "unauthorized" && path !== "/area/v1/session") endOfSession.value = refusal;
  throw refusal;
}

async function refusalOf(answer: Response): Promise<Refusal> {
  const retry = Number(answer.headers.get("retry-after")) || undefined;
  const isLacres = answer.headers.get("content-type") === PROBLEMS;
  // Something between the page and Lacre may answer instead.
  const unknown = { code: "internal_error", title: `HTTP ${answer.status}`, errors: [] } as const;
  return new Refusal(isLacres ? ((await answer.json()) as ProblemAnswer) : unknown, retry);
}

/** Calls a path outside the company's operations. The caller knows the type of the answer. */
export async function call<Answer = void>(
  method: string,
  path: string,
  input?: Fields,
  options?: CallOptions,
): Promise<Answer> {
  const answer = await answerOf(method, path, input, options);
  return answer.headers.has("content-type") ? ((await answer.json()) as Answer) : (undefined as Answer);
}

/** A file in an answer: its bytes, empty without a file, and the name to save it under. */
export interface AnsweredFile {
  readonly name: string;
  readonly blob: Blob;
}

async function through([method, path, kind]: Route, input: Fields | undefined, options: CallOptions | undefined) {
  if (kind !== "file") return call<unknown>(method, path, input, options);
  const answer = await answerOf(method, path, input, options);
  const [, name = "lacre"] = /filename\*=UTF-8''([^;]+)/.exec(answer.headers.get("content-disposition") ?? "") ?? [];
  return { name: decodeURIComponent(name), blob: await answer.blob() } satisfies AnsweredFile;
}

/** Methods as they are over HTTP: some answer files, and a secret travels in a cookie. */
type Over<Methods> = {
  readonly [Group in keyof Methods]: {
    readonly [Verb in keyof Methods[Group]]: Methods[Group][Verb] extends (
      input: infer Input,
      ...rest: never[]
    ) => Promise<infer Answer>
      ? Verb extends "pdf" | "print" | "export" | "logo"
        ? (input: Input, options?: CallOptions) => Promise<AnsweredFile>
        : undefined extends Input
          ? (input?: Input, options?: CallOptions) => Promise<Shown<Answer>>
          : (input: Input, options?: CallOptions) => Promise<Shown<Answer>>
      : never;
  };
};

type Shown<Answer> = Answer extends { readonly session: infer Session; readonly secret: string } ? Session : Answer;

const called = (routes: typeof ROUTES): unknown =>
  Object.fromEntries(
    Object.entries(routes).map(([group, verbs]) => [
      group,
      Object.fromEntries(
        Object.entries(verbs).map(([verb, route]) => [
          verb,
          (input?: Fields, options?: CallOptions) => through(route, input, options),
        ]),
      ),
    ]),
  );

/** The operations of the company, called over HTTP. Each throws `Refusal` or `Offline`. */
export const lacre = called(ROUTES) as Over<CompanyMethods>;

/** What people do with links, their sessions and their own user, called in the same way. */
export const person = called(PERSON_ROUTES) as Over<Omit<PersonMethods, "start" | "tries">>;

/** A key for one change. Not `randomUUID`, which is missing over plain HTTP in a local network. */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
